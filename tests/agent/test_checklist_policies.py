"""The checklist of what agents do, items 25 to 33: errors, trimming, tools side by side, streams, good practice."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest

import polylect
from polylect import (
    EXCEPTION_TOOL,
    AgentAction,
    AgentStep,
    AnswerDelta,
    CallModel,
    CallTools,
    Finish,
    ModelResult,
    ParseError,
    Pipeline,
    PromptError,
    RunError,
    RunResult,
    Scripted,
    TokenBudget,
    ToolResult,
)
from polylect.plugin import observation_text

from .scenes import DRIVERS, LECTS, NATIVE, SEVERAL, agent, answer, call, calls, echo, events, observations, run

drivers = pytest.mark.parametrize("driver", DRIVERS)
every = pytest.mark.parametrize("lect", LECTS)
UNREADABLE = {"tool_calls": {"content": ""}, "openai_functions": {"content": ""}}
"""Replies that can't be read, in tongues where text is an answer; elsewhere any prose is one."""


def prose(lect: str) -> Any:
    return "" if lect in NATIVE else UNREADABLE.get(lect, "Let me see.")


@drivers
@every
def test_25_observe_sends_the_correction_to_the_model(lect: str, driver: str) -> None:
    built, model = agent(lect, prose(lect), answer(lect))
    result = run(driver, built)
    assert (result.output, len(model.asked)) == ("42", 2)
    (told,) = observations(result)
    assert polylect.lect(lect).hint in told
    assert "http" not in told
    assert told.splitlines()[0].rstrip("'.")[:40] in str(model.asked[1].prompt).replace("\\\\", "\\")


@drivers
@every
def test_25_raise_ends_the_run_with_the_error_as_its_cause(lect: str, driver: str) -> None:
    built, _ = agent(lect, call(lect), prose(lect), parsing_errors="raise")
    with pytest.raises(RunError) as caught:
        run(driver, built)
    assert isinstance(caught.value.__cause__, ParseError)
    assert [step.observation for step in caught.value.steps] == ["said hi"]


@drivers
@pytest.mark.parametrize(
    ("policy", "told"),
    [("Check your format.", "Check your format."), (lambda error: error.reason.upper(), "NO_ACTION")],
)
def test_25_a_text_or_what_a_callable_makes_is_the_observation(
    policy: str | Callable[[ParseError], str], told: str, driver: str
) -> None:
    built, model = agent("react", "Let me see.", answer("react"), parsing_errors=policy)
    assert observations(run(driver, built)) == [told]
    assert told in str(model.asked[1].prompt)


@pytest.mark.parametrize("policy", [None, 5, True, [], ""])
def test_25_anything_else_is_refused_when_the_agent_is_built(policy: Any) -> None:
    with pytest.raises(PromptError, match="parsing_errors is 'observe', 'raise', a text for the model or a callable"):
        agent("react", parsing_errors=policy)


@drivers
@every
def test_26_an_unreadable_reply_is_a_step_of_the_echoing_tool(lect: str, driver: str) -> None:
    built, _ = agent(lect, prose(lect), answer(lect))
    result = run(driver, built)
    (step,) = result.steps
    assert step.action.tool == EXCEPTION_TOOL
    assert step.action.tool_input == step.observation
    assert result.turns[0].error
    assert "http" not in step.action.log  # the model's own words, nothing else
    assert step.action.log == (prose(lect) if isinstance(prose(lect), str) else "")


@drivers
@pytest.mark.parametrize(
    ("trim", "left"),
    [
        (None, "abcd"),
        (2, "cd"),
        (9, "abcd"),
        (lambda steps: steps[:1], "a"),
        (lambda steps: [], ""),
        (TokenBudget(2, count=lambda text: 1, first=1), "ad"),
    ],
    ids=["all", "two", "more than there are", "a callable", "none of them", "a budget"],
)
def test_27_the_prompt_shows_the_steps_that_are_left_and_the_result_has_all(trim: Any, left: str, driver: str) -> None:
    built, model = agent("react", *[call("react", given=x) for x in "abcd"], answer("react"), trim=trim)
    result = run(driver, built)
    assert observations(result) == [f"said {x}" for x in "abcd"]
    last = str(model.asked[-1].prompt)
    assert [x for x in "abcd" if f"said {x}" in last] == list(left)


@pytest.mark.parametrize("trim", [0, -1, True, "2", 1.5])
def test_27_what_keeps_no_steps_is_refused(trim: Any) -> None:
    with pytest.raises(PromptError, match="trim is None, a number of steps of at least 1"):
        agent("react", trim=trim)


@drivers
@pytest.mark.parametrize("lect", SEVERAL)
def test_27_trimming_works_in_every_lect(lect: str, driver: str) -> None:
    built, model = agent(lect, *[call(lect, given=x) for x in "abcd"], answer(lect), trim=1)
    assert run(driver, built).output == "42"
    assert [x for x in "abcd" if f"said {x}" in str(model.asked[-1].prompt)] == ["d"]


@drivers
@pytest.mark.parametrize("lect", SEVERAL)
def test_28_tools_of_a_turn_run_side_by_side_and_come_back_in_order(lect: str, driver: str) -> None:
    """Each waits until all three are here, and they end the other way round."""
    here = threading.Barrier(3, timeout=30)
    done = [threading.Event() for _ in range(4)]
    done[3].set()

    def meet(text: str) -> str:
        """Wait for the others."""
        here.wait()
        number = "abc".index(text)
        done[number + 1].wait(30)
        done[number].set()
        return f"met {text}"

    turn = calls(lect, *[("meet", x) for x in "abc"])
    built, _ = agent(lect, turn, answer(lect), tools=[meet], stop=False)
    assert observations(run(driver, built)) == ["met a", "met b", "met c"]


