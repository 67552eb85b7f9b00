"""The lect ``gpt_oss_harmony``."""

from __future__ import annotations

from collections.abc import Sequence

from polylect import AgentStep, Call, Reply, Toolbox

from ._body import NamedJson, header_name

START = "<|start|>assistant"


class GptOssHarmony(NamedJson):
    """``<|channel|>commentary to=functions.name <|constrain|>json<|message|>{…}<|call|>``.

    A turn is one or more messages; the prompt holds the ``<|start|>assistant`` of the first.

    Source: OpenAI's description of the Harmony response format, and openai-harmony.
    """

    name = "gpt_oss_harmony"
    title = "gpt-oss: channels and recipients of Harmony"
    grammar_file = "gpt_oss_harmony.lark"
    separators = ("\n", "\n")
    head = "<|channel|>commentary to=functions."
    sep = " <|constrain|>json<|message|>"
    tail = "<|call|>"
    joint = START
    stops = ("<|return|>", "<|call|>")
    between = "<|end|>"
    model_prefix = f"<|end|>{START}"
    special = (
        "<|start|>", "<|channel|>", "<|message|>", "<|constrain|>", "<|end|>", "<|call|>", "<|return|>",
        " to=functions.",
    )  # fmt: skip
    thinking = (
        r"/(?:(?!/ END /|<\|start\|>assistant(?:<\|channel\|>[a-z]{1,16})? to=|<\|channel\|>[a-z]{1,16} to=)[\s\S])+/"
    )
    examples = (
        '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris", '
        '"days": 3}<|call|>',
        "<|channel|>analysis<|message|>I look it up.<|end|><|start|>assistant<|channel|>commentary"
        "<|message|>One moment."
        "<|end|><|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>",
        "<|channel|>analysis<|message|>It is known.<|end|><|start|>assistant<|channel|>final<|message|>It "
        "rains in Paris."
        "<|return|>",
        '<|channel|>commentary to=functions.a <|constrain|>json<|message|>{"b": "<|end|>"}<|call|>'
        "<|start|>assistant to="
        "functions.now<|channel|>commentary json<|message|>{}<|call|>",
    )
    sources = (
        "https://cookbook.openai.com/articles/openai-harmony",
        "https://github.com/openai/harmony",
        "https://huggingface.co/openai/gpt-oss-120b",
    )
    quirks = (
        "The recipient of a call stands in the channel (what models write, and what is written here) or in the role "
        "(<|start|>assistant to=functions.name<|channel|>commentary, what openai-harmony and the chat "
        "template render).",
        "<|constrain|> may be missing, or its word stand alone, as in commentary json.",
        "Calls come in the analysis channel too. Commentary without a recipient is text for the user.",
        "A call ends by <|call|>, by <|end|>, or with the message: servers take the stop token off.",
        "A call has arguments, be it {}: one that ends behind <|message|> was cut, whatever the server says.",
        "Channels are invented: their text is shown, that of channels named like thinking is reasoning. A "
        "header without "
        "<|message|> is passed over with its text.",
        "A recipient without functions. is a tool as well; assistant, user and all are none. Code for "
        "python is no JSON, "
        "so that such a call is invalid.",
        "The chat template puts text beside a call into the analysis channel, renders only the first of several calls, "
        "and quotes results as JSON; here all calls are written, and results as they are.",
    )

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The messages of a turn: reasoning, text in the final channel or ahead of calls, calls."""
        out = []
        if reply.reasoning:
            out.append(f"<|channel|>analysis<|message|>{reply.reasoning}<|end|>")
        if reply.content:
            channel, end = ("commentary", "<|end|>") if reply.calls else ("final", "<|return|>")
            out.append(f"<|channel|>{channel}<|message|>{reply.content}{end}")
        if reply.calls:
            out.append(self.write_calls(reply.calls, tools))
        return START.join(out)

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """One message for each call."""
        return START.join([self.write_call(call, tools) for call in calls])

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """A message of the tool to the assistant."""
        return f"<|start|>functions.{header_name(self, step)} to=assistant<|channel|>commentary<|message|>"

    def cue(self, following: str | None) -> str:
        """The end of the result, and the beginning of the assistant's message where that lacks it."""
        return "<|end|>" if following is not None and following.startswith(START) else self.model_prefix
