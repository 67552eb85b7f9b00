"""The lect ``step3``."""

from __future__ import annotations

from ._body import Tags
from ._invokes import QUOTES, THINKING


class Step3(Tags):
    """``<steptml:invoke name="…"><steptml:parameter name="…">…``, each call between special tokens.

    Source: the readers for Step-3 in vLLM and SGLang.
    """

    name = "step3"
    title = 'Step-3: <｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="…">…</steptml:invoke>'
    grammar_file = "step3.lark"
    thinking = THINKING
    think = "<think>", "</think>"
    opener, closer = "<｜tool_calls_begin｜>\n", "\n<｜tool_calls_end｜>"
    call_tags = (
        '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="',
        '">',
        "</steptml:invoke><｜tool_call_end｜>",
    )
    member_tags = '<steptml:parameter name="', '">', "</steptml:parameter>"
    joint = "\n<｜tool_sep｜>\n"
    before = "\n"
    stops = ("<|EOT|>",)
    observation_prefix = "<|EOT|><|BOT|>tool_response\n<tool_response>"
    between = "</tool_response>"
    again = "<tool_response>"
    model_prefix = "</tool_response><|EOT|><|BOT|>assistant\n"
    special = (
        "<｜tool_calls_begin｜>", "<｜tool_calls_end｜>", "<｜tool_call_begin｜>", "<｜tool_call_end｜>",
        "<｜tool_sep｜>", "<steptml:invoke name=", "</steptml:invoke>", "<steptml:parameter name=",
        "</steptml:parameter>", "<think>", "</think>", "<tool_response>", "</tool_response>", "<|BOT|>", "<|EOT|>",
    )  # fmt: skip
    examples = (
        '<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">'
        '<steptml:parameter name="city">Paris</steptml:parameter><steptml:parameter name="days">3</steptml:parameter>'
        "</steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>",
        "<think>I look it up.</think>One moment.\n<｜tool_calls_begin｜>\n<｜tool_call_begin｜>function<｜tool_sep｜>"
        '<steptml:invoke name="now"></steptml:invoke><｜tool_call_end｜>\n<｜tool_sep｜>\n<｜tool_call_begin｜>function'
        '<｜tool_sep｜><steptml:invoke name="now"></steptml:invoke><｜tool_call_end｜>\n<｜tool_calls_end｜>',
        "It rains in Paris.",
    )
    quirks = (
        "How results are written is in none of the sources; the layout is that of Step-3.5 between Step-3's tokens.",
        "Nothing around a value is markup: readers that strip values change them.",
        "A text that holds </steptml:parameter> followed by the rest of a call cannot be written.",
        QUOTES,
    )
