"""The values that a JSON Schema allows, in some notation, as a node of a constraint's tree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any

from .._errors import ConstraintError
from ._closed import Closer
from ._notation import Field, Notation, Seen
from ._numbers import DIGITS, integers, number, numbers
from ._quoted import JsonText
from ._raw import RawText
from ._rules import Limits, Rules, Site, alt, endless, is_small
from ._shape import KINDS, Const, Integers, List, Numbers, Object, Part, Shape, Strings, identity, refuse
from ._shapes import Shapes
from ._tree import Json, Layout, Lit, Node

OPEN = Limits()
MAX_LEVELS = 40
"""References within one another."""
MAX_SUBSET = 64
"""Values of a list without doubles that are written one by one."""


def value(
    schema: Any, root: Mapping[str, Any], notation: Notation, rules: Rules, *, where: str,
    limits: Limits = OPEN, kinds: frozenset[str] | None = None,
) -> Node | None:  # fmt: skip
    """The values of a schema in a notation.

    Args:
        schema: of the value.
        root: the schema that it is a part of; references lead there.
        notation: how values are written.
        rules: gets the rules that the node refers to, and the reasons why something valid can't be written.
        where: the place in the tools' schemas, as it is told in reasons and errors.
        limits: for what the schema leaves open.
        kinds: only the values of these types of JSON, where the tongue has told the type before the value.

    Returns:
        The node; None where the schema allows no value of these types.

    Raises:
        ConstraintError: the schema has a keyword that can't be written out; the message names the place and it.
    """
    rules.keep(schema)
    rules.keep(root)
    shapes = _shapes_of(root, rules)
    maker = _Maker(shapes, rules, limits)
    part = Part(() if schema is True or schema == {} else (schema,), where)
    told = kinds is not None and kinds != KINDS
    node = maker.node(part, notation, KINDS if kinds is None else kinds, Seen(schema, root), told=told)
    if maker.within and maker.within & endless(rules.rules):
        refuse(where, "by its references ('$ref') it needs itself, so that no value of it ends")
    return node


def json_node(
    schema: Any, root: Mapping[str, Any], layout: Layout, rules: Rules, *, where: str, limits: Limits = OPEN
) -> Json:
    """The values of a schema as JSON in a layout.

    Raises:
        ConstraintError: see :func:`value`; or there is no value at all.
    """
    node = value(schema, root, JsonText(layout), rules, where=where, limits=limits)
    if node is None:
        refuse(where, "it allows no value")
    return Json(_closed(schema, where, _shapes_of(root, rules), limits), layout, node)


def closed(schema: Any, root: Mapping[str, Any], *, where: str, limits: Limits = OPEN) -> dict[str, Any]:
    """The schema for engines that have JSON Schema of their own: self-contained, its objects closed, nothing in vain.

    What it allows is what :func:`value` writes as JSON, but for spellings.

    Raises:
        ConstraintError: see :func:`value`.
    """
    return _closed(schema, where, _shapes_of(root, Rules()), limits)


def _closed(schema: Any, where: str, shapes: Shapes, limits: Limits) -> dict[str, Any]:
    return Closer(shapes, limits).root(Part(() if schema is True or schema == {} else (schema,), where))


def _shapes_of(root: Mapping[str, Any], rules: Rules) -> Shapes:
    return rules.shared(id(root), lambda: Shapes(root, rules.reason, rules.note))


class _Maker:
    """Makes the nodes of one schema's values."""

    def __init__(self, shapes: Shapes, rules: Rules, limits: Limits) -> None:
        self._shapes, self._rules, self._limits = shapes, rules, limits
        self._open: dict[Hashable, bool] = {}
        """The rules that are being made, and whether they were referred to by then."""
        self.within: set[str] = set()
        """The names of rules that refer to themselves."""

    def node(
        self, part: Part, notation: Notation, kinds: frozenset[str], seen: Seen, *, told: bool = False
    ) -> Node | None:
        """The values of a part; a rule where it may be within itself."""
        if told or not part.may_recur:
            return self._choice(part, notation, kinds, seen, told=told)
        if isinstance(notation, RawText):  # its texts must know what is behind them: rules are for lists and objects
            return self._choice(part, notation, kinds, seen)
        key = ("value", notation.key, part.key, self._limits, kinds)
        return self._rule(key, part.where, lambda: self._choice(part, notation, kinds, seen))

    def _rule(self, key: Hashable, name: str, make: Callable[[], Node | None]) -> Node | None:
        """A rule that may refer to itself; None where there is nothing to write."""
        none = self._rules.shared(("none", key), list[bool])
        is_open = key in self._open
        if is_open:
            self._open[key] = True
        elif len(self._open) > MAX_LEVELS:
            refuse(name, f"its references ('$ref') lead more than {MAX_LEVELS} levels deep")

        def made() -> Node:
            self._open[key] = False
            found = make()
            if self._open.pop(key) and found is None:
                refuse(name, "by its references ('$ref') it needs itself, and it has no value")
            if found is None:
                none.append(True)
            return Lit("") if found is None else found

        found = self._rules.once(key, name, made)
        if is_open:
            self.within.add(found.name)
        return None if none else found

    def _choice(
        self, part: Part, notation: Notation, kinds: frozenset[str], seen: Seen, *, told: bool = False
    ) -> Node | None:
        site = Site(self._rules, part.where, self._limits)
        shapes = self._shapes.of(part, kinds)

        def build(shape: Shape) -> Node | None:
            if part.may_recur and isinstance(notation, RawText) and isinstance(shape, (List, Object)):
                key = ("shape", notation.key, identity(shape), seen.key, self._limits)
                return self._rule(key, part.where, lambda: self._shape(shape, notation, seen, site))
            return self._shape(shape, notation, seen, site)

        if told and isinstance(notation, RawText):
            return alt(node for shape in shapes if (node := build(shape)) is not None)
        return notation.choose(shapes, build, seen, site)

    def _shape(self, shape: Shape, notation: Notation, seen: Seen, site: Site) -> Node | None:
        if isinstance(shape, Const):
            try:
                return notation.literal(shape.value)
            except ConstraintError as error:
                site.reason(f"{error}, and is not written")
                return None
        if isinstance(shape, Strings):
            return self._string(shape, notation, site)
        if isinstance(shape, Integers):
            try:
                return self._shared(shape, "integer", integers(*shape))
            except ValueError:
                refuse(site.where, f"there is no way to write 'multipleOf': {shape.step} with these bounds")
        if isinstance(shape, Numbers):
            return self._number(shape, site)
        if isinstance(shape, List):
            return self._list(shape, notation, seen, site)
        return self._object(shape, notation, seen, site)

    def _string(self, shape: Strings, notation: Notation, site: Site) -> Node | None:
        most = shape.most
        if most is None and self._limits.chars is not None:
            most = max(self._limits.chars, shape.least)
        return notation.string(shape.least, most, shape.pattern, site)

    def _number(self, shape: Numbers, site: Site) -> Node | None:
        if shape == Numbers():
            return self._rules.once(("number",), "number", number)
        site.reason("numbers between bounds are written without exponents, with few decimals")
        found = numbers(shape.bounds)
        if found is None:
            refuse(site.where, "there is no way to write numbers between these bounds ('minimum', 'maximum')")
        return self._shared(shape, "number", found)

    def _shared(self, shape: Shape, name: str, node: Node | None) -> Node | None:
        """A node that others of the same shape share, unless it is small."""
        if node is None or is_small(node):
            return node
        return self._rules.once(("of", shape), name, lambda: node)

    def _once(self, node: Node | None, name: str, notation: Notation) -> Node | None:
        """A list or an object that equal ones share, unless it is small or must know what is behind it."""
        if node is None or is_small(node) or isinstance(notation, RawText):
            return node
        return self._rules.once(("node", node), name, lambda: node)

    def _list(self, shape: List, notation: Notation, seen: Seen, site: Site) -> Node | None:
        inner = notation.inner()
        entries = seen.entries() if isinstance(notation, RawText) else seen
        if shape.unique:
            return self._unique(shape, notation, entries, site)
        most = shape.most
        if most is None and self._limits.items is not None:
            most = max(self._limits.items, shape.least)
        first: list[Node] = []
        for part in shape.first[:most]:
            node = self.node(part, inner, KINDS, entries)
            if node is None:  # no list is so long
                most = len(first)
                break
            first.append(node)
        rest = None
        if shape.rest is not None and (most is None or most > len(first)):
            rest = self.node(shape.rest, inner, KINDS, entries)
        return self._once(notation.array(first, rest, shape.least, most, site), "array", notation)

    def _unique(self, shape: List, notation: Notation, entries: Seen, site: Site) -> Node | None:
        """A list without doubles: some of the values that there are, in their order."""
        if shape.rest is None or shape.first:
            refuse(site.where, "there is no way to write 'uniqueItems' with 'prefixItems'")
        options = self._shapes.of(shape.rest)
        values = [x for x in options if isinstance(x, Const)]
        if len(values) < len(options) or len(values) > MAX_SUBSET or shape.least > 1:
            refuse(site.where, "there is no way to write 'uniqueItems', but for a list of an 'enum'")
        if shape.most is not None and shape.most < len(values):
            refuse(site.where, "there is no way to write 'uniqueItems' with 'maxItems'")
        site.reason("a list without doubles has its entries in the order of the schema")
        inner = notation.inner()
        nodes = [inner.choose([x], lambda y: self._shape(y, inner, entries, site), entries, site) for x in values]
        return notation.subset([node for node in nodes if node is not None], shape.least, site)

    def _object(self, shape: Object, notation: Notation, seen: Seen, site: Site) -> Node | None:
        inner = notation.inner()
        if shape.more is not None:
            node = self.node(shape.more, inner, KINDS, _member(seen, "*", notation))
            if node is None:
                return notation.object((), shape.least, site)
            found = notation.mapping(node, shape.least, shape.most, site)
            if found is None and not shape.least:
                site.reason("no members are written, since their names are not known")
                return notation.object((), 0, site)
            return self._once(found, "object", notation)
        required = sum(member.required for member in shape.members)
        least = shape.least if shape.least > required else 0
        if least > 1 or (least and required) or (shape.most is not None and shape.most < len(shape.members)):
            refuse(site.where, "there is no way to write 'minProperties' and 'maxProperties' of these")
        if notation.fewest(shape) > max(least, required):
            site.reason("it is not written without members")
            least = notation.fewest(shape)
        fields: list[Field] = []
        for member in shape.members:
            node = None
            if notation.takes_key(member.name):
                node = self.node(member.part, inner, KINDS, _member(seen, member.name, notation))
            else:
                site.reason(f"the member {member.name!r:.60} can't be written")
            if node is not None:
                fields.append(Field(member.name, node, member.required))
            elif member.required:
                return None
        return notation.object(fields, least, site)


def _member(seen: Seen, name: str, notation: Notation) -> Seen:
    """What the reader knows of a member, where it asks."""
    return seen.member(name) if isinstance(notation, RawText) else seen


__all__ = ["DIGITS", "Limits", "closed", "json_node", "value"]
