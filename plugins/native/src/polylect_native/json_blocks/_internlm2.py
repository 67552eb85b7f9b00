"""The lect ``internlm2``."""

from __future__ import annotations

from ._body import JsonBlock


class Internlm2(JsonBlock):
    """``<|action_start|><|plugin|>``, an object ``{"name": …, "parameters": …}``, ``<|action_end|>``.

    Source: the chat format of InternLM2 (``chat/chat_format.md`` in its repository), and the template of vLLM.
    """

    name = "internlm2"
    title = 'InternLM2: <|action_start|><|plugin|>{"name": …, "parameters": …}<|action_end|>'
    grammar_file = "internlm2.lark"
    around = ("<|action_start|><|plugin|>\n", "<|action_end|>")
    keys = ("name", "parameters")
    separators = ("\n", "\n")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|im_end|>",)
    completions = ("<|im_end|>", "<|action_end|>")
    observation_prefix = "<|im_end|>\n<|im_start|>environment name=<|plugin|>\n"
    between = "<|im_end|>\n"
    again = "<|im_start|>environment name=<|plugin|>\n"
    model_prefix = "<|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<|action_start|>", "<|action_end|>", "<|plugin|>", "<|interpreter|>", "<think>", "</think>", "<|im_start|>",
        "<|im_end|>",
    )  # fmt: skip
    examples = (
        '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris", "days": 3}}<|action_end|>',
        "<think>\nI look it up.\n</think>\n\nOne moment."
        '<|action_start|> <|plugin|>\n{"name": "now", "arguments": {}}\n<|action_end|>\n',
        '<|action_start|><|plugin|>\n{"name": "a", "parameters": {"b": "<|action_end|>"}}<|action_end|>'
        '<|action_start|><|plugin|>\n{"name": "now", "parameters": {}}<|action_end|>',
        "It rains in Paris.",
    )
    sources = (
        "https://github.com/InternLM/InternLM/blob/main/chat/chat_format.md",
        "https://huggingface.co/internlm/Intern-S1",
    )
    quirks = (
        "InternLM2.5 writes a space between its two markers, the others do not; both are read.",
        "Models write the arguments under parameters, or under arguments as the template of vLLM tells them to.",
        "A server that stops at <|action_end|> gets one call of several; a message that ends there is whole.",
        "Code for <|interpreter|> is no call of a tool; it is read as text.",
    )
