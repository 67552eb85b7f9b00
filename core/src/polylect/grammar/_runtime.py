"""Tables made ready to run: compiled patterns per state, built when a state is first entered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from . import _alternatives as alternatives
from . import _patterns as patterns
from ._automaton import END
from ._tables import ARGUMENTS_BEGIN, CALL_END, ELEMENT_OPEN, MARKUP, Tables, Text

SKIP = 10
"""The pseudo role of text that fits nowhere: it is passed over, and reported."""


BLANK = "[^ \t\r\n]"
"""The delimiter of white space, as lark gives it."""


class Edge(NamedTuple):
    """Where a token leads: target state, flags, and the role of a text."""

    target: int
    flags: int
    role: int


Edges = tuple[Edge | None, ...]


class Payload(NamedTuple):
    """A payload that may begin in a state: its name, the characters that begin it, its edge, what begins with it."""

    name: str
    first: str
    edge: Edge
    begins: int


PAYLOAD_FIRST = {
    "json_call": "{",
    "json_object": "{",
    "json_array": "[",
    "json_value": '{["-0123456789tfn',
    "brackets": "[",
    "python_arguments": "(",
    "token_object": "{",
}


class Markers:
    """The markers of a state, in lark's order, as one pattern to match where one is due."""

    def __init__(self, tables: Tables, names: Sequence[str], edges: Sequence[Edge]) -> None:
        self.names = tuple(names)
        self.trees = tuple(patterns.parse(tables.markers[name]) for name in names)
        self._edges = edges

    @cached_property
    def plain(self) -> Any:
        """``match`` for complete text."""
        return re.compile(alternatives.alternation(self._numbered)[0]).match if self.names else never

    @cached_property
    def live(self) -> tuple[Any, Edges]:
        """``match`` for a buffer that may go on, and the edges by ``lastindex`` (None: not decided)."""
        if not self.names:
            return never, ()
        source, numbers = alternatives.live(self._numbered)
        return re.compile(source).match, tuple(None if n < 0 else self._edges[n] for n in numbers)

    @cached_property
    def edges(self) -> Edges:
        """The edge for each ``lastindex``."""
        numbers = alternatives.alternation(self._numbered)[1]
        return tuple(None if n < 0 else self._edges[n] for n in numbers)

    @property
    def _numbered(self) -> list[tuple[patterns.Seq, int]]:
        return [(tree, n) for n, tree in enumerate(self.trees)]


def never(text: str, at: int = 0) -> None:
    """A pattern that is nowhere."""


class TextRun:
    """A free text that may begin in a state, with the search for what ends it.

    Where a delimiter is spelt like a marker that may follow, one search finds both, and the marker's edge is known at
    once: one for where no text came before it, one for where some did.
    """

    def __init__(
        self, tables: Tables, name: str, edge: Edge, here: dict[str, Edge], order: Sequence[str], after: dict[str, Edge]
    ) -> None:
        text = tables.texts[name]
        self.name, self.edge, self.role = name, edge, edge.role
        self.begins = edge.flags & ~CALL_END
        self._blank = text.delimiters == (BLANK,) and text.guard is None and edge.role == MARKUP and not edge.flags
        trees = [patterns.parse(source) for source in text.delimiters]
        self._guard = None if text.guard is None else patterns.parse(text.guard)
        fused = _fused(tables, trees, order)
        if fused:
            before = _fused(tables, trees, [name for name in here if name in tables.markers])
            fused += [pair for pair in before if pair not in fused]
        rest = [tree for tree in trees if tree not in [t for t, _ in fused]]
        self._wanted = [(tree, n) for n, (tree, _) in enumerate(fused)] + [(tree, -1) for tree in rest]
        self._names = [marker for _, marker in fused]
        self._here, self._after = here, after
        widths = [patterns.width(tree) or 0 for tree in trees]
        self.width = max(widths, default=0)
        starts, more = set[str](), False
        for tree in trees:
            some, others, empty = patterns.first(tree)
            starts |= some
            more = more or others or empty
        self.first = next(iter(starts)) if len(starts) == 1 and not more else None
        """The one character that all delimiters begin with, if there is one."""

    @property
    def wanted(self) -> list[tuple[patterns.Seq, int]]:
        """The delimiters in the order of the search, with the numbers of the fused markers (-1: none)."""
        return self._wanted

    def edges_of(self, number: int) -> tuple[Edge | None, Edge | None]:
        """The edges of a fused marker: when no text came before, and when some did."""
        name = self._names[number]
        return self._here.get(name), self._after.get(name)

    @property
    def is_blank(self) -> bool:
        """Whether this is white space of the layout."""
        return self._blank

    @cached_property
    def plain(self) -> Any:
        """``search`` for complete text."""
        return re.compile(alternatives.alternation(self._wanted)[0]).search if self._wanted else never

    @cached_property
    def plain_here(self) -> Any:
        """The same as a ``match``."""
        return re.compile(alternatives.alternation(self._wanted)[0]).match if self._wanted else never

    @cached_property
    def guard(self) -> Any:
        """``match`` for what the text cannot begin with, in complete text; None without a guard."""
        return None if self._guard is None else re.compile(patterns.plain(self._guard)).match

    @cached_property
    def guard_live(self) -> Any:
        """The same for a buffer that may go on."""
        return None if self._guard is None else re.compile(alternatives.live([(self._guard, 0)])[0]).match

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """For each ``lastindex`` of ``plain`` the number of a fused marker, or -1."""
        return alternatives.alternation(self._wanted)[1]


