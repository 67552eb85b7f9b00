"""The lect ``conversational``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from types import MappingProxyType
from typing import Any

from polylect import Prompt
from polylect.plugin import observation_text

from . import _prompt
from ._react import React

_ASKS = re.compile(r"[\s*]{0,8}do i need to use a tool", re.I).match


class Conversational(React):
    """A chat that may use tools: ``Thought: Do I need to use a tool? …``, an action or ``AI: …`` for the user.

    Source: LangChain's conversational ReAct agent. The labels are those of ``react``, but for the answer's. Its prompt
    has a place for the conversation so far, the text ``{chat_history}``, see :meth:`format_history`; where the model
    goes on with what the human says next, it invented that. Other words: ``Conversational(labels={"final": "Bot"})``;
    besides those of ``react`` there is ``human``.
    """

    name = "conversational"
    title = "Conversational ReAct: Thought / Action / Action Input, or AI: answer"
    grammar_file = "conversational.lark"
    answer_cue = "AI:"
    assistant = "Assistant"
    """Who the model is in the history of the conversation. No label, so that a history that is quoted is no answer."""
    words = MappingProxyType({**React.words, "question": "New input", "final": "AI", "human": "Human"})
    examples = (
        "Thought: Do I need to use a tool? Yes\nAction: search\nAction Input: weather in Oslo",
        "Thought: Do I need to use a tool? No\nAI: It rains in Oslo,\nand in Bergen too.",
        "Thought: Do I need to use a tool? Yes, twice.\n"
        "Action: search\nAction Input: Oslo\nAction: search\nAction Input: Bergen",
        'Thought: Do I need to use a tool? Yes\nAction: forecast\nAction Input: {"city": "Oslo", "days": 3}',
        "AI: Hello. How can I help you?",
    )

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, in this lect's words. Its variable ``chat_history`` is a text, and may be left out."""
        return _prompt.conversational(self.words)

    def format_history(self, messages: Iterable[Any]) -> str:
        """The conversation so far, for ``{chat_history}``: a line for each message, its other lines indented.

        A pipeline makes it harmless, as all that it is given.

        Args:
            messages: each ``(role, text)`` or ``{"role": …, "content": …}``; of content that is no text the
                JSON is written, and those without any are left out.

        Raises:
            PromptError: they are no messages.
        """
        names = {"user": self.words["human"] or "Human", "assistant": self.assistant}
        lines = []
        for message in Prompt(["{messages}"]).format(messages=messages):
            assert isinstance(message, dict)
            said, role = message.get("content"), message["role"]
            if said is not None:  # a message of calls alone says nothing
                line = f"{names.get(role, role.title())}: {observation_text(said)}"
                lines.append(line.rstrip().replace("\n", "\n  "))
        return "\n".join(lines)

    def detect(self, text: str) -> float:
        """How sure it is that ``text`` is in this tongue: by its answer's label, or the question in its thoughts."""
        score = super().detect(text)
        reply = self.parse(text)
        if reply.answer is not None or _ASKS(reply.reasoning):
            return score
        return 0.9 * score  # the rest is the tongue react as well
