"""Rules as one expression: right recursion becomes repetition, and so does the automaton of a text."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from .._errors import ConstraintError
from ._printed import counted
from ._ranges import joined
from ._tree import EMPTY, Alt, Chars, Json, Lit, Node, Ref, Rep, Seq, Text, Tree, children

LARGEST, LARGEST_TEXT = 200_000, 60_000
"""So large is an expression of rules, or of a text, at the most; see :func:`size`."""
_Key: TypeAlias = "str | int | None"
Opened: TypeAlias = Callable[[Node], "Node | None"]
_Linear: TypeAlias = dict[_Key, Node]
"""What stands before each rule that an alternative ends in; under None what ends in none."""


# --- nodes ------------------------------------------------------------------------------------------------------


def seq(*nodes: Node) -> Node:
    """One behind another, literals joined."""
    out: list[Node] = []
    for node in nodes:
        for part in node.parts if type(node) is Seq else (node,):
            if type(part) is Lit:
                if out and type(last := out[-1]) is Lit:
                    out[-1] = Lit(last.text + part.text)
                elif part.text:
                    out.append(part)
            elif part != EMPTY:
                out.append(part)
    return out[0] if len(out) == 1 else Seq(tuple(out))


def alt(*nodes: Node) -> Node:
    """One of several; characters joined, none twice."""
    out: list[Node] = []
    for node in nodes:
        for option in node.options if isinstance(node, Alt) else (node,):
            if option not in out:
                out.append(option)
    chars = [option for option in out if isinstance(option, Chars)]
    if len(chars) > 1:
        all_of_them = Chars(joined(one for option in chars for one in option.ranges))
        out = [option for option in out if not isinstance(option, Chars)] + [all_of_them]
    return out[0] if len(out) == 1 else Alt(tuple(out))


def star(node: Node) -> Node:
    """Any number of it."""
    options = [option for option in (node.options if isinstance(node, Alt) else (node,)) if option != EMPTY]
    bare = alt(*options) if options else EMPTY
    if bare == EMPTY:
        return EMPTY
    return bare if isinstance(bare, Rep) and (bare.least, bare.most) == (0, None) else Rep(bare, 0, None)


@functools.lru_cache(maxsize=8192)
def has_text(node: Node) -> bool:
    """Whether there is free text in a node."""
    return type(node) is Text or any(map(has_text, children(node)))


def retold(node: Node, change: Callable[[Text], Text]) -> Node:
    """The node with its free texts changed."""
    if type(node) is Text:
        return change(node)
    if not has_text(node):
        return node
    return _with_children(node, tuple([retold(part, change) for part in children(node)]))


def _with_children(node: Node, found: tuple[Node, ...]) -> Node:
    """The node with these nodes in it instead of its own."""
    if all(map(operator.is_, found, children(node))):
        return node
    if type(node) is Rep:
        return Rep(found[0], node.least, node.most)
    return Seq(found) if type(node) is Seq else Alt(found)


def refs(node: Node, inside: bool = True) -> set[str]:
    """The rules that a node refers to; ``inside``: also within JSON values."""
    found: set[str] = set()
    todo = [node]
    while todo:
        at = todo.pop()
        if type(at) is Ref:
            found.add(at.name)
        elif type(at) is Json:
            todo += [at.node] if inside else []
        else:
            todo += children(at)
    return found


# --- texts ------------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=512)
def expression(text: Text, reach: int | None = None) -> Node | None:
    """A text without delimiters: characters, alternatives and repeats; None where that would be too large.

    Args:
        text: the text.
        reach: how much of each delimiter is told from other text: so many characters, groups and repeats.
    """
    found = counted(text, reach)
    if found is None:
        return None
    equations: dict[_Key, _Linear] = {}
    for state, row in enumerate(found.rows):
        made: _Linear = {to: Chars(ranges) for ranges, to in row}
        if state in found.ends:
            made[None] = EMPTY
        equations[state] = made
    try:
        return _solved(equations, [0], LARGEST_TEXT)[0]
    except _TooLargeError:
        return None


# --- rules ------------------------------------------------------------------------------------------------------


def eliminated(tree: Tree, inside: bool) -> Node:
    """The whole tree as one node without references.

    Args:
        tree: the tree.
        inside: JSON values become what they are made of; else they stay.

    Raises:
        ConstraintError: a rule refers to itself from within.
    """
    solved = solve(tree.rules, [tree.start], lambda node: node.node if inside and isinstance(node, Json) else None)
    return solved[tree.start]


def solve(rules: Mapping[str, Node], wanted: Iterable[str], opened: Opened) -> dict[str, Node]:
    """The wanted rules, and those that they refer to, without references.

    Args:
        rules: the rules.
        wanted: names of some of them.
        opened: gives for a node what is to stand in its place, if anything.

    Raises:
        ConstraintError: a rule refers to itself from within.
    """
    bare = {name: _opened(node, opened) for name, node in rules.items()}
    solved: dict[str, Node] = {}
    for group in groups({name: refs(node, False) & bare.keys() for name, node in bare.items()}, wanted):
        solved |= _solved_group(bare, group, solved)
    return solved


def solve_group(
    rules: Mapping[str, Node], group: list[str], opened: Opened, solved: Mapping[str, Node]
) -> dict[str, Node]:
    """As :func:`solve`, for rules that refer to one another and to those solved before; other references stay."""
    return _solved_group({name: _opened(rules[name], opened) for name in group}, group, solved)


def _solved_group(bare: Mapping[str, Node], group: list[str], solved: Mapping[str, Node]) -> dict[str, Node]:
    inner: dict[_Key, _Linear] = {name: _linear(bare[name], set(group), solved, name) for name in group}
    try:
        return dict(zip(group, _solved(inner, list(group), LARGEST), strict=True))
    except _TooLargeError:
        raise ConstraintError(f"The rule {group[0]!r} is too large to be written without rules.") from None


@functools.lru_cache(maxsize=8192)
def _plain(node: Node) -> Node | None:
    """A node that holds neither references nor JSON values, its parts joined; None where it holds some."""
    if type(node) is Ref or type(node) is Json:
        return None
    parts = [found for part in children(node) if (found := _plain(part)) is not None]
    if len(parts) < len(children(node)):
        return None
    if type(node) is Seq:
        return seq(*parts)
    if type(node) is Alt:
        return functools.reduce(alt, parts) if parts else node
    return _with_children(node, tuple(parts))


def _opened(node: Node, opened: Opened) -> Node:
    if _plain(node) is not None:
        return node
    found = opened(node)
    if found is not None:
        return _opened(found, opened)
    return _with_children(node, tuple([_opened(part, opened) for part in children(node)]))


def groups(graph: Mapping[str, set[str]], wanted: Iterable[str]) -> list[list[str]]:
    """The rules that are reached, those together that reach one another; who is referred to comes first."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    out: list[list[str]] = []
    for root in wanted:
        if root in index:
            continue
        work = [(root, iter(sorted(graph[root])))]
        index[root] = low[root] = len(index)
        stack.append(root)
        while work:
            name, rest = work[-1]
            target = next(rest, None)
            if target is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    at = stack.index(name)
                    out.append(stack[at:])
                    for done in stack[at:]:
                        low[done] = 1 << 60
                    del stack[at:]
            elif target not in index:
                index[target] = low[target] = len(index)
                stack.append(target)
                work.append((target, iter(sorted(graph[target]))))
            elif low[target] < 1 << 60:
                low[name] = min(low[name], index[target])
    return out


