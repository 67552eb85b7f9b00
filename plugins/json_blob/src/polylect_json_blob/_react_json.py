"""The lect ``react_json``."""

from __future__ import annotations

import re
from functools import cached_property

from polylect import Reply, Toolbox

from ._blobs import BlobLect, blobs, marks_of
from ._prompt import REACT_JSON

_MARK, _COLON = r"(?:\*{1,3}|#{1,4}[ \t]{1,2})?", r"[ \t*0-9]{0,8}[:：]"
LABELS = rf"{_MARK}(?i:Thought|Action|Observation|Question|Final Answer){_COLON}|{_MARK}(?i:Observation)"
"""The labels, and the stop string, at the start of a line."""


class ReactJson(BlobLect):
    """Thought / Action / Observation / Final Answer, where the action is a fenced blob.

    Source: LangChain's ReAct agents with JSON for chat models. The label of the action may be missing, and so may the
    fence; several blobs, or a list of them, are several calls. The final answer is text behind its label; an answer
    that is another JSON value is a blob, with the action ``Final Answer``.
    """

    name = "react_json"
    title = 'ReAct with JSON: Thought / Action: {"action": …, "action_input": …} / Final Answer'
    grammar_file = "react_json.lark"
    prompt = REACT_JSON
    answer_cue = "Final Answer:"
    marks = marks_of(LABELS)
    hint = (
        'Write \'Action:\' and behind it one JSON object {"action": "the tool\'s name", "action_input": {…}} in a '
        "fence, or 'Final Answer:'."
    )
    examples = (
        'Thought: I need the weather.\nAction:\n```json\n{"action": "search", "action_input": "weather in Oslo"}\n```',
        'Thought: Three days.\nAction:\n```\n{"action": "forecast", "action_input": {"city": "Oslo", "days": 3}}\n```',
        "Thought: I know the answer now.\nFinal Answer: It rains in Oslo,\nand in Bergen too.",
        'Two at once.\nAction:\n```json\n{"action": "search", "action_input": {"query": "a"}}\n```\nAction:\n```json\n'
        '{"action": "search", "action_input": {"query": "b"}}\n```',
        '<think>\nShould I look it up? No.\n</think>\nFinal Answer: 42, as in ```{x}``` and {"action": 42}',
        '```json\n{"action": "Final Answer", "action_input": {"sky": "dry", "days": [1, 2]}}\n```',
    )

    @cached_property
    def _own(self) -> re.Pattern[str]:
        """How a turn begins, behind a line break, that needs no other label: with one of its own, or a think block."""
        markers = self.grammar.tables.markers
        return re.compile("|".join(f"(?:{markers[name]})" for name in ("THOUGHT", "ACTION", "FINAL", "THINK")))

    def cue(self, following: str | None) -> str:
        """The label of the next thought, unless the next turn brings a label of its own, or a think block."""
        return self.model_prefix if following is None or self._own.match(f"\n{following}") is None else "\n"

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: prose, the thought, a fenced blob for each call, and the answer, each behind its label."""
        text = reply.answer if isinstance(reply.answer, str) else None
        out = self.said(reply)
        for written in blobs(reply if text is None else Reply(calls=reply.calls)):
            label = "\nAction:\n" if out else "Action:\n"
            if out == reply.content and out.endswith("\n"):  # a label would take the line break
                label = ""
            out += f"{label}```json\n{written}\n```"
        if text is None:
            return out
        return f"{out}\nFinal Answer: {text}" if out else f"Final Answer: {text}"

    def detect(self, text: str) -> float:
        """A little less than others: most of its texts could as well be in ``json_blob``, or in ``react``."""
        return max(super().detect(text) - 0.05, 0.0)
