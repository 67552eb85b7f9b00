"""Delimiters of free text in all their ways, made wider until they have few states.

A bounded run of one character counts as an unbounded one, as does a long run of anything; what may not follow a
delimiter is not looked at, and a class of many scripts takes what lies between their letters. What a delimiter looks
ahead at, and that only the end of the message completes it, stays as it is.
A wider delimiter leaves less text: whatever holds none of these, holds none of the grammar's own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..grammar import _patterns as patterns
from ..grammar._patterns import Seq as Pattern
from ._ranges import LAST, Ranges, common, ranges_of

SCRIPTS, GAP = 64, 1024
"""A class of more ranges than this is one of many scripts, as a letter or a digit is; up to so many characters lie
between two ranges that are one then."""
PUNCTUATION: Ranges = ((0x2000, 0x206F), (0x3000, 0x303F))
"""Blanks, dashes and full stops, which stand behind words."""
OTHER: patterns.Node = ("c", r"[\s\S]")
NOTHING: patterns.Node = ("not", (OTHER,))
"""Behind a head, the end of the text, whatever follows the text."""
BLANK = r"\s+(?![\s\S])"
"""As a head: a text is not white space alone, as neither content nor thoughts are that are all of a turn."""
LONG = 16
"""A run that may be longer than this has no bound."""


class Way(NamedTuple):
    """A delimiter without options: ``body``, where ``ahead`` follows, or (``closes``) where the message ends.

    Both hold nothing but characters, alternatives and repeats.
    """

    body: Pattern
    ahead: Pattern = ()
    closes: bool = False
    alone: bool = False
    """It counts at the end of the text, too, whatever follows the text."""
    held: bool = False
    """What it looks ahead at holds a delimiter itself, so that no text has both."""


class Told(NamedTuple):
    """What may stand nowhere in a text, and what it may not begin with."""

    anywhere: tuple[Way, ...]
    first: tuple[Way, ...]


@functools.lru_cache(maxsize=1024)
def told(delimiters: tuple[str, ...], heads: tuple[str, ...]) -> Told:
    """The delimiters and heads of a text in all their ways, without those that say nothing new."""
    within = [way for source in delimiters for way in ways(source)]
    wholes = [way.body for way in within if not way.ahead and not way.closes]
    ends = [way.body for way in within if way.closes]

    def kept(found: Iterable[Way]) -> tuple[Way, ...]:
        new = (
            way
            for way in found
            if not way.closes or way.alone or not any(_ends_in(way.body, end, longer=True) for end in ends)
        )
        return tuple(
            way._replace(held=any(_ends_in(way.ahead, whole) for whole in wholes)) for way in dict.fromkeys(new)
        )

    return Told(kept(within), kept(way for source in heads for way in ways(source, anchored=True)))


def _ends_in(seq: Pattern, other: Pattern, *, longer: bool = False) -> bool:
    """Whether a pattern ends in another one; ``longer``: and is not the same."""
    return seq[-len(other) :] == other and not (longer and len(seq) == len(other))


@functools.lru_cache(maxsize=1024)
def ways(source: str, *, anchored: bool = False) -> tuple[Way, ...]:
    """A delimiter, made wider, in all its ways; none where it is the empty text, unless the message ends there.

    ``anchored``: it counts at one place only, so that what it may leave out in front belongs to it.
    """
    ended, kept = _cut(_bare(patterns.parse(source), anchored))
    found: dict[Way, None] = {}
    for seq in map(_looked, ended):
        alone = seq[-1:] == (NOTHING,)
        told = seq[:-1] if alone else seq
        body = _wide(told[:-1]) + _wide(told[-1:], LONG)
        if body or anchored:  # of a head nothing may be left but the end: there is some text then
            found[Way(body, closes=True, alone=alone)] = None
    if kept is not None:
        found.update((way, None) for way in _split(_bare(kept, anchored), anchored) if way.body)
    return tuple(found)


def _looked(seq: Pattern) -> Pattern:
    """The pattern with what it looks ahead at in the end as a part of it."""
    if not seq:
        return seq
    last = seq[-1]
    if last[0] == "look":
        return (*seq[:-1], *_looked(last[1]))
    return (*seq[:-1], ("alt", tuple(map(_looked, last[1])))) if last[0] == "alt" else seq


def _bare(seq: Pattern, anchored: bool) -> Pattern:
    """The pattern without what it may leave out at its ends: who holds the rest holds it."""
    begin, end = 0, len(seq)
    while end and optional(seq[end - 1]):
        end -= 1
    while not anchored and begin < end and optional(seq[begin]):
        begin += 1
    return seq[begin:end]


def optional(node: patterns.Node) -> bool:
    """Whether a node may be left out, whatever follows."""
    if node[0] == "alt":
        return any(all(map(optional, branch)) for branch in node[1])
    return bool(node[0] == "rep") and (not node[1] or all(map(optional, node[3])))


def _cut(seq: Pattern) -> tuple[list[Pattern], Pattern | None]:
    """The beginnings of the pattern that the end of the message completes, and the pattern of all other matches."""
    ended: list[Pattern] = []
    before: Pattern = ()
    for node in seq:
        kind = node[0]
        if kind == "end":
            return [*ended, before], None
        if node == NOTHING:
            return [*ended, (*before, node)], None
        if kind == "alt":
            parts = [_cut(branch) for branch in node[1]]
            ended += [before + end for ends, _ in parts for end in ends]
            branches = tuple(kept for _, kept in parts if kept is not None)
            if not branches:
                return ended, None
            before += (("alt", branches),)
        elif kind == "rep":
            low, high, inner = node[1:4]
            ends, kept = _cut(inner)
            if kept is not None:
                some = (("rep", 0, None if high is None else high - 1, kept),) if high != 1 else ()
                before_ends = before + some
                before += (("rep", low, high, kept),)
            else:
                before_ends = before
            ended += [before_ends + end for end in ends]
            if kept is None and low:
                return ended, None
        elif kind == "look":
            ends, kept = _cut(node[1])
            ended += [(*before, ("look", end)) for end in ends]
            if kept is None:
                return ended, None
            before += (("look", kept),)
        elif kind == "grab":
            before += node[1]
        elif kind != "not":
            before += (node,)
    return ended, before


def _split(seq: Pattern, anchored: bool) -> Iterator[Way]:
    if not seq:
        return
    *front, last = seq
    before = tuple(front)
    if last[0] == "look":
        ahead = _wide(_looked(last[1]))
        body = _wide(before)
        if not body:
            yield Way(ahead)
        elif patterns.can_be_empty(ahead):
            yield Way(_bare(body, anchored))
        else:
            yield Way(body, ahead)
    elif last[0] == "end":
        yield Way(_wide(before), closes=True)
    elif last[0] == "alt" and _looks(last):
        for branch in last[1]:
            yield from _split(before + branch, anchored)
    else:
        yield Way(_bare(_wide(seq), anchored))


def _looks(node: patterns.Node) -> bool:
    if node[0] in ("look", "end"):
        return True
    seqs = node[1] if node[0] == "alt" else (node[3],) if node[0] == "rep" else ()
    return any(_looks(inner) for seq in seqs for inner in seq)


def _wide(seq: Pattern, longest: int = 1) -> Pattern:
    """The pattern without looks, and with runs of one character that may be longer than this as unbounded ones."""
    out: list[patterns.Node] = []
    for node in seq:
        if node[0] == "c":
            out.append(node)
        elif node[0] == "alt":
            out.append(("alt", tuple(_wide(branch, longest) for branch in node[1])))
        elif node[0] == "rep":
            inner = _wide(node[3], longest)
            if inner:
                most = longest if patterns.single(inner) else LONG
                out.append(("rep", node[1], None if node[2] is None or node[2] > most else node[2], inner))
    return tuple(out)


@functools.lru_cache(maxsize=1024)
def characters(source: str) -> Ranges:
    """The characters that a one-character pattern of a delimiter takes."""
    found = ranges_of(source)
    if len(found) <= SCRIPTS:
        return found
    out = list(common(found, ((0, 0x7F),)))
    for low, high in common(found, ((0x80, LAST),)):
        if out and low - out[-1][1] <= GAP and out[-1][0] > 0x7F and not common(PUNCTUATION, ((out[-1][1], low),)):
            low = out.pop()[0]
        out.append((low, high))
    return tuple(out)


__all__ = ["BLANK", "NOTHING", "Told", "Way", "characters", "optional", "told", "ways"]
