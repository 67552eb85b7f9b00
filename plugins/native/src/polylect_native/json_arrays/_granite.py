"""The lect ``granite3``."""

from __future__ import annotations

from ._body import JsonArray


class Granite3(JsonArray):
    """``<|tool_call|>[{"name": …, "arguments": …}]``.

    Source: the model cards and chat templates of Granite 3.0 to 3.3.
    """

    name = "granite3"
    title = 'Granite 3: <|tool_call|>[{"name": …, "arguments": …}]'
    grammar_file = "granite3.lark"
    opener = "<|tool_call|>["
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|end_of_text|>",)
    observation_prefix = "<|end_of_text|>\n<|start_of_role|>tool_response<|end_of_role|>"
    between = "<|end_of_text|>\n"
    again = "<|start_of_role|>tool_response<|end_of_role|>"
    model_prefix = "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"
    special = (
        "<|tool_call|>", "<tool_call>", "<think>", "</think>", "<|start_of_role|>", "<|end_of_role|>",
        "<|end_of_text|>", "</response>",
    )  # fmt: skip
    examples = (
        '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]',
        '<think>\nI look it up.\n</think>\n\nOne moment.<|tool_call|>[{"name": "now", "arguments": {}}]',
        '<tool_call>[{"name": "a", "arguments": {"b": "<|tool_call|>["}}, {"name": "now", "arguments": {}}]',
        "Here is my thought process:\nIt is autumn.\n\nHere is my response:\nIt rains in Paris.",
    )
    sources = (
        "https://huggingface.co/ibm-granite/granite-3.1-8b-instruct",
        "https://huggingface.co/ibm-granite/granite-3.3-2b-instruct",
    )
    quirks = (
        "Granite 3.1 writes the text <tool_call> in place of the token; it counts where an array follows.",
        "Thoughts stand in <think>, or between the sentences that Granite 3.2 puts before and behind them.",
        "Granite 3.3 wraps its answer in <response>; the tags behind thoughts and at the end are taken off.",
        "Granite 3.3 names the role of results tool; both names are read.",
    )
