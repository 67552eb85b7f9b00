"""Reading tokens: a special token's id is the truth, and text that merely looks like one is text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from ._errors import LectError
from ._values import Call, CallEnd, Diagnostic, Event, Reply, ReplyEnd

if TYPE_CHECKING:
    from ._parser import TextParser

GUARD = "\ufdd0"
"""Stands behind the first character of each look-alike for the engine's eyes; a character that is none, by Unicode's
word, and that no text has: one that comes all the same becomes U+FFFD."""
Token = tuple[int, str]
"""A token's id, and its text."""


class TokenParser:
    """Reads one message of a text lect, token by token; made by ``lect.token_parser()``.

    Markers of the tongue that are special tokens of the model count only where their id says so. Text that spells such
    a marker in ordinary tokens, as a model does that writes *about* its own format, is text like any other.
    """

    def __init__(self, parser: TextParser, special: Mapping[int, str]) -> None:
        if not isinstance(special, Mapping) or not all(
            isinstance(number, int) and isinstance(text, str) and text for number, text in special.items()
        ):
            raise LectError("special_tokens is a dict of the special tokens' texts by their ids.")
        self._parser, self._special = parser, dict(special)
        texts = sorted(set(special.values()), key=len, reverse=True)
        self._find: Any = re.compile("|".join(map(re.escape, texts))).search if texts else None
        self._begun = {text[:size] for text in texts for size in range(1, len(text))}
        self._longest = max(map(len, texts), default=1) - 1
        self._held = ""
        self._size = 0
        self._guards: list[int] = []
        self._reply: Reply | None = None

    def feed(self, tokens: Iterable[Token]) -> list[Event]:
        """More tokens, each an id and a text -> the events that they made certain.

        Raises:
            LectError: the parser is closed.
            ParseError: a text is no text.
        """
        pieces: list[str] = []
        for number, text in tokens:
            if number in self._special:
                pieces.append(self._harmless(self._held, last=True))
                pieces.append(text)
                self._held = ""
                self._size += len(text)
            else:
                pieces.append(self._harmless(self._held + text.replace(GUARD, "\ufffd")))
        return self._told(self._parser.feed("".join(pieces)))

    def close(self, finish_reason: str | None = "stop") -> list[Event]:
        """The message is over -> the remaining events, a ReplyEnd last.

        Raises:
            ParseError: where a policy says so.
            LectError: the parser is closed already.
        """
        held = self._harmless(self._held, last=True)
        self._held = ""
        events = self._told(self._parser.feed(held)) if held else []
        return events + self._told(self._parser.close(finish_reason))

    @property
    def reply(self) -> Reply:
        """The reply.

        Raises:
            LectError: the parser is not closed yet.
        """
        if self._reply is None:
            self._reply = self._cleaned(self._parser.reply)
        return self._reply

    def _harmless(self, text: str, *, last: bool = False) -> str:
        """Ordinary text with its look-alikes guarded; what may still become one is held, unless it is the ``last``."""
        out: list[str] = []
        while self._find is not None and (found := self._find(text)) is not None:
            at = found.start() + 1
            out += [text[:at], GUARD]
            self._guards.append(self._size + at)
            self._size += at + 1
            text = text[at:]
        self._held = ""
        if not last:
            for size in range(min(self._longest, len(text)), 0, -1):
                if text[-size:] in self._begun:
                    self._held = text[-size:]
                    text = text[:-size]
                    break
        self._size += len(text)
        return "".join([*out, text])

    # --- what comes out, without the guards -----------------------------------------------------------------------

    def _told(self, events: list[Event]) -> list[Event]:
        if not self._guards:
            return events
        return [self._event(event) for event in events]

    def _event(self, event: Event) -> Event:
        changes: dict[str, Any] = {"start": self._place(event.start), "end": self._place(event.end)}
        for field in ("text", "name", "id"):
            value = getattr(event, field, None)
            if isinstance(value, str) and GUARD in value:
                changes[field] = value.replace(GUARD, "")
        if isinstance(event, CallEnd):
            changes["call"] = self._call(event.call)
        elif isinstance(event, ReplyEnd):
            changes["reply"] = self._cleaned(event.reply)
        return msgspec.structs.replace(event, **changes)

    def _place(self, at: int) -> int:
        return at - bisect_left(self._guards, at)

    def _call(self, call: Call) -> Call:
        return msgspec.structs.replace(
            call,
            name=_bare(call.name),
            arguments=_bare(call.arguments),
            raw=_bare(call.raw),
            id=_bare(call.id),
            error=_bare(call.error),
            start=self._place(call.start),
            end=self._place(call.end),
        )

    def _diagnostic(self, told: Diagnostic) -> Diagnostic:
        return Diagnostic(told.code, _bare(told.message), self._place(told.start), self._place(told.end))

    def _cleaned(self, reply: Reply) -> Reply:
        if not self._guards:
            return reply
        return msgspec.structs.replace(
            reply,
            reasoning=_bare(reply.reasoning),
            content=_bare(reply.content),
            calls=tuple(map(self._call, reply.calls)),
            answer=_bare(reply.answer),
            diagnostics=tuple(map(self._diagnostic, reply.diagnostics)),
            parts=tuple((role, self._place(start), self._place(end)) for role, start, end in reply.parts),
            text=_bare(reply.text),
        )


def _bare(value: Any) -> Any:
    """A JSON-like value without guards; its depth is bounded by ``max_nesting``."""
    if isinstance(value, str):
        return value.replace(GUARD, "")
    if isinstance(value, dict):
        return {_bare(key): _bare(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_bare(inner) for inner in value]
    return value
