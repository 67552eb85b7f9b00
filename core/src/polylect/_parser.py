"""The parser of one text that arrives in chunks, and the checks that both ways of reading share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ._errors import LectError, ParseError, Reason
from ._outputs import says_length
from ._policies import Policies
from ._values import ArgumentsDelta, Call, CallEnd, CallStart, Event, Reply, ReplyEnd
from .grammar._driver import Driver, over

if TYPE_CHECKING:
    from ._reading import CallReader
    from ._text_lect import TextLect


class TextParser(Driver):
    """Reads one message of a text lect; made by ``lect.parser()``."""

    __slots__ = ("_closed", "_lect", "_reader", "_sink")

    def __init__(self, lect: TextLect, sink: CallReader, prefix: str) -> None:
        self._lect, self._sink = lect, sink
        self._closed: Reply | None = None
        self._reader = lect.grammar.reader(sink, prefix)
        super().__init__(self._reader.run())

    def feed(self, chunk: str) -> list[Event]:
        """More text -> the events that it made certain.

        Raises:
            ParseError: ``chunk`` is no text.
            LectError: the parser is closed.
        """
        if chunk.__class__ is not str:
            chunk = text_problem(chunk)
        try:
            return self._send(chunk)  # type: ignore[no-any-return]
        except StopIteration as result:
            if self._closed is not None:
                raise LectError("This parser is closed. Make a new one for the next message.") from None
            return self.go_on(result.value)

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The message is over -> the remaining events, a ReplyEnd last.

        Raises:
            ParseError: where a policy says so.
            LectError: the parser is closed already.
        """
        if self._closed is not None:
            raise LectError("This parser is closed already.")
        self._reader.cut_by_length = says_length(finish_reason)
        try:
            events: list[Event] = self._send(None)
        except StopIteration as result:
            events = self.go_on(result.value)
        self._main = self._send = over
        reply = self._reader.reply
        assert reply is not None
        if self._sink.policies.reasoning_calls == "accept":
            reply = with_hidden_calls(self._lect, reply, self._sink)
            if reply is not self._reader.reply:
                events[-1:] = _call_events(reply, events[-1])
        self._closed = reply
        if reply.diagnostics:
            check_policies(reply, self._sink.policies)
        return events

    @property
    def in_call(self) -> bool:
        """Whether a call has begun and is not over."""
        return self._reader.draft.open

    @property
    def reply(self) -> Reply:
        """The reply.

        Raises:
            LectError: the parser is not closed yet.
        """
        if self._closed is None:
            raise LectError("The reply is known only after close().")
        return self._closed


def _call_events(reply: Reply, end: Event) -> list[Event]:
    events: list[Event] = []
    at = end.start
    for index, call in enumerate(reply.calls):
        events.append(CallStart(at, at, index, call.id, call.name))
        if call.raw:
            events.append(ArgumentsDelta(at, at, index, call.raw))
        events.append(CallEnd(at, at, index, call))
    events.append(ReplyEnd(end.start, end.end, reply))
    return events


def text_problem(text: object) -> str:
    """A string subclass as a plain string; anything else is an error of the right side.

    Raises:
        ParseError: it is no text; ``reason`` is ``"not_text"``.
    """
    if isinstance(text, str):
        return str.__str__(text)
    kind = "nothing (None)" if text is None else type(text).__name__
    raise ParseError(
        f"A message is text (str), not {kind}."
        + (" Decode it first: .decode('utf-8')." if isinstance(text, (bytes, bytearray)) else ""),
        expected=("str",),
        reason="not_text",
        correction="Your reply had no text. Answer again.",
    )


def with_hidden_calls(lect: TextLect, reply: Reply, sink: CallReader) -> Reply:
    """By the policy ``reasoning_calls="accept"``: calls inside the reasoning, when there are none outside it.

    A call that was cut is one outside it, although it was dropped.
    """
    if sink.policies.reasoning_calls != "accept" or reply.calls or reply.answer is not None:
        return reply
    if any(x.code == "truncated" and x.end > x.start for x in reply.diagnostics):
        return reply
    calls: list[Call] = []
    for start, end in reply.spans("reasoning"):
        inner = lect.grammar.read(reply.text[start:end], sink, lect.lead)
        for call in inner.calls:
            calls.append(msgspec.structs.replace(call, start=call.start + start, end=call.end + start))
    if not calls:
        return reply
    parts = (*reply.parts, *(("call", call.start, call.end) for call in calls))
    return msgspec.structs.replace(reply, calls=tuple(calls), parts=parts)


_RAISED: dict[str, tuple[str, str, Reason, str]] = {
    "truncated": ("truncated", "raise", "truncated", "Your reply was cut off. Send it again, shorter."),
    "observation": (
        "observation",
        "error",
        "observation",
        "Do not write observations yourself; stop after the action and wait for its result.",
    ),
}


def check_policies(reply: Reply, policies: Policies) -> None:
    """Raise ParseError for what a policy does not allow in a reply."""
    for diagnostic in reply.diagnostics:
        rule = _RAISED.get(diagnostic.code)
        if rule is not None and getattr(policies, rule[0]) == rule[1]:
            raise ParseError(
                diagnostic.message,
                text=reply.text,
                span=diagnostic.span,
                expected=("a whole message",),
                reason=rule[2],
                correction=rule[3],
            )
