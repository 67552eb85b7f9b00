"""What printers take and give, and what several of them need: classes of characters, bounded texts, reasons."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

from msgspec import structs

from .._errors import ConstraintError
from ..grammar import _patterns as patterns
from ._delimiters import characters, told, ways
from ._dfa import Dfa, dfa_of
from ._ranges import LAST, SURROGATES, Ranges, common, joined, others
from ._tree import Chars, Node, Rep, Seq, Text

STATES = 400
"""A bounded text is counted character by character as long as it has so many states at the most."""
REACHES = (6, 4, 3, 2)
"""How much of its delimiters a text is told from where all of them take too much."""
WIDER = "a text holds nothing that would end it at the end of the message"
"""Why a text is less, where such delimiters count everywhere."""
_SIGNS = {"\n": r"\n", "\r": r"\r", "\t": r"\t"} | {sign: "\\" + sign for sign in r".^$*+?()[]{}|\/"}


class Options(NamedTuple):
    """What a printer has to know about the model."""

    special_tokens: frozenset[str] = frozenset()
    """Markers that are one token in its vocabulary; they may come as text, too."""


class Printed(NamedTuple):
    """A constraint in the words of an engine."""

    text: str | dict[str, Any]
    exactness: Literal["exact", "subset", "superset"] = "exact"
    reasons: tuple[str, ...] = ()
    """Why it is not exact."""


class Reasons:
    """Collects why a printed form allows less than its tree."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def add(self, reason: str) -> None:
        """Add one, unless it is there or empty."""
        if reason:
            self._found[reason] = None

    def printed(self, text: str | dict[str, Any]) -> Printed:
        """What was printed, with the reasons."""
        return Printed(text, "subset" if self._found else "exact", tuple(self._found))


# --- classes of characters --------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def char_class(ranges: Ranges, escaped: Callable[[int], str]) -> str:
    """A class in brackets, in the shorter of its two forms. Surrogates are no characters."""
    left_out = others((*ranges, *SURROGATES))
    if not left_out:
        return f"[{escaped(0)}-{escaped(LAST)}]"
    taken = common(ranges, others(SURROGATES))
    if taken and taken[-1][1] == LAST and len(left_out) <= len(taken):
        return f"[^{_items(left_out, escaped)}]"
    return f"[{_items(taken, escaped)}]"


def _items(ranges: Ranges, escaped: Callable[[int], str]) -> str:
    out = ""
    for low, high in ranges:
        dash = "" if high == low + 1 else "-"
        out += escaped(low) if low == high else f"{escaped(low)}{dash}{escaped(high)}"
    return out


def regex_char(code: int) -> str:
    """A character in a class of a regular expression, as Python and Rust read it, and between slashes."""
    char = chr(code)
    if char.isalnum() and code < 0x80:
        return char
    return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(char) or (
        char if char in " !#%'(),.:;<=>@_`{}" else number(code)
    )


def number(code: int) -> str:
    """A character by its number."""
    return f"\\x{code:02X}" if code < 0x80 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"


@functools.lru_cache(maxsize=4096)
def regex_text(text: str) -> str:
    """A literal text in a regular expression."""
    return "".join(map(_regex_char, text))


def _regex_char(char: str) -> str:
    if char.isalnum():
        return char
    if char in _SIGNS:
        return _SIGNS[char]
    return char if char.isprintable() else number(ord(char))


def times(least: int, most: int | None) -> str:
    """The bounds of a repeat."""
    return patterns.times(least, most) if (least, most) != (1, 1) else ""


# --- texts ------------------------------------------------------------------------------------------------------


class Counted(NamedTuple):
    """A text's automaton in which characters are counted as far as they must be; state 0 begins."""

    rows: tuple[tuple[tuple[Ranges, int], ...], ...]
    ends: frozenset[int]


@functools.lru_cache(maxsize=512)
def counted(text: Text, reach: int | None = None) -> Counted | None:
    """The automaton of a text with its bounds; None when the bounds make it too large. ``reach``: see `dfa_of`."""
    dfa = dfa_of(text, reach)
    least = min(text.least, 1) if text.most is None and text.least <= 1 else text.least
    if text.most is None and (not least or 0 not in dfa.ends):
        return Counted(dfa.rows, dfa.ends)
    size = text.most if text.most is not None else least
    numbers = {(0, 0): 0}
    todo, rows = [(0, 0)], list[tuple[tuple[Ranges, int], ...]]()
    for state, count in todo:
        row = []
        if text.most is None or count < text.most:
            for ranges, to in dfa.rows[state]:
                after = to, min(count + 1, size)
                if text.most is not None and not 0 <= dfa.far[to] <= text.most - after[1]:
                    continue
                if after not in numbers:
                    numbers[after] = len(numbers)
                    todo.append(after)
                row.append((ranges, numbers[after]))
        rows.append(tuple(row))
        if len(numbers) > STATES + len(dfa.rows):
            return None
    return Counted(tuple(rows), frozenset(n for (state, count), n in numbers.items() if _ends(dfa, text, state, count)))


