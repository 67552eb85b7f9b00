"""The interpreter for whole messages: the same tables, positions only, no events.

It reads well-formed messages and gives up (None) at anything else: a cut, disorder, a malformed payload, an invented
observation. The stream interpreter then reads the text from the start, so that there is one definition of every
irregular case, and a message costs at most two passes.
"""

from __future__ import annotations

import json
import re
from typing import Any

from .._values import Call, Diagnostic, Part, Reply
from . import _tables as t
from ._draft import CLOSED, JSON, MISSING, NO_ARGUMENTS, OPEN, TEXT, Sink
from ._runtime import Runtime

_TEXT, _MARKS = range(2)


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse)
"""JSON as we read it: raw control characters in strings are taken (models write them), NaN and Infinity are not
(no tool can be sent them), of duplicate keys the last one counts."""
_decode = DECODER.raw_decode
_BLANK = re.compile(r"[ \t\r\n]++").match
_OBJECT_END = re.compile(r"[ \t\r\n]*+\}").match


def state_row(runtime: Runtime, number: int) -> tuple[Any, ...] | None:
    """A state as one flat tuple; None for states that only the stream interpreter knows."""
    state = runtime.state(number)
    texts = [text for text in state.texts if not text.is_blank]
    blanks = [text for text in state.texts if text.is_blank]
    if len(texts) > 1 or len(blanks) > 1 or len(state.payloads) > 1:
        return None
    payload = state.payloads[0] if state.payloads else None
    marks = (state.markers.plain, state.markers.edges) if state.markers.names else (None, ())
    blank = (_BLANK, blanks[0].edge.target) if blanks else (None, 0)
    if not texts:
        return _MARKS, marks[0], marks[1], payload, state.end, *blank
    text = texts[0]
    if text.role in (t.ID, t.KEY, t.VALUE, t.OBSERVATION):
        return None
    if blanks and (text.guard is None or any(text.guard(char) is None for char in " \t\r\n")):
        return None
    return (
        _TEXT, marks[0], marks[1], payload, state.end, *blank,
        text.plain, text.guard, text.role, text.edge.flags, text.here, text.after, text.edge.target,
    )  # fmt: skip


def _brackets_end(text: str, at: int) -> int:
    """Behind the bracket that closes the one at ``at``, or -1."""
    depth = 0
    for match in _SQUARE(text, at):
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.end()
    return -1


_SQUARE = re.compile(r"[\[\]]").finditer


