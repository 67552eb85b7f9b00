"""The hooks: a span for each run, and in it one for each call of the model and of a tool."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TYPE_CHECKING

from opentelemetry import trace
from opentelemetry.trace import Tracer, TracerProvider

import polylect
from polylect import hookimpl

from ._run import Run

if TYPE_CHECKING:
    from polylect import Agent, AgentAction, CallModel, ModelResult, RunResult, RunState, Tool, ToolResult

VARIABLE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
ON = frozenset({"1", "true", "yes", "on", "span_only", "span_and_event"})
_RUNS: dict[int, Run] = {}
"""The runs that go on, by their states. Of several that would trace one, the last that is asked does."""


class Tracing:
    """Traces runs. Installed, one stands around all agents; another one as a hook of an agent takes its place there.

    Args:
        content: whether spans hold what was said: prompts, replies, arguments, results. None: as the environment's
            variable ``OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`` says; by default they don't.
        name: what the agent is called.
        tracer_provider: where spans go; None: to the global one, and nowhere as long as that is not configured.
    """

    def __init__(
        self, *, content: bool | None = None, name: str | None = None, tracer_provider: TracerProvider | None = None
    ) -> None:
        self._content, self._name, self._provider = content, name, tracer_provider
        self._tracer: tuple[TracerProvider, Tracer] | None = None

    def __repr__(self) -> str:
        return f"<tracing of {self._name or 'agents'}>"

    # --- the hooks ------------------------------------------------------------------------------------------------

    @hookimpl
    def polylect_before_run(self, state: RunState, agent: Agent) -> None:
        """The span of the run begins; it is made when there is something to put into it."""
        tracer = self._active()
        if tracer is None:
            _RUNS.pop(id(state), None)
        else:
            _RUNS[id(state)] = Run(self, tracer, state, agent)

    @hookimpl
    def polylect_after_run(self, state: RunState, result: RunResult) -> None:
        """The span of the run ends."""
        run = self._mine(state)
        if run is not None:
            del _RUNS[id(state)]
            run.end(result)

    @hookimpl
    def polylect_run_failed(self, state: RunState, error: BaseException) -> None:
        """The span of the run ends, with the error."""
        run = self._mine(state)
        if run is not None:
            del _RUNS[id(state)]
            run.fail(error)

    @hookimpl
    def polylect_wrap_model_call(
        self, state: RunState, call: CallModel
    ) -> Generator[CallModel, ModelResult, ModelResult] | None:
        """The span of a call of the model."""
        run = self._mine(state)
        return None if run is None else run.model_call(call)

    @hookimpl
    def polylect_wrap_tool_call(
        self, state: RunState, action: AgentAction, tool: Tool
    ) -> Generator[AgentAction, ToolResult, ToolResult] | None:
        """The span of a call of a tool."""
        run = self._mine(state)
        return None if run is None else run.tool_call(action, tool)

    # --- what is traced -------------------------------------------------------------------------------------------

    def _mine(self, state: RunState) -> Run | None:
        run = _RUNS.get(id(state))
        return run if run is not None and run.owner is self else None

    def _active(self) -> Tracer | None:
        """The tracer; None where spans would go nowhere."""
        provider = self._provider or trace.get_tracer_provider()
        if isinstance(provider, (trace.ProxyTracerProvider, trace.NoOpTracerProvider)):
            return None
        if self._tracer is None or self._tracer[0] is not provider:
            self._tracer = provider, provider.get_tracer("polylect", polylect.__version__)
        return self._tracer[1]

    @property
    def name(self) -> str | None:
        """What the agent is called."""
        return self._name

    @property
    def content(self) -> bool:
        """Whether spans hold what was said."""
        return os.environ.get(VARIABLE, "").strip().lower() in ON if self._content is None else self._content
