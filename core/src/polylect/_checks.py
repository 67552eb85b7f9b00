"""Whether what callers hand over is what it should be; where it is not, an error that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._errors import LectError
from ._json import dumps, json_fault
from ._values import AgentAction, AgentStep, Call, Reply

_ACTION: dict[str, tuple[tuple[type, ...], str]] = {
    "tool": ((str,), "a text"),
    "tool_input": ((str, dict), "a text or a dict"),
    "log": ((str,), "a text"),
    "id": ((str, type(None)), "a text or None"),
    "index": ((int,), "a whole number"),
    "message": ((dict, type(None)), "a dict or None"),
}
_CALL: dict[str, tuple[tuple[type, ...], str]] = {
    "name": ((str,), "a text"),
    "arguments": ((dict, str, type(None)), "a dict, a text or None"),
    "id": ((str, type(None)), "a text or None"),
}
_REPLY: dict[str, tuple[tuple[type, ...], str]] = {
    "reasoning": ((str,), "a text"),
    "content": ((str,), "a text"),
    "calls": ((tuple, list), "a tuple of Call"),
    "diagnostics": ((tuple, list), "a tuple of Diagnostic"),
    "parts": ((tuple, list), "a tuple of parts"),
    "text": ((str,), "a text"),
    "message": ((dict, type(None)), "a dict or None"),
}


def _check(value: Any, fields: dict[str, tuple[tuple[type, ...], str]], whose: str) -> None:
    for field, (kinds, told) in fields.items():
        found = getattr(value, field)
        if not isinstance(found, kinds):
            raise LectError(f"{field!r} of {whose} is {told}, not {type(found).__name__}.")


def check_reply(reply: Reply) -> None:
    """Raise LectError unless the fields of a reply and of its calls are of their types."""
    _check(reply, _REPLY, "a Reply")
    for call in reply.calls:
        if not isinstance(call, Call):
            raise LectError(f"The calls of a Reply are a tuple of Call, and one is {type(call).__name__}.")
        _check(call, _CALL, "a Call")


def check_steps(steps: object) -> None:
    """Raise LectError unless ``steps`` are a list of steps, whose actions have fields of their types."""
    if not isinstance(steps, (list, tuple)):
        raise LectError(f"Steps are a list of AgentStep, not {type(steps).__name__}.")
    for step in steps:
        if not isinstance(step, AgentStep):
            raise LectError(f"Steps are a list of AgentStep, and one is {type(step).__name__}.")
        if not isinstance(step.action, AgentAction):
            raise LectError(f"The action of an AgentStep is an AgentAction, not {type(step.action).__name__}.")
        _check(step.action, _ACTION, "an AgentAction")


def unwritable(reply: Reply) -> str:
    """What in a reply cannot be written as JSON, in words; ``""`` when all can."""
    values = [(f"the arguments of {call.name!r:.80}", call.arguments) for call in reply.calls]
    for what, value in [*values, ("its answer", reply.answer)]:
        try:
            dumps(value)
        except Exception as fault:  # a stranger's __str__ among them
            return f"{what} can't be written as JSON: {json_fault(fault)}"
    return ""


def checked_sizes(sizes: Any) -> Sequence[int]:
    """The sizes of pieces, if they are such."""
    fine = isinstance(sizes, Sequence) and not isinstance(sizes, (str, bytes)) and len(sizes) > 0
    if not fine or any(type(size) is not int or size < 1 for size in sizes):
        raise LectError("sizes are whole numbers of at least 1.")
    found: Sequence[int] = sizes
    return found


def only_text(text: object) -> str:
    """Text to escape or to unescape; LectError for anything else."""
    if isinstance(text, str):
        return str.__str__(text)
    raise LectError(f"Only text can be escaped and unescaped, not {type(text).__name__}.")


def checked_words(words: Any, what: str, known: Mapping[str, Any], longest: int) -> dict[str, str | None]:
    """Words that replace those of a tongue, by the names of the latter; None switches one off.

    Raises:
        LectError: there is no such name, or a word is none.
    """
    if words is None:
        return {}
    if not isinstance(words, Mapping):
        raise LectError(f"The {what}s are a dict of words by their names, not {type(words).__name__}.")
    for name, word in words.items():
        if name not in known:
            raise LectError(f"There is no {what} {name!r:.80}; there are: {', '.join(known)}.")
        if word is not None and not isinstance(word, str):
            raise LectError(f"The word for the {what} {name!r} is a text, not {type(word).__name__}.")
        if word is not None and len(word) > longest:
            raise LectError(f"The word for the {what} {name!r} is longer than {longest} characters.")
    return dict(words)
