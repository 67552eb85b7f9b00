"""The lect ``deepseek_v31``."""

from __future__ import annotations

from typing import ClassVar

from ._body import NamedJson


class DeepSeekV31(NamedJson):
    """The name, a separating token and JSON, between tokens, in one section.

    Source: the model card and the chat template of DeepSeek-V3.1.
    """

    name = "deepseek_v31"
    title = "DeepSeek V3.1: name<｜tool▁sep｜>{…}"
    grammar_file = "deepseek_v31.lark"
    think = ("<think>", "</think>")
    opener = "<｜tool▁calls▁begin｜>"
    head = "<｜tool▁call▁begin｜>"
    sep = "<｜tool▁sep｜>"
    tail = "<｜tool▁call▁end｜>"
    closer = "<｜tool▁calls▁end｜>"
    stops = ("<｜end▁of▁sentence｜>",)
    observation_prefix = "<｜end▁of▁sentence｜><｜tool▁output▁begin｜>"
    again = "<｜tool▁output▁begin｜>"
    between = model_prefix = "<｜tool▁output▁end｜>"
    special = ("<think>", "</think>", "<｜end▁of▁sentence｜>", "<｜User｜>", "<｜Assistant｜>")
    marks = r"[｜|](?:tool[▁_ ](?:sep|(?:call|output)s?[▁_ ](?:begin|end))|end[▁_ ]of[▁_ ]sentence)[｜|]>"
    thinking = r"/(?:(?!/ END_THINK /|/ SECTION /|/ CALL /)[\s\S])+/"
    examples: ClassVar[tuple[str, ...]] = (
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris", "days": 3}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<think>I look it up.</think>One moment.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>now<｜tool▁sep｜>{}"
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>a<｜tool▁sep｜>{"b": "<｜tool▁call▁end｜>"}<｜tool▁call▁end｜>'
        "<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "It rains in Paris.",
    )
    sources: ClassVar[tuple[str, ...]] = ("https://huggingface.co/deepseek-ai/DeepSeek-V3.1",)
    quirks: ClassVar[tuple[str, ...]] = (
        "The prompt ends with </think> when the model shall not think, else with <think>: tell it as prefix.",
        "Calls follow each other without any separator.",
        "Some servers write the full-width bars and the low lines of the tokens in ASCII; both are read.",
        "Calls in the layout of V3 are read too: a reader that does not know it reports a tool called function.",
        "Results carry no names: they stand in the order of the calls, and the model goes on right behind them.",
    )
