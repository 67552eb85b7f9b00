"""The lect ``inkling``."""

from __future__ import annotations

import re

from polylect import AgentStep, Call, LectError, Reply, Toolbox

from ._body import JsonBlock

_NAME = re.compile(r"[^<|]{1,128}").fullmatch
"""A name that may stand in a block's head."""


class Inkling(JsonBlock):
    """Blocks of a kind each: ``<|message_model|>NAME<|content_invoke_tool_json|>``, an object, ``<|end_message|>``.

    Source: the parsers of vLLM and SGLang for Inkling.
    """

    name = "inkling"
    title = 'Inkling: NAME<|content_invoke_tool_json|>{"name": …, "args": …}<|end_message|>'
    grammar_file = "inkling.lark"
    keys = ("name", "args")
    think = ("<|message_model|><|content_thinking|>", "<|end_message|>")
    text = ("<|message_model|><|content_text|>", "<|end_message|>")
    separators = ("\n", "\n")
    thinking = r"/(?:(?!/ END_BLOCK /|/ INVOKE /)[\s\S])+/"
    stops = ("<|content_model_end_sampling|>",)
    completions = ("<|end_message|>", "<|content_model_end_sampling|>")
    between = model_prefix = "<|end_message|>"
    special = (
        "<|message_model|>", "<|message_tool|>", "<|content_thinking|>", "<|content_text|>",
        "<|content_invoke_tool_json|>", "<|end_message|>", "<|content_model_end_sampling|>",
    )  # fmt: skip
    examples = (
        '<|message_model|>get_weather<|content_invoke_tool_json|>{"name": "get_weather", "args": {"city": "Paris", '
        '"days": 3}}<|end_message|>',
        "<|content_thinking|>I look it up.<|end_message|><|message_model|><|content_text|>One moment.<|end_message|>"
        '<|message_model|>now<|content_invoke_tool_json|>{"args": {}, "name": "now"}<|end_message|>'
        "<|content_model_end_sampling|>",
        '<|message_model|>a<|content_invoke_tool_json|>{"name": "a", "args": {"b": "<|end_message|>"}}<|end_message|>'
        '<|message_model|>now<|content_invoke_tool_json|>{"name": "now", "args": {}}<|end_message|>',
        "<|message_model|><|content_text|>It rains in Paris.<|end_message|>",
    )
    sources = ("https://huggingface.co/thinkingmachines/Inkling",)
    quirks = (
        "One token ends blocks of every kind, so it is no stop string: the last block's end is followed by another.",
        "The name stands in the block's head and in the object; the object's counts.",
        "The layout of results was seen in readers of the format, not in a template: a message of the tool, with its "
        "name and a text.",
        "Text outside of any block is text.",
    )

    def begun(self, text: str) -> str:
        """The beginning of the reasoning, where a block ends that no head begins."""
        head = text.partition(self.think[1])[0]
        return "" if any(mark in head for mark in self.special) else super().begun(text)

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: a block for the reasoning, one for the text, one for each call."""
        blocks = []
        if reply.reasoning:
            blocks.append(f"{self.think[0]}{reply.reasoning}{self.think[1]}")
        if reply.content:
            blocks.append(f"{self.text[0]}{reply.content}{self.text[1]}")
        blocks += [self.write_call(call, tools) for call in reply.calls]
        return "".join(blocks)

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """A block with the name in its head."""
        if not _NAME(call.name):
            raise LectError(f"{self.name} can't write the name {call.name!r:.80} in the head of a block.")
        head = f"<|message_model|>{call.name}<|content_invoke_tool_json|>"
        return f"{head}{super().write_call(call, tools)}<|end_message|>"

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The head of a result names its tool."""
        name = step.action.tool if _NAME(step.action.tool) else ""
        return f"{self.stops[0] if first else ''}<|message_tool|>{name}<|content_text|>"

    def cue(self, following: str | None) -> str:
        """The model's next block is begun for it."""
        return self.model_prefix if following is not None else f"{self.model_prefix}<|message_model|>"
