"""A tree as one regular expression that Python's ``re`` and Rust's read alike: no look-around, no flags, no groups."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from .._errors import ConstraintError
from ._eliminate import eliminated, expression, has_text
from ._printed import Options, Printed, Reasons, attempts, char_class, regex_char, regex_text, times, without
from ._tree import EMPTY, Alt, Chars, Lit, Node, Rep, Seq, Text, Tree

LONGEST = 120_000, 60_000, 30_000, 15_000, 8_000, 4_000, 2_000
"""Characters of a text's expression, beyond which engines take too long to read it; fewer, where all of it is long."""
WHOLE = 600_000
"""Characters of a whole expression."""
_PLACE = re.compile("\0([0-9]+)\0")


def regex(tree: Tree, options: Options) -> Printed:
    """The tree as a regular expression for the whole message.

    Raises:
        ConstraintError: a rule refers to itself from within, or the expression is too long.
    """
    node = eliminated(tree, inside=True)
    texts, reasons = Texts(), Reasons()
    source = texts.filled(source_of(node, texts.place), WHOLE, reasons)
    if len(source) > WHOLE:
        raise ConstraintError(
            f"The regular expression would have {len(source):,} characters, and no more than {WHOLE:,} are of use; "
            "offer fewer tools, or take a target that has rules."
        )
    return reasons.printed(source)


class Texts:
    """The free texts of something that is printed first, and filled in when it is known how much room they have."""

    def __init__(self) -> None:
        self._numbers: dict[Text, int] = {}

    def place(self, text: Text) -> str:
        """What stands for a text until it is filled in."""
        return f"\0{self._numbers.setdefault(text, len(self._numbers))}\0"

    def filled(self, printed: str, most: int, reasons: Reasons) -> str:
        """What was printed, with as much of the texts as it has room for, or the least of them, as expressions."""
        texts = list(self._numbers)
        counts = Counter(_PLACE.findall(printed))
        for longest in LONGEST:
            told = [_source(text, longest) for text in texts]
            if len(printed) + sum(len(told[int(number)].source) * count for number, count in counts.items()) <= most:
                break
        for _, reason in told:
            reasons.add(reason)
        return _PLACE.sub(lambda place: told[int(place[1])].source, printed)


class _Source(NamedTuple):
    source: str
    reason: str
    """Why it is less than the text, if it is."""


@functools.lru_cache(maxsize=2048)
def _source(text: Text, longest: int) -> _Source:
    """A free text as a regular expression; one of less texts where that would be longer than ``longest``."""
    for less, reach, reason in attempts(text):
        source = _told(less, reach)
        if source is not None and len(source) <= longest:
            return _Source(source, reason)
    node, reason = without(text)
    return _Source(_pure(node), reason)


@functools.lru_cache(maxsize=512)
def _told(text: Text, reach: int | None) -> str | None:
    node = expression(text, reach)
    if node is None:
        return None
    source = _pure(node)
    return source if len(source) <= LONGEST[0] else None


def _pure(node: Node) -> str:
    return source_of(node, lambda text: "")


def source_of(node: Node, text: Callable[[Text], str]) -> str:
    """A node without references and JSON values as a regular expression; ``text`` prints free text."""
    if isinstance(node, Lit):
        return regex_text(node.text)
    if isinstance(node, Chars):
        return char_class(node.ranges, regex_char)
    if isinstance(node, Seq):
        return "".join(
            f"(?:{source})" if isinstance(part, Alt | Text) else source
            for part in node.parts
            for source in [source_of(part, text)]
        )
    if isinstance(node, Text):
        return text(node)
    assert isinstance(node, Alt | Rep), node
    return _without_text(node) or _branches(node, text)


@functools.lru_cache(maxsize=8192)
def _without_text(node: Alt | Rep) -> str | None:
    """The same for a node without free text, which often stands in many places; None for one with free text."""
    return None if has_text(node) else _branches(node, no_text)


def _branches(node: Alt | Rep, text: Callable[[Text], str]) -> str:
    if isinstance(node, Rep):
        inner = source_of(node.part, text)
        single = isinstance(node.part, Chars) or (isinstance(node.part, Lit) and len(node.part.text) == 1)
        return (inner if single else f"(?:{inner})") + times(node.least, node.most)
    some = [option for option in node.options if option not in (EMPTY, Lit(""))]
    if not some:
        return "" if node.options else "[^\\x00-\\U0010FFFF]"
    body = "|".join(source_of(option, text) for option in some)
    return body if len(some) == len(node.options) else f"(?:{body})?"


def no_text(text: Text) -> str:
    """For nodes that have none."""
    raise AssertionError(text)


__all__ = ["Texts", "no_text", "regex", "source_of"]
