"""Delimiters of free text, made wider until they need no look-ahead and few states.

A bounded run of one character counts as an unbounded one, a delimiter that may be over at the end of the message is
over there, what may not follow it is not looked at, and a class of many scripts takes all characters beyond ASCII.
A wider delimiter leaves less text: whatever holds none of these, holds none of the grammar's own.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

from ..grammar import _patterns as patterns
from ..grammar._patterns import Seq as Pattern
from ._ranges import LAST, Ranges, common, joined, ranges_of

SCRIPTS = 64
"""A class of more ranges than this is one of many scripts, as a letter or a digit is."""


class Way(NamedTuple):
    """A delimiter without options: ``body``, where ``ahead`` follows, or (``closes``) where the message ends.

    Both hold nothing but characters, alternatives and repeats.
    """

    body: Pattern
    ahead: Pattern = ()
    closes: bool = False


@functools.lru_cache(maxsize=1024)
def ways(source: str, *, anchored: bool = False) -> tuple[Way, ...]:
    """A delimiter, made wider, in all its ways; none where it is the empty text.

    ``anchored``: it counts at one place only, so that what it may leave out in front belongs to it.
    """
    ended, kept = _cut(_bare(patterns.parse(source), anchored))
    found: dict[Way, None] = {}
    for seq in (*ended, *([] if kept is None else [kept])):
        found.update((way, None) for way in _split(_bare(seq, anchored), anchored) if way.body)
    return tuple(found)


def _bare(seq: Pattern, anchored: bool) -> Pattern:
    """The pattern without what it may leave out at its ends: who holds the rest holds it."""
    begin, end = 0, len(seq)
    while end and seq[end - 1][0] not in ("look", "end") and patterns.can_be_empty(seq[end - 1 : end]):
        end -= 1
    while (
        not anchored
        and begin < end
        and seq[begin][0] not in ("look", "end")
        and patterns.can_be_empty(seq[begin : begin + 1])
    ):
        begin += 1
    return seq[begin:end]


def _cut(seq: Pattern) -> tuple[list[Pattern], Pattern | None]:
    """The beginnings of the pattern that the end of the message completes, and the pattern of all other matches."""
    ended: list[Pattern] = []
    before: Pattern = ()
    for node in seq:
        kind = node[0]
        if kind == "alt":
            if before and any(branch and branch[0][0] == "end" for branch in node[1]):
                return [*ended, before], None
            parts = [_cut(branch) for branch in node[1] if not (branch and branch[0][0] == "end")]
            ended += [before + end for ends, _ in parts for end in ends if before + end]
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
            ended += [before_ends + end for end in ends if before_ends + end]
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
        ahead = _wide(last[1])
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


def _wide(seq: Pattern) -> Pattern:
    """The pattern without looks, and with bounded runs of one character as unbounded ones."""
    out: list[patterns.Node] = []
    for node in seq:
        if node[0] == "c":
            out.append(node)
        elif node[0] == "alt":
            out.append(("alt", tuple(_wide(branch) for branch in node[1])))
        elif node[0] == "rep":
            inner = _wide(node[3])
            if inner:
                run = node[2] is not None and node[2] > 1 and patterns.single(inner)
                out.append(("rep", node[1], None if run else node[2], inner))
    return tuple(out)


@functools.lru_cache(maxsize=1024)
def characters(source: str) -> Ranges:
    """The characters that a one-character pattern of a delimiter takes."""
    found = ranges_of(source)
    return found if len(found) <= SCRIPTS else joined((*common(found, ((0, 0x7F),)), (0x80, LAST)))


__all__ = ["Way", "characters", "ways"]
