"""Regular expressions of the grammar profile as trees, and what the engine prints from them.

The standard library's ``re`` has no partial matching, and the form of a pattern decides its speed. So each pattern is
parsed once, when a grammar is compiled, and printed again in the forms that the interpreters need:

- ``plain``: the pattern itself, for complete text;
- ``partial``: what matches when the buffer ends before the pattern is decided (a proper prefix of a match, or a match
  that the next characters may lengthen).

Several patterns in one are the business of ``_alternatives``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from re import _constants as sre
from re import _parser as sre_parser
from re._casefix import _EXTRA_CASES  # type: ignore[import-not-found]
from typing import Any, TypeAlias

Node: TypeAlias = tuple[Any, ...]
Seq: TypeAlias = tuple[Node, ...]
# Nodes: ("c", source) one character · ("alt", (seq, ...)) · ("rep", low, high, seq[, possessive]), high None for no
# bound · ("look", seq) · ("not", seq) · ("end",) the end of the text · ("grab", seq) a group to read out

_CATEGORIES = {
    sre.CATEGORY_SPACE: r"\s",
    sre.CATEGORY_NOT_SPACE: r"\S",
    sre.CATEGORY_DIGIT: r"\d",
    sre.CATEGORY_NOT_DIGIT: r"\D",
    sre.CATEGORY_WORD: r"\w",
    sre.CATEGORY_NOT_WORD: r"\W",
}
PROBES = "".join(map(chr, range(128))) + "\u0131\u0130\u017f\u212a\u00b5\u03bc：，。éßÉ中\u2028😀"
"""Characters that stand for all: ASCII, the odd ones of case folding, and one of each other sort that grammars name."""


class PatternError(ValueError):
    """The pattern uses what the profile leaves out; the message says what."""


def parse(source: str) -> Seq:
    """The tree of a pattern.

    Raises:
        PatternError: it holds something outside the profile (anchors, lazy quantifiers, lookbehind, references …).
    """
    try:
        tree = sre_parser.parse(source)
    except re.error as error:
        raise PatternError(f"it is no regular expression: {error}") from error
    _check_flags(tree.state.flags)
    return tuple(_nodes(tree, bool(tree.state.flags & re.I)))


def _check_flags(flags: int) -> None:
    if flags & (re.S | re.M | re.X | re.A | re.L):
        raise PatternError("only the flag i is in the profile; write [\\s\\S] for a dot that takes line breaks")


def _nodes(tree: Any, fold: bool) -> Iterator[Node]:
    for op, value in tree:
        if op is sre.LITERAL:
            yield ("c", _fold(_escape(chr(value)), fold))
        elif op is sre.NOT_LITERAL:
            yield ("c", _fold(f"[^{_in_class(chr(value))}]", fold))
        elif op is sre.IN:
            yield ("c", _fold(_class(value), fold))
        elif op is sre.ANY:
            yield ("c", r"[^\n]")
        elif op is sre.SUBPATTERN:
            _, added, removed, inner = value
            _check_flags(added)
            yield from _nodes(inner, (fold or bool(added & re.I)) and not removed & re.I)
        elif op is sre.BRANCH:
            yield ("alt", tuple(tuple(_nodes(branch, fold)) for branch in value[1]))
        elif op in (sre.MAX_REPEAT, sre.POSSESSIVE_REPEAT):
            low, high, inner = value
            unit = tuple(_nodes(inner, fold))
            if high is sre.MAXREPEAT and can_be_empty(unit):
                raise PatternError("what repeats without a bound can match nothing; make part of it obligatory")
            yield ("rep", low, None if high is sre.MAXREPEAT else high, unit)
        elif op in (sre.ASSERT, sre.ASSERT_NOT) and value[0] > 0:
            yield ("look" if op is sre.ASSERT else "not", tuple(_nodes(value[1], fold)))
        elif op is sre.AT and value is sre.AT_END_STRING:
            yield ("end",)
        else:
            raise PatternError(f"{_named(op, value)} is outside the profile; write it without")


def _named(op: Any, value: Any) -> str:
    """A construct as authors call it."""
    anchors = {sre.AT_BEGINNING: "^", sre.AT_END: "$", sre.AT_BOUNDARY: r"\b", sre.AT_NON_BOUNDARY: r"\B"}
    if op is sre.AT:
        return f"the anchor {anchors.get(value, 'of the text start')}"
    return {
        sre.MIN_REPEAT: "a lazy quantifier",
        sre.ASSERT: "a lookbehind",
        sre.ASSERT_NOT: "a lookbehind",
        sre.GROUPREF: "a back-reference",
        sre.GROUPREF_EXISTS: "a condition on a group (a back-reference)",
        sre.ATOMIC_GROUP: "an atomic group",
    }.get(op, "a construct of this kind")


def _escape(char: str) -> str:
    return {"\n": r"\n", "\r": r"\r", "\t": r"\t"}.get(char) or (char if char == " " else re.escape(char))


def _in_class(char: str) -> str:
    return "\\" + char if char in "^-]\\[&~|" else _escape(char)


def _class(items: Any) -> str:
    out = ""
    for op, value in items:
        if op is sre.NEGATE:
            out += "^"
        elif op is sre.LITERAL:
            out += _in_class(chr(value))
        elif op is sre.RANGE:
            out += f"{_in_class(chr(value[0]))}-{_in_class(chr(value[1]))}"
        else:
            out += _CATEGORIES[value]
    return f"[{out}]"


def _fold(source: str, fold: bool) -> str:
    if not fold or not any(c.lower() != c.upper() for c in source):
        return source
    return f"(?i:{source})"


@functools.lru_cache(maxsize=4096)
def chars(source: str) -> frozenset[str]:
    """Which of :data:`PROBES`, and of the characters it names in any case, a one-character pattern matches."""
    probes = set(PROBES)
    for char in set(source) - probes:
        probes |= {char, char.lower()[:1], char.upper()[:1], *map(chr, _EXTRA_CASES.get(ord(char.lower()[:1]), ()))}
    return frozenset(c for c in probes if re.match(source, c))


def open_class(source: str) -> bool:
    """Whether a one-character pattern matches more than the characters it names: a negation, a category, a range."""
    return (
        source.startswith(("[^", "(?i:[^")) or re.search(r"\\[sSwWdD]|[^\x00-\x7f]-|-[^\x00-\x7f]", source) is not None
    )


# --- printing ---------------------------------------------------------------------------------------------------


def single(seq: Seq) -> bool:
    """Whether this is one character."""
    return len(seq) == 1 and seq[0][0] == "c"


def plain(seq: Seq, *, live: bool = False) -> str:
    """The pattern as ``re`` source. ``live``: the buffer's end is not the text's end, so ``\\Z`` cannot match."""
    return "".join(printed(node, live) for node in seq)


def printed(node: Node, live: bool) -> str:
    """One node as ``re`` source."""
    kind = node[0]
    if kind == "c":
        return str(node[1])
    if kind == "alt":
        return "(?:" + "|".join(plain(branch, live=live) for branch in node[1]) + ")"
    if kind == "rep":
        if node[1:3] == (0, 1) and not (len(node[3]) == 1 and node[3][0][0] == "c"):
            return f"(?:{plain(node[3], live=live)}|)"  # for groups a branch is faster than a repeat
        return _unit(node[3], live) + times(node[1], node[2]) + ("+" if len(node) > 4 else "")
    if kind == "end":
        return "(?!)" if live else r"\Z"
    if kind == "grab":
        return f"({plain(node[1], live=live)})"
    return f"(?{'=' if kind == 'look' else '!'}{plain(node[1], live=live)})"


def _unit(seq: Seq, live: bool) -> str:
    inner = plain(seq, live=live)
    return inner if len(seq) == 1 and seq[0][0] == "c" else f"(?:{inner})"


def times(low: int, high: int | None) -> str:
    """A repeat's bounds as ``re`` source."""
    short = {(0, 1): "?", (0, None): "*", (1, None): "+"}.get((low, high))
    if short is not None:
        return short
    return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"


