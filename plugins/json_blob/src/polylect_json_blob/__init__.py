"""The JSON blob family: ``json_blob`` (``{"action": …, "action_input": …}``)."""

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
    ]


__all__ = ["polylect_lects"]
