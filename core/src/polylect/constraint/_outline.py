"""The outline of a tongue: every path that its formatter takes through the tables, calls left open.

A place is a state of the tables together with what the turn has had by then, a call or an answer. Steps are the very
markers that were written, free text with the delimiters that the tables give it, and the bodies of calls, which are
filled in tool by tool. Whatever path is taken, the parser reads it: its tables are where the path comes from.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from msgspec import structs

from ..grammar import _patterns as patterns
from ..grammar import _tables as t
from ._delimiters import BLANK
from ._probes import ANSWER, CONTENT, NAME, ODD, VALUES, Odd, Prober, Turn
from ._residual import heads, residuals
from ._trace import Token
from ._tree import Lit, Text

if TYPE_CHECKING:
    from .._text_lect import TextLect


_ANSWERS: dict[Literal["brackets", "text", "other"], str] = {
    "other": f'["{ANSWER}"]', "text": f'"{ANSWER}"', "brackets": ANSWER,
}  # fmt: skip


class Place(NamedTuple):
    """Where a turn stands: the state, and whether there was a call, an answer, and content."""

    state: int
    called: bool = False
    answered: bool = False
    said: bool = False
    begun: tuple[str, ...] = ()
    """Before a free text, what would be one more part of the marker that stands there, or make another one of it."""


class Body(NamedTuple):
    """A call, from its name to the last of its arguments; ``some``: it has arguments."""

    some: bool


class Answer(NamedTuple):
    """A payload that holds the answer: what is written before and behind it, and what it is."""

    before: str
    after: str
    kind: Literal["brackets", "text", "other"]
    """A text in brackets; a text in JSON; any other JSON."""


class Id(NamedTuple):
    """An id of lower-case letters and digits."""

    size: int


Step: TypeAlias = Lit | Text | Body | Answer | Id


class Outline(NamedTuple):
    """The places of a tongue: from each, steps with what they lead to; and where a turn may end."""

    start: Place
    steps: dict[Place, dict[tuple[Step, Place], None]]
    ends: frozenset[Place]
    bodies: dict[bool, list[str]]
    """The texts of calls with and without arguments, by their places in the turn."""
    lead: str = ""
    """What all paths begin with that is no part of the turn."""

    def sure(self) -> frozenset[Place]:
        """The places from which every turn has a call or an answer."""
        other = {place for place in self.ends if not place.called and not place.answered}
        size = -1
        while size != len(other):
            size = len(other)
            other |= {place for place, steps in self.steps.items() if any(target in other for _, target in steps)}
        return frozenset((self.steps.keys() | self.ends) - other)

    def kept(self, *, calls: bool, other: bool, texts: bool = True) -> Outline:
        """The outline of turns with ``calls``, of ``other`` turns, or of both; with free ``texts`` or without."""
        ends = frozenset(place for place in self.ends if (calls if place.called and not place.answered else other))
        alive = set(ends)
        size = -1
        while size != len(alive):
            size = len(alive)
            alive |= {place for place, steps in self.steps.items() if any(target in alive for _, target in steps)}
        steps = {
            place: {step: None for step in found if step[1] in alive and (texts or not isinstance(step[0], Text))}
            for place, found in self.steps.items()
            if place in alive
        }
        return self._replace(steps=steps, ends=ends)

    def alike(self) -> bool:
        """Whether calls without arguments stand wherever calls with some do, and lead to the same."""
        steps = self.steps.values()
        bodies = [{(step.some, target) for step, target in found if isinstance(step, Body)} for found in steps]
        return all({(not some, target) for some, target in found} == found for found in bodies)

    def closing(self) -> str:
        """The literal that is always written behind a call; empty where there is none."""
        behind = {target for found in self.steps.values() for step, target in found if isinstance(step, Body)}
        steps = [tuple(self.steps.get(place, ())) for place in behind]
        literals = {found[0][0] if len(found) == 1 else None for found in steps}
        (literal,) = literals if len(literals) == 1 else (None,)
        return literal.text if isinstance(literal, Lit) and not behind & self.ends else ""


def outline(prober: Prober, odd: Collection[Odd] = ODD) -> Outline:
    """The outline of the prober's lect; ``odd``: with these turns that models rarely write."""
    maker = _Maker(prober.lect)
    for turn in prober.turns(odd):
        maker.add(turn)
    return maker.made()


