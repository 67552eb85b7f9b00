"""The ReAct family: ``react`` (labels) and ``react_bracket`` (``Action: tool[input]``)."""

from __future__ import annotations

from polylect import LectSpec, hookimpl


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [
        LectSpec(
            "react",
            "ReAct: Thought / Action / Action Input / Final Answer",
            "react",
            "polylect_react._react:React",
            ("react_text",),
        ),
        LectSpec(
            "react_bracket",
            "ReAct with brackets: Action: tool[input], Action: finish[answer]",
            "react",
            "polylect_react._bracket:ReactBracket",
            ("react_docstore",),
        ),
    ]


__all__ = ["polylect_lects"]
