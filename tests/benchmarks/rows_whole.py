"""Whole messages: short ones against LangChain's parsers, JSON calls against ``json.loads``."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from . import floors, ours, peers, samples
from .rows import Pair, Row, compared
from .timing import Candidate, repeatable

SHORT_BARS = {"react": 1.0, "json_blob": 0.8, "xml_tags": 0.8, "tool_calls": 0.8}
SMALL_JSON_BAR = 2.5
LARGE_JSON_BAR = 1.3

PARSE, DECIDE = "parse", "parse and decide"


def _ours(lect: str, message: Any, kind: str) -> dict[str, Candidate]:
    """Our two candidates: to a reply, which the bar is about, and on to the decision, which is what LangChain gives."""
    tongue = ours.lect(lect)
    parse, decide = tongue.parse, tongue.decide
    check = ours.answered if kind == "finish" else ours.called
    return {PARSE: repeatable(partial(parse, message), check), DECIDE: repeatable(lambda: decide(parse(message)))}


def _pairs(lect: str, kind: str, titles: list[str]) -> list[Pair]:
    """One barred row per peer, and one informative row, up to the decision, against the first."""
    rows = [Pair(f"`{lect}`, a {kind}", PARSE, title, SHORT_BARS[lect]) for title in titles]
    return [*rows, Pair(f"`{lect}`, a {kind}, to the decision", DECIDE, titles[0])]


def short_text(with_ours: bool) -> Iterator[Row]:
    """Short text messages, each against LangChain's parser of the same paradigm."""
    for message in samples.SHORT_MESSAGES:
        title, make = peers.TEXT_PARSERS[message.lect]
        check = peers.acted if message.calls else peers.finished
        candidates = {title: repeatable(partial(make(), message.text), check)}
        pairs = _pairs(message.lect, message.kind, [title])
        if message.lect == "react" and message.kind == "call":
            loop = "a plain `re` loop"
            candidates[loop] = repeatable(partial(floors.regex_loop, message.text))
            pairs += [
                Pair("`react`, a call, against the regex floor", PARSE, loop),
                Pair("LangChain's parser against the regex floor", title, loop),
            ]
        if with_ours:
            candidates = _ours(message.lect, message.text, message.kind) | candidates
        yield from compared(candidates, pairs)


def short_messages(with_ours: bool) -> Iterator[Row]:
    """Short provider messages against LangChain's parser of native calls, in the forms that reach it."""
    raw, ready, built = "LangChain, raw JSON text", "LangChain, ready tool_calls", "LangChain, AIMessage and parser"
    call = peers.ToolMessages(samples.TOOL_CALLS_CALL)
    candidates = {
        raw: repeatable(call.parse_raw(), peers.acted),
        ready: repeatable(call.parse_ready(), peers.acted),
        built: repeatable(call.build_and_parse(), peers.acted),
    }
    if with_ours:
        candidates = _ours("tool_calls", samples.TOOL_CALLS_CALL, "call") | candidates
    pairs = [*_pairs("tool_calls", "call", [raw, ready]), Pair("`tool_calls`, a call, all the way", PARSE, built)]
    yield from compared(candidates, pairs)

    title = "LangChain ToolsAgentOutputParser"
    finish = peers.ToolMessages(samples.TOOL_CALLS_FINISH)
    candidates = {title: repeatable(finish.parse_ready(), peers.finished)}
    if with_ours:
        candidates = _ours("tool_calls", samples.TOOL_CALLS_FINISH, "finish") | candidates
    yield from compared(candidates, _pairs("tool_calls", "finish", [title]))


def short(with_ours: bool) -> Iterator[Row]:
    """All short messages."""
    yield from short_text(with_ours)
    yield from short_messages(with_ours)


def _same_arguments(body: str) -> Callable[[Any], str | None]:
    def check(reply: Any) -> str | None:
        if fault := ours.wrote(reply):
            return fault
        same = reply.calls[0].arguments == json.loads(body)["action_input"]
        return None if same else "the arguments of the reply are not what was sent"

    return check


def whole_json(with_ours: bool) -> Iterator[Row]:
    """A bare JSON call, small and large, against ``json.loads`` of the same text."""
    bodies = [
        ("300 bytes", samples.small_blob(), SMALL_JSON_BAR),
        ("64 KiB, 1 in 6 escaped", samples.sized_blob(64 * samples.KIB), LARGE_JSON_BAR),
        ("1 MiB, 1 in 6 escaped", samples.sized_blob(1024 * samples.KIB), LARGE_JSON_BAR),
    ]
    for title, body, bar in bodies:
        candidates = {"json.loads": repeatable(partial(json.loads, body))}
        if with_ours:
            parse = partial(ours.lect("json_blob").parse, body)
            candidates = {PARSE: repeatable(parse, _same_arguments(body))} | candidates
        yield from compared(candidates, [Pair(f"`json_blob`, {title}", PARSE, "json.loads", bar)])