def partial(seq: Seq) -> str | None:
    r"""``re`` source that matches when the buffer ends before ``seq`` is decided; None when that cannot happen.

    It may say "undecided" once too often (the next character settles it), never once too seldom.
    """
    if not seq:
        return None
    node, rest = seq[0], seq[1:]
    after = partial(rest)
    kind = node[0]
    if kind == "c":
        return rf"(?:\Z|{node[1]}{after})" if after else r"\Z"
    if kind == "end":
        return r"\Z"
    if kind == "rep":
        return _partial_repeat(node, after)
    if kind == "alt":
        options = [found for branch in node[1] if (found := partial(branch))]
    elif kind == "look":
        options = [found] if (found := partial(node[1])) else []
    else:
        options = [found] if (found := partial(node[1])) else []
    if after:
        options.append(printed(node, live=True) + after)
    return "(?:" + "|".join(options) + ")" if options else None


def _partial_repeat(node: Node, after: str | None) -> str:
    _, low, high, inner = node
    unit = _unit(inner, live=True)
    inside = partial(inner) or r"\Z"
    before = "" if high == 1 else unit + ("*" if high is None else f"{{0,{high - 1}}}")
    options = [before + (r"\Z" if inside == r"\Z" else rf"(?:\Z|{inside})")]
    if after:
        options.append(unit + times(low, high) + after)
    return "(?:" + "|".join(options) + ")"