def _linear(node: Node, group: set[str], solved: Mapping[str, Node], name: str) -> _Linear:
    if (plain := _plain(node)) is not None:
        return {None: plain}
    if type(node) is Ref:
        return {node.name: EMPTY} if node.name in group else {None: solved.get(node.name, node)}
    if type(node) is Alt:
        out: _Linear = {}
        for option in _shared_ends(node.options, solved):
            for key, before in _linear(option, group, solved, name).items():
                out[key] = alt(out[key], before) if key in out else before
        return out
    if type(node) is Seq and node.parts:
        front: Node = EMPTY
        for part in node.parts[:-1]:
            found = _linear(part, group, solved, name)
            if set(found) != {None}:
                raise ConstraintError(f"The rule {name!r} refers to itself from within, which takes a stack.")
            front = seq(front, found[None])
        last = _linear(node.parts[-1], group, solved, name)
        return {key: seq(front, before) for key, before in last.items()}
    if type(node) is Rep:
        found = _linear(node.part, group, solved, name)
        if set(found) != {None}:
            raise ConstraintError(f"The rule {name!r} refers to itself from within, which takes a stack.")
        return {None: Rep(found[None], node.least, node.most)}
    return {None: node}


def _shared_ends(options: tuple[Node, ...], solved: Mapping[str, Node]) -> list[Node]:
    """The options, those as one that end in the same rule: it is written out once for them."""
    out: dict[str | int, list[Node]] = {}
    for number, option in enumerate(options):
        last = option.parts[-1] if type(option) is Seq and option.parts else option
        shared = last.name if type(last) is Ref and last.name in solved else None
        out.setdefault(number if shared is None else shared, []).append(option)
    return [
        some[0] if len(some) == 1 else Seq((alt(*map(_without_last, some)), Ref(str(end)))) for end, some in out.items()
    ]


