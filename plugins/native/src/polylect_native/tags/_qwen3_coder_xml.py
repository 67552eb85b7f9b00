"""The lect ``qwen3_coder_xml``."""

from __future__ import annotations

from typing import Any, ClassVar

from polylect import Policies

from ._body import Tags


class Qwen3CoderXml(Tags):
    """``<tool_call><function=…><parameter=…>…</parameter></function></tool_call>``.

    Source: the chat templates of Qwen3-Coder and Qwen3.5 and later; those of Nemotron 3 and Step 3.5 are alike.
    """

    name = "qwen3_coder_xml"
    title = "Qwen's XML: <tool_call><function=…><parameter=…>…</parameter></function></tool_call>"
    grammar_file = "qwen3_coder_xml.lark"
    policies = Policies(text="final", reasoning_calls="accept")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /|/ BARE /)[\s\S])+/"
    call_tags = "<tool_call>\n<function=", ">\n", "</function>\n</tool_call>"
    member_tags = "<parameter=", ">\n", "\n</parameter>\n"
    joint = "\n"
    before = "\n\n"
    stops = ("<|im_end|>",)
    observation_prefix = "<|im_end|>\n<|im_start|>user\n<tool_response>\n"
    between = "\n</tool_response>"
    again = "\n<tool_response>\n"
    model_prefix = "\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<tool_call>", "</tool_call>", "<function=", "</function>", "<parameter=", "</parameter>", "<think>",
        "</think>", "<tool_response>", "</tool_response>", "<|im_start|>", "<|im_end|>", "<|endoftext|>",
    )  # fmt: skip
    examples: ClassVar[tuple[Any, ...]] = (
        "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
        "</function>\n</tool_call>",
        "<think>\nI look it up.\n</think>\n\nOne moment.\n\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        "<tool_call>\n<function=write>\n<parameter=text>\nEnd it with </parameter> and </function>.\n\n</parameter>\n"
        "</function>\n</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        "<function=get_weather>\n<parameter=city>\nParis\n<parameter=days>\n3\n</function>\n</tool_call>",
        "It rains in Paris.",
    )
    sources: ClassVar[tuple[str, ...]] = (
        "https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B-Instruct",
        "https://huggingface.co/Qwen/Qwen3.5-9B",
    )
    quirks: ClassVar[tuple[str, ...]] = (
        "One newline on each side of a value is markup, and no more; a reader that strips values breaks edits.",
        "Models leave out <tool_call>, or </parameter> before the next parameter or the end; such calls are read.",
        "Models begin a call inside reasoning that they never close; the call ends the reasoning.",
        "Some templates write False and None for false and null; they are read where the schema wants such a value.",
        "A text that holds </parameter> followed by the rest of a call, or a line <parameter=…>, cannot be written.",
    )
