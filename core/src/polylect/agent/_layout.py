"""How much room text takes, and text broken to fit: in columns of a terminal, or in an estimate for a picture.

All of it takes time in proportion to what is looked at, and no more is looked at than is shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

Measure = Callable[[str], int]
"""The room that one character takes, in any unit."""

CLOSING = frozenset("、。，．：；！？）］｝」』】〉》〕…ー")
"""What never begins a line."""

# Widths in hundredths of the font size, of DejaVu Sans: wider than the sans-serif fonts of other systems, so that what
# fits in it fits in them.
_WIDTHS = (
    ("ijl'IJ", 29), (" ,./:;\\|-f()[]t!", 38), ("r\"*_`szc?L", 54), ("AVXZBRK&CNHUDGOQw#+<=>^~", 80), ("mMW%@", 100),
)  # fmt: skip
_SANS = {char: width for chars, width in _WIDTHS for char in chars}


@lru_cache(4096)
def columns(char: str) -> int:
    """The columns of a terminal, or of a picture's monospaced font, that a character takes: 0, 1 or 2."""
    if char.isascii():
        return 1
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def ideographic(char: str) -> bool:
    """Whether a line may be broken behind a character: wide ones, but those of Korean, which has spaces."""
    return columns(char) == 2 and not "\uac00" <= char <= "\ud7a3"


@lru_cache(4096)
def sans(char: str) -> int:
    """The width of a character in a proportional font, in hundredths of its size: an estimate from above."""
    if char.isascii():
        return _SANS.get(char, 64)
    wide = columns(char)
    if wide == 2:
        return 102 if ideographic(char) and char < "\U0001f000" else 138 if char > "\U0001f000" else 100
    return 0 if not wide else 66 if unicodedata.category(char) == "Ll" else 80


def width_of(text: str, measure: Measure = columns) -> int:
    """The room that a line takes."""
    return sum(map(measure, text))


class Cut(NamedTuple):
    """The beginning of a text, and how many characters were left out behind it."""

    text: str
    left: int


def cut(text: str, limit: int | None) -> Cut:
    """At most ``limit`` characters of a text; a single one more is no reason to cut."""
    return Cut(text, 0) if limit is None or len(text) <= limit + 1 else Cut(text[:limit], len(text) - limit)


def wrapped(text: str, room: int, measure: Measure = columns) -> Iterator[str]:
    """The lines of a text, none wider than ``room``: broken at spaces, between wide characters, else anywhere.

    A line has at least one character, however narrow the room.
    """
    for line in text.split("\n"):
        if measure is columns and (len(line) if line.isascii() else 2 * len(line)) <= room:  # it fits, whatever it is
            yield line.rstrip(" ")
        else:
            yield from _broken(line, room, measure)


def _broken(line: str, room: int, measure: Measure) -> Iterator[str]:
    start = at = used = 0
    can = 0  # where the line may end, when that is beyond ``start``: no character is looked at more than twice
    indent = True
    while at < len(line):
        char = line[at]
        wide = measure(char)
        if used + wide > room and at > start and wide and char != " ":
            end = can if can > start else at
            yield line[start:end].rstrip(" ")
            start = at = end
            while start < len(line) and line[start] == " ":
                start = at = start + 1
            used, can, indent = 0, start, True
            continue
        used += wide
        at += 1
        if char == " ":
            if not indent:
                can = at
        else:
            indent = False
            after = line[at : at + 1]
            if char == "-" or (ideographic(char) and after and columns(after) and after not in CLOSING):
                can = at
    if start < len(line) or not line:
        yield line[start:].rstrip(" ")


def fitted(text: str, room: int, lines: int, measure: Measure = columns) -> tuple[list[str], bool]:
    """At most so many lines of a text, and whether that is all of it; the last one ends in "…" when it is not."""
    shown: list[str] = []
    for line in wrapped(text, room, measure):
        if len(shown) == lines:
            shown[-1] = ending(shown[-1], room, measure)
            return shown, False
        shown.append(line)
    return shown, True


def ending(line: str, room: int, measure: Measure = columns) -> str:
    """A line with "…" at its end, shortened so that both fit."""
    used, mark = width_of(line, measure), measure("…")
    while line and used + mark > room:
        used -= measure(line[-1])
        line = line[:-1]
    return line.rstrip(" ") + "…"
