"""A run that is put away after any step, as JSON, and taken up by another agent, ends as one that was never stopped."""

from __future__ import annotations

import io
from typing import Any, NamedTuple

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect import (
    Agent,
    CallModel,
    CallTools,
    ModelResult,
    Recorder,
    RunError,
    RunResult,
    RunState,
    Scripted,
    TokenBudget,
    ToolResult,
    Usage,
    replay,
)
from polylect.agent._observations import observation_of

from .scenes import LECTS, SEVERAL, answer, calls, echo


def fail(text: str) -> str:
    """It fails for some."""
    if text < "m":
        raise ValueError(f"not {text}")
    return f"fine: {text}"


TOOLS = (echo, fail)
SENTENCES = ("observe", "Write in the form that you were told.")
TRIMS: tuple[Any, ...] = (None, 1, 3, TokenBudget(30), TokenBudget(10, first=0), lambda steps: steps[::2])


class Script(NamedTuple):
    """A run that can be done again: the tongue, the replies, and the agent's settings."""

    lect: str
    replies: list[Any]
    options: dict[str, Any]

    def agent(self, at: int = 0, **more: Any) -> Agent:
        """A new agent, whose model goes on with reply ``at``."""
        model = Scripted(self.replies[at:], lect=self.lect)
        return Agent(self.lect, model, TOOLS, stop=False, **self.options, **more)


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    """Replies with calls side by side, faults, and perhaps an answer."""
    lect = draw(st.sampled_from(LECTS))
    several = 3 if lect in SEVERAL else 1
    call = st.tuples(st.sampled_from(["echo", "fail", "nosuch"]), st.sampled_from(["alpha", "zulu", "a b"]))
    turn = st.lists(call, min_size=1, max_size=several).map(lambda wanted: calls(lect, *wanted))
    fault = st.sampled_from(["", " ", "Action:", '{"a": ', "<tool>", "Thought: I wonder"])
    replies = draw(st.lists(st.one_of(turn, turn, fault), max_size=6))
    if draw(st.booleans()):
        replies.append(answer(lect, draw(st.sampled_from(["42", "So it is."]))))
    options: dict[str, Any] = {
        "max_iterations": draw(st.sampled_from([len(replies), len(replies), 1, 3])),
        "parsing_errors": draw(st.sampled_from(SENTENCES)),
        "tool_errors": draw(st.sampled_from(SENTENCES)),
        "max_retries": draw(st.sampled_from([0, 1, 3])),
        "max_repeats": draw(st.sampled_from([None, 2, 3])),
        "trim": draw(st.sampled_from(TRIMS)),
        "tool_choice": draw(st.sampled_from(["auto", "auto", "required", "none", "echo"])),
        "max_observation": draw(st.sampled_from([None, 8])),
        "return_intermediate_steps": draw(st.booleans()),
    }
    options["max_iterations"] = min(options["max_iterations"], len(replies))
    return Script(lect, replies, options)


def use(script: Script, want: CallTools) -> list[ToolResult]:
    """What the tools give, without threads and clocks."""
    results = []
    policy = script.options["tool_errors"]
    for action in want.actions:
        text = action.tool_input if isinstance(action.tool_input, str) else action.tool_input.get("text", "?")
        try:
            found = ToolResult({"echo": echo, "fail": fail}[action.tool](text), "ok", 0.25)
        except ValueError as error:
            told = f"The tool {action.tool!r} failed: ValueError: {error}"
            found = ToolResult(told if policy == "observe" else policy, "error", 0.5)
        results.append(found)
    return results


def step(script: Script, agent: Agent, state: RunState) -> RunResult | None:
    """One step of the loop: a reply, or the results of a turn."""
    want = agent.next(state)
    if isinstance(want, RunResult):
        return want
    if isinstance(want, CallModel):
        output = script.replies[state.iterations]
        agent.advance(state, ModelResult(output, Usage(10, 2), 0.125))
    else:
        agent.advance(state, use(script, want))
    return None


def to_the_end(script: Script, agent: Agent, state: RunState) -> RunResult:
    """All steps that are left."""
    while (result := step(script, agent, state)) is None:
        pass
    return result


@given(st.one_of(st.text(), st.binary(), st.lists(st.text())), st.integers(1, 40))
def test_what_was_cut_is_not_cut_again(value: Any, limit: int) -> None:
    once = observation_of(value, limit)
    assert observation_of(once, limit) == once


@given(scripts())
@settings(max_examples=150, deadline=None)
def test_a_run_may_stop_after_any_step_and_go_on_in_another_agent(script: Script) -> None:
    agent = script.agent()
    whole = to_the_end(script, agent, agent.start("q"))
    # put away after every single step
    state = agent.start("q")
    text = state.to_json()
    put_away = [text]
    while True:
        state = RunState.from_json(text)
        assert state.to_json() == text
        result = step(script, script.agent(), state)
        if result is not None:
            break
        text = state.to_json()
        put_away.append(text)
    assert result == whole
    # put away once, after any step
    for text in put_away:
        assert to_the_end(script, script.agent(), RunState.from_json(text)) == whole


@given(scripts())
@settings(max_examples=60, deadline=None)
def test_a_driver_takes_a_run_up_after_any_step(script: Script) -> None:
    agent = script.agent()
    whole = agent.run("q")
    state = agent.start("q")
    while True:
        again = RunState.from_json(state.to_json())
        assert _told(script.agent(again.iterations).run(again)) == _told(whole)
        if step(script, agent, state) is not None:
            break


@given(scripts())
@settings(max_examples=100, deadline=None)
def test_any_run_is_recorded_and_any_beginning_of_its_record_taken_up(script: Script) -> None:
    file = io.BytesIO()
    whole = script.agent(hooks=[Recorder(file)]).run("q")
    lines = file.getvalue().splitlines(keepends=True)
    assert replay(lines) == whole
    assert replay(lines, script.agent()) == whole
    for count in range(1, len(lines)):
        try:
            replay(lines[:count])
        except RunError as error:
            state = error.state
        else:
            raise AssertionError("the record is cut")
        more = io.BytesIO()
        result = script.agent(state.iterations, hooks=[Recorder(more)]).run(state)
        assert _told(result) == _told(whole)
        assert replay(more.getvalue().splitlines()) == result


def _told(result: RunResult) -> RunResult:
    """A result without its times and tokens."""
    turns = tuple(
        msgspec.structs.replace(
            turn,
            seconds=0.0,
            usage=Usage(),
            results=tuple(ToolResult(x.observation, x.status) for x in turn.results),
        )
        for turn in result.turns
    )
    return msgspec.structs.replace(result, seconds=0.0, usage=Usage(), turns=turns)
