"""What is left of a tree behind a text: what a model may still write where a prompt has begun its turn."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias, cast

from msgspec import structs

from .._errors import ConstraintError
from ..grammar import _patterns as patterns
from ..grammar._patterns import parse, plain
from ._delimiters import NOTHING
from ._dfa import dfa_of
from ._residual import behind
from ._rules import endless
from ._tree import Alt, Chars, Json, Lit, Node, Ref, Rep, Seq, Text, Tree, children


class NothingLeftError(ConstraintError):
    """A tree allows nothing."""


class _Begun(NamedTuple):
    """A free text of which some characters are written."""

    text: Text
    written: str
    state: int
    """Of the text's automaton, behind them."""

    @property
    def may_end(self) -> bool:
        return len(self.written) >= self.text.least and self.state in dfa_of(self.text).ends

    @property
    def key(self) -> tuple[object, ...]:
        """The same for texts of which the same is left."""
        size = len(self.written)
        return self.text, self.state, max(self.text.least - size, 0), None if self.text.most is None else size


Way: TypeAlias = "tuple[Node | _Begun, ...]"
"""Nodes of which each follows the one before; only the first may have been begun."""
DEEPEST = 100
"""Rules that may begin with one another."""


def after(tree: Tree, text: str) -> Tree:
    """The tree of what may follow ``text``.

    Raises:
        ConstraintError: nothing may, as no turn is written so; or the text ends within a call's arguments.
    """
    ways: list[Way] = [(Ref(tree.start),)]
    for at, char in enumerate(text):
        ways = _different(rest for way in ways for rest in _behind(tree, way, char, 0))
        if not ways:
            raise ConstraintError(
                f"No turn that this constraint allows begins with {text[: at + 1][-40:]!r}; give the prefix as the "
                "lect writes it with this tool_choice."
            )
    rules = {**tree.rules}
    name = "begun"
    while name in rules:
        name += "-"
    rules[name] = Alt(tuple(Seq(left) for way in ways if (left := _left(way)) is not None))
    return living(Tree(rules, name)) if text else reachable(Tree(rules, name))


def _different(ways: Iterable[Way]) -> list[Way]:
    """The ways of which different things are left."""
    found: dict[tuple[object, ...], Way] = {}
    for way in ways:
        key = (way[0].key, *way[1:]) if way and isinstance(way[0], _Begun) else way
        found.setdefault(key, way)
    return list(found.values())


def reachable(tree: Tree) -> Tree:
    """The tree without rules that nothing refers to."""
    kept: dict[str, Node] = {}
    left = [tree.start]
    while left:
        name = left.pop()
        if name not in kept:
            kept[name] = tree.rules[name]
            left += referred(kept[name])
    return Tree({name: kept[name] for name in [tree.start, *tree.rules] if name in kept}, tree.start)


def living(tree: Tree) -> Tree:
    """The tree without ways that never come to an end.

    Raises:
        ConstraintError: no way does.
    """
    dead = endless(tree.rules)
    if tree.start in dead:
        raise NothingLeftError("No turn is left that this constraint could allow.")
    rules = {name: node for name, found in tree.rules.items() if name not in dead and (node := _alive(found, dead))}
    return reachable(Tree(rules, tree.start))


def _alive(node: Node, dead: set[str]) -> Node | None:
    if isinstance(node, Ref):
        return None if node.name in dead else node
    if isinstance(node, Seq):
        parts = [_alive(part, dead) for part in node.parts]
        return None if None in parts else Seq(tuple(part for part in parts if part is not None))
    if isinstance(node, Alt):
        options = tuple(kept for option in node.options if (kept := _alive(option, dead)) is not None)
        return Alt(options) if len(options) > 1 else options[0] if options else None
    if isinstance(node, Rep):
        part = _alive(node.part, dead)
        return (None if node.least else Seq(())) if part is None else Rep(part, node.least, node.most)
    return node


