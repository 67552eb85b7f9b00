"""Law 3, finality: what a parser has emitted is never taken back."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from .._errors import LectError, ParseError
from .._values import ArgumentsDelta, Call, CallEnd, CallStart
from ._law_2_any_cut import Case, readings
from ._replies import Tools
from ._run import EXAMPLES, Outcome, examine, fail, find
from ._stream import DELTAS, Streamed, stream
from ._texts import pieces

if TYPE_CHECKING:
    from .._lect import Lect


def law_3_finality(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """At every moment, the deltas so far are the beginning of the end result; at the end, they are all of it.

    Reasoning, content and a text answer are compared with the reply's fields; a call's argument deltas, name and id
    with the call that ended; the calls that ended, with the calls of the reply (those cut short may be left out).

    Raises:
        AssertionError: something emitted is not part of the reply, or something of the reply was not emitted.
    """
    lect = find(lect)

    def body(case: Case) -> None:
        message, sizes, options = case
        try:
            streamed = stream(lect, pieces(lect, message, sizes), **options)
        except (LectError, ParseError):
            return
        try:
            _texts_are_final(streamed)
            _calls_are_final(streamed)
        except AssertionError as error:
            fail(str(error), message=message, sizes=sizes, options=options)

    return Outcome(examine(readings(lect, tools), body, examples=examples, seed=seed))


def _texts_are_final(streamed: Streamed) -> None:
    reply = streamed.reply
    final = {"reasoning": reply.reasoning, "content": reply.content}
    if reply.answer is None or isinstance(reply.answer, str):
        final["answer"] = reply.answer or ""
    so_far = dict.fromkeys(final, "")
    for event in streamed.events:
        name = DELTAS.get(type(event))
        if name in final:
            so_far[name] += getattr(event, "text", "")
            if not final[name].startswith(so_far[name]):
                fail(f"{name} that was emitted was taken back", emitted=so_far[name], in_the_end=final[name])
    for name, text in final.items():
        if so_far[name] != text:
            fail(f"not all {name} was emitted", emitted=so_far[name], in_the_end=text)


def _calls_are_final(streamed: Streamed) -> None:
    raw: defaultdict[int, str] = defaultdict(str)
    starts: dict[int, CallStart] = {}
    ended: list[Call] = []
    for event in streamed.events:
        if isinstance(event, CallStart):
            starts[event.index] = event
        elif isinstance(event, ArgumentsDelta):
            raw[event.index] += event.text
        elif isinstance(event, CallEnd):
            start, call = starts.get(event.index), event.call
            if start is None or start.name != call.name or start.id not in (None, call.id):
                fail("a call ended under another name or id than it started", start=start, call=call)
            if raw[event.index] != call.raw:
                fail("the argument deltas are not the call's raw text", emitted=raw[event.index], raw=call.raw)
            ended.append(call)
    kept = [[call.to_json() for call in calls if call.status != "truncated"] for calls in (ended, streamed.reply.calls)]
    if kept[0] != kept[1]:
        fail("the calls that ended are not the calls of the reply", ended=kept[0], in_the_reply=kept[1])
