"""Law 5, stop safety: a server that cuts at a stop string does not change what was decided."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .._errors import LectError, ParseError
from .._values import AgentAction, AgentFinish, Reply
from ._draw import Draw
from ._replies import Tools, replies
from ._run import EXAMPLES, Outcome, attempt, each, examine, fail, find
from ._same import same_decision

if TYPE_CHECKING:
    from .._lect import Lect

Decision = list[AgentAction] | AgentFinish


def law_5_stop_safety(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """A well-formed reply that is cut at any stop string, the stop string kept or not, decides the same.

    Where the stop string stands several times, a cut at an earlier place may leave out later calls, but no first one.
    Half of the replies have a stop string put into one of their texts: that is refused, or does not matter.

    Raises:
        AssertionError: a cut reply does not parse, decides something else, or nothing.
    """
    lect = find(lect)
    if not lect.stops or lect.messages:
        return Outcome(0, "no stop strings in a text")

    def body(reply: Reply) -> None:
        try:
            written = lect.format(reply, tools=tools)
        except LectError:
            return
        if isinstance(written, str):
            _holds(lect, written, tools)

    written = [text for text in lect.examples if isinstance(text, str)]
    count = each(written, lambda text: _holds(lect, text, tools))
    reply_of = replies(lect, tools=tools)

    def make(draw: Draw) -> Reply:
        stopped, reply = draw.flag(), reply_of(draw)
        return _with_stop(reply, draw.pick(lect.stops), draw.between(0, 200)) if stopped else reply

    return Outcome(count + examine(make, body, examples=examples, seed=seed))


def _with_stop(reply: Reply, stop: str, place: int) -> Reply:
    """A reply with a stop string in its reasoning, its content or its answer, if it has any of them."""
    said: dict[str, Any] = {"reasoning": reply.reasoning, "content": reply.content, "answer": reply.answer}
    texts = [(field, text) for field, text in said.items() if text and isinstance(text, str)]
    if not texts:
        return reply
    field, text = texts[place % len(texts)]
    at = place % (len(text) + 1)
    return Reply(**{**said, field: text[:at] + stop + text[at:]}, calls=reply.calls)


def _holds(lect: Lect, text: str, tools: Tools) -> None:
    reply = attempt(lect.parse, text, tools=tools)
    if isinstance(reply, ParseError):
        return
    whole = attempt(lect.decide, reply)
    if isinstance(whole, ParseError):
        return
    for stop in lect.stops:
        for cut, last in cuts_at(text, stop):
            read = attempt(lect.parse, cut, tools=tools)
            decision = read if isinstance(read, ParseError) else attempt(lect.decide, read)
            if isinstance(decision, ParseError) or not (
                same_decision(decision, whole) or (not last and _begins(decision, whole))
            ):
                shown = {"text": text, "stop": stop, "cut": cut, "whole": whole, "decided": decision}
                fail("cut at a stop string, a reply decides something else", **shown)


def cuts_at(text: str, stop: str) -> Iterator[tuple[str, bool]]:
    """The text cut before and after each ``stop``, with whether it was the last one; without any, ended by it."""
    places = [found.start() for found in re.finditer(f"(?={re.escape(stop)})", text)]
    if not places:
        yield text + stop, True
    for at in places:
        yield text[:at], at == places[-1]
        yield text[: at + len(stop)], at == places[-1]


def _begins(decision: Decision, whole: Decision) -> bool:
    if isinstance(decision, AgentFinish) or isinstance(whole, AgentFinish) or not decision:
        return False
    return same_decision(decision, whole[: len(decision)])