def referred(node: Node) -> list[str]:
    """The rules that a node refers to."""
    if type(node) is Ref:
        return [node.name]
    inner = (node.node,) if type(node) is Json else children(node)
    return [name for part in inner for name in referred(part)]


def _behind(tree: Tree, way: Way, char: str, depth: int) -> list[Way]:
    """The ways on behind one character."""
    if not way or depth > DEEPEST:
        return []
    node, rest = way[0], way[1:]
    if isinstance(node, Lit):
        if not node.text:
            return _behind(tree, rest, char, depth)
        return [(Lit(node.text[1:]), *rest)] if node.text[0] == char and len(node.text) > 1 else (
            [rest] if node.text[0] == char else []
        )  # fmt: skip
    if isinstance(node, Chars):
        return [rest] if any(low <= ord(char) <= high for low, high in node.ranges) else []
    if isinstance(node, Seq):
        return _behind(tree, (*node.parts, *rest), char, depth)
    if isinstance(node, Alt):
        return [found for option in node.options for found in _behind(tree, (option, *rest), char, depth)]
    if isinstance(node, Ref):
        return _behind(tree, (tree.rules[node.name], *rest), char, depth + 1)
    if isinstance(node, Rep):
        out = [] if node.least else _behind(tree, rest, char, depth)
        if node.most != 0:
            more = Rep(node.part, max(node.least - 1, 0), None if node.most is None else node.most - 1)
            out += _behind(tree, (node.part, *((more,) if more.most != 0 else ()), *rest), char, depth + 1)
        return out
    if isinstance(node, Text):
        node = _Begun(node, "", 0)
    if isinstance(node, _Begun):
        return [*_in_text(node, char, rest), *(_behind(tree, rest, char, depth) if node.may_end else [])]
    raise ConstraintError(
        "The prefix ends within the arguments of a call; a turn is constrained from before its calls."
    )


def _in_text(begun: _Begun, char: str, rest: Way) -> list[Way]:
    """The text behind one more character; nothing where that completes a delimiter."""
    state = dfa_of(begun.text).step(begun.state, ord(char))
    if state < 0 or len(begun.written) == begun.text.most:
        return []
    return [(begun._replace(written=begun.written + char, state=state), *rest)]


def _left(way: Way) -> tuple[Node, ...] | None:
    """A way with what is left of the text that it begins with; None where nothing is."""
    if not way or not isinstance(way[0], _Begun):
        return cast("tuple[Node, ...]", way)
    begun, rest = way[0], cast("tuple[Node, ...]", way[1:])
    text, written = begun.text, begun.written
    size = len(written)
    most = None if text.most is None else text.most - size
    far = dfa_of(text).far[begun.state]
    if far < 0 or (most is not None and max(far, text.least - size) > most):
        return None  # it can't end, or not in time
    if most == 0:
        return rest
    sources = dict.fromkeys((*text.delimiters, *text.heads))
    for at, char in enumerate(written):
        heads: dict[str, None] = {}
        for source in sources if not at else (*text.delimiters, *sources):
            left = _onward(source, char)
            if left is None:
                return None  # it is a delimiter
            heads |= dict.fromkeys(left)
        sources = heads
    return (structs.replace(text, heads=tuple(sources), least=max(text.least - size, 0), most=most), *rest)


@functools.lru_cache(maxsize=8192)
def _onward(source: str, char: str) -> tuple[str, ...] | None:
    """What a pattern is behind a character; None where it may be over there."""
    found = behind(parse(source), char, ahead=True)
    return None if any(all(map(_met, left)) for left in found) else tuple(map(plain, found))


def _met(node: patterns.Node) -> bool:
    """Whether a delimiter may be over here; what may not follow it is not looked at."""
    if node[0] == "not":
        return bool(node != NOTHING)
    if node[0] in ("alt", "look"):
        return any(all(map(_met, branch)) for branch in (node[1] if node[0] == "alt" else node[1:2]))
    return node[0] == "rep" and (not node[1] or all(map(_met, node[3])))


__all__ = ["NothingLeftError", "after", "living", "reachable", "referred"]