def _ends(dfa: Dfa, text: Text, state: int, count: int) -> bool:
    return state in dfa.ends and count >= text.least


def attempts(text: Text) -> Iterator[tuple[Text, int | None, str]]:
    """A text, and less and less of it: by what it is told from its delimiters, and why it is less."""
    yield text, None, ""
    less = wider(text)
    if less != text:
        yield less, None, WIDER
    for reach in REACHES:
        yield less, reach, f"a text holds nothing that begins as what ends it does, by {reach} characters or groups"


@functools.lru_cache(maxsize=512)
def wider(text: Text) -> Text:
    """The text without what would complete a delimiter if the message were over."""
    within, begun = (
        tuple(dict.fromkeys(patterns.plain(way.body) for way in ways if way.closes and not way.alone and way.body))
        for ways in told(text.delimiters, text.heads)
    )
    return structs.replace(text, delimiters=text.delimiters + within, heads=text.heads + begun)


@functools.lru_cache(maxsize=512)
def without(text: Text) -> tuple[Node, str]:
    """A text of bounded length, or of any, that leaves out a character which each delimiter must have; and why."""
    left_out = missed(text.delimiters, {"\n": 2})
    starts = [way.body[0] for source in text.heads for way in ways(source, anchored=True) if way.body]
    heads = joined(one for node in starts for one in _begun(node))
    first, rest = others((*left_out, *heads)), others(left_out)
    if not rest or (not first and text.least):
        raise ConstraintError(
            f"The text that ends at {text.delimiters[0]!r} can't be bounded: no character is left for it."
        )
    missing = left_out or heads
    reason = f"a text has no {_named(missing)}: what ends it would take too long to tell" if missing else ""
    return _bounded(first, rest, text.least, text.most), reason


def _bounded(first: Ranges, rest: Ranges, least: int, most: int | None) -> Node:
    if first == rest:
        return Rep(Chars(rest), least, most)
    low, high = max(least - 1, 0), None if most is None else most - 1
    some = Seq((Chars(first), Rep(Chars(rest), low, high)))
    return some if least else Rep(some, 0, 1)


def _begun(node: patterns.Node) -> Ranges:
    """The characters that a pattern's node can begin with."""
    if node[0] == "c":
        return characters(node[1])
    seqs = node[1] if node[0] == "alt" else (node[3],)
    found: list[tuple[int, int]] = []
    for seq in seqs:
        for part in seq:
            found += _begun(part)
            if not patterns.can_be_empty((part,)):
                break
    return joined(found)


def missed(delimiters: tuple[str, ...], costs: dict[str, int]) -> Ranges:
    """Few characters, of which every delimiter has one."""
    left = [set(_needed(way.body)) for source in delimiters for way in ways(source)]
    chosen: list[Ranges] = []
    while left:
        options = {ranges for some in left for ranges in some}
        best = min(options, key=lambda ranges: (_cost(ranges, costs) / sum(ranges in some for some in left), ranges))
        chosen.append(best)
        left = [some for some in left if best not in some]
    return joined(one for ranges in chosen for one in ranges)


def _cost(ranges: Ranges, costs: dict[str, int]) -> int:
    """How much a text misses these characters."""
    if sum(high - low + 1 for low, high in ranges) > 16:
        return 1000
    told = [chr(code) for low, high in ranges for code in range(low, high + 1)]
    return sum(costs.get(char, 20 if char.isalnum() or char in " .,-" else 1) for char in told)


def _needed(seq: patterns.Seq) -> list[Ranges]:
    """Sets of characters, of each of which a match has one."""
    found = []
    for node in seq:
        if node[0] == "c":
            found.append(characters(node[1]))
        elif node[0] == "alt":
            branches = [_needed(branch) for branch in node[1]]
            if all(branches):
                best = [min(some, key=lambda ranges: _cost(ranges, {})) for some in branches]
                found.append(joined(one for ranges in best for one in ranges))
        elif node[1]:
            found += _needed(node[3])
    return found


def _named(ranges: Ranges) -> str:
    told = [repr(chr(low)) if low == high else f"{chr(low)!r} to {chr(high)!r}" for low, high in ranges]
    return " or ".join(told[:8]) + (" …" if len(told) > 8 else "")


__all__ = [
    "WIDER",
    "Counted",
    "Options",
    "Printed",
    "Reasons",
    "attempts",
    "char_class",
    "counted",
    "missed",
    "number",
    "regex_char",
    "regex_text",
    "times",
    "wider",
    "without",
]
