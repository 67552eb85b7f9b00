"""A call in a thread of its own, which can be given up.

Python can't stop a thread. One that is given up is told to end by an exception that is raised inside it: at its next
step in Python. A call that waits inside C code for ever stays there until the program ends, which it does not hold up.
"""

from __future__ import annotations

import asyncio
import ctypes
import inspect
import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any


class GivenUp(BaseException):
    """Raised inside a thread whose result nobody waits for any more."""


class Job:
    """One call, started at once. ``done`` is called in the job's thread when it is over, unless it was given up.

    What it returns is awaited there, in a loop of its own, unless ``awaits`` is False. ``asynchronous`` says that the
    call itself takes no time.
    """

    def __init__(
        self,
        call: Callable[[], Any],
        done: Callable[[Job], None],
        name: str = "polylect",
        *,
        awaits: bool = True,
        asynchronous: bool = False,
    ) -> None:
        self.value: Any = None
        self.error: BaseException | None = None
        self._call, self._done, self._awaits = call, done, awaits
        self._lock = threading.Lock()
        self._over = self._given_up = False
        self._awaiting = asynchronous
        self._scope: tuple[asyncio.AbstractEventLoop, Any] | None = None
        self._thread = threading.Thread(target=copy_context().run, args=(self._run,), name=name, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        value: Any = None
        try:
            try:
                value = self._call()
                if self._awaits and inspect.isawaitable(value):
                    with self._lock:
                        self._awaiting = True
                    value = asyncio.run(self._await(value))
                self.value = value
            except GivenUp:
                if inspect.iscoroutine(value):
                    value.close()
                return
            except BaseException as error:
                self.error = error
            with self._lock:
                self._over = True
                told = not self._given_up
            if told:
                self._done(self)
        except GivenUp:  # it came while the call ended by itself
            return

    async def _await(self, awaitable: Any) -> Any:
        import anyio

        # a scope, since those who clean up shield themselves from scopes, and not from the cancelling of their task
        with anyio.CancelScope() as scope:
            with self._lock:
                self._scope = asyncio.get_running_loop(), scope
                given_up = self._given_up
            if given_up:
                scope.cancel()
            try:
                return await awaitable
            finally:
                with self._lock:
                    self._scope = None
        raise GivenUp

    @property
    def over(self) -> bool:
        """Whether it has ended by itself: ``value`` or ``error`` is there."""
        return self._over

    def give_up(self) -> None:
        """Nobody waits for the result any more: ``done`` will not be called, and the thread is told to end."""
        with self._lock:
            if self._over or self._given_up:
                self._given_up = True
                return
            self._given_up = True
            if self._scope is not None:
                loop, scope = self._scope
                loop.call_soon_threadsafe(scope.cancel)
                return
            if self._awaiting:  # an exception in the midst of asyncio would leave its loop open; the task will be told
                return
            ident = self._thread.ident
            if ident is not None:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(GivenUp))
