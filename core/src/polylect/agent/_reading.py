"""What the loop reads from replies, calls and results, and says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import ParseError, nearest
from .._json import shown
from .._pipeline import Request
from .._values import EXCEPTION_TOOL, AgentAction, Reply
from ._values import TurnRecord


def unknown_tool(name: str, names: list[str]) -> str:
    """The observation for a call of a tool that there is not."""
    listed = f"The tools are: {', '.join(names)}." if names else "There are no tools; answer without them."
    return f"There is no tool {name!r:.100}.{nearest(name, names)} {listed}"


def prompt_size(request: Request) -> int:
    """The characters of a prompt's texts."""
    if isinstance(request.prompt, str):
        return len(request.prompt)
    texts = (message.get("content") for message in request.prompt)
    return sum(len(text) for text in texts if isinstance(text, str))


def same_turn(one: TurnRecord, other: TurnRecord) -> bool:
    """Whether two turns asked for the same and got the same."""
    if len(one.actions) != len(other.actions) or not one.actions:
        return False
    for mine, yours in zip(one.actions, other.actions, strict=True):
        if mine.tool != yours.tool or not _alike(mine.tool_input, yours.tool_input):
            return False
        if mine.tool == EXCEPTION_TOOL and mine.log != yours.log:
            return False
    # as the model reads them: a stranger's values may be equal to anything, or to nothing
    return all(shown(x.observation) == shown(y.observation) for x, y in zip(one.results, other.results, strict=True))


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: for Python, True is 1."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)


def text_of(reply: Reply | None, output: Any) -> str:
    """What a model said, as text."""
    if reply is not None:
        return reply.text
    return output if isinstance(output, str) else ""


def log_of(reply: Reply | None, output: Any, error: ParseError) -> str:
    """The text of an unreadable reply for the next prompt: an observation that the model invented is none there."""
    text = text_of(reply, output)
    if reply is not None:
        invented = reply.spans("observation")
        return text[: invented[0][0]] if invented else text
    return text[: error.span[0]] if error.reason == "observation" and error.span is not None else text


def places(actions: Sequence[AgentAction], waiting: Sequence[AgentAction]) -> list[int]:
    """Where the actions that are waited for stand among all of their turn."""
    found: list[int] = []
    for place, action in enumerate(actions):
        if len(found) < len(waiting) and (action is waiting[len(found)] or action == waiting[len(found)]):
            found.append(place)
    return found


def plain(output: Any) -> Any:
    """An output as JSON has it; what is none, as Python shows it."""
    return output if isinstance(output, (str, dict, list, type(None))) else spelt(output)


def spelt(value: Any) -> str:
    """A stranger's value as Python shows it, whatever its ``__repr__`` does."""
    try:
        return repr(value)
    except Exception:
        return f"({type(value).__name__} that can't be shown)"
