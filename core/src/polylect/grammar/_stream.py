"""The stream interpreter: one generic generator over the tables, fed with chunks, yielding lists of events.

Free text runs to the first full *or partial* match of its delimiters: what comes before is certain and goes out at
once, the rest is held until it is decided. Nothing emitted is taken back, nothing is scanned twice, and a held tail is
no longer than the longest delimiter.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from .._values import AnswerDelta, ArgumentsDelta, ContentDelta, Event, ReasoningDelta, Reply, ReplyEnd
from . import _tables as t
from ._draft import CLOSED, CUT, JSON, MEMBERS, OPEN, TEXT, Cursor, Draft, Sink
from ._runtime import SKIP, Edge, Runtime, State, TextRun
from ._scan import ANSWER_JSON, ANSWER_TEXT, ARGUMENTS, HOLD, scan_brackets, scan_call, scan_payload

Machine = Generator[list[Event], str | None, None]

NAMES = {t.REASONING: "reasoning", t.CONTENT: "content", t.OBSERVATION: "observation"}
BIG = 512
"""From this many characters on, the buffer is searched for whole delimiters first and only its tail for partial ones."""


class Reader:
    """The state of one message that is being read. ``run`` is the machine; its fields change only between texts."""

    def __init__(self, runtime: Runtime, sink: Sink, prefix: str, start: int, length_cut: bool = False) -> None:
        self.runtime, self.sink = runtime, sink
        self.cursor = Cursor(prefix)
        self.draft = Draft(self.cursor, sink)
        self.state = start
        self.offset = len(prefix)
        self.cut_by_length = length_cut
        self.complete = True
        self.observed: int | None = None
        self.pieces: dict[int, list[tuple[int, int]]] = {t.REASONING: [], t.CONTENT: []}
        self.key = ""
        self.reply: Reply | None = None

    def run(self) -> Machine:
        """Yields events, is sent chunks, and None at the end."""
        cursor = self.cursor
        stuck = -1
        while True:
            if cursor.i >= len(cursor.c):
                if cursor.final:
                    break
                yield from self._refill()
                continue
            if self.observed is not None:
                yield from self._swallow()
                break
            state = self.runtime.state(self.state)
            chosen = self._choose(state)
            if chosen is None:
                yield from self._refill()
            elif isinstance(chosen, TextRun):
                yield from self._text(chosen, state)
            elif chosen[0] == "marker":
                self._marker(chosen[1], cursor.i, chosen[2])
            elif chosen[0] == "payload":
                yield from self._payload(chosen[1], chosen[2])
            else:
                at = cursor.base + cursor.i
                if stuck == at:  # what looked acceptable here was not: pass one character over
                    yield from self._text(state.skip, state, 1)
                elif not self._malformed(state):
                    stuck = at
                    yield from self._text(state.skip, state)
        self._end()
        yield cursor.out

    def _refill(self) -> Machine:
        """Deliver what is ready and take the next chunk behind what is held."""
        cursor = self.cursor
        d = yield cursor.out
        cursor.out = []
        if cursor.last < 0:
            cursor.last = 0
        i = cursor.i
        cursor.base += i
        if d is None:
            cursor.final = True
            cursor.c = cursor.c[i:]
        else:
            cursor.seen.append(d)
            cursor.c = cursor.c[i:] + d
        cursor.i = 0

    def _swallow(self) -> Machine:
        """After an invented observation: read to the end and drop it."""
        cursor = self.cursor
        cursor.i = len(cursor.c)
        while not cursor.final:
            yield from self._refill()
            cursor.i = len(cursor.c)

    def _choose(self, state: State) -> Any:
        """What stands at the cursor: a text, ("marker", edge, end), ("payload", name, edge), ("none",); None: wait."""
        cursor = self.cursor
        c, i, final = cursor.c, cursor.i, cursor.final
        for text in state.texts:
            guard = text.guard if final else text.guard_live
            if guard is not None:
                match = guard(c, i)
                if match is not None:
                    if not final and match.lastindex is None:
                        return None
                    continue
            match = _find(text, c, i, final)
            if match is None or match.start() > i:
                return text
            if match.lastindex is None:
                return None
            edge = text.here[match.lastindex]
            if edge is not None:
                return "marker", edge, match.end()
        match = (state.markers.plain if final else state.markers.live)(c, i)
        if match is not None:
            if match.lastindex is None:
                return None
            return "marker", state.markers.edges[match.lastindex], match.end()
        for payload in state.payloads:
            if c[i] in payload.first:
                return "payload", payload.name, payload.edge
        return ("none",)

    def _marker(self, edge: Edge, start: int, end: int) -> None:
        """Take the marker ``c[start:end]``."""
        cursor, draft = self.cursor, self.draft
        flags = edge.flags
        if flags:
            self._begin(flags, cursor.base + start, cursor.base + end)
            if flags & t.CALL_END:
                draft.finish(cursor.base + end, CLOSED)
        if flags & t.ANSWER_BEGIN:
            draft.begin_answer(cursor.base + start)
            draft.end_answer(cursor.base + end)
        cursor.i = end
        self.state = edge.target

    def _begin(self, flags: int, start: int, end: int) -> None:
        draft, sink = self.draft, self.sink
        if flags & t.CALL_END_BEFORE:
            draft.finish(start, CLOSED)
        if flags & t.OBSERVATION_BEGIN and sink.cut_observations:
            self.observed = start
            return
        if flags & t.CALL_BEGIN:
            draft.begin(start)
        if flags & t.ARGUMENTS_BEGIN:
            draft.form = TEXT
            draft.arguments = (end, end)

    def _malformed(self, state: State) -> bool:
        """A payload is due and something else stands there: the call is invalid; go on behind the payload."""
        draft, cursor = self.draft, self.cursor
        if not draft.open or not state.payloads or state.markers.names or draft.is_broken:
            return False
        edge = state.payloads[0].edge
        at = cursor.base + cursor.i
        draft.is_broken = True
        draft.form = JSON
        draft.arguments = (at, at)
        self.state = edge.target
        if edge.flags & t.CALL_END:
            draft.finish(at, CLOSED)
        return True

    def _payload(self, name: str, edge: Edge) -> Machine:
        cursor, draft = self.cursor, self.draft
        start = cursor.base + cursor.i
        if edge.flags:
            self._begin(edge.flags & ~t.ARGUMENTS_BEGIN, start, start)
        if name == "json_call":
            closed = yield from scan_call(draft, self.runtime.keys)
        else:
            scan = scan_brackets if name == "brackets" else scan_payload
            mode = ARGUMENTS if draft.started else HOLD
            if draft.is_answer:
                mode = ANSWER_TEXT if name == "brackets" or cursor.c[cursor.i] == '"' else ANSWER_JSON
            closed = yield from scan(draft, mode)
        end = cursor.base + cursor.i
        if not closed:
            self.complete = False
            draft.finish(end, CUT)
            self.state = edge.target
            return
        if edge.flags & t.CALL_END:
            draft.finish(end, CLOSED)
        self.state = edge.target

    def _text(self, text: TextRun, state: State, least: int = 0) -> Machine:
        """A run of free text, from the cursor to its delimiter. It has at least one character (or ``least``)."""
        cursor, draft, sink = self.cursor, self.draft, self.sink
        c, i, base, final, seen = cursor.c, cursor.i, cursor.base, cursor.final, cursor.seen
        role, flags, first, starts = text.role, text.edge.flags, text.first, text.starts
        begin = base + i
        if flags:
            self._begin(flags & ~(t.ARGUMENTS_BEGIN if draft.form == TEXT else 0), begin, begin)
            if flags & t.ANSWER_BEGIN:
                draft.begin_answer(begin)
            if self.observed is not None:
                return
        out, last, index = cursor.out, cursor.last, draft.index
        maker: Any = None
        separator = ""
        live = False
        if role == t.REASONING or role == t.CONTENT:
            maker = ReasoningDelta if role == t.REASONING else ContentDelta
            if self.pieces[role]:
                separator = sink.separators[role]
        elif role == t.ARGUMENTS:
            live = draft.started and sink.live
        held: list[str] = []
        search_from = i + least
        while True:
            # --- how far the text surely goes in this chunk
            n = len(c)
            j = search_from
            if first is not None:
                j = c.find(first, j)
            elif starts is not None:
                hit = starts(c, j)
                j = -1 if hit is None else hit.start()
            match = None
            if j >= 0:
                if final:
                    match = text.plain(c, j)
                elif n - j < BIG:
                    match = text.live(c, j)
                else:
                    match = text.certain(c, j)
                    if match is None or match.start() >= n - text.width:
                        match = text.live(c, max(j, n - text.width))
            stop = n if match is None else match.start()
            # --- what becomes of it
            if base + i < 0:
                i = min(stop, -base)
            if stop > i:
                piece = c[i:stop]
                end = base + stop
                if maker is not None:
                    out.append(maker(last, end, separator + piece))
                    separator = ""
                    last = end
                elif live:
                    out.append(ArgumentsDelta(last, end, index, piece))
                    last = end
                elif role == t.ARGUMENTS and draft.is_answer or role == t.ANSWER:
                    cursor.out, cursor.last = out, last
                    draft.answer_delta(piece, end)
                    last = cursor.last
                elif role == t.VALUE:
                    cursor.out, cursor.last = out, last
                    self._value_delta(piece, end, not held)
                    last = cursor.last
                    held.append(piece)
                else:
                    held.append(piece)
                    if role == t.ARGUMENTS and not draft.is_answer:
                        draft.held.append(piece)
            if match is not None and match.lastindex is not None:
                break
            if final:
                break
            # --- the next chunk
            base += stop
            d = yield out
            if last < 0:
                last = 0
            out = []
            if d is None:
                final = True
                c = c[stop:]
            elif stop < n:
                seen.append(d)
                c = c[stop:] + d
            else:
                seen.append(d)
                if first is not None:
                    if maker is not None:
                        while d and first not in d:
                            end = base + len(d)
                            event = maker(last, end, d)
                            base = last = end
                            d = yield [event]
                            if d is None:
                                break
                            seen.append(d)
                    elif live:
                        while d and first not in d:
                            end = base + len(d)
                            event = ArgumentsDelta(last, end, index, d)
                            base = last = end
                            d = yield [event]
                            if d is None:
                                break
                            seen.append(d)
                    elif role == t.ANSWER:
                        streamed = draft.streamed
                        while d and first not in d:
                            end = base + len(d)
                            event = AnswerDelta(last, end, d)
                            streamed.append(d)
                            base = last = end
                            d = yield [event]
                            if d is None:
                                break
                            seen.append(d)
                if d is None:
                    final = True
                    c = ""
                else:
                    c = d
            i = search_from = 0
        # --- the text is over at ``stop``
        cursor.c, cursor.i, cursor.base, cursor.final, cursor.out, cursor.last = c, stop, base, final, out, last
        end = base + stop
        self._text_end(role, begin, end, held)
        if role == SKIP:
            if match is not None:
                edge = text.here[match.lastindex]
                if edge is not None:
                    self._marker(edge, stop, match.end())
            return
        self.state = text.edge.target
        if flags & t.CALL_END:
            draft.finish(end, CLOSED if match is not None else CUT if self.cut_by_length else OPEN)
            if match is None and self.cut_by_length:
                self.complete = False
        if match is not None:
            edge = text.after[match.lastindex]
            if edge is not None:
                self._marker(edge, stop, match.end())

    def _text_end(self, role: int, begin: int, end: int, held: list[str]) -> None:
        draft = self.draft
        if role in self.pieces:
            if end > max(begin, 0):
                self.pieces[role].append((max(begin, 0), end))
                draft.parts.append((NAMES[role], max(begin, 0), end))  # type: ignore[arg-type]
        elif role == t.NAME:
            draft.set_name("".join(held), begin, end)
        elif role == t.ARGUMENTS:
            draft.form = TEXT
            draft.arguments = (begin, end)
        elif role == t.ANSWER:
            draft.end_answer(end)
        elif role == t.ID:
            draft.id = "".join(held).strip()
        elif role == t.KEY:
            self.key = "".join(held)
        elif role == t.VALUE:
            self._value_end("".join(held), end)
        elif role == t.OBSERVATION:
            draft.parts.append(("observation", max(begin, 0), end))
        elif role == SKIP:
            text = "".join(held)
            if text and not text.isspace():
                draft.note("skipped", "This text belongs nowhere in the tongue and was passed over.", begin, end)

    def _value_delta(self, piece: str, end: int, begins: bool) -> None:
        """Text of one argument: in ``raw`` and in the deltas it is the inside of a JSON string."""
        from json.encoder import encode_basestring as quote

        draft = self.draft
        text = quote(piece)[1:-1]
        if begins:
            text = f'{", " if draft.members else "{"}{quote(self.key)}: "{text}'
        self._member(text, end)

    def _member(self, text: str, end: int) -> None:
        draft, cursor = self.draft, self.cursor
        draft.member_raw.append(text)
        if draft.started and self.sink.live:
            cursor.out.append(ArgumentsDelta(cursor.last, end, draft.index, text))
            cursor.last = end
        else:
            draft.held.append(text)

    def _value_end(self, value: str, end: int) -> None:
        draft = self.draft
        self._member('"', end)
        draft.members = draft.members or {}
        draft.form = MEMBERS
        draft.members[self.key] = value

    def _end(self) -> None:
        """The message is over: close what is open, by the rules for ends."""
        cursor, draft = self.cursor, self.draft
        end = cursor.base + len(cursor.c)
        if self.observed is not None:
            draft.note("observation", "The model invented an observation; the text from there on was dropped.",
                       self.observed, end)  # fmt: skip
            draft.parts.append(("observation", max(self.observed, 0), end))
        else:
            self._close(end)
        text = "".join(cursor.seen)[self.offset :]
        self.reply = self._reply(text)
        cursor.out.append(ReplyEnd(cursor.last if cursor.last > 0 else 0, max(end, 0), self.reply))

    def _close(self, end: int) -> None:
        draft = self.draft
        state = self.runtime.state(self.state)
        if state.end is None and not self.cut_by_length:
            edge = self._stop_edge(state)
            if edge is not None:
                if edge.flags & t.CALL_END:
                    draft.finish(end, OPEN)
                state = self.runtime.state(edge.target)
        ended = state.end
        if ended is not None and not (self.cut_by_length and draft.open):
            if ended.flags & t.CALL_END_BEFORE:
                draft.finish(end, OPEN)
        else:
            self.complete = False
            if draft.open:
                draft.finish(end, CUT)
        if self.cut_by_length:
            self.complete = False
        if not self.complete and not any(x.code == "truncated" for x in draft.diagnostics):
            draft.note("truncated", "The message ends in the middle.", end, end)

    def _stop_edge(self, state: State) -> Edge | None:
        """The server took a stop string off the end: the marker that it was, if the message may end behind it."""
        for stop in self.sink.stops:
            match = state.markers.plain(stop, 0)
            if match is not None and match.end() == len(stop):
                edge = state.markers.edges[match.lastindex]
                if edge is not None and self.runtime.state(edge.target).end is not None:
                    return edge
        return None

    def _reply(self, text: str) -> Reply:
        draft, (reasoning, content) = self.draft, self.sink.separators
        return Reply(
            reasoning.join([text[a:b] for a, b in self.pieces[t.REASONING]]),
            content.join([text[a:b] for a, b in self.pieces[t.CONTENT]]),
            tuple(draft.calls),
            draft.final_answer(),
            tuple(draft.diagnostics),
            self.complete,
            tuple(draft.parts),
            text,
        )


def _find(text: TextRun, c: str, i: int, final: bool) -> Any:
    """The first delimiter of ``text`` at or behind ``i``, full or partial."""
    if final:
        return text.plain(c, i)
    n = len(c)
    if n - i < BIG:
        return text.live(c, i)
    match = text.certain(c, i)
    if match is not None and match.start() < n - text.width:
        return match
    return text.live(c, max(i, n - text.width))
