"""Law 4, nothing lost: spans tile the input; reasoning and content are the input, verbatim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .._errors import LectError, ParseError
from .._values import ContentDelta, ReasoningDelta, Reply
from ._law_2_any_cut import Case, readings
from ._replies import Tools
from ._run import EXAMPLES, Outcome, examine, fail, find
from ._same import same_value
from ._stream import Streamed, stream
from ._texts import pieces

if TYPE_CHECKING:
    from .._lect import Lect

SEPARATOR = 2
"""Characters of white space that may join two pieces of one role (a blank line)."""


def law_4_nothing_lost(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """Every character of the input lies in the span of exactly one event, in order; texts stand where they say.

    Raises:
        AssertionError: a gap, an overlap, or a text that is not what stands at its span.
    """
    lect = find(lect)

    def body(case: Case) -> None:
        message, sizes, options = case
        options = {name: value for name, value in options.items() if name != "prefix"}
        try:
            streamed = stream(lect, pieces(lect, message, sizes), **options)
        except (LectError, ParseError):
            return
        try:
            if isinstance(message, str) and streamed.reply.text != message:
                fail("reply.text is not the text that was read", text=streamed.reply.text)
            _events_tile(streamed)
            _parts_stand_where_they_say(streamed.reply, nested=options.get("reasoning_calls") == "accept")
            _calls_stand_where_they_say(streamed.reply, lect)
        except AssertionError as error:
            fail(str(error), message=message, sizes=sizes, options=options)

    return Outcome(examine(readings(lect, tools), body, examples=examples, seed=seed))


def _events_tile(streamed: Streamed) -> None:
    text, at, seen = streamed.reply.text, 0, set[type]()
    for event in streamed.events:
        if event.start != at or event.end < event.start:
            fail(f"the events' spans leave a gap or overlap at {at}", event=event)
        at = event.end
        if isinstance(event, (ReasoningDelta, ContentDelta)):
            if not _stands_at_end(event.text, text[event.start : event.end], again=type(event) in seen):
                fail("a delta's text is not at the end of its span", event=event, at_its_span=text[event.start : at])
            seen.add(type(event))
    if at != len(text):
        fail(f"the events' spans end at {at}, the text at {len(text)}", last_of_the_text=text[at:])


def _stands_at_end(delta: str, span: str, *, again: bool) -> bool:
    """Whether ``span`` ends with ``delta``; ``again``: save a separator, which stands between pieces of one role."""
    if span.endswith(delta):
        return True
    return again and any(
        delta[:length].isspace() and span.endswith(delta[length:]) for length in range(1, SEPARATOR + 1)
    )


def _parts_stand_where_they_say(reply: Reply, *, nested: bool) -> None:
    """``nested``: calls may stand inside of the reasoning."""
    at = 0
    for role, start, end in reply.parts:
        if nested and role == "call":
            continue
        if not at <= start <= end <= len(reply.text):
            fail("a part of the reply overlaps another, or lies outside of the text", part=(role, start, end))
        at = end
    for role, said in (("reasoning", reply.reasoning), ("content", reply.content)):
        pieces = [reply.text[start:end] for name, start, end in reply.parts if name == role and end > start]
        if not _joins(pieces, said):
            fail(f"the {role} is not what stands at its spans", reply=said, at_its_spans=pieces)


def _joins(pieces: list[str], whole: str) -> bool:
    """Whether ``whole`` is ``pieces`` in order, with at most a separator between two of them."""
    places = {0}  # a piece that begins like a separator may stand in two places
    for number, piece in enumerate(pieces):
        places = {
            at + length + len(piece)
            for at in places
            for length in range(SEPARATOR + 1 if number else 1)
            if not whole[at : at + length].strip() and whole.startswith(piece, at + length)
        }
    return len(whole) in places


def _calls_stand_where_they_say(reply: Reply, lect: Lect) -> None:
    made = getattr(lect, "typed_members", False) or getattr(lect, "converts", False)
    nothing = getattr(lect, "empty_arguments", "")
    at = 0
    for call in reply.calls:
        if not at <= call.start <= call.end <= len(reply.text):
            fail("the span of a call overlaps another, or lies outside of the text", call=call, span=call.span)
        at = call.end
        if lect.messages or call.raw == nothing or call.raw in reply.text[call.start : call.end]:
            continue
        if not made:
            fail("a call's raw text does not stand in its span", raw=call.raw, at=reply.text[call.start : call.end])
        if call.status == "complete" and not _says(call.raw, call.arguments):
            fail("a call's raw text is neither in its span nor the JSON of its arguments", call=call, raw=call.raw)
    for diagnostic in reply.diagnostics:
        if not 0 <= diagnostic.start <= diagnostic.end <= len(reply.text):
            fail("the span of a diagnostic lies outside of the text", diagnostic=diagnostic)


def _says(raw: str, arguments: Any) -> bool:
    """Whether JSON text has this value; of keys that stand twice the last counts."""
    try:
        return same_value(json.loads(raw), arguments)
    except ValueError:
        return False
