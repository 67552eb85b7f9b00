"""The XML family: ``xml_tags`` (``<tool>``, ``<tool_input>``, ``<observation>``, ``<final_answer>``)."""

from __future__ import annotations

from polylect import LectSpec, hookimpl


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [
        LectSpec(
            "xml_tags",
            "XML tags: <tool>…</tool><tool_input>…</tool_input>, <final_answer>…</final_answer>",
            "xml_tags",
            "polylect_xml_tags._xml_tags:XmlTags",
            ("xml",),
        ),
    ]


__all__ = ["polylect_lects"]
