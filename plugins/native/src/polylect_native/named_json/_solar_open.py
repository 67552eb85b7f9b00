"""The lect ``solar_open``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import msgspec

from polylect import AgentStep, Call, Policies, Reply, Toolbox
from polylect.plugin import dumps, turns_of

from ._body import NamedJson, header_name

BEGIN = "<|begin|>assistant"


class SolarOpen(NamedJson):
    """``<|tool_call:begin|>id<|tool_call:name|>name<|tool_call:args|>{…}<|tool_call:end|>`` in one section.

    The model makes up the ids: ten small letters and digits. Calls without one get one when they are written.

    Source: the chat template of Solar-Open-100B.
    """

    name = "solar_open"
    title = "Solar Open: id, name and {…} between tokens"
    grammar_file = "solar_open.lark"
    features = NamedJson.features | {"ids"}
    separators = ("\n", "\n")
    opener = "<|tool_calls|>"
    closer = "<|calls|>"
    stops = ("<|calls|>",)
    completions = ("<|calls|>", "<|end|>")
    between = "<|tool_response:end|>"
    model_prefix = f"<|tool_response:end|><|end|>{BEGIN}"
    special = (
        "<|begin|>", "<|think|>", "<|content|>", "<|end|>", "<|tool_calls|>", "<|calls|>", "<|tool_call:begin|>",
        "<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>", "<|tool_response|>",
        "<|tool_response:begin|>", "<|tool_response:name|>", "<|tool_response:result|>", "<|tool_response:end|>",
    )  # fmt: skip
    thinking = r"/(?:(?!/ END /|/ SECTION /|/ CALL /)[\s\S])+/"
    examples = (
        "<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>"
        '{"city": "Paris", "days": 3}<|tool_call:end|><|calls|>',
        "<|think|>I look it up.<|end|><|begin|>assistant<|content|>One moment.<|end|><|begin|>assistant<|tool_calls|>"
        "<|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>now<|tool_call:args|>{}<|tool_call:end|><|calls|>",
        '<|tool_calls|><|tool_call:begin|>aaaaaaaaa0<|tool_call:name|>a<|tool_call:args|>{"b": "<|tool_call:end|>"}'
        "<|tool_call:end|><|tool_call:begin|>aaaaaaaaa1<|tool_call:name|>now<|tool_call:args|>{}"
        "<|tool_call:end|><|calls|>",
        "<|content|>It rains in Paris.<|end|>",
    )
    sources = ("https://huggingface.co/upstage/Solar-Open-100B",)
    quirks = (
        "The model makes up the ids of its calls, ten small letters and digits; results name them, and the tool.",
        "<|end|> ends reasoning and text alike, so that it is no stop string here; <|calls|> ends the turn.",
        "The chat template leaves out the text beside calls; it is written here.",
    )

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The messages of a turn."""
        out = []
        if reply.reasoning:
            out.append(f"<|think|>{reply.reasoning}<|end|>")
        if reply.content:
            out.append(f"<|content|>{reply.content}<|end|>")
        if reply.calls:
            out.append(self.write_calls(reply.calls, tools))
        return BEGIN.join(out)

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """The section; every call with an id."""
        out = [self.opener]
        for number, call in enumerate(calls):
            written = call.id or made_id(call.name, call.arguments, number)
            out += ["<|tool_call:begin|>", written, "<|tool_call:name|>", call.name, "<|tool_call:args|>"]
            out += [self.json(call), "<|tool_call:end|>"]
        return "".join([*out, self.closer])

    def written_turns(
        self, steps: Sequence[AgentStep], policies: Policies, tools: Toolbox | None = None
    ) -> list[tuple[list[AgentStep], str]]:
        """As any lect's, with ids for the calls that have none."""
        turns_of(steps)  # wrong steps are told before anything is asked of them
        return super().written_turns([named(step, number) for number, step in enumerate(steps)], policies, tools)

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The id and the name of the call, in the tool's message."""
        begin = "<|begin|>tool<|tool_response|>" if first else ""
        name = header_name(self, step)
        return f"{begin}<|tool_response:begin|>{step.action.id}<|tool_response:name|>{name}<|tool_response:result|>"


def made_id(name: str, arguments: Any, number: int) -> str:
    """Ten small letters and digits, the same for the same call in the same place."""
    given = hashlib.sha256(f"{number} {name} {dumps(arguments)}".encode("utf-8", "surrogatepass"))
    number = int.from_bytes(given.digest()[:8], "big")
    digits = []
    for _ in range(10):
        number, digit = divmod(number, 36)
        digits.append("0123456789abcdefghijklmnopqrstuvwxyz"[digit])
    return "".join(digits)


def named(step: AgentStep, number: int) -> AgentStep:
    """The step, its action with an id."""
    action = step.action
    if action.id:
        return step
    action = msgspec.structs.replace(action, id=made_id(action.tool, action.tool_input, number))
    return msgspec.structs.replace(step, action=action)
