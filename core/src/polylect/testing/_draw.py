"""How cases are drawn: by choices that are written down, so that a case that fails can be made smaller.

A *maker* is a function that asks a :class:`Draw` for numbers and makes a case of them. The laws draw from a random
generator, some fifty times as fast as Hypothesis; it draws from the same makers where they are strategies
(:mod:`polylect.testing._strategies`). A failing case is made again from fewer and lower choices, as in minithesis by
David R. MacIver.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

T = TypeVar("T")

OFTEN = 6
"""How many more pieces there are in a list, in the mean, where it has room for them."""
TRIES = 2_000
"""How often a failing case is tried anew to make it smaller."""
BLOCKS = (64, 32, 16, 8, 4, 3, 2, 1)
"""Numbers of choices that are left out at once."""


class Draw:
    """Where choices come from: each is a number below a bound, and 0 is the simplest. ``made`` are those so far."""

    def __init__(self) -> None:
        self.made: list[int] = []

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``."""
        raise NotImplementedError

    def between(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``."""
        return least + self.below(most - least + 1)

    def flag(self) -> bool:
        """True half of the time."""
        return self.below(2) == 1

    def pick(self, items: Sequence[T]) -> T:
        """One of ``items``, of which the first is the simplest."""
        return items[self.below(len(items))]

    def some(self, make: Maker[T], most: int, least: int = 0) -> list[T]:
        """A list of ``least`` to ``most`` cases, rather few than many."""
        # That another one follows is a choice before each: a piece and its choice can be left out of a failing case.
        found = [make(self) for _ in range(least)]
        odds = min(most - least, OFTEN) + 1
        while len(found) < most and self.below(odds):
            found.append(make(self))
        return found


Maker: TypeAlias = Callable[[Draw], T]


class Drawn(Draw):
    """Choices from a random generator: the same for the same seed, whatever the version of Python."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed).random

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``."""
        choice = int(self._random() * bound)
        self.made.append(choice)
        return choice


class Again(Draw):
    """Choices that were made before, as far as they go and are within the bounds; then zeros."""

    def __init__(self, choices: Sequence[int]) -> None:
        super().__init__()
        self._choices = choices

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``."""
        number = len(self.made)
        choice = min(self._choices[number], bound - 1) if number < len(self._choices) else 0
        self.made.append(choice)
        return choice


def one_of(*makers: Maker[T]) -> Maker[T]:
    """What one of ``makers`` makes; one that stands twice is asked twice as often."""
    return lambda draw: makers[draw.below(len(makers))](draw)


def sampled(items: Sequence[T]) -> Maker[T]:
    """One of ``items``, of which the first is the simplest."""
    return lambda draw: draw.pick(items)


def joined(table: Sequence[str], most: int, least: int = 0) -> Maker[str]:
    """A text of ``least`` to ``most`` pieces from ``table``."""
    piece = sampled(table)
    return lambda draw: "".join(draw.some(piece, most, least))


def smallest(choices: list[int], fails: Callable[[Draw], bool], tries: int = TRIES) -> list[int]:
    """Fewer and lower choices with which it still ``fails``, found in at most ``tries`` attempts."""
    best = choices
    seen = {tuple(choices)}

    def better(candidate: list[int]) -> bool:
        nonlocal best
        if len(seen) > tries or tuple(candidate) in seen:
            return False
        seen.add(tuple(candidate))
        draw = Again(candidate)
        if not fails(draw) or (len(draw.made), draw.made) >= (len(best), best):
            return False
        best = draw.made
        return True

    before: list[int] = []
    while before != best and len(seen) <= tries:
        before = best
        for size in BLOCKS:
            at = len(best) - size
            while at >= 0:
                if not better(best[:at] + best[at + size :]):
                    at -= 1
                at = min(at, len(best) - size)
        at = 0
        while at < len(best):
            _lower(at, lambda: best, better)
            at += 1
    return best


def _lower(at: int, best: Callable[[], list[int]], better: Callable[[list[int]], bool]) -> None:
    """Make the choice at ``at`` as low as it can be: zero, or by halving what is left."""
    low, high = -1, best()[at]  # what is known not to do, and what is known to do
    while high - low > 1:
        now = best()
        middle = 0 if low < 0 else (low + high) // 2
        if better([*now[:at], middle, *now[at + 1 :]]):
            if at >= len(best()):
                return
            high = best()[at]
        else:
            low = middle
