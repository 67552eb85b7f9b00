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
    """One call, once it is started. ``done`` is called in the job's thread when it is over, unless it was given up.

    What it returns is awaited there, in a loop of its own, unless ``awaits`` is False. ``asynchronous`` says that the
    call itself takes no time. The exception that ends a thread is raised inside the call alone: what stands around it
    looks whether the job was given up.
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
        self._asynchronous = asynchronous
        self._lock = threading.Lock()
        self._over = self._given_up = self._exposed = self._thrown = False
        self._scope: tuple[asyncio.AbstractEventLoop, Any] | None = None
        self._thread = threading.Thread(target=copy_context().run, args=(self._run,), name=name, daemon=True)

    def start(self) -> Job:
        """Begin.

        Raises:
            RuntimeError: there can be no more threads.
        """
        self._thread.start()
        return self

    def _run(self) -> None:
        try:
            self._run_call()
            if self._awaits and not self._given_up and inspect.isawaitable(self.value):
                self.value = asyncio.run(self._await(self.value))
        except GivenUp:
            discard(self.value)
            return
        except BaseException as error:
            self.error = error
        with self._lock:
            self._over = True
            told = not self._given_up
        if told:
            self._done(self)
        else:
            discard(self.value)

    def _run_call(self) -> None:
        """GivenUp is raised in here, and nowhere else."""
        with self._lock:
            if self._given_up:
                raise GivenUp
            self._exposed = not self._asynchronous
        try:
            self.value = self._call()
        finally:
            self.leave_alone()

    def leave_alone(self) -> None:
        """Called in the thread: from now on no exception is raised in it."""
        try:
            with self._lock:
                self._exposed = False
            if self._thrown:  # it comes with one of the next steps, unless somebody swallowed it
                for _ in range(STEPS):
                    pass
        except GivenUp:
            pass

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
            elif self._exposed:
                self._thrown = True
                ident = ctypes.c_ulong(self._thread.ident or 0)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(GivenUp))


STEPS = 100
"""Steps of Python at one of which a pending exception is raised; it is the first of them."""


def discard(value: Any) -> None:
    """What nobody waits for any more is closed, if it is a coroutine: nobody forgot to await it."""
    if inspect.iscoroutine(value):
        value.close()
