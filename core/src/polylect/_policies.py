"""The policies: named choices where users rightly disagree, and the limits on what a model may make us do.

Each is a keyword argument of ``parse``, ``parser``, ``decide`` and the formatters; each lect has its own defaults.
"""

from __future__ import annotations

from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from ._errors import LectError, nearest

MAX_NESTING = 200
"""Brackets within brackets in one call. Python's own JSON decoder gives up near 1,000; no real schema needs 30."""
MAX_CALL_SIZE = 16 * 1024 * 1024
"""Characters in one call: several times the longest context of any model, and small enough for any machine."""
MAX_CALLS = 256
"""Calls in one reply: a turn of 100 parallel calls is known, thousands are a loop that the model fell into."""


class Policies(msgspec.Struct, frozen=True):
    """All choices, with the defaults that lects start from."""

    truncated: Literal["drop", "flag", "raise"] = "drop"
    """A call that the end of the message cut: leave it out, keep it with status ``truncated``, or raise."""
    arguments: Literal["live", "held"] = "live"
    """Stream argument text as it comes, or only when the call is closed (a cut call then leaves no trace)."""
    both: Literal["action", "final", "error"] = "action"
    """A call *and* a final answer in one reply: which one counts."""
    text: Literal["error", "final"] = "error"
    """Text where an action was due: an error with a correction, or the final answer."""
    observation: Literal["cut", "error"] = "cut"
    """The model invented an observation: drop everything from there on and report it, or raise."""
    unknown_tool: Literal["keep", "reject", "nearest"] = "keep"
    """A tool that was not offered: leave it to the executor, mark the call invalid, or take the nearest name."""
    malformed: Literal["error", "repair"] = "error"
    """Arguments that are not valid JSON: mark the call invalid, or repair them and report each repair."""
    types: Literal["coerce", "as_written"] = "coerce"
    """Raw text arguments: typed by the tool's JSON Schema, or left as text."""
    reasoning_calls: Literal["ignore", "accept"] = "ignore"
    """Calls that stand inside reasoning: part of the reasoning, or calls."""
    escape: Literal["escape", "error", "raw"] = "escape"
    """Markers inside what is formatted: escape reversibly, refuse, or leave them in."""
    max_nesting: int = MAX_NESTING
    max_call_size: int = MAX_CALL_SIZE
    max_calls: int = MAX_CALLS

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if choices is None or value not in choices:
                check(name, value)

    def replace(self, **changes: Any) -> Policies:
        """A copy with some choices changed.

        Raises:
            LectError: there is no such policy, or no such choice.
        """
        for name, value in changes.items():
            check(name, value)
        return msgspec.structs.replace(self, **changes)


CHOICES: dict[str, tuple[str, ...] | None] = {
    name: tuple(get_args(hint)) if get_origin(hint) is Literal else None
    for name, hint in get_type_hints(Policies).items()
}
"""Every policy with its choices; None for a limit, which takes a positive whole number."""


def check(name: str, value: object) -> None:
    """Raise LectError unless ``name`` is a policy and ``value`` one of its choices."""
    if name not in CHOICES:
        raise LectError(f"There is no policy {name!r}.{nearest(name, CHOICES)} The policies: {', '.join(CHOICES)}.")
    choices = CHOICES[name]
    if choices is None:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise LectError(f"{name} takes a whole number of at least 1, not {value!r}.")
    elif value not in choices:
        raise LectError(f"{name}={value!r} is no choice. It takes one of: {', '.join(choices)}.")
