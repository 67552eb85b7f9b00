"""What a constraint allows, as a tree: the one form that every printer reads.

A tree is made by :mod:`._build`, and read by the printers, by the matcher and by the sampler.
It has no look-ahead and no left recursion. A :class:`Text` is followed by a literal text, or by nothing at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import msgspec

Range: TypeAlias = tuple[int, int]
"""Code points, both ends included."""


class _Node(msgspec.Struct, frozen=True, cache_hash=True, gc=False):
    """Nodes of two kinds are never equal, unlike tuples."""


class Lit(_Node, frozen=True):
    """This text."""

    text: str


class Chars(_Node, frozen=True):
    """One character of these ranges, which are sorted and apart."""

    ranges: tuple[Range, ...]


class Seq(_Node, frozen=True):
    """One behind another; none of them: the empty text."""

    parts: tuple[Node, ...]


class Alt(_Node, frozen=True):
    """One of several."""

    options: tuple[Node, ...]


class Rep(_Node, frozen=True):
    """The same, ``least`` to ``most`` times (None: without end). It is not empty itself."""

    part: Node
    least: int
    most: int | None


class Text(_Node, frozen=True):
    """Free text in which none of its delimiters stands; ``least`` to ``most`` characters (None: without end).

    ``delimiters`` and ``heads`` are patterns of the grammar profile, as ``re`` source: what may stand nowhere in the
    text, and what it may not begin with, or, where it ends in ``\\Z``, not be. Nor may the text end where what follows
    is what a delimiter looks ahead at.
    """

    delimiters: tuple[str, ...]
    heads: tuple[str, ...] = ()
    least: int = 1
    most: int | None = None
    then: str | None = None
    """What follows, as far as that decides where the text may end; empty: nothing; None: it may be anything."""
    value: bool = False
    """Whether it is the value of an argument: a turn may have many of them."""


class Json(_Node, frozen=True):
    """A JSON value that is valid by a schema, in one layout; printers that have no word for it take ``node``."""

    schema: Any
    """Self-contained: its references are resolved within it; it closes its objects and uses no keyword in vain."""
    layout: Layout
    node: Node
    """The same as a tree."""

    def __hash__(self) -> int:
        return hash((self.layout, self.node))  # a schema has no hash; equal ones have equal trees


class Ref(_Node, frozen=True):
    """What the rule of this name allows."""

    name: str


Node: TypeAlias = Lit | Chars | Seq | Alt | Rep | Text | Json | Ref


class Layout(NamedTuple):
    """How JSON is written."""

    item: str = ", "
    key: str = ": "
    indent: str = ""
    """What each level of a value on several lines is moved by; empty: it stands on one line."""
    base: str = ""
    """What each line but the first begins with, where there are several."""


class Tree(NamedTuple):
    """Rules by name, the first of them to begin with."""

    rules: dict[str, Node]
    start: str = "start"


EMPTY = Seq(())
ANYWHERE = "\U0010ffff"
"""As what follows a text: it may end anywhere."""


def children(node: Node) -> tuple[Node, ...]:
    """The nodes in a node; those of a :class:`Json` are its own business."""
    # Exact types: to ask whether a struct is an instance takes five times as long, and trees are walked a lot.
    if type(node) is Seq:
        return node.parts
    if type(node) is Alt:
        return node.options
    return (node.part,) if type(node) is Rep else ()
