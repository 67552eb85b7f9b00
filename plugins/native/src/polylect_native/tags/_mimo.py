"""The lect ``mimo``."""

from __future__ import annotations

from polylect import Policies

from ._qwen3_coder_xml import Qwen3CoderXml


class Mimo(Qwen3CoderXml):
    """``<tool_call><function=…><parameter=…>…</parameter></function></tool_call>``, values without line breaks.

    Source: the readers for MiMo in vLLM and SGLang.
    """

    name = "mimo"
    title = "MiMo: <tool_call><function=…><parameter=…>…</parameter></function></tool_call>, values verbatim"
    grammar_file = "mimo.lark"
    policies = Policies(text="final")
    think = "<think>", "</think>"
    member_tags = "<parameter=", ">", "</parameter>\n"
    before = "\n"
    examples = (
        "<tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n<parameter=days>3</parameter>\n"
        "</function>\n</tool_call>",
        "<think>I look it up.</think>One moment.\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        "<tool_call>\n<function=write>\n<parameter=text>End it with </parameter> and </function>.\n</parameter>\n"
        "</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/XiaomiMiMo/MiMo-7B-RL",)
    quirks = (
        "The tags are Qwen3-Coder's, but nothing around a value is markup: a line break there is the value's.",
        "MiMo-VL writes the calls of hermes.",
        "A text that holds </parameter> followed by the rest of a call, or a line <parameter=…>, cannot be written.",
    )
