"""The lects ``claude_style_xml``, ``minimax_m2`` and ``dots``: calls in one wrapper."""

from __future__ import annotations

import re

from polylect import AgentStep

from ._body import Tags

THINKING = r"/(?:(?!/ END_THINK /|/ OPEN /|/ INVOKE /)[\s\S])+/"
_UNSAFE = re.compile(r"[<>\s]")
LONGEST = 128
"""Characters of a tool's name before its result."""
TEXTS = "A text that holds </parameter> followed by the rest of a call cannot be written."
QUOTES = "The quotes around names may be others or missing; all are read."
OBJECTS = "Some models write one JSON object in place of the parameters; it is read."


class ClaudeStyleXml(Tags):
    """``<function_calls><invoke name="…"><parameter name="…">…</parameter></invoke></function_calls>``.

    Source: prompts that ask models for calls in this form; the forms of several models were made after it.
    """

    name = "claude_style_xml"
    title = 'Claude style: <function_calls><invoke name="…"><parameter name="…">…</parameter></invoke></function_calls>'
    grammar_file = "claude_style_xml.lark"
    thinking = THINKING
    think = "<thinking>\n", "\n</thinking>\n\n"
    opener, closer = "<function_calls>\n", "\n</function_calls>"
    call_tags = '<invoke name="', '">\n', "</invoke>"
    member_tags = '<parameter name="', '">', "</parameter>\n"
    joint = "\n"
    before = "\n\n"
    stops = ("</function_calls>",)
    between = "</stdout>\n</result>"
    model_prefix = "</stdout>\n</result>\n</function_results>\n\n"
    special = (
        "<function_calls>", "</function_calls>", '<invoke name="', "<invoke name=", "</invoke>", "<parameter name=",
        "</parameter>", "<thinking>", "</thinking>", "<function_results>", "</function_results>", "<result>",
        "</result>", "</stdout>", "<|endoftext|>",
    )  # fmt: skip
    examples = (
        '<function_calls>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        '<parameter name="days">3</parameter>\n</invoke>\n</function_calls>',
        "<thinking>\nI look it up.\n</thinking>\n\nOne moment.\n\n<function_calls>\n"
        '<invoke name="write">\n<parameter name="text">a </parameter> b</parameter>\n</invoke>\n'
        '<invoke name="now">\n</invoke>\n</function_calls>',
        '<function_calls>\n<invoke name="now">\n</invoke>\n',
        "It rains in Paris.",
    )
    quirks = (
        "It is no XML: values are not escaped, and nothing around them is markup.",
        "The layout of results is the one that prompts of this kind describe; there is no template to compare it with.",
        "The stop string is the closing tag, which a server cuts off; the calls are whole without it.",
        QUOTES, OBJECTS, TEXTS,
    )  # fmt: skip

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The tool's name stands before its result."""
        name = _UNSAFE.sub("_", step.action.tool)[:LONGEST]
        before = "\n<function_results>\n" if first else "\n"
        return f"{before}<result>\n<tool_name>{name}</tool_name>\n<stdout>"

    def finished(self, log: str) -> str:
        """The turn, with the closing tag that the stop string cut off."""
        if not log.rstrip().endswith("</invoke>") or "<function_calls>" not in log:
            return log
        return f"{log.rstrip()}{self.closer}"


class MinimaxM2(Tags):
    """``<minimax:tool_call><invoke name="…"><parameter name="…">…</parameter></invoke></minimax:tool_call>``.

    Source: the chat template of MiniMax-M2.
    """

    name = "minimax_m2"
    title = 'MiniMax-M2: <minimax:tool_call><invoke name="…"><parameter name="…">…</parameter></invoke>'
    grammar_file = "minimax_m2.lark"
    thinking = THINKING
    opener, closer = "<minimax:tool_call>\n", "\n</minimax:tool_call>"
    call_tags = '<invoke name="', '">\n', "</invoke>"
    member_tags = '<parameter name="', '">', "</parameter>\n"
    joint = before = "\n"
    stops = ("[e~[",)
    observation_prefix = "[e~[\n]~b]tool\n<response>"
    between = "</response>"
    again = "\n<response>"
    model_prefix = "</response>[e~[\n]~b]ai\n"
    special = (
        "<minimax:tool_call>", "</minimax:tool_call>", "<invoke name=", "</invoke>", "<parameter name=",
        "</parameter>", "<think>", "</think>", "<response>", "</response>", "]~b]", "]~!b[", "[e~[",
    )  # fmt: skip
    examples = (
        '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        '<parameter name="days">3</parameter>\n</invoke>\n</minimax:tool_call>',
        "<think>\nI look it up.\n</think>\n\nOne moment.\n<minimax:tool_call>\n"
        '<invoke name="write">\n<parameter name="text"><parameter>\n</parameter>\n</parameter>\n</invoke>\n'
        "<invoke name='now'>\n</invoke>\n</minimax:tool_call>[e~[",
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/MiniMaxAI/MiniMax-M2",)
    quirks = (
        "Nothing around a value is markup: a line break there is the value's.",
        "The reasoning stays in the history.",
        QUOTES, OBJECTS, TEXTS,
    )  # fmt: skip


class Dots(Tags):
    """``<dots_function_call><invoke name="…"><parameter name="…">…</parameter></invoke></dots_function_call>``.

    Source: the readers for dots.llm in vLLM and SGLang.
    """

    name = "dots"
    title = 'dots: <dots_function_call><invoke name="…"><parameter name="…">…</parameter></invoke></dots_function_call>'
    grammar_file = "dots.lark"
    thinking = THINKING
    opener, closer = "<dots_function_call>\n", "\n</dots_function_call>"
    call_tags = '<invoke name="', '">\n', "</invoke>"
    member_tags = '<parameter name="', '">', "</parameter>\n"
    joint = before = "\n"
    stops = ("<|endofresponse|>",)
    observation_prefix = "\n\n<function_results>\n<result>"
    between = "</result>"
    again = "\n<result>"
    model_prefix = "</result>\n</function_results>\n\n"
    special = (
        "<dots_function_call>", "</dots_function_call>", "<invoke name=", "</invoke>", "<parameter name=",
        "</parameter>", "<think>", "</think>", "<function_results>", "</function_results>", "<result>", "</result>",
        "<|endofresponse|>", "<|endoftext|>", "<|im_end|>",
    )  # fmt: skip
    examples = (
        '<dots_function_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n'
        '<parameter name="days">3</parameter>\n</invoke>\n</dots_function_call>',
        "<think>\nI look it up.\n</think>\n\nOne moment.\n<dots_function_call>\n"
        '<invoke name="write">\n<parameter name="text">a </parameter> b</parameter>\n</invoke>\n'
        '<invoke name="now">\n</invoke>\n</dots_function_call>',
        '<dots_function_call>\n<invoke name="get_weather">\n{"city": "Paris"}\n</invoke>\n</dots_function_call>',
        "It rains in Paris.",
    )
    quirks = (
        "How results are written is in none of the sources; the layout is that of DeepSeek-V3.2.",
        "The stop token is taken from the base model's chat format.",
        "Nothing around a value is markup: readers that strip values change them.",
        QUOTES, OBJECTS, TEXTS,
    )  # fmt: skip
