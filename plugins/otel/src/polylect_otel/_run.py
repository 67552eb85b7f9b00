"""One run on its way: its span, those in it, and what is put into them."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode, Tracer

from polylect import ParseError, RunError

from . import _attributes as names

if TYPE_CHECKING:
    from polylect import Agent, AgentAction, CallModel, ModelResult, RunResult, RunState, Tool, ToolResult

    from ._tracing import Tracing

FAULTS = frozenset({"error", "unknown", "invalid", "timeout"})
"""Of the ways in which a call of a tool ends, those that are errors; to be refused or cancelled is none."""


class Run:
    """A run that is traced.

    Attributes:
        owner: who traces it.
        state: the run itself.
        content: whether spans hold what was said.
    """

    def __init__(self, owner: Tracing, tracer: Tracer, state: RunState, agent: Agent) -> None:
        self.owner, self.state, self.content = owner, state, owner.content
        self._tracer, self._agent = tracer, agent
        self._began, self._outside = time.time_ns(), contexts.get_current()
        kind, self._model = names.about_model(agent)
        self._kind = kind
        self._operation = " ".join((kind, self._model.get(names.MODEL, ""))).rstrip()

    @cached_property
    def span(self) -> Span:
        """The span of the run; first made when nobody can take the run over any more."""
        name = self.owner.name
        about = {names.OPERATION: "invoke_agent", **self._model, names.LECT: self.state.lect}
        if name is not None:
            about[names.AGENT] = name
        if self.content:
            about |= names.inputs(self.state.inputs)
        span_name = "invoke_agent" if name is None else f"invoke_agent {name}"
        return self._tracer.start_span(span_name, self._outside, SpanKind.INTERNAL, about, start_time=self._began)

    @contextmanager
    def _inner(self, name: str, kind: SpanKind, about: names.Attributes) -> Iterator[Span]:
        """A span in that of the run, or in one that a wrapper around us began; it is the current one inside."""
        begun = trace.get_current_span() is not trace.get_current_span(self._outside)
        parent = None if begun else trace.set_span_in_context(self.span)
        span = self._tracer.start_span(name, parent, kind, about)
        token = contexts.attach(trace.set_span_in_context(span))
        try:
            yield span
        except BaseException as error:
            self._tell(span, error)
            raise
        finally:
            contexts.detach(token)
            span.end()

    # --- the model and the tools ----------------------------------------------------------------------------------

    def model_call(self, call: CallModel) -> Generator[CallModel, ModelResult, ModelResult]:
        """A call of the model, as a wrapper."""
        with self._inner(self._operation, SpanKind.CLIENT, self._about_call(call)) as span:
            result = yield call
            self._answered(span, result)
            return result

    def tool_call(self, action: AgentAction, tool: Tool) -> Generator[AgentAction, ToolResult, ToolResult]:
        """A call of a tool, as a wrapper."""
        name = names.clean(tool.name)
        with self._inner(f"execute_tool {name}", SpanKind.INTERNAL, self._about_tool(name, action, tool)) as span:
            result = yield action
            self._called(span, result)
            return result

    def _about_call(self, call: CallModel) -> names.Attributes:
        """What is known of a call of the model beforehand."""
        about = {names.OPERATION: self._kind, **self._model, names.TURN: call.turn}
        if call.request.stop:
            about[names.STOPS] = list(map(names.clean, call.request.stop))
        return about | names.asked(call.request) if self.content else about

    def _answered(self, span: Span, result: ModelResult) -> None:
        """The model has answered."""
        about = names.tokens(result.usage)
        if result.finish_reason is not None:
            about[names.FINISH_REASONS] = [names.clean(result.finish_reason)[: names.MAX_NAME]]
        span.set_attributes(about | names.answered(result) if self.content else about)

    def _about_tool(self, name: str, action: AgentAction, tool: Tool) -> names.Attributes:
        """What is known of a call of a tool beforehand."""
        about = {
            names.OPERATION: "execute_tool",
            names.TOOL: name,
            names.TOOL_TYPE: "function",
            names.TURN: self.state.iterations,
        }
        if tool.description:
            about[names.TOOL_DESCRIPTION] = names.clean(tool.description)
        if action.id is not None:
            about[names.CALL_ID] = names.clean(action.id)[: names.MAX_NAME]
        if self.content:
            about[names.ARGUMENTS] = names.told(action.tool_input)
        return about

    def _called(self, span: Span, result: ToolResult) -> None:
        """The tool has ended."""
        span.set_attribute(names.STATUS, result.status)
        if result.status in FAULTS:
            span.set_attribute(names.ERROR, result.status)
            span.set_status(Status(StatusCode.ERROR, result.status))
        if self.content:
            span.set_attribute(names.RESULT, names.told(result.observation))

    # --- the end --------------------------------------------------------------------------------------------------

    def end(self, result: RunResult) -> None:
        """The run has a result."""
        self.span.set_attributes(
            {
                **names.tokens(result.usage),
                names.STOP_REASON: result.stop_reason,
                names.ITERATIONS: result.iterations,
                **(names.output(result.output) if self.content else {}),
            }
        )
        self.span.end()

    def fail(self, error: BaseException) -> None:
        """The run failed, or nobody wants the rest of it."""
        self._tell(self.span, error)
        self.span.end()

    def _tell(self, span: Span, error: BaseException) -> None:
        """Why a span ended before its time."""
        if not isinstance(error, Exception):  # it was not the call's fault: a limit, a switch, a stream that was closed
            late = self.state.stopping == "time"
            span.set_attribute(names.INTERRUPTED, self.state.stopping or type(error).__name__)
            if late:
                span.set_attribute(names.ERROR, "timeout")
                span.set_status(Status(StatusCode.ERROR, "timeout"))
            return
        cause = names.cause_of(error)
        kind = names.type_of(cause)
        span.set_attribute(names.ERROR, kind)
        if isinstance(cause, (ParseError, RunError)) and not self.content:  # their words are the model's
            reason: dict[str, Any] = {"exception.message": cause.reason} if isinstance(cause, ParseError) else {}
            span.add_event("exception", {"exception.type": kind, **reason})
            span.set_status(Status(StatusCode.ERROR, kind))
            return
        try:
            words = names.clean(str(cause))
            span.record_exception(cause)
        except Exception:  # a stranger's __str__
            words = ""
            span.add_event("exception", {"exception.type": kind})
        span.set_status(Status(StatusCode.ERROR, f"{kind}: {words}" if words else kind))
