"""The lect ``muse_atem``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polylect import AgentStep, Call, Reply, Toolbox

from ._body import Tags
from ._invokes import OBJECTS, QUOTES

_UNSAFE = re.compile(r"[<>\s\"]")
LONGEST = 64
"""Characters of a tool's name before its result."""
START = "<|start|>assistant"
"""Before each message of the model's."""


class MuseAtem(Tags):
    """Messages to ``self``, to ``user``, or to a tool: `` to=NAME<|message|><atem:function_calls>…``.

    A turn is written with its ``<|start|>assistant``, and read without it, too: the prompt may have written it.

    Source: the chat template of Muse Glimmer.
    """

    name = "muse_atem"
    title = 'Muse: to=NAME<|message|><atem:function_calls><atem:invoke name="…">…</atem:invoke></atem:function_calls>'
    grammar_file = "muse_atem.lark"
    thinking = r"/(?:(?!/ END_MESSAGE /|/ TOOL_TURN /)[\s\S])+/"
    call_tags = '<atem:function_calls>\n<atem:invoke name="', '">\n', "</atem:invoke>\n</atem:function_calls>"
    member_tags = '<atem:parameter name="', '">', "</atem:parameter>\n"
    stops = ("<|eot|>",)
    between = "\n</tool_output><|eot|>"
    model_prefix = "\n</tool_output><|eot|>"
    special = (
        "<|start|>", "<|message|>", "<|eom|>", "<|eot|>", "<|end_of_text|>", "<atem:function_calls>",
        "</atem:function_calls>", "<atem:invoke name=", "</atem:invoke>", "<atem:parameter name=",
        "</atem:parameter>", "<tool_output name=", "</tool_output>",
    )  # fmt: skip
    examples = (
        ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
        '<atem:parameter name="city">Paris</atem:parameter>\n<atem:parameter name="days">3</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls><|eot|>",
        '<|start|>assistant to=self<|message|>Not <atem:invoke name="now"> yet.<|eom|><|start|>assistant to=now'
        '<|message|><atem:function_calls>\n<atem:invoke name="now">\n</atem:invoke>\n</atem:function_calls><|eom|>'
        '<|start|>assistant to=now<|message|><atem:function_calls>\n<atem:invoke name="now">\n</atem:invoke>\n'
        "</atem:function_calls><|eot|>",
        " to=user<|message|>It rains in Paris.<|eot|>",
        "It rains in Paris.",
    )
    quirks = (
        "One message for each call; the tool's name stands in the message's head, and again in the call, which counts.",
        "A call that is echoed in a message to self or to user is text.",
        "Text without a head is text for the user.",
        "The template has no place for text beside calls; it is written as a message to the user before them.",
        "A text that holds </atem:parameter> followed by the rest of a call cannot be written.",
        QUOTES, OBJECTS,
    )  # fmt: skip

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: one message for the reasoning, one for the text, one for each call."""
        out = [f"{START} to=self<|message|>{reply.reasoning}"] if reply.reasoning else []
        if reply.content:
            out.append(f"{START} to=user<|message|>{reply.content}")
        if reply.calls:
            out.append(self.write_calls(reply.calls, tools))
        return "<|eom|>".join(out) + ("<|eom|>" if len(out) == 1 and reply.reasoning else "")

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """One message for each call."""
        return "<|eom|>".join(f"{START} to={call.name}<|message|>{self.write_call(call, tools)}" for call in calls)

    def finished(self, log: str) -> str:
        """The turn with its beginning, which the prompt may have written."""
        return f"{START}{log}" if log.startswith((" to=", "<|message|>")) else log

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The tool's name stands before its result, twice."""
        name = _UNSAFE.sub("_", step.action.tool)[:LONGEST]
        return f'{"<|eot|>" if first else ""}<|start|>tool {name}<|message|><tool_output name="{name}">\n'

    def cue(self, following: str | None) -> str:
        """Behind the results stands the beginning of a turn that is still to come."""
        return f"{self.model_prefix}{START}" if following is None else self.model_prefix
