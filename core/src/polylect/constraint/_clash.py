"""Whether a greedy lexer that reads one lexeme to its end would go on, by it or by another one."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import structs

from ._begins import begun_by, first_chars
from ._delimiters import BLANK
from ._dfa import text_dfa
from ._eliminate import children, retold
from ._extension import behind, extension, first, lead, nullable, shortest
from ._match import Matcher, States
from ._ranges import Ranges, atoms, common, joined
from ._tree import ANYWHERE, EMPTY, Alt, Lit, Node, Range, Rep, Seq, Text, Tree

STEPS = 300
"""So many pairs of states are looked at; beyond, lexemes count as clashing."""
ENDING = 48
"""So many characters of what follows a text are looked at."""
OVER = "\U0010ffff"
"""This private character stands for the end of a lexeme."""
FIRST_MARK = 0x100000
"""Private characters from here on stand for free texts."""


def clash(one: Node, other: Node, after: Ranges) -> bool:
    """Whether behind a text of ``one``, with a character of ``after``, ``other`` could go on."""
    if isinstance(other, Lit) and len(other.text) <= shortest(one):
        return False
    one, other = _anywhere(one), _anywhere(other)
    begun = head(one)
    if begun.text == other and begun.literal and not _unended(begun.text, begun.literal):
        return False  # what ends the text in one is not in the other
    while not apart(head(one), head(other)):
        if isinstance(one, Lit) and isinstance(other, Lit):
            return len(other.text) > len(one.text) and any(
                low <= ord(other.text[len(one.text)]) <= high for low, high in after
            )
        both = min(len(lead(one)), len(lead(other)))  # names of tools, for instance: what follows is often the same
        one, other = behind(one, both), behind(other, both)
        left = _behind_same(one, other)
        if left is None:
            return _clash(one, other, after)
        one, other = left
    return False


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


class Head(NamedTuple):
    """What a lexeme begins with: a literal, or free text and the literal behind it, as far as it matters."""

    text: Text | None
    literal: str


def head(node: Node) -> Head:
    """What a lexeme begins with."""
    text, rest = _split(_anywhere(node))
    return Head(text, lead(rest)[:ENDING] if text else lead(rest))


def apart(one: Head, other: Head) -> bool:
    """Whether it is plain that no text that begins with one begins a text that begins with the other."""
    (text, begun), (other_text, other_begun) = one, other
    if text is None and other_text is None:
        return not begun.startswith(other_begun) and not other_begun.startswith(begun)
    if not begun or not other_begun:
        return False
    if text and other_text:
        return text == other_text and _parted(text, begun, other_begun)
    return _outside(begun, other) if other_text else _outside(other_begun, one)


@functools.lru_cache(maxsize=8192)
def _parted(text: Text, one: str, other: str) -> bool:
    """Whether two texts differ that have free text before these literals, wherever it ends."""
    return not (
        one.startswith(other)
        or other.startswith(one)
        or _unended(text, one)
        or _unended(text, other)
        or any(_slips(text, one, other))
        or any(_slips(text, other, one))
    )


@functools.lru_cache(maxsize=8192)
def _outside(begun: str, free: Head) -> bool:
    """Whether no text that begins so may be free text with this literal behind it, nor begin one."""
    assert free.text
    size = _reach(free.text, begun)
    return size < len(begun) and not any(_meeting(begun, free.literal, min(free.text.least, 1), size))


@functools.lru_cache(maxsize=1024)
def _reach(text: Text, begun: str) -> int:
    return text_dfa(text.delimiters, text.heads).reach(begun)


def _meeting(one: str, other: str, least: int, most: int) -> Iterator[int]:
    """The places from which on one begins with the other, or the other with what is left of it; as 1 and more."""
    at = one.find(other[:1], least, most + 1)
    while at >= 0:
        if one.startswith(other, at) or other.startswith(one[at:]):
            yield at or 1
        at = one.find(other[:1], at + 1, most + 1)


def _slips(text: Text, end: str, other: str) -> Iterator[int]:
    """The places within what ends a text up to which the text may go on, to be ended there by the other.

    One beyond its end, where more may follow that is not told: ends that are all there end in `OVER`.
    """
    told = end.rstrip(OVER)
    size = kept(text, told)
    if told == end and size == len(end):
        yield size + 1
    yield from _meeting(told, other, 1, size)


def _unended(text: Text, end: str) -> bool:
    """Whether the text may go on behind this literal."""
    return kept(text, end) == len(end)


@functools.lru_cache(maxsize=4096)
def kept(text: Text, end: str) -> int:
    """So many characters of a literal may be free text, behind some other text."""
    dfa = text_dfa(text.delimiters, text.heads)
    states = _behind_first(text, end[:1])
    for at in range(1, len(end)):
        if not states:
            return at - 1
        char = ord(end[at])
        states = frozenset(dfa.step(state, char) for state in states) - {-1}
    return len(end) if states else len(end) - 1


@functools.lru_cache(maxsize=1024)
def _behind_first(text: Text, char: str) -> frozenset[int]:
    """The states of a free text behind any text and this character."""
    dfa = text_dfa(text.delimiters, text.heads)
    states = frozenset(range(len(dfa.rows)))
    return frozenset(dfa.step(state, ord(char)) for state in states) - {-1} if char else states


@functools.lru_cache(maxsize=4096)
def _clash(one: Node, other: Node, after: Ranges) -> bool:
    texts = _texts(other)
    if one == other and not texts:
        found_by_parts = extension(one)
        return found_by_parts is None or bool(common(found_by_parts, after))
    if texts and _texts(one):
        if _ended_otherwise(one, other, after):
            return True
        both = _in_order(texts | _texts(one))
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
    texts = _texts(one) | _texts(other)
    if any(_unended(text, end.rstrip(OVER)) for end in _endings(one) for text in texts):
        return True
    text, rest = _split(one)
    same, other_rest = _split(other)
    if text is None or text != same:
        return _slips_within(one, other)
    ends = [end.rstrip(OVER) for end in _collect(rest, [OVER], {})]  # one is whole there
    others = _collect(other_rest, [OVER], {})
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


def _split(node: Node) -> tuple[Text | None, Node]:
    """The free text that a node begins with, and the rest."""
    if isinstance(node, Text):
        return node, EMPTY
    if isinstance(node, Seq) and node.parts and isinstance(node.parts[0], Text):
        return node.parts[0], Seq(node.parts[1:])
    return None, node


def _slip_places(text: Text, ends: Iterable[str], others: Iterable[str]) -> set[int]:
    return {at for end in ends for following in others for at in _slips(text, end, following)}


def _slips_within(one: Node, other: Node) -> bool:
    ended, following = [end.rstrip(OVER) for end in _endings(one)], _endings(other)
    return any(
        _slip_places(text, ended, (*following, *_endings(one))) or _slip_places(text, following, ended)
        for text in _texts(one) | _texts(other)
    )


@functools.lru_cache(maxsize=8192)
def _anywhere(node: Node) -> Node:
    """The node with free texts that may end anywhere: those that differ in where they may end are one text then."""
    return retold(node, _ended_anywhere)


def _ended_anywhere(text: Text) -> Text:
    heads = tuple(head for head in text.heads if not head.endswith(BLANK))
    return structs.replace(text, heads=heads, then=ANYWHERE)


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


@functools.lru_cache(maxsize=8192)
def _texts(node: Node) -> frozenset[Text]:
    """The free texts in a node."""
    if isinstance(node, Text):
        return frozenset((node,))
    return frozenset[Text]().union(*map(_texts, children(node)))


@functools.lru_cache(maxsize=1024)
def _endings(node: Node) -> tuple[str, ...]:
    """The literals that follow the free texts in a node, as far as they are literal."""
    found: dict[str, None] = {}
    _collect(node, [OVER], found)
    return tuple(found)


def _collect(node: Node, behind: list[str], found: dict[str, None]) -> list[str]:
    """What the node begins with, as far as that is literal, by its alternatives; ``behind``: what follows it."""
    if isinstance(node, Lit):
        return list(dict.fromkeys((node.text + rest)[:ENDING] for rest in behind))
    if isinstance(node, Text):
        found.update(dict.fromkeys(behind))
        return [""]
    if isinstance(node, Seq):
        for part in reversed(node.parts):
            behind = _collect(part, behind, found)
        return behind
    if isinstance(node, Alt):
        begun = [one for option in node.options for one in _collect(option, behind, found)]
        return list(dict.fromkeys(begun))
    if isinstance(node, Rep) and _texts(node):
        again = _collect(node.part, behind, {})
        begun = _collect(node.part, list(dict.fromkeys((*behind, *again))), found)
        return list(dict.fromkeys((*begun, *(behind if not node.least else ()))))
    return [""]


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
        return found is None or bool(common(found, after))
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
    first, second = _matcher(_anywhere(one)), _matcher(_anywhere(other))
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
    last = FIRST_MARK + len(marks)
    signs = [sign for low, high in ranges if FIRST_MARK <= low < last for sign in range(low, min(high + 1, last))]
    rest = [one for one in ranges if not FIRST_MARK <= one[0] < last]
    return not any(common(begun_by(marks[sign - FIRST_MARK]), rest) for sign in signs)


def _aligned(arcs: list[Ranges], more: list[Ranges], marks: tuple[Text, ...]) -> bool:
    """Whether free texts can only begin on both sides together."""
    both = [one for ranges in (*arcs, *more) for one in ranges]
    return not any(low >= FIRST_MARK for low, _ in both) or (set(arcs) == set(more) and _told_apart(both, marks))


def _is_mark(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1] >= FIRST_MARK


__all__ = ["Head", "apart", "clash", "head", "kept", "meet", "nullable"]
