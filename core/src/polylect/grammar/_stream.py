"""The stream interpreter: one generic generator over the tables, fed with chunks, yielding lists of events.

Free text runs to the first full *or partial* match of its delimiters: what comes before is certain and goes out at
once, the rest is held until it is decided. Nothing emitted is taken back, nothing is scanned twice, and a held tail is
no longer than the longest delimiter.

The loop keeps its position in local variables and writes it to the cursor only where other code needs it; inside free
text it does nothing but test and emit. What was held is not searched again with each chunk: it is looked up among the
buffers that are known to be undecided, and what comes next is followed from there, see
:class:`polylect.grammar._live.Undecided`. A payload is read by a generator of its own, which takes the machine's place
at the driver where it goes on behind a chunk: a chunk then costs the same whoever reads it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from .._values import ArgumentsDelta, Event
from . import _tables as t
from ._draft import TEXT
from ._far import BIG
from ._halves import drop_half_marker, only_at_end
from ._live import NEAR, NOTHING, REFUTED, USUAL, LiveState, LiveText, Pair, enter
from ._reader import PARTS, BaseReader, Choice
from ._runtime import Edge

Machine: TypeAlias = Generator[list[Event], Any, None]
"""Is sent its driver, then chunks (None: the end), and what a payload's reader returned."""


