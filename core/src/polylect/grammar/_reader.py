"""What happens where something begins or ends in a stream: everything that is not done for each chunk."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from .._values import ArgumentsDelta, Event, Reply, ReplyEnd, Role
from . import _tables as t
from ._brackets import scan_brackets
from ._cursor import Cursor
from ._draft import CLOSED, CUT, JSON, MISSING, OPEN, TEXT, Draft, Sink
from ._elements import scan_elements
from ._live import NOTHING, Found, LiveState, LiveText, Undecided
from ._objects import scan_object
from ._pieces import ANSWER_TEXT, ARGUMENTS, HOLD, SILENT, Reading, answer_mode
from ._python import scan_python
from ._quoting import SPECIAL, inside
from ._runtime import SKIP, Edge, Payload, Runtime
from ._scan import scan_json

PARTS: tuple[Role, Role] = "reasoning", "content"
"""The roles whose text stands in the reply as it is, by number."""
_decode = msgspec.json.Decoder().decode
"""Three times as fast as ``json``, stricter in strings, and equal in what it takes."""
Choice: TypeAlias = tuple[Undecided | None, LiveText | None, Edge | None, Found]
"""What is known to be as undecided as what stands here; a text, with the delimiter behind it, or a marker's edge, with
the marker."""
HERE: Found = 0, 0, NOTHING, ()


class BaseReader:
    """The fields of a reader, and its cold parts."""

    complete = True
    observed: int | None = None
    reply: Reply | None = None

    def __init__(self, runtime: Runtime, sink: Sink, prefix: str, start: int, length_cut: bool = False) -> None:
        self.runtime, self.sink = runtime, sink
        self.cursor = Cursor(prefix)
        self.draft = Draft(self.cursor, sink)
        self.state = start
        self.cut_by_length = length_cut

    # --- markers --------------------------------------------------------------------------------------------------

    def marker(self, flags: int, start: int, end: int) -> None:
        """A marker with a meaning stands between the two positions."""
        self.begin(flags, start, end)
        if self.observed is not None:
            return
        if flags & t.CALL_END:
            self.draft.finish(end, CLOSED)
        if flags & t.ANSWER_BEGIN:
            self.draft.begin_answer(start)
            self.draft.end_answer("", end)
        if flags & t.OBSERVATION_BEGIN:
            self.draft.parts.append(("observation", max(end, 0), max(end, 0)))

    def begin(self, flags: int, start: int, end: int) -> None:
        """What begins with a token, and the call that ends before it."""
        draft = self.draft
        if flags & t.CALL_END_BEFORE:
            draft.finish(start, CLOSED)
        if flags & t.OBSERVATION_BEGIN and self.sink.cut_observations:
            self.observed = start
            return
        if flags & t.CALL_BEGIN:
            draft.begin(start)
        if flags & t.ARGUMENTS_BEGIN and draft.form != TEXT:
            draft.form = TEXT
            draft.arguments = (end, end)

    def call_ends(self, end: int, with_message: bool) -> None:
        """The call ends with the text of its arguments, by a delimiter or because the message is over."""
        if not with_message:
            self.draft.finish(end, CLOSED)
        elif self.cut_by_length:
            self.complete = False
            self.draft.finish(end, CUT)
        else:
            self.draft.finish(end, OPEN)

    # --- texts ----------------------------------------------------------------------------------------------------

    def answer_begins(self) -> str:
        """The text of an answer begins; gives the separator to an earlier one."""
        draft = self.draft
        self.cursor.set_mark()
        if draft.second:
            draft.second = False
            return "\n"
        return ""

    def value_maker(self, held: list[str]) -> Any:
        """What makes deltas of a member's value, whose texts go to ``held``, too; None if the value is held back."""
        draft = self.draft
        begun = draft.begin_value()
        if not (draft.verbatim and draft.started and self.sink.live):
            return None
        if draft.member_raw is None:
            draft.member_raw = []
        keep, say, index = held.append, draft.member_raw.append, draft.index

        def make(start: int, end: int, text: str) -> ArgumentsDelta:
            nonlocal begun
            keep(text)
            if SPECIAL(text) is not None:
                text = inside(text)
            if begun:
                text = begun + text
                begun = ""
            say(text)
            return ArgumentsDelta(start, end, index, text)

        return make

    def piece(self, role: int, piece: str, end: int, begins: bool) -> None:
        """More text of an argument that is not streamed as it is."""
        draft = self.draft
        if role == t.VALUE:
            begun = draft.begin_value() if begins else ""
            if draft.verbatim:
                draft.member(begun + inside(piece), end)
        elif draft.is_answer:
            draft.answer_delta(piece, end)
        elif not self.sink.converts:
            draft.hold(piece)

    def text_ends(self, role: int, begin: int, end: int, held: list[str]) -> None:
        """A text is over that is neither reasoning nor content, neither a name nor arguments."""
        draft = self.draft
        start = begin if begin > 0 else 0
        if role == t.ANSWER:
            draft.end_answer(self.cursor.slice(start, end) if end > start else "", end)
        elif role == t.ID:
            draft.id = "".join(held).strip()
        elif role == t.KEY:
            draft.key_without_value(end)
            draft.key = self.sink.key("".join(held))
        elif role == t.VALUE:
            draft.end_member("".join(held), begin, end)
        elif role == t.KIND:
            draft.kind = "".join(held)
        elif role == t.OBSERVATION:
            draft.parts[-1] = ("observation", start, end)
        elif role == SKIP and not "".join(held).isspace():
            self.skipped(begin, end)

    # --- choices --------------------------------------------------------------------------------------------------

    def choose(self, state: LiveState, c: str, i: int, final: bool) -> Choice:
        """What stands at ``i``: a text, a marker, what is not decided yet; or none of them (a payload is due)."""
        for text in state.texts:
            guard = text.guard if final else text.guard_live
            if guard is not None and (match := guard(c, i)) is not None:
                if not final and match.lastindex is None:
                    return state.undecided, None, None, HERE
                continue
            found = text.search(c, i, final)
            start, _, index, pairs = found
            if start > i:
                return None, text, None, found
            if index is None:
                return text.undecided, None, None, HERE
            edge = pairs[index][0]
            if edge is not None:
                return None, None, edge, found
        markers = state.markers
        live, edges = (markers.plain, markers.edges) if final else markers.live
        match = live(c, i)
        if match is None:
            return None, None, None, HERE
        if match.lastindex is None:
            return state.undecided, None, None, HERE
        return None, None, edges[match.lastindex], (i, match.end(), 0, ())

    # --- payloads -------------------------------------------------------------------------------------------------

    def payload_begins(self, payload: Payload) -> Reading:
        """The reader of a payload that begins at the cursor."""
        cursor, draft = self.cursor, self.draft
        name, _, edge, flags = payload
        draft.markup = not self.sink.mends and self.runtime.opens_markup(edge.target)
        if flags:
            start = cursor.base + cursor.i
            if flags == t.CALL_BEGIN:
                draft.begin(start)
            else:
                self.begin(flags, start, start)
        if name == "json_call":
            return scan_json(draft, SILENT, self.runtime.keys)
        if name == "python_arguments":
            return scan_python(draft)
        if name == "token_object":
            return scan_object(draft, self.runtime.words)
        if name == "elements":
            return scan_elements(draft, self.runtime.words)
        mode = ARGUMENTS if draft.started else HOLD
        if draft.is_answer:
            mode = ANSWER_TEXT if name == "brackets" else answer_mode(cursor.c[cursor.i])
        return scan_brackets(draft, mode) if name == "brackets" else scan_json(draft, mode)

    def payload_ends(self, payload: Payload, closed: bool) -> None:
        """A payload is over: closed, or cut by the end of the message."""
        draft = self.draft
        end = self.cursor.base + self.cursor.i
        if not closed:
            self.complete = False
            draft.finish(end, CUT)
        elif payload.edge.flags & t.CALL_END:
            if draft.form == JSON and not draft.is_broken:
                draft.raw = raw = self.cursor.slice(*draft.arguments)
                try:
                    draft.value = _decode(raw)
                except (ValueError, RecursionError):  # the sink tries again, and explains
                    draft.value = MISSING
            draft.finish(end, CLOSED)

    def malformed(self, state: LiveState) -> int:
        """A payload is due and something else stands there: the call is invalid. The state behind it, or -1."""
        draft = self.draft
        if not draft.open or not state.payloads or state.markers.names or draft.is_broken:
            return -1
        edge = state.payloads[0].edge
        at = self.cursor.base + self.cursor.i
        draft.is_broken = True
        draft.form = JSON
        draft.arguments = (at, at)
        if edge.flags & t.CALL_END:
            draft.finish(at, CLOSED)
        return edge.target

    def skipped(self, start: int, end: int) -> None:
        """Text that fits nowhere was passed over."""
        if end <= 0:  # in the prompt
            return
        if self.draft.open and self.sink.strict:
            self.draft.break_off()
        self.draft.note("skipped", "This text belongs nowhere in the tongue and was passed over.", start, end)

    # --- the end --------------------------------------------------------------------------------------------------

    def end(self, state: LiveState) -> list[Event]:
        """The message is over, in ``state``: close what is open, by the rules for ends. The last events."""
        cursor, draft = self.cursor, self.draft
        end = cursor.base + len(cursor.c)
        if end < 0:
            end = 0
        if self.observed is not None:
            what = "The model invented an observation; the text from there on was dropped."
            draft.note("observation", what, self.observed, end)
            draft.parts.append(("observation", max(self.observed, 0), end))
        else:
            ended = state.end
            if ended is None and not self.cut_by_length:
                ended = self._stopped(state, end)
            if ended is not None and not (self.cut_by_length and draft.open):
                if ended.flags & t.CALL_END_BEFORE and draft.open:
                    draft.finish(end, OPEN)
            else:
                self.complete = False
                if draft.open:
                    draft.finish(end, CUT)
            if self.cut_by_length:
                self.complete = False
            if not self.complete and not any(x.code == "truncated" for x in draft.diagnostics):
                draft.note("truncated", "The message ends in the middle.", end, end)
        if draft.waiting:
            draft.settle(end, cut=True)
        text = cursor.end()
        reasoning: list[str] = []
        content: list[str] = []
        for role, start, stop in draft.parts:
            if role == "reasoning":
                reasoning.append(text[start:stop])
            elif role == "content":
                content.append(text[start:stop])
        between, among = self.sink.separators
        self.reply = reply = Reply(
            between.join(reasoning),
            among.join(content),
            tuple(draft.calls),
            draft.final_answer() if draft.answers else None,
            tuple(draft.diagnostics),
            self.complete,
            tuple(draft.parts),
            text,
        )
        cursor.out.append(ReplyEnd(cursor.last, end, reply))
        return cursor.out

    def _stopped(self, state: LiveState, end: int) -> Edge | None:
        """The server took a stop string off the end: how the message ends behind the marker that it was, if it may.

        An answer of which nothing was said is cut all the same.
        """
        draft = self.draft
        if draft.answers and draft.parts[-1][0] == "answer" and draft.parts[-1][2] == end:
            last, _ = draft.answers[-1]
            if isinstance(last, str) and not last.strip():
                return None
        for stop in self.sink.stops:
            match = state.markers.plain(stop, 0)
            if match is not None and match.end() == len(stop):
                edge = state.markers.edges[match.lastindex]
                ended = None if edge is None else self.runtime.state(edge.target).end
                if edge is not None and ended is not None:
                    if edge.flags & t.CALL_END and self.draft.open:
                        self.draft.finish(end, OPEN)
                    return ended
        return None
