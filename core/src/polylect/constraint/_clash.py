"""Whether a greedy lexer that reads one lexeme to its end would go on, by it or by another one."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator

from ._begins import begun_by, first_chars
from ._eliminate import seq
from ._extension import extension, first, nullable, shortest
from ._head import (
    Head,
    anywhere,
    apart,
    cut,
    ended,
    ends_alike,
    head,
    refused,
    slips,
    text_first,
    texts_in,
    unended,
)
from ._leads import OVER, beginnings, behind, lead
from ._match import Matcher, States
from ._ranges import Ranges, atoms, common, joined
from ._tree import EMPTY, Alt, Lit, Node, Range, Rep, Seq, Text, Tree

STEPS = 300
"""So many pairs of states are looked at; beyond, lexemes count as clashing."""
NONE = Alt(())
FIRST_MARK = 0x100000
"""Private characters from here on stand for free texts."""


def clash(one: Node, other: Node, after: Ranges) -> bool:
    """Whether behind a text of ``one``, with a character of ``after``, ``other`` could go on."""
    if isinstance(other, Lit) and len(other.text) <= shortest(one):
        return False
    one, other = anywhere(one), anywhere(other)
    while one != NONE != other and not apart(begun := head(one), second := head(other)):
        if isinstance(one, Lit) and isinstance(other, Lit):
            return len(other.text) > len(one.text) and any(
                low <= ord(other.text[len(one.text)]) <= high for low, high in after
            )
        if one == EMPTY:
            return bool(common(first_chars(other, {}), after))
        if other == EMPTY or _in_none(begun, other):
            return False
        if ends_alike(begun, second):
            one, other = text_first(one)[1], text_first(other)[1]
            continue
        left = _options_left(one, other) or _behind_lead(one, other) or _behind_same(one, other)
        if left is None:
            return _clash(one, other, after)
        one, other = left
    return False


def _in_none(begun: Head, other: Node) -> bool:
    """Whether what begins so is in no free text that the other is."""
    if not isinstance(other, Text):
        return False
    if begun.text:
        return begun.text == other and ended(other, begun.rest) is not None
    return refused(begun.rest, other) is not None


def _options_left(one: Node, other: Node) -> tuple[Node, Node] | None:
    """Two nodes without options that are apart from the other one; None where there are none."""
    for node, second in ((one, other), (other, one)):
        if isinstance(node, Alt):
            told = head(second)
            options = tuple(option for option in node.options if not apart(head(option), told))
            if len(options) < len(node.options):
                less = options[0] if len(options) == 1 else Alt(options)
                return (less, other) if node is one else (one, less)
    return None


def _behind_lead(one: Node, other: Node) -> tuple[Node, Node] | None:
    """What is left of two nodes behind a literal that both begin with: names of tools, for instance."""
    size = min(len(lead(one)), len(lead(other)))
    return (seq(behind(one, size)), seq(behind(other, size))) if size else None


def _behind_same(one: Node, other: Node) -> tuple[Node, Node] | None:
    """What is left of two nodes behind a first part that both have, where it is plain that it ends there."""
    if isinstance(one, Seq) and isinstance(other, Seq) and one != other and one.parts[:1] == other.parts[:1] != ():
        rest, other_rest = Seq(one.parts[1:]), Seq(other.parts[1:])
        more = None if isinstance(one.parts[0], Text) else extension(one.parts[0])
        if more is not None and not any(
            nullable(some) or common(first_chars(some, {}), more) for some in (rest, other_rest)
        ):
            return rest, other_rest
    return None


@functools.lru_cache(maxsize=4096)
def _clash(one: Node, other: Node, after: Ranges) -> bool:
    texts = texts_in(other)
    if one == other and not texts:
        found_by_parts = extension(one)
        return found_by_parts is None or bool(common(found_by_parts, after))
    if texts and texts_in(one):
        if _ended_otherwise(one, other, after):
            return True
        both = _in_order(texts | texts_in(one))
        left, right = _marked(one, both), _marked(other, both)
        begun, second = lead(left), lead(right)
        differ = (at for at, (a, b) in enumerate(zip(begun, second, strict=False)) if a != b)
        same = next(differ, min(len(begun), len(second)))
        if same < min(len(begun), len(second)) and max(begun[same], second[same]) < chr(FIRST_MARK):
            return False
        found = _walk(behind(left, same), behind(right, same), after, both)
        if found is not None:
            return found
    return bool(_walk(one, other, after))


def _ended_otherwise(one: Node, other: Node, after: Ranges) -> bool:
    """Whether free texts in one, or those in its place in the other, need not end where it says that they do."""
    texts = texts_in(one) | texts_in(other)
    if any(unended(text, end.rstrip(OVER)) for end in _endings(one) for text in texts):
        return True
    text, rest = text_first(one)
    same, other_rest = text_first(other)
    if text is None or text != same:
        return _slips_within(one, other)
    ends = [end.rstrip(OVER) for end in beginnings(rest, (OVER,))]  # one is whole there
    others = beginnings(other_rest, (OVER,))
    return (
        _slips_within(rest, other_rest)
        or any(
            at > len(lead(rest)) or clash(behind(rest, at), other_rest, after)
            for at in _slip_places(text, ends, others)
        )
        or any(
            at > len(lead(other_rest)) or clash(rest, behind(other_rest, at), after)
            for at in _slip_places(text, others, ends)
        )
    )


def _slip_places(text: Text, ends: Iterable[str], others: Iterable[str]) -> set[int]:
    short, others = {cut(text, end) for end in ends}, {cut(text, end) for end in others}
    return {at for end in short for following in others for at in slips(text, end, following)}


def _slips_within(one: Node, other: Node) -> bool:
    ended, following = [end.rstrip(OVER) for end in _endings(one)], _endings(other)
    return any(
        _slip_places(text, ended, (*following, *_endings(one))) or _slip_places(text, following, ended)
        for text in texts_in(one) | texts_in(other)
    )


@functools.lru_cache(maxsize=8192)
def _marked(node: Node, texts: tuple[Text, ...]) -> Node:
    """The node with a sign in the place of each free text, which what follows it ends wherever it began."""
    if isinstance(node, Text):
        return Lit(chr(FIRST_MARK + texts.index(node)))
    if isinstance(node, Seq):
        return Seq(tuple(_marked(part, texts) for part in node.parts))
    if isinstance(node, Alt):
        return Alt(tuple(_marked(option, texts) for option in node.options))
    return Rep(_marked(node.part, texts), node.least, node.most) if isinstance(node, Rep) else node


def _in_order(texts: frozenset[Text]) -> tuple[Text, ...]:
    return tuple(sorted(texts, key=lambda text: (text.delimiters, text.heads, text.least, text.most or -1)))


@functools.lru_cache(maxsize=1024)
def _endings(node: Node) -> tuple[str, ...]:
    """The literals that follow the free texts in a node, as far as they are literal."""
    found: dict[str, None] = {}
    beginnings(node, (OVER,), found)
    return tuple(found)


@functools.lru_cache(maxsize=512)
def _matcher(node: Node) -> Matcher:
    return Matcher(Tree({"one": node}, "one"))


@functools.lru_cache(maxsize=4096)
def _walk(one: Node, other: Node, after: Ranges, marks: tuple[Text, ...] = ()) -> bool | None:
    """Read both side by side; None where one of them has a free text, and the other something else.

    ``marks``: the free texts that have signs in the nodes, in the order of the signs.
    """
    if one == other and (not marks or _lined(one, marks)):
        found = extension(one)
        return found is None or bool(common(_unmarked(found, marks), after))
    first, second = _matcher(one), _matcher(other)
    if not marks and not second.begins(lead(one)):
        return False
    states = first.start
    for char in "" if marks else lead(other):
        if first.is_end(states) and any(low <= ord(char) <= high for low, high in after):
            return True
        states = first.step(states, char)
        if not states:
            return False
    try:
        for left, _, more, arcs in _side_by_side(first, second):
            if first.is_end(left) and any(common(ranges, after) or (marks and _is_mark(ranges)) for ranges in arcs):
                return True
            if marks and arcs and more and not _aligned(arcs, more, marks):
                return None
    except _TooManyError:
        return True
    return False


@functools.lru_cache(maxsize=4096)
def meet(one: Node, other: Node) -> bool:
    """Whether some text may be either of two lexemes."""
    one, other = anywhere(one), anywhere(other)
    while one != NONE != other and not apart(head(one), head(other)):
        if EMPTY in (one, other):
            return nullable(one) and nullable(other)
        if any(isinstance(x, Lit) and len(x.text) < shortest(y) for x, y in ((one, other), (other, one))):
            return False
        left = _options_left(one, other) or _behind_lead(one, other)
        if left is None:
            return _meet(one, other)
        one, other = left
    return False


def _meet(one: Node, other: Node) -> bool:
    first, second = _matcher(one), _matcher(other)
    try:
        return any(first.is_end(left) and second.is_end(right) for left, right, _, _ in _side_by_side(first, second))
    except _TooManyError:
        return True


class _TooManyError(Exception):
    """More pairs of states than are looked at."""


def _side_by_side(one: Matcher, other: Matcher) -> Iterator[tuple[States, States, list[Ranges], list[Ranges]]]:
    """The states that the same texts lead to in both, and what may come next in either."""
    todo = [(one.start, other.start)]
    seen = set(todo)
    for left, right in todo:
        more, arcs = one.next_chars(left), other.next_chars(right)
        yield left, right, more, arcs
        for mask, ranges in atoms([*more, *arcs]):
            if mask:
                char = chr(ranges[0][0])
                pair = one.step(left, char), other.step(right, char)
                if all(pair) and pair not in seen:
                    seen.add(pair)
                    todo.append(pair)
        if len(seen) > STEPS:
            raise _TooManyError


@functools.lru_cache(maxsize=1024)
def _lined(node: Node, marks: tuple[Text, ...]) -> bool:
    """Whether free texts, of which there are the signs, can only begin where nothing else may stand."""
    if isinstance(node, Seq):
        begun: Ranges = ()
        for part in reversed(node.parts):
            if not _lined(part, marks) or not _told_apart((*(extension(part) or ()), *begun), marks):
                return False
            begun = joined([*first(part), *(begun if nullable(part) else ())])
            if not _told_apart(begun, marks):
                return False
        return True
    if isinstance(node, Alt):
        return all(_lined(option, marks) for option in node.options) and _told_apart(first(node), marks)
    return not isinstance(node, Rep) or (
        _lined(node.part, marks) and _told_apart((*(extension(node.part) or ()), *first(node.part)), marks)
    )


def _told_apart(ranges: Iterable[Range], marks: tuple[Text, ...]) -> bool:
    """Whether no free text among these begins with one of the characters."""
    begun, rest = _texts_among(ranges, marks)
    return not any(common(begun_by(text), rest) for text in begun)


def _texts_among(ranges: Iterable[Range], marks: tuple[Text, ...]) -> tuple[list[Text], list[Range]]:
    """The free texts that have signs among these characters, and the other characters."""
    last = FIRST_MARK + len(marks)
    signs = [sign for low, high in ranges if FIRST_MARK <= low < last for sign in range(low, min(high + 1, last))]
    return [marks[sign - FIRST_MARK] for sign in signs], [one for one in ranges if not FIRST_MARK <= one[0] < last]


def _unmarked(ranges: Ranges, marks: tuple[Text, ...]) -> Ranges:
    """These characters, and in the place of signs what the free texts begin with."""
    begun, rest = _texts_among(ranges, marks)
    return joined([*rest, *(one for text in begun for one in begun_by(text))])


def _aligned(arcs: list[Ranges], more: list[Ranges], marks: tuple[Text, ...]) -> bool:
    """Whether free texts can only begin on both sides together."""
    both = [one for ranges in (*arcs, *more) for one in ranges]
    return not any(low >= FIRST_MARK for low, _ in both) or (set(arcs) == set(more) and _told_apart(both, marks))


def _is_mark(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1] >= FIRST_MARK


__all__ = ["clash", "meet"]