class _Maker:
    def __init__(self, lect: TextLect) -> None:
        tables = lect.grammar.tables
        self._lead = lect.lead
        self._tables, self._read = tables, lect.read_by.grammar.tables
        self._start = Place(tables.starts.get("written", 0))
        self._steps: dict[Place, dict[tuple[Step, Place], None]] = {}
        self._ends: set[Place] = set()
        self._bodies: dict[bool, list[str]] = {True: [], False: []}
        self._first: set[str] = set()  # the markers that a turn may begin with

    def add(self, turn: Turn) -> None:
        """Take the path of one turn."""
        place = self._start
        at, read = 0, _by_place(turn.read)
        bodies: dict[bool, list[str]] = {True: [], False: []}
        parts = list(pieces(turn.tokens))
        for tables, tokens in ((self._tables, turn.tokens), (self._read, turn.read)):
            self._first |= _markers(tables, tokens[0].state).keys() if tokens else set()
        for number, (tokens, is_body) in enumerate(parts):
            last = tokens[-1]
            following = parts[number + 1][0][0].flags if number + 1 < len(parts) else t.CALL_END_BEFORE
            text = "".join(token.text for token in tokens)
            if is_body:
                some = VALUES[0] in text
                bodies[some].append(text)
                step: Step = Body(some)
                ended = last.flags & t.CALL_END or following & t.CALL_END_BEFORE
            else:
                step = self._step(last, read.get((at, last.text)), "" if at else self._lead)
                if not at and text == self._lead:  # no content, as nothing stands there
                    step = Lit(text)
                if isinstance(step, Text):
                    step = structs.replace(step, heads=(*step.heads, *place.begun))
                ended = last.flags & t.CALL_END
            in_text = number + 1 < len(parts) and not parts[number + 1][1] and self._is_text(parts[number + 1][0][-1])
            after = Place(
                last.target,
                place.called or bool(ended),
                place.answered or ANSWER in text or (number + 1 == len(parts) and turn.reply.answer == ""),
                place.said or (last.role == t.CONTENT and CONTENT in text),
                self._begun(last, read.get((at, last.text))) if in_text else (),
            )
            self._steps.setdefault(place, {})[step, after] = None
            place = after
            at += len(text)
        self._ends.add(place)
        for some, texts in bodies.items():
            if len(texts) > len(self._bodies[some]):
                self._bodies[some] = texts

    def _step(self, token: Token, read: Token | None, lead: str) -> Step:
        texts = self._tables.texts
        if token.role == t.ID and token.terminal in texts:
            return Id(len(token.text))
        if self._is_text(token):
            ends: dict[str, None] = {}
            begun = {} if token.role == t.ANSWER else {re.escape(lead) + BLANK: None}
            for tables, known in ((self._tables, token), (self._read, read)):
                if known is not None and known.terminal in tables.texts:
                    text = tables.texts[known.terminal]
                    ends |= dict.fromkeys(text.delimiters)
                    begun |= dict.fromkeys([] if text.guard is None else [text.guard])
            return Text(tuple(ends), tuple(source for source in begun if source not in ends))
        if token.terminal.startswith("@") and ANSWER in token.text:
            for kind, written in _ANSWERS.items():
                before, found, after = token.text.partition(written)
                if found:
                    return Answer(before, after, kind)
        return Lit(token.text)

    def _is_text(self, token: Token) -> bool:
        return token.terminal in self._tables.texts and token.role in (t.REASONING, t.CONTENT, t.ANSWER)

    def _begun(self, token: Token, read: Token | None) -> tuple[str, ...]:
        """What no text begins with that stands behind a marker."""
        found: dict[str, None] = {}
        for tables, known in ((self._tables, token), (self._read, read)):
            if known is not None and known.terminal in tables.markers:
                others = {name: patterns.parse(source) for source, name in _markers(tables, known.state).items()}
                found |= dict.fromkeys(heads(others, known.terminal, token.text))
        return tuple(found)

    def made(self) -> Outline:
        """The outline of all turns that were taken."""
        made = Outline(self._start, self._steps, frozenset(self._ends), self._bodies, self._lead)
        found = [(self._behind_lead(step), target) for step, target in self._steps.get(self._start, ())]
        first = {(step, target): None for step, target in found if step is not None}
        if not self._lead or len(first) < len(self._steps.get(self._start, ())):
            return made
        return made._replace(steps={**self._steps, self._start: first}, lead="")

    def _behind_lead(self, step: Step) -> Step | None:
        """A turn's first step without the lead; None where it has no part of its own.

        Delimiters of a text that no turn begins with are none there: the reader takes them for text, too.
        """
        lead = self._lead
        if isinstance(step, Lit):
            return Lit(step.text[len(lead) :]) if step.text.startswith(lead) else None
        if not isinstance(step, Text):
            return None
        begun: dict[str, None] = {}
        for source in (*(one for one in step.delimiters if one in self._first), *step.heads):
            if source.endswith(BLANK):
                begun[BLANK] = None
            else:
                begun |= {patterns.plain(left): None for left in residuals(patterns.parse(source), lead)}
        return structs.replace(step, heads=tuple(begun))


def _markers(tables: t.Tables, state: int) -> dict[str, str]:
    """The markers that may come in a state: names by patterns."""
    names = (move.terminal for move in tables.states[state] if move.terminal in tables.markers)
    return {tables.markers[name]: name for name in names}


def _by_place(tokens: list[Token]) -> dict[tuple[int, str], Token]:
    """Tokens by where they begin, and their text."""
    at, found = 0, {}
    for token in tokens:
        found[at, token.text] = token
        at += len(token.text)
    return found


def pieces(tokens: list[Token]) -> Iterator[tuple[list[Token], bool]]:
    """The tokens of a turn one by one, those of a call's body together."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if NAME not in token.text and VALUES[0] not in token.text:
            yield [token], False
            at += 1
            continue
        end = at
        while end < len(tokens) and not _behind(tokens[end], end > at):
            end += 1
            if tokens[end - 1].flags & t.CALL_END:
                break
        yield tokens[at:end], True
        at = end


def _behind(token: Token, begun: bool) -> bool:
    """Whether a token stands behind the body of a call."""
    if not begun:
        return False
    return bool(token.flags & t.CALL_END_BEFORE) or (
        bool(token.flags & t.CALL_END) and not token.terminal.startswith("@") and token.role == t.MARKUP
    )


__all__ = ["Answer", "Body", "Id", "Outline", "Place", "Step", "outline", "pieces"]
