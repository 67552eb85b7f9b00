"""The loop by itself: what it wants, what it is told, and its state between."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import (
    EXCEPTION_TOOL,
    Agent,
    CallModel,
    CallTools,
    ModelResult,
    PromptError,
    RunResult,
    RunState,
    ToolResult,
    Usage,
)

from .scenes import LECTS, SEVERAL, agent, answer, call, calls, echo


def model_of(want: Any) -> CallModel:
    assert isinstance(want, CallModel)
    return want


def tools_of(want: Any) -> CallTools:
    assert isinstance(want, CallTools)
    return want


def result_of(want: Any) -> RunResult:
    assert isinstance(want, RunResult)
    return want


@pytest.mark.parametrize("lect", LECTS)
def test_it_wants_the_model_then_the_tools_then_the_model_again(lect: str) -> None:
    built, _ = agent(lect)
    state = built.start("q")
    assert model_of(built.next(state)).turn == 1
    built.advance(state, ModelResult(call(lect)))
    (action,) = tools_of(built.next(state)).actions
    assert action.tool == "echo"
    built.advance(state, [ToolResult("<hi>")])
    assert model_of(built.next(state)).turn == 2
    built.advance(state, ModelResult(answer(lect)))
    result = result_of(built.next(state))
    assert (result.output, result.stop_reason, result.finished) == ("42", "finished", True)
    assert [step.observation for step in result.steps] == ["<hi>"]
    assert result.iterations == 2


@pytest.mark.parametrize("lect", LECTS)
def test_asking_twice_gives_the_same_and_changes_nothing(lect: str) -> None:
    built, model = agent(lect)
    state = built.start("q")
    for reply in (call(lect), [ToolResult("a")], answer(lect)):
        before = state.to_json()
        assert built.next(state) == built.next(state)
        assert state.to_json() == before
        built.advance(state, ModelResult(reply) if not isinstance(reply, list) else reply)
    assert built.next(state) == built.next(state)
    assert model.asked == []


@pytest.mark.parametrize("lect", SEVERAL)
def test_a_state_is_taken_up_again_wherever_it_was_put_down(lect: str) -> None:
    script: list[Any] = [
        calls(lect, ("echo", "a"), ("nope", "b"), ("echo", "c")),
        [ToolResult("<a>"), ToolResult("<c>", "error", 0.5)],
        answer(lect),
    ]
    ends = []
    for stop in range(len(script) + 1):
        built, _ = agent(lect)
        state = built.start("q")
        for number, told in enumerate(script):
            if number == stop:
                state = RunState.from_json(state.to_json())
                built, _ = agent(lect)
            built.advance(state, told if isinstance(told, list) else ModelResult(told))
        ends.append(result_of(built.next(RunState.from_json(state.to_json()))))
    assert all(end.to_json() == ends[0].to_json() for end in ends)
    assert ends[0].output == "42"


def test_a_turn_mixes_calls_that_can_run_with_those_that_can_not() -> None:
    built, _ = agent("react")
    state = built.start("q")
    built.advance(state, calls("react", ("echo", "a"), ("nope", "b"), ("echo", "c")))
    assert [action.tool_input for action in tools_of(built.next(state)).actions] == ["a", "c"]
    built.advance(state, [ToolResult("1"), ToolResult("3")])
    told = [step.observation for step in state.steps]
    assert told[0] == "1"
    assert told[2] == "3"
    assert "no tool 'nope'" in told[1]
    assert "echo" in told[1]
    assert [result.status for result in state.turns[0].results] == ["ok", "unknown", "ok"]


def test_a_call_that_can_not_run_is_an_observation_beside_one_that_can() -> None:
    built, _ = agent("json_blob")
    state = built.start("q")
    built.advance(
        state,
        '[{"action": "echo", "action_input": {"text": "a"}}, {"action": "echo", "action_input": {"wrong": 1}}]',
    )
    assert len(tools_of(built.next(state)).actions) == 1
    built.advance(state, [ToolResult("1")])
    assert [step.action.tool for step in state.steps] == ["echo", EXCEPTION_TOOL]
    assert "'text' is a required property" in state.steps[1].observation


def test_only_what_is_wanted_is_taken() -> None:
    built, _ = agent("react")
    state = built.start("q")
    with pytest.raises(PromptError, match="waits for a ModelResult"):
        built.advance(state, [ToolResult("x")])
    built.advance(state, call("react"))
    with pytest.raises(PromptError, match="waits for a list of ToolResult"):
        built.advance(state, "text")
    with pytest.raises(PromptError, match="1 calls are waited for, and 2 results came"):
        built.advance(state, [ToolResult("x"), ToolResult("y")])
    built.advance(state, [ToolResult("x")])
    built.advance(state, answer("react"))
    with pytest.raises(PromptError, match="over: finished"):
        built.advance(state, "more")


def test_a_state_belongs_to_its_lect() -> None:
    built, _ = agent("react")
    other, _ = agent("json_blob")
    with pytest.raises(PromptError, match=r"'json_blob'.*'react'"):
        built.next(other.start("q"))
    wrong: Any = {"inputs": {}}
    with pytest.raises(PromptError, match="RunState"):
        built.next(wrong)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"type":"RunState"}', '{"type":"RunState","inputs":3}'])
def test_what_is_no_state_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        RunState.from_json(text)


def test_inputs_are_checked_before_anything_runs() -> None:
    built, model = agent("react", prompt="{tools} {tool_names} {language} {input} {agent_scratchpad}")
    with pytest.raises(PromptError, match="language"):
        built.run("q")
    with pytest.raises(PromptError, match="Did you mean 'langage'"):
        built.run("q", langage="no")
    with pytest.raises(PromptError, match="twice"):
        built.run("q", input="again")
    wrong: Any = {"input": "q"}
    with pytest.raises(PromptError, match="text or from inputs by name"):
        built.run(wrong)
    assert model.asked == []


def test_usage_and_seconds_add_up() -> None:
    built, _ = agent("react")
    state = built.start("q")
    built.advance(state, ModelResult(call("react"), Usage(10, 5), 0.5))
    built.advance(state, [ToolResult("x", "ok", 2.0)])
    built.advance(state, ModelResult(answer("react"), Usage(20, 7), 0.25))
    result = result_of(built.next(state))
    assert result.usage == Usage(30, 12)
    assert result.usage.total == 42
    assert result.seconds == 2.75
    assert [turn.usage.total for turn in result.turns] == [15, 27]
    assert result.turns[1].prompt_size > result.turns[0].prompt_size > 0


def test_a_result_writes_itself_and_reads_itself() -> None:
    built, _ = agent("tool_calls", call("tool_calls"), answer("tool_calls"))
    result = built.run("q")
    again = RunResult.from_json(result.to_json())
    assert again == result
    assert again.turns[0].reply is not None
    assert again.turns[0].reply.calls[0].name == "echo"


def test_the_stop_reason_is_one_of_those_there_are() -> None:
    wrong: Any = "tired"
    with pytest.raises(PromptError, match="finished, iterations, time, return_direct, cancelled, loop"):
        RunResult("x", wrong)


def test_return_values_have_the_steps_where_that_is_wanted() -> None:
    built, _ = agent("react", call("react"), answer("react"), return_intermediate_steps=True)
    result = built.run("q")
    assert result.return_values["output"] == "42"
    assert result.return_values["intermediate_steps"] == list(result.steps)
    built, _ = agent("react", call("react"), answer("react"))
    assert "intermediate_steps" not in built.run("q").return_values


def test_a_pipeline_with_stages_of_its_own_makes_an_agent() -> None:
    def parse(text: str) -> Any:
        if text.startswith("DONE "):
            return polylect.AgentFinish({"output": text[5:], "sure": True}, text)
        return polylect.AgentAction("echo", text, text)

    pipeline = polylect.Pipeline("react", polylect.Scripted(["say this", "DONE well"]), [echo], parse=parse)
    result = Agent(pipeline).run("q")
    assert result.return_values == {"output": "well", "sure": True}
    assert [step.observation for step in result.steps] == ["said say this"]
    assert Agent(pipeline).pipeline is pipeline


def test_an_agent_needs_a_model() -> None:
    with pytest.raises(PromptError, match="needs a model"):
        Agent("react", None, [echo])


@pytest.mark.parametrize(
    ("setting", "value", "told"),
    [
        ("max_iterations", -1, "whole number"),
        ("max_iterations", True, "whole number"),
        ("max_iterations", 1.5, "whole number"),
        ("max_execution_time", -0.1, "number of seconds"),
        ("max_execution_time", float("nan"), "number of seconds"),
        ("max_execution_time", "1", "number of seconds"),
        ("early_stopping", "never", "'force' or 'generate'"),
        ("parsing_errors", None, "parsing_errors is 'observe'"),
        ("parsing_errors", 5, "parsing_errors is 'observe'"),
        ("parsing_errors", "", "parsing_errors is 'observe'"),
        ("tool_errors", 0, "tool_errors is 'observe'"),
        ("max_retries", -1, "whole number"),
        ("max_repeats", 1, "at least 2"),
        ("trim", 0, "number of steps of at least 1"),
        ("trim", -1, "number of steps of at least 1"),
        ("trim", "3", "number of steps of at least 1"),
        ("tool_choice", "ehco", "Did you mean 'echo'"),
        ("tool_choice", None, "tool_choice is"),
        ("return_intermediate_steps", 1, "True or False"),
        ("max_observation", 0, "at least 1"),
    ],
)
def test_settings_are_checked_when_the_agent_is_built(setting: str, value: Any, told: str) -> None:
    with pytest.raises(PromptError, match=told):
        agent("react", **{setting: value})


def test_required_needs_tools() -> None:
    with pytest.raises(PromptError, match="needs tools"):
        agent("react", tools=(), tool_choice="required")
