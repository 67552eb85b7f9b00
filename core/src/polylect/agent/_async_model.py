"""The model within the asynchronous driver: asked in the loop or in a thread, and within its wrappers."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator
from contextlib import aclosing
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any

from .._errors import ModelError, PromptError
from .._outputs import ended
from ._asking import broken_off, guarded
from ._backend import GRACE
from ._contexts import awaited_inside, inside
from ._pump import Pump
from ._values import AgentEvent, CallModel, ModelResult

if TYPE_CHECKING:
    from ._async import AsyncRun


TURN = 64
"""Chunks after which others in the event loop have their turn, although the next chunk may be there."""


class Stopped(Exception):
    """Time is up, or the run was cancelled, while something was awaited."""


class Asker:
    """One call of the model: its events, then ``result``; None if the run was stopped while it came."""

    def __init__(self, whole: AsyncRun, call: CallModel, context: Context | None = None) -> None:
        self.whole, self.call, self._context = whole, call, context
        self.result: ModelResult | None = None
        self._asked = 0

    async def events(self) -> AsyncGenerator[AgentEvent, None]:
        """Ask; the errors of the model come out as the run's."""
        run, call = self.whole.run, self.call
        begun = time.monotonic()
        incoming = run.incoming(call)
        source = guarded(self._context, _source, self.whole, call, self._context)
        try:
            while True:
                found = await self._next(source, begun)
                if found is None:
                    break
                if not source.streams:
                    if not run.live:
                        self.result = run.remember(*run.read_whole(call, found[0], time.monotonic() - begun))
                        return
                    for event in incoming.whole(found[0]):
                        yield event
                    break
                for event in incoming.chunk(found[0]):
                    yield event
                if not incoming.wanted:
                    break
            events, outcome = incoming.close()
            for event in events:
                yield event
            output = found[0] if found is not None and not source.streams else None
            self.result = run.remember(incoming.result(output, time.monotonic() - begun), outcome)
        except Stopped:
            self.whole.stopped(call, incoming.partial, begun)
        except (ModelError, TimeoutError):
            if not run.over(call, begun):
                raise
            self.whole.stopped(call, incoming.partial, begun)
        finally:
            run.partial = incoming.partial
            await source.aclose()

    async def _next(self, source: _Awaited | _Pulled, begun: float) -> tuple[Any] | None:
        """The next chunk, while there is time: one that is there at once does not let the loop look at it.

        Raises:
            Stopped: there is no time, or the run was cancelled.
        """
        import anyio.lowlevel

        run = self.whole.run
        if run.over(self.call, begun):
            raise Stopped
        self._asked += 1
        try:
            if self._asked % TURN == 0:
                await self.whole.bounded(anyio.lowlevel.checkpoint, run.left(self.call, begun))
            return await self.whole.bounded(source.next, run.left(self.call, begun))
        except SystemExit as error:
            raise broken_off(error) from error
        except asyncio.CancelledError as error:
            if self.whole.loop_backend.is_cancelled():
                raise
            raise broken_off(error) from error


class Wrapped:
    """A call of the model within its wrappers."""

    def __init__(
        self, whole: AsyncRun, call: CallModel, task: Generator[Any, Any, ModelResult], context: Context
    ) -> None:
        self.whole, self.call, self._task, self._context = whole, call, task, context
        self.result: ModelResult | None = None

    async def events(self) -> AsyncGenerator[AgentEvent, None]:
        """Run the wrappers, and ask as often as they want it."""
        run, task, context = self.whole.run, self._task, self._context
        asked, begun, again = None, time.monotonic(), False
        try:
            wanted = context.run(next, task)
            while True:
                try:
                    if inspect.isawaitable(wanted):
                        waiting = partial(awaited_inside, context, wanted)
                        value = await self.whole.bounded(waiting, run.left(self.call, begun))
                    else:
                        if again:
                            if run.over(self.call, begun):
                                raise Stopped
                            for event in run.anew(wanted):
                                yield event
                        again = True
                        asker = Asker(self.whole, wanted, context)
                        async with aclosing(asker.events()) as told:
                            async for event in told:
                                yield event
                        value = asked = asker.result
                        if asked is None:
                            return
                except (GeneratorExit, Stopped):
                    raise
                except Exception as error:
                    wanted = context.run(task.throw, error)
                else:
                    wanted = context.run(task.send, value)
        except StopIteration as end:
            self.result = end.value
        except Stopped:
            self.whole.stopped(self.call, None, begun)
            return
        finally:
            context.run(task.close)
        if self.result is not None and self.result is not asked and run.live:
            for event in run.anew(self.call) if again else ():
                yield event
            incoming = run.incoming(self.call)
            for event in incoming.whole(ended(self.result.output, self.result.finish_reason)):
                yield event
            events, outcome = incoming.close()
            for event in events:
                yield event
            run.remember(self.result, outcome)


class _Awaited:
    """The reply of an asynchronous model, whole or in chunks."""

    def __init__(self, made: Any, context: Context | None = None) -> None:
        self._made, self._context = made, context
        self._iterator: AsyncIterator[Any] | None = None
        self.streams = False
        self._over = False

    async def next(self) -> tuple[Any] | None:
        """The next chunk, or all of it."""
        if self._over:
            return None
        if self._iterator is None:
            output = self._made
            if inspect.isawaitable(output):
                output = await awaited_inside(self._context, output)
            if not hasattr(output, "__aiter__"):
                self._over = True
                return (output,)
            self.streams, self._iterator = True, inside(self._context, aiter, output)
        try:
            return (await awaited_inside(self._context, inside(self._context, anext, self._iterator)),)
        except StopAsyncIteration:
            self._over = True
            return None

    async def aclose(self) -> None:
        """No more is wanted."""
        if inspect.iscoroutine(self._made):
            self._made.close()
        close = getattr(self._iterator, "aclose", None)
        if callable(close):
            import anyio

            with anyio.move_on_after(GRACE, shield=True):
                await awaited_inside(self._context, inside(self._context, close))


class _Pulled:
    """The reply of a synchronous model, which is asked in a thread."""

    def __init__(self, whole: AsyncRun, ask: Callable[[], Any], context: Context | None) -> None:
        self._pump, self._context = Pump(whole.loop_backend, ask), context
        self._inner: _Awaited | None = None

    @property
    def streams(self) -> bool:
        """Whether what comes are chunks."""
        return self._pump.streams if self._inner is None else self._inner.streams

    async def next(self) -> tuple[Any] | None:
        """The next chunk, or all of it."""
        if self._inner is not None:
            return await self._inner.next()
        found = await self._pump.next()
        if found is None or self._pump.streams:
            return found
        if hasattr(found[0], "__aiter__") or inspect.isawaitable(found[0]):
            self._inner = _Awaited(found[0], self._context)
            return await self._inner.next()
        return found

    async def aclose(self) -> None:
        """No more is wanted."""
        try:
            await self._pump.aclose()
        finally:
            if self._inner is not None:
                await self._inner.aclose()


def _source(whole: AsyncRun, call: CallModel, context: Context | None) -> _Awaited | _Pulled:
    """The model's reply: asked here if the model is asynchronous, else in a thread."""
    pipeline = whole.run.loop.pipeline
    model = pipeline.bound_model
    if model is None:
        raise PromptError("This pipeline has no model. Give it one: pipeline.replace(model=…).")
    request = call.request
    given = pipeline.beside(request, whole.run.left(call))
    if model.is_async:
        return _Awaited(model.acalled(request.prompt, **given), context)
    return _Pulled(whole, lambda: model(request.prompt, **given), context)
