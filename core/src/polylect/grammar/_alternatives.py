"""Several patterns as one regular expression, for complete text and for a buffer that may go on.

Each alternative begins with a character that ``re`` can look for, common beginnings are written once, and an empty
group ends each, so that ``lastindex`` tells which one matched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ._patterns import Node, Seq, chars, first, open_class, partial, plain, printed, single, times


def spread(seq: Seq) -> Iterator[Seq]:
    """The same pattern as alternatives, in order, that each begin with a character (as far as that can be)."""
    if seq and seq[0][0] == "alt":
        for branch in seq[0][1]:
            yield from spread(branch + seq[1:])
    elif seq and seq[0][0] == "rep" and seq[0][1] == 0:
        _, _, high, inner = seq[0]
        if high is None or high > 1:
            tail: Seq = (("rep", 0, None if high is None else high - 1, inner),)
        else:
            tail = ()
        yield from spread(inner + tail + seq[1:])
        yield from spread(seq[1:])
    else:
        yield seq


TOLD = 4
"""How many first characters tell whether it is worth to look closer, white space behind the first one not counted."""
WHITE = " \t\r\n"
LONGEST = 64
"""White space is taken apart up to here; longer runs are looked at closer."""
GRABBED = -2
"""The number of a group that is read out; the pattern's own comes after it."""


def alternation(patterns: Sequence[tuple[Seq, int]], *, live: bool = False) -> tuple[str, tuple[int, ...]]:
    """Several patterns, each with a number, as one ``re`` source, and the number for each ``lastindex``.

    At one place the earlier pattern wins, as in ``a|b``.
    """
    numbers: list[int] = [-1]
    wide = [(way, number) for seq, number in patterns for way in spread(seq)]
    return _trie(wide, live, numbers), tuple(numbers)


def _trie(ways: list[tuple[Seq, int]], live: bool, numbers: list[int]) -> str:
    out = []
    left = list(ways)
    while left:
        seq, number = left[0]
        group = _alike(left)
        if len(group) > 1:
            inner = [(left[n][0][1:], left[n][1]) for n in group]
            left = [way for n, way in enumerate(left) if n not in group]
            out.append(f"{printed(_greedy(seq[0], inner), live)}(?:{_trie(inner, live, numbers)})")
        else:
            out.append(plain(possessive(seq), live=live) + "()")
            numbers.extend(GRABBED for node in seq if node[0] == "grab")
            numbers.append(number)
            del left[0]
    return "|".join(out)


def _alike(ways: list[tuple[Seq, int]]) -> list[int]:
    """Which alternatives may share the first one's first node: none in between can match where they do."""
    seq = ways[0][0]
    if not seq:
        return [0]
    found = [0]
    chars_of, others, empty = first(seq)
    for n, (way, _) in enumerate(ways[1:], 1):
        if way[:1] == seq[:1]:
            found.append(n)
            continue
        some, more, none = first(way)
        if others or more or empty or none or chars_of & some:
            break
    # a shared beginning that could match in several ways might change which alternative wins
    if not all(_settled(seq[0], ways[n][0][1:]) for n in found):
        return [0]
    return found


def _greedy(node: Node, inner: list[tuple[Seq, int]]) -> Node:
    """A shared repeat takes all it can: what follows begins with other characters, or is nothing."""
    return (*node, True) if node[0] == "rep" and len(node[3]) == 1 and node[3][0][0] == "c" else node


def _settled(node: Node, rest: Seq) -> bool:
    """Whether the text alone says how ``node`` matches, when ``rest`` must follow."""
    if node[0] in ("c", "grab", "look") or (not rest and node[0] == "rep" and single(node[3])):
        return True
    after, others, empty = first(rest)
    if node[0] not in ("rep", "alt") or others or empty:
        return False
    branches = node[1] if node[0] == "alt" else (node[3],)
    taken = set(after)
    for branch in branches:
        some, more, none = first(branch)
        if more or none or taken & some:
            return False
        taken |= some
        if not all(_settled(inner, branch[n + 1 :] + rest) for n, inner in enumerate(branch)):
            return False
    return True


def settled(seq: Seq, rest: Seq) -> bool:
    """Whether ``seq``, with ``rest`` behind it, can match in one way only."""
    return all(_settled(node, seq[n + 1 :] + rest) for n, node in enumerate(seq))


def possessive(seq: Seq, rest: Seq | None = ()) -> Seq:
    """The same pattern, with repeats that cannot usefully give characters back told not to try.

    ``[ ]{0,8}x`` over a run of blanks costs the square of the run when the search backs up at every blank.
    """
    out = list(seq)
    for at, node in enumerate(seq):
        behind = None if rest is None else seq[at + 1 :] + rest
        if node[0] == "alt":
            out[at] = ("alt", tuple(possessive(branch, behind) for branch in node[1]))
        if node[0] != "rep" or len(node) > 4:
            continue
        if len(node[3]) != 1 or node[3][0][0] != "c":
            inner = possessive(node[3], behind if node[2] == 1 else None)
            out[at] = (*node[:3], inner)
            continue
        source = node[3][0][1]
        after, others, empty = first(seq[at + 1 :] if behind is None else behind)
        if not (open_class(source) or others or empty or chars(source) & after):
            out[at] = (*node, True)
    return tuple(out)


