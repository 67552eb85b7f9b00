"""The lects ``jamba``, ``hunyuan_a13b`` and ``apriel``: arrays in <tool_calls>."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polylect import LectError

from ._body import JsonArray

if TYPE_CHECKING:
    from polylect import Reply, Toolbox

_TITLE = '<tool_calls>[{"name": …, "arguments": …}]</tool_calls>'


class Jamba(JsonArray):
    """``<tool_calls>[{"name": …, "arguments": …}]</tool_calls>``.

    Source: the chat template of Jamba 1.5.
    """

    name = "jamba"
    title = f"Jamba: {_TITLE}"
    grammar_file = "jamba.lark"
    features = JsonArray.features - {"reasoning"}
    think = None
    opener = "<tool_calls>["
    closer = "]</tool_calls>"
    before = "\n"
    stops = ("<|eom|>",)
    observation_prefix = "<|eom|><|bom|><|tool|> "
    between = "<|eom|>"
    again = "<|bom|><|tool|> "
    model_prefix = "<|eom|><|bom|><|assistant|> "
    special = ("<tool_calls>", "</tool_calls>", "<|bom|>", "<|eom|>", "<|endoftext|>")
    examples = (
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]</tool_calls>',
        'One moment.\n<tool_calls>[\n    {"name": "a", "arguments": {"b": "</tool_calls>"}},\n'
        '    {"name": "now", "arguments": {}}\n]</tool_calls>',
        "It rains in Paris.",
    )
    sources = ("https://huggingface.co/ai21labs/AI21-Jamba-1.5-Mini",)
    quirks = (
        "How results and ends of turns are written stands in no source that could be read here: they follow the form "
        "<|bom|><|role|> text<|eom|> that the model's turns have.",
        "The model may lay its array out on several lines.",
    )


class HunyuanA13B(JsonArray):
    """``<tool_calls>[{"name": …, "arguments": …}]</tool_calls>``, and thoughts in ``<think>``.

    Source: the model card of Hunyuan-A13B and its chat template with tools.
    """

    name = "hunyuan_a13b"
    title = f"Hunyuan A13B: {_TITLE}"
    grammar_file = "hunyuan_a13b.lark"
    opener = "<tool_calls>["
    closer = "]</tool_calls>"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|eos|>",)
    observation_prefix = "<|eos|><tool_response>"
    between = "</tool_response><|extra_0|>"
    again = "<tool_response>"
    model_prefix = "</tool_response><|extra_0|>"
    special = (
        "<tool_calls>", "</tool_calls>", "<think>", "</think>", "<tool_response>", "</tool_response>", "</answer>",
        "<|eos|>", "<|extra_0|>",
    )  # fmt: skip
    examples = (
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}}]</tool_calls>',
        '<think>\nI look it up.\n</think>\n<answer>\n<tool_calls>[{"name": "a", "arguments": '
        '{"b": "</tool_calls>"}}, {"name": "now", "arguments": {}}]</tool_calls>\n</answer>',
        "助手：It rains in Paris.",
    )
    sources = ("https://huggingface.co/tencent/Hunyuan-A13B-Instruct",)
    quirks = (
        "Answers begin with a label, 助手：, and may stand in <answer>; both are taken off.",
        "The model drafts calls in its thoughts; they are no calls.",
    )


class Apriel(JsonArray):
    """``<tool_calls>[{"name": …, "arguments": …, "id": …}]</tool_calls>``, with thoughts before the final response.

    Source: the chat templates of Apriel 1.5 and 1.6.
    """

    name = "apriel"
    title = f"Apriel: {_TITLE}"
    grammar_file = "apriel.lark"
    features = JsonArray.features | {"ids"}
    think = ("Here are my reasoning steps:\n", "\n[BEGIN FINAL RESPONSE]\n")
    opener = "<tool_calls>["
    closer = "]</tool_calls>"
    id_key = "id"
    before = "\n"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|end|>",)
    observation_prefix = "\n<|end|>\n<|tool_result|>\n"
    between = "\n<|end|>\n"
    again = "<|tool_result|>\n"
    model_prefix = "\n<|end|>\n<|assistant|>\n"
    special = (
        "<tool_calls>", "</tool_calls>", "[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]", "<|end|>",
        "<|tool_result|>", "<|begin_tool_result|>", "<|assistant|>", "<|begin_assistant|>",
        "Here are my reasoning steps:",
    )  # fmt: skip
    examples = (
        '<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris", "days": 3}, "id": "call_1"}]</tool_calls>',
        "Here are my reasoning steps:\nI look it up.\n[BEGIN FINAL RESPONSE]\nOne moment.\n"
        '<tool_calls>[{"name": "a", "arguments": {"b": "</tool_calls>"}}, {"name": "now", "arguments": {}}]'
        "</tool_calls>",
        "Here are my reasoning steps:\nIt is autumn.\n[BEGIN FINAL RESPONSE]\nIt rains.\n[END FINAL RESPONSE]\n<|end|>",
    )
    sources = ("https://huggingface.co/ServiceNow-AI/Apriel-1.5-15b-Thinker",)
    quirks = (
        "Thoughts begin with the sentence that the model is taught to begin with; the prompt of Apriel 1.6 ends with "
        "it, and then it is the prefix to read behind. A text that begins otherwise is no thought: a stream could not "
        "know.",
        "The tools are listed as Python would print them.",
        "Apriel 1.6 names the markers of turns differently; both are read, those of 1.5 are written.",
    )

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: thoughts, text, calls. Behind other text thoughts are content, in which a result would begin."""
        mark = next((mark for mark in ("<|tool_result|>", "<|begin_tool_result|>") if mark in reply.reasoning), "")
        if mark:
            raise LectError(f"{self.name} can't write {mark!r} in thoughts: in a transcript a result begins there.")
        return super().write(reply, tools)
