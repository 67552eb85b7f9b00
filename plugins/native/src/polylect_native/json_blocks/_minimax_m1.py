"""The lect ``minimax_m1``."""

from __future__ import annotations

from ._body import JsonBlock


class MinimaxM1(JsonBlock):
    """``<tool_calls>``, one object ``{"name": …, "arguments": …}`` a line, ``</tool_calls>``.

    Source: the function call guide of MiniMax-M1, and its chat template.
    """

    name = "minimax_m1"
    title = "MiniMax-M1: <tool_calls>, one JSON object a line, </tool_calls>"
    grammar_file = "minimax_m1.lark"
    opener, closer = "<tool_calls>\n", "\n</tool_calls>"
    joint = before = "\n"
    separators = ("\n", "\n")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<end_of_sentence>",)
    observation_prefix = "<end_of_sentence>\n<beginning_of_sentence>tool name=tools\ntool result: "
    between = "\n\n<end_of_sentence>\n"
    again = "<beginning_of_sentence>tool name=tools\ntool result: "
    model_prefix = "\n\n<end_of_sentence>\n<beginning_of_sentence>ai name=assistant\n"
    special = (
        "<tool_calls>", "</tool_calls>", "<think>", "</think>", "<beginning_of_sentence>", "<end_of_sentence>",
    )  # fmt: skip
    examples = (
        '<tool_calls>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}\n</tool_calls>',
        '<think>\nI look.\n</think>\n\nOne moment.\n<tool_calls>\n{"name": "now", "arguments": {}}\n</tool_calls>',
        '<tool_calls>\n{"name": "a", "arguments": {"b": "\\n</tool_calls>"}}\n{"name": "now", "arguments": {}}\n'
        "</tool_calls>",
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/MiniMaxAI/MiniMax-M1-80k/blob/main/docs/function_call_guide.md",
        "https://huggingface.co/MiniMaxAI/MiniMax-M1-80k",
    )
    quirks = (
        "The objects stand one a line and are no list; a list is read too.",
        "The model writes drafts of calls in its reasoning; they are no calls.",
        "The chat template leaves out the text next to calls.",
    )
