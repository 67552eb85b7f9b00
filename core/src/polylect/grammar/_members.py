"""The members of a call in a whole message: what is printed for them, and notations read by the scanners of streams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from .._values import Diagnostic
from . import _tables as t
from ._cursor import Cursor
from ._draft import MEMBERS, MISSING, Draft, Sink
from ._elements import scan_elements
from ._objects import scan_object
from ._python import scan_python
from ._runtime import Runtime

NOTATIONS = ("python_arguments", "token_object", "elements")
"""Payloads that are members."""
Scanned: TypeAlias = tuple[dict[str, Any] | None, int]
"""The members, None where there are none, and where the payload ends."""


class _Odd(Exception):
    """Something that only the stream interpreter reads."""


class _Members(Draft):
    """The members of one call, and nothing of their JSON text."""

    def __init__(self, text: str, at: int, off: int, name: str, sink: Sink, diagnostics: list[Diagnostic]) -> None:
        self.cursor = cursor = Cursor("")
        cursor.c, cursor.i, cursor.base, cursor.final = text, at, -off, True
        self.name, self.sink, self.diagnostics = name, sink, diagnostics

    def begin_value(self) -> str:
        sink = self.sink
        self.verbatim = not sink.types or sink.is_text(self.name or "", self.key or "", self.kind)
        return ""

    def member(self, text: str, end: int) -> None: ...

    def more(self, begun: str, text: str, end: int) -> None: ...

    def end_member(self, text: str, begin: int, end: int) -> None:
        key = self.key or ""
        value: Any = text
        if not self.verbatim:
            value = self.sink.member(self.name or "", key, self.kind, text, begin, end, self.diagnostics)
        self._add(key, value)
        self.key = self.kind = None

    def spread_members(self, text: str, begin: int, end: int) -> None:
        values = self.sink.member(self.name or "", "**", "value", text, begin, end, self.diagnostics)
        if not isinstance(values, dict):
            raise _Odd
        for key, value in values.items():
            self._add(key, value)

    def _add(self, key: str, value: Any) -> None:
        if self.members is None:
            self.members = {}
        if value is MISSING or key in self.members:
            raise _Odd
        self.members[key] = value


def scanner(payload: str, runtime: Runtime) -> Callable[..., Scanned | None]:
    """``scan(text, at, off, name, sink, diagnostics)`` for a payload at ``at``; None where it is not well-formed."""
    scans = {"python_arguments": scan_python, "token_object": scan_object, "elements": scan_elements}
    begin: Any = scans[payload]
    given = () if payload == "python_arguments" else (runtime.words,)

    def scan(text: str, at: int, off: int, name: str, sink: Sink, diagnostics: list[Diagnostic]) -> Scanned | None:
        draft = _Members(text, at, off, name, sink, diagnostics)
        try:
            next(begin(draft, *given))
        except StopIteration as over:
            if over.value and not draft.is_broken:
                return draft.members, draft.cursor.i
        except _Odd:
            pass
        return None

    return scan


def printed_text(role: int, piece: str, begin: str, end: str) -> list[str]:
    """The lines for a text that is a key, a value, or the kind of one."""
    if role == t.KIND:
        return [f"kind = {piece}"]
    if role == t.KEY:
        return [*printed_rest(end), f"key = sink.key({piece})"]
    return [
        f"found = {piece}",
        'if types and not is_text(name or "", key or "", kind):',
        f'    found = sink.member(name or "", key or "", kind, found, {begin}, {end}, notes)',
        "if key is None or found is MISSING or key in members:",
        "    return None",
        "members[key] = found",
        "key = kind = None",
        f"form = {MEMBERS}",
    ]


def printed_rest(at: str) -> list[str]:
    """The lines where a key is over, or the call: the value behind the last key was empty."""
    lines = printed_text(t.VALUE, "''", at, at)
    return ["if key is not None:", *(f"    {line}" for line in lines)]


__all__ = ["NOTATIONS", "Scanned", "printed_rest", "printed_text", "scanner"]
