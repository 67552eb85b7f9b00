"""What lects of text ask about a text: whether it is one, what a server left of a stop; and what a reply lost."""

from __future__ import annotations

from ._errors import LectError
from ._values import Reply


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