def _without_last(node: Node) -> Node:
    return seq(*node.parts[:-1]) if isinstance(node, Seq) else EMPTY


@functools.lru_cache(maxsize=8192)
def size(node: Node) -> int:
    """How large a node is when it is printed, roughly."""
    if type(node) is Lit:
        return 1 + len(node.text) // 4
    return 1 + (len(node.ranges) // 2 if type(node) is Chars else sum(map(size, children(node))))


class _TooLargeError(Exception):
    """An expression grew beyond its limit."""


def _solved(equations: dict[_Key, _Linear], wanted: list[_Key], most: int) -> list[Node]:
    """Solve linear equations by taking one unknown after another out of the others."""
    return [_solve_one({key: dict(row) for key, row in equations.items()}, key, most) for key in wanted]


def _solve_one(rows: dict[_Key, _Linear], wanted: _Key, most: int) -> Node:
    if rows[wanted].keys() == {None}:
        return seq(rows[wanted][None])
    rows = {key: rows[key] for key in _reached(rows, wanted)}
    sizes: dict[int, tuple[Node, int]] = {}

    def sized(node: Node) -> int:
        known = sizes.get(id(node))
        if known is None:
            inner = sum(map(sized, children(node)))
            known = sizes[id(node)] = (node, 1 + inner if inner else size(node))
        return known[1]

    left = set(rows) - {wanted}
    into: dict[_Key, set[_Key]] = {key: set() for key in rows}
    for key, row in rows.items():
        for to in row:
            if to is not None:
                into[to].add(key)

    def cost(key: _Key) -> int:
        row = rows[key]
        users = [user for user in into[key] if user != key]
        loop = sized(row[key]) if key in row else 0
        outs = [sized(node) for to, node in row.items() if to != key]
        before = sum(sized(rows[user][key]) for user in users)
        return before * len(outs) + (sum(outs) + loop * len(outs)) * len(users)

    costs = {key: cost(key) for key in left}
    while left:
        key = min(left, key=lambda one: (costs[one], str(one)))
        left.discard(key)
        row = rows.pop(key)
        loop = star(row.pop(key)) if key in row else EMPTY
        touched = set(row) - {None}
        for to in touched:
            into[to].discard(key)
        for user in into.pop(key) - {key}:
            before = rows[user].pop(key)
            touched.add(user)
            for to, node in row.items():
                made = seq(before, loop, node)
                made = rows[user][to] = alt(rows[user][to], made) if to in rows[user] else made
                if sized(made) > most:
                    raise _TooLargeError
                if to is not None:
                    into[to].add(user)
        for one in touched:
            if one in left:
                costs[one] = cost(one)
        for one in {user for key in touched if key in into for user in into[key]}:
            if one in left:
                costs[one] = cost(one)
    row = rows[wanted]
    loop = star(row.pop(wanted)) if wanted in row else EMPTY
    return seq(loop, row[None]) if None in row else Alt(())


def _reached(rows: dict[_Key, _Linear], wanted: _Key) -> list[_Key]:
    found = {wanted: None}
    todo = [wanted]
    for key in todo:
        for to in rows[key]:
            if to is not None and to not in found:
                found[to] = None
                todo.append(to)
    return list(found)


__all__ = [
    *(
        "alt",
        "eliminated",
        "expression",
        "groups",
        "has_text",
        "refs",
        "retold",
        "seq",
        "size",
        "solve",
        "solve_group",
        "star",
    ),
]
