"""Lists and objects as elements within elements, with texts in them that the reader types by the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

from .. import _typed
from ._notation import Field, Frame, Notation, Seen, chain, listed
from ._ranges import Ranges, common
from ._raw import ALL, RawText, kind_of
from ._rules import ANY_CHAR, Site, alt, followed, rep, seq, without
from ._shape import Const, List, Object, Shape
from ._tree import Alt, Chars, Lit, Node

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.\-]{0,63}").fullmatch


class _Elements(RawText):
    """Lists and objects as elements in which elements stand."""

    item: ClassVar[str] = "item"
    empty_object: str = "{}"

    def tags(self, name: str) -> tuple[str, str]:
        """What stands before and behind the value of an element."""
        raise NotImplementedError

    def inner(self) -> Notation:
        """The same."""
        return self

    def takes_key(self, key: str) -> bool:
        """Whether it can be the name of an element."""
        return _NAME(key) is not None

    def _entry(self, node: Node) -> Node:
        begin, end = self.tags(self.item)
        return seq(Lit(begin), followed(node, end))

    def array(self, first: Sequence[Node], rest: Node | None, least: int, most: int | None, site: Site) -> Node | None:
        """An element for each entry."""
        entries = [self._entry(node) for node in first]
        return listed(entries, None if rest is None else self._entry(rest), least, most, Frame("", "", "", "[]"))

    def subset(self, items: Sequence[Node], least: int, site: Site) -> Node | None:
        """An element for some of these."""
        return chain([("", self._entry(item), False) for item in items], Frame("", "", "", "[]"), least, site)

    def object(self, fields: Sequence[Field], least: int, site: Site) -> Node | None:
        """An element for each member."""
        written = []
        for key, node, required in fields:
            begin, end = self.tags(key)
            written.append((begin, followed(node, end), required))
        return chain(written, Frame("", "", "", self.empty_object), least, site)

    def mapping(self, value: Node, least: int, most: int | None, site: Site) -> Node | None:
        """An object without members: the names of elements can't be left open."""
        site.reason("an object whose keys have no names is written without members")
        return None if least else Lit(self.empty_object)

    def _shadowed(self, shape: Shape, seen: Seen) -> bool:
        """Whether elements are read as something else than this list or object."""
        raise NotImplementedError

    def _built(
        self, shape: Shape, build: Callable[[Shape], Node | None], known: frozenset[str], seen: Seen, site: Site
    ) -> Node | None:
        if isinstance(shape, (List, Object)) and self._shadowed(shape, seen):
            site.reason(f"this {kind_of(shape)} is not told from others by its elements, and not written")
            return None
        if isinstance(shape, Const) and isinstance(shape.value, (list, dict)) and shape.value:
            site.reason(f"the constant {shape.value!r:.60} is not written as elements")
            return None
        return super()._built(shape, build, known, seen, site)


class ElementText(_Elements):
    """Elements each tag of which stands behind a token, with raw text in them."""

    def __init__(self, token: str) -> None:
        super().__init__((re.escape(token),))
        self.token = token

    def tags(self, name: str) -> tuple[str, str]:
        """The tags behind the token."""
        return f"{self.token}<{name}>", f"{self.token}</{name}>"

    def _shadowed(self, shape: Shape, seen: Seen) -> bool:
        kinds = seen.kinds() or ALL
        named = isinstance(shape, Object) and any(member.name == self.item for member in shape.members)
        return named and "array" in kinds


_FOREIGN: Ranges = ((0, 8), (11, 12), (14, 31), (0xFFFE, 0xFFFF))
_ENTITIES = {
    38: "&amp;", 60: "&lt;", 62: "&gt;", 13: "&#13;",
    **{code: f"&#{code};" for low, high in _FOREIGN for code in range(low, high + 1)},
}  # fmt: skip


class XmlText(_Elements):
    """Elements of XML, with entities for markup.

    Args:
        top: whether the value is the whole input, where an object without members is nothing at all.
    """

    quotes = True

    def __init__(self, *, top: bool = True) -> None:
        super().__init__(())
        self.empty_object = "" if top else "{}"
        self.key: Hashable = ("xml", top)
        self._raw = without(ANY_CHAR, tuple((code, code) for code in _ENTITIES))
        self._within = XmlText(top=False) if top else self

    def fewest(self, shape: Object) -> int:
        """Nothing at all would be a text, where there is just one argument."""
        return int(not self.empty_object and len(shape.members) == 1)

    def tags(self, name: str) -> tuple[str, str]:
        """The tags."""
        return f"<{name}>", f"</{name}>"

    def inner(self) -> Notation:
        """The same, within an element."""
        return self._within

    def free(self, least: int, most: int | None, site: Site) -> Node:
        """Any text of these lengths."""
        return rep(self._any(site), least, most)

    def _any(self, site: Site) -> Node:
        return site.rules.once(
            ("xml char",), "xml-char", lambda: Alt((Chars(self._raw), *map(Lit, _ENTITIES.values())))
        )

    def character(self, ranges: Ranges, site: Site) -> Node | None:
        """A character, raw or as its entity."""
        raw = common(ranges, self._raw)
        some = [text for code, text in _ENTITIES.items() if any(low <= code <= high for low, high in ranges)]
        if len(some) == len(_ENTITIES) and raw == self._raw:
            return self._any(site)
        return alt([*([Chars(raw)] if raw else []), *map(Lit, some)])

    def _one(self, ranges: Ranges, site: Site) -> Node | None:
        return self.character(ranges, site)

    def _rest(self, least: int, most: int | None, site: Site) -> Node:
        return self.free(least, most, site)

    def literal(self, value: Any) -> Node:
        """A value with its markup as entities."""
        text = value if isinstance(value, str) else json.dumps(value)
        return Lit("".join(_ENTITIES.get(ord(char), char) for char in text))

    def read(self, text: str, seen: Seen) -> Any:
        """A text as the reader types it."""
        return _typed.untyped(text) if seen.schema is None else _typed.typed(text, seen.schema, seen.root)

    def _shadowed(self, shape: Shape, seen: Seen) -> bool:
        kinds = seen.kinds() or ALL
        if isinstance(shape, List):
            return "object" in kinds and bool(seen.kinds())
        named = isinstance(shape, Object) and any(member.name == self.item for member in shape.members)
        return named and "object" not in seen.kinds()


__all__ = ["ElementText", "XmlText"]
