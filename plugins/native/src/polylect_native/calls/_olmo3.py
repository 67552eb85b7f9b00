"""The lect ``olmo3``."""

from __future__ import annotations

from ._body import PythonCalls


class Olmo3(PythonCalls):
    """``<function_calls>name(key='value', …)</function_calls>``, one call a line.

    Source: the model cards of OLMo 3, and the parsers and renderers of inference servers.
    """

    name = "olmo3"
    title = "OLMo 3: <function_calls>name(key='value', …)</function_calls>"
    grammar_file = "olmo3.lark"
    opener, joint, closer = "<function_calls>", "\n", "</function_calls>"
    before = "\n"
    stops = ("<|im_end|>",)
    observation_prefix = "<|im_end|>\n<|im_start|>environment\n"
    between = "<|im_end|>\n"
    again = "<|im_start|>environment\n"
    model_prefix = "<|im_end|>\n<|im_start|>assistant\n"
    special = (
        "<function_calls>", "</function_calls>", "<think>", "</think>", "<|im_start|>", "<|im_end|>", "<|endoftext|>",
    )  # fmt: skip
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    examples = (
        "<function_calls>get_weather(city='Paris', days=3, opt={'k': [1, True, None]})</function_calls>",
        "<think>\nI look it up.\n</think>\n\nOne moment.\n"
        "<function_calls>get_weather(city='Paris')\nnow()</function_calls>",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/allenai/Olmo-3-7B-Instruct",)
    quirks = (
        "The outer tag is that of another format, which has tags within it.",
        "Values may be JSON's, which some renderers of the history write.",
        "Calls stand on a line each; a comma between two is read too.",
    )
