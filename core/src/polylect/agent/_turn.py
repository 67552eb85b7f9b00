"""The calls of one turn, side by side, each within its wrappers; how they run and are waited for is up to a driver."""

from __future__ import annotations

import inspect
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack
from contextvars import Context, copy_context
from functools import partial
from typing import Any, TypeVar

from .._errors import PluginError, RunError
from .._values import AgentAction
from ._calling import Prepared, told
from ._contexts import inside
from ._driving import Drive
from ._jobs import discard
from ._values import AgentEvent, CallTools, ToolEnd, ToolResult, ToolStart

T = TypeVar("T")


class Turn:
    """Announce and begin it; tell it what :meth:`ended`; when nothing is ``open``, take what was :meth:`collected`.

    Attributes:
        run: the run.
        want: the calls.
        open: the places of those that have not ended.
    """

    def __init__(self, run: Drive, want: CallTools) -> None:
        self.run, self.want = run, want
        self.open: set[int] = set()
        self._results: list[ToolResult | None] = [None] * len(want.actions)
        self._tasks: list[Any] = [None] * len(want.actions)
        self._begun = [0.0] * len(want.actions)
        self._events: list[AgentEvent] = []
        self._fault: RunError | None = None
        self._waits: set[int] = set()
        self._steps: deque[tuple[int, Callable[[], Any]]] = deque()
        self._stepping = self._kept = False
        self._contexts: list[Context | None] = [None] * len(want.actions)

    # --- what a driver brings -------------------------------------------------------------------------------------

    def call(self, place: int, call: Prepared, action: AgentAction) -> None:
        """Begin a call, which ends with :meth:`ended`."""
        raise NotImplementedError

    def wait(self, place: int, awaitable: Any) -> None:
        """Begin to wait for what a wrapper yielded; it ends like a call."""
        raise NotImplementedError

    def settle(self, hook: Any, made: Any) -> None:
        """What a ``before`` or ``after`` hook returned, which may have to be awaited."""
        raise NotImplementedError

    def abandon(self, place: int) -> None:
        """Nobody waits for this call any more."""
        raise NotImplementedError

    # --- the turn -------------------------------------------------------------------------------------------------

    def announce(self) -> None:
        """Tell of all calls that will begin; none if the run has been stopped."""
        run, state = self.run, self.run.state
        for place, action in enumerate(self.want.actions):
            refused = run.loop.refusal(state, action)  # an agent that takes a run up may be set to less
            if refused is not None or state.stopping is not None:
                self._results[place] = refused or run.loop.given_up(state)
                continue
            self.open.add(place)
            for hook in run.hooks.before_tool:
                self.settle(hook, hook(state, action, run.caller.tool(action)))
            if run.live:
                self._events.append(ToolStart(self.want.turn, action))

    def begin(self) -> None:
        """Begin them."""
        run = self.run
        begun = time.monotonic()
        self._begun = [begun] * len(self._begun)
        if run.live:
            run.tick()  # somebody who was told of them may have cancelled
            if run.state.stopping is not None:
                self.give_up()
        for place, action in enumerate(self.want.actions):
            if place not in self.open:
                continue
            if run.hooks.wrap_tool_call:
                context = copy_context()
                task = context.run(run.tool_task, action)
                if task is not None:
                    self._tasks[place], self._contexts[place] = task, context
                    self._step(place, task.__next__)
                    continue
            self._call(place, action)

    def told(self) -> list[AgentEvent]:
        """The events since the last time."""
        events, self._events = self._events, []
        return events

    def ended(self, place: int, value: Any, error: BaseException | None) -> None:
        """A call has ended, or what a wrapper waited for."""
        if place not in self.open:
            return
        task = self._tasks[place]
        waited = place in self._waits
        self._waits.discard(place)
        if task is None:
            if error is not None:
                self._failed(place, error)
            else:
                self._end(place, value if isinstance(value, ToolResult) else ToolResult(value))
        elif error is not None:
            if isinstance(error, GeneratorExit):  # a wrapper that was thrown it would take it for its own end
                error = RuntimeError(f"it raised {told(error)}")
            self._step(place, partial(task.throw, error))
        else:
            result = value if waited or isinstance(value, ToolResult) else ToolResult(value)
            self._step(place, lambda: task.send(result))

    def give_up(self) -> None:
        """The run has been stopped: what has not ended gets an observation that says so."""
        for place in sorted(self.open):
            self._give_up(place)

    def collected(self) -> list[ToolResult]:
        """All results, in the order of the calls.

        Raises:
            RunError: a tool failed, and the policy is to raise; the results of the others are kept in the state.
        """
        if self._fault is not None:
            self.keep()
            raise self._fault
        return [result for result in self._results if result is not None]

    def keep(self) -> None:
        """The run breaks off here: what has ended by now need not be done again when it is taken up."""
        if not self._kept:
            self._kept = True
            self.run.loop.keep(self.run.state, self._results)

    def leave(self) -> None:
        """Whatever happened: no call goes on, and no wrapper stays open."""
        for place in self.open:
            self.abandon(place)
        try:
            with ExitStack() as last:  # each of them, although one may fail
                for place, task in enumerate(self._tasks):
                    if task is not None:
                        last.callback(self.inside, place, task.close)
        except BaseException:
            self.keep()
            raise

    def inside(self, place: int, call: Callable[[], T]) -> T:
        """What ``call`` returns, inside the context of a call's wrappers."""
        return inside(self._contexts[place], call)

    # --- one call -------------------------------------------------------------------------------------------------

    def _call(self, place: int, action: AgentAction) -> None:
        call = self.run.caller.prepare(action)
        if isinstance(call, ToolResult):
            self.ended(place, call, None)
        else:
            self.call(place, call, action)

    def _step(self, place: int, step: Callable[[], Any]) -> None:
        """One step of a call's wrappers, behind those that are due: a wrapper may try again and again."""
        self._steps.append((place, step))
        if self._stepping:
            return
        self._stepping = True
        try:
            while self._steps:
                self._advance(*self._steps.popleft())
        finally:
            self._stepping = False

    def _advance(self, place: int, step: Callable[[], Any]) -> None:
        """One step of a call's wrappers: another call, something to wait for, or the result."""
        if place not in self.open:
            return
        try:
            wanted = self.inside(place, step)
        except StopIteration as end:
            self._end(place, end.value)
        except (PluginError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            self._failed(place, error)
        else:
            if self._stopped():
                discard(wanted)
                self._give_up(place)
            elif inspect.isawaitable(wanted):
                self._waits.add(place)
                self.wait(place, wanted)
            else:
                self._call(place, wanted)

    def _stopped(self) -> bool:
        """Whether the run is over by now, and nothing more is to be begun."""
        run = self.run
        if run.limit is not None or run.cancel is not None:
            run.tick()
        return run.state.stopping is not None

    def _give_up(self, place: int) -> None:
        self.abandon(place)
        self.open.discard(place)
        seconds = time.monotonic() - self._begun[place]
        self._results[place] = given_up = self.run.loop.given_up(self.run.state, seconds)
        if self.run.live:
            self._events.append(ToolEnd(self.want.turn, self.want.actions[place], given_up))

    def _failed(self, place: int, error: BaseException) -> None:
        try:
            result = self.run.caller.failed(self.run.state, self.want.actions[place], error)
        except RunError as fault:
            self._fault = self._fault or fault
            self.open.discard(place)
            return
        self._end(place, result)

    def _end(self, place: int, result: ToolResult) -> None:
        run, action = self.run, self.want.actions[place]
        result = ToolResult(result.observation, result.status, time.monotonic() - self._begun[place])
        self._results[place] = result
        self.open.discard(place)
        for hook in run.hooks.after_tool:
            self.settle(hook, hook(run.state, action, run.caller.tool(action), result))
        if run.live:
            self._events.append(ToolEnd(self.want.turn, action, result))
