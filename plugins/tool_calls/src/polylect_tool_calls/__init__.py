"""The family of native tool calls: ``tool_calls`` (OpenAI chat completions, as messages and as stream deltas)."""

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
    ]


__all__ = ["polylect_lects"]
