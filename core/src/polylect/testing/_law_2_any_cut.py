"""Law 2, any cut: the folded events of any stream equal what parsing the whole gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from .._errors import LectError, ParseError
from .._values import Reply
from ._draw import Draw, Maker, one_of
from ._fragments import fragments
from ._replies import TOOLS, Tools
from ._run import EXAMPLES, Outcome, attempt, examine, fail, find
from ._stream import Folded, Streamed, fold, stream
from ._texts import ALL_AT_ONCE, ONE_BY_ONE, Message, cuts, pieces, stretched, texts

if TYPE_CHECKING:
    from .._lect import Lect

T = TypeVar("T")
P = ParamSpec("P")
Options = dict[str, Any]

POLICIES: tuple[Options, ...] = (
    *({}, {}, {}, {}, {}, {}),
    *({"truncated": "flag"}, {"truncated": "raise"}, {"arguments": "held"}, {"observation": "error"}),
    *({"reasoning_calls": "accept"}, {"malformed": "repair"}, {"unknown_tool": "reject"}, {"unknown_tool": "nearest"}),
    *({"types": "as_written"}, {"max_nesting": 2}, {"max_call_size": 20}, {"max_calls": 1}),
)
"""Policies to read with: the lect's own more often than not."""


Case = tuple[Message, tuple[int, ...], Options]
"""A message, a cutting, and options: policies, tools or none, how the message ended, a prefix."""


def readings(lect: Lect, tools: Tools) -> Maker[Case]:
    """What laws 2 to 4 look at."""
    messages, offered = texts(lect), TOOLS if tools is None else tuple(tools)
    if not lect.messages:  # what depends on the size of chunks shows in long ones only
        messages = one_of(messages, messages, messages, stretched(fragments(lect)))
    heads = prefixes(lect)

    def make(draw: Draw) -> Case:
        message = messages(draw)
        sizes = cuts(len(message) if isinstance(message, str) else 0)(draw)
        options = dict(draw.pick(POLICIES))
        turn = draw.below(16)
        if turn & 1:
            options["tools"] = offered
        if turn & 6 == 6:
            options["finish_reason"] = "length"
        if turn >= 12 and heads:
            options["prefix"] = draw.pick(heads)
        return message, sizes, options

    return make


def prefixes(lect: Lect) -> list[str]:
    """What a prompt may have written of a message: beginnings of the examples, up to the first call or answer."""
    found: list[str] = []
    for example in lect.examples:
        for until in range(1, len(example) if isinstance(example, str) else 1):
            head = example[:until]
            reply = attempt(lect.parse, head, truncated="flag")
            if not isinstance(reply, Reply) or reply.calls or reply.answer is not None or reply.diagnostics:
                break
            found.append(head)
    return found


def law_2_any_cut(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """However a message is cut into chunks, its events fold to the reply that parsing the whole gives.

    Each message is read whole, streamed in one piece, one character at a time, and in random pieces (in texts once
    more with empty chunks between them), with various policies, tools, prefixes and ends.

    Raises:
        AssertionError: a stream gives another reply, other texts or other calls, or fails where the whole does not.
    """
    lect = find(lect)

    def body(case: Case) -> None:
        message, sizes, options = case
        whole = _outcome(lect.parse, message, **options)
        expected = whole if isinstance(whole, (LectError, ParseError)) else whole.to_json()
        first: Folded | None = None
        ways = [pieces(lect, message, cut) for cut in (ALL_AT_ONCE, ONE_BY_ONE, sizes)]
        if isinstance(message, str):
            ways.append([part for chunk in ways[-1] for part in (chunk, "")])
        for chunks in ways:
            streamed = _outcome(stream, lect, chunks, **options)
            shown = {"message": message, "chunks": chunks, "options": options}
            if not isinstance(streamed, Streamed):
                if not _same_error(whole, streamed):
                    fail("streamed, a message fails in another way", **shown, whole=whole, streamed=streamed)
                continue
            folded = fold(streamed.events)
            if folded.reply != streamed.reply.to_json():
                fail("ReplyEnd and parser.reply differ", **shown, event=folded.reply, reply=streamed.reply.to_json())
            if folded.reply != expected:
                fail("streamed, a message says something else", **shown, whole=expected, streamed=folded.reply)
            first = folded if first is None else first
            if folded != first:
                fail("events depend on where the text was cut", **shown, in_one=first, in_pieces=folded)

    return Outcome(examine(readings(lect, tools), body, examples=examples, seed=seed))


def _outcome(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | ParseError | LectError:
    try:
        return attempt(read, *args, **kwargs)
    except LectError as error:  # a prefix that the lect does not know, say
        return error


def _same_error(one: object, two: object) -> bool:
    if isinstance(one, ParseError) and isinstance(two, ParseError):
        return (one.reason, one.span) == (two.reason, two.span)
    return isinstance(one, LectError) and isinstance(two, LectError)
