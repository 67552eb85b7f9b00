"""The lect ``mrkl``."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from polylect import AgentAction, AgentFinish, Prompt, Reply

from . import _prompt
from ._react import React


class Mrkl(React):
    """Zero-shot MRKL: the labels of ``react``, no examples, and what comes first counts.

    Source: Karpas et al. 2022, "MRKL Systems", in the layout of LangChain's zero-shot agent, from which the one of
    ``react`` descends. They are read and written alike, and differ in two things. An answer that stands before all
    actions ends the run, as whatever follows was not wanted any more; an answer behind an action was invented, and the
    action runs. (The policy ``both`` says otherwise, where it is given.) And the prompt presents the tools as experts.
    """

    name = "mrkl"
    aliases = ("zero_shot_react",)
    title = "Zero-shot MRKL: as react, and what comes first counts"
    examples = (
        "Thought: I need the weather.\nAction: search\nAction Input: weather in Oslo",
        "The forecast knows.\nAction: forecast\nAction Input: Oslo",
        'Thought: Both arguments.\nAction: forecast\nAction Input: {"city": "Oslo", "days": 3}',
        "Thought: I now know the answer.\nFinal Answer: It rains in Oslo,\nand in Bergen too.",
        "Final Answer: 42",
    )

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, in this lect's words."""
        return _prompt.mrkl(self.words)

    def decide(self, reply: Reply, **policies: Any) -> list[AgentAction] | AgentFinish:
        """What the agent does with a reply; an answer ahead of all actions is the end."""
        if "both" not in policies and self.policies.both == "action" and isinstance(reply, Reply) and reply.calls:
            role, start, end = next((x for x in reply.parts if x[0] in ("call", "answer")), ("call", 0, 0))
            if role == "answer" and self._says(reply.text[start:end]):
                policies["both"] = "final"
        return super().decide(reply, **policies)

    def _says(self, answer: str) -> bool:
        """Whether there is something behind the label of an answer."""
        answer = f"\n{answer.lstrip()}"
        label = re.match(self.grammar.tables.markers["FINAL"], answer)
        return bool(answer[label.end() if label is not None else 0 :].strip())

    def detect(self, text: str) -> float:
        """0.0: such a text is in the tongue ``react``, which nothing in it tells apart from this one."""
        return 0.0
