"""What all ways to write values share: texts with lengths and patterns, lists, objects with optional members."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from .. import _typed
from .._errors import ConstraintError
from ._numbers import number as any_number
from ._patterns_in import Pattern, UnwritableError, clipped, patterns
from ._ranges import Ranges
from ._rules import Site, alt, is_small, rep, seq
from ._tree import EMPTY, Alt, Chars, Lit, Node, Rep, Seq

if TYPE_CHECKING:
    from ._shape import Object, Shape


class Seen(NamedTuple):
    """What a reader that types texts by the schema takes for the schema of a value."""

    schema: Any
    root: Mapping[str, Any]

    @property
    def key(self) -> Hashable:
        """The same for the same schemas."""
        return repr(self.schema)

    def member(self, name: str) -> Seen:
        """That of a member of an object."""
        return Seen(_typed.member(self.schema, name, self.root), self.root)

    def entries(self) -> Seen:
        """That of the entries of a list."""
        return Seen(_typed.entries(self.schema, self.root), self.root)

    def kinds(self) -> set[str]:
        """The types that it allows; empty for any."""
        return _typed.kinds(self.schema, self.root)


class Field(NamedTuple):
    """A member of an object: its key, its value, whether it may not be left out."""

    key: str
    node: Node
    required: bool


class Notation:
    """A way to write the values of JSON. One value has one spelling, that which the lect writes.

    Attributes:
        key: the same for notations that write alike.
        words: what is written for null, true and false.
    """

    key: Hashable
    words: ClassVar[dict[Any, str]] = {None: "null", True: "true", False: "false"}

    def inner(self) -> Notation:
        """The notation of the values within arrays and objects."""
        return self

    def literal(self, value: Any) -> Node:
        """One value, written out.

        Raises:
            ConstraintError: it can't be written.
        """
        raise NotImplementedError

    def number(self) -> Node:
        """Any number."""
        return any_number()

    def choose(
        self, shapes: Sequence[Shape], build: Callable[[Shape], Node | None], seen: Seen, site: Site
    ) -> Node | None:
        """One of several shapes; ``seen`` is what the reader of values without types knows of them."""
        return alt(node for shape in shapes if (node := build(shape)) is not None)

    # --- texts --------------------------------------------------------------------------------------------------------

    def string(self, least: int, most: int | None, pattern: str | None, site: Site) -> Node | None:
        """The texts of these lengths that have this pattern; None where there are none."""
        if pattern is None:
            return self.plain(least, most, site)
        return self._patterned(pattern, least, most, site, self.quoted)

    def plain(self, least: int, most: int | None, site: Site) -> Node:
        """The texts of these lengths."""
        raise NotImplementedError

    def character(self, ranges: Ranges, site: Site) -> Node | None:
        """One of these characters as it is written within a text; None where none of them can be."""
        raise NotImplementedError

    def quoted(self, body: Node) -> Node:
        """A text whose inside is written already."""
        raise NotImplementedError

    def _patterned(
        self, source: str, least: int, most: int | None, site: Site, finish: Callable[[Node], Node],
        change: Callable[[Node], Node | None] = lambda node: node,
    ) -> Node | None:  # fmt: skip
        try:
            found = patterns(source)
        except UnwritableError as error:
            raise ConstraintError(
                f"The schema of {site.where} can't be made a constraint: 'pattern' is {source!r:.80}, and {error}."
            ) from None
        options: list[Node] = []
        limited = least > 0 or most is not None
        for pattern in found:
            node, exact = clipped(pattern.whole(), least, most) if limited else (pattern.whole(), True)
            if not exact or pattern.narrowed:
                site.reason(f"not all texts are written that the pattern {source!r:.80} allows")
            changed = None if node is None else change(node)
            written = None if changed is None else self._spelled(changed, site)
            if written is not None:
                options.append(finish(written))
        if not options and limited and not all(self._none(pattern, least, most) for pattern in found):
            raise ConstraintError(
                f"The schema of {site.where} can't be made a constraint: "
                f"there is no way to write 'pattern' {source!r:.80} together with a length."
            )
        return alt(options)

    @staticmethod
    def _none(pattern: Pattern, least: int, most: int | None) -> bool:
        """Whether it is sure that no text of these lengths has the pattern."""
        return clipped(pattern.whole(), least, most) == (None, True)

    def _spelled(self, node: Node, site: Site) -> Node | None:
        """A node over characters as it is written within a text; None where nothing of it can be."""
        if isinstance(node, Chars):
            return self.character(node.ranges, site) if node.ranges else None
        if isinstance(node, Seq):
            parts = [self._spelled(part, site) for part in node.parts]
            return None if None in parts else seq(*(part for part in parts if part is not None))
        if isinstance(node, Alt):
            return alt(x for option in node.options if (x := self._spelled(option, site)) is not None)
        assert isinstance(node, Rep)
        part = self._spelled(node.part, site)
        return rep(part, node.least, node.most) if part is not None else EMPTY if node.least == 0 else None

    # --- lists and objects --------------------------------------------------------------------------------------------

    def array(self, first: Sequence[Node], rest: Node | None, least: int, most: int | None, site: Site) -> Node | None:
        """Lists: entries with places of their own, then others; None where there are none."""
        raise NotImplementedError

    def subset(self, items: Sequence[Node], least: int, site: Site) -> Node | None:
        """Lists of some of these, in this order; with one at least where ``least`` is 1."""
        raise NotImplementedError

    def object(self, fields: Sequence[Field], least: int, site: Site) -> Node | None:
        """Objects of these members in this order, which may be left out where they are not required."""
        raise NotImplementedError

    def mapping(self, value: Node, least: int, most: int | None, site: Site) -> Node | None:
        """Objects with any keys; None where they can't be written."""
        return None

    def fewest(self, shape: Object) -> int:
        """How many members such an object must have to be read."""
        return 0

    def takes_key(self, key: str) -> bool:
        """Whether such a key can be written."""
        return True


