"""What lects of text ask about a text: whether it is one, what a server left of a stop; and what a reply lost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ._errors import LectError, ParseError
from ._values import AgentFinish, Reply

if TYPE_CHECKING:
    from ._text_lect import TextLect
    from ._tools import Toolbox


def prefix_text(prefix: object) -> str:
    """The prefix; LectError when it is no text."""
    if not isinstance(prefix, str):
        raise LectError(f"prefix is a text, not {type(prefix).__name__}.")
    return prefix


SHORTEST_STOP = 5
"""A shorter piece of a stop string at the end of a text may as well be the text's own."""


def without_partial_stop(text: str, stops: tuple[str, ...]) -> str:
    """Text without a piece of a stop string at its end, which some servers leave there."""
    for stop in stops:
        shortest = min(SHORTEST_STOP, len(stop))
        at = text.find(stop[:shortest], -len(stop) if len(stop) < len(text) else 0)
        while at >= 0:  # most texts have none
            if stop.startswith(text[at:]):
                return text[:at]
            at = text.find(stop[:shortest], at + 1)
    return text


def difference(wanted: Reply, got: Reply) -> str:
    """Which field of a reply did not survive, in words."""
    if not wanted.complete and got.complete:
        return "it was cut short, and only whole replies can be written"
    for field in ("reasoning", "content", "answer"):
        one, other = getattr(wanted, field), getattr(got, field)
        if one != other:
            return f"its {field} {one!r:.60} would read back as {other!r:.60}"
    if len(wanted.calls) != len(got.calls):
        return f"its {len(wanted.calls)} calls would read back as {len(got.calls)}"
    for one_call, other_call in zip(wanted.calls, got.calls, strict=True):
        if one_call != other_call:
            return (
                f"the call {one_call.name!r} with {one_call.arguments!r:.60} would read back as "
                f"{other_call.name!r} with {other_call.arguments!r:.60} ({other_call.status})"
            )
    return "it would read back incomplete"


def harmful_stop(lect: TextLect, text: str, tools: Toolbox | None, ends: set[int]) -> str | None:
    """A stop string in ``text`` at which a server would cut another decision out of it.

    At a place before the last one it may leave out the later calls. Where it is the end of a call that others
    follow (``ends``) it does just that, and is not looked at.
    """
    found = [
        (stop, at.start())
        for stop in lect.stops
        for at in re.finditer(f"(?={re.escape(stop)})", text)
        if at.start() + len(stop) not in ends
    ]
    if not found:
        return None
    policies: dict[str, Any] = {}
    whole = _decided(lect, text, tools, policies)
    if not whole:  # text alone, which may be an answer for others
        policies = {"text": "final"}
        whole = _decided(lect, text, tools, policies)
    last = dict(found)
    for stop, at in found:
        for end in (at, at + len(stop)):
            cut = _decided(lect, text[:end], tools, policies)
            begun = cut and at < last[stop] and cut == whole[: len(cut)]
            if cut != whole and not begun:
                return stop
    return None


def _decided(lect: TextLect, text: str, tools: Toolbox | None, policies: dict[str, Any]) -> list[Any]:
    """What a turn decides, to compare it: its calls, or what it ends with."""
    try:
        decision = lect.decide(lect.parse(text, tools=tools), **policies)
    except ParseError:
        return []
    if isinstance(decision, AgentFinish):
        return ["finish", decision.return_values]
    return [(action.tool, action.tool_input) for action in decision]


def refuse(lect: TextLect, reply: Reply, tools: Toolbox | None) -> None:
    """Raise LectError for what the lect has no words for."""
    has = lect.features
    told = {
        "reasoning": bool(reply.reasoning),
        "content": bool(reply.content),
        "calls": bool(reply.calls),
        "several_calls": len(reply.calls) > 1,
        "answer": reply.answer is not None,
        "json_answer": reply.answer is not None and not isinstance(reply.answer, str),
        "text_input": any(isinstance(call.arguments, str) for call in reply.calls),
        "object_input": any(isinstance(call.arguments, dict) for call in reply.calls),
        "content_with_answer": bool(reply.content) and reply.answer is not None,
        "content_with_calls": bool(reply.content) and bool(reply.calls),
    }
    for feature, needed in told.items():
        if needed and feature not in has:
            raise LectError(f"{lect.name} has no place for {feature.replace('_', ' ')}.")
    for call in reply.calls:
        if not call.runnable:
            raise LectError(f"The call of {call.name!r} is {call.status}; only whole calls can be written.")
        if tools is None and lect.checks_names and not call.name.isidentifier() and not lect.is_name(call.name):
            raise LectError(
                f"{lect.name} can't express this reply: {call.name[:80]!r} can't be a tool's name. If there is such a "
                "tool, give tools."
            )
