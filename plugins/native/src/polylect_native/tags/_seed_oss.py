"""The lect ``seed_oss``."""

from __future__ import annotations

from typing import Any

from polylect.plugin import MISSING

from .._literals import read_literal
from ._body import Tags


class SeedOss(Tags):
    """``<seed:tool_call><function=…><parameter=…>…</parameter></function></seed:tool_call>``.

    Source: the chat template of Seed-OSS.
    """

    name = "seed_oss"
    title = "Seed-OSS: <seed:tool_call><function=…><parameter=…>…</parameter></function></seed:tool_call>"
    grammar_file = "seed_oss.lark"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /|/ BARE /)[\s\S])+/"
    think = "<seed:think>", "</seed:think>\n"
    call_tags = "<seed:tool_call>\n<function=", ">\n", "</function>\n</seed:tool_call>"
    member_tags = "<parameter=", ">", "</parameter>\n"
    joint = "\n"
    before = "\n\n"
    stops = ("<seed:eos>",)
    observation_prefix = "<seed:eos><seed:bos>tool\n"
    between = "<seed:eos>"
    again = "<seed:bos>tool\n"
    model_prefix = "<seed:eos><seed:bos>assistant\n"
    special = (
        "<seed:tool_call>", "</seed:tool_call>", "<function=", "</function>", "<parameter=", "</parameter>",
        "<seed:think>", "</seed:think>", "<seed:bos>", "<seed:eos>",
    )  # fmt: skip
    examples = (
        "<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n<parameter=days>3</parameter>\n"
        "</function>\n</seed:tool_call>",
        "<seed:think>I look it up.</seed:think>\nOne moment.\n\n<seed:tool_call>\n<function=now>\n</function>\n"
        "</seed:tool_call>",
        "<seed:tool_call>\n<function=plan>\n<parameter=opt>{'k': [1, True, None]}</parameter>\n</function>\n"
        "</seed:tool_call>\n<seed:tool_call>\n<function=now>\n</function>\n</seed:tool_call>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/ByteDance-Seed/Seed-OSS-36B-Instruct",)
    quirks = (
        "The template writes values that are no texts in Python's spelling, {'k': [1, True, None]}; both that and JSON "
        "are read, and JSON is written.",
        "Nothing around a value is markup: a line break there is the value's.",
        "A text that holds </parameter> followed by the rest of a call, or a line <parameter=…>, cannot be written.",
    )

    def untyped(self, text: str) -> Any:
        """As everywhere, and lists and objects in Python's spelling."""
        value = super().untyped(text)
        if value is text and text[:1] in ("{", "["):
            found = read_literal(text)
            return text if found is MISSING else found
        return value
