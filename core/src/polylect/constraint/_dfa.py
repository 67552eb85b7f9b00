"""Free text that holds none of its delimiters, as a small automaton over code points."""

from __future__ import annotations

import functools
import operator
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from .._errors import ConstraintError
from ..grammar import _patterns as patterns
from ..grammar._patterns import Seq as Pattern
from ._delimiters import Way, characters, told
from ._ranges import Ranges, atoms, joined
from ._tree import ANYWHERE, Range, Text

STATES = 20_000
"""So many sets of states at the most, before equal ones are joined."""


class Dfa:
    """Texts without a delimiter, read character by character from state 0; any state but ``ends`` must go on.

    Attributes:
        rows: by state, characters and the state that they lead to; other characters complete a delimiter.
        ends: states in which the text may end.
        far: by state, the fewest characters to one of the ends.
    """

    def __init__(self, rows: list[dict[int, Ranges]], ends: Iterable[int]) -> None:
        self.rows = tuple(tuple((ranges, target) for target, ranges in row.items()) for row in rows)
        self.ends = frozenset(ends)
        self._places: list[tuple[list[int], list[int]] | None] = [None] * len(rows)
        self.far = _distances(self.rows, self.ends)

    def step(self, state: int, char: int) -> int:
        """The state behind a character; -1 where it completes a delimiter."""
        places = self._places[state]
        if places is None:
            flat = sorted((low, high, target) for ranges, target in self.rows[state] for low, high in ranges)
            starts, targets, at = [0], [-1], 0
            for low, high, target in flat:
                if low > at:
                    starts += [at, low]
                    targets += [-1, target]
                else:
                    starts.append(low)
                    targets.append(target)
                at = high + 1
            places = self._places[state] = ([*starts, at], [*targets, -1])
        return places[1][bisect_right(places[0], char) - 1]

    def run(self, text: str, state: int = 0) -> int:
        """The state behind a text; -1 where it holds a delimiter."""
        for char in text:
            state = self.step(state, ord(char))
            if state < 0:
                break
        return state

    def reach(self, text: str) -> int:
        """So many characters of a text come before a delimiter is complete."""
        state = 0
        for at, char in enumerate(text):
            state = self.step(state, ord(char))
            if state < 0:
                return at
        return len(text)


def _distances(rows: tuple[tuple[tuple[Ranges, int], ...], ...], ends: frozenset[int]) -> tuple[int, ...]:
    into: list[list[int]] = [[] for _ in rows]
    for state, row in enumerate(rows):
        for _, target in row:
            into[target].append(state)
    far = [-1] * len(rows)
    todo = sorted(ends)
    for state in todo:
        far[state] = 0
    for state in todo:
        for before in into[state]:
            if far[before] < 0:
                far[before] = far[state] + 1
                todo.append(before)
    return tuple(far)


@functools.lru_cache(maxsize=1024)
def text_dfa(
    delimiters: tuple[str, ...], heads: tuple[str, ...] = (), then: str | None = None, reach: int | None = None
) -> Dfa:
    """The automaton of texts that hold none of the delimiters and begin with none of the heads.

    Args:
        delimiters: what may stand nowhere, as patterns.
        heads: what may not stand first.
        then: what follows; see :class:`Text`.
        reach: how much of a delimiter is told from other text (None: all of it); with less of it there is less text.

    Raises:
        ConstraintError: it would have too many states.
    """
    nfa = _nfa(delimiters, heads, reach)
    rows, sets, groups = nfa.determined
    refused = nfa.refused(then)
    return _minimal(rows, [number for number, states in enumerate(sets) if not states & refused], groups)


def dfa_of(text: Text, reach: int | None = None) -> Dfa:
    """The automaton of a free text, but for its length."""
    return text_dfa(text.delimiters, text.heads, text.then, reach)


@functools.lru_cache(maxsize=1024)
def deciding(delimiters: tuple[str, ...], heads: tuple[str, ...], following: str | None) -> str | None:
    """As much of what follows a text as decides where the text may end; see :class:`Text`."""
    return None if following is None else _nfa(delimiters, heads, None).deciding(following)


@functools.lru_cache(maxsize=1024)
def own_ends(delimiters: tuple[str, ...], heads: tuple[str, ...], literal: str) -> frozenset[int]:
    """How many characters of a literal complete a delimiter that begins in it."""
    return _nfa(delimiters, heads, None).own(literal)


