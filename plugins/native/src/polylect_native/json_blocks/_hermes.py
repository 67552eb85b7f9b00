"""The lect ``hermes``."""

from __future__ import annotations

from ._body import JsonBlock


class Hermes(JsonBlock):
    """``<tool_call>{"name": …, "arguments": …}</tool_call>``.

    Source: the Hermes function calling format of Nous Research, and the chat templates of Qwen2.5 and Qwen3.
    """

    name = "hermes"
    title = 'Hermes: <tool_call>{"name": …, "arguments": …}</tool_call>'
    grammar_file = "hermes.lark"
    around = ("<tool_call>\n", "\n</tool_call>")
    joint = before = "\n"
    stops = ("<|im_end|>",)
    observation_prefix = "<|im_end|>\n<|im_start|>user\n<tool_response>\n"
    between = "\n</tool_response>"
    again = "\n<tool_response>\n"
    model_prefix = "\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<tool_call>", "</tool_call>", "<think>", "</think>", "<tool_response>", "</tool_response>", "<|im_start|>",
        "<|im_end|>", "<|endoftext|>",
    )  # fmt: skip
    examples = (
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_call>',
        '<think>\nI look it up.\n</think>\n\nOne moment.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
        '<tool_call>\n{"name": "a", "arguments": {"b": "</tool_call>"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>',
        "It rains in Paris.",
    )
    sources = ("https://github.com/NousResearch/Hermes-Function-Calling", "https://huggingface.co/Qwen/Qwen3-0.6B")
    quirks = (
        "The marker is one special token for Qwen, and plain text in several tokens for Hermes.",
        "Some Granite models write the arguments as a text that holds JSON; it is decoded.",
    )
