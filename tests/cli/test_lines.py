"""Batches of whole lines, whatever the blocks they are read in."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from polylect.cli._lines import HEAD, Source, batches


def in_blocks(data: bytes, size: int) -> Callable[[int], bytes]:
    stream = io.BytesIO(data)
    return lambda _: stream.read(size)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"a",
        b"a\n",
        b"a\nb",
        b"\n\na\n\n",
        b"one\ntwo\r\nthree\x0bthree\xe2\x80\xa8three\n",
        b"x" * 50 + b"\n",
    ],
)
def test_batches_hold_whole_lines_and_number_them(data: bytes) -> None:
    for size in (1, 2, 3, 7, 1000):
        found = list(batches(in_blocks(data, size)))
        assert b"".join(x.data for x in found) == data
        assert all(x.data.endswith(b"\n") for x in found[:-1])
        number = 1
        for batch in found:
            assert batch.first == number
            number += batch.data.count(b"\n")


def test_line_numbers_count_blank_lines() -> None:
    rng = random.Random(1)
    data = b"".join(b"%d" % i + b"\n" * rng.randint(1, 3) for i in range(500))
    whole = data.split(b"\n")
    for size in (3, 11, 40):
        for batch in batches(in_blocks(data, size)):
            found = batch.data.removesuffix(b"\n").split(b"\n")
            assert found == whole[batch.first - 1 : batch.first - 1 + len(found)]


def test_a_line_beyond_the_limit_is_let_go_and_the_rest_is_kept() -> None:
    data = b"a\n" + b"x" * 500 + b"\nb\nc"
    found = list(batches(in_blocks(data, 10), limit=100))
    assert [(x.first, x.overlong) for x in found] == [(1, False), (2, True), (3, False), (4, False)]
    assert [x.data for x in found if not x.overlong] == [b"a\n", b"b\n", b"c"]
    assert b"x" * len(found[1].data) == found[1].data
    assert len(found[1].data) <= HEAD


def test_a_line_beyond_the_limit_may_end_the_file() -> None:
    found = list(batches(in_blocks(b"x" * 500, 10), limit=100))
    assert [(x.first, x.overlong) for x in found] == [(1, True)]
    assert len(found[0].data) <= HEAD


def test_small_writes_that_wait_in_a_pipe_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    out, into = os.pipe()
    for _ in range(20):
        os.write(into, b"line\n")
    with os.fdopen(out) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        source = Source("-")
        assert source.fd == out
        assert source.size is None
        assert source.ready()
        assert source.read_batch(100) == b"line\n" * 20
        assert not source.ready()
        os.write(into, b"more\n")
        os.close(into)
        assert source.read_batch(1000) == b"more\n"
        assert source.read_batch(1000) == b""


def test_a_file_is_read_as_bytes(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\r\n\x1a\n")
    with Source(str(path)) as source:
        assert source.size == 5
        assert source.fd is None
        assert source.read_all() == b"a\r\n\x1a\n"
