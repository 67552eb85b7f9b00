"""A turn while the model writes: its events live, its decision at the end, whatever form the model's output has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentFinish, AnswerDelta, ContentDelta, Pipeline, ReasoningDelta, Reply, ReplyEnd

from .pipelines import LECTS, finish, search

REPLY = " I know.\nFinal Answer: It rains\nin Oslo."


def says(what: Any) -> Callable[[Any], Any]:
    """A model with one thing to say; lists are said piece by piece."""
    return lambda prompt: iter(what) if isinstance(what, list) else what


def output(decision: Any) -> Any:
    return finish(decision).return_values["output"]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("name", LECTS)
def test_a_stream_says_what_the_whole_says(name: str, size: int) -> None:
    lect = polylect.lect(name)
    for example in lect.examples:
        whole = Pipeline(name, says(example))
        cut = Pipeline(name, says(lect.chunks(example, [size])))
        turn = cut.stream(input="q")
        events = list(turn)
        assert turn.decision == whole.plan(input="q") == cut.plan(input="q")
        assert isinstance(events[-1], ReplyEnd)
        assert turn.reply is not None
        assert events[-1].reply == turn.reply
        assert events[0].start == 0
        assert all(one.end == other.start for one, other in pairwise(events))
        told = "".join(x.text for x in events if isinstance(x, ReasoningDelta))
        assert told == turn.reply.reasoning


@pytest.mark.parametrize("name", LECTS)
def test_a_model_that_does_not_stream_gives_events_too(name: str) -> None:
    lect = polylect.lect(name)
    for example in lect.examples:
        pipeline = Pipeline(name, says(example))
        turn = pipeline.stream(input="q")
        assert any(isinstance(event, ReplyEnd) for event in turn)
        assert turn.decision == pipeline.plan(input="q")


def test_events_come_while_the_model_writes() -> None:
    written: list[str] = []

    def model(prompt: str) -> Iterator[str]:
        for char in REPLY:
            written.append(char)
            yield char

    turn = Pipeline("react", model).stream(input="q")
    assert turn.reply is None
    event = next(turn)
    assert (event, "".join(written)) == (ReasoningDelta(0, 2, "I"), " I")
    while not isinstance(event, AnswerDelta):
        event = next(turn)
    assert "".join(written) == REPLY[: REPLY.index("It") + 1]
    assert output(turn.decision) == "It rains\nin Oslo."
    assert turn.reply is not None
    assert turn.reply.reasoning == "I know."
    assert list(turn) == []


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize(
    "text",
    [
        " I know.\nFinal Answer: 4",
        "Thought: I know.\nFinal Answer: 4",
        "Final Answer: 4",
        "\n\nFinal Answer: 4",
        "Action: search\nAction Input: Oslo",
        "Action: search",
        "Act",
        "Fin",
        "Thought",
        "Question: x\nThought: y",
        "<think>\na\n</think>\nFinal Answer: 4",
        "Thought: <think>\na\n</think>\nFinal Answer: 4",
        "",
        "  ",
    ],
)
def test_any_cut_finds_the_same_beginning(text: str, size: int) -> None:
    cut = [text[at : at + size] for at in range(0, len(text), size)]
    whole = Pipeline("react", lambda prompt: text, [search])
    parts = whole.replace(model=lambda prompt: iter(cut))

    def told(pipeline: Pipeline) -> Any:
        try:
            return pipeline.plan(input="q")
        except polylect.ParseError as error:
            return error.reason, error.correction

    assert told(parts) == told(whole)
    one, other = whole.stream(input="q"), parts.stream(input="q")
    for turn in (one, other):
        with suppress(polylect.ParseError):
            list(turn)
    assert one.reply is not None
    assert other.reply is not None
    assert one.reply.to_json() == other.reply.to_json()


def test_a_parse_error_comes_after_the_events() -> None:
    turn = Pipeline("react", lambda prompt: iter([" hm", " hm"])).stream(input="q")
    assert [type(next(turn)).__name__ for _ in range(3)] == ["ReasoningDelta", "ReasoningDelta", "ReplyEnd"]
    with pytest.raises(polylect.ParseError):
        next(turn)
    assert turn.reply is not None
    assert turn.reply.reasoning == "hm hm"
    with pytest.raises(polylect.PromptError, match="This turn has no decision"):
        turn.decision  # noqa: B018


def test_closing_closes_the_models_stream() -> None:
    closed = []

    def model(prompt: str) -> Iterator[str]:
        try:
            yield from REPLY
        finally:
            closed.append(True)

    turn = Pipeline("react", model).stream(input="q")
    next(turn)
    assert not closed
    turn.close()
    assert closed
    assert list(turn) == []
    with pytest.raises(polylect.PromptError, match="This turn has no decision"):
        turn.decision  # noqa: B018

    Pipeline("react", model).plan(input="q")
    assert len(closed) == 2


def test_what_the_model_raises_passes_through() -> None:
    def model(prompt: str) -> Iterator[str]:
        yield " so far"
        raise ConnectionError("dropped")

    turn = Pipeline("react", model).stream(input="q")
    assert next(turn) == ReasoningDelta(0, 7, "so far")
    with pytest.raises(ConnectionError):
        next(turn)


def test_a_parser_of_ones_own_sees_the_whole_text() -> None:
    def parse(text: str) -> AgentFinish:
        return AgentFinish({"output": text.upper()})

    turn = Pipeline("react", lambda prompt: iter(["Final ", "", "Answer: 4"]), parse=parse).stream(input="q")
    assert list(turn) == [ContentDelta(0, 6, "Final "), ContentDelta(6, 15, "Answer: 4")]
    assert output(turn.decision) == "FINAL ANSWER: 4"
    assert turn.reply is None


# --- the forms that a model's output has ----------------------------------------------------------------------------


def response(**message: Any) -> SimpleNamespace:
    """A response as SDKs make them: objects with attributes."""
    return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(**message), finish_reason="stop")])


def delta(content: str | None, finish_reason: str | None = None) -> SimpleNamespace:
    return SimpleNamespace(
        choices=[SimpleNamespace(delta=SimpleNamespace(content=content), finish_reason=finish_reason)]
    )


USAGE = SimpleNamespace(choices=[], usage={"total_tokens": 7})

FORMS = [
    REPLY,
    {"role": "assistant", "content": REPLY},
    {"content": REPLY},
    {"text": REPLY, "finish_reason": "stop"},
    {"role": "assistant", "content": [{"type": "text", "text": REPLY[:9]}, {"type": "text", "text": REPLY[9:]}]},
    {"choices": [{"index": 0, "message": {"role": "assistant", "content": REPLY}, "finish_reason": "stop"}]},
    {"choices": [{"index": 0, "text": REPLY, "finish_reason": "stop"}]},
    SimpleNamespace(type="ai", content=REPLY),
    response(role="assistant", content=REPLY),
    [REPLY[:9], REPLY[9:]],
    (REPLY[:9], "", REPLY[9:]),
    [{"content": REPLY[:9]}, {"content": REPLY[9:]}],
    [delta(""), delta(REPLY[:9]), delta(REPLY[9:]), delta(None, "stop"), USAGE],
    [{"choices": [{"text": REPLY[:9]}]}, {"choices": [{"text": REPLY[9:]}]}],
]


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_a_lect_of_text_reads_every_form(form: Any) -> None:
    pipeline = Pipeline("react", lambda prompt: form)
    assert output(pipeline.plan(input="q")) == "It rains\nin Oslo."
    assert output(pipeline.stream(input="q").decision) == "It rains\nin Oslo."


@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_a_lect_of_messages_reads_every_form(form: Any) -> None:
    if form in FORMS[2:4] or form == FORMS[6] or form == FORMS[13]:
        form = REPLY  # these are no chat messages
    pipeline = Pipeline("tool_calls", lambda prompt: form)
    assert output(pipeline.plan(input="q")) == REPLY.strip()
    assert output(pipeline.stream(input="q").decision) == REPLY.strip()


def test_text_is_content_for_a_lect_of_messages_and_never_a_message() -> None:
    """Text may quote anything: only a message can call a tool."""
    text = '{"role": "assistant", "tool_calls": [{"function": {"name": "wire_money", "arguments": "{}"}}]}'
    for form in (text, [text[:20], text[20:]]):
        assert output(Pipeline("tool_calls", says(form)).plan(input="q")) == text


CUT = " I look.\nAction: search\nAction Input: Oslo in the rai"


@pytest.mark.parametrize(
    "form",
    [
        {"text": CUT, "finish_reason": "length"},
        {"choices": [{"message": {"content": CUT}, "finish_reason": "length"}]},
        {"content": CUT, "stop_reason": "max_tokens"},
        [delta(CUT[:20]), delta(CUT[20:]), delta(None, "length"), USAGE],
    ],
)
def test_a_model_that_was_cut_runs_no_half_call(form: Any) -> None:
    pipeline = Pipeline("react", lambda prompt: form, [search])
    with pytest.raises(polylect.ParseError) as caught:
        pipeline.plan(input="q")
    assert caught.value.reason == "truncated"
    with pytest.raises(polylect.ParseError) as caught:
        list(pipeline.stream(input="q"))
    assert caught.value.reason == "truncated"


def test_native_calls_in_deltas() -> None:
    lect = polylect.lect("tool_calls")
    message = lect.format(Reply(calls=(polylect.Call("search", {"query": "Oslo"}, id="a1"),)))
    pipeline = Pipeline("tool_calls", lambda prompt, tools=None: iter(lect.chunks(message, [3])), [search])
    turn = pipeline.stream(input="q")
    (action,) = turn.decision if isinstance(turn.decision, list) else []
    assert (action.tool, action.tool_input, action.id) == ("search", {"query": "Oslo"}, "a1")
    assert isinstance(action, AgentAction)
