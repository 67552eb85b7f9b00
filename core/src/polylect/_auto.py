"""A parser for a stream in a tongue that nobody named: it holds the beginning back until that is known."""

from __future__ import annotations

from typing import Any

from ._detect import Detected, Order, any_sign, candidates, detect
from ._errors import LectError, PolylectError
from ._lect import Lect, Parser
from ._parser import text_problem
from ._registry import registry
from ._sse import is_stream
from ._tools import Tools
from ._values import CallEnd, ContentDelta, Diagnostic, Event, Part, Reply, ReplyEnd

HELD = 65_536
"""Characters of a stream that are held back at most, for want of a call: the reasoning of a model is mostly shorter."""
LONGEST_SIGN = 64
"""Characters of a marker that may be cut by the border of two chunks."""


class AutoParser:
    """Reads one message of a text lect that is yet to be found out.

    Nothing is given out until a lect is chosen; then all that was held back is read by it, so that the events are those
    of ``lect.parser()``. It is chosen when the first call is over that a lect reads whose markers are seen, or when
    :data:`HELD` characters are held, or at the end, by the markers alone. Where no lect knows the text, all of it is
    content.

    Args:
        tools: the tools that were offered.
        prefix: what the prompt wrote of the message; where it is empty, a closed reasoning that was not opened tells.
        policies: choices other than those of the lect.
    """

    def __init__(self, *, tools: Tools = None, prefix: str = "", **policies: Any) -> None:
        self._tools, self._prefix, self._policies = tools, prefix, policies
        self._held: list[str] = []
        self._length = self._again = 0
        self._probes: dict[Order, tuple[Lect, Parser]] = {}
        self._tail = ""
        self._signs = any_sign()
        self._parser: Parser | None = None
        self._content: _Content | None = None
        self.detected: Detected | None = None
        self.lect: Lect | None = None

    @property
    def decided(self) -> bool:
        """Whether a lect was chosen, or none was found."""
        return self._parser is not None

    def feed(self, chunk: str) -> list[Event]:
        """More text -> the events that it made certain; none before a lect is chosen.

        Raises:
            ParseError: ``chunk`` is no text.
            LectError: the parser is closed.
        """
        if self._parser is not None:
            return self._parser.feed(chunk)
        if chunk.__class__ is not str:
            chunk = text_problem(chunk)
        self._held.append(chunk)
        self._length += len(chunk)
        if (self._look(chunk) and self._length >= self._again) or self._length >= HELD:
            text = "".join(self._held)
            found = detect(text, tools=self._tools)
            if self._length >= HELD or (found and self._calls(found[0], text)):
                return self._decide(text, found)
            self._again = self._length + self._length // 2  # else a hostile stream would be read for each of its calls
        return []

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The message is over -> the remaining events, a ReplyEnd last. Raises what the lect's parser raises."""
        events: list[Event] = []
        if self._parser is None:
            text = "".join(self._held)
            events = self._decide(text, detect(text, tools=self._tools))
        assert self._parser is not None
        return [*events, *self._parser.close(finish_reason)]

    @property
    def reply(self) -> Reply:
        """The reply.

        Raises:
            LectError: the parser is not closed yet.
        """
        if self._parser is None:
            raise LectError("The reply is known only after close().")
        return self._parser.reply

    def _look(self, chunk: str) -> bool:
        """Whether a call has ended in what a lect reads of the text so far."""
        window = self._tail + chunk
        self._tail = window[-LONGEST_SIGN:]
        ended = False
        for number, (_, parser) in list(self._probes.items()):
            ended |= self._probe(number, parser, chunk)
        for number, lect in candidates(window) if self._signs.search(window.lower()) else ():
            if number in self._probes or lect.messages or not lect.signs:
                continue
            text = "".join(self._held)
            try:
                parser = lect.parser(tools=self._tools, prefix=self._prefix or lect.begun(text), **self._policies)
            except PolylectError:
                continue
            self._probes[number] = lect, parser
            ended |= self._probe(number, parser, text)
        return ended

    def _probe(self, number: Order, parser: Parser, chunk: str) -> bool:
        try:
            return any(isinstance(event, CallEnd) and event.call.runnable for event in parser.feed(chunk))
        except PolylectError:
            return False

    def _calls(self, found: Detected, text: str) -> bool:
        """Whether the lect reads a call that can run."""
        lect, prefix = registry.lect(found.lect), self._prefix or found.prefix
        try:
            return any(call.runnable for call in lect.parse(text, tools=self._tools, prefix=prefix).calls)
        except PolylectError:
            return False

    def _decide(self, text: str, found: list[Detected]) -> list[Event]:
        self._held, self._probes = [], {}
        for one in found:
            lect = registry.lect(one.lect)
            if not lect.messages:
                prefix = self._prefix or one.prefix
                self.lect, self.detected = lect, one._replace(prefix=prefix)
                self._parser = lect.parser(tools=self._tools, prefix=prefix, **self._policies)
                break
        else:
            self._parser = _Content()
        return self._parser.feed(text) if text else []


class _Content:
    """Reads a message in no known tongue: all of it is content."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._reply: Reply | None = None

    def feed(self, chunk: Any) -> list[Event]:
        if self._reply is not None:
            raise LectError("This parser is closed. Make a new one for the next message.")
        text = chunk if chunk.__class__ is str else text_problem(chunk)
        if not text:
            return []
        start, self._length = self._length, self._length + len(text)
        self._parts.append(text)
        return [ContentDelta(start, self._length, text)]

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        if self._reply is not None:
            raise LectError("This parser is closed already.")
        self._reply = unknown("".join(self._parts))
        return [ReplyEnd(self._length, self._length, self._reply)]

    @property
    def reply(self) -> Reply:
        if self._reply is None:
            raise LectError("The reply is known only after close().")
        return self._reply


def unknown(text: str) -> Reply:
    """Text in no tongue that is known: content, and nothing to act on."""
    note = "No installed lect recognises this text, so all of it is content. Name a lect with --lect."
    if is_stream(text):
        note = (
            "These are the lines of a provider's stream, so all of them are content. To read what they carry: polylect "
            "stream --sse, with the lect of the text, or with tool_calls."
        )
    found = Diagnostic("no_lect", note, 0, 0)
    parts: tuple[Part, ...] = (("content", 0, len(text)),) if text else ()
    return Reply(content=text, diagnostics=(found,), parts=parts, text=text)
