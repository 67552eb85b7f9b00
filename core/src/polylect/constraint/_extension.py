"""By which characters a whole text of a node may go on within the node: what a greedy lexer may do at its end."""

from __future__ import annotations

import functools
from typing import NamedTuple

from ._eliminate import children
from ._match import Matcher
from ._ranges import Ranges, atoms, common, joined
from ._tree import EMPTY, Alt, Chars, Lit, Node, Rep, Seq, Text, Tree

STEPS = 1_000
"""So many states are looked at."""


class _Onward(NamedTuple):
    """How a whole text of a node may go on."""

    chars: Ranges
    leads: tuple[str, ...] | None
    """Literals by one of which it does; None where they are not known."""


def extension(node: Node) -> Ranges | None:
    """These characters, or some more; None where it takes too long to tell. The node has no free text, nor rules.

    What follows from the parts is not looked for, so that parts which stand in many nodes cost once.
    """
    found = _onward(node)
    return None if found is None else found.chars


@functools.lru_cache(maxsize=8192)
def _onward(node: Node) -> _Onward | None:
    found: _Onward | None = None
    if isinstance(node, Lit | Chars):
        found = _Onward((), ())
    elif isinstance(node, Seq):
        found = _of_seq(node)
    elif isinstance(node, Alt):
        found = _of_alt(node)
    elif isinstance(node, Rep):
        part, begun = _onward(node.part), first(node.part)
        if part is not None and not common(part.chars, begun):
            again = _Onward(begun, (lead(node.part),) if lead(node.part) else None)
            found = part if node.most == node.least else _either(part, again)
    else:
        return None
    if found is None:
        chars = walked(node)
        return None if chars is None else _Onward(chars, None if chars else ())
    return found


def _either(one: _Onward, other: _Onward) -> _Onward:
    leads = None if one.leads is None or other.leads is None else (*one.leads, *other.leads)
    return _Onward(joined([*one.chars, *other.chars]), leads)


def _of_seq(node: Seq) -> _Onward | None:
    found = _Onward((), ())
    begun: Ranges = ()
    leads: list[str | None] = [""]  # what the rest begins with, way by way; None is anything
    empty = True
    for part in reversed(node.parts):
        inner = _optional(part)
        if inner is not part and not _differ(lead(inner), leads):
            inner = part
        more = _onward(inner)
        if more is None:
            return None
        if common(more.chars, begun) and not (more.leads and all(_differ(one, leads) for one in more.leads)):
            return None  # it may be split otherwise
        if empty:
            found = _either(found, _either(more, _by(begun, leads)))
        if inner is not part:
            begun = joined([*first(inner), *begun])
            leads.append(lead(inner))
        elif isinstance(part, Lit):
            leads = [part.text + (behind or "") for behind in leads]
        else:
            again = lead(part.part if isinstance(part, Rep) else part) or None
            leads = [again, *leads] if nullable(part) else [again]
        if inner is part:
            empty, begun = empty and nullable(part), joined([*first(part), *(begun if nullable(part) else ())])
    return _either(found, _by(begun, leads)) if empty else found


def _by(begun: Ranges, leads: list[str | None]) -> _Onward:
    told = tuple(one for one in leads if one)
    return _Onward(begun, None if None in leads else told)


def _optional(node: Node) -> Node:
    """What may stand there or not; the node itself where it is no such choice."""
    if isinstance(node, Rep) and (node.least, node.most) == (0, 1):
        return node.part
    if isinstance(node, Alt) and len(node.options) == 2 and EMPTY in node.options:
        return node.options[0] if node.options[1] == EMPTY else node.options[1]
    return node


def _differ(begun: str, leads: list[str | None]) -> bool:
    """Whether a literal begins none of others, and none of them it."""
    return bool(begun) and all(one and not one.startswith(begun) and not begun.startswith(one) for one in leads)


def _of_alt(node: Alt) -> _Onward | None:
    found = _Onward((), ())
    options = [option for option in node.options if option != EMPTY]
    for at, option in enumerate(options):
        more = _onward(option)
        if more is None or any(not _apart(option, other) for other in options[:at]):
            return None
        found = _either(found, more)
    return _either(found, _Onward(first(node), None)) if nullable(node) else found


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


@functools.lru_cache(maxsize=8192)
def shortest(node: Node) -> int:
    """So many characters every text of a lexeme has."""
    if isinstance(node, Lit):
        return len(node.text)
    if isinstance(node, Text):
        return node.least
    found = list(map(shortest, children(node)))
    if isinstance(node, Rep):
        return node.least * found[0]
    return sum(found) if isinstance(node, Seq) else min(found, default=1)


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


__all__ = ["behind", "extension", "lead", "nullable", "shortest", "walked"]
