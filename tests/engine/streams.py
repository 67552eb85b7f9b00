"""Feeding a parser in pieces, and what must hold of every stream of events."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from polylect import (
    AnswerDelta,
    ArgumentsDelta,
    Call,
    CallEnd,
    CallStart,
    ContentDelta,
    Event,
    ReasoningDelta,
    Reply,
    ReplyEnd,
    TextLect,
)


def feed(
    lect: TextLect, chunks: Iterable[str], *, finish_reason: str = "stop", **options: Any
) -> tuple[list[Event], Reply]:
    """All events of a message that comes in ``chunks``, and the reply."""
    parser = lect.parser(**options)
    events = [event for chunk in chunks for event in parser.feed(chunk)]
    events += parser.close(finish_reason)
    return events, parser.reply


def cut(text: str, *sizes: int) -> list[str]:
    """``text`` in pieces of the given sizes, used in turn."""
    pieces, at, turn = [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        pieces.append(text[at : at + size])
        at, turn = at + size, turn + 1
    return pieces


def cut_anywhere(text: str, choose: random.Random) -> list[str]:
    """``text`` in random pieces, short ones mostly; of long texts also long ones."""
    sizes = (1, 1, 2, 3, 5, 8, 21, 200) if len(text) < 500 else (1, 3, 8, 60, 64, 65, 255, 300, 511, 513, 600)
    return cut(text, *(choose.choice(sizes) for _ in range(9)))


def hold(events: Sequence[Event], text: str, reply: Reply) -> None:
    """The spans of ``events`` tile ``text``, and their texts joined are the fields of ``reply``."""
    assert isinstance(events[-1], ReplyEnd)
    assert events[-1].reply is reply
    assert not any(isinstance(event, ReplyEnd) for event in events[:-1])
    assert (events[0].start, events[-1].end) == (0, len(text))
    assert all(one.end == other.start for one, other in pairwise(events))
    assert reply.text == text
    assert joined(events, ReasoningDelta) == reply.reasoning
    assert joined(events, ContentDelta) == reply.content
    if isinstance(reply.answer, str) or reply.answer is None:
        assert joined(events, AnswerDelta) == (reply.answer or "")
    for event in events:
        if isinstance(event, (ReasoningDelta, ContentDelta)):
            assert event.text.endswith(text[event.start : event.end][-len(event.text) :])
    _calls_hold(events, reply)


def _calls_hold(events: Sequence[Event], reply: Reply) -> None:
    ends = [event for event in events if isinstance(event, CallEnd)]
    assert tuple(end.call for end in ends if end.call.status != "truncated") == reply.calls
    assert [end.index for end in ends] == list(range(len(ends)))
    for end in ends:
        own = [event for event in events if getattr(event, "index", None) == end.index]
        assert isinstance(own[0], CallStart)
        assert own[0].name == end.call.name
        assert own[-1] is end
        assert all(isinstance(event, ArgumentsDelta) for event in own[1:-1])
        assert joined(own, ArgumentsDelta) == end.call.raw


def alike(lect: TextLect, text: str, ways: Iterable[Sequence[str]], **options: Any) -> Reply:
    """The reply to ``text``, which is the same for all these ways to cut it."""
    whole = lect.parse(text, **options)
    for chunks in ways:
        events, reply = feed(lect, chunks, **options)
        hold(events, text, reply)
        assert reply.to_json() == whole.to_json()
    return whole


def only_call(reply: Reply) -> Call:
    """The one call of a reply."""
    (call,) = reply.calls
    return call


def joined(events: Iterable[Event], kind: type[Event]) -> str:
    """The texts of the events of one kind."""
    return "".join(getattr(event, "text", "") for event in events if isinstance(event, kind))
