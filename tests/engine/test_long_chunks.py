"""Long chunks between short ones: each way that the reader takes for a size follows on each other one."""

from __future__ import annotations

import random

import pytest

from .streams import alike, cut
from .tongues import TONGUES, Tongue

RUNS = ("a", "word ", "\n", " ", "x" * 7)
SIZES = (range(1, 9), range(1, 80), range(400, 1500), range(500, 530))


def long_text(choose: random.Random, examples: tuple[str, ...]) -> str:
    """Whole examples and pieces of them, with runs of words between."""
    wanted = choose.choice((700, 1500, 3000))
    pieces: list[str] = []
    while sum(map(len, pieces)) < wanted:
        example = choose.choice(examples)
        start = choose.randrange(len(example))
        piece = example[start : start + choose.randint(1, 30)]
        run = choose.choice(RUNS) * choose.randint(1, choose.choice((3, 200)))
        pieces.append(choose.choice((run, run, example, piece, piece, piece)))
    return "".join(pieces)


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_long_chunks_say_what_the_whole_says(tongue: Tongue) -> None:
    choose = random.Random(1)
    for _ in range(120):
        text = long_text(choose, tongue.examples)
        ways = []
        for _ in range(3):
            kinds = choose.choice((SIZES[2:], SIZES))
            ways.append(cut(text, *(choose.choice(choose.choice(kinds)) for _ in range(9))))
        alike(tongue.lect, text, ways)
