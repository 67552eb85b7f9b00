"""The messages that the benchmarks read: short, long, and hostile. The same ones in every run."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

KIB = 1024
TOOL = "tide_table"
WRITER = "write"

REACT_CALL = (
    "Thought: The skipper needs the night tide, so I ask.\nAction: tide_table\nAction Input: Stavanger at 21:30"
)
REACT_FINISH = (
    "Thought: The table gives the height, so that is all I need.\n"
    "Final Answer: High water is at 21:48, 1.32 m above the chart datum."
)
BLOB_CALL = (
    "```\n"
    "{\n"
    '  "action": "tide_table",\n'
    '  "action_input": {"port": "Stavanger quay", "hour": 21, "unit": "metres"}\n'
    "}\n"
    "```"
)
BLOB_CALL_AFTER_PROSE = (
    "I shall ask the almanac:\n"
    "```json\n"
    '{"action": "tide_table", "action_input": {"port": "Stavanger", "hour": 21}}\n'
    "```"
)
BLOB_FINISH = '```\n{"action": "Final Answer", "action_input": "High water is at 21:48, 1.32 m above the datum."}\n```'
XML_CALL = "<tool>tide_table</tool>\n<tool_input>Stavanger harbour, today after 21:30</tool_input>"
XML_FINISH = "<final_answer>High water is at 21:48, 1.32 m above the chart datum.</final_answer>"

TOOL_CALL_ARGUMENTS = '{"port": "Stavanger", "hour": 21}'
TOOL_CALLS_CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "call_7Kd02",
            "type": "function",
            "function": {"name": TOOL, "arguments": TOOL_CALL_ARGUMENTS},
        }
    ],
}
TOOL_CALLS_FINISH: dict[str, Any] = {
    "role": "assistant",
    "content": "High water is at 21:48, 1.32 m above the chart datum.",
}


@dataclass(frozen=True, slots=True)
class Short:
    """A short message with the number of its markers: labels, tags, fences, brackets and keys of a JSON call."""

    lect: str
    kind: str
    text: str
    markers: int

    @property
    def calls(self) -> bool:
        """Whether it calls a tool; else it answers."""
        return self.kind != "finish"


SHORT_MESSAGES = (
    Short("react", "call", REACT_CALL, 3),
    Short("react", "finish", REACT_FINISH, 2),
    Short("json_blob", "call", BLOB_CALL, 6),
    Short("json_blob", "call after prose", BLOB_CALL_AFTER_PROSE, 6),
    Short("json_blob", "finish", BLOB_FINISH, 6),
    Short("xml_tags", "call", XML_CALL, 4),
    Short("xml_tags", "finish", XML_FINISH, 2),
)

WORDS = re.findall(
    r"\w+",
    """
