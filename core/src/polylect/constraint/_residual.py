"""What is left of a pattern behind a text that it begins with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..grammar._patterns import Seq, can_be_empty, plain


def residuals(pattern: Seq, text: str) -> list[Seq]:
    """The patterns of what may follow ``text`` in a match of ``pattern``; look-ahead ends a match."""
    left = [pattern]
    for char in text:
        left = list(dict.fromkeys(rest for seq in left for rest in behind(seq, char)))
    return left


def behind(seq: Seq, char: str, *, ahead: bool = False) -> list[Seq]:
    """What is left of a pattern behind one character; ``ahead``: what it looks ahead at is a part of it."""
    if not seq:
        return []
    node, rest = seq[0], seq[1:]
    kind = node[0]
    if kind == "c":
        return [rest] if re.match(node[1], char) else []
    if kind == "alt":
        return [found for branch in node[1] for found in behind((*branch, *rest), char, ahead=ahead)]
    if kind == "grab":
        return behind((*node[1], *rest), char, ahead=ahead)
    if kind == "not":
        return behind(rest, char, ahead=ahead)
    if kind == "look" and ahead:
        return behind(node[1], char, ahead=True)
    if kind != "rep":  # a look at what follows, or the end of the message
        return []
    low, high, inner = node[1], node[2], node[3]
    out = [] if low else behind(rest, char, ahead=ahead)
    if high != 0:
        more = ("rep", max(low - 1, 0), None if high is None else high - 1, inner)
        out += [
            (*found, more, *rest) if more[2] != 0 else (*found, *rest) for found in behind(inner, char, ahead=ahead)
        ]
    return out


def heads(markers: dict[str, Seq], taken: str, text: str) -> tuple[str, ...]:
    """What no text begins with behind ``text``, which is the marker ``taken``.

    It would be one more part of it, or make another of the ``markers`` of it.
    """
    found: dict[str, None] = {}
    for name, tree in markers.items():
        for left in residuals(tree, text):
            if not can_be_empty(left):
                found[plain(left)] = None
            elif name == taken:
                found |= dict.fromkeys(map(plain, _some(left)))
    return tuple(found)


def _some(seq: Seq) -> Iterator[Seq]:
    """The matches of a pattern that may be empty, those that are not; looks apart."""
    for at, node in enumerate(seq):
        rest = seq[at + 1 :]
        if node[0] == "rep":
            yield (("rep", 1, node[2], node[3]), *rest)
        elif node[0] == "alt":
            yield from ((*some, *rest) for branch in node[1] for some in _some(branch))
        elif node[0] == "c":
            yield seq[at:]
            return


__all__ = ["behind", "heads", "residuals"]
