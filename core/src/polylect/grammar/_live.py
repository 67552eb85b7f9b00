"""What the stream interpreter needs of a state and its texts, laid out to be read fast; made when a state is entered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias

from .._values import AnswerDelta, ContentDelta, ReasoningDelta
from . import _patterns as patterns
from ._runtime import Edge, Markers, Runtime, State, TextRun, never
from ._tables import ANSWER, CALL_END, CONTENT, REASONING

Pair: TypeAlias = tuple[Edge | None, Edge | None]
"""The edges of a marker that ends a text: when none came before it, and when some did. None: look again there."""

BIG = 512
"""From this many characters on, the buffer is searched for whole delimiters first and only its tail for partial ones."""
USUAL = 64
"""The longest buffer that is remembered as undecided."""
MOST = 1024
"""How many of them are remembered at most."""
MAKERS: dict[int, Any] = {REASONING: ReasoningDelta, CONTENT: ContentDelta, ANSWER: AnswerDelta}


class Undecided(set[str]):
    """Buffers that a pattern left undecided from their first character on.

    Whether it does depends on nothing but the buffer, so it is searched once for each: models spell a marker in few
    ways, and a set is asked in a tenth of the time.
    """

    __slots__ = ()

    def learn(self, text: str) -> None:
        """Remember a buffer, if it is short; hostile input may make us forget, never grow."""
        if len(text) <= USUAL:
            if len(self) >= MOST:
                self.clear()
            self.add(text)


class LiveText:
    """A free text that may begin in a state."""

    def __init__(self, text: TextRun) -> None:
        self._text = text
        self.role, self.begins = text.role, text.begins
        self.target, self.ends_call = text.edge.target, bool(text.edge.flags & CALL_END)
        self.maker = MAKERS.get(text.role)
        self.first = text.first
        self.starts = None if text.starts is None else re.compile(f"[{re.escape(text.starts)}]").search
        """``search`` for the first character of any delimiter; None where ``first`` or nothing better serves."""
        self.guard, self.guard_live = text.guard, text.guard_live
        self.live: Any = never
        """``search`` for a buffer that may go on: ``lastindex`` is None where the end leaves it undecided."""
        self.pairs: tuple[Pair, ...] = ()
        """The edges for each ``lastindex`` of ``live``."""
        if text.wanted:
            source, numbers = patterns.live(text.wanted)
            self.live, self.pairs = re.compile(source).search, self._pairs(numbers)
        self.undecided = _undecided(tuple(tree for tree, _ in text.wanted))

    def _pairs(self, numbers: Sequence[int]) -> tuple[Pair, ...]:
        return tuple((None, None) if n < 0 else self._text.edges_of(n) for n in numbers)

    @cached_property
    def certain(self) -> Any:
        """``search`` for delimiters that stand wholly inside the buffer."""
        wanted = self._text.wanted
        return re.compile(patterns.alternation(wanted, live=True)[0]).search if wanted else never

    @cached_property
    def plain_pairs(self) -> tuple[Pair, ...]:
        """The edges for each ``lastindex`` in complete text, and of ``certain``."""
        return self._pairs(self._text.numbers)

    def search(self, c: str, i: int, final: bool) -> tuple[Any, tuple[Pair, ...]]:
        """The first delimiter at or behind ``i``, full or partial (then ``lastindex`` is None), and the edges for it."""
        if final:
            return self._text.plain(c, i), self.plain_pairs
        n = len(c)
        if self.first is not None:
            i = c.find(self.first, i)
            if i < 0:
                return None, ()
        if n - i > BIG:
            match = self.certain(c, i)
            width = self._text.width
            if match is not None and match.start() < n - width:
                return match, self.plain_pairs
            i = max(i, n - width)
        return self.live(c, i), self.pairs


class LiveState:
    """What may come in a state."""

    def __init__(self, state: State) -> None:
        self.texts = tuple(LiveText(text) for text in state.texts)
        self.blank = state.blank
        usual = len(self.texts) == 1 and self.texts[0].guard is None and self.blank < 0
        self.only = self.texts[0] if usual else None
        """The text that begins here wherever no marker stands; None where that needs a closer look."""
        self.markers: Markers = state.markers
        self.payloads = state.payloads
        self.undecided = _undecided(state.markers.trees)
        self._state = state

    @cached_property
    def skip(self) -> LiveText:
        """The pseudo text of recovery."""
        return LiveText(self._state.skip)


_sets: dict[tuple[patterns.Seq, ...], Undecided] = {}


def _undecided(trees: tuple[patterns.Seq, ...]) -> Undecided:
    """The set for these patterns; equal ones share it."""
    return _sets.setdefault(trees, Undecided())


def enter(runtime: Runtime, number: int) -> LiveState:
    """A state that is entered for the first time."""
    made: LiveState = LiveState(runtime.state(number))
    runtime.live[number] = made
    return made
