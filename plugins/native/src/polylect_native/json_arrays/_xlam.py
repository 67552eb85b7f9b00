"""The lect ``xlam``."""

from __future__ import annotations

import re
from functools import cached_property

from ._body import JsonArray

_ARGUMENTS = re.compile(r'"arguments"[ \t]{0,4}:')
_MARKED = re.compile(r"\[TOOL_CALLS\]|<tool_call>")
BARE = 0.3
"""How sure it is that a list of objects with names, but without arguments, is one of calls."""


class Xlam(JsonArray):
    """``[{"name": …, "arguments": …}]``, without a marker.

    Source: the model cards and chat templates of the xLAM-2 series.
    """

    name = "xlam"
    title = 'xLAM-2: [{"name": …, "arguments": …}]'
    grammar_file = "xlam.lark"
    before = "\n"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /|/ CALLS /)[\s\S])+/"
    stops = ("<|eot_id|>", "<|im_end|>")
    observation_prefix = "<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\n"
    between = "<|eot_id|>"
    again = "<|start_header_id|>ipython<|end_header_id|>\n\n"
    model_prefix = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    special = (
        "<think>", "</think>", "<|eot_id|>", "<|im_end|>", "<|start_header_id|>", "<|im_start|>", "<|eom_id|>",
        "<|end_of_text|>", "<|endoftext|>",
    )  # fmt: skip
    examples = (
        '[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
        '<think>\nI look it up.\n</think>\n\nOne moment.\n[{"name": "a", "arguments": {"b": "]"}}, '
        '{"name": "now", "arguments": {}}]',
        'So:\n```json\n[{"name": "now", "arguments": {}}]\n```',
        "It rains in Paris [1].",
    )
    sources = (
        "https://huggingface.co/Salesforce/Llama-xLAM-2-8b-fc-r",
        "https://huggingface.co/Salesforce/xLAM-2-3b-fc-r",
    )
    quirks = (
        "There is no marker: an array is one of calls when its first object begins with the key of a name, of "
        "arguments or of an id; any other JSON is text.",
        "The array may stand in a fence, behind [TOOL_CALLS] or in <tool_call>.",
        "Models on Qwen have its turns, those on Llama the ones that are written here; both are read.",
    )

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """The markers, and the bracket of an array that would be one of calls."""
        bracket = r'\[\\*(?=[ \t\r\n]{0,8}\{[ \t\r\n]{0,8}"(?:name|arguments|id)"[ \t]{0,4}:)'
        return re.compile(f"{super()._marks.pattern}|{bracket}")

    def detect(self, text: str) -> float:
        """Less sure where no object has arguments: a list of persons has names, too."""
        score = super().detect(text)
        return score if _ARGUMENTS.search(text) is not None or _MARKED.search(text) is not None else min(score, BARE)