@functools.lru_cache(maxsize=512)
def _nfa(delimiters: tuple[str, ...], heads: tuple[str, ...], reach: int | None) -> _Nfa:
    made, found = _Nfa(delimiters), told(delimiters, heads)
    for way in found.first:
        made.add(way, made.first)
    for way in found.anywhere:
        made.add(_begun(way, reach), made.anywhere)
    return made


def _begun(way: Way, reach: int | None) -> Way:
    return way if reach is None or len(way.body) <= reach else Way(way.body[:reach])


class _Nfa:
    """Sets of states are bits of a number: the text may never end in ``_never``, not be over in ``_closing``."""

    def __init__(self, delimiters: tuple[str, ...]) -> None:
        self._told = delimiters
        self._free: list[int] = []
        self._arcs: list[list[tuple[Ranges, int]]] = []
        self._goal = self._never = self._closing = 0
        self._ahead: dict[int, int] = {}  # states within what is looked ahead at, and where that is read from there
        self._within: set[int] = set()  # states in which a delimiter is begun
        self._by_char: dict[str, list[tuple[int, ...]]] = {}
        self.anywhere, self.first = self._new(), self._new()

    def _new(self) -> int:
        self._free.append(0)
        self._arcs.append([])
        return len(self._free) - 1

    def add(self, way: Way, begin: int) -> None:
        """A delimiter that may begin there."""
        size = len(self._free)
        end = self._seq(way.body, begin)
        if not way.closes:
            self._within |= set(range(size, len(self._free))) - ({end} if way.ahead else set())
        if way.alone:
            self._never |= 1 << end
        elif way.closes:
            self._closing |= 1 << end
        elif way.held:
            self._ahead[end] = self._new()
            self._goal |= 1 << self._seq(way.ahead, self._ahead[end])
        elif way.ahead:
            before = len(self._free)
            self._goal |= 1 << self._seq(way.ahead, end)
            self._ahead |= {state: state for state in (end, *range(before, len(self._free)))}
        else:
            self._goal |= 1 << end

    def _seq(self, seq: Pattern, at: int) -> int:
        for node in seq:
            at = self._node(node, at)
        return at

    def _node(self, node: patterns.Node, at: int) -> int:
        if node[0] == "c":
            target = self._new()
            self._arcs[at].append((characters(node[1]), target))
            return target
        if node[0] == "alt":
            end = self._new()
            for branch in node[1]:
                self._free[self._seq(branch, at)] |= 1 << end
            return end
        low, high, inner = node[1:4]
        for _ in range(low):
            at = self._seq(inner, at)
        end = self._new()
        self._free[at] |= 1 << end
        if high is None:
            self._free[self._seq(inner, end)] |= 1 << end
            return end
        for _ in range(high - low):
            at = self._seq(inner, at)
            self._free[at] |= 1 << end
        return end

    @functools.cached_property
    def _closed(self) -> list[int]:
        """For each state, those that it reaches without a character."""
        out = []
        for state in range(len(self._free)):
            seen, todo = 1 << state, [state]
            while todo:
                more = self._free[todo.pop()] & ~seen
                seen |= more
                todo += _bits(more)
            out.append(seen)
        return out

    def refused(self, then: str | None) -> int:
        """The states in which a text may not end before this."""
        if then is None:
            return self._never | self._closing | sum(1 << state for state in self._ahead)
        if then == ANYWHERE:
            return 0
        return self._never | (self._followed(then)[-1] if then else self._closing)

    def deciding(self, following: str) -> str | None:
        """As much of a literal as decides what it refuses; None where all refuse the same."""
        if not following:
            return "" if self._closing or self._ahead else None
        refused = self._followed(following)
        if not (self._closing or self._ahead or refused[-1]):
            return None
        return following[: refused.index(refused[-1], 1)]

    def _followed(self, text: str) -> list[int]:
        """The states in which a text may not end before a literal, by how much of it is known.

        Those whose look ahead it may complete, and those in which a delimiter is begun that it completes, elsewhere
        than where it ends one itself.
        """
        ahead = {read: 1 << state for state, read in self._ahead.items()}  # states, and from where they were reached
        begun = self._closed[self.anywhere] | self._closed[self.first]
        within = {state: 1 << state for state in self._within if not begun >> state & 1}
        own, done = self.own(text), 0
        found = [functools.reduce(operator.or_, ahead.values(), 0)]
        for size, char in enumerate(text, 1):
            ahead, within = self._read(ahead, char), self._read(within, char)
            done |= self._over(ahead) | (0 if size in own else self._over(within))
            ahead = {state: more for state, origins in ahead.items() if (more := origins & ~done)}
            found.append(functools.reduce(operator.or_, ahead.values(), done))
        return found

    def _over(self, states: dict[int, int]) -> int:
        """From where a delimiter is complete."""
        whole = (origins for state, origins in states.items() if self._closed[state] & self._goal)
        return functools.reduce(operator.or_, whole, 0)

    def _read(self, states: dict[int, int], char: str) -> dict[int, int]:
        """The states behind a character, each with from where it was reached."""
        behind, after = self._behind(char), dict[int, int]()
        for begun, origins in states.items():
            for target in behind[begun]:
                after[target] = after.get(target, 0) | origins
        return after

    def _behind(self, char: str) -> list[tuple[int, ...]]:
        """By state, those behind a character."""
        if char not in self._by_char:
            code = ord(char)
            direct = [
                tuple(target for ranges, target in arcs if any(low <= code <= high for low, high in ranges))
                for arcs in self._arcs
            ]
            self._by_char[char] = [
                tuple({target for state in _bits(closed) for target in direct[state]}) for closed in self._closed
            ]
        return self._by_char[char]

    def own(self, text: str) -> frozenset[int]:
        """How many characters of a literal complete a delimiter that begins in it."""
        states: dict[int, int] = {}
        found = []
        for size, char in enumerate(text, 1):
            states = self._read({**states, self.anywhere: 1}, char)
            if self._over(states):
                found.append(size)
        return frozenset(found)

    @functools.cached_property
    def determined(self) -> tuple[list[dict[int, int]], list[int], list[tuple[int, Ranges]]]:
        """Rows by sets of states, the sets, and the groups of characters that the rows name."""
        closed = self._closed
        classes = list(dict.fromkeys(ranges for arcs in self._arcs for ranges, _ in arcs))
        groups = atoms(classes)
        held = {
            ranges: [number for number, (mask, _) in enumerate(groups) if mask >> index & 1]
            for index, ranges in enumerate(classes)
        }
        arcs = [[(held[ranges], closed[target]) for ranges, target in some] for some in self._arcs]
        again = closed[self.anywhere]
        start = again | closed[self.first]
        numbers, todo, rows = {start: 0}, [start], list[dict[int, int]]()
        for states in todo:
            after = [again] * len(groups)
            for state in _bits(states):
                for chosen, target in arcs[state]:
                    for group in chosen:
                        after[group] |= target
            row = {}
            for group, found in enumerate(after):
                if not found & self._goal:
                    if found not in numbers:
                        numbers[found] = len(numbers)
                        todo.append(found)
                    row[group] = numbers[found]
            rows.append(row)
            if len(numbers) > STATES:
                raise ConstraintError(
                    f"A text that holds none of its {len(self._told)} delimiters needs more than {STATES:,} states; "
                    f"the first one is {self._told[0]!r}. Write the delimiters without bounded repeats of several "
                    "characters."
                )
        return rows, list(numbers), groups


