"""What lexemes begin with: literals, and free texts up to what ends them."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import structs

from ._delimiters import BLANK
from ._dfa import text_dfa
from ._eliminate import retold
from ._leads import ENDING, OVER, all_apart, beginnings, lead, shared
from ._tree import ANYWHERE, EMPTY, Node, Seq, Text, children

_Way: TypeAlias = tuple[str, int]


class Head(NamedTuple):
    """What a lexeme begins with: a literal, or free text and the literal behind it, as far as it matters."""

    text: Text | None
    literal: str
    rest: Node
    """All that comes behind the text."""


@functools.lru_cache(maxsize=8192)
def head(node: Node) -> Head:
    """What a lexeme begins with."""
    text, rest = text_first(anywhere(node))
    return Head(text, lead(rest)[:ENDING] if text else lead(rest), rest)


@functools.lru_cache(maxsize=8192)
def literals(rest: Node) -> tuple[str, ...]:
    """What comes first in a node, by its alternatives, as far as that is literal."""
    return tuple([way.rstrip(OVER) for way in beginnings(rest, (OVER,))])


@functools.lru_cache(maxsize=8192)
def ended(text: Text, rest: Node) -> tuple[_Way, ...] | None:
    """The literals that follow a text, with how much of each may be text; None if the text need not end there."""
    told = tuple([(way, kept(text, way)) for way in literals(rest)])
    return None if any(size == len(way) for way, size in told) else told


def ends_alike(one: Head, other: Head) -> bool:
    """Whether it is plain that the free text that both begin with ends at the same place in a text of both."""
    return one.text is not None and one.text == other.text and all_end_alike(one.text, [one.rest, other.rest])


def all_end_alike(text: Text, rests: Sequence[Node]) -> bool:
    """Whether it is plain that a free text ends at the same place whichever of these follows it."""
    told = [ended(text, rest) for rest in rests]
    begun = _begun(rests)
    return bool(begun) and not any(ways is None or _met(ways, begun, 1) for ways in told)


def _begun(rests: Iterable[Node]) -> set[str]:
    """What all of these begin with, or the first characters; none where one is not known."""
    found = [way for rest in rests for way in literals(rest)]
    begun = shared(found)
    return {begun} if begun else {way[0] for way in found} if all(found) else set()


def _met(ways: Iterable[_Way], begun: Iterable[str], least: int) -> bool:
    """Whether within these literals, as far as they may be text, one of the others may begin."""
    return any(True for way, size in ways for one in begun for _ in _meeting(way, one, least, size))


def apart(one: Head, other: Head) -> bool:
    """Whether it is plain that no text that begins with one begins a text that begins with the other."""
    if one.text is None and other.text is None:
        if not one.literal.startswith(other.literal) and not other.literal.startswith(one.literal):
            return True
        return bool(one.literal and other.literal) and all_apart([*literals(one.rest), *literals(other.rest)])
    if not one.literal or not other.literal:
        return False
    if one.text and other.text:
        return one.text == other.text and _parted(one, other)
    return _outside(one, other) if other.text else _outside(other, one)


def _parted(one: Head, other: Head) -> bool:
    """Whether two texts differ that have the same free text before different literals, wherever it ends."""
    if one.literal.startswith(other.literal) or other.literal.startswith(one.literal):
        return False
    assert one.text
    return ends_alike(one, other) or _differ(one.text, one.literal, other.literal)


@functools.lru_cache(maxsize=8192)
def _differ(text: Text, one: str, other: str) -> bool:
    return not (
        unended(text, one) or unended(text, other) or any(slips(text, one, other)) or any(slips(text, other, one))
    )


def _outside(begun: Head, free: Head) -> bool:
    """Whether no text that begins so may be free text with this literal behind it, nor begin one."""
    assert free.text
    return in_none(begun.rest, free.text, [free.rest])


def in_none(node: Node, text: Text, rests: Iterable[Node]) -> bool:
    """Whether it is plain that what a node begins with is in none of these texts, and ends none of them."""
    told, begun = refused(node, text), _begun(rests)
    return told is not None and bool(begun) and not _met(told, begun, min(text.least, 1))


@functools.lru_cache(maxsize=8192)
def refused(node: Node, text: Text) -> tuple[_Way, ...] | None:
    """The literals that a node begins with, with how much of each the text may begin with; None if with all of one."""
    told = tuple([(way, _reach(text, way)) for way in literals(node)])
    return None if any(size == len(way) for way, size in told) else told


@functools.lru_cache(maxsize=4096)
def _reach(text: Text, begun: str) -> int:
    return text_dfa(text.delimiters, text.heads).reach(begun)


def _meeting(one: str, other: str, least: int, most: int) -> Iterator[int]:
    """The places from which on one begins with the other, or the other with what is left of it; as 1 and more."""
    at = one.find(other[:1], least, most + 1)
    while at >= 0:
        if one.startswith(other, at) or other.startswith(one[at:]):
            yield at or 1
        at = one.find(other[:1], at + 1, most + 1)


def slips(text: Text, end: str, other: str) -> Iterator[int]:
    """The places within what ends a text up to which the text may go on, to be ended there by the other.

    One beyond its end, where more may follow that is not told: ends that are all there end in `OVER`.
    """
    told = end.rstrip(OVER)
    size = kept(text, told)
    if told == end and size == len(end):
        yield size + 1
    yield from _meeting(told, other, 1, size)


def cut(text: Text, end: str) -> str:
    """As much of a literal as ends the text, wherever that began."""
    return end[: kept(text, end.rstrip(OVER)) + 1]


def unended(text: Text, end: str) -> bool:
    """Whether the text may go on behind this literal."""
    return kept(text, end) == len(end)


@functools.lru_cache(maxsize=4096)
def kept(text: Text, end: str) -> int:
    """So many characters of a literal may be free text, behind some other text."""
    states = None
    for at, char in enumerate(end):
        states = _step(text, states, char)
        if not states:
            return at
    return len(end)


@functools.lru_cache(maxsize=8192)
def _step(text: Text, states: frozenset[int] | None, char: str) -> frozenset[int]:
    """The states of a free text behind some states and this character; None: any of its states."""
    dfa = text_dfa(text.delimiters, text.heads)
    before = range(len(dfa.rows)) if states is None else states
    return frozenset(dfa.step(state, ord(char)) for state in before) - {-1}


def text_first(node: Node) -> tuple[Text | None, Node]:
    """The free text that a node begins with, and the rest."""
    if isinstance(node, Text):
        return node, EMPTY
    if isinstance(node, Seq) and node.parts and isinstance(node.parts[0], Text):
        return node.parts[0], Seq(node.parts[1:])
    return None, node


@functools.lru_cache(maxsize=8192)
def anywhere(node: Node) -> Node:
    """The node with free texts that may end anywhere: those that differ in where they may end are one text then."""
    return retold(node, _ended_anywhere)


def _ended_anywhere(text: Text) -> Text:
    heads = tuple(head for head in text.heads if not head.endswith(BLANK))
    return structs.replace(text, heads=heads, then=ANYWHERE)


@functools.lru_cache(maxsize=8192)
def texts_in(node: Node) -> frozenset[Text]:
    """The free texts in a node."""
    if isinstance(node, Text):
        return frozenset((node,))
    return frozenset[Text]().union(*map(texts_in, children(node)))


__all__ = [
    *("Head", "anywhere", "apart", "cut", "all_end_alike", "ended", "ends_alike", "head", "in_none", "kept", "refused"),
    *("slips", "text_first", "texts_in", "unended"),
]
