"""Text into tokens without anybody's tokenizer: deterministic, and about as long as a model's own are."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence

PIECES = r"\d|\n+| +(?=\s)|[ ]?[^\W\d_]{1,6}|[ ]?[^\w\s]{1,2}|[\s\S]"
"""A digit, line breaks, indentation, a short word or punctuation with its space, anything else."""


class Cutter:
    """Cuts text into tokens, of which the given markers are atoms."""

    def __init__(self, markers: Iterable[str]) -> None:
        self.markers = frozenset(mark for mark in markers if mark)
        ordered = sorted(self.markers, key=lambda mark: (-len(mark), mark))
        atoms = "|".join(map(re.escape, ordered)) or r"(?!)"
        self._atoms = re.compile(f"({atoms})")
        self._pieces = re.compile(PIECES)

    def __call__(self, text: str) -> list[str]:
        """The tokens; joined, they are the text."""
        out: list[str] = []
        for number, piece in enumerate(self._atoms.split(text)):
            if number % 2:
                out.append(piece)
            else:
                out += self._pieces.findall(piece)
        return out


def grouped(units: Sequence[str], most: int, seed: int) -> Iterator[str]:
    """The units in groups of one to ``most``, drawn by ``seed``."""
    draw = random.Random(seed)
    at = 0
    while at < len(units):
        size = draw.randint(1, most)
        yield "".join(units[at : at + size])
        at += size