the tide turns when moon and sun pull together and every harbour keeps its own hour for it so a careful pilot writes
both heights beside the chart reads them twice asks the lighthouse and waits for slack water before noon
""",
)


def prose(size: int, *, lines: bool = True, rare: str = "") -> str:
    """``size`` characters of sentences, in paragraphs unless ``lines`` is false, with ``rare`` about every 200."""
    chance = random.Random(size)
    pieces: list[str] = []
    length = 0
    while length < size:
        words = chance.choices(WORDS, k=chance.randint(6, 14))
        sentence = " ".join(words).capitalize() + (", " if chance.random() < 0.3 else ". ")
        if rare and len(pieces) % 3 == 2:
            sentence += rare + " "
        if lines and len(pieces) % 5 == 4:
            sentence = sentence.rstrip() + "\n"
        pieces.append(sentence)
        length += len(sentence)
    # A letter at the end: a layout character there could belong to the marker that follows.
    return "".join(pieces)[: size - 1] + "x"


def escaped(size: int) -> str:
    """Text whose JSON form is ``size`` characters long or at most six shorter, one character in six an escape."""
    text = prose(size, lines=False)
    marks = '\n"\\\t'
    sixths = [text[at : at + 5] + marks[at // 5 % len(marks)] for at in range(0, size // 7 * 5, 5)]
    return "".join(sixths)


def blob(text: str) -> str:
    """A bare JSON call that writes ``text``."""
    return json.dumps({"action": WRITER, "action_input": {"path": "logbook.txt", "text": text}}, ensure_ascii=False)


def sized_blob(size: int) -> str:
    """A bare JSON call of about ``size`` characters, one in six of its text escaped."""
    return blob(escaped(size - len(blob(""))))


def small_blob(size: int = 300) -> str:
    """A bare JSON call of exactly ``size`` characters, with arguments of every usual kind."""

    def call(note: str) -> str:
        arguments = {
            "path": "voyages/2031/logbook.txt",
            "heights": [1.32, 0.41, 1.28, 0.37],
            "harbour": {"name": "Stavanger", "berth": 14, "tidal": True},
            "append": True,
            "pilot": None,
            "note": note,
        }
        return json.dumps({"action": WRITER, "action_input": arguments})

    return call(prose(size - len(call("")), lines=False))


@dataclass(frozen=True, slots=True)
class Long:
    """A message around one long payload; ``field`` says where the reply keeps it."""

    text: str
    payload: str
    field: str


def long_thought(size: int) -> Long:
    """A ReAct message with a long thought."""
    payload = prose(size)
    return Long(f"Thought: {payload}\nAction: {TOOL}\nAction Input: Stavanger", payload, "reasoning")


def long_content(size: int) -> Long:
    """Long prose with inline code before a fenced call."""
    payload = prose(size, rare="`slack()`")
    return Long(f"{payload}\n{BLOB_CALL}", payload, "prose")


def long_string(size: int) -> Long:
    """A fenced call with a long string without escapes."""
    payload = blob(prose(size, lines=False))
    return Long(f"```json\n{payload}\n```", payload, "arguments")


def long_escaped(size: int) -> Long:
    """A fenced call with a long string, one character in six escaped."""
    payload = blob(escaped(size))
    return Long(f"```json\n{payload}\n```", payload, "arguments")


def long_value(size: int) -> Long:
    """A tag-body value with an entity here and there."""
    payload = prose(size, rare="salt &amp; wind")
    return Long(f"<tool>{WRITER}</tool>\n<tool_input>{payload}</tool_input>", payload, "value")


@dataclass(frozen=True, slots=True)
class Stream:
    """A kind of long stream: its lect, its message of a given size, its close marker, its bar in 4-character deltas."""

    title: str
    lect: str
    message: Callable[[int], Long]
    marker: str
    bar: float


STREAMS = (
    Stream("text: a ReAct thought", "react", long_thought, "\nAction:", 2.0),
    Stream("text: prose before a JSON blob", "json_blob", long_content, "```", 2.0),
    Stream("JSON string, plain", "json_blob", long_string, "```", 2.0),
    Stream("JSON string, 1 in 6 escaped", "json_blob", long_escaped, "```", 2.0),
    Stream("tag-body value", "xml_tags", long_value, "</tool_input>", 3.0),
)


def cut(text: str, size: int) -> list[str]:
    """``text`` in deltas of ``size`` characters."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def message_deltas(arguments: str, size: int) -> list[dict[str, Any]]:
    """The stream deltas of a provider message with one call."""
    head = {"index": 0, "id": "call_7Kd02", "type": "function", "function": {"name": WRITER, "arguments": ""}}
    return [{"role": "assistant", "content": None, "tool_calls": [head]}] + [
        {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in cut(arguments, size)
    ]


HOSTILE = {
    "Action: x, one line": "Action: x ",
    "Action: x, lines": "\nAction: x\n",
    "Action: x[": "\nAction: x[",
    "<tool>": "<tool>",
    "<tool_input>": "<tool>x</tool><tool_input>",
    "{": "{",
    "nested calls": '{"action": ',
    "nested lists": "[",
    "quotes and backslashes": '"\\',
    "open string": '{"action": "x", "action_input": "\\"',
    "```": "```",
    "``` and {": "```json\n{",
    "newlines": "\n",
    "blanks": " ",
    "ampersands": "&amp",
    "<tool_call>{": '<tool_call>{"name": "x", ',
    "<parameter=x>": "<tool_call><function=x><parameter=x>",
    "[x(": "[x(",
    "<arg_key>": "<tool_call>x<arg_key>x</arg_key><arg_value>",
    "<|channel|>": "<|channel|>commentary to=",
    "]<]minimax[>[": "]<]minimax[>[<x>",
}
"""Short pieces that, repeated, begin a structure again and again and never end it."""


def hostile(piece: str, size: int) -> str:
    """``piece`` repeated up to exactly ``size`` characters."""
    return (piece * (size // len(piece) + 1))[:size]
