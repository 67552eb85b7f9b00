"""What a lect wrote, token by token: the path through the tables' strict part, with the text of each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..grammar import _tables as t
from ..grammar._decoder import DECODER, brackets_end
from ..grammar._members import NOTATIONS, scanner
from ..grammar._runtime import Payload, State, TextRun

if TYPE_CHECKING:
    from .._text_lect import TextLect


class Token(NamedTuple):
    """A step: from a state by a terminal to another state, what it begins and ends (flags), and its text."""

    state: int
    terminal: str
    flags: int
    role: int
    text: str
    target: int


class _Texts:
    """A sink for payloads of which only the end is asked."""

    types = False

    def member(self, *given: Any) -> Any:
        return {} if given[1] == "**" else given[3]


class Tracer:
    """Follows what one lect writes, through the strict part of the tables or from another ``start``."""

    def __init__(self, lect: TextLect, start: str = "written") -> None:
        self._runtime, self._lead = lect.grammar.runtime, lect.lead
        self._tables = lect.grammar.tables
        self.start = self._tables.starts.get(start, -1)

    def __call__(self, text: str) -> list[Token] | None:
        """The tokens of a turn, the lead that every message is read behind among them; None if it is not so written."""
        if self.start < 0:
            return None
        path: list[Token] = []
        return path if self._follow(self.start, self._lead + text, 0, path) else None

    def _follow(self, number: int, text: str, at: int, path: list[Token]) -> bool:
        """Add the tokens from ``at`` on to ``path``; False, and none added, where there is no way."""
        state = self._runtime.state(number)
        if at == len(text):
            return state.end is not None
        for token, end in self._steps(number, state, text, at):
            path.append(token)
            if self._follow(token.target, text, end, path):
                return True
            path.pop()
        return False

    def _steps(self, number: int, state: State, text: str, at: int) -> list[tuple[Token, int]]:
        found: list[tuple[Token, int]] = []
        for payload in state.payloads:
            end = self._payload_end(payload, text, at) if text[at] in payload.first else -1
            if end > 0:
                edge = payload.edge
                role = edge.role if payload.name == "json_call" else t.ARGUMENTS
                found.append((Token(number, f"@{payload.name}", edge.flags, role, text[at:end], edge.target), end))
        for run in state.texts:
            end = _text_end(run, text, at)
            if end > at:
                found.append((Token(number, run.name, run.edge.flags, run.role, text[at:end], run.edge.target), end))
        if state.blank >= 0 and text[at].isspace():
            end = at + len(text[at:]) - len(text[at:].lstrip(" \t\r\n"))
            found.append((Token(number, "", 0, t.MARKUP, text[at:end], state.blank), end))
        match = state.markers.plain(text, at)
        edge_or_none = None if match is None else state.markers.edges[match.lastindex]
        if match is not None and edge_or_none is not None:
            name = self._marker(number, edge_or_none, match[0])
            edge = edge_or_none
            found.append((Token(number, name, edge.flags, edge.role, match[0], edge.target), match.end()))
        return found

    def _marker(self, number: int, edge: Any, text: str) -> str:
        """The name of the marker that leads there."""
        return next(
            move.terminal
            for move in self._tables.states[number]
            if move.terminal in self._tables.markers and (move.target, move.flags) == (edge.target, edge.flags)
        )

    def _payload_end(self, payload: Payload, text: str, at: int) -> int:
        if payload.name == "brackets":
            return brackets_end(text, at)
        if payload.name in NOTATIONS:
            found = scanner(payload.name, self._runtime)(text, at, 0, "", _Texts(), [])
            return -1 if found is None else found[1]
        try:
            end: int = DECODER.raw_decode(text, at)[1]
        except (ValueError, RecursionError):
            return -1
        return end


def _text_end(run: TextRun, text: str, at: int) -> int:
    if run.guard is not None and run.guard(text, at) is not None:
        return at
    found = run.plain(text, at)
    return len(text) if found is None else int(found.start())


__all__ = ["Token", "Tracer"]
