"""Running golden cases: whole, one character at a time, and in random pieces."""

from __future__ import annotations

import json
import random
import zlib
from typing import TYPE_CHECKING, Any

from .._errors import ParseError
from .._policies import CHOICES
from .._values import AgentFinish, Call, Reply
from ._cases import Case
from ._replies import Tools
from ._run import attempt, fail, find
from ._same import same_value
from ._stream import stream
from ._texts import ALL_AT_ONCE, ONE_BY_ONE, Message, pieces

if TYPE_CHECKING:
    from .._lect import Lect

RANDOM_CUTS = 5
FIELDS: dict[str, Any] = {"reasoning": "", "content": "", "answer": None, "complete": True}
"""What a reply says when a case does not mention it."""
KEYS = frozenset({*FIELDS, "calls", "diagnostics", "decision", "error", "with"})


def run_case(case: Case, lect: Lect | str, *, tools: Tools = None) -> None:
    """Read the case's first block with ``lect`` and compare with its second, which is a JSON object.

    The first block is the text, or, in tongues of messages, the JSON of the message. Keys of the second:

    - ``reasoning``, ``content``, ``answer``, ``complete``, ``calls``: what the reply says; left out, they are empty
      (``complete``: true). A call has ``name``, ``arguments`` and ``status`` (left out: ``complete``), and ``raw``,
      ``id`` and ``error`` where they matter.
    - ``error``: in their place, the reason of the ParseError.
    - ``diagnostics``: the list of their codes, in order. Not compared when left out.
    - ``decision``: ``[[tool, input], …]``, the return values of a finish, or the reason of the ParseError. Not
      compared when left out.
    - ``with``: options of ``parse``: policies, ``finish_reason``, ``prefix``.

    Raises:
        AssertionError: the case does not come out so, or not in every cut; the message begins with line and title.
        ValueError: the second block is no such object.
    """
    lect = find(lect)
    where = f"line {case.line}, {case.title!r}"
    text, expected = case.fields[0], _expected(case, where)
    message: Message = json.loads(text) if lect.messages else text
    options = dict(expected.get("with", {}))
    policies = {name: value for name, value in options.items() if name in CHOICES}
    whole = attempt(lect.parse, message, tools=tools, **options)
    if isinstance(whole, ParseError):
        if whole.reason != expected.get("error"):
            fail(f"{where}: does not parse", wanted=expected, error=whole)
    else:
        _compare(whole, expected, where)
        if "decision" in expected:
            _compare_decision(lect, whole, policies, expected["decision"], where)
    for sizes in _cuttings(case):
        chunks = pieces(lect, message, sizes)
        streamed = attempt(stream, lect, chunks, tools=tools, **options)
        if _outcome(whole) != (_outcome(streamed) if isinstance(streamed, ParseError) else streamed.reply.to_json()):
            fail(f"{where}: streamed, it comes out otherwise", chunks=chunks, whole=whole, streamed=streamed)


def _expected(case: Case, where: str) -> dict[str, Any]:
    try:
        expected = json.loads(case.fields[1])
    except ValueError as error:
        raise ValueError(f"{where}: the second block is not JSON: {error}") from None
    if not isinstance(expected, dict) or not expected.keys() <= KEYS:
        raise ValueError(f"{where}: the second block is not a JSON object with keys of {', '.join(sorted(KEYS))}")
    return expected


def _cuttings(case: Case) -> list[tuple[int, ...]]:
    draw = random.Random(zlib.crc32(case.title.encode()))  # the same cuts in every run
    some = [tuple(draw.choices(range(1, 12), k=7)) for _ in range(RANDOM_CUTS)]
    return [ALL_AT_ONCE, ONE_BY_ONE, *some]


def _outcome(read: Reply | ParseError) -> Any:
    return (read.reason, read.span) if isinstance(read, ParseError) else read.to_json()


def _compare(reply: Reply, expected: dict[str, Any], where: str) -> None:
    if "error" in expected:
        fail(f"{where}: parses, but should not", wanted=expected, reply=reply)
    for name, default in FIELDS.items():
        wanted, said = expected.get(name, default), getattr(reply, name)
        if not same_value(wanted, said):
            fail(f"{where}: {name} differs", wanted=wanted, got=said, reply=reply)
    wanted_calls = expected.get("calls", [])
    if len(wanted_calls) != len(reply.calls):
        fail(f"{where}: {len(reply.calls)} calls instead of {len(wanted_calls)}", reply=reply)
    for wanted, call in zip(wanted_calls, reply.calls, strict=True):
        _compare_call({"name": "", "arguments": None, "status": "complete", **wanted}, call, where)
    codes = [diagnostic.code for diagnostic in reply.diagnostics]
    if expected.get("diagnostics", codes) != codes:
        fail(f"{where}: diagnostics differ", wanted=expected["diagnostics"], got=list(reply.diagnostics))


def _compare_call(wanted: dict[str, Any], call: Call, where: str) -> None:
    for key, value in wanted.items():
        if not same_value(value, getattr(call, key)):
            fail(f"{where}: {key} of a call differs", wanted=value, got=getattr(call, key), call=call)


def _compare_decision(lect: Lect, reply: Reply, policies: dict[str, Any], wanted: object, where: str) -> None:
    decision = attempt(lect.decide, reply, **policies)
    got: object
    if isinstance(decision, ParseError):
        got = decision.reason
    elif isinstance(decision, AgentFinish):
        got = decision.return_values
    else:
        got = [[action.tool, action.tool_input] for action in decision]
    if not same_value(wanted, got):
        fail(f"{where}: the decision differs", wanted=wanted, got=got, reply=reply)
