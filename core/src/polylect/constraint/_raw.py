"""Notations that do not tell texts from other values: a reader that knows the schema does. And values in elements."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from .. import _typed
from .._errors import ConstraintError
from ..grammar import _patterns
from ..grammar._draft import MISSING
from ._notation import Field, Notation, Seen
from ._patterns_in import ending, starting
from ._quoted import PLAIN, JsonText
from ._ranges import Ranges, common, joined
from ._rules import ANY_CHAR, Site, alt, of, rep, seq, without
from ._shape import Const, Integers, List, Numbers, Object, Shape, Strings, same
from ._tree import EMPTY, Chars, Layout, Lit, Node, Text

BLANK = joined((*of("\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"), (0x2000, 0x200A)))
"""What ``str.strip`` takes off."""
FIRST = {
    "null": of("nN"), "boolean": of("tTfF"), "integer": of("-0123456789"), "number": of("-0123456789"),
    "array": of("["), "object": of("{"),
}  # fmt: skip
"""How a text begins that a reader may take for a value of these types."""
ALL = frozenset(_typed.KINDS)


def obligatory(delimiters: Sequence[str]) -> str:
    """Characters of which each of these patterns must have one, few of them: a text without them holds no delimiter."""
    sets = [_musts(_patterns.parse(source)) for source in delimiters]
    found = ""
    while any(not some & set(found) for some in sets):
        left = [some for some in sets if not some & set(found)]
        choices = sorted(set[str]().union(*left), key=lambda char: (-sum(char in x for x in left), char in " \n", char))
        if not choices:
            raise ConstraintError("A delimiter of free text has no character that it must have.")
        found += choices[0]
    return found


def _musts(seq_: _patterns.Seq) -> set[str]:
    """The characters without which a pattern does not match."""
    found: set[str] = set()
    for node in seq_:
        if node[0] == "c" and not _patterns.open_class(node[1]):
            some = _patterns.chars(node[1])
            found |= some if len(some) == 1 else set()
        elif node[0] in ("look", "not", "end"):
            break
        elif node[0] == "rep" and node[1] > 0:
            found |= _musts(node[3])
        elif node[0] == "grab":
            found |= _musts(node[1])
        elif node[0] == "alt":
            found |= set.intersection(*(_musts(branch) for branch in node[1]))
    return found


class RawText(Notation):
    """A value is a text up to a delimiter; the reader takes it for the first type of the schema that it fits.

    Args:
        delimiters, heads: what no text holds, and what none begins with; see :class:`Text`.
        layout: of the JSON that values other than texts are written in.
        trimmed: whether the reader takes blanks off the ends of a text.
    """

    quotes = False
    """Whether the reader takes a text in quotes for JSON where the schema says nothing."""

    def __init__(
        self, delimiters: Sequence[str], heads: Sequence[str] = (), layout: Layout = PLAIN, *, trimmed: bool = False
    ) -> None:
        self.delimiters, self.heads, self.layout, self.trimmed = tuple(delimiters), tuple(heads), layout, trimmed
        self.key = (type(self).__name__, self.delimiters, self.heads, layout, trimmed)
        self._pivots = obligatory(self.delimiters) if self.delimiters else ""
        self._json = JsonText(layout, self._pivots, escapes=True)

    # --- texts --------------------------------------------------------------------------------------------------------

    def free(self, least: int, most: int | None, site: Site) -> Node:
        """Any text of these lengths."""
        return Text(self.delimiters, self.heads, least, most, value=True)

    def plain(self, least: int, most: int | None, site: Site) -> Node:
        """A text of these lengths; where blanks are taken off its ends, its first characters are none."""
        if not self.trimmed or not least:
            return self.free(least, most, site)
        site.reason("the characters that a text must have are no blanks")
        found = self._begun((*BLANK, *self._head_chars()), least, least, most, site)
        assert found is not None
        return found

    def _begun(self, banned: Ranges, solid: int, least: int, most: int | None, site: Site) -> Node | None:
        """A text whose first character is none of these; ``solid``: so many characters at its start are no blanks."""
        if most == 0:
            return None
        first = self._one(without(ANY_CHAR, (*of(self._pivots), *banned)), site)
        if first is None:
            return None
        rest = Chars(without(ANY_CHAR, (*of(self._pivots), *BLANK)))
        more = None if most is None else most - max(solid, 1)
        return seq(
            first,
            rep(rest, max(solid - 1, 0), max(solid - 1, 0)),
            self._rest(max(least - max(solid, 1), 0), more, site),
        )

    def _head_chars(self) -> Ranges:
        """The characters that something begins with which no text begins with."""
        found: set[str] = set()
        for head in self.heads:
            found |= _patterns.first(_patterns.parse(head))[0]
        return of("".join(found))

    def character(self, ranges: Ranges, site: Site) -> Node | None:
        """A character that is in no delimiter."""
        if common(ranges, of(self._pivots)):
            site.reason(f"texts with a pattern are written without {' '.join(self._pivots)}")
        raw = without(ranges, of(self._pivots))
        return Chars(raw) if raw else None

    def quoted(self, body: Node) -> Node:
        """The body as it is."""
        return body

    def _without_ends(self, node: Node, banned: Ranges) -> Node | None:
        """The part of a pattern's node that begins with none of these characters, and that no trimming changes."""
        first = (*self._head_chars(), *banned)
        found = starting(node, first) if first else node
        if self.trimmed and found is not None:
            found = starting(found, BLANK)
            found = None if found is None else ending(found, BLANK)
        return found

    def string(self, least: int, most: int | None, pattern: str | None, site: Site) -> Node | None:
        """A text that is surely read as one."""
        return self._string(least, most, pattern, (), site)

    def _string(self, least: int, most: int | None, pattern: str | None, banned: Ranges, site: Site) -> Node | None:
        """A text that begins with none of these characters."""
        if pattern is not None:
            return self._patterned(
                pattern, least, most, site, self.quoted, lambda node: self._without_ends(node, banned)
            )
        if not banned:
            return self.plain(least, most, site)
        begun = self._begun((*banned, *self._head_chars()), least if self.trimmed else 0, least, most, site)
        return alt([*([] if least else [EMPTY]), *([] if begun is None else [begun])])

    def _one(self, ranges: Ranges, site: Site) -> Node | None:
        return Chars(ranges) if ranges else None

    def _rest(self, least: int, most: int | None, site: Site) -> Node:
        return EMPTY if most == 0 else Text(self.delimiters, (), least, most, value=True)

    def literal(self, value: Any) -> Node:
        """A text as it is, another value as JSON."""
        if isinstance(value, str):
            self._check(value, value)
            return Lit(value)
        text = json.dumps(value, ensure_ascii=False, separators=(self.layout.item, self.layout.key))
        self._check(text, value)
        return Lit(text)

    def _check(self, text: str, value: Any) -> None:
        if any(re.search(source, text) for source in self.delimiters) or any(
            re.match(source, text) for source in self.heads
        ):
            raise ConstraintError(f"{value!r:.80} holds what ends a value here")
        if self.trimmed and isinstance(value, str) and text != text.strip():
            raise ConstraintError(f"{value!r:.80} has blanks at its ends, which are lost")

    # --- other values -------------------------------------------------------------------------------------------------

    def inner(self) -> Notation:
        """JSON without the characters that delimiters have."""
        return self._json

    def array(self, first: Sequence[Node], rest: Node | None, least: int, most: int | None, site: Site) -> Node | None:
        """A list in JSON."""
        return self._json.array(first, rest, least, most, site)

    def subset(self, items: Sequence[Node], least: int, site: Site) -> Node | None:
        """Some of these in JSON."""
        return self._json.subset(items, least, site)

    def object(self, fields: Sequence[Field], least: int, site: Site) -> Node | None:
        """An object in JSON."""
        return self._json.object(fields, least, site)

    def mapping(self, value: Node, least: int, most: int | None, site: Site) -> Node | None:
        """An object with any keys in JSON."""
        return self._json.mapping(value, least, most, site)

    def takes_key(self, key: str) -> bool:
        """Whether it holds nothing of a delimiter."""
        return self._json.takes_key(key)

    # --- which of them ------------------------------------------------------------------------------------------------

    def choose(
        self, shapes: Sequence[Shape], build: Callable[[Shape], Node | None], seen: Seen, site: Site
    ) -> Node | None:
        """Texts that are read as the values of one of the shapes, whichever that is."""
        kinds = seen.kinds()
        known = frozenset(kinds | {"integer"} if "number" in kinds else kinds) or ALL
        if known == {"string"} or all(not _is_text(shape) for shape in shapes):
            return alt(node for shape in shapes if (node := self._built(shape, build, known, seen, site)) is not None)
        loose = known - frozenset(_free(shapes))
        is_sure = not loose and "string" in known and not (self.quotes and not kinds)
        if is_sure and any(shape == Strings() for shape in shapes):
            return self.free(0, site.limits.chars, site)
        banned = tuple(x for kind in sorted(loose) for x in FIRST.get(kind, ()))
        banned += of('"') if not kinds and self.quotes else ()
        if banned:
            site.reason("texts that might be taken for other values are not written")
        options: list[Node] = []
        for shape in shapes:
            if isinstance(shape, Strings) and "string" in known:
                most = site.limits.chars if shape.most is None else shape.most
                if most is not None and most < shape.least:
                    most = shape.least
                node = self._string(shape.least, most, shape.pattern, (*banned, *BLANK) if banned else (), site)
            else:
                node = self._built(shape, build, known, seen, site)
            if node is not None:
                options.append(node)
        return alt(options)

    def _built(
        self, shape: Shape, build: Callable[[Shape], Node | None], known: frozenset[str], seen: Seen, site: Site
    ) -> Node | None:
        """The node of one shape, if the reader can take it for that."""
        if not isinstance(shape, Const):
            if kind_of(shape) not in known:
                site.reason(f"values of type {kind_of(shape)} are not read as such")
                return None
            return build(shape)
        text = shape.value if isinstance(shape.value, str) else json.dumps(shape.value)
        if kind_of(shape) not in known or not same(self.read(text, seen), shape.value):
            site.reason(f"{shape.value!r:.60} is read as another value, and not written")
            return None
        return build(shape)

    def read(self, text: str, seen: Seen) -> Any:
        """A text as the reader types it."""
        value = _typed.fitted(text, seen.schema, seen.root)
        if value is not MISSING:
            return value
        return text if seen.kinds() else _untyped(text)


