"""Agents: the loop that asks a model, runs the tools it calls, and asks again.

``_loop`` says what a run does and does no I/O; ``_sync`` and ``_async`` do what it wants; ``_values`` is what goes
between them.
"""

from __future__ import annotations

from ._agent import Agent
from ._builders import (
    create_json_chat_agent,
    create_openai_functions_agent,
    create_openai_tools_agent,
    create_react_agent,
    create_self_ask_with_search_agent,
    create_structured_chat_agent,
    create_tool_calling_agent,
    create_xml_agent,
)
from ._cancel import Cancel
from ._isolated import isolated
from ._record import Recorder
from ._replay import replay, replay_events
from ._trim import TokenBudget
from ._values import (
    STOP_REASONS,
    AgentEvent,
    CallModel,
    CallTools,
    Finish,
    ModelDelta,
    ModelEnd,
    ModelResult,
    ModelStart,
    NoAnswer,
    RunEvent,
    RunResult,
    RunState,
    StepEnd,
    StopReason,
    ToolEnd,
    ToolResult,
    ToolStart,
    ToolStatus,
    TurnRecord,
    Usage,
)

__all__ = [
    "STOP_REASONS",
    "Agent",
    "AgentEvent",
    "CallModel",
    "CallTools",
    "Cancel",
    "Finish",
    "ModelDelta",
    "ModelEnd",
    "ModelResult",
    "ModelStart",
    "NoAnswer",
    "Recorder",
    "RunEvent",
    "RunResult",
    "RunState",
    "StepEnd",
    "StopReason",
    "TokenBudget",
    "ToolEnd",
    "ToolResult",
    "ToolStart",
    "ToolStatus",
    "TurnRecord",
    "Usage",
    "create_json_chat_agent",
    "create_openai_functions_agent",
    "create_openai_tools_agent",
    "create_react_agent",
    "create_self_ask_with_search_agent",
    "create_structured_chat_agent",
    "create_tool_calling_agent",
    "create_xml_agent",
    "isolated",
    "replay",
    "replay_events",
]