class Frame(NamedTuple):
    """What is written around the entries of a list or an object, and between them."""

    open: str
    joint: str
    close: str
    empty: str


def chain(fields: Sequence[tuple[str, Node, bool]], frame: Frame, least: int, site: Site) -> Node | None:
    """Fields in a frame, each with what is written before its value; those that are not required may be left out.

    One rule for each place at the most, so that any number of fields is as much as it is.
    """
    size = len(fields)
    loose = next((at for at, field in enumerate(fields) if field[2]), size)
    after: list[Node] = [*[EMPTY] * size, Lit(frame.close)]
    shared: list[Node] = []
    for at in reversed(range(size)):
        _, node, required = fields[at]
        both = at > 0 and at <= loose  # it may be the first one, and it may not
        shared.insert(0, node if is_small(node) or not both else site.rules.add(f"{site.where}-{at}", node))
        behind = after[at + 1]
        if both and at + 1 < size:  # what follows it is written twice
            behind = after[at + 1] = site.rules.add(f"{site.where}-after", behind)
        field = seq(Lit(frame.joint + fields[at][0]), shared[0])
        after[at] = seq(field if required else rep(field, 0, 1), behind)
    options: list[Node] = []
    for at in range(min(loose + 1, size)):
        options.append(seq(Lit(frame.open + fields[at][0]), shared[at], after[at + 1]))
    if loose == size and not least:
        options.append(Lit(frame.empty))
    return alt(options)


def listed(first: Sequence[Node], rest: Node | None, least: int, most: int | None, frame: Frame) -> Node | None:
    """Entries in a frame."""
    size = len(first)
    if most is not None and most < size:
        first, rest, size = first[:most], None, most
    if most is not None and most == size:
        rest = None
    if rest is None and least > size:
        return None
    node: Node = Lit(frame.close)
    if rest is not None and size:
        left = None if most is None else most - size
        node = seq(rep(seq(Lit(frame.joint), rest), max(0, least - size), left), node)
    elif rest is not None:
        left = None if most is None else most - 1
        node = seq(Lit(frame.open), rest, rep(seq(Lit(frame.joint), rest), max(0, least - 1), left), node)
    for at in reversed(range(size)):
        node = seq(Lit(frame.joint if at else frame.open), first[at], node)
        if at and least <= at:
            found = alt([Lit(frame.close), node])
            assert found is not None
            node = found
    if not size and rest is None:
        return Lit(frame.empty)
    return alt([Lit(frame.empty), node]) if least == 0 else node


class Bracketed(Notation):
    """A notation with brackets around lists and objects."""

    item, colon = ", ", ": "
    indent = base = ""

    def _frame(self, brackets: str) -> Frame:
        line = f"\n{self.base}" if self.indent else ""
        inner = line + self.indent
        return Frame(brackets[0] + inner, self.item + inner, line + brackets[1], brackets)

    def written_key(self, key: str) -> str:
        """A key."""
        raise NotImplementedError

    def keys(self, site: Site) -> Node:
        """Any key."""
        return self.plain(0, site.limits.chars, site)

    def array(self, first: Sequence[Node], rest: Node | None, least: int, most: int | None, site: Site) -> Node | None:
        """Entries in square brackets."""
        return listed(first, rest, least, most, self._frame("[]"))

    def subset(self, items: Sequence[Node], least: int, site: Site) -> Node | None:
        """Some of these in square brackets."""
        return chain([("", item, False) for item in items], self._frame("[]"), least, site)

    def object(self, fields: Sequence[Field], least: int, site: Site) -> Node | None:
        """Members in braces."""
        written = [(self.written_key(key) + self.colon, node, required) for key, node, required in fields]
        return chain(written, self._frame("{}"), least, site)

    def mapping(self, value: Node, least: int, most: int | None, site: Site) -> Node | None:
        """Members with any keys in braces."""
        return listed((), seq(self.keys(site), Lit(self.colon), value), least, most, self._frame("{}"))


__all__ = ["Bracketed", "Field", "Frame", "Notation", "Seen", "chain", "listed"]
