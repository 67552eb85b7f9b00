"""The lect ``lfm2``."""

from __future__ import annotations

from ._body import PythonCalls


class Lfm2(PythonCalls):
    """``<|tool_call_start|>[name(key='value', …), …]<|tool_call_end|>``.

    Source: the model cards and chat templates of LFM2 and LFM2.5.
    """

    name = "lfm2"
    title = "LFM2: <|tool_call_start|>[name(key='value', …)]<|tool_call_end|>"
    grammar_file = "lfm2.lark"
    opener, joint, closer = "<|tool_call_start|>[", ", ", "]<|tool_call_end|>"
    stops = ("<|im_end|>",)
    observation_prefix = "<|im_end|>\n<|im_start|>tool\n<|tool_response_start|>"
    between = "<|tool_response_end|><|im_end|>\n"
    again = "<|im_start|>tool\n<|tool_response_start|>"
    model_prefix = "<|tool_response_end|><|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<|tool_call_start|>", "<|tool_call_end|>", "<|tool_response_start|>", "<|tool_response_end|>", "<think>",
        "</think>", "<|im_start|>", "<|im_end|>", "<|endoftext|>",
    )  # fmt: skip
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    examples = (
        "<|tool_call_start|>[get_weather(city='Paris', days=3, opt={'k': [1, True, None]})]<|tool_call_end|>",
        "<think>\nI look it up.\n</think>\n\n<|tool_call_start|>[get_weather(city='Paris'), now()]<|tool_call_end|>"
        "I have asked.",
        '<|tool_call_start|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|tool_call_end|>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/LiquidAI/LFM2-1.2B", "https://huggingface.co/LiquidAI/LFM2-8B-A1B")
    quirks = (
        "The list may hold JSON objects with a name and arguments instead of Python calls.",
        "Text may follow the calls.",
        "Seen: raw line breaks and brackets in strings, tuples, sets, 07, and reserved words of Python as keywords.",
        "LFM2.5 has no markers around a result; both are read, those of LFM2 are written.",
    )