# --- a pattern for a buffer that may go on ----------------------------------------------------------------------


def live(patterns: Sequence[tuple[Seq, int]]) -> tuple[str, tuple[int, ...]]:
    """As :func:`alternation`, for a buffer that may go on: where its end leaves the match open, ``lastindex`` is None.

    At one place, what the end leaves open goes before what has matched, if it is an earlier pattern or the same one.
    """
    wide = [(way, number) for seq, number in patterns for way in spread(seq)]
    if all(_plain_repeats(way) for way, _ in wide):
        numbers: list[int] = [-1]
        return "|".join(_live_trie(wide, numbers, True)), tuple(numbers)
    maybe = partials([seq for seq, _ in patterns])
    source, found = alternation(patterns, live=True)
    return (f"{maybe}|{source}" if maybe else source), found


def _plain_repeats(seq: Seq) -> bool:
    """Whether every repeated group is at most optional."""
    for node in seq:
        if node[0] == "rep" and not single(node[3]) and (node[2] != 1 or not _plain_repeats(node[3])):
            return False
        if node[0] == "alt" and not all(_plain_repeats(branch) for branch in node[1]):
            return False
    return True


def _live_trie(ways: list[tuple[Seq, int]], numbers: list[int], begins: bool) -> list[str]:
    out = []
    left = list(ways)
    while left:
        group = _alike(left)
        inner = [(left[n][0][1:], left[n][1]) for n in group]
        seq = left[0][0]
        left = [way for n, way in enumerate(left) if n not in group]
        if not seq:
            numbers.append(inner[0][1])
            out.append("()")
        else:
            out.append(_live_node(seq[0], inner, numbers, begins))
    return out


def _live_node(node: Node, inner: list[tuple[Seq, int]], numbers: list[int], begins: bool) -> str:
    """``node`` and what follows it; ``begins``: no match may be empty here."""
    kind = node[0]
    if kind == "c":
        if inner == [((), inner[0][1])]:
            numbers.append(inner[0][1])
            return f"{node[1]}()"
        return f"{node[1]}(?:" + "|".join(["\\Z", *_live_trie(inner, numbers, False)]) + ")"
    guard = "(?!\\Z)" if begins else ""
    if kind == "end":
        return guard + "\\Z"
    if kind == "look":
        maybe = partial(node[1])
        ahead = f"(?={plain(node[1], live=True)})"
        rest = _live_trie(inner, numbers, False)
        return guard + "(?:" + (f"{maybe}|" if maybe else "") + f"{ahead}(?:{'|'.join(rest)}))"
    if kind == "not":
        maybe = partial(node[1])
        rest = _live_trie(inner, numbers, begins)
        return "(?:" + (f"{guard}{maybe}|" if maybe else "") + f"(?!{plain(node[1], live=True)})(?:{'|'.join(rest)}))"
    if kind == "alt" or (kind == "rep" and not single(node[3])):
        branches = node[1] if kind == "alt" else (node[3],) if node[1] else (node[3], ())
        wide = [(branch + way, number) for branch in branches for way, number in inner]
        return guard + "(?:" + "|".join(_live_trie(wide, numbers, begins)) + ")"
    low, high = node[1], node[2]
    unit = node[3][0][1]
    rest = _live_trie(inner, numbers, False)
    if low == 0 and all(_settled(node, way) for way, _ in inner):
        return f"{guard}{unit}{times(0, high)}+(?:" + "|".join(["\\Z", *rest]) + ")"
    most = None if high is None else high if inner[0][0] else high - 1  # behind the last one, the rest is still due
    before = unit + times(0, most) if most != 0 else ""
    return f"{guard}(?:{before}\\Z|{unit}{times(low, high)}(?:{'|'.join(rest)}))"


def starts(patterns: Sequence[Seq]) -> str | None:
    """``re`` source for the places where one of these may begin, as their first characters tell; None if unknown.

    The buffer may end behind any of them. It begins with one set of characters, for which ``re`` has a fast loop.
    """
    rests = _rests(patterns)
    if rests is None:
        return None
    groups: dict[str, str] = {}
    for ways, begun in rests.items():
        white, most, bare = _bare(ways)
        inner = _by_first(bare, TOLD - 1)
        behind = "" if inner is None else f"(?:{inner}|\\Z)"
        if white and behind:
            firm = "" if any(way and not chars(way[0][1]).isdisjoint(white) for way in bare) else "+"
            behind = f"{_set(white)}{{0,{most}}}{firm}{behind}"
        groups[behind] = groups.get(behind, "") + begun
    if len(groups) == 1:
        (behind, begun), *_ = groups.items()
        return _set(begun) + behind
    told = "|".join(f"(?<={_set(begun)}){behind}" for behind, begun in groups.items())
    return f"{_set(''.join(groups.values()))}(?:{told})"


