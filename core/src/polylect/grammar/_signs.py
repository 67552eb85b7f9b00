"""What must stand in a text that a grammar finds a call or an answer in: literal parts of the markers before it."""

from __future__ import annotations

from . import _patterns as patterns
from ._patterns import Seq
from ._runtime import PAYLOAD_FIRST
from ._tables import ANSWER_BEGIN, CALL_BEGIN, Tables

STRONG = 4
"""A shorter literal is in many texts by chance."""
_WAYS = 32
"""A pattern of more alternatives has no sign."""


def signs(tables: Tables) -> frozenset[str]:
    """Literals in lower case, one of which is in every text with a call or an answer; ``""`` where nothing must be.

    They are those of the markers that begin calls; where these say little (a bracket, a JSON object), of the markers
    before them, if there is no way around those.
    """
    own = {move.terminal: _of_terminal(tables, move.terminal) for row in tables.states for move in row}
    weak = {name for name in own.keys() & tables.markers if all(own[name])}
    strong = {name for name in weak if all(len(sign) >= STRONG for sign in own[name])}
    found: set[str] = set()
    for number, row in enumerate(tables.states):
        for move in row:
            if move.flags & (CALL_BEGIN | ANSWER_BEGIN):
                before: set[str] = set()
                if move.terminal not in strong:
                    before = _before(tables, number, strong)
                if not before and min(map(len, own[move.terminal])) < 2:
                    before = _before(tables, number, weak)
                found.update(*(own[name] for name in before or (move.terminal,)))
    return frozenset(found)


def _before(tables: Tables, state: int, strong: set[str]) -> set[str]:
    """The strong markers of which one is on every way to a state; empty when there is a way without any."""
    found: set[str] = set()
    seen, todo = {state}, [state]
    while todo:
        target = todo.pop()
        if target in tables.starts.values():
            return set()
        for number, row in enumerate(tables.states):
            for move in row:
                if move.target == target and move.terminal in strong:
                    found.add(move.terminal)
                elif move.target == target and number not in seen:
                    seen.add(number)
                    todo.append(number)
    return _first(tables, found)


def _first(tables: Tables, names: set[str]) -> set[str]:
    """Those of some markers that may come before all others of them."""
    found: set[str] = set()
    seen = set(tables.starts.values())
    todo = list(seen)
    while todo:
        for move in tables.states[todo.pop()]:
            if move.terminal in names:
                found.add(move.terminal)
            elif move.target not in seen:
                seen.add(move.target)
                todo.append(move.target)
    return found


def _of_terminal(tables: Tables, name: str) -> set[str]:
    if name in tables.markers:
        return set(literals(patterns.parse(tables.markers[name])))
    payload = name.removeprefix("@")
    if payload == "json_call" and tables.keys:
        return {key.lower() for key, role in tables.keys.items() if role == "name"} or {"{"}
    first = PAYLOAD_FIRST.get(payload, "")
    return {first} if len(first) == 1 else {""}


def literals(seq: Seq) -> list[str]:
    """The literals of which one is in every match: the longest that all share, or else one of each alternative."""
    runs, run = [""], ""
    ways: list[list[str]] = []
    for node in seq:
        char = _char(node[1]) if node[0] == "c" else None
        if char is not None:
            run += char
            runs.append(run)
            continue
        run = ""
        if node[0] == "alt":
            ways.append([x for branch in node[1] for x in literals(branch)])
        elif node[0] == "rep" and node[1]:
            ways.append(literals(node[3]))
    own = max(runs, key=len)
    best = max(ways, key=lambda way: min(map(len, way)), default=[""])
    return best if min(map(len, best)) > len(own) and len(best) <= _WAYS else [own]


def _char(source: str) -> str | None:
    """The one character that a pattern of one matches, in lower case; None when it matches several."""
    matched = patterns.chars(source)
    found = {x.lower() for x in matched if x.isascii()} or {x.lower() for x in matched}  # not the dotless i beside an i
    return found.pop() if len(found) == 1 and source[:1] != "[" else None
