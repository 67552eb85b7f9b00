"""Feeding a parser in pieces, and folding its events together again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from .._values import (
    AnswerDelta,
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ContentDelta,
    Event,
    ReasoningDelta,
    Reply,
    ReplyEnd,
)
from ._run import fail

if TYPE_CHECKING:
    from .._lect import Lect

DELTAS: dict[type[Event], str] = {ReasoningDelta: "reasoning", ContentDelta: "content", AnswerDelta: "answer"}
"""The events that carry text for the reader, and the field of the reply that each is a part of."""


class Streamed(NamedTuple):
    """What came out of a parser: the events of each feed, those of the close at the end, and the reply."""

    batches: list[list[Event]]
    reply: Reply

    @property
    def events(self) -> list[Event]:
        """All events in order."""
        return [event for batch in self.batches for event in batch]


def stream(lect: Lect, chunks: Iterable[Any], *, finish_reason: str = "stop", **options: Any) -> Streamed:
    """Feed ``chunks`` to a new parser and close it."""
    parser = lect.parser(**options)
    batches = [list(parser.feed(chunk)) for chunk in chunks]
    batches.append(list(parser.close(finish_reason=finish_reason)))
    return Streamed(batches, parser.reply)


class Folded(NamedTuple):
    """Events folded together: joined texts, and each call's name, arguments and end; where chunks broke is gone."""

    texts: dict[str, str]
    starts: dict[int, tuple[str | None, str]]
    arguments: dict[int, str]
    ends: dict[int, str]
    order: list[str]
    reply: str


def fold(events: Iterable[Event]) -> Folded:
    """Fold ``events``; they must come in an order that makes sense.

    Raises:
        AssertionError: arguments or an end without a start, two starts, or a ReplyEnd that is not the one last event.
    """
    folded = Folded({}, {}, {}, {}, [], "")
    reply = None
    for event in events:
        if reply is not None:
            fail("an event after ReplyEnd", event=event)
        first = ""
        text = getattr(event, "text", "")
        if (name := DELTAS.get(type(event))) is not None:
            if text:
                first = "" if name in folded.texts else name
                folded.texts[name] = folded.texts.get(name, "") + text
        elif isinstance(event, ReplyEnd):
            reply = event.reply
        elif isinstance(event, CallStart):
            if event.index in folded.starts:
                fail("a call starts twice", event=event)
            first = f"call {event.index}"
            folded.starts[event.index] = event.id, event.name
        elif isinstance(event, (ArgumentsDelta, CallEnd)):
            if event.index not in folded.starts or event.index in folded.ends:
                fail("an event of a call that is not open", event=event)
            if isinstance(event, CallEnd):
                folded.ends[event.index] = event.call.to_json()
            elif text:
                folded.arguments[event.index] = folded.arguments.get(event.index, "") + text
        if first:
            folded.order.append(first)
    if reply is None:
        fail("no ReplyEnd at the end")
    return folded._replace(reply=reply.to_json())