def _untyped(text: str) -> Any:
    if text.startswith('"'):
        return text
    try:
        return _typed.load_json(text)
    except (ValueError, RecursionError):
        return text


def _is_text(shape: Shape) -> bool:
    return isinstance(shape, Strings) or (isinstance(shape, Const) and isinstance(shape.value, str))


def kind_of(shape: Shape) -> str:
    """The type of a shape's values."""
    kinds = {Strings: "string", Integers: "integer", Numbers: "number", List: "array", Object: "object"}
    return _typed.kind_of(shape.value) if isinstance(shape, Const) else kinds[type(shape)]


def _free(shapes: Sequence[Shape]) -> set[str]:
    """The types of which all values are of these shapes."""
    found = {"string"}
    consts = {(type(shape.value), shape.value) for shape in shapes if isinstance(shape, Const)
              and isinstance(shape.value, (bool, type(None)))}  # fmt: skip
    if (type(None), None) in consts:
        found.add("null")
    if {(bool, True), (bool, False)} <= consts:
        found.add("boolean")
    for shape in shapes:
        if shape == Numbers():
            found |= {"integer", "number"}
        elif shape == Integers():
            found.add("integer")
        elif isinstance(shape, List) and shape == List((), shape.rest) and shape.rest is not None:
            found |= set() if shape.rest.schemas else {"array"}
        elif isinstance(shape, Object) and shape == Object((), shape.more) and shape.more is not None:
            found |= set() if shape.more.schemas else {"object"}
    return found


class TypedText(RawText):
    """Tags with raw text, typed by the schema; lists and objects are JSON."""


__all__ = ["PLAIN", "RawText", "TypedText", "kind_of", "obligatory"]
