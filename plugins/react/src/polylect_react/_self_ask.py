"""The lect ``self_ask``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType

from polylect import LectError, Prompt, Reply, Toolbox

from . import _prompt
from ._labels import LabelLect
from ._react import React


class SelfAsk(LabelLect):
    """Self-ask with search: ``Follow up: question``, ``Intermediate answer: …``, ``So the final answer is: answer``.

    Source: Press et al. 2022, "Measuring and Narrowing the Compositionality Gap in Language Models". A follow-up is a
    call of the one tool that answers questions, whose name is not in the text: where exactly one tool is given, it is
    that one, else the one that is called :attr:`tool`. Calls of other tools can't be written. What stands behind ``Are
    follow up questions needed here:`` is the reasoning.

    Args:
        labels: other words: ``thought`` (the question whether follow-ups are needed), ``action`` (``Follow up``),
            ``observation`` (``Intermediate answer``), ``question``, ``final``.
        tool: the name of the tool, where the given ones do not say it; LangChain's is ``Intermediate Answer``.

    Raises:
        LectError: the name of the tool is empty, or as for the labels of ``react``.
    """

    name = "self_ask"
    title = "Self-ask with search: Follow up: / Intermediate answer: / So the final answer is:"
    family = "react"
    aliases = ("self_ask_with_search",)
    grammar_file = "self_ask.lark"
    plain_input = React.plain_input
    answer_cue = "So the final answer is:"
    words = MappingProxyType(
        {
            "thought": "Are follow up questions needed here",
            "action": "Follow up",
            "observation": "Intermediate answer",
            "question": "Question",
            "final": "So the final answer is",
        }
    )
    tool: str = "search"
    """The tool that follow-ups are for, unless exactly one is given."""
    examples = (
        "Are follow up questions needed here: Yes.\nFollow up: Who wrote The Old Man and the Sea?",
        "Follow up: When was Ernest Hemingway born?",
        "Follow up: How far is it from Oslo to Bergen?\nFollow up: How far is it from Oslo to Voss?",
        "Are follow up questions needed here: No.\nSo the final answer is: It rains in Oslo,\nand in Bergen too.",
        "So the final answer is: 1899",
    )

    def __init__(self, labels: Mapping[str, str | None] | None = None, *, tool: str = "search") -> None:
        if not isinstance(tool, str) or not tool.strip():
            raise LectError(f"The tool of {self.name} is a name, not {tool!r:.80}.")
        super().__init__(labels)
        self.tool = tool.strip()
        self.input_mark = "question"
        self.hint = f"Write '{self.words['action']}:' with one question, or '{self.answer_cue}' with the answer."

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, in this lect's words, with an example."""
        return _prompt.self_ask(self.words)

    def only_tool(self, tools: Toolbox | None) -> str:
        """The tool that all follow-ups are calls of: the only one that is given, or the one called :attr:`tool`."""
        return next(iter(tools)) if tools is not None and len(tools) == 1 else self.tool

    def cue(self, following: str | None) -> str:
        """A line break: a turn begins with a label of its own, which only a turn that has none is given."""
        return "\n" if following is None else super().cue(following)

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn, every label on a line of its own."""
        lines = self.said(reply)
        lines += [f"{self.words['action']}: {self.input(call)}" for call in reply.calls]
        if reply.answer is not None:
            lines.append(f"{self.answer_cue} {reply.answer}")
        return "\n".join(lines)
