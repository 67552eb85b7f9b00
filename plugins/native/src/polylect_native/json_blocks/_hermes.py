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
    separators = ("\n", "\n")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
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
        "The marker is one special token for Qwen, and plain text in several tokens for Hermes: there it opens a call "
        "only where an object follows.",
        "Templates write the turn of results as the user's (Qwen), the tool's (Hermes) or in Granite's own headers; "
        "all are read, Qwen's is written.",
        "Some Granite models write the arguments as a text that holds JSON; it is decoded.",
        "Several objects in one block, a list of them, and a block that is not closed are read as the calls they are.",
        "The thinking ERNIE 4.5 puts its answer between <response> and </response>, which stay in the text.",
    )
