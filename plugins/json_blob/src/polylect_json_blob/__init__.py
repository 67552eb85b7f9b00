"""The JSON blob family: ``{"action": …, "action_input": …}``, alone or behind labels, in a text or as a chat."""

from __future__ import annotations

from polylect import LectSpec, hookimpl


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [
        LectSpec(
            "json_blob",
            'Structured chat: {"action": …, "action_input": …}, fenced or bare',
            "json_blob",
            "polylect_json_blob._json_blob:JsonBlob",
            ("structured_chat",),
        ),
        LectSpec(
            "react_json",
            'ReAct with JSON: Thought / Action: {"action": …, "action_input": …} / Final Answer',
            "json_blob",
            "polylect_json_blob._react_json:ReactJson",
        ),
        LectSpec(
            "chat",
            'ReAct with JSON as a chat: Thought / Action: {"action": …, "action_input": …} / Final Answer',
            "json_blob",
            "polylect_json_blob._chat:Chat",
        ),
        LectSpec(
            "json_chat",
            'JSON chat: every message is one {"action": …, "action_input": …}, the final answer too',
            "json_blob",
            "polylect_json_blob._json_chat:JsonChat",
        ),
    ]


__all__ = ["polylect_lects"]
