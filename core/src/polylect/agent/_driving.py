"""What the synchronous and the asynchronous driver share: the clock, the end, results on their way into the state."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import TYPE_CHECKING, Any

from .._errors import ModelError, PolylectError, RunError
from .._outputs import finish_reason_of
from .._stopping import cut_at_stop
from .._values import AgentAction, AgentStep
from ._calling import Caller, told
from ._cancel import Cancel
from ._hooks import Hooks
from ._loop import Loop, Outcome
from ._replies import IncomingReply, usage_of
from ._values import CallModel, CallTools, ModelResult, RunState, ToolResult
from ._wrapping import wrapped

if TYPE_CHECKING:
    from ._agent import Agent


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

    @property
    def elapsed(self) -> float:
        """Seconds of the whole run, those before it was taken up again included."""
        return time.monotonic() - self._begun

    def left(self, call: CallModel | None = None) -> float | None:
        """Seconds that may still pass; None without a limit. The last call of early stopping has all of them again."""
        if self.limit is None:
            return None
        if call is not None and call.last:
            return float(self.limit)
        return max(0.0, self.limit - self.elapsed)

    def tick(self) -> None:
        """The time that has passed goes into the state; a run that was cancelled, or is out of time, is stopped."""
        state = self.state
        state.seconds = self.elapsed
        if self.cancel is not None and self.cancel.cancelled:
            self.loop.stop(state, "cancelled")
        elif state.waiting and self.limit is not None and state.seconds >= self.limit:
            self.loop.stop(state, "time")

    # --- the model ------------------------------------------------------------------------------------------------

    def model_task(self, call: CallModel) -> Generator[Any, Any, ModelResult] | None:
        """The call of the model within its wrappers; None without them."""
        return wrapped(self.hooks.wrap_model_call, lambda x: (self.state, x), call, ModelResult)

    def incoming(self, call: CallModel) -> IncomingReply:
        """For the model's reply to ``call``."""
        return IncomingReply(self.loop, call, live=self.live)

    def read_whole(self, call: CallModel, output: Any, seconds: float) -> tuple[ModelResult, Outcome]:
        """A whole output that nobody watches arriving."""
        pipeline = self.loop.pipeline
        usage = usage_of(output, ModelResult(None).usage)
        if isinstance(output, str) and call.request.stop and not pipeline.lect.messages and pipeline.cuts_at_stop:
            output = cut_at_stop(output, call.request.stop)
        outcome = self.loop.read(call, output)
        return ModelResult(_plain(output), usage, seconds, finish_reason_of(output)), outcome

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
        if isinstance(error, RunError) or not isinstance(error, Exception):
            return error
        if isinstance(error, PolylectError) and not isinstance(error, ModelError):
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


def _plain(output: Any) -> Any:
    if isinstance(output, (str, dict)) or output is None:
        return output
    dump = getattr(output, "model_dump", None)
    return dump() if callable(dump) else output
