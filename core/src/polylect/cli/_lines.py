"""Input: files and pipes as bytes, cut into batches of whole lines, in constant memory."""

from __future__ import annotations

import os
import select
import stat
import sys
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, NamedTuple, Self

import click

BATCH = 256 * 1024
"""Bytes read at once: large enough that handing them to a process costs nothing, small enough to hold a few."""
MAX_LINE = 64 * 1024 * 1024
"""Bytes in one line: four times the longest message (see ``MAX_CALL_SIZE``); beyond it the file is no JSON Lines."""
HEAD = 200
"""Bytes of a line beyond the limit that its error record quotes."""
BOM = b"\xef\xbb\xbf"


class Batch(NamedTuple):
    """Whole lines: the number of the first one (from 1), and their bytes.

    ``overlong`` marks the head of one line that was longer than :data:`MAX_LINE`.
    """

    first: int
    data: bytes
    overlong: bool = False


def batches(read: Callable[[int], bytes], *, limit: int = MAX_LINE) -> Iterator[Batch]:
    """Cut what ``read`` gives into batches; memory is bounded by one batch and the longest line.

    Lines end with a line feed only: inside JSON Lines nothing else ends one.
    """
    number = 1
    held: list[bytes] = []  # the pieces of a line whose end has not come yet
    size = 0
    head = b""  # of a line that is too long; its pieces are let go
    while chunk := read(BATCH):
        end = chunk.rfind(b"\n") + 1
        if not end:
            if not head:
                held.append(chunk)
                size += len(chunk)
                if size > limit:
                    head, held = b"".join(held)[:HEAD], []
            continue
        start = 0
        if head:
            start = chunk.find(b"\n") + 1
            yield Batch(number, head, overlong=True)
            number, head = number + 1, b""
        data = b"".join((*held, chunk[start:end])) if held else chunk[start:end]
        held = [chunk[end:]] if end < len(chunk) else []
        size = len(chunk) - end
        if data:
            yield Batch(number, data)
            number += data.count(b"\n")
    if head:
        yield Batch(number, head, overlong=True)
    elif held:
        yield Batch(number, b"".join(held))


class Source:
    """One input, a file or standard input (``-``), read without waiting for more than has arrived.

    Attributes:
        name: as it was given on the command line.
        size: bytes, where the input is a regular file; else None.
        fd: the descriptor that can be waited for, where the input is a pipe or a terminal; else None.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.size: int | None = None
        self.fd: int | None = None
        self._stream: Any = None
        self._own = name != "-"
        self._fd = -1
        if self._own:
            self._fd = os.open(name, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        elif sys.stdin is None:
            raise click.UsageError("There is no standard input to read. Name a file.")
        else:
            try:
                self._fd = sys.stdin.fileno()
            except (OSError, ValueError):  # a stand-in without a descriptor
                self._stream = sys.stdin.buffer
        if self._fd >= 0:
            status = os.fstat(self._fd)
            if stat.S_ISREG(status.st_mode):
                self.size = status.st_size
            elif os.name == "posix":
                self.fd = self._fd
            if not self._own and os.isatty(self._fd):
                click.echo("Reading from the terminal: end with Ctrl-D.", err=True)

    def read(self, size: int) -> bytes:
        """At most ``size`` bytes: what has arrived, at least one byte; ``b""`` at the end."""
        if self._stream is not None:
            found = getattr(self._stream, "read1", self._stream.read)(size)
            return bytes(found)
        return os.read(self._fd, size)

    def read_batch(self, size: int) -> bytes:
        """As :meth:`read`, but small writes that have arrived already are gathered into one block."""
        first = self.read(size)
        if self.fd is None or not first or len(first) >= size:
            return first
        found, length = [first], len(first)
        while length < size and self.ready():
            more = os.read(self.fd, size - length)
            if not more:
                break
            found.append(more)
            length += len(more)
        return b"".join(found)

    def ready(self) -> bool:
        """Whether a read would not wait."""
        if self.fd is None:
            return True
        poll = select.poll()
        poll.register(self.fd, select.POLLIN | select.POLLHUP)
        return bool(poll.poll(0))

    def read_all(self) -> bytes:
        """Everything."""
        return b"".join(iter(lambda: self.read(4 * BATCH), b""))

    def close(self) -> None:
        """Close the file; standard input is left open."""
        if self._own and self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
