"""How many steps a backtracking matcher takes for a regular expression: ``re`` as it would be without short cuts."""

from __future__ import annotations

import re
from collections.abc import Callable
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any

Then = Callable[[int], bool]


class TooMany(Exception):
    """The matcher has taken more steps than it was given."""


class Steps:
    """A matcher for one text that counts the items it tries."""

    def __init__(self, text: str, most: int) -> None:
        self.text, self.most, self.taken = text, most, 0

    def match(self, source: str, at: int = 0) -> bool:
        """Whether the expression matches at a place."""
        return self._items(list(sre_parser.parse(source)), at, lambda _: True)

    def _items(self, items: list[Any], at: int, then: Then) -> bool:
        if not items:
            return then(at)
        op, value = items[0]
        return self._item(op, value, at, lambda end: self._items(items[1:], end, then))

    def _item(self, op: Any, value: Any, at: int, then: Then) -> bool:
        self.taken += 1
        if self.taken > self.most:
            raise TooMany
        if op is sre.SUBPATTERN:
            return self._items(list(value[3]), at, then)
        if op is sre.BRANCH:
            return any(self._items(list(branch), at, then) for branch in value[1])
        if op is sre.MAX_REPEAT:
            return self._repeat(value, at, then, 0)
        if op is sre.POSSESSIVE_REPEAT:
            ends: list[int] = []

            def end_here(end: int) -> bool:
                ends.append(end)
                return True

            return self._repeat(value, at, end_here, 0) and then(ends[0])
        if op in (sre.ASSERT, sre.ASSERT_NOT):
            return self._items(list(value[1]), at, lambda _: True) is (op is sre.ASSERT) and then(at)
        if op is sre.AT:
            return at == len(self.text) and then(at)
        return at < len(self.text) and _takes(op, value, self.text[at]) and then(at + 1)

    def _repeat(self, bounds: Any, at: int, then: Then, count: int) -> bool:
        low, high, unit = bounds

        def more(end: int) -> bool:
            return (end > at or count < low) and self._repeat(bounds, end, then, count + 1)

        return (count < high and self._items(list(unit), at, more)) or (count >= low and then(at))


def _takes(op: Any, value: Any, char: str) -> bool:
    if op is sre.IN:
        negated = value[0][0] is sre.NEGATE
        return any(_takes(inner, one, char) for inner, one in value[negated:]) is not negated
    if op is sre.RANGE:
        return bool(value[0] <= ord(char) <= value[1])
    if op is sre.CATEGORY:
        name = str(value).rsplit("_", 1)[-1][0].lower()
        return bool(re.match("\\" + (name.upper() if "_NOT_" in str(value) else name), char))
    if op is sre.ANY:
        return char != "\n"
    return (ord(char) == value) is (op is sre.LITERAL)
