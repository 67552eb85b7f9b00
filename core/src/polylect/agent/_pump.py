"""A synchronous model's reply, pulled in a thread and handed to the event loop chunk by chunk."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Any

from .._outputs import chunks_of
from ._asking import ENDS, broken_off
from ._backend import Backend
from ._jobs import Job, discard

AHEAD = 256
"""Chunks that the model may be ahead of whoever reads."""
PATIENCE = 0.1
"""Seconds in which a stream may end by itself: an exception may come in the midst of anything, and be lost there."""
STREAMED = object()
"""What the thread returns when all has been handed over in chunks."""


class Pump:
    """``next()`` gives chunks, or the whole output, wrapped in a tuple; None when it is over."""

    def __init__(self, backend: Backend, ask: Callable[[], Any]) -> None:
        import anyio

        self._backend, self._ask = backend, ask
        self._items: deque[Any] = deque()
        self._ready = anyio.Event
        self._event = anyio.Event()
        self._room = threading.Semaphore(AHEAD)
        self._stopped = False
        self.streams = False
        self._over = self._streaming = False
        self._job = Job(self._pull, lambda job: self._tell(), "polylect model")
        self._job.start()

    def _tell(self) -> None:
        self._backend.soon(lambda: self._event.set())

    def _pull(self) -> Any:
        output = self._ask()
        if hasattr(output, "__aiter__"):
            return output
        chunks = chunks_of(output) if not hasattr(output, "__await__") else None
        if chunks is None:
            return output
        self._streaming = True
        try:
            for chunk in chunks:
                self._room.acquire()
                if self._stopped:
                    break
                self._items.append(chunk)
                self._tell()
        finally:
            self._job.leave_alone()  # a connection that is being closed is not to be left half open
            close = getattr(chunks, "close", None)
            if callable(close):
                close()
        return STREAMED

    async def next(self) -> tuple[Any] | None:
        """The next chunk; for an output that came whole, all of it, once (``streams`` is False then)."""
        while True:
            if self._items:
                self.streams = True
                self._room.release()
                return (self._items.popleft(),)
            if self._job.over:
                if self._items:
                    continue
                return self._last()
            self._event = self._ready()
            if not self._items and not self._job.over:
                await self._event.wait()

    def _last(self) -> tuple[Any] | None:
        if self._over:
            return None
        self._over = True
        error = self._job.error
        if isinstance(error, ENDS):
            raise broken_off(error) from error
        if error is not None:
            raise error
        if self._job.value is STREAMED:
            self.streams = True
            return None
        return (self._job.value,)

    async def aclose(self) -> None:
        """No more is wanted: a stream ends by itself at its next chunk, and is told to end if that takes long."""
        import anyio

        self._stopped = True
        self._room.release()
        try:
            if self._streaming:
                with anyio.move_on_after(PATIENCE, shield=True):
                    while not self._job.over:
                        self._event = self._ready()
                        if not self._job.over:
                            await self._event.wait()
        finally:
            self._job.give_up()
            if self._job.over:
                discard(self._job.value)
