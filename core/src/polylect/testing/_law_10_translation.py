"""Law 10, translation: a reply moved from one lect to another and back is the same reply."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._errors import LectError, ParseError, PolylectError
from .._values import Reply
from ._draw import Draw
from ._fragments import fragments
from ._replies import Tools, only_tool, replies_of
from ._run import EXAMPLES, Outcome, attempt, examine, fail, find
from ._same import same_reply

if TYPE_CHECKING:
    from .._lect import Lect


def law_10_translation(
    lect: Lect | str,
    *,
    examples: int = EXAMPLES,
    seed: int | None = None,
    tools: Tools = None,
    others: Sequence[Lect | str] | None = None,
) -> Outcome:
    """A reply that both lects can express is the same after it went from one to the other, and back.

    ``others`` are the lects to move to: if nothing is said, those that are installed, or twelve of them that the seed
    chooses. What either formatter refuses is left out.

    Raises:
        AssertionError: a reply arrived altered, or came back altered, or did not parse.
    """
    lect = find(lect)
    chosen = [find(other) for other in others] if others is not None else installed(lect.name, seed)
    if not chosen:
        return Outcome(0, "no other lect is installed")
    moved: dict[str, int] = dict.fromkeys((other.name for other in chosen), 0)
    offered = None if tools is None else tuple(tools)

    def body(case: tuple[Lect, Reply]) -> None:
        other, reply = case
        moved[other.name] += moves(lect, other, reply, offered)

    pairs = [
        (
            other,
            replies_of(
                lect.features & other.features, fragments(lect, other), offered, only_tool(offered, lect, other)
            ),
        )
        for other in chosen
    ]

    def make(draw: Draw) -> tuple[Lect, Reply]:
        other, reply_of = draw.pick(pairs)
        return other, reply_of(draw)

    count = examine(make, body, examples=examples, seed=seed)
    return Outcome(count, ", ".join(f"{number} to {name}" for name, number in moved.items()))


MOST = 12
"""Lects that replies are moved to unless more are named: to load fifty takes longer than to try them."""


def installed(besides: str, seed: int | None) -> list[Lect]:
    """Installed lects that can be loaded, save the one named ``besides``; if they are many, some."""
    from .. import lects  # late: a kit for one lect needs no registry

    names = [info.name for info in lects() if info.name != besides]
    if len(names) > MOST:
        names = sorted(random.Random(seed).sample(names, MOST))
    found = []
    for name in names:
        try:
            found.append(find(name))
        except PolylectError:  # a broken plugin is not this lect's fault
            continue
    return found


def moves(lect: Lect, other: Lect, reply: Reply, tools: Tools) -> bool:
    """Move ``reply`` to ``other`` and back; False when one of them cannot express it."""
    try:
        here = lect.format(reply, tools=tools)
        first = attempt(lect.parse, here, tools=tools)
        if isinstance(first, ParseError) or not same_reply(first, reply):
            return False  # law 1 says so
        there = other.format(first, tools=tools)
    except LectError:
        return False
    shown: dict[str, object] = {"reply": reply, lect.name: here, other.name: there}
    moved = attempt(other.parse, there, tools=tools)
    if isinstance(moved, ParseError) or not same_reply(moved, reply):
        fail(f"moved to {other.name}, a reply is another one", **shown, read=moved)
    try:
        back = lect.format(moved, tools=tools)
    except LectError as error:
        fail(f"{lect.name} refuses what came back from {other.name}", **shown, error=error)
    again = attempt(lect.parse, back, tools=tools)
    if isinstance(again, ParseError) or not same_reply(again, reply):
        fail(f"back from {other.name}, a reply is another one", **shown, back=back, read=again)
    return True
