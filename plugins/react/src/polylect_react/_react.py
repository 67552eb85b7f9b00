"""The lect ``react``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import ClassVar

from polylect import Prompt, Reply, Toolbox

from . import _prompt
from ._labels import LabelLect


class React(LabelLect):
    """Thought / Action / Action Input / Observation / Final Answer.

    Source: Yao et al. 2022, "ReAct: Synergizing Reasoning and Acting in Language Models", in the layout that LangChain
    made common. The words may be others: ``React(labels={"thought": "Gedanke", "action": "Aktion", "input":
    "Eingabe", "observation": "Beobachtung", "final": "Antwort"})``.
    """

    name = "react"
    title = "ReAct: Thought / Action / Action Input / Final Answer"
    family = "react"
    aliases = ("react_text",)
    grammar_file = "react.lark"
    answer_cue = "Final Answer:"
    plain_input = re.compile(r"[^\s{`\"'\\][^\\\n]{0,4000}+(?<!\s)\Z")
    words = MappingProxyType(
        {
            "thought": "Thought",
            "action": "Action",
            "input": "Action Input",
            "observation": "Observation",
            "question": "Question",
            "final": "Final Answer",
        }
    )
    examples: ClassVar[tuple[str, ...]] = (
        "Thought: I need the weather.\nAction: search\nAction Input: weather in Oslo",
        "Thought: Two things to look up.\nAction: search\nAction Input: Oslo\nAction: search\nAction Input: Bergen",
        'Thought: Both arguments.\nAction: forecast\nAction Input: {"city": "Oslo", "days": 3}',
        "I have all I need.\nThought: I now know the answer.\nFinal Answer: It rains in Oslo,\nand in Bergen too.",
        "<think>\nShould I look it up? Yes.\n</think>\nThought: look\nAction: search\nAction Input: Oslo",
        "Final Answer: 42",
    )

    def __init__(self, labels: Mapping[str, str | None] | None = None) -> None:
        super().__init__(labels)
        self.input_mark = f"'{self.words['input']}:' line"
        self.hint = (
            f"Write '{self.words['action']}:' with the tool's name and '{self.words['input']}:' with its input, "
            f"or '{self.words['final']}:'."
        )

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, in this lect's words."""
        return _prompt.react(self.words)

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn, every label on a line of its own."""
        words = self.words
        lines = self.said(reply)
        lines += [f"{words['action']}: {call.name}\n{words['input']}: {self.input(call)}" for call in reply.calls]
        if reply.answer is not None:
            lines.append(f"{words['final']}: {reply.answer}")
        return "\n".join(lines)
