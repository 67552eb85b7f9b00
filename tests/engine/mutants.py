"""Messages bent at random, the same ones in every run."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

LOOSE = (*'\n \t"\\{}[]:,<>|`éx', "\r\n", "\ud800", "\n\n")
"""What disturbs most: layout, quotes, brackets, and the first characters of markers."""


def mutants(examples: Sequence[str], number: int, seed: int = 0) -> Iterator[str]:
    """``number`` messages made from ``examples`` by a few edits each."""
    choose = random.Random(seed)
    words = sorted({word for text in examples for word in re.findall(r"[\w ]+|<[^<>]*>|\S|\n+", text)})
    lines = sorted({line for text in examples for line in re.findall(r"[^\n>\]}]+[\n>\]}]*", text)})
    for _ in range(number):
        text = choose.choice(examples)
        for _ in range(choose.choice((1, 1, 1, 2, 2, 3, 5))):
            text = _bent(text, choose, choose.choice((words, words, lines, LOOSE, examples)))
        yield text


def _bent(text: str, choose: random.Random, pieces: Sequence[str]) -> str:
    at = choose.randint(0, len(text))
    end = min(len(text), at + choose.choice((1, 1, 2, 4, 9, 30)))
    piece = choose.choice(pieces)
    return choose.choice(
        (
            text[:at] + piece + text[at:],
            text[:at] + piece + text[at:],
            text[:at] + piece + text[end:],
            text[:at] + text[end:],
            text[:end] + text[at:],
            text[:at] + text[end:] + text[at:end],
            text[:at],
            text[at:],
        )
    )
