"""The printer of readers of whole messages; see :mod:`polylect.grammar._whole`."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .._values import Call, Reply
from . import _alternatives as alternatives
from . import _patterns as patterns
from . import _tables as t
from ._decoder import BLANK, DECODER, GOES_ON, OBJECT_END, brackets_end, envelope
from ._draft import CLOSED, JSON, MEMBERS, MISSING, NO_ARGUMENTS, OPEN, TEXT, converted
from ._far import quick
from ._members import NOTATIONS, printed_rest, printed_text, scanner
from ._runtime import Edge, Payload, Runtime, State, TextRun
from ._spelling import spelt

_NAME: patterns.Seq = (("c", "[A-Za-z_]"), ("rep", 0, 64, (("c", "[A-Za-z0-9_]"),), True))
"""A plain name; its characters are part of no delimiter."""
SHORT = 1000
"""From this number on, alternatives are markers with their continuation."""


class Short(NamedTuple):
    """A call's opening marker, its plain name and the marker behind the name, found by one search."""

    opening: Edge
    name_end: Edge


Found = tuple[Edge | Short | None, ...]


_APART = "if names_ids: name, told = sink.name_id(name); ident = ident if told is None else told"
"""A name that is the call's id too."""
INLINE = 4
"""Blocks printed within one another from the start: a label, a call, its name, its arguments."""

_HEAD = """\
def parse(text, off, original, sink):
    n = len(text)
    pos = form = 0
    cs = -1
    reasoning = content = answer = name = ident = None
    raw = ""
    value = MISSING
    is_answer = False
    answers, call, plain, names_ids = sink.answer_names, sink.call, sink.plain, sink.names_ids
    converts = sink.converts
    calls = []
    parts = []
    notes = []
    s = START
"""
_MEMBERS_HEAD = """\
    types, is_text = sink.types, sink.is_text
    key = kind = None
"""
_TAIL = """\
    if len(calls) > 1 and len(calls) > sink.max_calls:
        return None
    return Reply(
        reasoning or "", content or "", tuple(calls) if calls else (), answer, tuple(notes) if notes else (), True,
        tuple(parts), original,
    )
"""