def _minimal(rows: list[dict[int, int]], ends: list[int], groups: list[tuple[int, Ranges]]) -> Dfa:
    block = [0] * len(rows)
    for state in ends:
        block[state] = 1
    count = len(set(block))
    none = len(rows)
    targets = [[row.get(group, none) for group in range(len(groups))] for row in rows]
    while True:
        signs: dict[Any, int] = {}
        block_of = [*block, -1].__getitem__
        block = [
            signs.setdefault((block_of(state), *map(block_of, row)), len(signs)) for state, row in enumerate(targets)
        ]
        if len(signs) == count:
            break
        count = len(signs)
    order: dict[int, int] = {}
    for number in block:
        order.setdefault(number, len(order))
    out: list[dict[int, list[Range]] | None] = [None] * len(order)
    for state, row in enumerate(rows):
        at = order[block[state]]
        if out[at] is None:
            made: dict[int, list[Range]] = {}
            for group, to in row.items():
                made.setdefault(order[block[to]], []).extend(groups[group][1])
            out[at] = made
    joined_rows = [{to: joined(found) for to, found in (row or {}).items()} for row in out]
    return Dfa(joined_rows, (order[block[state]] for state in ends))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


__all__ = ["STATES", "Dfa", "deciding", "dfa_of", "own_ends", "text_dfa"]
