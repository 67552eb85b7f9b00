"""The lect ``chat``."""

from __future__ import annotations

from ._prompt import CHAT
from ._react_json import ReactJson


class Chat(ReactJson):
    """What ``react_json`` is, for chat models: the prompt is messages, and each turn is a message of its own.

    Source: LangChain's ChatAgent. The rules and the tools are the system's message; the question is the user's, and
    under it stands what was done so far. No prompt begins the model's message, so no label is written for it.
    """

    name = "chat"
    title = 'ReAct with JSON as a chat: Thought / Action: {"action": …, "action_input": …} / Final Answer'
    prompt = CHAT

    def cue(self, following: str | None) -> str:
        """The label of a thought, where a turn without one follows; nothing before the model's own message."""
        return "\n" if following is None else super().cue(following)

    def detect(self, text: str) -> float:
        """Less than ``react_json``, which reads the same."""
        return max(super().detect(text) - 0.05, 0.0)
