"""Replies, decisions and errors as readable text."""

from __future__ import annotations

import json
from typing import Any

from .._errors import ParseError
from .._values import EXCEPTION_TOOL, AgentAction, AgentFinish, Call, Reply
from ._paint import Paint, block, pointed, safe, short

Decision = list[AgentAction] | AgentFinish | ParseError | None
"""What a lect decided, or why it could not; None where no lect is known."""

STATUS_COLORS = {"complete": "green", "repaired": "yellow", "invalid": "red", "truncated": "red"}


def heading(title: str, note: str, paint: Paint) -> str:
    """The line above a reply: where it is from, and in paint the lect it was read as, or that it was not."""
    return f"{paint(safe(title), bold=True)}  {note}\n"


def show_reply(reply: Reply, paint: Paint) -> str:
    """All fields of a reply, in the order of reading, with its diagnostics."""
    text = ""
    if reply.reasoning.strip():
        text += block(paint("reasoning", dim=True), paint(safe(short(reply.reasoning.strip("\n"))), dim=True))
    if reply.content.strip():
        text += block("content", safe(short(reply.content.strip("\n"))))
    told = {found.message for found in reply.diagnostics}
    for call in reply.calls:
        error = f"\n{safe(call.error)}" if call.error and call.error not in told else ""
        text += block(paint("call", "cyan"), show_call(call, paint) + error)
    if reply.answer is not None:
        text += block(paint("answer", "green"), safe(short(plain(reply.answer).strip("\n"))))
    if not text:
        text = block("content", paint("(empty)", dim=True))
    for found in reply.diagnostics:
        body = safe(found.message) + pointed(reply.text, found.start, found.end, paint)
        text += block(paint(found.code, "yellow"), body)
    if not reply.complete:
        text += block(paint("cut", "yellow"), "The message was cut short.")
    return text


def show_call(call: Call, paint: Paint) -> str:
    """A call on a line: name, arguments, and its status when that is not plain complete."""
    given = call.raw if call.arguments is None else plain(call.arguments)
    text = f"{paint(safe(call.name), bold=True)} {safe(short(given))}".strip()
    return text if call.status == "complete" else f"{text}  {paint(call.status, STATUS_COLORS[call.status])}"


def show_decision(decision: Decision, paint: Paint) -> str:
    """What the agent does next, or why that is open, with the sentence for the model."""
    if decision is None:
        return block(paint("decision", "yellow"), "none")
    if isinstance(decision, ParseError):
        why = "" if decision.message == decision.correction else f": {safe(decision.message)}"
        text = block(paint("decision", "yellow"), f"none{why}")
        return text + block(paint("correction", "yellow"), safe(decision.correction))
    if isinstance(decision, AgentFinish):
        output = decision.return_values.get("output", decision.return_values)
        return block(paint("decision", "green"), f"finish: {safe(short(plain(output).strip()))}")
    text = ""
    for action in decision:
        if action.tool == EXCEPTION_TOOL:
            text += block(paint("decision", "yellow"), f"tell the model: {safe(short(plain(action.tool_input)))}")
        else:
            given = safe(short(plain(action.tool_input)))
            text += block(paint("decision", "green"), f"run {paint(safe(action.tool), bold=True)} with {given}")
    return text or block(paint("decision", "green"), "nothing to run")


def show_error(record: dict[str, Any], paint: Paint) -> str:
    """An error record."""
    text = block(paint("error", "red"), safe(str(record["message"])) + _context(record, paint))
    if record["correction"]:
        text += block(paint("correction", "yellow"), safe(str(record["correction"])))
    return text


def _context(record: dict[str, Any], paint: Paint) -> str:
    span, text = record["span"], record["text"]
    return pointed(text, span[0], span[1], paint) if span and isinstance(text, str) else ""


def plain(value: Any) -> str:
    """Text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
