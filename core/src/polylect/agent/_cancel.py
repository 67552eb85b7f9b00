"""Telling a run to stop, from anywhere."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Cancel:
    """A switch that stops the runs that were given it: from another thread, a signal handler, or a tool.

    What was finished by then is in the result, whose ``stop_reason`` is ``cancelled``.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()  # a signal handler may come while it is held
        self._cancelled = False
        self._watchers: list[Callable[[], object]] = []

    @property
    def cancelled(self) -> bool:
        """Whether it was pulled."""
        return self._cancelled

    def cancel(self) -> None:
        """Stop; more than once does no harm."""
        with self._lock:
            self._cancelled = True
            watchers = list(self._watchers)
        for watcher in watchers:
            watcher()

    def watch(self, watcher: Callable[[], object]) -> Callable[[], None]:
        """Have ``watcher`` called when it is pulled, at once if it was; gives back what ends the watch."""
        with self._lock:
            self._watchers.append(watcher)
            now = self._cancelled
        if now:
            watcher()
        return lambda: self._forget(watcher)

    def _forget(self, watcher: Callable[[], object]) -> None:
        with self._lock:
            if watcher in self._watchers:
                self._watchers.remove(watcher)
