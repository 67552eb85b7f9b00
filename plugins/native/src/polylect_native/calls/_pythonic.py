"""The lect ``pythonic``."""

from __future__ import annotations

import re
from functools import cached_property

from ._body import PythonCalls

_OPEN = r"\[\\*(?=[ \t\r\n]{0,8}\w[\w.\-]{0,127}\()"
"""A bracket before a name and another one, up to where a backslash makes it harmless."""


class Pythonic(PythonCalls):
    """``[name(key='value', …), …]``.

    Source: the prompt formats of Llama 3.2 and Llama 4, ToolACE, and the function calling of Gemma 3.
    """

    name = "pythonic"
    title = "Python calls: [name(key='value', …)]"
    grammar_file = "pythonic.lark"
    features = PythonCalls.features - {"reasoning"}
    think = None
    opener, joint, closer = "[", ", ", "]"
    before = "\n"
    list_end = "]"
    stops = ("<|eot_id|>", "<|eot|>", "<end_of_turn>")
    observation_prefix = '<|eot|><|header_start|>ipython<|header_end|>\n\n"'
    between = '"<|eot|>'
    again = '<|header_start|>ipython<|header_end|>\n\n"'
    model_prefix = '"<|eot|><|header_start|>assistant<|header_end|>\n\n'
    special = (
        "<|python_start|>", "<|python_end|>", "<|eot|>", "<|eom|>", "<|eom_id|>", "<|header_start|>", "<|header_end|>",
        "<|start_header_id|>", "<|end_header_id|>", "<|end_of_text|>",
    )  # fmt: skip
    examples = (
        "[get_weather(city='Paris', days=3, opt={'k': [1, True, None]})]",
        "One moment.\n[get_weather(city='Paris'), now()]",
        '<|python_start|>[search(query="it\'s [so](here)")]<|python_end|>',
        "It rains in Paris [1], see [the map](https://example.org).",
    )
    sources = (
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama4/",
        "https://www.llama.com/docs/model-cards-and-prompt-formats/llama3_2/",
        "https://huggingface.co/Team-ACE/ToolACE-8B",
    )
    quirks = (
        "The calls are plain text: a bracket begins some where a name and a keyword, or no arguments, stand behind it.",
        "Models write JSON's true, false and null among Python's words, line breaks in strings, and tuples.",
        "The template of Llama 4 writes every value of the history between quotes; the tool's schema says what it is.",
        "The template of Llama 3.2 leaves texts without quotes, so that its history can't be read; quotes are written.",
        "The template of Llama 4 writes a result as a JSON text; between the same quotes it stands as it is here.",
        "A list that lacks its last bracket was cut, and none of its calls runs.",
    )

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        return re.compile(f"{super()._marks.pattern}|{_OPEN}")
