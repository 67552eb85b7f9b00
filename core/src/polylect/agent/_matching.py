"""Patterns of schemas against texts of models, in bounded time.

``re`` finds a pattern in most texts at once, and for some patterns tries more ways than there are atoms. So the ways
are counted first; where they may be too many, the pattern becomes an automaton, which reads each character once
(:mod:`._automaton`). JSON Schema speaks ECMAScript's patterns: what those have and Python's have not is translated.
"""

from __future__ import annotations

import functools
import re
import warnings
from re import _constants as sre
from re import _parser as sre_parser
from typing import Any, NamedTuple

from ._automaton import PROPERTIES, Automaton, Unsupported, property_mark

MAX_WAYS = 2_000_000
"""Ways that ``re`` may have to try: about a tenth of a second."""
MAX_WORK = 5_000_000
"""States times characters that an automaton may have to go through."""
LONGEST = 10_000
"""Characters of one pattern."""


class PatternFault(ValueError):
    """The pattern can't be read."""


def matches(pattern: str, text: str) -> bool | None:
    """Whether a pattern is found in a text; None when that would take too long.

    Raises:
        PatternFault: the pattern can't be read.
    """
    found = read(pattern)
    if found.compiled is not None and found.starts(len(text)) * _ways(found.tree, len(text)) <= MAX_WAYS:
        return found.compiled.search(text) is not None
    automaton = found.automaton
    if automaton is None or automaton.size * (len(text) + 1) > MAX_WORK:
        return None
    return automaton.search(text)


def is_cheap(pattern: str) -> bool:
    """Whether ``re`` needs few ways for a pattern in any text of a thousand characters.

    Raises:
        PatternFault: the pattern can't be read.
    """
    found = read(pattern)
    return found.compiled is not None and found.starts(1000) * _ways(found.tree, 1000) <= MAX_WAYS


class Pattern(NamedTuple):
    """A pattern that was read."""

    tree: Any
    compiled: re.Pattern[str] | None
    """None where Python's patterns have no words for it."""
    automaton: Automaton | None
    """None where only trying will do, or where it would be too large."""

    def starts(self, length: int) -> int:
        """The places where a match may begin."""
        anchored = len(self.tree) > 0 and self.tree[0][0] is sre.AT and self.tree[0][1] in _BEGINNINGS
        return 1 if anchored else length + 1


_BEGINNINGS = (sre.AT_BEGINNING, sre.AT_BEGINNING_STRING)


@functools.lru_cache(512)
def read(pattern: str) -> Pattern:
    """A pattern, read.

    Raises:
        PatternFault: it can't be.
    """
    if len(pattern) > LONGEST:
        raise PatternFault(f"it has more than {LONGEST:,} characters")
    source = _of_python(pattern)
    try:
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # sets in sets, which nobody meant
            tree = sre_parser.parse(source)
            marked = any(mark in source for mark in PROPERTIES)
            compiled = None if marked else re.compile(source)
    except (re.error, OverflowError, RecursionError) as error:
        raise PatternFault(str(error) or type(error).__name__) from None
    try:
        automaton = Automaton(tree)
    except (Unsupported, RecursionError):
        automaton = None
        if marked:
            raise PatternFault("it has properties of Unicode beside what only Python has") from None
    return Pattern(tree, compiled, automaton)


# --- ECMAScript -------------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\\p\{(?P<p>[^}]*)\}|\\P\{(?P<P>[^}]*)\}|\\u\{(?P<u>[0-9a-fA-F]{1,6})\}|\\k<(?P<k>\w+)>|\\c(?P<c>[A-Za-z])"
    r"|(?P<other>\\.)|\(\?<(?P<group>[A-Za-z_]\w*)>|(?P<any>\[\^\])|(?P<none>\[\])|(?P<open>\[)|(?P<close>\])|(?P<end>\$)",
    re.S,
)


def _of_python(pattern: str) -> str:
    """An ECMAScript pattern in Python's words. ``$`` is the very end of a text, not the place before a line break."""
    out: list[str] = []
    inside, at = False, 0
    for token in _TOKEN.finditer(pattern):
        out.append(pattern[at : token.start()])
        at, kind = token.end(), token.lastgroup or ""
        text = token[kind]
        if kind in ("p", "P"):
            out.append(property_mark(text, negated=kind == "P"))
        elif kind in ("u", "c"):
            code = int(text, 16) if kind == "u" else ord(text) & 31
            out.append(re.escape(chr(code)) if code <= 0x10FFFF else token[0])
        elif kind == "other" or inside:
            inside = inside and kind != "close"
            out.append(token[0])
        elif kind in ("k", "group"):
            out.append(f"(?P={text})" if kind == "k" else f"(?P<{text}>")
        else:
            inside = kind == "open"
            out.append({"any": r"[\s\S]", "none": "(?!)", "end": r"\Z"}.get(kind, token[0]))
    return "".join([*out, pattern[at:]])


# --- ways -------------------------------------------------------------------------------------------------------------


def _ways(tree: Any, length: int) -> int:
    """How many ways ``re`` may have to try from one place, in a text of a length; bounded from above."""
    found = 1
    for op, value in tree:
        found *= _ways_of(op, value, length)
        if found > MAX_WAYS:
            return MAX_WAYS + 1
    return found


def _ways_of(op: Any, value: Any, length: int) -> int:
    if op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
        low, high, inner = value
        most = min(int(high), length)
        each = _ways(inner, length)
        counts = max(most - int(low), 0) + 1
        return counts if each == 1 else counts * each ** min(most, 64)
    if op is sre.SUBPATTERN:
        return _ways(value[3], length)
    if op is sre.ATOMIC_GROUP:
        return _ways(value, length)
    if op in (sre.ASSERT, sre.ASSERT_NOT):
        return _ways(value[1], length)
    if op is sre.BRANCH:
        return sum(_ways(branch, length) for branch in value[1])
    if op is sre.GROUPREF_EXISTS:
        return sum(_ways(branch, length) for branch in value[1:] if branch is not None)
    return 1
