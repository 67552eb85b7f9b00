"""Messages that are damaged a little."""

from __future__ import annotations

import random
from collections.abc import Sequence


def damaged(text: str, others: Sequence[str], marks: Sequence[str], pieces: Sequence[str], rng: random.Random) -> str:
    """A message with something put in, left out, doubled, replaced, or taken from another one.

    ``marks`` are put in between two characters, ``pieces`` in the place of one.
    """
    for _ in range(rng.randint(1, 3)):
        at, size = rng.randint(0, len(text)), rng.randint(0, 10)
        other = rng.choice(others)
        begin = rng.randint(0, len(other))
        kind = rng.randrange(7)
        if kind == 0:
            text = text[:at] + rng.choice(marks) + text[at:]
        elif kind == 1:
            text = text[:at] + text[at + size :]
        elif kind == 2:
            text = text[:at]
        elif kind == 3:
            text = text[: at + size] + text[at:]
        elif kind == 4:
            text = text[:at] + other[begin : begin + rng.randint(1, 50)] + text[at:]
        elif kind == 5:
            text = text[:at] + rng.choice(pieces) + text[at + 1 :]
        else:
            text = text[:at] + other[begin:]
    return text