class Reader(BaseReader):
    """The state of one message that is being read; ``run`` is the machine."""

    held = 0
    """Characters that may begin a marker, and with which the message ended."""

    def end(self, state: LiveState) -> list[Event]:
        """The message is over; where the model was cut, half a marker at the end is no text."""
        if self.cut_by_length and self.held and not self.draft.open and self.observed is None:
            drop_half_marker(self.cursor, self.draft, self.held)
        return super().end(state)

    def run(self) -> Machine:
        """The machine; see :data:`Machine`."""
        cursor, draft, runtime, sink = self.cursor, self.draft, self.runtime, self.sink
        states, separators, parts, seen = runtime.live, sink.separators, draft.parts, cursor.seen
        c, i, base, out, last, final = cursor.get()
        s = self.state
        stuck = blanked = -1
        said = 0  # bits of the roles, reasoning and content, that there were
        closer = False  # whether no text begins here, though the state usually has one
        pairs: tuple[Pair, ...] = ()
        d: Any
        moves: Any
        index: Any
        ahead: Any = None  # a chunk that was taken already
        driver = yield out
        while True:
            if i >= len(c) or self.observed is not None:
                if final:
                    break
                base += len(c)
                i = 0
                d = yield out
                out = []
                if d is None:
                    final, c = True, ""
                else:
                    seen.append(d)
                    c = d
                continue
            state = states[s] or enter(runtime, s)
            text: LiveText | None = state.only
            edge: Edge | None = None
            found = False
            if text is None or closer:
                # --- what stands here: a text, a marker, a payload, nothing, or: wait
                closer = False
                payload = state.sure.get(c[i])
                undecided = text = None
                if payload is None:
                    if state.blank >= 0 and (blanked == s or c[i] in " \t\r\n"):  # white space of the layout
                        while i < len(c) and c[i] in " \t\r\n":
                            i += 1
                        blanked = s
                        if i < len(c):
                            s, blanked = state.blank, -1
                        continue
                    if not final and c[i : i + USUAL + 1] in state.undecided:
                        undecided = state.undecided
                    else:
                        moves = state.undecided.get(c) if final and not i else None
                        choice: Choice | None = None if moves is None else moves.get("")
                        if choice is None:
                            choice = self.choose(state, c, i, final)
                            if moves is not None:
                                moves[""] = choice
                        undecided, text, edge, (stop, to, index, pairs) = choice
                        found = True
                if undecided is not None:
                    base += i
                    c = c[i:]
                    i = 0
                    if c not in undecided:
                        undecided.moves(c)
                    while True:
                        d = yield out
                        out = []
                        if d is None:
                            final = True
                            self.held = len(c)
                            break
                        seen.append(d)
                        c += d
                        if c not in undecided:
                            break
                    continue
                if edge is None and text is None:
                    cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final = (
                        c, i, base, out, last, final,
                    )  # fmt: skip
                    if payload is None:
                        payload = next((p for p in state.payloads if c[i] in p.first), None)
                    if payload is not None:
                        reading = self.payload_begins(payload)
                        try:
                            out = next(reading)
                        except StopIteration as result:
                            closed = result.value
                        else:
                            driver.hand_over(reading.send)
                            closed = yield out
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
                        found = False
                    c, i, base, out, last, final = (
                        cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final,
                    )  # fmt: skip
                    if text is None:
                        continue
            if text is not None:
                # --- a run of text to its delimiter, or a delimiter at once
                role, maker, first, starts, live, undecided, pivot = text.row
                if i and len(c) <= USUAL and not found:
                    c = c[i:]
                    base += i
                    i = 0
                begun = as_it_comes = False
                separator = ""
                held: list[str] = []
                after = 0  # no delimiter begins before this index
                near = -1  # where one may begin, if that is known
                while True:
                    # --- its end: the text is c[i:stop], the delimiter c[stop:to] is told by ``index``
                    if found:
                        found = False
                    elif i or final or len(c) > BIG:
                        stop, to, index, pairs = text.search(c, i, final)
                        moves, after, near = None, 0, -1
                    elif not begun and (moves := undecided.get(c)) is not None:
                        stop, index, near = 0, None, -1
                    else:
                        moves = None
                        while True:
                            if near >= 0:
                                stop, near = near, -1
                            elif first is None or len(c) > NEAR:
                                match = starts(c, after)
                                stop = -1 if match is None else match.start()
                            else:
                                stop = c.find(first, after) if begun or first in c else -1
                            if stop >= 0 and len(c) - stop < NEAR:
                                moves = undecided.get(c[stop:])
                                if moves is not None:
                                    index = None
                                    break
                                known = undecided.get(c[stop])
                                if known and known.get(c[stop + 1]) is REFUTED:
                                    after = stop + 1
                                    continue
                            if stop >= 0:
                                if starts is not live:
                                    match = live(c, stop)
                                if match is not None:
                                    pairs = text.pairs
                                    stop, to = match.span()
                                    index = match.lastindex
                                    break
                                if starts is not live:  # ``live`` looked at this place only
                                    after = stop + 1
                                    continue
                            stop, index = len(c), NOTHING
                            break
                        after = 0
                    if stop > i:
                        if not begun:
                            begun = True
                            begin = base + i
                            if text.begins:
                                cursor.put(c, i, base, out, last, final)
                                self.begin(text.begins, begin, begin)
                                last = cursor.last
                            if role == t.VALUE:
                                maker = self.value_maker(held)
                            elif maker is None:
                                as_it_comes = role == t.ARGUMENTS and draft.started and sink.live and not sink.converts
                            elif role == t.ANSWER:
                                cursor.c, cursor.base = c, base
                                separator = self.answer_begins()
                            elif said & 1 << role:
                                separator = separators[role]
                        if base < 0 and base + i < 0:  # what the prompt wrote is no part of the message
                            i = stop if base + stop < 0 else -base
                    if stop > i:
                        piece = c[i:stop] if i or index != NOTHING else c
                        end = base + stop
                        if maker is not None:
                            if separator:
                                piece = separator + piece
                                separator = ""
                            out.append(maker(last, end, piece))
                            last = end
                        elif as_it_comes:
                            out.append(ArgumentsDelta(last, end, draft.index, piece))
                            last = end
                        else:
                            held.append(piece)
                            if role == t.ARGUMENTS or role == t.VALUE:
                                cursor.out, cursor.last = out, last
                                self.piece(role, piece, end, len(held) == 1)
                                last = cursor.last
                    if index is None:
                        # --- what may be a delimiter, held until it is decided
                        base += stop
                        c = c[stop:]
                        i = 0
                        refuted = False
                        if moves is None:
                            moves = undecided.moves(c)
                        while True:
                            if ahead is None:
                                d = yield out
                                out = []
                                if d is None:
                                    final = True
                                    self.held = len(c)
                                    if self.cut_by_length and draft.open and only_at_end(text, c):
                                        stop = to = len(c)
                                        index, found = NOTHING, True
                                    break
                                seen.append(d)
                            else:
                                d, ahead = ahead, None
                            before = c
                            c += d
                            more = undecided.get(c)
                            if more is not None:
                                moves = more
                                continue
                            for char in d:
                                moves = moves.get(char)
                                if moves.__class__ is not dict:
                                    break
                            if moves.__class__ is not tuple:
                                undecided.learn(before, d, live)
                                break
                            to, index, _ = moves
                            if index == NOTHING:
                                after = 1
                                refuted = begun and base >= 0 and not separator and (as_it_comes or maker is not None)
                            else:
                                stop, pairs, found = 0, text.pairs, True
                            break
                        if not refuted:
                            continue
                        if pivot is not None and maker is not None:
                            d = c
                        elif starts(c, 1) is None:
                            base += len(c)
                            d = yield [
                                maker(last, base, c)
                                if maker is not None
                                else ArgumentsDelta(last, base, draft.index, c)
                            ]
                            last = base
                            after = 0
                            if d is not None:
                                seen.append(d)
                        else:
                            continue
                    elif index != NOTHING or final:
                        break
                    else:
                        base += stop
                        i = 0
                        d = yield out
                        out = []
                        if d is not None:
                            seen.append(d)
                    # --- all chunks that follow without a delimiter
                    if maker is None:
                        number = draft.index
                        while d and as_it_comes:
                            if (first is None or first in d) and (match := starts(d)) is not None:
                                near = match.start()
                                break
                            base += len(d)
                            d = yield [ArgumentsDelta(last, base, number, d)]
                            last = base
                            if d is None:
                                break
                            seen.append(d)
                    elif pivot is None:
                        while d:
                            if (first is None or first in d) and (match := starts(d, after)) is not None:
                                near = match.start()
                                moves = undecided.get(d[near:]) if near else None
                                if moves is None:
                                    break
                                base += near
                                ahead = yield [maker(last, base, d[:near])]
                                d = d[near:]
                                last, near = base, -1
                                if ahead is None:
                                    final = True
                                    self.held = len(d)
                                    break
                                seen.append(ahead)
                                if ahead and moves.get(ahead[0]) is REFUTED:
                                    d += ahead
                                    ahead, after = None, 1
                                    continue
                                stop, after, index, found = 0, 0, None, True
                                break
                            base += len(d)
                            d = yield [maker(last, base, d)]
                            last = base
                            if d is None:
                                break
                            after = 0
                            seen.append(d)
                    else:
                        char, white, behind = pivot
                        while d and (char not in d or behind(d) is None):
                            if d[-1] in white:
                                stop = len(d.rstrip(white))
                                moves = None if after and not stop else undecided.get(d[stop:])
                                if moves is None:
                                    break
                                if stop:
                                    base += stop
                                    more = yield [maker(last, base, d[:stop])]
                                    d = d[stop:]
                                    last, after = base, 0
                                    if more is None:
                                        final = True
                                        self.held = len(d)
                                        break
                                    seen.append(more)
                                    d += more
                                    continue
                                index, found = None, True
                                break
                            base += len(d)
                            d = yield [maker(last, base, d)]
                            last = base
                            if d is None:
                                break
                            after = 0
                            seen.append(d)
                    if d is None:
                        final, c, stop = True, "", 0
                        break
                    c = d
                i = stop
                if not begun:
                    edge = pairs[index][0]
                    if edge is None:
                        closer = True
                        continue
                else:
                    # --- the text is over
                    end = base + stop
                    if role == t.REASONING or role == t.CONTENT:
                        start = begin if begin > 0 else 0
                        if end > start:
                            said |= 1 << role
                            parts.append((PARTS[role], start, end))
                    elif role == t.ARGUMENTS:
                        draft.form = TEXT
                        draft.arguments = (begin, end)
                    else:
                        cursor.out, cursor.last = out, last
                        if role == t.NAME:
                            draft.set_name("".join(held), begin, end)
                        else:
                            self.text_ends(role, begin, end, held)
                        last = cursor.last
                    if text.target >= 0:
                        s = text.target
                        if text.ends_call:
                            cursor.out, cursor.last = out, last
                            self.call_ends(end, index == NOTHING)
                            last = cursor.last
                    edge = None if index == NOTHING else pairs[index][1]
                    if edge is None:
                        continue
            # --- a marker
            assert edge is not None
            s, flags, _ = edge
            i = to
            if flags == t.ARGUMENTS_BEGIN:
                end = base + to
                draft.form = TEXT
                draft.arguments = (end, end)
            elif flags:
                cursor.c, cursor.base, cursor.out, cursor.last = c, base, out, last
                if flags == t.CALL_BEGIN:
                    draft.begin(base + stop)
                else:
                    self.marker(flags, base + stop, base + to)
                    last = cursor.last
        cursor.c, cursor.base, cursor.out, cursor.last = c, base, out, last
        yield self.end(states[s] or enter(runtime, s))
