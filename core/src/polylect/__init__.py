"""polylect reads and writes every tongue in which language models call tools.

>>> import polylect
>>> reply = polylect.lect("react").parse("Thought: look\\nAction: search\\nAction Input: Oslo")
>>> reply.calls[0].name, reply.calls[0].arguments
('search', 'Oslo')
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ._errors import (
    ConstraintError,
    GrammarError,
    LectError,
    ModelError,
    ParseError,
    PluginError,
    PolylectError,
    PromptError,
    RecordError,
    RunError,
    ToolError,
)
from ._values import (
    EXCEPTION_TOOL,
    AgentAction,
    AgentFinish,
    AgentStep,
    AnswerDelta,
    ArgumentsDelta,
    Call,
    CallEnd,
    CallStart,
    ContentDelta,
    Diagnostic,
    Event,
    ReasoningDelta,
    Reply,
    ReplyEnd,
)

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from ._api_tools import anthropic_tools, openai_tools
    from ._detect import Detected, detect
    from ._examples import Example
    from ._hookspecs import LectSpec, ModelSpec, hookimpl
    from ._inputs import quote, read_input, unquote
    from ._lect import Lect, Parser
    from ._models import ModelInfo, model, models, register_model, unregister_model
    from ._openapi import OpenApiCall, openapi_tools
    from ._pipeline import Pipeline, Request, Turn
    from ._policies import Policies
    from ._prompt import Prompt
    from ._reading import Arguments
    from ._registry import LectInfo, PluginInfo
    from ._render import describe_tools, describe_tools_with_schemas
    from ._scripted import Scripted
    from ._stages import FormatScratchpad, Model, ParseStage, PromptStage
    from ._text_lect import TextLect, without_partial_stop
    from ._tools import McpTool, Tool, Toolbox, ToolLike, as_tool, tool, toolbox
    from ._translate import translate
    from .agent._agent import Agent
    from .agent._builders import (
        create_json_chat_agent,
        create_openai_functions_agent,
        create_openai_tools_agent,
        create_react_agent,
        create_self_ask_with_search_agent,
        create_structured_chat_agent,
        create_tool_calling_agent,
        create_xml_agent,
    )
    from .agent._cancel import Cancel
    from .agent._isolated import isolated
    from .agent._record import Recorder
    from .agent._replay import replay, replay_events
    from .agent._trim import TokenBudget
    from .agent._values import (
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
    from .constraint._constraint import Constraint

__version__ = "0.1.0"

_LATER = {
    "_api_tools": ("anthropic_tools", "openai_tools"),
    "_detect": ("Detected", "detect"),
    "_examples": ("Example",),
    "_hookspecs": ("LectSpec", "ModelSpec", "hookimpl"),
    "_inputs": ("quote", "read_input", "unquote"),
    "_lect": ("Lect", "Parser"),
    "_models": ("ModelInfo", "model", "models", "register_model", "unregister_model"),
    "_openapi": ("OpenApiCall", "openapi_tools"),
    "_pipeline": ("Pipeline", "Request", "Turn"),
    "_policies": ("Policies",),
    "_prompt": ("Prompt",),
    "_reading": ("Arguments",),
    "_registry": ("LectInfo", "PluginInfo"),
    "_render": ("describe_tools", "describe_tools_with_schemas"),
    "_scripted": ("Scripted",),
    "_stages": ("FormatScratchpad", "Model", "ParseStage", "PromptStage"),
    "_text_lect": ("TextLect", "without_partial_stop"),
    "_tools": ("McpTool", "Tool", "ToolLike", "Toolbox", "as_tool", "tool", "toolbox"),
    "_translate": ("translate",),
    "agent._agent": ("Agent",),
    "agent._builders": (
        "create_json_chat_agent",
        "create_openai_functions_agent",
        "create_openai_tools_agent",
        "create_react_agent",
        "create_self_ask_with_search_agent",
        "create_structured_chat_agent",
        "create_tool_calling_agent",
        "create_xml_agent",
    ),
    "agent._cancel": ("Cancel",),
    "agent._isolated": ("isolated",),
    "agent._record": ("Recorder",),
    "agent._replay": ("replay", "replay_events"),
    "agent._trim": ("TokenBudget",),
    "agent._values": (
        "AgentEvent",
        "CallModel",
        "CallTools",
        "Finish",
        "ModelDelta",
        "ModelEnd",
        "ModelResult",
        "ModelStart",
        "NoAnswer",
        "RunEvent",
        "RunResult",
        "RunState",
        "StepEnd",
        "StopReason",
        "ToolEnd",
        "ToolResult",
        "ToolStart",
        "ToolStatus",
        "TurnRecord",
        "Usage",
    ),
    "constraint._constraint": ("Constraint",),
}
"""Names by the module that has them, loaded when first asked for: the values alone are ready at once."""
_HOMES = {name: module for module, names in _LATER.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'polylect' has no attribute {name!r}")
    found: object = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def lects() -> list[LectInfo]:
    """All installed lects (``name``, ``title``, ``family``, ``distribution``), sorted by name, none of them loaded."""
    from . import _registry

    return _registry.registry.lects()


def lect(name: str) -> Lect:
    """The lect of that name or alias, or the one that the model of that name speaks.

    Args:
        name: ``"hermes"``; or the name of a model, such as ``"Qwen/Qwen3-Coder-30B-A3B-Instruct"``, of which the
            last part counts, whatever its case and whether ``-``, ``_`` or ``.`` stands between its words. Names of
            lects go before those of models; of the lects that claim a model, the one with the longest beginning.

    Raises:
        LectError: there is none; the message has the nearest name and the line that installs it.
        PluginError: it is installed and broken, or two distributions claim its name.
    """
    from . import _registry

    return _registry.registry.lect(name)


def register(lect: Lect | type[Lect], *, override: bool = False) -> Lect:
    """Add a tongue of your own, no packaging needed; gives the lect back.

    Raises:
        PluginError: its name is taken (``override=True`` replaces the other), or it is no lect.
    """
    from . import _registry

    return _registry.registry.register(lect, override=override)


def unregister(name: str) -> None:
    """Forget a lect.

    Raises:
        LectError: there is none of that name.
    """
    from . import _registry

    _registry.registry.unregister(name)


def plugins() -> list[PluginInfo]:
    """All installed plugins with their lects; those that are broken, or claim a name of another, with their error."""
    from . import _registry

    return _registry.registry.plugins()


def load_plugin_file(path: str | Path) -> ModuleType:
    """Run a Python file as a plugin: one that calls :func:`register`, or implements the hooks.

    Raises:
        PluginError: there is no such file, or it fails.
    """
    from . import _registry

    return _registry.load_plugin_file(_registry.registry, path)


__all__ = [
    "EXCEPTION_TOOL",
    "Agent",
    "AgentAction",
    "AgentEvent",
    "AgentFinish",
    "AgentStep",
    "AnswerDelta",
    "Arguments",
    "ArgumentsDelta",
    "Call",
    "CallEnd",
    "CallModel",
    "CallStart",
    "CallTools",
    "Cancel",
    "Constraint",
    "ConstraintError",
    "ContentDelta",
    "Detected",
    "Diagnostic",
    "Event",
    "Example",
    "Finish",
    "FormatScratchpad",
    "GrammarError",
    "Lect",
    "LectError",
    "LectInfo",
    "LectSpec",
    "McpTool",
    "Model",
    "ModelDelta",
    "ModelEnd",
    "ModelError",
    "ModelInfo",
    "ModelResult",
    "ModelSpec",
    "ModelStart",
    "NoAnswer",
    "OpenApiCall",
    "ParseError",
    "ParseStage",
    "Parser",
    "Pipeline",
    "PluginError",
    "PluginInfo",
    "Policies",
    "PolylectError",
    "Prompt",
    "PromptError",
    "PromptStage",
    "ReasoningDelta",
    "RecordError",
    "Recorder",
    "Reply",
    "ReplyEnd",
    "Request",
    "RunError",
    "RunEvent",
    "RunResult",
    "RunState",
    "Scripted",
    "StepEnd",
    "StopReason",
    "TextLect",
    "TokenBudget",
    "Tool",
    "ToolEnd",
    "ToolError",
    "ToolLike",
    "ToolResult",
    "ToolStart",
    "ToolStatus",
    "Toolbox",
    "Turn",
    "TurnRecord",
    "Usage",
    "anthropic_tools",
    "as_tool",
    "create_json_chat_agent",
    "create_openai_functions_agent",
    "create_openai_tools_agent",
    "create_react_agent",
    "create_self_ask_with_search_agent",
    "create_structured_chat_agent",
    "create_tool_calling_agent",
    "create_xml_agent",
    "describe_tools",
    "describe_tools_with_schemas",
    "detect",
    "hookimpl",
    "isolated",
    "lect",
    "lects",
    "load_plugin_file",
    "model",
    "models",
    "openai_tools",
    "openapi_tools",
    "plugins",
    "quote",
    "read_input",
    "register",
    "register_model",
    "replay",
    "replay_events",
    "tool",
    "toolbox",
    "translate",
    "unquote",
    "unregister",
    "unregister_model",
    "without_partial_stop",
]
