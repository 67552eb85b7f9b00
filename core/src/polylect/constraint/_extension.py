"""By which characters a whole text of a node may go on within the node: what a greedy lexer may do at its end."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple

from ._eliminate import alt
from ._leads import all_apart, ways
from ._match import Matcher
from ._ranges import Ranges, atoms, common, joined
from ._tree import EMPTY, Alt, Chars, Lit, Node, Rep, Seq, Text, Tree, children

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
            again = _by(begun, [way or None for way in ways(node.part)])
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


class _Behind(NamedTuple):
    """What stands behind a part of a sequence."""

    onward: _Onward
    """How a text of the whole may go on."""
    begun: Ranges
    """The characters that it begins with."""
    leads: tuple[str | None, ...]
    """What it begins with, way by way; None is anything, "" is nothing more."""
    empty: bool
    """Whether there need not be any."""


def _of_seq(node: Seq) -> _Onward | None:
    behind: _Behind | None = _Behind(_Onward((), ()), (), ("",), True)
    for part in reversed(node.parts):
        if behind is None:
            return None
        behind = _before(part, behind)
    if behind is None:
        return None
    return _either(behind.onward, _by(behind.begun, behind.leads)) if behind.empty else behind.onward


@functools.lru_cache(maxsize=8192)
def _before(part: Node, behind: _Behind) -> _Behind | None:
    """The same with one more part before it; None where it may be split otherwise."""
    found, begun, leads, empty = behind
    inner = _optional(part)
    if inner is not part and not _differ(ways(inner), leads):
        inner = part
    more = _onward(inner)
    if more is None or (common(more.chars, begun) and not (more.leads and _differ(more.leads, leads))):
        return None
    if empty:
        found = _either(found, _either(more, _by(begun, leads)))
    if inner is not part:
        return _Behind(found, joined([*first(inner), *begun]), (*leads, *ways(inner)), empty)
    if isinstance(part, Lit):
        leads = tuple([part.text + (way or "") for way in leads]) if part.text else leads
    else:
        again = tuple([way or None for way in ways(part)])
        leads = (*again, *leads) if nullable(part) else again
    begun = joined([*first(part), *(begun if nullable(part) else ())])
    return _Behind(found, begun, leads, empty and nullable(part))


def _by(begun: Ranges, leads: Iterable[str | None]) -> _Onward:
    told = [one for one in leads if one != ""]
    return _Onward(begun, None if None in told else tuple(one for one in told if one))


def _optional(node: Node) -> Node:
    """What may stand there or not; the node itself where it is no such choice."""
    if isinstance(node, Rep) and (node.least, node.most) == (0, 1):
        return node.part
    if isinstance(node, Alt) and EMPTY in node.options:
        return alt(*(option for option in node.options if option != EMPTY))
    return node


def _differ(ways: Iterable[str], leads: Iterable[str | None]) -> bool:
    """Whether none of these literals begins one of the others, nor one of them it."""
    told = [one for one in leads if one != ""]
    known = [one for one in told if one]
    return len(known) == len(told) and all(
        way and not any(one.startswith(way) or way.startswith(one) for one in known) for way in ways
    )


def _of_alt(node: Alt) -> _Onward | None:
    found = _Onward((), ())
    options = [option for option in node.options if option not in (EMPTY, Lit(""))]
    begun = [way for option in options for way in ways(option)]
    plain = all_apart(begun)
    for at, option in enumerate(options):
        more = _onward(option)
        if more is None or (not plain and any(not _apart(option, other) for other in options[:at])):
            return None
        found = _either(found, more)
    return _either(found, _by(first(node), [way or None for way in begun])) if nullable(node) else found


def _apart(one: Node, other: Node) -> bool:
    """Whether no text of one begins a text of the other, as far as that is plain."""
    begun, second = ways(one), ways(other)
    if all_apart([*begun, *second]):
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


__all__ = ["extension", "first", "nullable", "shortest", "walked"]
