"""By which characters a whole text of a node may go on within the node: what a greedy lexer may do at its end."""

from __future__ import annotations

import functools

from ._match import Matcher
from ._ranges import Ranges, atoms, common, joined
from ._tree import EMPTY, Alt, Chars, Lit, Node, Rep, Seq, Text, Tree

STEPS = 1_000
"""So many states are looked at."""


@functools.lru_cache(maxsize=8192)
def extension(node: Node) -> Ranges | None:
    """These characters, or some more; None where it takes too long to tell. The node has no free text, nor rules.

    What follows from the parts is not looked for, so that parts which stand in many nodes cost once.
    """
    if isinstance(node, Lit | Chars):
        return ()
    if isinstance(node, Seq):
        return _of_seq(node)
    if isinstance(node, Alt):
        return _of_alt(node)
    if isinstance(node, Rep):
        part, begun = extension(node.part), first(node.part)
        if part is None or common(part, begun):
            return walked(node)
        return part if node.most == node.least else joined([*part, *begun])
    return None


def _of_seq(node: Seq) -> Ranges | None:
    found: Ranges = ()
    begun: Ranges = ()
    leads = [""]  # what the rest begins with, way by way
    empty = True
    for part in reversed(node.parts):
        inner = _optional(part)
        if inner is not part and not _differ(lead(inner), leads):
            inner = part
        more = extension(inner)
        if more is None or common(more, begun):  # it may be split otherwise
            return walked(node)
        if empty:
            found = joined([*found, *more, *begun])
        if inner is not part:
            begun = joined([*first(inner), *begun])
            leads.append(lead(inner))
            continue
        empty, begun = empty and nullable(part), joined([*first(part), *(begun if nullable(part) else ())])
        leads = [part.text + behind for behind in leads] if isinstance(part, Lit) else [lead(part)]
    return found


def _optional(node: Node) -> Node:
    """What may stand there or not; the node itself where it is no such choice."""
    if isinstance(node, Rep) and (node.least, node.most) == (0, 1):
        return node.part
    if isinstance(node, Alt) and len(node.options) == 2 and EMPTY in node.options:
        return node.options[0] if node.options[1] == EMPTY else node.options[1]
    return node


def _differ(begun: str, leads: list[str]) -> bool:
    """Whether a literal begins none of others, and none of them it."""
    return bool(begun) and all(one and not one.startswith(begun) and not begun.startswith(one) for one in leads)


def _of_alt(node: Alt) -> Ranges | None:
    found: Ranges = ()
    options = [option for option in node.options if option != EMPTY]
    for at, option in enumerate(options):
        more = extension(option)
        if more is None or any(not _apart(option, other) for other in options[:at]):
            return walked(node)
        found = joined([*found, *more])
    return joined([*found, *first(node)]) if nullable(node) else found


def _apart(one: Node, other: Node) -> bool:
    """Whether no text of one begins a text of the other, as far as that is plain."""
    begun, second = lead(one), lead(other)
    if not begun.startswith(second) and not second.startswith(begun):
        return True
    return not common(first(one), first(other)) and not nullable(one) and not nullable(other)


@functools.lru_cache(maxsize=4096)
def walked(node: Node) -> Ranges | None:
    """By which characters a whole text of a node may go on, by looking at every state; None if they are too many."""
    matcher = Matcher(Tree({"one": node}, "one"))
    todo, found = [matcher.start], list[tuple[int, int]]()
    seen = set(todo)
    for states in todo:
        arcs = matcher.next_chars(states)
        if matcher.is_end(states):
            found += [one for ranges in arcs for one in ranges]
        for mask, ranges in atoms(arcs):
            if mask:
                behind = matcher.step(states, chr(ranges[0][0]))
                if behind not in seen:
                    seen.add(behind)
                    todo.append(behind)
        if len(seen) > STEPS:
            return None
    return joined(found)


@functools.lru_cache(maxsize=8192)
def first(node: Node) -> Ranges:
    """The characters that a node begins with."""
    if isinstance(node, Lit):
        return ((ord(node.text[0]), ord(node.text[0])),) if node.text else ()
    if isinstance(node, Chars):
        return node.ranges
    if isinstance(node, Seq):
        found: Ranges = ()
        for part in node.parts:
            found = joined([*found, *first(part)])
            if not nullable(part):
                break
        return found
    if isinstance(node, Alt):
        return joined([one for option in node.options for one in first(option)])
    return first(node.part) if isinstance(node, Rep) else ()


@functools.lru_cache(maxsize=8192)
def nullable(node: Node) -> bool:
    """Whether the empty text is one of the node's."""
    if isinstance(node, Lit):
        return not node.text
    if isinstance(node, Seq):
        return all(map(nullable, node.parts))
    if isinstance(node, Alt):
        return any(map(nullable, node.options))
    if isinstance(node, Rep):
        return node.least == 0 or nullable(node.part)
    return isinstance(node, Text) and node.least == 0


def lead(node: Node) -> str:
    """The literal that a node begins with."""
    if isinstance(node, Lit):
        return node.text
    if isinstance(node, Seq):
        out = ""
        for part in node.parts:
            out += lead(part)
            if not isinstance(part, Lit):
                break
        return out
    return ""


def behind(node: Node, size: int) -> Node:
    """What is left of a node behind so many characters of the literal that it begins with."""
    if isinstance(node, Lit):
        return Lit(node.text[size:])
    if not size or not isinstance(node, Seq):
        return node
    first = node.parts[0]
    inner = len(lead(first))
    if size < inner:
        return Seq((behind(first, size), *node.parts[1:]))
    return behind(Seq(node.parts[1:]), size - inner)


__all__ = ["behind", "extension", "lead", "nullable", "walked"]
