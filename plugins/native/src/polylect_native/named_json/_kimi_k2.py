"""The lect ``kimi_k2``."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from polylect import AgentStep, Call, Policies, Toolbox
from polylect.plugin import turns_of

from ._body import NamedJson, header_name

_ID = re.compile(r"(?:functions\.)?(?P<name>.*?)(?P<number>:[0-9]{1,9})?", re.S)


class KimiK2(NamedJson):
    """``<|tool_call_begin|>functions.name:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`` in one section.

    The text before the arguments is the id of the call, and the name is a part of it. Calls without such an id get one
    when they are written, with their number in the turn or, in ``format_steps``, in the conversation.

    Source: the tool call guidance and the chat templates of Kimi-K2-Instruct and Kimi-K2-Thinking.
    """

    name = "kimi_k2"
    title = "Kimi K2: functions.name:0 and {…}"
    grammar_file = "kimi_k2.lark"
    names_ids = True
    think = ("<think>", "</think>")
    opener = "<|tool_calls_section_begin|>"
    head = "<|tool_call_begin|>"
    sep = "<|tool_call_argument_begin|>"
    tail = "<|tool_call_end|>"
    closer = "<|tool_calls_section_end|>"
    stops = ("<|im_end|>",)
    between = "<|im_end|>"
    model_prefix = "<|im_end|><|im_assistant|>assistant<|im_middle|>"
    special = (
        "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>",
        "<|tool_call_argument_begin|>", "<think>", "</think>", "<|im_end|>", "<|im_system|>", "<|im_user|>",
        "<|im_assistant|>", "<|im_middle|>",
    )  # fmt: skip
    thinking = r"/(?:(?!/ END_THINK /|/ SECTION /|/ CALL /)[\s\S])+/"
    examples = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
        '{"city": "Paris", "days": 3}<|tool_call_end|><|tool_calls_section_end|>',
        "<think>I look it up.</think>One moment.<|tool_calls_section_begin|><|tool_call_begin|>functions.now:0"
        "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.a:0<|tool_call_argument_begin|>"
        '{"b": "<|tool_call_end|>"}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{}'
        "<|tool_call_end|><|tool_calls_section_end|>",
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/moonshotai/Kimi-K2-Instruct/blob/main/docs/tool_call_guidance.md",
        "https://huggingface.co/moonshotai/Kimi-K2-Thinking",
    )
    quirks = (
        "The id of a call is functions.name:number, and the number counts over the whole conversation; a history with "
        "other ids makes the model invent calls.",
        "Names may hold dots and hyphens: only the first functions. and the last number are taken off.",
        "After a history with call_… ids the model writes such an id itself, and the name into the object; it is found "
        "there. An id that is only a number names no tool.",
        "Some checkpoints leave a space between the id and the marker of the arguments; it belongs to neither.",
        "Where </think> is forgotten, the calls stand in the reasoning: the policy reasoning_calls decides.",
        "The prompt of the thinking models already opened <think>: tell it as prefix.",
    )

    def name_id(self, raw: str) -> tuple[str, str | None]:
        """``functions.name:0`` is the id; the name stands in its middle."""
        raw = raw.strip()
        found = _ID.fullmatch(raw)
        assert found is not None
        if raw.isdecimal():
            return "", raw
        return (found["name"], raw) if found["name"] and found["number"] else (raw.removeprefix("functions."), None)

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """The section; every call with an id that holds its name."""
        out = [self.opener]
        for number, call in enumerate(calls):
            written = call_id(call.name, call.id) or f"functions.{call.name}:{number}"
            out += [self.head, written, self.sep, self.json(call), self.tail]
        return "".join([*out, self.closer])

    def written_turns(
        self, steps: Sequence[AgentStep], policies: Policies, tools: Toolbox | None = None
    ) -> list[tuple[list[AgentStep], str]]:
        """As any lect's, with ids for the calls that have none."""
        turns_of(steps)  # wrong steps are told before anything is asked of them
        return super().written_turns([numbered(step, number) for number, step in enumerate(steps)], policies, tools)

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """A turn of the system, in the name of the tool, that tells the id of the call."""
        name, written = header_name(self, step), step.action.id
        return f"{'<|im_end|>' if first else ''}<|im_system|>{name}<|im_middle|>## Return of {written}\n"


def call_id(name: str, given: str | None) -> str | None:
    """The id of a call of this tool, if it is one of this tongue."""
    found = None if given is None else _ID.fullmatch(given)
    return given if found is not None and found["name"] == name and found["number"] else None


def numbered(step: AgentStep, number: int) -> AgentStep:
    """The step, its action with an id of this tongue."""
    action = step.action
    if call_id(action.tool, action.id):
        return step
    action = msgspec.structs.replace(action, id=f"functions.{action.tool}:{number}")
    return msgspec.structs.replace(step, action=action)
