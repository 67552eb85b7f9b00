"""The synchronous driver. Tools of one turn run in threads of their own, side by side; a single one where we stand."""

from __future__ import annotations

import inspect
import queue
import time
from collections.abc import Generator, Iterable, Iterator
from contextvars import Context, copy_context
from typing import Any

from .._errors import ModelError, PluginError
from .._outputs import chunks_of, ended
from .._values import AgentAction
from ._asking import guarded
from ._calling import Prepared
from ._driving import Drive, failing
from ._jobs import Job
from ._loop import Outcome
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
    ToolResult,
)

WAKE = None
"""In the queue of a turn: nothing has ended, but somebody pulled the switch."""
NAP = 0.5
"""Seconds after which whoever waits looks around: a thread that waits in C code can't be told to end."""
_END: Any = object()


def drive(run: Drive) -> Generator[AgentEvent, None, RunResult]:
    """Run to the end, yielding events if ``run.live``."""
    state, hooks = run.state, run.hooks
    try:
        for hook in hooks.before_run:
            _now(hook, hook(state, run.agent))
        result = yield from _turns(run)
        for hook in hooks.after_run:
            _now(hook, hook(state, result))
    except BaseException as error:
        for hook in hooks.run_failed:
            with failing(hook, error):
                _now(hook, hook(state, error))
        raise
    if run.live:
        yield Finish(state.iterations, result)
    return result


def _turns(run: Drive) -> Generator[AgentEvent, None, RunResult]:
    state, loop = run.state, run.loop
    while True:
        run.tick()
        want = run.want()
        if isinstance(want, RunResult):
            return want
        if isinstance(want, CallModel):
            result, outcome = yield from _model(run, want)
            if result is None:
                yield from run.withdrawn()
                continue
            before = len(state.steps)
            loop.take_model(state, want, result, outcome)
            if state.finish is None:
                yield from run.withdrawn()
            steps = state.steps[before:]
        else:
            results = yield from _tools(run, want)
            steps = run.steps_of(want, results)
        if run.live:
            for step in steps:
                yield StepEnd(want.turn, step)


def _now(hook: Any, made: Any) -> None:
    """A synchronous driver can't wait for what a hook promises."""
    if inspect.isawaitable(made):
        close = getattr(made, "close", None)
        if callable(close):
            close()
        name = getattr(hook, "__name__", type(hook).__name__)
        raise PluginError(f"The hook {name!r} is asynchronous: use agent.arun or agent.astream.")


# --- the model --------------------------------------------------------------------------------------------------------


def _model(run: Drive, call: CallModel) -> Generator[AgentEvent, None, tuple[ModelResult | None, Outcome]]:
    hooks = run.hooks
    run.partial = None
    for hook in hooks.before_model:
        _now(hook, hook(run.state, call))
    if run.live:
        yield ModelStart(call.turn, call.request)
    try:
        context = copy_context() if hooks.wrap_model_call else None
        task = None if context is None else context.run(run.model_task, call)
        if context is None or task is None:
            result = yield from _ask(run, call)
        else:
            result = yield from _wrapped_model(run, call, task, context)
    except Exception as error:
        raised = run.model_failed(error)
        if raised is error:
            raise
        raise raised from error
    if result is None:
        return None, (None, [])
    outcome = run.outcome_of(call, result)
    for hook in hooks.after_model:
        _now(hook, hook(run.state, call, result))
    if run.live:
        yield ModelEnd(call.turn, result)
    return result, outcome


def _wrapped_model(
    run: Drive, call: CallModel, task: Generator[Any, Any, ModelResult], context: Context
) -> Generator[AgentEvent, None, ModelResult | None]:
    asked, begun, again = None, time.monotonic(), False
    try:
        wanted = context.run(next, task)
        while True:
            if inspect.isawaitable(wanted):
                _now(run.hooks.wrap_model_call[0], wanted)
            if again:
                if run.over(call, begun):
                    run.loop.interrupted(run.state, call, None, time.monotonic() - begun)
                    return None
                yield from run.anew(wanted)
            again = True
            try:
                asked = yield from _ask(run, wanted, context)
            except Exception as error:
                wanted = context.run(task.throw, error)
            else:
                if asked is None:  # the run was stopped in the middle of the reply
                    return None
                wanted = context.run(task.send, asked)
    except StopIteration as end:
        result: ModelResult = end.value
    finally:
        context.run(task.close)
    if result is not asked and run.live:
        if again:
            yield from run.anew(call)
        incoming = run.incoming(call)
        yield from incoming.whole(ended(result.output, result.finish_reason))
        events, outcome = incoming.close()
        yield from events
        run.remember(result, outcome)
    return result