@pytest.mark.parametrize("driver", ["asyncio", "trio"])
def test_28_asynchronous_tools_too(driver: str) -> None:
    order: list[str] = []

    async def meet(text: str) -> str:
        """Let the others begin."""
        order.append(f"{text} begins")
        while len(order) < 3:
            await anyio.sleep(0)
        return text

    turn = calls("tool_calls", *[("meet", x) for x in "abc"])
    built, _ = agent("tool_calls", turn, answer("tool_calls"), tools=[meet])
    assert observations(run(driver, built)) == ["a", "b", "c"]
    assert sorted(order) == ["a begins", "b begins", "c begins"]


@every
def test_29_the_agent_decides_and_whoever_drives_it_does_the_rest(lect: str) -> None:
    """No model and no tool is called by the loop: a driver of four lines."""
    built, _ = agent(lect)
    replies, state = [call(lect), answer(lect)], built.start("q")
    while not isinstance(want := built.next(state), RunResult):
        if isinstance(want, CallModel):
            built.advance(state, ModelResult(replies.pop(0)))
        else:
            built.advance(state, [ToolResult(f"by hand: {action.tool}") for action in want.actions])
    assert (want.output, observations(want)) == ("42", ["by hand: echo"])


@every
def test_29_steps_may_be_pairs(lect: str) -> None:
    pipeline = Pipeline(lect, Scripted([]), [echo])
    found = polylect.lect(lect)
    decision = found.decide(found.parse(call(lect), tools=[echo]))
    assert isinstance(decision, list)
    pairs = [(action, "said hi") for action in decision]
    assert pipeline.prompt_for(pairs, input="q") == pipeline.prompt_for([AgentStep(*x) for x in pairs], input="q")


@drivers
@every
def test_30_a_stream_ends_with_the_result_and_tells_the_answer(lect: str, driver: str) -> None:
    built, _ = agent(lect, call(lect), answer(lect, "It is 42."))
    told = events(driver, built)
    assert isinstance(told[-1], Finish)
    assert [type(x) for x in told].count(Finish) == 1
    if driver != "run":
        assert "".join(x.text for x in told if isinstance(x, AnswerDelta)) == told[-1].result.output == "It is 42."
    built, _ = agent(lect, call(lect), answer(lect, "It is 42."))
    assert run(driver, built).steps == told[-1].result.steps


@drivers
@pytest.mark.parametrize("value", ["text", {"a": [1, None]}, [1, 2], 3, 2.5, True, None], ids=repr)
def test_31_a_result_stays_what_it_is_and_is_text_in_the_prompt(value: Any, driver: str) -> None:
    def give(text: str) -> Any:
        """Give it."""
        return value

    for lect in ("react", "tool_calls", "xml_tags"):
        built, model = agent(lect, call(lect, "give"), answer(lect), tools=[give])
        (seen,) = observations(run(driver, built))
        assert (type(seen), seen) == (type(value), value)
        told = value if isinstance(value, str) else observation_text(value)
        prompt = model.asked[1].prompt
        assert told in (prompt if isinstance(prompt, str) else prompt[-1]["content"])


def test_32_the_three_generations_are_one() -> None:
    """A class by its name, a builder, an agent of native calls: the same loop over different pipelines."""
    script = [call("react"), answer("react")]
    by_name = polylect.Agent("react", Scripted(script), [echo]).run("q")
    by_builder = polylect.Agent(polylect.create_react_agent(Scripted(script), [echo])).run("q")
    native = polylect.Agent("tool_calls", Scripted([call("tool_calls"), answer("tool_calls")]), [echo]).run("q")
    assert by_name.steps == by_builder.steps
    assert by_name.output == by_builder.output == native.output
    assert observations(by_name) == observations(native)


@drivers
@every
def test_33_in_production_errors_are_observed_and_a_run_survives_them(lect: str, driver: str) -> None:
    """A reply that can't be read, a tool that is not there, one that fails: the run goes on, and is bounded."""

    def fail(text: str) -> str:
        """Fail."""
        raise OSError("the disk is full")

    only = [fail] if lect in ("self_ask",) else [fail, echo]
    script = [prose(lect), call(lect, "fail"), answer(lect)]
    built, _ = agent(lect, *script, tools=only)
    result = run(driver, built)
    assert (result.output, len(result.steps)) == ("42", 2)
    assert "OSError: the disk is full" in observations(result)[1]


def test_33_trimming_keeps_the_first_and_the_last_steps_within_a_budget() -> None:
    def steps(count: int) -> list[AgentStep]:
        return [AgentStep(AgentAction("echo", "x", f"log {n}"), f"seen {n}") for n in range(count)]

    budget = TokenBudget(60, count=len, first=2)
    kept = budget(steps(20))
    assert [step.observation for step in kept[:2]] == ["seen 0", "seen 1"]
    assert [step.observation for step in kept[2:]] == ["seen 18", "seen 19"]
    assert sum(len(step.action.log) + len(step.observation) for step in kept) <= 60


@drivers
def test_33_intermediate_steps_are_returned_for_those_who_look(driver: str) -> None:
    built, _ = agent("react", call("react"), answer("react"), return_intermediate_steps=True)
    result = run(driver, built)
    assert result.return_values["intermediate_steps"] == list(result.steps)
    assert [action.tool for action, _ in result.return_values["intermediate_steps"]] == ["echo"]


def test_33_what_a_run_wants_is_known_before_it_is_done() -> None:
    built, _ = agent("react")
    state = built.start("q")
    built.advance(state, call("react"))
    want = built.next(state)
    assert isinstance(want, CallTools)
    assert [(action.tool, action.tool_input) for action in want.actions] == [("echo", "hi")]