class Whole:
    """A compiled grammar's reader of whole messages, from one start state."""

    def __init__(self, runtime: Runtime, start: int) -> None:
        self.runtime, self.start = runtime, start
        count = len(runtime.tables.states)
        self.rows: list[tuple[Any, ...] | None] = [None] * count
        self.known = [False] * count
        self.envelope: Any = None
        names = [key for key, role in runtime.keys.items() if role == "name"]
        arguments = [key for key, role in runtime.keys.items() if role == "arguments"]
        if names and arguments:
            self.envelope = re.compile(
                rf'\{{[ \t\r\n]*+"{re.escape(names[0])}"[ \t\r\n]*+:[ \t\r\n]*+"([^"\\]*+)"[ \t\r\n]*+,'
                rf'[ \t\r\n]*+"{re.escape(arguments[0])}"[ \t\r\n]*+:[ \t\r\n]*+'
            ).match

    def _row(self, number: int) -> tuple[Any, ...] | None:
        if not self.known[number]:
            self.rows[number] = state_row(self.runtime, number)
            self.known[number] = True
        return self.rows[number]

    def parse(self, original: str, lead: str, sink: Sink) -> Reply | None:
        """The reply that ``original`` is when it stands behind ``lead``; None when it is not well-formed."""
        text = lead + original if lead else original
        off = len(lead)
        end_of_text = len(text)
        rows = self.rows
        pos = 0
        s = self.start
        reasoning = content = name = answer = None
        calls: list[Call] = []
        parts: list[Part] = []
        diagnostics: list[Diagnostic] = []
        call_start = -1
        form = NO_ARGUMENTS
        raw = ""
        value = MISSING
        is_answer = False
        while True:
            row = rows[s] or self._row(s)
            if row is None:
                return None
            edge = None
            if row[5] is not None:
                match = row[5](text, pos)
                if match is not None:
                    pos = match.end()
                    s = row[6]
                    continue
            if row[0] == _TEXT and pos < end_of_text and (row[8] is None or row[8](text, pos) is None):
                match = row[7](text, pos)
                stop = end_of_text if match is None else match.start()
                if stop > pos:
                    role, flags = row[9], row[10]
                    if flags:
                        if flags & (t.ANSWER_BEGIN | t.OBSERVATION_BEGIN):
                            return None
                        if flags & t.CALL_END_BEFORE:
                            if is_answer:
                                return None
                            calls.append(
                                sink.call(
                                    name or "", form, raw, value, None, call_start, pos - off, CLOSED, diagnostics
                                )
                            )
                            parts.append(("call", call_start, pos - off))
                            call_start = -1
                        if flags & t.CALL_BEGIN:
                            call_start = pos - off if pos > off else 0
                            name, form, raw, value, is_answer = None, NO_ARGUMENTS, "", MISSING, False
                    piece = text[pos:stop] if pos >= off else text[off:stop]
                    if not piece:
                        role = t.MARKUP
                    if role == t.ARGUMENTS:
                        form, raw = TEXT, piece
                    elif role == t.NAME:
                        name = sink.name(piece, pos, stop, diagnostics)
                        is_answer = sink.is_answer(name)
                    elif role == t.REASONING:
                        if reasoning is None:
                            reasoning = piece
                        else:
                            reasoning += sink.separators[0] + piece
                        parts.append(("reasoning", pos - off if pos > off else 0, stop - off))
                    elif role == t.CONTENT:
                        if content is None:
                            content = piece
                        else:
                            content += sink.separators[1] + piece
                        parts.append(("content", pos - off if pos > off else 0, stop - off))
                    elif role == t.ANSWER:
                        answer = piece
                        parts[-1] = ("answer", parts[-1][1], stop - off)
                    s = row[13]
                    pos = stop
                    if flags & t.CALL_END:
                        if is_answer:
                            return None
                        ending = OPEN if match is None else CLOSED
                        calls.append(
                            sink.call(name or "", form, raw, value, None, call_start, pos - off, ending, diagnostics)
                        )
                        parts.append(("call", call_start, pos - off))
                        call_start = -1
                    if match is None:
                        continue
                    edge = row[12][match.lastindex]
                else:
                    edge = row[11][match.lastindex]
                if edge is None:
                    row = rows[s] or self._row(s)
                    if row is None:
                        return None
                    if row[0] == _TEXT and stop > pos:
                        return None
            elif pos == end_of_text:
                end = row[4]
                if end is None:
                    return None
                if end.flags & t.CALL_END_BEFORE:
                    if is_answer:
                        return None
                    calls.append(
                        sink.call(name or "", form, raw, value, None, call_start, pos - off, OPEN, diagnostics)
                    )
                    parts.append(("call", call_start, pos - off))
                break
            if edge is None:
                match = row[1](text, pos) if row[1] is not None else None
                if match is not None:
                    edge = row[2][match.lastindex]
            if edge is not None:
                flags = edge.flags
                s = edge.target
                stop = match.end()
                if flags:
                    start = match.start()
                    if flags & t.OBSERVATION_BEGIN:
                        return None
                    if flags & t.CALL_END_BEFORE:
                        if is_answer:
                            return None
                        calls.append(
                            sink.call(name or "", form, raw, value, None, call_start, start - off, CLOSED, diagnostics)
                        )
                        parts.append(("call", call_start, start - off))
                        call_start = -1
                    if flags & t.CALL_BEGIN:
                        call_start = start - off if start > off else 0
                        name, form, raw, value, is_answer = None, NO_ARGUMENTS, "", MISSING, False
                    if flags & t.ANSWER_BEGIN:
                        if answer is not None:
                            return None
                        answer = ""
                        parts.append(("answer", start - off if start > off else 0, stop - off))
                    if flags & t.ARGUMENTS_BEGIN:
                        form = TEXT
                    if flags & t.CALL_END:
                        if is_answer:
                            if answer is not None or form == NO_ARGUMENTS:
                                return None
                            answer = sink.answer(form, raw, value)
                            parts.append(("answer", call_start, stop - off))
                            is_answer = False
                        else:
                            calls.append(
                                sink.call(
                                    name or "", form, raw, value, None, call_start, stop - off, CLOSED, diagnostics
                                )
                            )
                            parts.append(("call", call_start, stop - off))
                        call_start = -1
                pos = stop
                continue
            payload = row[3]
            if payload is None or pos >= end_of_text or text[pos] not in payload.first:
                return None
            edge = payload.edge
            flags = edge.flags
            if flags & (t.CALL_END_BEFORE | t.ANSWER_BEGIN):
                return None
            if flags & t.CALL_BEGIN:
                call_start = pos - off if pos > off else 0
                name, is_answer = None, False
            at = pos
            if payload.name == "brackets":
                pos = _brackets_end(text, pos)
                if pos < 0:
                    return None
                form, raw, value = TEXT, text[at + 1 : pos - 1], MISSING
                at = -1
            elif payload.name == "json_call":
                match = None if self.envelope is None else self.envelope(text, pos)
                if match is None:
                    return None
                name = sink.name(match[1], pos, match.end(), diagnostics)
                is_answer = sink.is_answer(name)
                at = match.end()
            if at >= 0:
                try:
                    value, pos = _decode(text, at)
                except (ValueError, RecursionError):
                    return None
                form, raw = JSON, text[at:pos]
            if payload.name == "json_call":
                match = _OBJECT_END(text, pos)
                if match is None:
                    return None
                pos = match.end()
            if flags & t.CALL_END:
                if is_answer:
                    if answer is not None:
                        return None
                    answer = sink.answer(form, raw, value)
                    parts.append(("answer", call_start, pos - off))
                    is_answer = False
                else:
                    calls.append(
                        sink.call(name or "", form, raw, value, None, call_start, pos - off, CLOSED, diagnostics)
                    )
                    parts.append(("call", call_start, pos - off))
                call_start = -1
            s = edge.target
        return Reply(
            reasoning or "", content or "", tuple(calls), answer, tuple(diagnostics), True, tuple(parts), original
        )