class Printer:
    """Prints the reader of one grammar, from one start state."""

    def __init__(self, runtime: Runtime, start: int, off: int | None) -> None:
        self.runtime, self.start, self.off = runtime, start, off
        self.inlined = {start}
        self.minus = "" if off == 0 else f" - {'off' if off is None else off}"
        roles = {move.role for row in runtime.tables.states for move in row}
        self.keys = t.KEY in roles
        self.members = self.keys or any(m.terminal[1:] in NOTATIONS for row in runtime.tables.states for m in row)
        """Whether arguments may come as keys and values."""
        self.json = any(m.terminal == "@json_call" for row in runtime.tables.states for m in row)
        self.names: dict[str, Any] = {
            "MISSING": MISSING, "Call": Call, "Reply": Reply, "START": start, "blank": BLANK,
            "decode": DECODER.raw_decode, "object_end": OBJECT_END, "brackets_end": brackets_end,
            "converted": converted, "goes_on": GOES_ON, "spelt": spelt,
            "envelope": envelope(runtime.keys),
        }  # fmt: skip

    def function(self) -> tuple[str, dict[str, Any]]:
        blocks = [(number, body) for number in self._reachable() if (body := self._state(number)) is not None]
        lines = self._choice(sorted(blocks))
        first = self._state(self.start, INLINE)
        if first is not None:
            lines = ["if not pos:", *_indent(first), *lines]
        head = _HEAD + (_MEMBERS_HEAD if self.members else "") + "    while True:\n"
        source = head + "\n".join(f"        {line}" for line in lines) + "\n" + _TAIL
        return source, self.names

    def _at(self, place: str, *, clamp: bool = False) -> str:
        """A position in the original text."""
        if self.off == 0:
            return place
        less = f"{place}{self.minus}"
        return f"({less} if {place} > {self.minus[3:]} else 0)" if clamp else less

    def _goto(self, edge_flags: int, target: int, inline: int) -> list[str]:
        """Go to a state: into its block at once on the path that most messages take, else by the loop."""
        likely = not edge_flags if inline == INLINE else edge_flags & (t.CALL_BEGIN | t.ARGUMENTS_BEGIN)
        if inline and likely and target not in self.inlined:
            self.inlined.add(target)
            block = self._state(target, inline - 1)
            if block is not None:
                return block
        return [f"s = {target}", "continue"]

    def _choice(self, blocks: list[tuple[int, list[str]]]) -> list[str]:
        """The block of the state ``s``, found by halving."""
        if len(blocks) > 2:
            middle = len(blocks) // 2
            low, high = self._choice(blocks[:middle]), self._choice(blocks[middle:])
            return [f"if s < {blocks[middle][0]}:", *_indent(low), "else:", *_indent(high)]
        out = []
        for number, body in blocks:
            out += [f"if s == {number}:", *_indent(body)]
        return [*out, "return None"]

    def _reachable(self) -> list[int]:
        order, todo = [self.start], [self.start]
        for number in todo:
            for move in self.runtime.tables.states[number]:
                if move.target >= 0 and move.target not in order:
                    order.append(move.target)
                    todo.append(move.target)
        return order

    def _state(self, number: int, inline: int = 0) -> list[str] | None:
        """The block of one state; None for states that only the stream interpreter knows."""
        state = self.runtime.state(number)
        text = state.texts[0] if state.texts else None
        if len(state.texts) > 1 or not _apart(state.payloads) or (text and text.role == t.OBSERVATION):
            return None
        out = []
        if state.blank >= 0:
            out += ["m = blank(text, pos)", "if m is not None:", "    pos = m.end()"]
            out += [f"    s = {state.blank}", "    continue"]
        out += ["if pos == n:", *_indent(self._end(state))]
        if text is not None:
            out += self._text(number, text, inline)
        if state.markers.names:
            self.names[f"marks{number}"] = state.markers.plain
            out += [f"m = marks{number}(text, pos)", "if m is not None:"]
            out += _indent(self._dispatch(state.markers.edges, 0))
        for payload in state.payloads:
            out += self._payload(payload)
        return [*out, "return None"]

    def _end(self, state: State) -> list[str]:
        if state.end is None:
            return ["return None"]
        if state.end.flags & t.CALL_END_BEFORE:
            return [*self._call("pos", OPEN, answers=False), "break"]
        return ["break"]

    def _text(self, number: int, text: TextRun, inline: int) -> list[str]:
        search, here, after = self._search(text)
        quick_too = text.role in (t.VALUE, t.REASONING) and number != self.start
        self.names[f"search{number}"] = quick(text, search) if quick_too and text.wanted else search.search
        out = [f"m = search{number}(text, pos)", "e = n if m is None else m.start()", "if e > pos:"]
        out += _indent(self._taken(text, after, number, inline))
        if any(here):
            out += ["if e == pos:", *_indent(self._dispatch(here, inline))]
        if text.guard is None:
            return out
        self.names[f"guard{number}"] = text.guard
        return [f"if guard{number}(text, pos) is None:", *_indent(out)]

    def _search(self, text: TextRun) -> tuple[Any, Found, Found]:
        """The search for what ends a text, and the edges for its groups.

        Where a marker begins a call, its simplest continuation (a plain name, then one marker) is tried with it: one
        search in place of two.
        """
        wanted: list[tuple[patterns.Seq, int]] = []
        shorts: dict[int, tuple[int, Edge]] = {}
        for tree, number in text.wanted:
            edges = [edge for edge in text.edges_of(number) if edge is not None] if number >= 0 else []
            found = self._short(tree, edges)
            if found is not None:
                wanted.append((found[0], len(shorts) + SHORT))
                shorts[len(shorts) + SHORT] = number, found[1]
            wanted.append((tree, number))
        if not wanted:
            return re.compile("(?!)"), (), ()
        source, numbers = alternatives.alternation(wanted)
        here: list[Edge | Short | None] = []
        after: list[Edge | Short | None] = []
        for number in numbers:
            marker, behind = shorts.get(number, (number, None))
            for row, edge in zip((here, after), text.edges_of(marker) if marker >= 0 else (None, None), strict=True):
                row.append(edge if edge is None or behind is None else Short(edge, behind))
        return re.compile(source), tuple(here), tuple(after)

    def _short(self, tree: patterns.Seq, edges: list[Edge]) -> tuple[patterns.Seq, Edge] | None:
        """A marker that begins a call, a plain name and the marker behind it as one pattern; and the last edge."""
        flags = t.CALL_BEGIN | t.CALL_END_BEFORE
        if not edges or any(not e.flags & t.CALL_BEGIN or e.flags & ~flags for e in edges):
            return None
        texts = self.runtime.state(edges[0].target).texts
        if len(texts) != 1 or texts[0].role != t.NAME or texts[0].guard is not None or texts[0].edge.flags:
            return None
        name = texts[0]
        behind = name.edges_of(0)[1] if name.wanted and name.wanted[0][1] == 0 else None
        if behind is None or behind.flags not in (0, t.ARGUMENTS_BEGIN) or not alternatives.settled(tree, _NAME):
            return None
        for some, more, empty in (patterns.first(delimiter) for delimiter, _ in name.wanted):
            if more or empty or any(c == "_" or c.isalnum() for c in some):
                return None
        return (*tree, ("grab", _NAME), *name.wanted[0][0]), behind

    def _taken(self, text: TextRun, after: Found, number: int, inline: int) -> list[str]:
        """Text of at least one character, and the marker behind it if the same search found it."""
        flags, role = text.edge.flags, text.role
        if flags & (t.ANSWER_BEGIN | t.OBSERVATION_BEGIN):
            return ["return None"]
        out = []
        if flags & t.CALL_END_BEFORE:
            out += self._call("pos", CLOSED, answers=False)
        if flags & t.CALL_BEGIN:
            out += self._begin("pos")
        early = self.off is None or (self.off > 0 and number == self.start)  # text may begin in the lead
        off = self.minus[3:] or "0"
        piece = f"text[pos:e] if pos >= {off} else text[{off}:e]" if early else "text[pos:e]"
        end = self._at("e")
        if role == t.ARGUMENTS:
            out += [f"form = {TEXT}", f"raw = {piece}"]
        elif role == t.NAME:
            out += [f"name = {piece}", _APART, "if plain is None or not name.isidentifier():"]
            out += [f"    name = sink.name(name, {self._at('pos')}, {end}, notes)"]
            out += ["is_answer = answers and sink.is_answer(name)"]
        elif role == t.ID:
            out += [f"ident = ({piece}).strip()"]
        elif role in (t.KEY, t.KIND, t.VALUE):
            out += printed_text(role, piece, self._at("pos"), end)
        elif role == t.ANSWER:
            out += [f"answer = {piece}", f'parts[-1] = ("answer", parts[-1][1], {self._at("e", clamp=early)})']
        elif role in (t.REASONING, t.CONTENT):
            word, index = ("reasoning", 0) if role == t.REASONING else ("content", 1)
            body = [f"if {word} is None:", f"    {word} = {piece}", "else:"]
            body += [f"    piece = {piece}", f"    {word} += sink.separators[{index}] + piece"]
            body += [f'parts.append(("{word}", {self._at("pos", clamp=early)}, {end}))']
            out += [f"if e > {off}:", *_indent(body)] if early else body
        out += ["pos = e"]
        if flags & t.CALL_END:
            out += self._call("pos", f"{OPEN} if m is None else {CLOSED}", answers=False)
        target = text.edge.target
        ended = self._end(self.runtime.state(target))
        out += ["if m is None:", *_indent(ended)]
        if any(after):
            out += self._dispatch(after, 0 if inline == INLINE else inline)
        return [*out, f"s = {target}", "continue"]

    def _dispatch(self, edges: Found, inline: int) -> list[str]:
        """Take the marker ``m`` by its ``lastindex``; fall through where there is no edge."""
        groups: dict[Edge | Short, list[int]] = {}
        for index, edge in sorted(enumerate(edges), key=lambda pair: _rarity(pair[1])):
            if edge is not None:
                groups.setdefault(edge, []).append(index)
        out = ["i = m.lastindex"] if len(edges) > 2 else []
        for edge, indices in groups.items():
            body = self._short_marker(edge, inline) if isinstance(edge, Short) else self._marker(edge, inline)
            if len(edges) > 2:
                test = f"i == {indices[0]}" if len(indices) == 1 else f"i in {tuple(indices)}"
                out += [f"if {test}:", *_indent(body)]
            else:
                out += body
        return out

    def _short_marker(self, short: Short, inline: int) -> list[str]:
        out = ["b = m.start()"]
        if short.opening.flags & t.CALL_END_BEFORE:
            out += self._call("b", CLOSED, answers=False)
        out += [*self._begin("b"), "name = m[i - 1]", _APART, "if plain is None or not name.isidentifier():"]
        out += [f"    name = sink.name(name, m.start(i - 1){self.minus}, m.end(i - 1){self.minus}, notes)"]
        out += ["is_answer = answers and sink.is_answer(name)", "pos = m.end()"]
        if short.name_end.flags & t.ARGUMENTS_BEGIN:
            out += [f"form = {TEXT}"]
        return [*out, *self._goto(t.ARGUMENTS_BEGIN, short.name_end.target, inline)]

    def _payload(self, payload: Payload) -> list[str]:
        edge = payload.edge
        if edge.flags & (t.CALL_END_BEFORE | t.ANSWER_BEGIN):
            return []
        out = [f"if text[pos] in {payload.first!r}:"]
        body = self._begin("pos") if edge.flags & t.CALL_BEGIN else []
        if payload.name == "brackets":
            body += ["a = pos + 1", "pos = brackets_end(text, pos)", "if pos < 0:", "    return None"]
            body += [f"form = {TEXT}", "raw = text[a:pos - 1]"]
        elif payload.name in NOTATIONS:
            self.names[payload.name] = scanner(payload.name, self.runtime)
            off = self.minus[3:] or "0"
            body += [f'found = {payload.name}(text, pos, {off}, name or "", sink, notes)']
            body += ["if found is None:", "    return None", "members, pos = found"]
            body += ["if members is not None:", f"    form = {MEMBERS}"]
        elif payload.name == "json_call":
            body += ["m = envelope(text, pos)", "if m is None:", "    return None"]
            body += ["name = m[1]", _APART]
            body += [f"name = sink.name(name, m.start(1) - 1{self.minus}, m.end(1) + 1{self.minus}, notes)"]
            body += ["is_answer = answers and sink.is_answer(name)", "a = m.end()"]
        else:
            body += ["a = pos"]
        if payload.name != "brackets" and payload.name not in NOTATIONS:
            body += ["try:", "    value, pos = decode(text, a)", "except (ValueError, RecursionError):"]
            body += ["    return None", f"form = {JSON}", "raw = text[a:pos]"]
            if not set(payload.first) <= set('{["'):
                body += ["""if text[a] not in '{["' and goes_on(text, pos):""", "    return None"]
        if payload.name == "json_call":
            body += ["m = object_end(text, pos)", "if m is None:", "    return None", "pos = m.end()"]
        if edge.flags & t.CALL_END:
            body += self._call("pos", CLOSED, answers=True)
        return [*out, *_indent([*body, f"s = {edge.target}", "continue"])]

    def _begin(self, start: str) -> list[str]:
        resets = f"name = ident = None; form = {NO_ARGUMENTS}; raw = ''; is_answer = False"
        resets += "; value = MISSING" if self.json else ""
        resets += "; members = {}; key = kind = None" if self.members else ""
        return [f"cs = {self._at(start, clamp=True)}", resets]

    def _call(self, end: str, ending: int | str, *, answers: bool) -> list[str]:
        """The call that is open ends; ``answers``: it may be the final answer."""
        place = self._at(end, clamp=self.off is None)  # calls may end in a prefix
        made = [
            f"x = {place}",
            *(printed_rest("x") if self.keys else ()),
            f"if plain is not None and form == {TEXT} and name and plain(raw) is not None:",
            "    calls.append(Call(name, raw, raw, ident, cs, x))",
            *self._of_members(ending),
            "else:",
            f'    made = call(name or "", form, raw, value, ident, cs, x, {ending}, notes)',
            f"    calls.append(converted(made) if converts and form == {TEXT} else made)",
            'parts.append(("call", cs, x))',
        ]
        if not answers:
            return ["if is_answer:", "    return None", *made]
        return [
            "if is_answer:",
            f"    if answer is not None or form in ({NO_ARGUMENTS}, {MEMBERS}):",
            "        return None",
            "    answer = sink.answer(form, raw, value)",
            f'    parts.append(("answer", cs, {place}))',
            "    is_answer = False",
            "else:",
            *_indent(made),
        ]

    def _of_members(self, ending: int | str) -> list[str]:
        """A call whose arguments came as keys and values."""
        if not self.members:
            return []
        made = f'call(name or "", {MEMBERS}, spelt(members), members, ident, cs, x, {ending}, notes)'
        return [f"elif form == {MEMBERS}:", f"    calls.append({made})"]

    def _marker(self, edge: Edge, inline: int) -> list[str]:
        flags = edge.flags
        if flags & t.OBSERVATION_BEGIN:
            return ["return None"]
        out = []
        if flags & (t.CALL_END_BEFORE | t.CALL_BEGIN | t.ANSWER_BEGIN):
            out += ["b = m.start()"]
        if flags & t.CALL_END_BEFORE:
            out += self._call("b", CLOSED, answers=False)
        if flags & t.CALL_BEGIN:
            out += self._begin("b")
        out += ["pos = m.end()"]
        if flags & t.ANSWER_BEGIN:
            out += ["if answer is not None:", "    return None", 'answer = ""']
            out += [f'parts.append(("answer", {self._at("b", clamp=True)}, {self._at("pos", clamp=True)}))']
        if flags & t.ARGUMENTS_BEGIN:
            out += [f"form = {TEXT}"]
        if flags & t.CALL_END:
            out += self._call("pos", CLOSED, answers=True)
        return [*out, *self._goto(flags, edge.target, inline)]


def _apart(payloads: tuple[Payload, ...]) -> bool:
    """Whether the first character tells which of the payloads begins."""
    firsts = "".join(payload.first for payload in payloads)
    return len(set(firsts)) == len(firsts)


def _rarity(edge: Edge | Short | None) -> int:
    """The order of tests: what well-formed messages have most of comes first."""
    if isinstance(edge, Short):
        return 0
    flags = 0 if edge is None else edge.flags
    if flags & (t.OBSERVATION_BEGIN | t.CALL_END_BEFORE):
        return 3
    return 0 if flags & (t.CALL_BEGIN | t.ARGUMENTS_BEGIN | t.CALL_END) else 2 if flags & t.ANSWER_BEGIN else 1


def _indent(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
