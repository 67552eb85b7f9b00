"""The checklist of what agents do, items 14 to 24: the executor's fields, its loop, its limits."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import polylect
from polylect import (
    Agent,
    AgentAction,
    AgentFinish,
    Pipeline,
    PromptError,
    Scripted,
    StepEnd,
    Tool,
    ToolEnd,
    ToolError,
    ToolStart,
)

from .scenes import DRIVERS, LECTS, SEVERAL, agent, answer, call, calls, echo, events, observations, run

drivers = pytest.mark.parametrize("driver", DRIVERS)
every = pytest.mark.parametrize("lect", LECTS)
MAPS = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


def direct(lect: str = "") -> Tool:
    """A tool whose result is the answer, and no text."""
    return Tool("direct", "", MAPS, lambda text: {"found": text}, return_direct=True)


def test_14_the_defaults_are_those_of_the_executor_but_for_errors() -> None:
    settings = Agent("react", Scripted([])).settings
    assert settings.max_iterations == 15
    assert settings.max_execution_time is None
    assert settings.early_stopping == "force"
    assert settings.return_intermediate_steps is False
    assert settings.trim is None
    assert settings.parsing_errors == "observe"  # item 33: always set in production


def test_14_limits_may_be_none() -> None:
    same = Agent("react", Scripted([*[call("react", given=str(n)) for n in range(40)], answer("react")]), [echo])
    assert same.run("q").stop_reason == "iterations"
    replies = [*[call("react", given=str(n)) for n in range(40)], answer("react")]
    assert Agent("react", Scripted(replies), [echo], max_iterations=None).run("q").iterations == 41


@drivers
@pytest.mark.parametrize("kind", ["one action", "a list", "a finish"])
def test_15_what_a_stage_of_ones_own_decides_may_be_one_action_a_list_or_a_finish(kind: str, driver: str) -> None:
    def decide(text: str) -> Any:
        if text == "done" or kind == "a finish":
            return AgentFinish({"output": "42"})
        action = AgentAction("echo", "hi", text)
        return action if kind == "one action" else [action, AgentAction("echo", "ho", text, None, 1)]

    result = run(driver, Agent("react", Scripted(["go", "done"]), [echo], parse=decide))
    seen = {"one action": ["said hi"], "a list": ["said hi", "said ho"], "a finish": []}
    assert (result.output, observations(result)) == ("42", seen[kind])


@pytest.mark.parametrize("made", [None, [], "text", [1], {"tool": "echo"}])
def test_15_anything_else_is_an_error_that_says_so(made: Any) -> None:
    with pytest.raises(PromptError, match="The parse stage gives a list of actions, at least one, or a finish"):
        Agent("react", Scripted(["go"]), [echo], parse=lambda text: made).run("q")


def test_16_the_prompt_and_the_loop_know_the_same_tools() -> None:
    def other(text: str) -> str:
        """Another."""
        return text

    pipeline = Pipeline("react", Scripted([call("react", "other"), answer("react")]), [echo])
    built = Agent(pipeline, tools=[other])
    assert "other" in str(built.pipeline.prompt_for(input="q"))
    assert "echo" not in str(built.pipeline.prompt_for(input="q"))
    assert observations(built.run("q")) == ["hi"]
    with pytest.raises(ToolError, match="Two tools are named 'echo'"):
        Agent(pipeline, tools=[echo, Tool("echo")])


@drivers
@every
def test_17_the_loop_asks_runs_and_asks_again_until_there_is_a_finish(lect: str, driver: str) -> None:
    script = [call(lect, given="a"), call(lect, given="b"), answer(lect)]
    built, model = agent(lect, *script)
    result = run(driver, built)
    assert (result.output, result.stop_reason, result.iterations) == ("42", "finished", 3)
    assert observations(result) == ["said a", "said b"]
    assert len(model.asked) == 3
    for number, asked in enumerate(model.asked):
        assert [text in str(asked.prompt) for text in ("said a", "said b")] == [number > 0, number > 1]


@drivers
@pytest.mark.parametrize("lect", SEVERAL)
def test_18_all_calls_of_a_turn_are_told_before_the_next_turn_begins(lect: str, driver: str) -> None:
    built, _ = agent(lect, calls(lect, ("echo", "a"), ("echo", "b")), answer(lect), stop=False)
    told = [x for x in events(driver, built) if isinstance(x, (ToolStart, ToolEnd, StepEnd))]
    assert [type(x) for x in told] == [ToolStart, ToolStart, ToolEnd, ToolEnd, StepEnd, StepEnd] or [
        type(x) for x in told
    ] == [ToolStart, ToolEnd, ToolStart, ToolEnd, StepEnd, StepEnd]
    steps = [x.step for x in told if isinstance(x, StepEnd)]
    assert [(step.action.index, step.observation) for step in steps] == [(0, "said a"), (1, "said b")]


@drivers
@pytest.mark.parametrize("lect", SEVERAL)
def test_19_a_turn_becomes_steps_in_the_models_order(lect: str, driver: str) -> None:
    wanted = [("echo", x) for x in "cab"]
    built, _ = agent(lect, calls(lect, *wanted), answer(lect), stop=False)
    result = run(driver, built)
    assert [(step.action.tool_input, step.observation) for step in result.steps] == [
        (step.action.tool_input, f"said {x}") for step, x in zip(result.steps, "cab", strict=True)
    ]
    assert [step.action for step in result.steps] == list(result.turns[0].actions)


@drivers
@pytest.mark.parametrize("lect", [name for name in LECTS if name not in ("self_ask", "docstore")])
def test_20_an_unknown_tool_is_an_observation_that_names_the_tools(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect, "ecco"), answer(lect))
    result = run(driver, built)
    assert (result.output, [x.status for x in result.turns[0].results]) == ("42", ["unknown"])
    assert observations(result) == ["There is no tool 'ecco'. Did you mean 'echo'? The tools are: echo."]
    assert "There is no tool" in str(model.asked[1].prompt)


@drivers
@every
def test_21_return_direct_gives_the_tools_own_result(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect, "direct", {"text": "x"}), tools=[direct()])
    result = run(driver, built)
    assert (result.output, result.stop_reason, len(model.asked)) == ({"found": "x"}, "return_direct", 1)


@drivers
@pytest.mark.parametrize("lect", SEVERAL)
def test_21_return_direct_counts_if_all_calls_of_the_turn_do(lect: str, driver: str) -> None:
    turn = calls(lect, ("direct", {"text": "x"}), ("echo", {"text": "y"}))
    mixed, _ = agent(lect, turn, answer(lect), tools=[direct(), echo], stop=False)
    assert run(driver, mixed).output == "42"
    turn = calls(lect, ("direct", {"text": "x"}), ("direct", {"text": "y"}))
    both, _ = agent(lect, turn, tools=[direct()], stop=False)
    assert run(driver, both).output == [{"found": "x"}, {"found": "y"}]


@drivers
@pytest.mark.parametrize("limit", [0, 1, 2])
def test_22_as_many_turns_as_the_limit_says_and_no_more(limit: int, driver: str) -> None:
    built, model = agent("react", *[call("react", given=str(n)) for n in range(5)], max_iterations=limit)
    result = run(driver, built)
    assert (result.stop_reason, result.iterations, len(model.asked)) == ("iterations", limit, limit)
    assert len(result.steps) == limit


@drivers
def test_22_no_time_is_no_turn(driver: str) -> None:
    built, model = agent("react", answer("react"), max_execution_time=0)
    assert (run(driver, built).stop_reason, len(model.asked)) == ("time", 0)


@drivers
@every
def test_23_generate_asks_once_more_and_takes_the_answer(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect), answer(lect, "so: 42"), max_iterations=1, early_stopping="generate")
    result = run(driver, built)
    assert (result.output, result.stop_reason) == ("so: 42", "iterations")
    assert (len(model.asked), result.iterations) == (2, 1)
    assert "any more tools" in str(model.asked[1].prompt)


@drivers
@every
def test_23_generate_runs_no_tool_whatever_the_model_says(lect: str, driver: str) -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        """Note it."""
        ran.append(text)
        return "noted"

    built, model = agent(lect, *[call(lect, "note")] * 3, tools=[note], max_iterations=1, early_stopping="generate")
    result = run(driver, built)
    assert (result.stop_reason, len(model.asked), len(ran)) == ("iterations", 2, 1)
    assert isinstance(result.output, str)


@pytest.mark.parametrize("driver", DRIVERS)
def test_24_time_ends_what_is_going_on_and_keeps_what_was_finished(driver: str) -> None:
    over = threading.Event()

    def wait(text: str) -> str:
        """Wait for the end."""
        over.wait(30)
        return "too late"

    turn = calls("tool_calls", ("echo", {"text": "a"}), ("wait", {"text": "b"}))
    built, model = agent("tool_calls", turn, answer("tool_calls"), tools=[echo, wait], max_execution_time=1.0)
    result = run(driver, built)
    over.set()
    assert (result.stop_reason, len(model.asked)) == ("time", 1)
    assert observations(result)[0] == "said a"
    assert [x.status for x in result.turns[0].results] == ["ok", "timeout"]
    assert polylect.RunResult.from_json(result.to_json()).stop_reason == "time"