# --- questions --------------------------------------------------------------------------------------------------


def width(seq: Seq) -> int | None:
    """The most characters the pattern can look at, lookahead included; None when unbounded."""
    total = 0
    for node in seq:
        size = _node_width(node)
        if size is None:
            return None
        total += size
    return total


def _node_width(node: Node) -> int | None:
    kind = node[0]
    if kind == "c":
        return 1
    if kind == "end":
        return 0
    if kind == "alt":
        sizes = [width(branch) for branch in node[1]]
        return None if None in sizes else max(size for size in sizes if size is not None)
    if kind == "rep":
        size = width(node[3])
        return None if node[2] is None or size is None else size * node[2]
    return width(node[1])


def can_be_empty(seq: Seq) -> bool:
    """Whether the pattern matches without a character."""
    return first(seq)[2]


def first(seq: Seq) -> tuple[frozenset[str], bool, bool]:
    """(characters a match can begin with, whether others may too, whether it can be empty)."""
    found: set[str] = set()
    more = False
    for node in seq:
        kind = node[0]
        if kind == "c":
            return frozenset(found | chars(node[1])), more or open_class(node[1]), False
        if kind == "alt":
            parts = [first(branch) for branch in node[1]]
        elif kind == "rep":
            some, others, empty = first(node[3])
            parts = [(some, others, empty or node[1] == 0)]
        elif kind == "grab":
            parts = [first(node[1])]
        else:
            continue
        for some, others, _ in parts:
            found |= some
            more = more or others
        if not any(empty for _, _, empty in parts):
            return frozenset(found), more, False
    return frozenset(found), more, True


def samples(seq: Seq, limit: int = 24) -> list[str]:
    """Some strings that the pattern matches: the shortest, and ones that use its options. For lints and formatters."""
    outs = [""]
    for node in seq:
        kind = node[0]
        if kind == "c":
            options = [next((c for c in "aA0_xX \n.-" if c in chars(node[1])), None) or _any(node[1])]
        elif kind == "alt":
            options = [s for branch in node[1] for s in samples(branch, 6)]
        elif kind == "rep":
            inner = samples(node[3], 4)
            counts = {node[1], node[1] + 1 if node[2] is None else min(node[1] + 1, node[2])}
            options = [s * n for n in sorted(counts) for s in inner]
        elif kind == "look":
            options = samples(node[1], 4)
        else:
            continue
        outs = list(dict.fromkeys(o + s for o in outs for s in options))[:limit]
    return outs


def _any(source: str) -> str:
    return min(chars(source), default="\ufffd")
