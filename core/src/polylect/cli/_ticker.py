"""What is going on, in one line on standard error, for people who wait; erased when there is something to read."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

from ..agent._layout import fitted, width_of
from ._options import is_terminal
from ._paint import safe

EVERY = 0.2
"""Seconds between two updates."""
PATIENCE = 0.6
"""Seconds before a wait is worth a line."""
WIDTH = 80
"""Columns where a terminal does not tell its own."""


def width_of_terminal(stream: Any) -> int:
    """The columns of a stream's terminal."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    try:
        return os.get_terminal_size(stream.fileno()).columns or WIDTH
    except (AttributeError, OSError, ValueError):
        return WIDTH


class Ticker:
    """Shows what was last :meth:`said <say>`, and for how long by now, from a thread of its own.

    Everything that is written to the same terminal goes through :meth:`write`, so that the two never mix.
    """

    def __init__(self) -> None:
        self.on = is_terminal(sys.stderr)
        self._stream = sys.stderr
        self._lock = threading.RLock()
        self._over = threading.Event()
        self._said = ""
        self._since = time.monotonic()
        self._shown = 0
        self._held = False
        self._thread: threading.Thread | None = None

    def say(self, text: str) -> None:
        """Something else is going on now."""
        with self._lock:
            self._said, self._since = text, time.monotonic()

    def write(self, stream: Any, data: bytes, *, mid_line: bool = False) -> None:
        """Write to another stream, the line out of the way; it stays away while the cursor is in mid-line."""
        with self._lock:
            self._erase()
            stream.write(data)
            stream.flush()
            self._held = mid_line

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """The line out of the way, for who writes to standard error."""
        with self._lock:
            self._erase()
            yield

    def _erase(self) -> None:
        if self._shown:
            self._put("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _put(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a terminal that was closed is nothing to fail for
            self._stream.write(text)
            self._stream.flush()

    def _tick(self) -> None:
        while not self._over.wait(EVERY):
            with self._lock:
                seconds = time.monotonic() - self._since
                if self._held or not self._said or seconds < PATIENCE:
                    self._erase()
                    continue
                room = max(width_of_terminal(self._stream) - 1, 1)
                (line, *_), _ = fitted(safe(f"{self._said}, {seconds:.0f} s").replace("\n", " "), room, 1)
                self._put("\r" + line + " " * (self._shown - width_of(line)))
                self._shown = width_of(line)

    def __enter__(self) -> Self:
        if self.on:
            self._thread = threading.Thread(target=self._tick, name="polylect ticker", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self._erase()