def _fused(tables: Tables, delimiters: Sequence[patterns.Seq], order: Sequence[str]) -> list[tuple[patterns.Seq, str]]:
    """The markers, in order, whose patterns are delimiters, unless another marker may match in the same place."""
    trees = {name: patterns.parse(tables.markers[name]) for name in order}
    others = [tree for tree in trees.values() if tree not in delimiters]
    found: list[tuple[patterns.Seq, str]] = []
    for name, tree in trees.items():
        if tree in delimiters and tree not in [t for t, _ in found]:
            found.append((tree, name))
    if any(_meet(tree, other) for tree, _ in found for other in others):
        return []
    return found


def _meet(one: patterns.Seq, other: patterns.Seq) -> bool:
    """Whether two patterns can begin alike, as far as their first characters tell."""
    some, more, empty = patterns.first(one)
    others, more_too, empty_too = patterns.first(other)
    return more or more_too or empty or empty_too or bool(some & others)


class State:
    """One state: what may come, in lark's order."""

    def __init__(self, runtime: Runtime, number: int) -> None:
        tables = runtime.tables
        moves = tables.states[number]
        self.edges = {move.terminal: Edge(move.target, move.flags, move.role) for move in moves}
        self.end = self.edges.get(END)
        marks = [move.terminal for move in moves if move.terminal in tables.markers]
        self.markers = Markers(tables, marks, [self.edges[name] for name in marks])
        self.payloads = tuple(
            Payload(
                m.terminal[1:],
                PAYLOAD_FIRST.get(m.terminal[1:]) or tables.words[ELEMENT_OPEN][0],
                self.edges[m.terminal],
                m.flags & ~(ARGUMENTS_BEGIN | CALL_END),
            )
            for m in moves
            if m.terminal.startswith("@")
        )
        found = [runtime.text(m.terminal, self.edges) for m in moves if m.terminal in tables.texts]
        blanks = [text for text in found if text.is_blank]
        others = [text for text in found if not text.is_blank]
        # white space may be taken first only where no other text could take it
        alone = all(o.guard is not None and all(o.guard(char) for char in " \t\r\n") for o in others)
        self.blank = blanks[0].edge.target if len(blanks) == 1 and alone else -1
        """Where white space of the layout leads; -1 where there is none to expect."""
        self.texts = tuple(others if self.blank >= 0 else found)
        self._runtime = runtime

    @cached_property
    def skip(self) -> TextRun:
        """The pseudo text of recovery: it ends at any marker or payload that would be acceptable here."""
        tables, names = self._runtime.tables, self.markers.names
        sources = [tables.markers[name] for name in names]
        firsts = "".join(sorted({char for payload in self.payloads for char in payload.first}))
        if firsts:
            sources.append(f"[{re.escape(firsts)}]")
        pseudo = Tables(0, "", {}, (), tables.markers, {"skip": Text(tuple(sources))}, {})
        return TextRun(pseudo, "skip", Edge(-1, 0, SKIP), self.edges, names, self.edges)


class Runtime:
    """A compiled grammar, ready to run. Made once per grammar; safe to share between threads once warm."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.states: list[State | None] = [None] * len(tables.states)
        self._markup: dict[int, bool] = {}
        self.live: list[Any] = [None] * len(tables.states)
        """The states as the stream interpreter has them, once it has entered them."""
        self.keys, self.words = tables.keys, tables.words

    def state(self, number: int) -> State:
        """The state of that number."""
        found = self.states[number]
        if found is None:
            found = self.states[number] = State(self, number)
        return found

    def opens_markup(self, number: int) -> bool:
        """Whether a marker that may come in a state begins with ``<``, white space aside."""
        known = self._markup.get(number)
        if known is None:
            trees = self.state(number).markers.trees
            known = self._markup[number] = any("<" in patterns.first(tree)[0] for tree in trees)
        return known

    def text(self, name: str, here: dict[str, Edge]) -> TextRun:
        """The text ``name`` as it may begin in the state with the edges ``here``."""
        edge = here[name]
        following = self.tables.states[edge.target]
        order = [move.terminal for move in following if move.terminal in self.tables.markers]
        if any(move.terminal in self.tables.texts for move in following):
            order = []
        after = {move.terminal: Edge(move.target, move.flags, move.role) for move in following}
        return TextRun(self.tables, name, edge, here, order, after)
