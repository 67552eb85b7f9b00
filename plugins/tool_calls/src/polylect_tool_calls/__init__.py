"""The family of native tool calls, as messages and as stream deltas of OpenAI's chat completions.

``tool_calls`` is the form of today, ``openai_functions`` the one before it.
"""

from __future__ import annotations

from polylect import LectSpec, hookimpl


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [
        LectSpec(
            "tool_calls",
            "Native tool calls: OpenAI chat completions messages and stream deltas",
            "tool_calls",
            "polylect_tool_calls._lect:ToolCalls",
            ("openai", "openai_tools", "chat_completions"),
        ),
        LectSpec(
            "openai_functions",
            "Legacy function calls: OpenAI's function_call messages and their stream deltas",
            "tool_calls",
            "polylect_tool_calls._functions:OpenAIFunctions",
        ),
    ]


__all__ = ["polylect_lects"]