def _bare(ways: Sequence[Seq]) -> tuple[str, int, list[Seq]]:
    """White space that these may begin with, how many characters of it at the most, and what comes behind it."""
    white, most, bare = set[str](), 0, dict[Seq, None]()
    left = [(0, way) for seq in ways for way in _heads(seq)]
    while left:
        size, way = left.pop()
        begun = set(chars(way[0][1])) if way and not open_class(way[0][1]) else set()
        if begun and begun <= set(WHITE) and size < LONGEST:
            white |= begun
            most = max(most, size + 1)
            left += [(size + 1, rest) for rest in _heads(way[1:])]
        else:
            bare[way] = None
    return "".join(sorted(white)), most, list(bare)


class Pivot(NamedTuple):
    """A character that stands in all of some patterns, with nothing but white space before it."""

    char: str
    before: str
    """The white space that may stand there."""
    source: str
    """``re`` source for the places where the character may be that of one of the patterns."""


def pivot(patterns: Sequence[Seq]) -> Pivot | None:
    """What all of these have in common behind white space that some begin with; None when that is nothing."""
    before, tails = set[str](), set[Seq]()
    left = [way for seq in patterns for way in _heads(seq)]
    while left:
        way = left.pop()
        if not way or open_class(way[0][1]):
            return None
        begun = chars(way[0][1])
        if begun <= set(WHITE):
            before |= begun
            left += _heads(way[1:])
        else:
            tails.add(way)
    common = {char for way in tails for char in chars(way[0][1])}
    if not before or len(common) != 1:
        return None
    source = starts(sorted(tails, key=repr))
    return None if source is None else Pivot(common.pop(), "".join(sorted(before)), source)


def _rests(patterns: Sequence[Seq]) -> dict[tuple[Seq, ...], str] | None:
    """For what may come behind a first character, those characters; None if any may be the first."""
    rests: dict[str, dict[Seq, None]] = {}
    for way in (way for seq in patterns for way in _heads(seq)):
        if not way or open_class(way[0][1]):
            return None
        for char in chars(way[0][1]):
            rests.setdefault(char, {})[way[1:]] = None
    alike: dict[tuple[Seq, ...], str] = {}
    for char, ways in sorted(rests.items()):
        alike[tuple(ways)] = alike.get(tuple(ways), "") + char
    return alike


def _by_first(patterns: Sequence[Seq], depth: int) -> str | None:
    """``re`` source for the first ``depth`` characters of these, if the buffer has them; None if any may be first."""
    rests = _rests(patterns)
    if rests is None:
        return None
    groups: dict[str, str] = {}
    for ways, begun in rests.items():
        inner = _by_first(ways, depth - 1) if depth > 1 else None
        behind = "" if inner is None else f"(?:{inner}|\\Z)"
        groups[behind] = groups.get(behind, "") + begun
    return "|".join(_set(begun) + behind for behind, begun in groups.items())


def _heads(seq: Seq) -> Iterator[Seq]:
    """The same pattern as alternatives that each begin with a character; an empty one where that can't be."""
    for way in spread(seq):
        if way and way[0][0] == "c":
            yield way
        elif way and way[0][0] == "rep":
            _, low, high, inner = way[0][:4]
            yield from _heads((*inner, ("rep", low - 1, None if high is None else high - 1, inner), *way[1:]))
        else:
            yield ()


def _set(characters: str) -> str:
    return f"[{re.escape(characters)}]"


def partials(patterns: Sequence[Seq]) -> str:
    """One ``re`` source for "the buffer ends inside one of these", never the empty match; "" when none can be."""
    out = []
    for seq in _shared([way for pattern in patterns for way in spread(pattern)]):
        if seq and seq[0][0] == "c" and (rest := partial(seq[1:])):
            out.append(str(seq[0][1]) + rest)
        elif seq and seq[0][0] != "c" and (rest := partial(seq)):
            out.append(rf"(?!\Z){rest}")
    return "|".join(dict.fromkeys(out))


def _shared(ways: Sequence[Seq]) -> list[Seq]:
    """The same patterns with common beginnings written once. What they match counts here, not which one does."""
    out: list[Seq] = []
    left = list(dict.fromkeys(ways))
    while left:
        head = left[0][:1]
        group = [way for way in left if way[:1] == head]
        left = [way for way in left if way[:1] != head]
        if len(group) == 1 or not head:
            out.append(group[0])
        else:
            tails = _shared([way[1:] for way in group])
            out.append(head + (tails[0] if len(tails) == 1 else (("alt", tuple(tails)),)))
    return out
