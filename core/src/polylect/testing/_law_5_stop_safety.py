"""Law 5, stop safety: a server that cuts at a stop string does not change what was decided."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .._errors import LectError, ParseError
from .._values import AgentAction, AgentFinish, Reply
from ._replies import Tools, replies
from ._run import EXAMPLES, Outcome, each, examine, fail, find
from ._same import same_decision

if TYPE_CHECKING:
    from .._lect import Lect

Decision = list[AgentAction] | AgentFinish


def law_5_stop_safety(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """A well-formed reply that is cut at any stop string, the stop string kept or not, decides the same.

    Where the stop string stands several times, a cut at an earlier place may leave out later calls, but no first one.

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
    return Outcome(count + examine(replies(lect, tools=tools), body, examples=examples, seed=seed))


def _holds(lect: Lect, text: str, tools: Tools) -> None:
    def decide(text: str) -> Decision | ParseError:
        try:
            return lect.decide(lect.parse(text, tools=tools))
        except ParseError as error:
            return error

    whole = decide(text)
    if isinstance(whole, ParseError):
        return
    for stop in lect.stops:
        for cut, last in cuts_at(text, stop):
            decision = decide(cut)
            if isinstance(decision, ParseError) or not (
                same_decision(decision, whole) or (not last and _begins(decision, whole))
            ):
                shown = {"text": text, "stop": stop, "cut": cut, "whole": whole, "decided": decision}
                fail("cut at a stop string, a reply decides something else", **shown)


def cuts_at(text: str, stop: str) -> Iterator[tuple[str, bool]]:
    """``text`` cut before and after each ``stop``, with whether it was the last one; or ended by it."""
    at = text.find(stop)
    if at < 0:
        yield text + stop, True
    while at >= 0:
        following = text.find(stop, at + 1)
        yield text[:at], following < 0
        yield text[: at + len(stop)], following < 0
        at = following


def _begins(decision: Decision, whole: Decision) -> bool:
    if isinstance(decision, AgentFinish) or isinstance(whole, AgentFinish) or not decision:
        return False
    return same_decision(decision, whole[: len(decision)])
