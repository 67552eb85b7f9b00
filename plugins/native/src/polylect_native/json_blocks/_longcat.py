"""The lect ``longcat``."""

from __future__ import annotations

from ._body import JsonBlock


class Longcat(JsonBlock):
    """``<longcat_tool_call>{"name": …, "arguments": …}</longcat_tool_call>``.

    Source: vLLM's parsers for LongCat-Flash (calls, and reasoning in ``<longcat_think>``).
    """

    name = "longcat"
    title = 'LongCat: <longcat_tool_call>{"name": …, "arguments": …}</longcat_tool_call>'
    grammar_file = "longcat.lark"
    around = ("<longcat_tool_call>", "</longcat_tool_call>")
    joint = before = "\n"
    typed_members = True
    think = ("<longcat_think>\n", "\n</longcat_think>\n")
    separators = ("\n", "\n")
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("</longcat_s>",)
    observation_prefix = "\n<longcat_observation>\n"
    between = "\n</longcat_observation>"
    model_prefix = "\n</longcat_observation>\n"
    special = (
        "<longcat_tool_call>", "</longcat_tool_call>", "<longcat_think>", "</longcat_think>", "<longcat_observation>",
        "</longcat_observation>", "<longcat_arg_key>", "</longcat_arg_key>", "<longcat_arg_value>",
        "</longcat_arg_value>", "</longcat_s>",
    )  # fmt: skip
    examples = (
        '<longcat_tool_call>{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}</longcat_tool_call>',
        "<longcat_think>\nI look it up.\n</longcat_think>\nOne moment.\n"
        '<longcat_tool_call>\n{"name": "now", "arguments": {}}\n</longcat_tool_call>',
        '<longcat_tool_call>{"name": "a", "arguments": {"b": "</longcat_tool_call>"}}</longcat_tool_call>\n'
        '<longcat_tool_call>{"name": "now", "arguments": {}}</longcat_tool_call>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/meituan-longcat/LongCat-Flash-Chat",)
    quirks = (
        "The layout of results is not in the sources read; ours is that of Hermes, with the name of the vocabulary's "
        "token for them.",
        "Newer LongCat models write a name, <longcat_arg_key> and <longcat_arg_value> behind the same marker, as GLM "
        "does; such calls are read, with the types of the tool's schema.",
    )
