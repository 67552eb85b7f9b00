"""The lects ``cohere_command`` and ``command_r_plus``."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from msgspec.structs import replace

from polylect import AgentAction, AgentFinish, AgentStep, Call, LectError, Reply, Toolbox

from ._body import JsonArray, JsonResults

_TURN = "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>"
_BACK = "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
_TOKENS = ("<|END_OF_TURN_TOKEN|>", "<|START_OF_TURN_TOKEN|>")
_END_RESULT = '\n        },\n        "is_error": null\n    }'


class CohereCommand(JsonResults):
    """``<|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": …}]<|END_ACTION|>``.

    Source: the chat templates of Command R7B, Command A and North.
    """

    name = "cohere_command"
    title = 'Cohere Command: <|START_ACTION|>[{"tool_call_id": …, "tool_name": …, "parameters": …}]<|END_ACTION|>'
    grammar_file = "cohere_command.lark"
    features = JsonResults.features | {"ids"}
    think = ("<|START_THINKING|>", "<|END_THINKING|>")
    keys = ("tool_name", "parameters")
    id_key = "tool_call_id"
    id_first = True
    opener = "<|START_ACTION|>[\n    "
    joint = ",\n    "
    closer = "\n]<|END_ACTION|>"
    thinking = r"/(?:(?!/ END_THINK /|/ OPEN /)[\s\S])+/"
    stops = ("<|END_OF_TURN_TOKEN|>",)
    model_prefix = f"{_END_RESULT}\n]<|END_TOOL_RESULT|>{_BACK}"
    special = (
        "<|START_ACTION|>", "<|END_ACTION|>", "<|START_THINKING|>", "<|END_THINKING|>", "<|START_RESPONSE|>",
        "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>", "<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>",
        *_TOKENS,
    )  # fmt: skip
    examples = (
        '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris", '
        '"days": 3}}\n]<|END_ACTION|>',
        "<|START_THINKING|>I look it up.<|END_THINKING|><|START_ACTION|>[\n    "
        '{"tool_call_id": "0", "tool_name": "a", "parameters": {"b": "]<|END_ACTION|>"}},\n    '
        '{"tool_call_id": "1", "tool_name": "now", "parameters": {}}\n]<|END_ACTION|>',
        "<|START_RESPONSE|>It rains in Paris.<|END_RESPONSE|>",
    )
    sources = (
        "https://huggingface.co/CohereForAI/c4ai-command-r7b-12-2024",
        "https://huggingface.co/CohereForAI/c4ai-command-a-03-2025",
    )
    quirks = (
        "The ids are running numbers, as texts.",
        "Answers stand in <|START_RESPONSE|>, with the newest models in <|START_TEXT|>; text without it is read too.",
        "Citations are marked inside of the text and stay in it.",
        "The model may write one object without the array.",
    )

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: thoughts, text between its markers, calls."""
        if not reply.content:
            return super().write(reply, tools)
        return super().write(replace(reply, content=f"<|START_RESPONSE|>{reply.content}<|END_RESPONSE|>"), tools)

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """The calls, with their numbers where they have no ids."""
        numbered = [
            call if call.id is not None else Call(call.name, call.arguments, id=str(number))
            for number, call in enumerate(calls)
        ]
        return super().write_calls(numbered, tools)

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The object of a result, up to its text; before the first one the turn."""
        told = str(step.action.index) if step.action.id is None else step.action.id
        if not re.fullmatch(r'[^"\n\\]{0,64}', told):
            raise LectError(f"{self.name} can't write the id {told[:80]!r}: it is no short text on one line.")
        start = f"{_TURN}<|START_TOOL_RESULT|>[" if first else f"{_END_RESULT},"
        return f'{start}\n    {{\n        "tool_call_id": "{told}",\n        "results": {{\n            "0": '


class CommandRPlus(JsonArray):
    """``Action:`` and a fence with ``[{"tool_name": …, "parameters": …}]``.

    Source: the prompts for tool use in the model cards of Command R and Command R+.
    """

    name = "command_r_plus"
    title = 'Command R and R+: Action: ```json [{"tool_name": …, "parameters": …}]```'
    grammar_file = "command_r_plus.lark"
    features = JsonArray.features - {"reasoning"}
    think = None
    before = "\n"
    keys = ("tool_name", "parameters")
    stops = ("<|END_OF_TURN_TOKEN|>",)
    model_prefix = f"\n</results>{_BACK}"
    special = ("Action:", "<results>", "</results>", *_TOKENS)
    examples = (
        'Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {\n            '
        '"city": "Paris",\n            "days": 3\n        }\n    }\n]```',
        'Plan: I look it up.\nAction: ```json\n[\n    {"tool_name": "a", "parameters": {"b": "]```"}},\n    '
        '{"tool_name": "now", "parameters": {}}\n]\n```',
        'Action: ```json\n[\n    {\n        "tool_name": "directly_answer",\n        "parameters": {}\n    }\n]```',
        "It rains in Paris.",
    )
    sources = (
        "https://huggingface.co/CohereForAI/c4ai-command-r-v01",
        "https://huggingface.co/CohereForAI/c4ai-command-r-plus",
    )
    quirks = (
        "The tool directly-answer is none: the model says with it that it needs no tool. The call is read, and no "
        "decision asks for it.",
        "Results are numbered documents; the number is that of the call in its turn.",
    )
    answerers = frozenset({"directly_answer", "directly-answer"})

    def write_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> str:
        """The calls as an array on many lines, in its fence."""
        entries = [self.entry(call) for call in calls]
        written = json.dumps(entries, ensure_ascii=False, indent=4, default=str)
        return f"Action: ```json\n{self.without_stops(written)}```"

    def decide(self, reply: Reply, **policies: Any) -> list[AgentAction] | AgentFinish:
        """What the agent does with a reply; the call that means that no tool is needed is none."""
        calls = tuple(call for call in reply.calls if call.name.lower() not in self.answerers)
        if len(calls) == len(reply.calls):
            return super().decide(reply, **policies)
        if not calls:
            return AgentFinish({"output": reply.content.strip()}, reply.text)
        return super().decide(replace(reply, calls=calls), **policies)

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The heading of a result; before the first one the turn."""
        before = f"{_TURN}<results>" if first else "\n"
        return f"{before}\nDocument: {step.action.index}\n"

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """The markers, fences of any length, and the heading of a further result with any number."""
        fence = r"`\\*(?=`\\*`)"
        heading = r"\n\\*(?=\nDocument: [0-9])"
        return re.compile(f"{super()._marks.pattern}|{fence}|{heading}")
