"""The stream interpreter: one generic generator over the tables, fed with chunks, yielding lists of events.

Free text runs to the first full *or partial* match of its delimiters: what comes before is certain and goes out at
once, the rest is held until it is decided. Nothing emitted is taken back, nothing is scanned twice, and a held tail is
no longer than the longest delimiter.

The loop keeps its position in local variables and writes it to the cursor only where other code needs it; inside free
text it does nothing but test and emit. A payload is read by a generator of its own, which is yielded to the driver
instead of being delegated to: a chunk then costs the same however deep the payload's reader is.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from .._values import AnswerDelta, ArgumentsDelta, ContentDelta, ReasoningDelta
from . import _tables as t
from ._draft import TEXT
from ._reader import BaseReader
from ._runtime import Edge, TextRun

Machine: TypeAlias = Generator[Any, Any, None]
"""Yields lists of events, or the reader of a payload, to be run first; is sent chunks (None: the end) or its result."""

BIG = 512
"""From this many characters on, the buffer is searched for whole delimiters first and only its tail for partial ones."""
USUAL = 64
"""Longer buffers are not asked for in the sets of usual beginnings: a set hashes all of what it is asked."""
MAKERS: dict[int, Any] = {t.REASONING: ReasoningDelta, t.CONTENT: ContentDelta, t.ANSWER: AnswerDelta}


def find(text: TextRun, c: str, i: int, final: bool) -> Any:
    """The first delimiter of ``text`` at or behind ``i``, full or partial (then ``lastindex`` is None)."""
    if text.first is not None:
        i = c.find(text.first, i)
        if i < 0:
            return None
    elif text.starts is not None:
        hit = text.starts(c, i)
        if hit is None:
            return None
        i = hit.start()
    if final:
        return text.plain(c, i)
    n = len(c)
    if n - i < BIG:
        return text.live(c, i)
    match = text.certain(c, i)
    if match is not None and match.start() < n - text.width:
        return match
    return text.live(c, max(i, n - text.width))


class Reader(BaseReader):
    """The state of one message that is being read; ``run`` is the machine."""

    def run(self) -> Machine:
        """The machine; see :data:`Machine`."""
        cursor, runtime, states = self.cursor, self.runtime, self.runtime.states
        seen = cursor.seen
        c, i, base, last, out, final = cursor.c, 0, cursor.base, cursor.last, cursor.out, False
        s = self.state
        stuck = blanked = -1
        if len(c) < 2:  # a lead is read together with the first chunk
            d = yield out
            if d is None:
                final = True
            else:
                seen.append(d)
                c += d
            last = 0
        while True:
            if i >= len(c) or self.observed is not None:
                if final:
                    break
                base += len(c)
                d = yield out
                out = []
                if last < 0:
                    last = 0
                i = 0
                if d is None:
                    final, c = True, ""
                else:
                    seen.append(d)
                    c = d
                continue
            state = states[s] or runtime.state(s)
            if state.blank >= 0 and (blanked == s or c[i] in " \t\r\n"):  # white space of the layout
                while i < len(c) and c[i] in " \t\r\n":
                    i += 1
                blanked = s
                if i < len(c):
                    s, blanked = state.blank, -1
                continue
            # --- what stands here: a text (with the first match of what ends it), a marker, a payload, nothing, or: wait
            text: TextRun | None = None
            edge: Edge | None = None
            match = None
            wait = False
            waiting = state.markers.beginnings
            for option in state.texts:
                guard = option.guard if final else option.guard_live
                if guard is not None and (match := guard(c, i)) is not None:
                    if not final and match.lastindex is None:
                        wait = True
                        break
                    continue
                if option.first is not None and c.find(option.first, i) < 0:
                    match = None
                elif not i and not final and len(c) < USUAL and c in option.beginnings:
                    wait = True
                    waiting = option.beginnings
                    break
                else:
                    match = find(option, c, i, final)
                if match is None or match.start() > i:
                    text = option
                elif match.lastindex is None:
                    wait = True
                    waiting = option.beginnings
                else:
                    edge = option.leads(match, False)
                    if edge is None:
                        continue
                break
            else:
                match = (state.markers.plain if final else state.markers.live)(c, i)
                if match is not None:
                    if match.lastindex is None:
                        wait = True
                    else:
                        markers = state.markers
                        edge = (markers.edges if final else markers.live_edges)[match.lastindex]
            if wait:
                base += i
                c = c[i:]
                i = 0
                while True:
                    d = yield out
                    out = []
                    if d is None:
                        final = True
                        break
                    seen.append(d)
                    c += d
                    if c not in waiting:
                        break
                if last < 0:
                    last = 0
                continue
            if edge is None and text is None:
                cursor.c, cursor.i, cursor.base, cursor.final = c, i, base, final
                cursor.out, cursor.last = out, last
                payload = next((p for p in state.payloads if c[i] in p.first), None)
                if payload is not None:
                    closed = yield self.payload_begins(payload)
                    self.payload_ends(payload, closed)
                    s = payload.edge.target
                elif stuck == base + i:  # what looked acceptable here was not: pass one character over
                    self.skipped(base + i, base + i + 1)
                    cursor.i += 1
                elif (target := self.malformed(state)) >= 0:
                    s = target
                else:
                    stuck = base + i
                    text = state.skip
                    match = find(text, c, i, final)
                c, i, base, final, out, last = (
                    cursor.c, cursor.i, cursor.base, cursor.final, cursor.out, cursor.last,
                )  # fmt: skip
                if text is None:
                    continue
            if text is not None:
                # --- a run of text to its delimiter
                role, first, starts, usual = text.role, text.first, text.starts, text.beginnings
                begin = base + i
                if text.begins:
                    cursor.c, cursor.base, cursor.out, cursor.last = c, base, out, last
                    self.begin(text.begins, begin, begin)
                    out, last = cursor.out, cursor.last
                maker = MAKERS.get(role)
                separator = ""
                if maker is not None:
                    cursor.c, cursor.base = c, base
                    separator = self.text_begins(role, begin)
                live = role == t.ARGUMENTS and self.is_live
                held: list[str] = []
                while True:
                    n = len(c)
                    stop = n if match is None else match.start()
                    if base + i < 0:  # what the prompt wrote is no part of the message
                        i = min(stop, -base)
                    if stop > i:
                        piece = c[i:stop]
                        end = base + stop
                        if maker is not None:
                            out.append(maker(last, end, separator + piece if separator else piece))
                            separator = ""
                            last = end
                        elif live:
                            out.append(ArgumentsDelta(last, end, self.draft.index, piece))
                            last = end
                        else:
                            held.append(piece)
                            if role == t.ARGUMENTS or role == t.VALUE:
                                cursor.out, cursor.last = out, last
                                self.piece(role, piece, end, len(held) == 1)
                                last = cursor.last
                    if final or (match is not None and match.lastindex is not None):
                        break
                    base += stop
                    d = yield out
                    out = []
                    if last < 0:
                        last = 0
                    if d is None:
                        final, c = True, c[stop:]
                    elif stop < n:
                        seen.append(d)
                        c = c[stop:] + d
                    else:
                        seen.append(d)
                        if maker is not None:
                            if first is not None:
                                while d and first not in d:
                                    base += len(d)
                                    d = yield [maker(last, base, d)]
                                    last = base
                                    if d is None:
                                        break
                                    seen.append(d)
                            elif starts is not None:
                                while d and starts(d) is None:
                                    base += len(d)
                                    d = yield [maker(last, base, d)]
                                    last = base
                                    if d is None:
                                        break
                                    seen.append(d)
                        elif live and first is not None:
                            index = self.draft.index
                            while d and first not in d:
                                base += len(d)
                                d = yield [ArgumentsDelta(last, base, index, d)]
                                last = base
                                if d is None:
                                    break
                                seen.append(d)
                        if d is None:
                            final, c = True, ""
                        else:
                            c = d
                    i = 0
                    if len(c) < USUAL:
                        while not final and c in usual:
                            d = yield out
                            out = []
                            if d is None:
                                final = True
                            else:
                                seen.append(d)
                                c += d
                    match = None
                    if first is not None:
                        j = c.find(first)
                        if j >= 0:
                            match = text.live(c, j) if not final and len(c) - j < BIG else find(text, c, j, final)
                    elif final or len(c) > BIG:
                        match = find(text, c, 0, final)
                    else:
                        match = text.live(c)
                i = stop
                cursor.c, cursor.i, cursor.base, cursor.final = c, i, base, final
                cursor.out, cursor.last = out, last
                end = base + stop
                self.text_ends(role, begin, end, held)
                if text.edge.target >= 0:
                    s = text.edge.target
                    if text.edge.flags & t.CALL_END:
                        self.call_ends(end, match is None)
                out, last = cursor.out, cursor.last
                edge = None if match is None else text.leads(match, True)
                if edge is None:
                    continue
            # --- a marker
            assert edge is not None and match is not None
            if edge.flags == t.ARGUMENTS_BEGIN:
                draft = self.draft
                draft.form = TEXT
                draft.arguments = (base + match.end(), base + match.end())
            elif edge.flags:
                cursor.c, cursor.base, cursor.out, cursor.last = c, base, out, last
                self.marker(edge.flags, base + match.start(), base + match.end())
                out, last = cursor.out, cursor.last
            i = match.end()
            s = edge.target
        cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final = c, len(c), base, out, last, True
        self.state = s
        self.end()
        yield cursor.out
