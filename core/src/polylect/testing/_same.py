"""When two replies, calls or decisions say the same."""

from __future__ import annotations

from typing import Any

from .._values import AgentAction, AgentFinish, Call, Reply


def same_value(one: Any, two: Any) -> bool:
    """Equal, and of the same JSON types: ``True`` is not ``1`` here (1 and 1.0 are one number)."""
    if isinstance(one, bool) or isinstance(two, bool):
        return one is two
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same_value(one[key], two[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(two, (list, tuple)):
        return len(one) == len(two) and all(map(same_value, one, two))
    return bool(one == two)


def same_calls(one: tuple[Call, ...], two: tuple[Call, ...]) -> bool:
    """The same names, arguments and statuses in the same order."""
    return one == two and all(same_value(a.arguments, b.arguments) for a, b in zip(one, two, strict=True))


def same_reply(one: Reply, two: Reply) -> bool:
    """Replies that say the same, down to the types of their arguments."""
    return one == two and same_calls(one.calls, two.calls) and same_value(one.answer, two.answer)


def said(action: AgentAction) -> tuple[str, Any]:
    """What an action wants: not where it stood, nor its id."""
    return action.tool, action.tool_input


def same_actions(one: list[AgentAction], two: list[AgentAction]) -> bool:
    """The same tools with the same inputs in the same order."""
    return len(one) == len(two) and all(same_value(said(a), said(b)) for a, b in zip(one, two, strict=True))


def same_decision(one: list[AgentAction] | AgentFinish, two: list[AgentAction] | AgentFinish) -> bool:
    """The same actions, or the same return values; logs and ids do not count."""
    if isinstance(one, AgentFinish):
        return isinstance(two, AgentFinish) and same_value(one.return_values, two.return_values)
    return not isinstance(two, AgentFinish) and same_actions(one, two)
