"""The asynchronous driver, on asyncio or trio. Whatever is going on when time is up, or somebody cancels, is ended."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from contextlib import aclosing
from contextvars import Context, copy_context
from functools import partial
from typing import Any, TypeVar

from .._errors import ModelError, PromptError
from .._outputs import ended
from .._values import AgentAction
from ._asking import broken_off, guarded
from ._backend import Backend, backend
from ._calling import Prepared
from ._contexts import awaited_inside, inside
from ._driving import Drive, failing
from ._jobs import Job, discard
from ._loop import Outcome
from ._pump import Pump
from ._turn import Turn
from ._values import (
    AgentEvent,
    CallModel,
    CallTools,
    Finish,
    ModelEnd,
    ModelResult,
    ModelStart,
    RunResult,
    StepEnd,
)

T = TypeVar("T")
GRACE = 5.0
"""Seconds that a cancelled tool may take to clean up, before nobody waits for it any more."""


class _Stopped(Exception):
    """Time is up, or the run was cancelled, while something was awaited."""


def drive(run: Drive) -> AsyncRun:
    """The run, to be iterated over or awaited; one of them, once."""
    return AsyncRun(run)


class AsyncRun:
    """One run in an event loop."""

    def __init__(self, run: Drive) -> None:
        self.run = run
        self._answer: tuple[ModelResult, Outcome] | None = None
        self._result: RunResult | None = None

    async def result(self) -> RunResult:
        """Run to the end."""
        found: RunResult | None = None
        async with aclosing(self.events()) as events:
            async for event in events:
                if isinstance(event, Finish):
                    found = event.result
        assert found is not None
        return found

    async def events(self) -> AsyncGenerator[AgentEvent, None]:
        """Run to the end; at least the last event is told."""
        run, state, hooks = self.run, self.run.state, self.run.hooks
        self._backend = backend()
        try:
            for hook in hooks.before_run:
                await _settled(hook(state, run.agent))
            async with aclosing(self._turns()) as told:
                async for event in told:
                    yield event
            result = self._result
            assert result is not None
            for hook in hooks.after_run:
                await _settled(hook(state, result))
        except BaseException as error:
            for hook in hooks.run_failed:
                with failing(hook, error):
                    await _settled(hook(state, error), shielded=True)
            raise
        yield Finish(state.iterations, result)

    async def _turns(self) -> AsyncGenerator[AgentEvent, None]:
        run, state, loop = self.run, self.run.state, self.run.loop
        while True:
            run.tick()
            want = run.want()
            if isinstance(want, RunResult):
                self._result = want
                return
            if isinstance(want, CallModel):
                self._answer = None
                async with aclosing(self._model(want)) as told:
                    async for event in told:
                        yield event
                if self._answer is None:
                    for told_event in run.withdrawn():
                        yield told_event
                    continue
                before = len(state.steps)
                loop.take_model(state, want, *self._answer)
                if state.finish is None:
                    for told_event in run.withdrawn():
                        yield told_event
                steps = state.steps[before:]
            else:
                turn = _Tasks(run, want, self._backend)
                async with aclosing(self._tools(turn)) as told:
                    async for event in told:
                        yield event
                steps = run.steps_of(want, turn.collected())
            if run.live:
                for step in steps:
                    yield StepEnd(want.turn, step)

    # --- the model ------------------------------------------------------------------------------------------------

    async def _model(self, call: CallModel) -> AsyncGenerator[AgentEvent, None]:
        run, hooks = self.run, self.run.hooks
        begun = time.monotonic()
        run.partial = None
        for hook in hooks.before_model:
            try:
                await self.settled(hook(run.state, call), run.left(call, begun))
            except _Stopped:
                self.stopped(call, None, begun)
                return
        if run.live:
            yield ModelStart(call.turn, call.request)
        try:
            context = copy_context() if hooks.wrap_model_call else None
            task = None if context is None else context.run(run.model_task, call)
            asker = _Asker(self, call) if context is None or task is None else _Wrapped(self, call, task, context)
            async with aclosing(asker.events()) as told:
                async for event in told:
                    yield event
        except Exception as error:
            raised = run.model_failed(error)
            if raised is error:
                raise
            raise raised from error
        if asker.result is None:
            return
        outcome = run.outcome_of(call, asker.result)
        for hook in hooks.after_model:
            await _settled(hook(run.state, call, asker.result))
        if run.live:
            yield ModelEnd(call.turn, asker.result)
        self._answer = asker.result, outcome

    async def bounded(self, call: Callable[[], Awaitable[T]], left: float | None) -> T:
        """Await something for at most ``left`` seconds, and no longer than until somebody cancels.

        Raises:
            _Stopped: it was cut off.
        """
        import anyio

        run = self.run
        if left is None and run.cancel is None:
            return await call()
        with anyio.CancelScope() as scope:
            if left is not None:
                scope.deadline = anyio.current_time() + left
            watch = None
            if run.cancel is not None:
                watch = run.cancel.watch(lambda: self._backend.soon(scope.cancel))
            try:
                return await call()
            except Exception as error:
                if scope.cancel_called:  # what it says of having been cut off
                    raise _Stopped from error
                raise
            finally:
                if watch is not None:
                    watch()
        raise _Stopped

    async def settled(self, made: Any, left: float | None) -> None:
        """Await what a hook returned, if it is to be awaited, for at most ``left`` seconds.

        Raises:
            _Stopped: it was cut off.
        """
        if inspect.isawaitable(made):
            await self.bounded(partial(_itself, made), left)

    def stopped(self, call: CallModel, output: Any, begun: float) -> None:
        """The run was stopped in the middle of a call of the model, which had written ``output``."""
        run = self.run
        run.tick()
        if not call.last and run.state.stopping is None:
            run.loop.stop(run.state, "time")
        run.loop.interrupted(run.state, call, output, time.monotonic() - begun)

    # --- the tools ------------------------------------------------------------------------------------------------

    async def _tools(self, turn: _Tasks) -> AsyncGenerator[AgentEvent, None]:
        run = self.run
        try:
            turn.announce()
            try:
                await self.bounded(turn.settled, run.left())
            except _Stopped:
                self._give_up(turn)
            for event in turn.told():
                yield event
            turn.begin()
            await turn.settled()
            for event in turn.told():
                yield event
            while turn.open:
                try:
                    await self.bounded(turn.any_ended, run.left())
                except _Stopped:
                    self._give_up(turn)
                turn.take()
                await turn.settled()
                for event in turn.told():
                    yield event
        except BaseException:
            turn.keep()
            raise
        finally:
            turn.leave()
            await turn.gone()

    def _give_up(self, turn: _Tasks) -> None:
        run = self.run
        run.tick()
        if run.state.stopping is None and run.left() == 0.0:
            run.loop.stop(run.state, "time")
        if run.state.stopping is not None:
            turn.give_up()

    @property
    def loop_backend(self) -> Backend:
        """The event loop."""
        return self._backend


def _itself(awaitable: Any) -> Any:
    return awaitable


async def _settled(made: Any, *, shielded: bool = False) -> None:
    if inspect.isawaitable(made):
        if not shielded:
            await made
            return
        import anyio

        with anyio.move_on_after(GRACE, shield=True):
            await made


class _Asker:
    """One call of the model: its events, then ``result``; None if the run was stopped while it came."""

    def __init__(self, whole: AsyncRun, call: CallModel, context: Context | None = None) -> None:
        self.whole, self.call, self._context = whole, call, context
        self.result: ModelResult | None = None

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
        except _Stopped:
            self.whole.stopped(call, incoming.partial, begun)
        except (ModelError, TimeoutError):
            if not run.over(call, begun):
                raise
            self.whole.stopped(call, incoming.partial, begun)
        finally:
            run.partial = incoming.partial
            await source.aclose()

    async def _next(self, source: _Awaited | _Pulled, begun: float) -> tuple[Any] | None:
        """The next chunk, while there is time."""
        try:
            return await self.whole.bounded(source.next, self.whole.run.left(self.call, begun))
        except SystemExit as error:
            raise broken_off(error) from error
        except asyncio.CancelledError as error:
            if self.whole.loop_backend.is_cancelled():
                raise
            raise broken_off(error) from error


class _Wrapped:
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
                                raise _Stopped
                            for event in run.anew(wanted):
                                yield event
                        again = True
                        asker = _Asker(self.whole, wanted, context)
                        async with aclosing(asker.events()) as told:
                            async for event in told:
                                yield event
                        value = asked = asker.result
                        if asked is None:
                            return
                except (GeneratorExit, _Stopped):
                    raise
                except Exception as error:
                    wanted = context.run(task.throw, error)
                else:
                    wanted = context.run(task.send, value)
        except StopIteration as end:
            self.result = end.value
        except _Stopped:
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
    request, timeout = call.request, whole.run.left(call)
    given = {
        "stop": request.stop, "tools": request.tools, "tool_choice": request.tool_choice, "timeout": timeout,
    }  # fmt: skip
    if model.is_async:
        return _Awaited(model.acalled(request.prompt, **given), context)
    return _Pulled(whole, lambda: model(request.prompt, **given), context)


class _Tasks(Turn):
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
        self._spawn(place, partial(_itself, awaitable))

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
                self._spawn(place, partial(_itself, value))
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
