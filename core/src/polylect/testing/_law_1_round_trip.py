"""Law 1, round trip: ``parse(format(reply)) == reply``; what cannot be expressed is refused, never altered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._errors import LectError, ParseError
from .._values import Reply
from ._draw import Draw
from ._replies import TOOLS, Tools, replies
from ._run import EXAMPLES, Outcome, attempt, brief, examine, fail, find
from ._same import same_reply
from ._texts import Message, texts

if TYPE_CHECKING:
    from .._lect import Lect

MOST_REFUSED = 0.6
"""The share of expressible replies that a formatter may refuse. Half of them are harmless, so 60 % leaves room."""
ENOUGH = 50
"""Examples from which on that share is judged: of a handful most may be refused by chance."""


def law_1_round_trip(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """What the formatter writes reads back as the same reply; what it cannot express it refuses with a reason.

    Three quarters of the examples are made from the lect's features, half of those with tools; the others are what
    the lect read from a bent example, formatted again.

    Raises:
        AssertionError: a reply came back altered or not at all, or most of at least 50 were refused.
    """
    lect = find(lect)
    refused: list[tuple[Reply, LectError]] = []
    offered = TOOLS if tools is None else tuple(tools)
    kinds = (replies(lect), None), (replies(lect, tools=offered), offered)

    def make(draw: Draw) -> tuple[Reply, Tools]:
        reply_of, given = draw.pick(kinds)
        return reply_of(draw), given

    def body(case: tuple[Reply, Tools]) -> None:
        reply, given = case
        refusal = comes_back(lect, reply, given)
        if refusal is not None:
            refused.append((reply, refusal))

    def again(message: Message) -> None:
        reply = attempt(lect.parse, message)
        if isinstance(reply, Reply):
            comes_back(lect, reply, None)

    read = examples // 4
    count = examine(make, body, examples=examples - read, seed=seed)
    if examples >= ENOUGH and len(refused) > MOST_REFUSED * count:
        shortest, reason = min(refused, key=lambda pair: len(brief(pair[0])))
        fail(
            f"{lect.name} refuses {len(refused)} of {count} replies that its features say it can express",
            features=sorted(lect.features),
            for_example=shortest,
            because=reason,
        )
    share = f"{len(refused) / max(count, 1):.0%} refused"
    return Outcome(count + (examine(texts(lect), again, examples=read, seed=seed) if read else 0), share)


def comes_back(lect: Lect, reply: Reply, tools: Tools) -> LectError | None:
    """Write ``reply`` and read it back; the error with which it was refused, if it was."""
    try:
        written = lect.format(reply, tools=tools)
    except LectError as error:
        if not str(error):
            fail("format() refused a reply without a reason", reply=reply)
        return error
    read = attempt(lect.parse, written, tools=tools)
    if isinstance(read, ParseError):
        fail("what format() wrote does not parse", reply=reply, written=written, error=read)
    if not same_reply(read, reply):
        fail("a reply came back altered", reply=reply, written=written, read=read)
    if "ids" in lect.features and all(call.id for call in reply.calls):
        ids = [[call.id for call in each.calls] for each in (reply, read)]
        if ids[0] != ids[1]:
            fail("the ids of calls came back altered", reply=reply, given=ids[0], read=ids[1])
    if isinstance(written, str):
        _is_strict(lect, written, read)
    return None


def _is_strict(lect: Lect, written: str, read: Reply) -> None:
    """What the formatter writes is also in the strict form of the grammar, if that has one."""
    from .._reading import CallReader  # the kit is imported without the engine
    from .._text_lect import TextLect

    if not isinstance(lect, TextLect) or "written" not in lect.grammar.tables.starts:
        return
    strictly = lect.grammar.read(written, CallReader(lect, None, lect.policies), lect.lead, start="written")
    if strictly.parts != read.parts or any(x.code == "skipped" for x in strictly.diagnostics):
        fail(
            "the grammar's rule 'written' does not allow what format() wrote",
            written=written,
            read=read.parts,
            strictly=strictly.parts,
            diagnostics=strictly.diagnostics,
        )
