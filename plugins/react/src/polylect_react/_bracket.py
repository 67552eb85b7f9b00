"""The lect ``react_bracket``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

from polylect import Arguments, Policies, Prompt, Reply, Tool, Toolbox, read_input

from . import _prompt
from ._labels import LabelLect


class ReactBracket(LabelLect):
    """``Thought: …`` and ``Action: tool[input]``; ``Action: finish[answer]`` ends the run.

    Source: the prompts of Yao et al. 2022, "ReAct: Synergizing Reasoning and Acting in Language Models", without their
    numbers, which are read all the same. Brackets inside the input must balance.
    """

    name = "react_bracket"
    title = "ReAct with brackets: Action: tool[input], Action: finish[answer]"
    family = "react"
    grammar_file = "react_bracket.lark"
    plain_input = re.compile(r"[^\s{`\"'\\][^\\]{0,4000}+(?<!\s)\Z")
    words = MappingProxyType(
        {"thought": "Thought", "action": "Action", "observation": "Observation", "question": "Question"}
    )
    answer_names = frozenset({"finish"})
    answer_cue = "Action: finish["
    finish = "finish"
    """The name of the action that ends the run, as it is written."""
    examples = (
        "Thought: I need who wrote it.\nAction: search[The Old Man and the Sea]",
        "Thought: An index, then.\nAction: calculate[a[0] + b[1]]",
        "Thought: Two at once.\nAction: search[Oslo]\nAction: search[Bergen]",
        "Thought: That is it.\nAction: finish[54,583]",
        'Action: forecast[{"city": "Oslo", "days": 3}]',
    )

    def __init__(self, labels: Mapping[str, str | None] | None = None) -> None:
        super().__init__(labels)
        action = self.words["action"]
        self.input_mark = "brackets"
        self.answer_cue = f"{action}: {self.finish}["
        self.hint = f"Write '{action}: tool[input]' on a line of its own, or '{self.answer_cue}answer]'."

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, in this lect's words."""
        return _prompt.react_bracket(self.words)

    def read_text(self, name: str, raw: str, tool: Tool | None, policies: Policies, open_end: bool) -> Arguments:
        """What stands in the brackets: text, or a JSON object for tools with several arguments or none."""
        text = (self.unescape(raw) if "\\" in raw else raw).strip()
        if policies.types == "as_written":
            return text, "complete", None
        return read_input(name, text, tool, policies.max_nesting)

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn, every label on a line of its own."""
        lines = self.said(reply)
        lines += [f"{self.words['action']}: {call.name}[{self.input(call)}]" for call in reply.calls]
        if reply.answer is not None:
            lines.append(f"{self.answer_cue}{reply.answer}]")
        return "\n".join(lines)
