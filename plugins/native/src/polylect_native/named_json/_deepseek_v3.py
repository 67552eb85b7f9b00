"""The lect ``deepseek_v3``."""

from __future__ import annotations

from ._deepseek_v31 import DeepSeekV31


class DeepSeekV3(DeepSeekV31):
    """The word function, the name, and the arguments in a fence.

    Source: the chat templates of DeepSeek-V3-0324 and DeepSeek-R1-0528.
    """

    name = "deepseek_v3"
    title = "DeepSeek V3 and R1: arguments in a fence"
    grammar_file = "deepseek_v3.lark"
    think = ("<think>\n", "\n</think>\n\n")
    head = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>"
    sep = "\n```json\n"
    tail = "\n```<｜tool▁call▁end｜>"
    joint = "\n"
    observation_prefix = "<｜end▁of▁sentence｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>"
    again = "\n<｜tool▁output▁begin｜>"
    between = "<｜tool▁output▁end｜>"
    model_prefix = "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>"
    examples = (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
        '{"city": "Paris", "days": 3}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
        "<think>\nI look it up.\n</think>\n\nOne moment.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function"
        "<｜tool▁sep｜>"
        "now\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>a\n```json\n{"b": "```<｜tool▁call▁end｜>"}\n'
        "```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{}\n```<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜>",
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/deepseek-ai/DeepSeek-V3-0324",
        "https://huggingface.co/deepseek-ai/DeepSeek-R1-0528",
    )
    quirks = (
        "The word function stands where a type could; V3.1 left it out, and both layouts are read.",
        "A fence or an end marker inside of the JSON is data; readers built on regular expressions stop there.",
        "R1's template opens <think> in the prompt, so that the output has only </think>: tell it as prefix.",
        "Some servers write the full-width bars and the low lines of the tokens in ASCII; both are read.",
        "Distilled models write one section for each call.",
        "Results carry no names: they stand in the order of the calls.",
    )
