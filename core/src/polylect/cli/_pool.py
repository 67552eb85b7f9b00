"""Several processes over one ordered stream of work, by hand.

``multiprocessing.Pool`` waits for ever for a worker that was killed, and the executor of ``concurrent.futures`` reads
its whole input ahead. Here each worker has one item at a time over a pipe of its own, the parent waits on pipes and on
deaths together, and the number of items in flight is bounded, so memory is too.
"""

from __future__ import annotations

import gc
import signal
import sys
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

AHEAD = 4
"""Items in flight for each process: an item that takes four times as long as its neighbours holds nobody up."""


class Item(NamedTuple):
    """Work for one call: bytes of an input, where they stand, and how they are to be read.

    ``kind``: ``lines`` (JSON Lines), ``text`` (one whole message), ``json`` (one JSON document), ``overlong`` (the head
    of a line that was too long to read).
    """

    kind: str
    name: str
    line: int
    data: bytes
    size: int = 0


class Result(NamedTuple):
    """What became of an item: bytes to write, and how many records it had and how many failed."""

    data: bytes
    records: int
    failed: int
    size: int = 0


class Work(Protocol):
    """What a worker does. It is sent to other processes, so it holds plain values until it is prepared."""

    def prepare(self) -> None:
        """Load what is heavy. Called before the first item, in every process."""

    def __call__(self, item: Item) -> Result:
        """Do one item. Raises nothing that the item's text could cause."""


class Feed(Protocol):
    """Where items come from."""

    def __iter__(self) -> Iterator[Item]: ...

    def ready(self) -> bool:
        """Whether the next item is there, so that asking for it does not wait."""

    def waits_on(self) -> int | None:
        """The descriptor whose data the next item waits for, or None."""


class WorkerDied(Exception):
    """A worker process ended in the middle of its work."""


def run(work: Work, feed: Feed, jobs: int) -> Iterator[Result]:
    """The results of all items, in order, with ``jobs`` processes.

    Raises:
        WorkerDied: a process was killed. Everything before its item has been given out.
    """
    work.prepare()
    if jobs == 1:
        for item in feed:
            yield work(item)
        return
    pool = _Pool(work, jobs)
    try:
        yield from pool.run(feed)
    finally:
        pool.stop()


class _Pool:
    def __init__(self, work: Work, jobs: int) -> None:
        import multiprocessing

        # Linux: a copy of this process has everything loaded already. Elsewhere forking is unsafe or unknown.
        context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        self.workers: dict[Connection[Any, Any], BaseProcess] = {}
        self.frozen = gc.get_freeze_count() > 0  # by somebody else, who wants it so for longer
        gc.freeze()  # or each worker's first collection copies all pages of the parent
        ours = _ignore_interrupts()  # children inherit it: Ctrl-C is the parent's business
        try:
            for _ in range(jobs):
                near, far = context.Pipe()
                process = context.Process(target=_serve, args=(far, work, near), daemon=True)
                process.start()
                far.close()
                self.workers[near] = process
        finally:
            if ours is not None:
                signal.signal(signal.SIGINT, ours)
        self.idle = deque(self.workers)
        self.busy: dict[Connection[Any, Any], tuple[int, Item]] = {}
        self.done: dict[int, Result] = {}
        self.given = 0  # items that were sent to a worker
        self.out = 0  # results that were handed on
        self.death: tuple[int, WorkerDied] | None = None

    def run(self, feed: Feed) -> Iterator[Result]:
        from multiprocessing.connection import wait

        source = iter(feed)
        jobs, more = len(self.workers), True
        ahead: deque[Item] = deque()
        while True:
            while ahead and self.idle:
                self._send(ahead.popleft())
            while self.out in self.done:
                self.out += 1
                yield self.done.pop(self.out - 1)
            if self.death is not None and self.death[0] == self.out:
                raise self.death[1]
            room = more and self.death is None and self.given + len(ahead) - self.out < AHEAD * jobs
            if room and len(ahead) < jobs and (not self.busy or feed.ready()):
                item = next(source, None)
                if item is None:
                    more = False
                else:
                    ahead.append(item)
                continue
            if not self.busy:
                return
            waiting: list[Any] = [*self.busy, *(self.workers[pipe].sentinel for pipe in self.busy)]
            descriptor = feed.waits_on() if room and len(ahead) < jobs else None
            if descriptor is not None:
                waiting.append(descriptor)
            ready = set(wait(waiting))
            for pipe in [*self.busy]:
                if pipe in ready or self.workers[pipe].sentinel in ready:
                    self._receive(pipe)

    def _send(self, item: Item) -> None:
        pipe = self.idle.popleft()
        self.busy[pipe] = self.given, item
        self.given += 1
        try:
            pipe.send(item)
        except OSError:
            self._bury(pipe)

    def _receive(self, pipe: Connection[Any, Any]) -> None:
        try:
            found = pipe.recv()
        except (EOFError, OSError):
            self._bury(pipe)
            return
        number, _ = self.busy.pop(pipe)
        self.done[number] = found
        self.idle.append(pipe)

    def _bury(self, pipe: Connection[Any, Any]) -> None:
        number, item = self.busy.pop(pipe)
        process = self.workers[pipe]
        process.join(5)
        where = f"{item.name}, line {item.line}" if item.kind != "text" else item.name
        error = WorkerDied(f"A worker process {_fate(process.exitcode)} at {where}. The output ends before that place.")
        if self.death is None or number < self.death[0]:
            self.death = number, error

    def stop(self) -> None:
        """End all workers now: what they still have in hand is not wanted."""
        for pipe, process in self.workers.items():
            process.terminate()
            pipe.close()
        for process in self.workers.values():
            process.join(5)
            if process.is_alive():
                process.kill()
        if not self.frozen:
            gc.unfreeze()


def _fate(code: int | None) -> str:
    if code is None or code >= 0:
        return f"ended with exit code {code}"
    hint = " (the system does that when memory runs out)" if code == -9 else ""
    return f"was killed by signal {-code}{hint}"


def _ignore_interrupts() -> Any:
    try:
        return signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not in the main thread: then interrupts don't come here either
        return None


def _serve(pipe: Connection[Any, Any], work: Work, near: Connection[Any, Any]) -> None:
    near.close()  # the parent's end: with it open, the parent's death would go unseen
    _ignore_interrupts()
    work.prepare()
    while True:
        try:
            item = pipe.recv()
        except (EOFError, OSError):
            return
        result = work(item)
        try:
            pipe.send(result)
        except OSError:
            return
