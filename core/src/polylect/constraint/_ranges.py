"""Sets of characters, as ranges of code points."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any, TypeAlias

from ..grammar import _patterns as patterns
from ._tree import Range

Ranges: TypeAlias = tuple[Range, ...]

LAST = 0x10FFFF
SURROGATES: Ranges = ((0xD800, 0xDFFF),)
_FOLDED = 0x20000
"""No character beyond this one has an upper or a lower case."""


def joined(ranges: Iterable[Range]) -> Ranges:
    """The same code points as ranges that are sorted and apart."""
    out: list[Range] = []
    for low, high in sorted(ranges):
        if out and low <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(high, out[-1][1]))
        else:
            out.append((low, high))
    return tuple(out)


def others(ranges: Iterable[Range]) -> Ranges:
    """All code points but these."""
    out, at = [], 0
    for low, high in joined(ranges):
        if low > at:
            out.append((at, low - 1))
        at = high + 1
    if at <= LAST:
        out.append((at, LAST))
    return tuple(out)


def common(one: Iterable[Range], other: Iterable[Range]) -> Ranges:
    """The code points of both."""
    return others((*others(one), *others(other)))


@functools.lru_cache(maxsize=1024)
def ranges_of(source: str) -> Ranges:
    """The characters that a one-character pattern matches."""
    bare = source[4:-1] if source.startswith("(?i:") else source
    found = _class(sre_parser.parse(bare)[0])
    if bare == source:
        return found
    cased = _cased()
    plain, folded = set(re.findall(bare, cased)), set(re.findall(source, cased))
    gained, lost = ([(ord(char), ord(char)) for char in some] for some in (folded - plain, plain - folded))
    return others((*others(joined((*found, *gained))), *lost))


def _class(item: tuple[Any, Any]) -> Ranges:
    op, value = item
    if op is sre.LITERAL:
        return ((value, value),)
    if op is sre.NOT_LITERAL:
        return others([(value, value)])
    found: list[Range] = []
    for kind, part in value:
        if kind is sre.LITERAL:
            found.append((part, part))
        elif kind is sre.RANGE:
            found.append((part[0], part[1]))
        elif kind is sre.CATEGORY:
            found += _category(patterns._CATEGORIES[part])
    return others(found) if value and value[0][0] is sre.NEGATE else joined(found)


@functools.cache
def _category(source: str) -> Ranges:
    return tuple((found.start(), found.end() - 1) for found in re.finditer(f"{source}+", _all()))


@functools.cache
def _all() -> str:
    return "".join(map(chr, range(LAST + 1)))


@functools.cache
def _cased() -> str:
    return "".join(char for char in map(chr, range(_FOLDED)) if char.lower() != char or char.upper() != char)


def atoms(classes: list[Ranges]) -> list[tuple[int, Ranges]]:
    """All code points, those together that the same classes hold; with the bits of these classes."""
    events: dict[int, int] = {0: 0, LAST + 1: 0}
    for number, ranges in enumerate(classes):
        for low, high in ranges:
            events[low] = events.get(low, 0) ^ (1 << number)
            events[high + 1] = events.get(high + 1, 0) ^ (1 << number)
    found: dict[int, list[Range]] = {}
    places, mask = sorted(events), 0
    for low, after in itertools.pairwise(places):
        mask ^= events[low]
        found.setdefault(mask, []).append((low, after - 1))
    return [(mask, joined(ranges)) for mask, ranges in found.items()]


__all__ = ["LAST", "SURROGATES", "Ranges", "atoms", "common", "joined", "others", "ranges_of"]
