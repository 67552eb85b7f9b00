"""The asynchronous driver, on asyncio or trio. Whatever is going on when time is up, or somebody cancels, is ended."""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from ._async_model import Asker, Stopped, Wrapped
from ._async_tools import Tasks
from ._backend import GRACE, Backend, backend, itself
from ._driving import Drive, failing
from ._loop import Outcome
from ._values import (
    AgentEvent,
    CallModel,
    Finish,
    ModelEnd,
    ModelResult,
    ModelStart,
    RunResult,
    StepEnd,
)

T = TypeVar("T")


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
                turn = Tasks(run, want, self._backend)
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
            except Stopped:
                self.stopped(call, None, begun)
                return
        if run.live:
            yield ModelStart(call.turn, call.request)
        try:
            context = copy_context() if hooks.wrap_model_call else None
            task = None if context is None else context.run(run.model_task, call)
            asker = Asker(self, call) if context is None or task is None else Wrapped(self, call, task, context)
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
            Stopped: it was cut off.
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
                    raise Stopped from error
                raise
            finally:
                if watch is not None:
                    watch()
        raise Stopped

    async def settled(self, made: Any, left: float | None) -> None:
        """Await what a hook returned, if it is to be awaited, for at most ``left`` seconds.

        Raises:
            Stopped: it was cut off.
        """
        if inspect.isawaitable(made):
            await self.bounded(partial(itself, made), left)

    def stopped(self, call: CallModel, output: Any, begun: float) -> None:
        """The run was stopped in the middle of a call of the model, which had written ``output``."""
        run = self.run
        run.tick()
        if not call.last and run.state.stopping is None:
            run.loop.stop(run.state, "time")
        run.loop.interrupted(run.state, call, output, time.monotonic() - begun)

    # --- the tools ------------------------------------------------------------------------------------------------

    async def _tools(self, turn: Tasks) -> AsyncGenerator[AgentEvent, None]:
        run = self.run
        try:
            turn.announce()
            try:
                await self.bounded(turn.settled, run.left())
            except Stopped:
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
                except Stopped:
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

    def _give_up(self, turn: Tasks) -> None:
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


async def _settled(made: Any, *, shielded: bool = False) -> None:
    if inspect.isawaitable(made):
        if not shielded:
            await made
            return
        import anyio

        with anyio.move_on_after(GRACE, shield=True):
            await made
