"""What a stream tells as the answer, and does not take back, is the run's output: whatever came before it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import Agent, AnswerDelta, Finish, ModelEnd, ModelStart, NoAnswer, Scripted, tool

from .scenes import ASYNC, LECTS, SEVERAL, answer, calls, echo, events

LIVE = ("stream", *ASYNC)


class Broken(Exception):
    """The connection breaks."""


class Patient:
    """A wrapper that asks again when the connection breaks; its last attempts are replies of its own."""

    def __init__(self, change: bool) -> None:
        self.change = change

    def polylect_wrap_model_call(self, call: Any) -> Any:
        while True:
            try:
                result = yield call
            except Broken:
                continue
            if self.change and isinstance(result.output, str):
                return polylect.ModelResult(f"{result.output} ")
            return result


def told(found: list[Any]) -> str:
    """What is left of the answer's text at the end."""
    text = ""
    for event in found:
        if isinstance(event, NoAnswer):
            text = ""
        elif isinstance(event, AnswerDelta):
            text += event.text
    return text


@tool(return_direct=True)
def direct(text: str) -> str:
    """It is the answer."""
    return "directly"


@st.composite
def replies(draw: st.DrawFn, lect: str) -> Any:
    """A reply, in pieces: perhaps with an answer that is none, and perhaps broken off."""
    spoken = polylect.lect(lect)
    text = draw(st.sampled_from(["42", "So it is.", "no\nnews", ""]))
    several = 2 if lect in SEVERAL else 1
    wanted = draw(st.lists(st.sampled_from(["echo", "direct", "nosuch"]), min_size=1, max_size=several, unique=True))
    turn = calls(lect, *((name, "hi") for name in wanted))
    kind = draw(st.sampled_from(["answer", "call", "both", "other", "text"]))
    if spoken.messages:
        reply: Any = {"answer": answer(lect, text), "call": turn}.get(kind)
        if reply is None:
            reply = {**turn, "content": text} if kind == "both" else {"role": "assistant", "content": text}
        chunks: list[Any] = list(Scripted([reply], chunk=2)("q", tools=[]))
    else:
        final = answer(lect, text or "42")
        whole = {"answer": final, "call": turn, "both": f"{turn}\n{final}", "other": f"{final}\n{turn}", "text": text}[
            kind
        ]
        chunks = [whole[at : at + 3] for at in range(0, len(whole), 3)]
    broken = draw(st.integers(0, 2))
    return [[*chunks[: len(chunks) // 2], Broken()]] * broken + [chunks]


@st.composite
def scripts(draw: st.DrawFn) -> tuple[str, list[Any], dict[str, Any], str]:
    """A tongue, replies, settings and a driver."""
    lect = draw(st.sampled_from(LECTS))
    found = [reply for _ in range(4) for reply in draw(replies(lect))]
    options: dict[str, Any] = {
        "max_iterations": draw(st.sampled_from([1, 3])),
        "early_stopping": draw(st.sampled_from(["force", "generate"])),
        "tool_choice": draw(st.sampled_from(["auto", "auto", "required", "none"])),
        "max_retries": draw(st.sampled_from([0, 3])),
        "both": draw(st.sampled_from(["error", "action", "final"])),
        "hooks": [Patient(draw(st.booleans()))],
    }
    return lect, found, options, draw(st.sampled_from(LIVE))


@given(scripts())
@settings(max_examples=300, deadline=None)
def test_the_answer_that_was_told_is_the_output(script: tuple[str, list[Any], dict[str, Any], str]) -> None:
    lect, found, options, driver = script
    built = Agent(lect, Scripted(found), [echo, direct], **options)
    seen = events(driver, built)
    assert isinstance(seen[-1], Finish)
    result = seen[-1].result
    if told(seen).strip():
        assert told(seen).strip() == str(result.output).strip()
    if result.stop_reason == "finished" and isinstance(result.output, str):
        assert told(seen).strip() == result.output
    if result.stop_reason == "return_direct":
        assert told(seen).strip() == ""
    started = 0
    for event in seen:
        started += isinstance(event, ModelStart)
        if isinstance(event, ModelEnd):
            assert started >= 1
            started = 0


@pytest.mark.parametrize("driver", LIVE)
def test_an_attempt_that_failed_is_taken_back_and_the_next_one_begins_anew(driver: str) -> None:
    script: list[list[Any]] = [["Final Ans", "wer: 4", Broken()], ["Final Answer: ", "42"]]
    seen = events(driver, Agent("react", Scripted(script), [echo], hooks=[Patient(change=False)]))
    said = [x for x in seen if isinstance(x, (ModelStart, AnswerDelta, NoAnswer, ModelEnd, Finish))]
    assert [type(x).__name__ for x in said] == [
        "ModelStart", "AnswerDelta", "NoAnswer", "ModelStart", "AnswerDelta", "ModelEnd", "Finish"
    ]  # fmt: skip
    assert told(seen) == "42"


@pytest.mark.parametrize("driver", LIVE)
def test_an_answer_that_time_cuts_off_is_taken_back(driver: str) -> None:
    import time

    def model(prompt: Any) -> Any:
        yield "Final Answer: a long"
        time.sleep(0.2)
        yield " story"
        time.sleep(60 if driver != "stream" else 0)

    seen = events(driver, Agent("react", model, [echo], max_execution_time=0.15))
    assert any(isinstance(x, AnswerDelta) for x in seen)
    assert told(seen) == ""
    assert isinstance(seen[-1], Finish)
    assert seen[-1].result.stop_reason == "time"
