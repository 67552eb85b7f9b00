"""Patterns as automata that read a text once, whatever the text: no way is tried twice.

All states in which the pattern may be are followed at once. What is looked for ahead or behind is found beforehand, for
all places of the text, by an automaton of its own; ahead, it reads the text from its end.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from re import _constants as sre
from typing import Any, TypeAlias

MAX_STATES = 5_000
MAX_KNOWN = 5_000
"""Steps that are remembered."""
Test: TypeAlias = Callable[[str], bool]
Flags: TypeAlias = tuple[bool, ...]


class Unsupported(ValueError):
    """No automaton does this (a reference back, an atomic group), or it would be too large."""


class Automaton:
    """The states of a pattern, in the direction in which they read.

    Raises:
        Unsupported: there are none for it.
    """

    def __init__(self, tree: Any, *, backward: bool = False) -> None:
        self._backward = backward
        self._flags = tree.state.flags
        self._tests: list[tuple[Test, int] | None] = []  # by state: a character that leads on
        self._free: list[list[tuple[int | None, int]]] = []  # by state: (what must hold, where it leads) without one
        self._holds: list[_Condition] = []
        self._end = self._state()
        self._start = self._sequence(tree, self._end)
        self._closed: dict[tuple[frozenset[int], Flags], frozenset[int]] = {}
        self._stepped: dict[tuple[frozenset[int], str], frozenset[int]] = {}

    @property
    def size(self) -> int:
        """The states, those of what is looked for ahead and behind included."""
        return len(self._free) + sum(hold.size for hold in self._holds)

    def search(self, text: str) -> bool:
        """Whether the pattern is found anywhere in a text."""
        return any(self.ends(text))

    def ends(self, text: str) -> Iterator[bool]:
        """For each place of a text, in the direction of reading: whether the pattern ends there, begun anywhere."""
        columns = [hold.places(text) for hold in self._holds]
        places = range(len(text), -1, -1) if self._backward else range(len(text) + 1)
        before: frozenset[int] = frozenset()
        for place in places:
            now = self._closure(before | {self._start}, tuple(column[place] for column in columns))
            yield self._end in now
            at = place - 1 if self._backward else place
            if 0 <= at < len(text):
                before = self._step(now, text[at])

    def _closure(self, states: frozenset[int], flags: Flags) -> frozenset[int]:
        found = self._closed.get((states, flags))
        if found is None:
            seen, waiting = set(states), list(states)
            while waiting:
                for needed, to in self._free[waiting.pop()]:
                    if to not in seen and (needed is None or flags[needed]):
                        seen.add(to)
                        waiting.append(to)
            if len(self._closed) >= MAX_KNOWN:
                self._closed.clear()
            found = self._closed[states, flags] = frozenset(seen)
        return found

    def _step(self, states: frozenset[int], char: str) -> frozenset[int]:
        found = self._stepped.get((states, char))
        if found is None:
            moves = (self._tests[state] for state in states)
            if len(self._stepped) >= MAX_KNOWN:
                self._stepped.clear()
            found = frozenset(move[1] for move in moves if move is not None and move[0](char))
            self._stepped[states, char] = found
        return found

    # --- building: each part is given the state that follows it, and gives the state that it begins with --------------

    def _state(self, test: Test | None = None, to: int = 0) -> int:
        if len(self._free) >= MAX_STATES:
            raise Unsupported
        self._tests.append(None if test is None else (test, to))
        self._free.append([])
        return len(self._free) - 1

    def _sequence(self, tree: Any, to: int) -> int:
        for op, value in tree if self._backward else reversed(list(tree)):
            to = self._part(op, value, to)
        return to

    def _part(self, op: Any, value: Any, to: int) -> int:
        if op in (sre.LITERAL, sre.NOT_LITERAL, sre.ANY, sre.IN):
            return self._state(_test(op, value, self._flags), to)
        if op is sre.SUBPATTERN:
            if value[1] or value[2]:  # flags of its own
                raise Unsupported
            return self._sequence(value[3], to)
        if op is sre.BRANCH:
            state = self._state()
            self._free[state] = [(None, self._sequence(branch, to)) for branch in value[1]]
            return state
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            low, high, inner = value
            return self._repeat(low, high, inner, to)
        if op in (sre.ASSERT, sre.ASSERT_NOT, sre.AT):
            state = self._state()
            self._free[state] = [(len(self._holds), to)]
            self._holds.append(_Place(value) if op is sre.AT else _Look(value, negated=op is sre.ASSERT_NOT))
            return state
        raise Unsupported

    def _repeat(self, low: int, high: Any, inner: Any, to: int) -> int:
        if high is sre.MAXREPEAT:
            again = self._state()
            self._free[again] = [(None, to), (None, self._sequence(inner, again))]
            to = again
        else:
            for _ in range(int(high) - low):
                state = self._state()
                self._free[state] = [(None, to), (None, self._sequence(inner, to))]
                to = state
        for _ in range(low):
            to = self._sequence(inner, to)
        return to


# --- conditions -------------------------------------------------------------------------------------------------------


class _Condition:
    """What must hold at a place."""

    size = 1

    def places(self, text: str) -> list[bool]:
        """For each place of a text, from its beginning on: whether it holds there."""
        raise NotImplementedError


class _Place(_Condition):
    """The beginning or the end of the text, or of a word."""

    def __init__(self, where: Any) -> None:
        self._where = where
        if where not in (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING, sre.AT_END_STRING, *_WORDS):
            raise Unsupported

    def places(self, text: str) -> list[bool]:
        found = [False] * (len(text) + 1)
        if self._where in _WORDS:
            words = [False, *(_is_word(char) for char in text), False]
            within = self._where is sre.AT_NON_BOUNDARY
            return [(words[at] == words[at + 1]) is within for at in range(len(text) + 1)] if text else found
        found[-1 if self._where is sre.AT_END_STRING else 0] = True
        return found


class _Look(_Condition):
    """What is, or is not, ahead of a place or behind it."""

    def __init__(self, value: Any, *, negated: bool) -> None:
        direction, inner = value
        self._ahead, self._negated = direction > 0, negated
        self._automaton = Automaton(inner, backward=self._ahead)
        self.size = self._automaton.size

    def places(self, text: str) -> list[bool]:
        found = [ends is not self._negated for ends in self._automaton.ends(text)]
        return found[::-1] if self._ahead else found


_WORDS = (sre.AT_BOUNDARY, sre.AT_NON_BOUNDARY)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


# --- characters -------------------------------------------------------------------------------------------------------

_CATEGORIES = {
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
_NAMES = {
    "Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Mark": "M", "Number": "N",
    "Decimal_Number": "Nd", "Punctuation": "P", "Symbol": "S", "Separator": "Z", "Other": "C",
}  # fmt: skip
_CODES = "L Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Cs Co"
_KEYS = [(code, negated) for code in _CODES.split() for negated in (False, True)]
PROPERTIES = {chr(0xF0000 + at): key for at, key in enumerate(_KEYS)}
"""Characters for private use that stand for properties in a pattern: a general category, or all others."""
_MARKS = {key: mark for mark, key in PROPERTIES.items()}


def property_mark(name: str, *, negated: bool) -> str:
    r"""The character that stands for ``\p{name}`` or ``\P{name}``; for unknown names a text that is no pattern."""
    code = name.rpartition("=")[2] if name.startswith(("gc=", "General_Category=")) else name
    return _MARKS.get((_NAMES.get(code, code), negated), r"\p")


def _test(op: Any, value: Any, flags: int) -> Test:
    """Whether a character is one of those that a part of a pattern takes."""
    if flags & (re.I | re.M | re.S | re.A | re.L):
        raise Unsupported
    if op is sre.ANY:
        return lambda char: char != "\n"
    if op in (sre.LITERAL, sre.NOT_LITERAL):
        single = _single(value)
        return single if op is sre.LITERAL else lambda char: not single(char)
    negated = value[0][0] is sre.NEGATE
    tests = [_item(*item) for item in value[negated:]]
    return lambda char: any(test(char) for test in tests) is not negated


def _single(code: int) -> Test:
    char = chr(code)
    if char in PROPERTIES:
        category, negated = PROPERTIES[char]
        return lambda char: unicodedata.category(char).startswith(category) is not negated
    return char.__eq__


def _item(op: Any, value: Any) -> Test:
    if op is sre.LITERAL:
        return _single(value)
    if op is sre.RANGE:
        low, high = value
        return lambda char: low <= ord(char) <= high
    if op is sre.CATEGORY and value in _CATEGORIES:
        match = re.compile(_CATEGORIES[value]).match
        return lambda char: match(char) is not None
    raise Unsupported
