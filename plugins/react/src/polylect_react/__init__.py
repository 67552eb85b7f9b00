"""The ReAct family: tongues of labels at the starts of lines, ``Thought:``, ``Action:`` and their like."""

from __future__ import annotations

from polylect import LectSpec, hookimpl


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [LectSpec(name, title, "react", f"polylect_react.{place}", aliases) for name, title, place, aliases in LECTS]


LECTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("react", "ReAct: Thought / Action / Action Input / Final Answer", "_react:React", ("react_text",)),
    (
        "react_bracket",
        "ReAct with brackets: Action: tool[input], Action: finish[answer]",
        "_bracket:ReactBracket",
        (),
    ),
    (
        "docstore",
        "ReAct with numbers: Thought 1: / Action 1: Search[x] / Action 2: Finish[answer]",
        "_docstore:Docstore",
        ("react_docstore",),
    ),
    (
        "mrkl",
        "Zero-shot MRKL: as react, and what comes first counts",
        "_mrkl:Mrkl",
        ("zero_shot_react",),
    ),
    (
        "conversational",
        "Conversational ReAct: Thought / Action / Action Input, or AI: answer",
        "_conversational:Conversational",
        (),
    ),
    (
        "self_ask",
        "Self-ask with search: Follow up: / Intermediate answer: / So the final answer is:",
        "_self_ask:SelfAsk",
        ("self_ask_with_search",),
    ),
)
"""Each lect's name, title, class and aliases, so that listing them loads none."""

__all__ = ["polylect_lects"]
