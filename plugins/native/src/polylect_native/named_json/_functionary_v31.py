"""The lect ``functionary_v31``."""

from __future__ import annotations

import re

from .._native import NO_CALL
from ._code import WithCode

_CODE = re.compile(r"<\|python_tag\|>(?:[ \t\r\n]{0,8}[{\[]|[ \t])")
"""Where the text behind the marker is a call of Llama's, or goes on with a sentence."""


class FunctionaryV31(WithCode):
    """``<function=name>{…}</function>``.

    Source: the chat template of Functionary v3.1, which is that of Llama 3.1 for tools of the user's.
    """

    name = "functionary_v31"
    title = "Functionary 3.1: <function=name>{…}</function>"
    grammar_file = "functionary_v31.lark"
    head = "<function="
    sep = ">"
    tail = "</function>"
    stops = ("<|eot_id|>", "<|eom_id|>")
    observation_prefix = "<|eom_id|><|start_header_id|>ipython<|end_header_id|>\n\n"
    again = "<|start_header_id|>ipython<|end_header_id|>\n\n"
    between = "<|eot_id|>"
    model_prefix = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    special = (
        "<function=", "</function>", "<|python_tag|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>",
        "<|eom_id|>",
    )  # fmt: skip
    examples = (
        '<function=get_weather>{"city": "Paris", "days": 3}</function>',
        "One moment.<function=now>{}</function>",
        '<function=a>{"b": "</function>"}</function><function=now>{}</function>',
        "<|python_tag|>print(1 + 1)",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/meetkai/functionary-medium-v3.1", "https://github.com/MeetKai/functionary")
    quirks = (
        "The markers are plain text: they count only where an object or the closing marker follows the name.",
        "Code comes behind <|python_tag|>, not as JSON: it is read as a call of python with the argument code.",
        "A turn with calls ends with <|eom_id|>, one without with <|eot_id|>.",
        "Results carry no names: they stand in the order of the calls.",
    )

    def detect(self, text: str) -> float:
        """Less sure where an object stands for the code: Llama 3 writes calls so."""
        score = super().detect(text)
        return min(score, NO_CALL) if _CODE.search(text) is not None and self.head not in text else score
