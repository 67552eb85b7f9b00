"""A state and its texts as the stream interpreter needs them, laid out to be read fast; made when it is entered."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

from .._values import AnswerDelta, ContentDelta, ReasoningDelta
from . import _alternatives as alternatives
from . import _patterns as patterns
from ._far import BIG, Far, far
from ._runtime import Edge, Markers, Runtime, State, TextRun, never
from ._tables import ANSWER, CALL_END, CONTENT, REASONING

Pair: TypeAlias = tuple[Edge | None, Edge | None]
"""The edges of a marker that ends a text: when none came before it, and when some did. None: look again there."""

Found: TypeAlias = tuple[int, int, int | None, tuple[Pair, ...]]
"""Start, end and ``lastindex`` of a match (None: undecided; NOTHING: at the end of the buffer), and what it indexes."""

USUAL = 64
"""The longest buffer that is remembered as undecided."""
NEAR = 8
"""From the end of a buffer, a delimiter's beginning is looked for among those before it is searched."""
MOST = 256
"""How many of them are remembered at most."""
NOTHING = -1
"""In the place of a ``lastindex``: no delimiter was found."""
REFUTED = 0, NOTHING, None
"""What the next character makes of a buffer that is the beginning of no delimiter after all."""
MAKERS: dict[int, Any] = {REASONING: ReasoningDelta, CONTENT: ContentDelta, ANSWER: AnswerDelta}

Moves: TypeAlias = dict[str, Any]
"""For a next character: the moves of the buffer with it, if that is undecided too, or (end, ``lastindex``)."""


class Undecided(dict[str, Moves]):
    """Buffers that a pattern left undecided from their first character on, and what the next character makes of them.

    That depends on nothing but the buffer and the character, so the pattern is asked once for each: a lazy automaton.
    Models spell their markers in few ways, and a dictionary is asked in a tenth of the time.
    """

    __slots__ = ()

    def moves(self, text: str) -> Moves:
        """The moves of a buffer. Hostile input can make us forget, never grow."""
        found = self.get(text)
        if found is None:
            found = {}
            if len(text) <= USUAL:
                if len(self) >= MOST:
                    self.clear()
                self[text] = found
        return found

    def learn(self, text: str, more: str, search: Any) -> None:
        """Learn the moves from ``text`` through ``more``, as far as they are undecided."""
        moves = self.moves(text)
        for char in more[:USUAL]:
            text += char
            known: Any = moves.get(char)
            if known is None:
                match = search(text)
                if match is None or match.start():
                    known = REFUTED
                elif match.lastindex is None:
                    known = self.moves(text)
                else:
                    known = match.end(), match.lastindex, match
                if char < "\x80":
                    moves[char] = known
            if known.__class__ is tuple:
                return
            moves = known


class LiveText:
    """A free text that may begin in a state.

    ``live`` is the ``search`` for a buffer that may go on: ``lastindex`` is None where the end leaves it undecided, and
    otherwise tells the edges, ``pairs``. It is slow to find nothing, so it is asked only about the places where
    ``first``, the one character that all delimiters begin with, or ``starts`` say that one may begin; by ``at``.
    """

    def __init__(self, text: TextRun) -> None:
        self._text = text
        self.role, self.begins = text.role, text.begins
        self.target, self.ends_call = text.edge.target, bool(text.edge.flags & CALL_END)
        self.first = text.first
        self.guard, self.guard_live = text.guard, text.guard_live
        self.live: Any = never
        self.pairs: tuple[Pair, ...] = ()
        self.at: Any = never
        self.starts: Any = never
        self.pivot: tuple[str, str, Any] | None = None
        """The :class:`Pivot` of the delimiters, its source as a ``search``."""
        self._far: Far | None = None
        if text.wanted:
            source, numbers = alternatives.live(text.wanted)
            self.live, self.pairs = re.compile(source).search, self._pairs(numbers)
            self.at = self.starts = self.live
            starts = alternatives.starts([tree for tree, _ in text.wanted])
            if starts is not None:
                self.starts, self.at = re.compile(starts).search, re.compile(source).match
                pivot = alternatives.pivot([tree for tree, _ in text.wanted])
                if pivot is not None:
                    self.pivot = pivot.char, pivot.before, re.compile(pivot.source).search
                self._far = far(text)
        self.undecided = _undecided(tuple(tree for tree, _ in text.wanted))
        self.row = self.role, MAKERS.get(self.role), self.first, self.starts, self.at, self.undecided, self.pivot
        """What a run of this text needs at its beginning, at one stroke."""

    def _pairs(self, numbers: Sequence[int]) -> tuple[Pair, ...]:
        return tuple((None, None) if n < 0 else self._text.edges_of(n) for n in numbers)

    @cached_property
    def certain(self) -> Any:
        """``search`` for delimiters that stand wholly inside the buffer."""
        wanted = self._text.wanted
        return re.compile(alternatives.alternation(wanted, live=True)[0]).search if wanted else never

    @cached_property
    def plain_pairs(self) -> tuple[Pair, ...]:
        """The edges for each ``lastindex`` in complete text, and of ``certain``."""
        return self._pairs(self._text.numbers)

    @cached_property
    def _certain_here(self) -> Any:
        """``match`` of :attr:`certain`."""
        return re.compile(alternatives.alternation(self._text.wanted, live=True)[0]).match

    def search(self, c: str, i: int, final: bool) -> Found:
        """The first delimiter at or behind ``i``, full or partial."""
        n, pairs, match = len(c), self.pairs, None
        if self._far is not None and n - i > BIG:
            pairs = self.plain_pairs
            if final:
                match = self._far(c, i, self._text.plain_here)
            else:
                match, near = self._far(c, i, self._certain_here), n - self._text.width
                if match is None or match.start() >= near:
                    match, pairs = self.live(c, max(i, near)), self.pairs
        elif final:
            match, pairs = self._text.plain(c, i), self.plain_pairs
        else:
            begun = self.starts(c, i)
            i = -1 if begun is None else begun.start()
            if n - i > BIG and i >= 0:
                match = self.certain(c, i)
                width = self._text.width
                if match is not None and match.start() < n - width:
                    pairs = self.plain_pairs
                else:
                    match = self.live(c, max(i, n - width))
            elif i >= 0:
                match = self.live(c, i)
        if match is None:
            return n, 0, NOTHING, pairs
        return *match.span(), match.lastindex, pairs


class LiveState:
    """What may come in a state."""

    def __init__(self, state: State) -> None:
        self.texts = tuple(LiveText(text) for text in state.texts)
        self.blank, self.end = state.blank, state.end
        usual = len(self.texts) == 1 and self.texts[0].guard is None and self.blank < 0
        self.only = self.texts[0] if usual else None
        """The text that begins here wherever no marker stands; None where that needs a closer look."""
        self.markers: Markers = state.markers
        self.payloads = state.payloads
        begun = {char for tree in self.markers.trees for char in patterns.first(tree)[0]}
        self.sure = {p: x for x in self.payloads for p in x.first if not self.texts and p not in begun}
        """The payloads that begin with a character that nothing else here begins with."""
        self.undecided = Undecided()
        self._state = state

    @cached_property
    def skip(self) -> LiveText:
        """The pseudo text of recovery."""
        return LiveText(self._state.skip)


@functools.lru_cache(maxsize=512)
def _undecided(trees: tuple[patterns.Seq, ...]) -> Undecided:
    """The set for these patterns; equal ones share it."""
    return Undecided()


def enter(runtime: Runtime, number: int) -> LiveState:
    """A state that is entered for the first time."""
    made: LiveState = LiveState(runtime.state(number))
    runtime.live[number] = made
    return made
