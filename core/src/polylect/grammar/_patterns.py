"""Regular expressions of the grammar profile as trees, and what the engine prints from them.

The standard library's ``re`` has no partial matching, and the form of a pattern decides its speed. So each pattern is
parsed once, when a grammar is compiled, and printed again in the forms that the interpreters need:

- ``plain``: the pattern itself, for complete text;
- ``partial``: what matches when the buffer ends before the pattern is decided (a proper prefix of a match, or a match
  that the next characters may lengthen);
- ``alternation``: several patterns in one, each alternative beginning with a character that ``re`` can look for, common
  beginnings written once, and an empty group at the end of each so that ``lastindex`` tells which one matched.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from re import _constants as sre
from re import _parser as sre_parser
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
PROBES = "".join(map(chr, range(128))) + "ıİſKµμ：，。éßÉ中\u2028😀"
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
            yield ("rep", low, None if high is sre.MAXREPEAT else high, tuple(_nodes(inner, fold)))
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
    """Which of :data:`PROBES` a one-character pattern matches."""
    return frozenset(re.compile(f"(?:{source})+").findall(PROBES) and [c for c in PROBES if re.match(source, c)])


def open_class(source: str) -> bool:
    """Whether a one-character pattern matches more than the characters it names (a negation or a category)."""
    return source.startswith(("[^", "(?i:[^")) or re.search(r"\\[sSwWdD]", source) is not None


# --- printing ---------------------------------------------------------------------------------------------------


def plain(seq: Seq, *, live: bool = False) -> str:
    """The pattern as ``re`` source. ``live``: the buffer's end is not the text's end, so ``\\Z`` cannot match."""
    return "".join(_print(node, live) for node in seq)


def _print(node: Node, live: bool) -> str:
    kind = node[0]
    if kind == "c":
        return str(node[1])
    if kind == "alt":
        return "(?:" + "|".join(plain(branch, live=live) for branch in node[1]) + ")"
    if kind == "rep":
        if node[1:3] == (0, 1) and not (len(node[3]) == 1 and node[3][0][0] == "c"):
            return f"(?:{plain(node[3], live=live)}|)"  # for groups a branch is faster than a repeat
        return _unit(node[3], live) + _times(node[1], node[2]) + ("+" if len(node) > 4 else "")
    if kind == "end":
        return "(?!)" if live else r"\Z"
    if kind == "grab":
        return f"({plain(node[1], live=live)})"
    return f"(?{'=' if kind == 'look' else '!'}{plain(node[1], live=live)})"


def _unit(seq: Seq, live: bool) -> str:
    inner = plain(seq, live=live)
    return inner if len(seq) == 1 and seq[0][0] == "c" else f"(?:{inner})"


def _times(low: int, high: int | None) -> str:
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
        options.append(_print(node, live=True) + after)
    return "(?:" + "|".join(options) + ")" if options else None


def _partial_repeat(node: Node, after: str | None) -> str:
    _, low, high, inner = node
    unit = _unit(inner, live=True)
    inside = partial(inner) or r"\Z"
    before = "" if high == 1 else unit + ("*" if high is None else f"{{0,{high - 1}}}")
    options = [before + (r"\Z" if inside == r"\Z" else rf"(?:\Z|{inside})")]
    if after:
        options.append(unit + _times(low, high) + after)
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


def spellings(seq: Seq, limit: int = 96) -> list[str]:
    """The pattern as its author spells it: options left out, or a single blank where blanks may stand."""
    outs = [""]
    for node in seq:
        kind = node[0]
        if kind == "c":
            options = [_spelt(node[1])]
        elif kind == "alt":
            options = [s for branch in node[1] for s in spellings(branch, 2)]
        elif kind == "rep":
            options = [s * node[1] for s in spellings(node[3], 2)]
            if _single(node[3]) and not node[1]:
                options = ["", *(c for c in " \n" if c in chars(node[3][0][1]))]
            if node[1:3] == (0, 1):
                options = ["", *spellings(node[3], 2)]
        elif kind == "look":
            options = spellings(node[1], 2)
        else:
            continue
        outs = list(dict.fromkeys(o + s for o in outs for s in options))[:limit]
    return outs


def _spelt(source: str) -> str:
    match = re.fullmatch(r"\(\?i:(.)\)|\\?(.)", source, re.S)
    if match is None:
        return min(chars(source), key=lambda c: (not c.isalnum(), c), default="\ufffd")
    return match[1] or {"n": "\n", "t": "\t", "r": "\r"}.get(match[2] if source[0] == "\\" else "", match[2])


def beginnings(patterns: Sequence[Seq], search: Any) -> frozenset[str]:
    """The usual beginnings of patterns: what ``search``, the live pattern, calls undecided from its first character.

    A set is asked faster than a pattern, and a stream asks after every chunk of a marker.
    """
    texts = {text[:size] for seq in patterns for text in spellings(seq) for size in range(1, len(text) + 1)}
    return frozenset(
        text for text in texts if (m := search(text)) is not None and m.lastindex is None and m.start() == 0
    )


# --- several patterns in one ------------------------------------------------------------------------------------


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
            out.append(f"{_print(_greedy(seq[0], inner), live)}(?:{_trie(inner, live, numbers)})")
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
    if node[0] in ("c", "grab", "look") or (not rest and node[0] == "rep" and _single(node[3])):
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
        if node[0] == "rep" and not _single(node[3]) and (node[2] != 1 or not _plain_repeats(node[3])):
            return False
        if node[0] == "alt" and not all(_plain_repeats(branch) for branch in node[1]):
            return False
    return True


def _single(seq: Seq) -> bool:
    return len(seq) == 1 and seq[0][0] == "c"


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
    if kind == "alt" or (kind == "rep" and not _single(node[3])):
        branches = node[1] if kind == "alt" else (node[3],) if node[1] else (node[3], ())
        wide = [(branch + way, number) for branch in branches for way, number in inner]
        return guard + "(?:" + "|".join(_live_trie(wide, numbers, begins)) + ")"
    low, high = node[1], node[2]
    unit = node[3][0][1]
    rest = _live_trie(inner, numbers, False)
    if low == 0 and all(_settled(node, way) for way, _ in inner):
        return f"{guard}{unit}{_times(0, high)}+(?:" + "|".join(["\\Z", *rest]) + ")"
    before = "" if high == 1 else unit + ("*" if high is None else f"{{0,{high - 1}}}")
    return f"{guard}(?:{before}\\Z|{unit}{_times(low, high)}(?:{'|'.join(rest)}))"


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
