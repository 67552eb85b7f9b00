"""Traces of polylect's agents, by OpenTelemetry. Installing this distribution is all there is to do."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from polylect import hookimpl

if TYPE_CHECKING:
    from collections.abc import Generator

    from polylect import Agent, AgentAction, CallModel, ModelResult, RunResult, RunState, Tool, ToolResult

    from ._tracing import Tracing


@functools.cache
def _installed() -> Tracing:
    """What stands around all agents. The first run loads it: whoever only lists plugins need not wait for it."""
    from ._tracing import Tracing

    return Tracing()


@hookimpl
def polylect_before_run(state: RunState, agent: Agent) -> None:
    """See :class:`Tracing`; so are the others."""
    _installed().polylect_before_run(state, agent)


@hookimpl
def polylect_after_run(state: RunState, result: RunResult) -> None:
    """The run has ended."""
    _installed().polylect_after_run(state, result)


@hookimpl
def polylect_run_failed(state: RunState, error: BaseException) -> None:
    """The run has failed."""
    _installed().polylect_run_failed(state, error)


@hookimpl
def polylect_wrap_model_call(state: RunState, call: CallModel) -> Generator[CallModel, ModelResult, ModelResult] | None:
    """A call of the model."""
    return _installed().polylect_wrap_model_call(state, call)


@hookimpl
def polylect_wrap_tool_call(
    state: RunState, action: AgentAction, tool: Tool
) -> Generator[AgentAction, ToolResult, ToolResult] | None:
    """A call of a tool."""
    return _installed().polylect_wrap_tool_call(state, action, tool)


def __getattr__(name: str) -> object:
    if name != "Tracing":
        raise AttributeError(f"module 'polylect_otel' has no attribute {name!r}")
    from ._tracing import Tracing

    return Tracing


__all__ = [
    "Tracing",
    "polylect_after_run",
    "polylect_before_run",
    "polylect_run_failed",
    "polylect_wrap_model_call",
    "polylect_wrap_tool_call",
]
