"""Patterns of schemas as nodes over the characters of the value, before these are written in some notation."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any, NamedTuple

from ._ranges import common
from ._rules import ANY_CHAR, rep, seq, without
from ._tree import EMPTY, Alt, Chars, Node, Range, Rep, Seq

_SPACE: tuple[Range, ...] = (
    (9, 13), (32, 32), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F),
    (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
_DIGITS: tuple[Range, ...] = ((0x30, 0x39),)
_WORD: tuple[Range, ...] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SURE = {sre.CATEGORY_SPACE: _SPACE, sre.CATEGORY_DIGIT: _DIGITS, sre.CATEGORY_WORD: _WORD}
"""What Python's classes and ECMAScript's have in common."""
_MAYBE = {
    sre.CATEGORY_SPACE: ((9, 13), (0x1C, 0x20), (0x85, 0x85), *_SPACE[2:], (0xFEFF, 0xFEFF)),
    sre.CATEGORY_DIGIT: (*_DIGITS, (0x660, 0x10FFFF)),
    sre.CATEGORY_WORD: (*_WORD, (0x80, 0x10FFFF)),
}
"""What one of them has."""
_NOT = {
    sre.CATEGORY_NOT_SPACE: sre.CATEGORY_SPACE,
    sre.CATEGORY_NOT_DIGIT: sre.CATEGORY_DIGIT,
    sre.CATEGORY_NOT_WORD: sre.CATEGORY_WORD,
}
ANY = Chars(ANY_CHAR)
NEVER = Chars(())
MAX_REPEATS = 5000


class UnwritableError(Exception):
    """A pattern that no node says; the message says what is in it."""


class Pattern(NamedTuple):
    """The values that a pattern is found in: ``node`` over characters, and whether any text may stand on its sides."""

    node: Node
    open_start: bool
    open_end: bool
    narrowed: bool = False
    """Whether less is said than the pattern allows."""

    def whole(self) -> Node:
        """The node with what may stand around it."""
        before, behind = (rep(ANY, 0, None) if is_open else EMPTY for is_open in (self.open_start, self.open_end))
        return seq(before, self.node, behind)


@functools.lru_cache(maxsize=512)
def patterns(source: str) -> tuple[Pattern, ...]:
    """The alternatives of a pattern.

    Raises:
        UnwritableError: it has something that no node says.
    """
    try:
        tree = sre_parser.parse(source)
    except (re.error, OverflowError, RecursionError) as error:
        raise UnwritableError(f"Python can't read it: {error}") from None
    if tree.state.flags & ~re.U:
        raise UnwritableError("it has flags")
    reader = _Reader()
    found = [reader.anchored(branch) for branch in _branches(list(tree))]
    return tuple(part._replace(narrowed=reader.narrowed) for part in found)


def _branches(items: list[Any]) -> Iterable[list[Any]]:
    """The alternatives of the whole pattern, so that anchors in groups at its ends stand at the ends of these."""
    for at in (0, -1):
        while items and _is_group(items[at]) and _is_anchored(items[at]):
            op, value = items[at]
            branches = value[1] if op is sre.BRANCH else [value[3]]
            for branch in branches:
                yield from _branches([*branch, *items[1:]] if at == 0 else [*items[:-1], *branch])
            return
    inner = [item for item in items if item[0] is not sre.AT]
    if len(inner) == 1 and _is_group(inner[0]) and _is_anchored(inner[0]):
        at = items.index(inner[0])
        op, value = inner[0]
        for branch in value[1] if op is sre.BRANCH else [value[3]]:
            yield from _branches([*items[:at], *branch, *items[at + 1 :]])
        return
    yield items


def _is_group(item: Any) -> bool:
    return item[0] is sre.BRANCH or (item[0] is sre.SUBPATTERN and not item[1][1] and not item[1][2])


def _is_anchored(item: Any) -> bool:
    """Whether anchors are in a group."""
    op, value = item
    branches = value[1] if op is sre.BRANCH else [value[3]]
    return any(x[0] is sre.AT or (_is_group(x) and _is_anchored(x)) for branch in branches for x in branch)


class _Reader:
    def __init__(self) -> None:
        self.narrowed = False

    def anchored(self, items: list[Any]) -> Pattern:
        """One alternative, with its anchors."""
        begin, end = 0, len(items)
        while begin < end and items[begin][0] is sre.AT and items[begin][1] in (
            sre.AT_BEGINNING, sre.AT_BEGINNING_STRING,
        ):  # fmt: skip
            begin += 1
        while end > begin and items[end - 1][0] is sre.AT and items[end - 1][1] in (sre.AT_END, sre.AT_END_STRING):
            end -= 1
        return Pattern(self.sequence(items[begin:end]), begin == 0, end == len(items))

    def sequence(self, items: Iterable[Any]) -> Node:
        """Items of a parsed pattern as a node."""
        return seq(*(self.item(op, value) for op, value in items))

    def item(self, op: Any, value: Any) -> Node:
        """One item."""
        if op is sre.LITERAL:
            return Chars(common(((value, value),), ANY_CHAR))
        if op is sre.NOT_LITERAL:
            return Chars(without(ANY_CHAR, ((value, value),)))
        if op is sre.ANY:
            return Chars(without(ANY_CHAR, ((10, 10),)))
        if op is sre.IN:
            return Chars(self.characters(value))
        if op is sre.SUBPATTERN:
            if value[1] or value[2]:
                raise UnwritableError("it has flags")
            return self.sequence(value[3])
        if op is sre.BRANCH:
            return Alt(tuple(self.sequence(branch) for branch in value[1]))
        if op in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            low, high, inner = value
            if low > MAX_REPEATS or (high is not sre.MAXREPEAT and high > MAX_REPEATS):
                raise UnwritableError(f"it repeats more than {MAX_REPEATS} times")
            return _repeated(self.sequence(inner), low, None if high is sre.MAXREPEAT else high)
        names: dict[Any, str] = {
            sre.AT: "an anchor within it", sre.ASSERT: "a look around", sre.ASSERT_NOT: "a look around",
            sre.GROUPREF: "a back-reference", sre.GROUPREF_EXISTS: "a condition",
            sre.POSSESSIVE_REPEAT: "a possessive repeat", sre.ATOMIC_GROUP: "an atomic group",
        }  # fmt: skip
        raise UnwritableError(f"it has {names.get(op, 'a construct without a name')}")

    def characters(self, items: Any) -> tuple[Range, ...]:
        """The characters of a set."""
        negated = items[0][0] is sre.NEGATE
        found: list[Range] = []
        for op, value in items[negated:]:
            if op is sre.LITERAL:
                found.append((value, value))
            elif op is sre.RANGE:
                found.append(value)
            elif value in _SURE:
                found += _MAYBE[value] if negated else _SURE[value]
                self.narrowed |= negated and value is not sre.CATEGORY_SPACE
            else:
                known = _NOT[value]
                inside = _SURE[known] if negated else _MAYBE[known]
                found += without(ANY_CHAR, inside)
                self.narrowed |= not negated and known is not sre.CATEGORY_SPACE
        return without(ANY_CHAR, found) if negated else common(found, ANY_CHAR)


def _repeated(node: Node, low: int, high: int | None) -> Node:
    """A repeat whose inside is never empty."""
    if width(node) == (0, 0):
        return EMPTY
    if width(node)[0] == 0:
        return rep(filled(node), 0, high)
    return rep(node, low, high)


def filled(node: Node) -> Node:
    """A node without the empty text."""
    if width(node)[0] > 0:
        return node
    if isinstance(node, Rep):
        return rep(filled(node.part), max(node.least, 1), node.most)
    if isinstance(node, Alt):
        return Alt(tuple(filled(option) for option in node.options if width(option) != (0, 0)))
    assert isinstance(node, Seq)
    options = [seq(filled(part), *node.parts[at + 1 :]) for at, part in enumerate(node.parts) if width(part) != (0, 0)]
    return Alt(tuple(options))


def width(node: Node) -> tuple[int, int | None]:
    """The least and the most characters of a node over characters."""
    if isinstance(node, Chars):
        return 1, 1
    if isinstance(node, Seq):
        sizes = [width(part) for part in node.parts]
        return sum(low for low, _ in sizes), _sum([high for _, high in sizes])
    if isinstance(node, Alt):
        sizes = [width(option) for option in node.options]
        highs = [high for _, high in sizes]
        most = None if None in highs else max((high for high in highs if high is not None), default=0)
        return min((low for low, _ in sizes), default=0), most
    assert isinstance(node, Rep)
    low, high = width(node.part)
    return low * node.least, 0 if high == 0 else None if high is None or node.most is None else high * node.most


def _sum(sizes: list[int | None]) -> int | None:
    return None if None in sizes else sum(size for size in sizes if size is not None)


def clipped(node: Node, least: int, most: int | None) -> tuple[Node | None, bool]:
    """The part of a node that has so many characters, and whether it is all of that part.

    A node with several parts of any length is given less than all: each gets its share.
    """
    low, high = width(node)
    if (most is not None and low > most) or (high is not None and high < least):
        return None, True
    if low >= least and (most is None or (high is not None and high <= most)):
        return node, True
    if isinstance(node, Alt):
        found = [clipped(option, least, most) for option in node.options]
        kept = tuple(option for option, _ in found if option is not None)
        return (Alt(kept) if kept else None), all(exact for _, exact in found)
    if isinstance(node, Rep):
        return _clipped_repeat(node, least, most)
    assert isinstance(node, Seq)
    sizes = [width(part) for part in node.parts]
    loose = [at for at, (begin, end) in enumerate(sizes) if begin != end]
    parts = list(node.parts)
    slack = None if most is None else most - low
    missing = max(0, least - low)
    exact = len(loose) == 1
    for count, at in enumerate(loose):
        begin, end = sizes[at]
        left = len(loose) - count
        lift = missing if left == 1 else -(-missing // left)
        lift = lift if end is None else min(lift, end - begin)
        share = None if slack is None else max(lift, slack if left == 1 else slack // left)
        part, is_all = clipped(parts[at], begin + lift, None if share is None else begin + share)
        if part is None:
            return None, False
        parts[at] = part
        exact = exact and is_all
        got, top = width(part)
        missing = max(0, missing - (got - begin))
        if slack is not None:
            slack -= (share or 0) if top is None else top - begin
            slack = max(slack, 0)
    return (seq(*parts), exact) if not missing else (None, False)


def _clipped_repeat(node: Rep, least: int, most: int | None) -> tuple[Node | None, bool]:
    low, high = width(node.part)
    if not low:
        return None, False
    exact = low == high
    begin = max(node.least, -(-least // low))
    end = node.most
    if most is not None:
        if high is None:
            part, _ = clipped(node.part, low, most // max(begin, 1))
            return (None, False) if part is None else (clipped(rep(part, node.least, node.most), least, most)[0], False)
        end = most // high if end is None else min(end, most // high)
    if end is not None and begin > end:
        return None, exact
    return rep(node.part, begin, end), exact


def starting(node: Node, banned: tuple[Range, ...]) -> Node | None:
    """The part of a node that does not begin with one of these characters; None where there is none."""
    if isinstance(node, Chars):
        kept = without(node.ranges, banned)
        return Chars(kept) if kept else None
    if isinstance(node, Alt):
        options = tuple(x for option in node.options if (x := starting(option, banned)) is not None)
        return Alt(options) if options else None
    if isinstance(node, Rep):
        first = starting(filled(node.part), banned)
        rest = rep(node.part, max(node.least - 1, 0), None if node.most is None else node.most - 1)
        options = () if first is None or node.most == 0 else (seq(first, rest),)
        options += (EMPTY,) if width(node)[0] == 0 else ()
        return Alt(options) if options else None
    assert isinstance(node, Seq)
    options = ()
    for at, part in enumerate(node.parts):
        first = starting(filled(part), banned) if width(part) != (0, 0) else None
        options += () if first is None else (seq(first, *node.parts[at + 1 :]),)
        if width(part)[0] > 0:
            return Alt(options) if options else None
    return Alt((*options, EMPTY))


def backwards(node: Node) -> Node:
    """The node of the texts written from their ends."""
    if isinstance(node, Seq):
        return Seq(tuple(backwards(part) for part in reversed(node.parts)))
    if isinstance(node, Alt):
        return Alt(tuple(backwards(option) for option in node.options))
    return Rep(backwards(node.part), node.least, node.most) if isinstance(node, Rep) else node


def ending(node: Node, banned: tuple[Range, ...]) -> Node | None:
    """The part of a node that does not end with one of these characters; None where there is none."""
    found = starting(backwards(node), banned)
    return None if found is None else backwards(found)


def is_empty(node: Node) -> bool:
    """Whether no text is left of a node, because a set of characters is empty."""
    if isinstance(node, Chars):
        return not node.ranges
    if isinstance(node, Seq):
        return any(is_empty(part) for part in node.parts)
    if isinstance(node, Alt):
        return all(is_empty(option) for option in node.options)
    return isinstance(node, Rep) and node.least > 0 and is_empty(node.part)


__all__ = [
    "ANY", "NEVER", "Pattern", "UnwritableError", "clipped", "ending", "filled", "is_empty", "patterns",
    "starting", "width",
]  # fmt: skip
