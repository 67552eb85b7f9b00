"""How many ways a pattern has to match one text: ``re`` may try them all, so there must be few.

For ``(?:a|ab|b){1,20}X`` and two dozen characters without an X they are a million. The number here is an upper bound: a
product over the choices in the pattern. A choice counts as one way if the next characters tell which way is right: a
wrong one then comes to its end at once. So the time at one place is at most the number of ways times the width.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator

from ._patterns import PROBES, Node, PatternError, Seq, can_be_empty, chars, open_class, plain, times

LIMIT = 250
"""So many ways are few: the bundled grammars have up to 6, overlaps such as ``.{0,19}x{0,7}[xy]{2,3}`` have 160."""
ENOUGH = LIMIT.bit_length()
"""So many repetitions of what has two ways have more than :data:`LIMIT`."""


def check(seq: Seq) -> int:
    """The most ways in which the pattern may match one text, its lookaheads included.

    Raises:
        PatternError: they are more than :data:`LIMIT`; the message says which part, and what to change.
    """
    ways = _ways(seq, ()) * max(map(check, _looks(seq)), default=1)
    if ways > LIMIT:
        raise PatternError(
            f"its parts may match one text in more than {LIMIT} ways; let what follows a repeat begin with other "
            "characters than the repeat goes on with"
        )
    return ways


def _looks(seq: Seq) -> Iterator[Seq]:
    """The lookaheads in a pattern, without those in other lookaheads."""
    for node in seq:
        if node[0] in ("look", "not"):
            yield node[1]
        elif node[0] != "c":
            for inner in _inside(node):
                yield from _looks(inner)


def _inside(node: Node) -> tuple[Seq, ...]:
    """What a node may match, as patterns."""
    if node[0] == "alt":
        return tuple(node[1])
    return (node[3],) if node[0] == "rep" else (node[1],) if node[0] == "grab" else ()


def _ways(seq: Seq, rest: Seq) -> int:
    """The ways of ``seq``, when ``rest`` follows it."""
    ways = 1
    for at, node in enumerate(seq):
        behind = seq[at + 1 :] + rest
        if node[0] == "alt":
            ways *= _ways_of_branches(node, behind)
        elif node[0] == "rep":
            ways *= _ways_of_repeat(node, behind)
        elif node[0] == "grab":
            ways *= _ways(node[1], behind)
    return ways


def _ways_of_branches(node: Node, rest: Seq) -> int:
    branches: tuple[Seq, ...] = node[1]
    ways = [_ways(branch, rest) for branch in branches]
    whole = [branch + rest for branch in branches]
    return max(
        sum(ways[n] for n, other in enumerate(whole) if n == at or not _apart(one, other))
        for at, one in enumerate(whole)
    )


def _ways_of_repeat(node: Node, rest: Seq) -> int:
    low: int = node[1]
    high: int | None = node[2]
    unit: Seq = node[3]
    again = rest if high == 1 else (("rep", 0, None, unit), *rest)
    inner = _ways(unit, again)
    ways: int = inner ** (ENOUGH if high is None else min(high, ENOUGH))
    ends = low == high or _apart(unit + again, rest)
    if high is None and not ends:
        raise PatternError(
            f"what follows {_shown(node)} may begin as the repeat goes on, and the repeat has no longest match; write "
            "{0,8} for * and {1,8} for +, or let the two begin with different characters"
        )
    if ways > LIMIT:
        raise PatternError(
            f"what repeats in {_shown(node)} may match one text in several ways, which multiply; let its alternatives, "
            "and what may follow each of its parts, begin with different characters, and make the part obligatory that "
            "tells where it begins anew"
        )
    return ways if ends or high is None else ways * (high - low + 1)


def _shown(node: Node) -> str:
    unit = node[3]
    grouped = len(unit) == 1 and unit[0][0] in ("c", "alt")
    source = (plain(unit) if grouped else f"(?:{plain(unit)})") + times(node[1], node[2])
    return source if len(source) < 60 else f"{source[:30]} … {source[-20:]}"


def _apart(one: Seq, other: Seq) -> bool:
    """Whether no text begins as both, as far as the first characters tell, or a lookahead that says just that."""
    while one and other and one[0][0] == other[0][0] == "c":
        if not _meet(one[0][1], other[0][1]):
            return True
        one, other = one[1:], other[1:]
    if can_be_empty(one) and can_be_empty(other):
        return False
    for guarded, free in ((one, other), (other, one)):
        if guarded and guarded[0][0] == "not" and free[: len(guarded[0][1])] == guarded[0][1]:
            return True
    return not any(_meet(a, b) for a in _firsts(one) for b in _firsts(other))


def _firsts(seq: Seq) -> set[str]:
    """The one-character patterns that a match may begin with."""
    found: set[str] = set()
    for node in seq:
        if node[0] == "c":
            return found | {node[1]}
        inside = _inside(node)
        found.update(*map(_firsts, inside))
        if inside and not can_be_empty((node,)):
            break
    return found


@functools.lru_cache(maxsize=4096)
def _meet(one: str, other: str) -> bool:
    """Whether two one-character patterns have a character in common."""
    for a, b in ((one, other), (other, one)):
        if not open_class(a):
            return any(re.match(b, c) for c in chars(a))
    both = re.compile(f"(?={one}){other}")
    return bool(both.search(PROBES) or both.search("".join(map(chr, range(sys.maxunicode + 1)))))
