"""The lect ``nemotron_v2``."""

from __future__ import annotations

from ._body import JsonArray


class NemotronV2(JsonArray):
    """``<TOOLCALL>[{"name": …, "arguments": …}]</TOOLCALL>``.

    Source: the chat template of Nemotron Nano v2.
    """

    name = "nemotron_v2"
    title = 'Nemotron Nano v2: <TOOLCALL>[{"name": …, "arguments": …}]</TOOLCALL>'
    grammar_file = "nemotron_v2.lark"
    opener = "<TOOLCALL>["
    closer = "]</TOOLCALL>"
    before = "\n"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<SPECIAL_12>", "<SPECIAL_11>")
    observation_prefix = "\n<SPECIAL_12>\n<SPECIAL_11>User\n<TOOL_RESPONSE>["
    between = "]</TOOL_RESPONSE>"
    again = "<TOOL_RESPONSE>["
    model_prefix = "]</TOOL_RESPONSE><SPECIAL_11>Assistant\n"
    special = (
        "<TOOLCALL>", "</TOOLCALL>", "<think>", "</think>", "<TOOL_RESPONSE>", "</TOOL_RESPONSE>", "<SPECIAL_11>",
        "<SPECIAL_12>",
    )  # fmt: skip
    examples = (
        '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]</TOOLCALL>',
        '<think>\nI look it up.\n</think>\n\nOne moment.\n<TOOLCALL>[{"name": "a", "arguments": '
        '{"b": "</TOOLCALL>"}}, {"name": "now", "arguments": {}}]</TOOLCALL>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/nvidia/NVIDIA-Nemotron-Nano-9B-v2",)
    quirks = (
        "The template joins the results of a turn with commas, and nothing else parts them; here each has a "
        "<TOOL_RESPONSE> of its own.",
        "Prompts that ask for thoughts end with <think>, which is then the prefix to read behind.",
    )
