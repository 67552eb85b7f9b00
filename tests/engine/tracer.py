"""The boundary rule told once more, over the compiled tables alone: which tokens the automaton must read."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from polylect.grammar._tables import Tables, Text

from .reference import Taken


class Trace(NamedTuple):
    """The tokens of an accepted text, and the state it ends in."""

    tokens: list[Taken]
    state: int


def trace(tables: Tables, text: str, start: str = "start") -> Trace | None:
    """Read ``text`` from its beginning; None where nothing fits, or where it may not end.

    In each state the terminals are tried in their order, and the first that matches is taken. Free text matches where
    neither its guard nor a delimiter does, and runs to the first delimiter.
    """
    state, at = tables.starts[start], 0
    tokens: list[Taken] = []
    while at < len(text):
        for move in tables.states[state]:
            end = _end(tables, move.terminal, text, at)
            if end > at:
                tokens.append((move.terminal, at, end))
                state, at = move.target, end
                break
        else:
            return None
    return Trace(tokens, state) if any(move.terminal == "$END" for move in tables.states[state]) else None


def _end(tables: Tables, terminal: str, text: str, at: int) -> int:
    """Behind the token that begins here, or -1."""
    if terminal in tables.markers:
        found = _compiled(tables.markers[terminal]).match(text, at)
        return found.end() if found else -1
    if terminal in tables.texts:
        return _text_end(tables.texts[terminal], text, at)
    return _payload_end(terminal[1:], text, at) if terminal[0] == "@" else -1


def _text_end(kind: Text, text: str, at: int) -> int:
    if kind.guard is not None and _compiled(kind.guard).match(text, at):
        return -1
    starts = [found.start() for source in kind.delimiters if (found := _compiled(source).search(text, at))]
    return min(starts, default=len(text))


_BEGINS = {
    "json_call": r"\{", "json_object": r"\{", "json_array": r"\[", "brackets": r"\[", "python_arguments": r"\(",
    "token_object": r"\{", "elements": r"\]",
}  # fmt: skip
_SCALAR = re.compile(r"[^,}\]\s]+")
_SQUARE = re.compile(r"[\[\]]|[^\[\]]+")
_PYTHON = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|' r"'''(?:[^'\\]|\\.|'(?!''))*'''|" r'"(?:[^"\\]|\\.)*"|'
    r"'(?:[^'\\]|\\.)*'|[\[\](){}]|[^\"'\[\](){}]+", re.S
)  # fmt: skip
_OBJECT = re.compile(r'<\|"\|>(?:(?!<\|"\|>).)*<\|"\|>|[\[\]{}]|(?:(?!<\|"\|>)[^\[\]{}])+', re.S)
_KINDS = {
    "brackets": (_SQUARE, "[", "]"), "python_arguments": (_PYTHON, "([{", ")]}"), "token_object": (_OBJECT, "[{", "]}"),
}  # fmt: skip
_PIECE = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^"\[\]{}]+', re.S)


def _payload_end(name: str, text: str, at: int) -> int:
    if not re.match(_BEGINS.get(name, r'[{\["\-0-9tfn]'), text[at]):
        return -1
    if name == "json_value" and text[at] not in '{["':
        found = _SCALAR.match(text, at)
        return found.end() if found else -1
    if name == "elements":
        return text.find("]<]minimax[>[</invoke>", at)
    depth = 0
    pieces, opening, closing = _KINDS.get(name, (_PIECE, "[{", "]}"))
    while (piece := pieces.match(text, at)) is not None:
        at = piece.end()
        depth += (piece[0] in opening) - (piece[0] in closing)
        if not depth:
            return at
    return -1


@lru_cache(maxsize=1024)
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source)
