"""The lect ``kimi_k3_xtml``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from polylect import AgentStep, Call, Reply, Toolbox

from ._body import Elements, Typed

_LONGEST_NAME = 256
"""Characters of a tool's name, as an attribute, that the marker of a result may have."""


class KimiK3(Typed, Elements):
    """Channels between ``<|open|>NAME<|sep|>`` and ``<|close|>NAME<|sep|>``, one of them of calls.

    Source: the chat template of Kimi-K3.
    """

    name = "kimi_k3_xtml"
    title = 'Kimi-K3: <|open|>call tool="NAME" index="1"<|sep|> with <|open|>argument key="…" type="…"<|sep|>'
    grammar_file = "kimi_k3_xtml.lark"
    names_ids = True
    think = ("<|open|>think<|sep|>", "<|close|>think<|sep|>")
    thinking = r"/(?:(?!/ END_THINK /|/ RESPONSE /|/ OPEN /|/ CALL /)[\s\S])+/"
    opener = "<|open|>tools<|sep|>"
    closer = "<|close|>tools<|sep|>"
    stops = ("<|end_of_msg|>",)
    between = "<|close|>message<|sep|><|end_of_msg|>"
    model_prefix = '<|close|>message<|sep|><|end_of_msg|><|open|>message role="assistant"<|sep|>'
    special = ("<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>")
    examples = (
        '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|>",
        "<|open|>think<|sep|>I look it up.<|close|>think<|sep|><|open|>response<|sep|>One moment."
        '<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="now" index="1"<|sep|><|close|>call<|sep|>'
        "<|close|>tools<|sep|>",
        '<|open|>tools<|sep|><|open|>call tool="a" index="1"<|sep|><|open|>argument key="b" type="string"<|sep|>'
        "<|close|>argument<|sep|> is a marker<|close|>argument<|sep|><|close|>call<|sep|>"
        '<|open|>call tool="now" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
        "<|open|>response<|sep|>It rains in Paris.<|close|>response<|sep|><|close|>message<|sep|>",
    )
    sources = ("https://huggingface.co/moonshotai/Kimi-K3",)
    quirks = (
        "The answer's text stands in a response channel, before the calls, an empty one where there is none; text "
        "outside of all channels is read as the same.",
        "The index of a call begins at 1 in each message. It is no id, and only written.",
        "Names and keys have &amp; and &quot; in place of & and of quotation marks; values are verbatim.",
        "A value that holds the marker behind an argument, and what may follow that, can't be told from its end.",
    )

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """The name, with its entities decoded."""
        return decoded(raw), None

    def member_key(self, raw: str) -> str:
        """The key, with its entities decoded."""
        return decoded(raw)

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: a channel for each of its parts."""
        out = [self.think[0], reply.reasoning, self.think[1]] if reply.reasoning else []
        if reply.content or reply.calls:
            out += ["<|open|>response<|sep|>", reply.content, "<|close|>response<|sep|>"]
        if reply.calls:
            out.append(self.write_calls(reply.calls, tools))
        return "".join(out)

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """The calls of a turn, numbered from 1."""
        heads = [self.write_call(call, tools).partition(_INDEX) for call in calls]
        written = [f"{head}{number}{rest}" for number, (head, _, rest) in enumerate(heads, 1)]
        return f"{self.opener}{''.join(written)}{self.closer}"

    def write_element(self, name: str, members: list[str]) -> str:
        """A call, with a place for its number."""
        return f'<|open|>call tool="{encoded(name)}" index="{_INDEX}"<|sep|>{"".join(members)}<|close|>call<|sep|>'

    def write_member(self, key: str, value: Any) -> str:
        """One argument, with its type."""
        head = f'<|open|>argument key="{encoded(key)}" type="{kind_of(value)}"<|sep|>'
        return f"{head}{self.write_value(value)}<|close|>argument<|sep|>"

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The end of the model's message before the first result; the tool's name and the number of its call."""
        name = encoded(step.action.tool)
        tool = f' tool="{name}"' if len(name) <= _LONGEST_NAME else ""
        head = f'<|open|>message role="tool"{tool} index="{step.action.index + 1}"<|sep|>'
        return f"{self.between}{head}" if first else head


_INDEX = "&index;"
"""Stands where the number of a call is due; no encoded name has it."""


def encoded(text: str) -> str:
    """A text as the value of an attribute."""
    return text.replace("&", "&amp;").replace('"', "&quot;")


def decoded(text: str) -> str:
    """The value of an attribute as the text that it means."""
    return text.replace("&quot;", '"').replace("&amp;", "&") if "&" in text else text


def kind_of(value: Any) -> str:
    """The JSON type of a value, integers being numbers."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "string" if isinstance(value, str) else "object" if isinstance(value, dict) else "array"


__all__ = ["KimiK3"]
