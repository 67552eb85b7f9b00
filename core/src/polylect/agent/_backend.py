"""asyncio and trio, as far as the asynchronous driver needs more than anyio has.

A generator that is iterated by a stranger can't hold a task group or a cancel scope open between two events. So calls
run as tasks of the event loop, which the driver itself ends in every case, and each wait has a scope of its own.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any, NamedTuple, Protocol

GRACE = 5.0
"""Seconds that what was cancelled may take to clean up, before nobody waits for it any more."""
Done = Callable[[Any, BaseException | None], None]


class Task(NamedTuple):
    """What is left to do with a task: cancel it, and wait until it has cleaned up behind itself."""

    cancel: Callable[[], Any]
    gone: Any
    """An event of anyio's."""


class Backend(Protocol):
    """One event loop."""

    def soon(self, call: Callable[[], Any]) -> bool:
        """Have the loop call it, from any thread; False, and nothing happens, if the loop has ended."""

    def is_cancelled(self) -> bool:
        """Whether somebody cancels the task where we stand: else an asyncio.CancelledError is a fault like others."""

    def spawn(self, call: Callable[[], Awaitable[Any]], done: Done) -> Task:
        """Run it as a task, in a copy of the context where we stand.

        ``done`` is called with its value or its error, unless it was cancelled.
        """


def itself(awaitable: Any) -> Any:
    """What is to be awaited, as a call that gives it."""
    return awaitable


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

    def soon(self, call: Callable[[], Any]) -> bool:
        try:
            self._loop.call_soon_threadsafe(call)
        except RuntimeError:  # the loop is closed
            return False
        return True

    def is_cancelled(self) -> bool:
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0

    def spawn(self, call: Callable[[], Awaitable[Any]], done: Done) -> Task:
        import anyio

        scope, gone = anyio.CancelScope(), anyio.Event()

        async def body() -> None:
            try:
                with scope:  # cancelling the task itself would go through the shields of those who clean up
                    try:
                        value = await call()
                    except asyncio.CancelledError as error:
                        if scope.cancel_called:
                            raise
                        done(None, error)
                    except BaseException as error:
                        done(None, error)
                    else:
                        done(value, None)
            finally:
                gone.set()

        task = self._loop.create_task(body())
        self._tasks.add(task)  # the loop itself keeps only a weak reference
        task.add_done_callback(self._tasks.discard)
        return Task(scope.cancel, gone)


class _Trio:
    def __init__(self, trio: Any) -> None:
        self._trio = trio
        self._token = trio.lowlevel.current_trio_token()

    def soon(self, call: Callable[[], Any]) -> bool:
        try:
            self._token.run_sync_soon(call)
        except self._trio.RunFinishedError:
            return False
        return True

    def is_cancelled(self) -> bool:
        return False

    def spawn(self, call: Callable[[], Awaitable[Any]], done: Done) -> Task:
        scope, gone = self._trio.CancelScope(), self._trio.Event()

        async def body() -> None:
            try:
                with scope:
                    try:
                        value = await call()
                    except self._trio.Cancelled:
                        raise
                    except BaseException as error:
                        done(None, error)
                    else:
                        done(value, None)
            finally:
                gone.set()

        self._trio.lowlevel.spawn_system_task(body, context=copy_context())  # its default is the loop's own context
        return Task(scope.cancel, gone)
