"""The lect ``mistral_v3_array``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from polylect import AgentStep, Call, toolbox
from polylect.plugin import Tools, observation_text

from ._body import JsonResults

_NINE = re.compile("[A-Za-z0-9]{9}").fullmatch


class MistralV3Array(JsonResults):
    """``[TOOL_CALLS] [{"name": …, "arguments": …, "id": …}]``.

    Source: the third version of Mistral's tokenizer, and the chat templates of Mistral 7B v0.3 and Nemo.
    """

    name = "mistral_v3_array"
    title = 'Mistral v3: [TOOL_CALLS] [{"name": …, "arguments": …}]'
    grammar_file = "mistral_v3_array.lark"
    features = JsonResults.features - {"reasoning"}
    think = None
    opener = "[TOOL_CALLS] ["
    id_key = "id"
    json_texts = True
    stops = ("</s>",)
    observation_prefix = '</s>[TOOL_RESULTS] {"content": '
    again = '[TOOL_RESULTS] {"content": '
    special = ("[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]", "</s>")
    examples = (
        '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
        'One moment.[TOOL_CALLS] [{"name": "a", "arguments": {"b": "[TOOL_CALLS] [{"}, "id": "abcdefgh1"}, '
        '{"name": "now", "arguments": {}, "id": "abcdefgh2"}]',
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/mistralai/Mistral-7B-Instruct-v0.3",
        "https://huggingface.co/mistralai/Mistral-Nemo-Instruct-2407",
    )
    quirks = (
        "The model writes no ids; in the history each call has one, nine letters and digits, and its result names it.",
        "An id of another form is written as nine letters and digits that are made from it.",
        "No marker closes the array: what stands behind its last bracket is text again.",
        "The newer tokenizers write no space behind a marker; both are read, the older form is written.",
        "A result that is JSON is the value of its object, any other is a JSON text; templates write both as they are.",
    )

    def call_id(self, call: Call) -> str | None:
        """Nine letters and digits."""
        return None if call.id is None else nine(call.id)

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: Any) -> str:
        """The scratchpad; behind each result the id of its call, or else its number in the turn."""
        box = toolbox(tools)
        chosen = self.policies.replace(**policies) if policies else self.policies
        out = []
        for turn, text in self.written_turns(steps, chosen, self.needed_tools(box)):
            out.append(text)
            for step in turn:
                action = step.action
                told = f"{action.index:09d}" if action.id is None else nine(action.id)
                out.append(self.opening(step, first=step is turn[0]))
                out.append(self._guarded(observation_text(step.observation), chosen))
                out.append(f', "call_id": "{told}"}}[/TOOL_RESULTS]')
        return "".join(out)


def nine(text: str) -> str:
    """An id of nine letters and digits: the text itself where it is one, else one that is made from it."""
    if _NINE(text):
        return text
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()[:9]
