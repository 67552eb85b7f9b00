"""What the synchronous and the asynchronous driver share: the clock, the end, results on their way into the state."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .._errors import ModelError, ParseError, PolylectError, RunError
from .._outputs import finish_reason_of
from .._stopping import cut_at_stop
from .._values import AgentAction, AgentStep
from ._calling import Caller, told
from ._cancel import Cancel
from ._hooks import Hook, Hooks
from ._loop import Loop, Outcome, Want
from ._replies import IncomingReply, usage_of
from ._values import (
    AgentEvent,
    CallModel,
    CallTools,
    ModelResult,
    ModelStart,
    NoAnswer,
    RunState,
    ToolResult,
    Usage,
)
from ._wrapping import wrapped

if TYPE_CHECKING:
    from ._agent import Agent


NO_USAGE = Usage()
FAULTS = (ModelError, ParseError, RunError)
"""Our own errors, as far as they may be a model's: one that runs an agent or reads a tongue itself raises these too."""


class Drive:
    """One run on its way: what both drivers know of it."""

    def __init__(
        self,
        agent: Agent,
        loop: Loop,
        caller: Caller,
        hooks: Hooks,
        state: RunState,
        cancel: Cancel | None,
        *,
        live: bool,
    ) -> None:
        self.agent, self.loop, self.caller, self.hooks, self.state, self.cancel, self.live = (
            agent, loop, caller, hooks, state, cancel, live,
        )  # fmt: skip
        self._begun = time.monotonic() - state.seconds
        self.limit = loop.settings.max_execution_time
        self._last: tuple[ModelResult, Outcome] | None = None
        self.partial: Any = None
        self._incoming: IncomingReply | None = None

    @property
    def elapsed(self) -> float:
        """Seconds of the whole run, those before it was taken up again included."""
        return time.monotonic() - self._begun

    def left(self, call: CallModel | None = None, begun: float | None = None) -> float | None:
        """Seconds that may still pass; None without a limit.

        The last call of early stopping, which has ``begun`` then, has all of them again.
        """
        if self.limit is None:
            return None
        if call is not None and call.last:
            passed = 0.0 if begun is None else time.monotonic() - begun
            return max(0.0, self.limit - passed)
        return max(0.0, self.limit - self.elapsed)

    def over(self, call: CallModel, begun: float) -> bool:
        """Whether the run is over although the model, asked when it had ``begun``, has not answered; it is stopped."""
        if self.cancel is not None and self.cancel.cancelled:
            self.loop.stop(self.state, "cancelled")
            return True
        if self.left(call, begun) != 0.0:
            return False
        if not call.last:
            self.loop.stop(self.state, "time")
        return True

    def tick(self) -> None:
        """The time that has passed goes into the state; a run that was cancelled, or is out of time, is stopped."""
        state = self.state
        state.seconds = self.elapsed
        if self.cancel is not None and self.cancel.cancelled:
            self.loop.stop(state, "cancelled")
        elif state.waiting and self.limit is not None and state.seconds >= self.limit:
            self.loop.stop(state, "time")

    def want(self) -> Want:
        """What the run needs next.

        Raises:
            RunError: a stage of the caller's failed in the middle of the run.
        """
        try:
            return self.loop.next(self.state)
        except Exception as error:
            if not self.state.turns:  # nothing was done yet: the caller's own error says it best
                raise
            turn = self.state.iterations + 1
            raise RunError(f"The model can't be asked in turn {turn}: {told(error)}", self.state) from error

    # --- the model ------------------------------------------------------------------------------------------------

    def model_task(self, call: CallModel) -> Generator[Any, Any, ModelResult] | None:
        """The call of the model within its wrappers; None without them."""
        return wrapped(self.hooks.wrap_model_call, lambda x: (self.state, x), call, ModelResult)

    def incoming(self, call: CallModel) -> IncomingReply:
        """For the model's reply to ``call``."""
        self._incoming = IncomingReply(self.loop, call, live=self.live)
        return self._incoming

    def withdrawn(self) -> list[AgentEvent]:
        """The event for a reply that is no answer after all, where some of it was told as one."""
        incoming = self._incoming
        if incoming is None or not incoming.answering:
            return []
        incoming.answering = False
        return [NoAnswer(incoming.turn)]

    def anew(self, call: CallModel) -> list[AgentEvent]:
        """The events for a model that is asked once more in its turn: what was told of its reply is void."""
        return [*self.withdrawn(), ModelStart(call.turn, call.request)] if self.live else []

    def read_whole(self, call: CallModel, output: Any, seconds: float) -> tuple[ModelResult, Outcome]:
        """A whole output that nobody watches arriving."""
        pipeline = self.loop.pipeline
        messages = pipeline.lect.messages
        if isinstance(output, str):
            if not messages and call.request.stop and pipeline.cuts_at_stop:
                output = cut_at_stop(output, call.request.stop)
            return ModelResult(output, NO_USAGE, seconds), self.loop.read(call, output)
        if messages and isinstance(output, dict):
            usage, reason = usage_of(output, NO_USAGE), finish_reason_of(output)
            return ModelResult(output, usage, seconds, reason), self.loop.read(call, output)
        incoming = self.incoming(call)
        incoming.whole(output)
        outcome = incoming.close()[1]
        return incoming.result(output, seconds), outcome

    def remember(self, result: ModelResult, outcome: Outcome) -> ModelResult:
        """What was read of a result, so that it is not read again."""
        self._last = result, outcome
        return result

    def outcome_of(self, call: CallModel, result: ModelResult) -> Outcome:
        """What a result says; it is read here if a wrapper brought it."""
        if self._last is not None and self._last[0] is result:
            return self._last[1]
        return self.loop.read(call, result.output, result.finish_reason)

    def model_failed(self, error: BaseException) -> BaseException:
        """The error for a model that failed: ours, with the state; what is no fault of the model's stays as it is."""
        partial = self.partial
        if isinstance(error, RunError) and error.state is self.state:
            return error
        if not isinstance(error, Exception) or (isinstance(error, PolylectError) and not isinstance(error, FAULTS)):
            return error
        turn = self.state.iterations + 1
        behind = f" It had written: {partial[:200]!r}" if isinstance(partial, str) and partial else ""
        failure = RunError(f"The model failed in turn {turn}: {told(error).rstrip('.')}.{behind}", self.state)
        failure.__cause__ = error
        return failure

    # --- the tools ------------------------------------------------------------------------------------------------

    def tool_task(self, action: AgentAction) -> Generator[Any, Any, ToolResult] | None:
        """The call of a tool within its wrappers; None without them."""
        tools = self.caller.tools
        return wrapped(self.hooks.wrap_tool_call, lambda x: (self.state, x, tools.get(x.tool)), action, ToolResult)

    def steps_of(self, want: CallTools, results: list[ToolResult]) -> list[AgentStep]:
        """The results of a turn -> its steps."""
        seconds = self.state.seconds
        steps = self.loop.take_tools(self.state, results)
        self.state.seconds = max(seconds, self.elapsed)
        return steps


@contextmanager
def failing(hook: Hook, error: BaseException) -> Iterator[None]:
    """For a hook that is told of an error: its own goes into the notes of that one, which is what people must see."""
    try:
        yield
    except Exception as fault:
        name = getattr(hook, "__name__", type(hook).__name__)
        error.add_note(f"The hook {name!r} failed when it was told: {told(fault)}")