def _ask(
    run: Drive, call: CallModel, context: Context | None = None
) -> Generator[AgentEvent, None, ModelResult | None]:
    """The model's reply; None if the run was stopped while it came."""
    begun = time.monotonic()
    run.partial = None
    chunks = incoming = None
    try:
        output = guarded(context, run.loop.pipeline.ask, call.request, timeout=run.left(call))
        chunks = chunks_of(output)
        if chunks is None and not run.live:
            return run.remember(*run.read_whole(call, output, time.monotonic() - begun))
        incoming = run.incoming(call)
        if chunks is None:
            yield from incoming.whole(output)
        else:
            stopped = False
            for chunk in _chunks(context, chunks):
                yield from incoming.chunk(chunk)
                if not incoming.wanted:
                    break
                if run.over(call, begun):
                    stopped = True
                    break
            if stopped:
                run.loop.interrupted(run.state, call, incoming.partial, time.monotonic() - begun)
                return None
            output = None
        events, outcome = incoming.close()
        yield from events
        return run.remember(incoming.result(output, time.monotonic() - begun), outcome)
    except (ModelError, TimeoutError):
        if not run.over(call, begun):
            raise
        run.loop.interrupted(run.state, call, incoming and incoming.partial, time.monotonic() - begun)
        return None
    finally:
        run.partial = incoming and incoming.partial
        _close(run, chunks, context)


def _chunks(context: Context | None, chunks: Iterable[Any]) -> Iterator[Any]:
    """The chunks of a stream, each of them fetched inside the context."""
    iterator = guarded(context, iter, chunks)
    while (chunk := guarded(context, next, iterator, _END)) is not _END:
        yield chunk


def _close(run: Drive, chunks: Any, context: Context | None) -> None:
    """No more is wanted of a stream; one that was cut off may well complain."""
    close = getattr(chunks, "close", None)
    if callable(close):
        try:
            guarded(context, close)
        except Exception:
            if run.state.stopping is None:
                raise


# --- the tools --------------------------------------------------------------------------------------------------------


def _tools(run: Drive, want: CallTools) -> Generator[AgentEvent, None, list[ToolResult]]:
    turn = _Threads(run, want)
    watch = run.cancel.watch(lambda: turn.queue.put(WAKE)) if run.cancel is not None else None
    try:
        turn.announce()
        yield from turn.told()
        turn.begin()
        yield from turn.told()
        while turn.open:
            try:
                left = run.left()
                ended = turn.queue.get(timeout=NAP if left is None else min(NAP, left))
            except queue.Empty:
                ended = WAKE
            if ended is WAKE:
                run.tick()
                if run.state.stopping is not None:
                    turn.give_up()
            else:
                place, job = ended
                turn.ended(place, job.value, job.error)
            yield from turn.told()
    except BaseException:
        turn.keep()
        raise
    finally:
        if watch is not None:
            watch()
        turn.leave()
    return turn.collected()


class _Threads(Turn):
    """The calls of a turn in threads; one that is alone, and that nobody may stop, is run here and now."""

    def __init__(self, run: Drive, want: CallTools) -> None:
        super().__init__(run, want)
        self.queue: queue.SimpleQueue[tuple[int, Job] | None] = queue.SimpleQueue()
        self._jobs: dict[int, Job] = {}
        self._inline = len(want.actions) == 1 and run.limit is None and run.cancel is None

    def call(self, place: int, call: Prepared, action: AgentAction) -> None:
        """Run it here, or in a thread."""
        if not self._inline or self.run.caller.is_async(action):
            asynchronous = self.run.caller.is_async(action)
            self._start(place, call, f"polylect tool {action.tool:.40}", asynchronous=asynchronous)
            return
        try:
            value = self.inside(place, call)
        except KeyboardInterrupt:  # the user's own, in the user's own thread
            raise
        except BaseException as error:  # SystemExit among them: a tool's end is not the run's
            self.ended(place, None, error)
            return
        if inspect.isawaitable(value):
            self._start(place, lambda: value, "polylect tool", asynchronous=True)
        else:
            self.ended(place, value, None)

    def _start(self, place: int, call: Prepared, name: str, *, asynchronous: bool) -> None:
        def done(job: Job) -> None:
            self.queue.put((place, job))

        job = self._jobs[place] = self.inside(place, lambda: Job(call, done, name, asynchronous=asynchronous))
        try:
            job.start()
        except RuntimeError as error:  # there are too many threads
            del self._jobs[place]
            self.ended(place, None, error)

    def wait(self, place: int, awaitable: Any) -> None:
        """Nothing can be awaited here."""
        _now(self.run.hooks.wrap_tool_call[0], awaitable)

    def settle(self, hook: Any, made: Any) -> None:
        """Nothing can be awaited here."""
        _now(hook, made)

    def abandon(self, place: int) -> None:
        """The thread is told to end."""
        job = self._jobs.pop(place, None)
        if job is not None:
            job.give_up()
