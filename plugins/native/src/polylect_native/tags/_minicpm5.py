"""The lect ``minicpm5``."""

from __future__ import annotations

import re
from typing import Any

from polylect.plugin import MISSING

from .._literals import read_literal
from ._body import Tags

_SPECIAL = re.compile(r"[<&\n]|\A[ \t\r\n]").search


class Minicpm5(Tags):
    """``<function name="…"><param name="…">…</param></function>``.

    Source: the chat template of MiniCPM5.
    """

    name = "minicpm5"
    unconstrained = ("texts with markup are written as they are, not in CDATA",)
    title = 'MiniCPM5: <function name="…"><param name="…">…</param></function>'
    grammar_file = "minicpm5.lark"
    thinking = r"/(?:(?!/ END_THINK /|/ FUNCTION /)[\s\S])+/"
    call_tags = '<function name="', '">', "</function>"
    member_tags = '<param name="', '">', "</param>"
    joint = before = "\n"
    stops = ("<|im_end|>",)
    observation_prefix = "<|im_end|>\n<|im_start|>user\n<tool_response>\n"
    between = "\n</tool_response>"
    again = "\n<tool_response>\n"
    model_prefix = "\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<function name=", "</function>", "<param name=", "</param>", "<![CDATA[", "]]>", "<think>", "</think>",
        "<tool_response>", "</tool_response>", "<|im_start|>", "<|im_end|>",
    )  # fmt: skip
    examples = (
        '<function name="get_weather"><param name="city">Paris</param><param name="days">3</param></function>',
        '<think>\nI look it up.\n</think>\n\nOne moment.\n<function name="now"></function>',
        '<function name="write"><param name="text"><![CDATA[if a < b:\n    print("</param>")\n]]></param></function>\n'
        "<function name='plan'><param name='opt'>{'k': [1, True, None]}</param></function>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/openbmb/MiniCPM5-1B",)
    quirks = (
        "Values with <, & or a line break stand in CDATA; entities are not decoded.",
        "The template writes values that are no texts in Python's spelling, {'k': [1, True, None]}; both that and JSON "
        "are read, and JSON is written.",
        "There is no wrapper: prose that only names <function …> is text, because no parameter or end follows.",
        "A text that holds ]]></param> followed by another parameter or the call's end cannot be written.",
    )

    def write_value(self, value: Any) -> str:
        """A value with markup or a line break in it stands in CDATA."""
        text = super().write_value(value)
        return f"<![CDATA[{text}]]>" if _SPECIAL(text) else text

    def untyped(self, text: str) -> Any:
        """As everywhere, and lists and objects in Python's spelling."""
        value = super().untyped(text)
        if value is text and text[:1] in ("{", "["):
            found = read_literal(text)
            return text if found is MISSING else found
        return value
