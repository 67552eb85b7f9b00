"""What is told while a run goes on: typed events, in order, and the answer's text as it comes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import (
    Agent,
    AgentStep,
    AnswerDelta,
    CallEnd,
    CallStart,
    ContentDelta,
    Finish,
    ModelDelta,
    ModelEnd,
    ModelStart,
    NoAnswer,
    ReasoningDelta,
    ReplyEnd,
    RunResult,
    Scripted,
    StepEnd,
    ToolEnd,
    ToolStart,
)

from .scenes import ASYNC, DRIVERS, LECTS, agent, answer, call, calls, echo, events, in_loop, run

LIVE = ("stream", *ASYNC)
LONG = "The answer is a text that is long enough to come in many pieces, and so it does."


def kinds(told: list[Any]) -> list[type]:
    """The classes of events, those of deltas once where several follow each other."""
    found: list[type] = []
    for event in told:
        kind = type(event)
        if not (found and found[-1] is kind and kind.__name__.endswith("Delta")):
            found.append(kind)
    return found


@pytest.mark.parametrize("driver", LIVE)
def test_events_come_in_their_order(driver: str) -> None:
    built, _ = agent("react", call("react", thought="I look."), answer("react"))
    told = events(driver, built)
    assert [kind.__name__ for kind in kinds([x for x in told if not isinstance(x, ModelDelta)])] == [
        "ModelStart", "ReasoningDelta", "CallStart", "ArgumentsDelta", "CallEnd", "ReplyEnd", "ModelEnd",
        "ToolStart", "ToolEnd", "StepEnd",
        "ModelStart", "AnswerDelta", "ReplyEnd", "ModelEnd", "Finish",
    ]  # fmt: skip
    starts = [x for x in told if isinstance(x, ModelStart)]
    assert [x.turn for x in starts] == [1, 2]
    assert "said hi" in starts[1].request.prompt
    (end,) = [x for x in told if isinstance(x, ToolEnd)]
    assert (end.action.tool, end.result.observation, end.result.status, end.turn) == ("echo", "said hi", "ok", 1)
    (step,) = [x for x in told if isinstance(x, StepEnd)]
    assert step.step.observation == "said hi"
    assert isinstance(told[-1], Finish)
    assert told[-1].result.output == "42"


def _finished(told: list[Any]) -> RunResult:
    result: RunResult = told[-1].result
    return result


def chunked(lect: str, *replies: Any, size: int = 3) -> Scripted:
    return Scripted(list(replies), lect=lect, chunk=size)


@pytest.mark.parametrize("driver", LIVE)
@pytest.mark.parametrize("lect", LECTS)
def test_the_answer_comes_live_in_every_lect(lect: str, driver: str) -> None:
    built = Agent(lect, chunked(lect, call(lect), answer(lect, LONG)), [echo])
    told = events(driver, built)
    last = max(place for place, x in enumerate(told) if isinstance(x, ModelStart))
    pieces = [(place, x.text) for place, x in enumerate(told) if isinstance(x, AnswerDelta) and place > last]
    assert "".join(text for _, text in pieces) == LONG
    assert len(pieces) > 10
    end = next(place for place, x in enumerate(told) if isinstance(x, ReplyEnd) and place > last)
    assert pieces[0][0] < pieces[-1][0] < end
    written = [place for place, x in enumerate(told) if isinstance(x, ModelDelta) and place > last]
    assert sum(pieces[0][0] < place for place in written) > 5  # long before the model was done


@pytest.mark.parametrize("driver", LIVE)
def test_text_before_a_call_is_no_answer(driver: str) -> None:
    turn = {**call("tool_calls"), "content": "Let me look that up."}
    built = Agent("tool_calls", chunked("tool_calls", turn, answer("tool_calls", "Found.")), [echo])
    told = [x for x in events(driver, built) if isinstance(x, (AnswerDelta, NoAnswer, CallStart, Finish))]
    said = [x for x in told if isinstance(x, AnswerDelta)]
    assert "".join(x.text for x in said) == "Let me look that up.Found."
    (withdrawn,) = [place for place, x in enumerate(told) if isinstance(x, NoAnswer)]
    assert isinstance(told[withdrawn + 1], CallStart)
    assert "".join(x.text for x in told[:withdrawn] if isinstance(x, AnswerDelta)) == "Let me look that up."


@pytest.mark.parametrize("lect", LECTS)
@pytest.mark.parametrize("driver", LIVE)
def test_what_is_told_of_a_stopped_run_is_its_output(lect: str, driver: str) -> None:
    replies = (call(lect), answer(lect, LONG))
    built = Agent(lect, chunked(lect, *replies), [echo], max_iterations=1, early_stopping="generate")
    told = events(driver, built)
    last = max(place for place, x in enumerate(told) if isinstance(x, ModelStart))
    assert "".join(x.text for x in told[last:] if isinstance(x, AnswerDelta)).strip() == LONG
    assert _finished(told).output == LONG


@pytest.mark.parametrize("lect", LECTS)
@settings(deadline=None)  # the first example compiles a grammar
@given(data=st.data())
def test_a_stream_says_what_the_run_says_however_it_is_cut(lect: str, data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 40))
    text = data.draw(st.sampled_from(["42", LONG, "a\nb", "naïve 東京"]))
    replies = [call(lect, thought="Look it up."), answer(lect, text)]
    whole = Agent(lect, Scripted(replies, lect=lect), [echo]).run("q")
    cut = Agent(lect, chunked(lect, *replies, size=size), [echo])
    for result in (cut.run("q"), _last(Agent(lect, chunked(lect, *replies, size=size), [echo]))):
        assert result.output == whole.output
        assert [_said(step) for step in result.steps] == [_said(step) for step in whole.steps]
        assert [turn.reply for turn in result.turns] == [turn.reply for turn in whole.turns]


def _said(step: AgentStep) -> tuple[Any, ...]:
    return step.action.tool, step.action.tool_input, step.observation


def _last(built: Agent) -> Any:
    *_, finish = built.stream("q")
    assert isinstance(finish, Finish)
    return finish.result


@pytest.mark.parametrize("driver", LIVE)
def test_parallel_tools_tell_of_themselves(driver: str) -> None:
    built, _ = agent("react", calls("react", ("echo", "a"), ("echo", "b")), answer("react"))
    told = events(driver, built)
    assert [x.action.tool_input for x in told if isinstance(x, ToolStart)] == ["a", "b"]
    assert sorted(str(x.action.tool_input) for x in told if isinstance(x, ToolEnd)) == ["a", "b"]
    assert [x.step.observation for x in told if isinstance(x, StepEnd)] == ["said a", "said b"]


@pytest.mark.parametrize("driver", ASYNC)
def test_a_tool_that_is_done_is_told_before_the_others_are(driver: str) -> None:
    import anyio

    told: list[str] = []
    go = anyio.Event

    async def main() -> None:
        gate = go()

        async def slow(text: str) -> str:
            await gate.wait()
            return "slow"

        built, _ = agent("react", calls("react", ("slow", "a"), ("echo", "b")), answer("react"), tools=(slow, echo))
        async for event in built.astream("q"):
            if isinstance(event, ToolEnd):
                told.append(event.action.tool)
                gate.set()  # only now may the other one end

    in_loop(driver, main)
    assert told == ["echo", "slow"]


@pytest.mark.parametrize("driver", LIVE)
def test_unreadable_replies_are_steps_too(driver: str) -> None:
    built, _ = agent("react", "I wonder.", answer("react"))
    told = events(driver, built)
    assert [x.step.action.tool for x in told if isinstance(x, StepEnd)] == [polylect.EXCEPTION_TOOL]
    assert not any(isinstance(x, ToolStart) for x in told)


@pytest.mark.parametrize("driver", LIVE)
def test_events_are_values(driver: str) -> None:
    built, _ = agent("tool_calls", call("tool_calls"), answer("tool_calls"))
    for event in events(driver, built):
        assert type(event).from_json(event.to_json()) == event


@pytest.mark.parametrize("driver", LIVE)
def test_what_the_model_ends_with_is_its_result(driver: str) -> None:
    built = Agent("react", chunked("react", answer("react")), [echo])
    (end,) = [x for x in events(driver, built) if isinstance(x, ModelEnd)]
    assert end.result.output == answer("react")
    assert any(isinstance(x, CallEnd) for x in events(driver, agent("react", call("react"), answer("react"))[0]))


# --- stop strings on our side -----------------------------------------------------------------------------------------


class Unstoppable:
    """A model that knows no stop strings, and goes on for ever."""

    def __init__(self, size: int) -> None:
        self.size, self.closed, self.sent = size, 0, 0

    def text(self, prompt: Any) -> str:
        if "said hi" in str(prompt):
            return " Done.\nFinal Answer: 42"
        return " Look.\nAction: echo\nAction Input: hi" + "\nObservation: made up\nThought: more\n" * 2000

    def __call__(self, prompt: Any) -> Iterator[str]:
        text = self.text(prompt)
        try:
            for at in range(0, len(text), self.size):
                self.sent += 1
                yield text[at : at + self.size]
        finally:
            self.closed += 1

    async def acall(self, prompt: Any) -> AsyncIterator[str]:
        for piece in self(prompt):
            yield piece


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("size", [1, 2, 7, 40])
def test_a_model_that_knows_no_stop_strings_is_stopped(size: int, driver: str) -> None:
    model = Unstoppable(size)
    result = run(driver, Agent("react", model, [echo]))
    assert (result.output, [step.observation for step in result.steps]) == ("42", ["said hi"])
    assert result.turns[0].output == " Look.\nAction: echo\nAction Input: hi"
    assert model.closed == 2
    assert model.sent < 120


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_whole_text_is_cut_at_its_stop_string(driver: str) -> None:
    model = Unstoppable(1)
    result = run(driver, Agent("react", lambda prompt: model.text(prompt), [echo]))
    assert result.turns[0].output == " Look.\nAction: echo\nAction Input: hi"


@pytest.mark.parametrize("driver", DRIVERS)
def test_where_an_invention_is_an_error_nothing_is_cut(driver: str) -> None:
    model = Unstoppable(40)
    result = run(driver, Agent("react", model, [echo], observation="error", max_retries=0))
    assert result.stop_reason == "loop"
    assert result.turns[0].error is not None
    assert "observation" in result.turns[0].error


@pytest.mark.parametrize("rest", ["\nObserva", "\nObservatio", "\nObser"])
@pytest.mark.parametrize("driver", LIVE)
def test_a_piece_of_a_stop_string_at_the_end_is_dropped(rest: str, driver: str) -> None:
    built = Agent("react", chunked("react", f"{call('react')}{rest}", answer("react")), [echo])
    told = events(driver, built)
    assert _finished(told).turns[0].output == call("react")
    assert "".join(x.text for x in told if isinstance(x, ModelDelta) and x.turn == 1) == call("react")


def test_reasoning_and_content_are_told_apart() -> None:
    built = Agent("react", chunked("react", "Well.\nThought: hm\nFinal Answer: 42"), [echo], prefix="")
    told = list(built.stream("q"))
    assert "".join(x.text for x in told if isinstance(x, ContentDelta)) == "Well."
    assert "".join(x.text for x in told if isinstance(x, ReasoningDelta)) == "hm"
