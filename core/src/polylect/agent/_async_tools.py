"""The calls of a turn within the asynchronous driver: as tasks of the event loop, and in threads."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from .._values import AgentAction
from ._backend import GRACE, Backend, itself
from ._calling import Prepared
from ._driving import Drive
from ._jobs import Job, discard
from ._turn import Turn
from ._values import CallTools


class Tasks(Turn):
    """The calls of a turn as tasks of the loop, and in threads where they are synchronous."""

    def __init__(self, run: Drive, want: CallTools, backend: Backend) -> None:
        import anyio

        super().__init__(run, want)
        self._backend = backend
        self._make_event = anyio.Event
        self._event = anyio.Event()
        self._inbox: list[tuple[int, Any, BaseException | None]] = []
        self._ends: dict[int, Callable[[], Any]] = {}
        self._gone: dict[int, Any] = {}
        self._owed: list[Any] = []
        self._leaving: list[Any] = []
        self._over = False

    def call(self, place: int, call: Prepared, action: AgentAction) -> None:
        """As a task, or in a thread."""
        if self.run.caller.is_async(action):
            self._spawn(place, call)
            return

        def done(job: Job) -> None:
            if not self._backend.soon(lambda: self._arrived(place, job.value, job.error)):
                discard(job.value)

        job = self.inside(place, lambda: Job(call, done, f"polylect tool {action.tool:.40}", awaits=False))
        try:
            job.start()
        except RuntimeError as error:  # there are too many threads
            self.ended(place, None, error)
        else:
            self._ends[place] = job.give_up

    def _spawn(self, place: int, call: Callable[[], Any]) -> None:
        async def awaited() -> Any:
            return await call()

        def done(value: Any, error: BaseException | None) -> None:
            self._arrived(place, value, error)

        task = self.inside(place, lambda: self._backend.spawn(awaited, done))
        self._ends[place] = task.cancel
        self._gone[place] = task.gone

    def wait(self, place: int, awaitable: Any) -> None:
        """As a task."""
        self._spawn(place, partial(itself, awaitable))

    def settle(self, hook: Any, made: Any) -> None:
        """Awaited by the driver, as soon as it can."""
        if inspect.isawaitable(made):
            self._owed.append(made)

    async def settled(self) -> None:
        """Await what hooks returned."""
        while self._owed:
            await self._owed.pop(0)

    def _arrived(self, place: int, value: Any, error: BaseException | None) -> None:
        if self._over:
            discard(value)
            return
        self._inbox.append((place, value, error))
        self._event.set()

    async def any_ended(self) -> None:
        """Wait until something has ended."""
        while not self._inbox:
            self._event = self._make_event()
            await self._event.wait()

    def take(self) -> None:
        """Tell the turn what has ended."""
        while self._inbox:
            place, value, error = self._inbox.pop(0)
            if place not in self.open:
                discard(value)
                continue
            self._ends.pop(place, None)
            if error is None and inspect.isawaitable(value) and place not in self._waits:
                self._spawn(place, partial(itself, value))
            else:
                self.ended(place, value, error)

    def abandon(self, place: int) -> None:
        """The task is cancelled; a thread is told to end."""
        end = self._ends.pop(place, None)
        if end is not None:
            end()
            if place in self._gone:
                self._leaving.append(self._gone.pop(place))

    async def gone(self) -> None:
        """Wait until those that were cancelled have cleaned up behind themselves, but not for ever."""
        import anyio

        self._over = True
        for _, value, _ in self._inbox:
            discard(value)
        for made in self._owed:
            discard(made)
        with anyio.move_on_after(GRACE, shield=True):
            while self._leaving:
                await self._leaving.pop().wait()
