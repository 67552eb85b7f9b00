"""How much of what follows a free text ends it, so that no more than that is taken into the text's lexeme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ._eliminate import seq
from ._head import kept
from ._items import Item, Many, Term, Way
from ._leads import behind, lead
from ._tree import Lit, Node, Ref, Seq, Text

MOST = 1_000
"""So many ways are opened to see what they begin with."""


def endings(ways: Mapping[str, Sequence[Way]], before: Item, following: Way) -> dict[str, list[Way]] | None:
    """By the literal that ends the free text which a lexeme ends in, what then is left of what follows it.

    Under an empty literal is that nothing may follow. None if the lexeme ends otherwise, or if something may follow it
    that does not begin with a literal that ends the text.
    """
    told = _last_text(before.node) if isinstance(before, Term) and not before.special else None
    begun = _opened(ways, following)
    if told is None or not begun or not any(begun):
        return None
    text, end = told
    found: dict[str, list[Way]] = {}
    for way in begun:
        if not way:
            found[""] = [()]
            continue
        first = way[0]
        literal = lead(first.node) if isinstance(first, Term) else ""
        size = kept(text, end + literal) + 1 - len(end)
        if size <= 0:  # the text has ended, but another lexeme may go on: what ends a text there is taken in
            sizes = [kept(text, end[at:] + literal) + 1 - len(end[at:]) for at in range(1, len(end) + 1)]
            size = max((size for size in sizes if size <= len(literal)), default=0)
        if not 0 < size <= len(literal):
            return None
        left = _without(way, size)
        if left not in found.setdefault(literal[:size], []):
            found[literal[:size]].append(left)
    return found


def _last_text(node: Node) -> tuple[Text, str] | None:
    """The free text that nothing but a literal follows in a node, and this literal."""
    if isinstance(node, Text):
        return node, ""
    parts = node.parts if isinstance(node, Seq) else ()
    if parts and isinstance(parts[-1], Text):
        return parts[-1], ""
    if len(parts) > 1 and isinstance(parts[-2], Text) and isinstance(parts[-1], Lit):
        return parts[-2], parts[-1].text
    return None


def _opened(ways: Mapping[str, Sequence[Way]], way: Way) -> list[Way] | None:
    """A way as ways that begin with no rule; None where they are too many."""
    out, todo = [], [way]
    for one in todo:
        item, rest = (one[0], one[1:]) if one else (None, ())
        if isinstance(item, Many):
            most = None if item.most is None else item.most - 1
            again: Way = () if most == 0 else (Many(item.name, max(item.least - 1, 0), most),)
            todo += [(Ref(item.name), *again, *rest), *([rest] if not item.least else [])]
        elif isinstance(item, Ref):
            todo += [(*inner, *rest) for inner in ways[item.name]]
        else:
            out.append(one)
        if len(todo) > MOST:
            return None
    return out


def _without(way: Way, size: int) -> Way:
    """A way without so many characters of the literal that it begins with."""
    first = way[0]
    assert isinstance(first, Term)
    node = seq(behind(first.node, size))
    if node in (Lit(""), Seq(())) and not first.special:
        return way[1:]
    return (Term(node, first.special), *way[1:])


__all__ = ["endings"]
