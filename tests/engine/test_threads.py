"""One lect is shared by many threads, from its first use on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import pytest

from polylect import TextLect

from .streams import cut, feed
from .tongues import BLOB, BLOCK, REACT, TAGS, Tongue

THREADS = 6


def read(lect: TextLect, barrier: Barrier, examples: tuple[str, ...], size: int, number: int) -> list[str]:
    barrier.wait()
    texts = examples if number % 2 else examples[::-1]
    streamed = [feed(lect, cut(text, size))[1].to_json() for text in texts]
    assert streamed == [lect.parse(text).to_json() for text in texts]
    return streamed if number % 2 else streamed[::-1]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("tongue", [REACT, BLOB, TAGS, BLOCK], ids=str)
def test_threads_that_use_a_new_lect_at_the_same_time(tongue: Tongue, size: int) -> None:
    wanted = [tongue.lect.parse(text).to_json() for text in tongue.examples]
    work = partial(read, type(tongue.lect)(), Barrier(THREADS, timeout=60), tongue.examples, size)
    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(work, range(THREADS))) == [wanted] * THREADS
