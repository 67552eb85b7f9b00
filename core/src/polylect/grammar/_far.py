"""The search for what ends a long text, tried only where one character stands."""

from __future__ import annotations

import re
from typing import Any

from . import _alternatives as alternatives
from ._runtime import TextRun

BIG = 512
"""From this many characters on a text is long."""


MISSES = 16
"""So many times the character may mean nothing before a pattern looks for it."""


class Far:
    """The first delimiter in a long buffer, tried only at the character that all delimiters have at their head.

    A character is found at ten times the speed of a pattern that may begin with white space; but where it stands in
    many places (a text of tags), a pattern that begins with it finds the next of them that counts more quickly.
    """

    __slots__ = ("before", "behind", "char", "next", "width")

    def __init__(self, char: str, before: str, behind: str, width: int) -> None:
        pattern = re.compile(behind)
        self.char, self.before, self.width = char, before, width
        self.behind, self.next = pattern.match, pattern.search

    def __call__(self, c: str, i: int, match: Any) -> Any:
        """The first ``match`` at or behind ``i``."""
        char, before, behind, width = self.char, self.before, self.behind, self.width
        at, left = c.find(char, i), MISSES
        while at >= 0:
            if behind(c, at) is not None:
                start = at
                while start > i and at - start < width and c[start - 1] in before:
                    start -= 1
                for place in range(start, at + 1):
                    found = match(c, place)
                    if found is not None:
                        return found
            left -= 1
            if left > 0:
                at = c.find(char, at + 1)
            else:
                found = self.next(c, at + 1)
                at = -1 if found is None else found.start()
        return None


def far(text: TextRun) -> Far | None:
    """The search for what ends this text; None where its delimiters have no character in common."""
    trees = [tree for tree, _ in text.wanted]
    source = alternatives.starts(trees) if trees else None
    if source is None:
        return None
    pivot = alternatives.pivot(trees)
    if pivot is not None:
        return Far(pivot.char, pivot.before, pivot.source, text.width)
    return None if text.first is None else Far(text.first, "", source, text.width)


def quick(text: TextRun, pattern: re.Pattern[str]) -> Any:
    """A ``search`` by ``pattern``, which is what ends this text, that is quick where the text is long."""
    search, match, found = pattern.search, pattern.match, far(text)
    if found is None:
        return search
    return lambda c, i: found(c, i, match) if len(c) - i > BIG else search(c, i)


__all__ = ["BIG", "Far", "far", "quick"]
