"""Free text that holds none of its delimiters, as a small automaton over code points."""

from __future__ import annotations

import functools
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

from .._errors import ConstraintError
from ..grammar import _patterns as patterns
from ..grammar._patterns import Seq as Pattern
from ._delimiters import Way, characters, ways
from ._ranges import Ranges, atoms, joined
from ._tree import Range

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


@functools.lru_cache(maxsize=512)
def text_dfa(delimiters: tuple[str, ...], heads: tuple[str, ...] = (), reach: int | None = None) -> Dfa:
    """The automaton of texts that hold none of the delimiters and begin with none of the heads.

    Args:
        delimiters: what may stand nowhere, as patterns.
        heads: what may not stand first.
        reach: how much of a delimiter is told from other text (None: all of it); with less of it there is less text.

    Raises:
        ConstraintError: it would have too many states.
    """
    made = _Nfa()
    for source in heads:
        made.add(ways(source, anchored=True), made.first)
    for source in delimiters:
        made.add(tuple(_begun(way, reach) for way in ways(source)), made.anywhere)
    return made.determined(delimiters)


def _begun(way: Way, reach: int | None) -> Way:
    return way if reach is None or len(way.body) <= reach else Way(way.body[:reach])


class _Nfa:
    """Sets of states are bits of a number."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._arcs: list[list[tuple[Ranges, int]]] = []
        self._goal = self._open = 0
        self.anywhere, self.first = self._new(), self._new()

    def _new(self) -> int:
        self._free.append(0)
        self._arcs.append([])
        return len(self._free) - 1

    def add(self, delimiter: tuple[Way, ...], begin: int) -> None:
        """A delimiter that may begin there."""
        for way in delimiter:
            end = self._seq(way.body, begin)
            if way.closes:
                self._open |= 1 << end
            elif way.ahead:
                self._open |= 1 << end
                before = len(self._free)
                over = self._seq(way.ahead, end)
                self._open |= sum(1 << state for state in range(before, len(self._free)))
                self._goal |= 1 << over
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

    def determined(self, told: tuple[str, ...]) -> Dfa:
        """The automaton, with equal states joined."""
        closed = self._closed()
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
                    f"A text that holds none of its {len(told)} delimiters needs more than {STATES:,} states; the "
                    f"first one is {told[0]!r}. Write the delimiters without bounded repeats of several characters."
                )
        return _minimal(rows, [number for states, number in numbers.items() if not states & self._open], groups)


def _minimal(rows: list[dict[int, int]], ends: list[int], groups: list[tuple[int, Ranges]]) -> Dfa:
    block = [0] * len(rows)
    for state in ends:
        block[state] = 1
    count = len(set(block))
    while True:
        signs: dict[Any, int] = {}
        block = [
            signs.setdefault((block[state], tuple((group, block[to]) for group, to in row.items())), len(signs))
            for state, row in enumerate(rows)
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


__all__ = ["STATES", "Dfa", "text_dfa"]
