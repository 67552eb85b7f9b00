"""The lect ``json_chat``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polylect import AgentStep, LectError, Reply, Toolbox, toolbox
from polylect.plugin import Tools, observation_text

from ._blobs import BlobLect, blobs
from ._prompt import JSON_CHAT

PLACE = "{observation}"
RESPONSE = f"""\
The result of the tool is below. Go on with one JSON object in a fence, and nothing else.

{PLACE}"""
"""What a user's message says that brings a result."""


class JsonChat(BlobLect):
    """A chat in which each of the model's messages is one blob, the final answer too.

    Source: LangChain's JSON chat agent. The scratchpad is messages: what the model wrote, and the results of its calls
    as the user's next message. ``tool_response`` is the text of the latter, with ``{observation}`` in it.

    Raises:
        LectError: ``tool_response`` is no text, or has no place for the observation.
    """

    name = "json_chat"
    title = 'JSON chat: every message is one {"action": …, "action_input": …}, the final answer too'
    grammar_file = "json_chat.lark"
    prompt = JSON_CHAT
    examples = (
        '```json\n{"action": "search", "action_input": {"query": "weather in Oslo"}}\n```',
        '```json\n{"action": "note", "action_input": "a fence ``` and a brace } in a text"}\n```',
        '```json\n[{"action": "search", "action_input": "Oslo"}, {"action": "now", "action_input": {}}]\n```',
        '```json\n{"action": "Final Answer", "action_input": "It rains.\\nTake \\"both\\" coats."}\n```',
        '{"action": "Final Answer", "action_input": {"sky": ["wet"], "degrees": 4.5}}',
        '<think>\nMaybe {"action": "search"}?\n</think>\n```json\n{"action": "now", "action_input": {}}\n```',
    )

    def __init__(self, tool_response: str = RESPONSE) -> None:
        if not isinstance(tool_response, str) or PLACE not in tool_response:
            raise LectError(f"tool_response is a text with {PLACE} in it, not {tool_response!r:.80}.")
        super().__init__()
        self.tool_response = tool_response

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: a think block, prose, and one fenced blob; several calls are a list in it."""
        written = blobs(reply)
        body = f"[{', '.join(written)}]" if len(written) > 1 else "".join(written)
        thought = f"<think>\n{reply.reasoning}\n</think>\n" if reply.reasoning else ""
        said = f"{thought}{reply.content}"
        if not body:
            return said
        label = "\nAction:\n" if reply.content and not said.endswith("\n") else ""
        return f"{said}{label}```json\n{body}\n```"

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: Any) -> Any:
        """The scratchpad as chat messages: each turn as the assistant's, its results as the user's next one.

        A parse error becomes what the model said, and the correction.

        Raises:
            LectError: an action can't be written in this tongue.
        """
        chosen = self.policies.replace(**policies) if policies else self.policies
        toolbox(tools)  # only checked: text has a place for any name
        messages = []
        for turn, said in self.written_turns(steps, chosen):
            if said.strip():  # APIs take no empty message
                messages.append({"role": "assistant", "content": said})
            results = [self._guarded(observation_text(step.observation), chosen) for step in turn]
            if len(results) > 1:
                results = [f"{number}. {result}" for number, result in enumerate(results, 1)]
            told = self.tool_response.replace(PLACE, "\n\n".join(results))
            messages.append({"role": "user", "content": told})
        return messages

    def detect(self, text: str) -> float:
        """Less than ``json_blob``, which reads the same."""
        return max(super().detect(text) - 0.1, 0.0)
