"""asyncio and trio, as far as the asynchronous driver needs more than anyio has.

A generator that is iterated by a stranger can't hold a task group or a cancel scope open between two events. So calls
run as tasks of the event loop, which the driver itself ends in every case, and each wait has a scope of its own.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

Done = Callable[[Any, BaseException | None], None]


class Backend(Protocol):
    """One event loop."""

    def soon(self, call: Callable[[], Any]) -> None:
        """Have the loop call it, from any thread; nothing happens if the loop has ended."""

    def spawn(self, call: Callable[[], Awaitable[Any]], done: Done) -> Callable[[], None]:
        """Run it as a task; ``done`` is called with its value or its error. Gives back what cancels it."""


def backend() -> Backend:
    """The loop that is running."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        return _Trio(trio)
    return _Asyncio()


class _Asyncio:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()

    def soon(self, call: Callable[[], Any]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(call)

    def spawn(self, call: Callable[[], Awaitable[Any]], done: Done) -> Callable[[], None]:
        cancelled = False

        async def body() -> None:
            try:
                value = await call()
            except BaseException as error:
                if cancelled and isinstance(error, asyncio.CancelledError):
                    raise
                done(None, error)
            else:
                done(value, None)

        def cancel() -> None:
            nonlocal cancelled
            cancelled = True
            task.cancel()

        task = self._loop.create_task(body())
        self._tasks.add(task)  # the loop itself keeps only a weak reference
        task.add_done_callback(self._tasks.discard)
        return cancel


class _Trio:
    def __init__(self, trio: Any) -> None:
        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()

    def soon(self, call: Callable[[], Any]) -> None:
        with contextlib.suppress(self._trio.RunFinishedError):
            self._token.run_sync_soon(call)

    def spawn(self, call: Callable[[], Awaitable[Any]], done: Done) -> Callable[[], None]:
        scope = self._trio.CancelScope()

        async def body() -> None:
            with scope:
                try:
                    value = await call()
                except self._trio.Cancelled:
                    raise
                except BaseException as error:
                    done(None, error)
                else:
                    done(value, None)

        self._trio.lowlevel.spawn_system_task(body)
        cancel: Callable[[], None] = scope.cancel
        return cancel
