"""What a schema allows, as plain shapes: its references followed, its parts merged, its choices spread out."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .._schemas import References
from . import _keywords as words
from ._judge import Judge
from ._shape import KINDS, Const, Integers, List, Member, Numbers, Object, Part, Shape, identity, is_number, refuse

Tell: TypeAlias = Callable[[str], None]
MAX_WAYS = 200
"""Combinations of the choices of one schema."""
_OF_KIND = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties", "patternProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_REFUSED = ("not", "$dynamicRef", "$recursiveRef")
_REFUSED_IN = {
    "object": (
        "patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies",
        "unevaluatedProperties",
    ),
    "array": ("contains", "unevaluatedItems", "additionalItems"),
}  # fmt: skip


class Shapes(Judge):
    """The shapes of the parts of one schema."""

    def __init__(self, root: Mapping[str, Any], reason: Tell, note: Tell) -> None:
        self._references = References(root)
        self._reason, self._note = reason, note
        self._known: dict[tuple[tuple[int, ...], frozenset[str]], tuple[Shape, ...]] = {}

    def of(self, part: Part, kinds: frozenset[str] = KINDS) -> tuple[Shape, ...]:
        """The shapes of a part that are of these types.

        Raises:
            ConstraintError: a keyword has no shape.
        """
        key = part.key, kinds
        found = self._known.get(key)
        if found is None:
            ways = self._ways(list(part.schemas), [], set(), [], part.where)
            shapes = [shape for flat in ways for shape in self._shapes(flat, kinds, part.where)]
            if len(ways) > 1:
                spread: dict[Any, Shape] = {}
                for shape in shapes:
                    spread.setdefault(identity(shape), shape)
                shapes = list(spread.values())
            found = self._known[key] = tuple(shapes)
        return found

    def _ways(
        self, todo: list[Any], flat: list[Mapping[str, Any]], seen: set[int], choices: list[tuple[str, list[Any]]],
        where: str,
    ) -> list[list[Mapping[str, Any]]]:  # fmt: skip
        """The lists of schemas without references and parts of which one holds."""
        while todo:
            schema = todo.pop(0)
            if schema is False:
                return []
            if schema is True or id(schema) in seen:
                continue
            if not isinstance(schema, Mapping):
                refuse(where, f"{schema!r:.80} is no schema")
            seen.add(id(schema))
            self._check(schema, where)
            if isinstance(schema.get("$ref"), str):
                target = self._references.find(schema["$ref"])
                if target is None:
                    refuse(where, f"the reference {schema['$ref']!r:.200} leads nowhere")
                todo.insert(0, target)
            todo += schema.get("allOf") or ()
            choices += [(key, schema[key]) for key in ("anyOf", "oneOf") if schema.get(key)]
            flat.append(schema)
        if not choices:
            return [flat]
        (key, options), *rest = choices
        found = [self._ways([option], list(flat), set(seen), list(rest), where) for option in options]
        if key == "oneOf":
            self._check_apart([ways for ways in found if ways], where)
        ways = [way for some in found for way in some]
        if len(ways) > MAX_WAYS:
            refuse(where, f"its choices ({key}) have more than {MAX_WAYS} combinations")
        return ways

    def _check(self, schema: Mapping[str, Any], where: str) -> None:
        for key in _REFUSED:
            if key in schema:
                refuse(where, f"there is no way to write {key!r}")
        if "if" in schema and ("then" in schema or "else" in schema):
            refuse(where, "there is no way to write 'if'")
        if schema.get("nullable") is True:
            self._reason(f"{where}: null is left out, since 'nullable' is no keyword of JSON Schema")
        if "format" in schema:
            self._note(f"{where}: the format {schema['format']!r:.40} is not enforced")

    def _check_apart(self, options: list[list[list[Mapping[str, Any]]]], where: str) -> None:
        """Refuse a ``oneOf`` of which two may hold at once."""
        if len(options) < 2:
            return
        shapes = [[x for flat in ways for x in self._shapes(flat, KINDS, where)] for ways in options]
        for at, ones in enumerate(shapes):
            for others in shapes[at + 1 :]:
                for one in ones:
                    for other in others:
                        if not self.apart(one, other, 4):
                            refuse(
                                where, "two options of 'oneOf' may hold at once; write 'anyOf', or a constant in each"
                            )

    # --- one shape for each type --------------------------------------------------------------------------------------

    def _shapes(self, flat: list[Mapping[str, Any]], kinds: frozenset[str], where: str) -> list[Shape]:
        allowed = set(kinds)
        if "number" in allowed:
            allowed.add("integer")
        named = False
        for schema in flat:
            if "type" in schema:
                named = True
                said = schema["type"]
                some = set(said) if isinstance(said, list) else {said}
                if not some <= KINDS:
                    refuse(where, f"{said!r:.80} is no type")
                allowed &= some | {"integer"} if "number" in some else some
        listed = words.listed(flat)
        if listed is None and not named:
            allowed = self._hinted(flat, allowed, where)
        shapes: list[Shape] = []
        for kind in ("string", "number", "integer", "boolean", "null", "array", "object"):
            if kind in allowed and not (kind == "integer" and "number" in allowed):
                shapes += self._of_kind(kind, flat, where)
        if listed is None:
            return shapes
        return [Const(value) for value in listed if any(self.accepts(shape, value) for shape in shapes)]

    def _hinted(self, flat: list[Mapping[str, Any]], allowed: set[str], where: str) -> set[str]:
        """The types that keywords are for, where no type is named."""
        hints = {kind for kind, keys in _OF_KIND.items() if any(key in schema for schema in flat for key in keys)}
        if not hints:
            return allowed
        if "number" in hints:
            hints.add("integer")
        if allowed - hints:
            told = " or ".join(sorted(hints - {"integer"}))
            self._reason(f"{where}: no type is given; its keywords are for type {told}, and only that is written")
        return allowed & hints

    def _of_kind(self, kind: str, flat: list[Mapping[str, Any]], where: str) -> list[Shape]:
        for key in _REFUSED_IN.get(kind, ()):
            if any(key in schema for schema in flat):
                refuse(where, f"there is no way to write {key!r}")
        if kind == "null":
            return [Const(None)]
        if kind == "boolean":
            return [Const(True), Const(False)]
        if kind == "string":
            return words.strings(flat, where)
        if kind == "array":
            return self._list(flat, where)
        if kind == "object":
            return self._object(flat, where)
        return self._number(flat, where, kind)

    def _number(self, flat: list[Mapping[str, Any]], where: str, kind: str) -> list[Shape]:
        bounds = words.bounds_of(flat, where)
        steps = [schema["multipleOf"] for schema in flat if "multipleOf" in schema]
        if kind == "number" and not steps:
            return [Numbers(bounds)]
        step = 1
        for each in steps:
            if not is_number(each) or each != int(each) or each < 1:
                refuse(where, f"there is no way to write 'multipleOf': {each!r:.40}")
            step = math.lcm(step, int(each))
        if kind == "number":
            self._reason(f"{where}: multiples are written as integers")
        least = None if bounds.least is None else words.inward(bounds.least, bounds.above, 1)
        most = None if bounds.most is None else words.inward(bounds.most, bounds.below, -1)
        return [] if least is not None and words.less(most, least) else [Integers(least, most, step)]

    def _list(self, flat: list[Mapping[str, Any]], where: str) -> list[Shape]:
        least, most = words.highest(flat, "minItems", where), words.lowest(flat, "maxItems", where)
        prefixes = [schema.get("prefixItems") or [] for schema in flat]
        if any(isinstance(schema.get("items"), list) for schema in flat):
            refuse(where, "'items' is a list; write 'prefixItems'")
        size = max(map(len, prefixes), default=0)
        first: list[Part] = []
        for at in range(size):
            some = [prefix[at] if at < len(prefix) else schema.get("items", True)
                    for prefix, schema in zip(prefixes, flat, strict=True)]  # fmt: skip
            first.append(words.part(some, f"{where}[{at}]"))
        rest = words.part([schema["items"] for schema in flat if "items" in schema], f"{where}.items")
        closed = next((at for at, part in enumerate([*first, rest]) if False in part.schemas), None)
        if closed is not None:
            most = closed if most is None else min(most, closed)
        if words.less(most, least):
            return []
        unique = any(schema.get("uniqueItems") is True for schema in flat) and not (most is not None and most < 2)
        return [List(tuple(first), None if closed == size else rest, least, most, unique)]

    def _object(self, flat: list[Mapping[str, Any]], where: str) -> list[Shape]:
        names: dict[str, None] = {}
        for schema in flat:
            names.update(dict.fromkeys(schema.get("properties") or ()))
        required = {name for schema in flat for name in schema.get("required") or ()}
        names.update(dict.fromkeys(name for schema in flat for name in schema.get("required") or ()))
        members: list[Member] = []
        for name in names:
            some = [
                schema["properties"][name] if name in (schema.get("properties") or ())
                else schema.get("additionalProperties", True)
                for schema in flat
            ]  # fmt: skip
            if False in some:
                if name in required:
                    return []
                continue
            members.append(Member(name, words.part(some, f"{where}.{name}"), name in required))
        others = [schema["additionalProperties"] for schema in flat if "additionalProperties" in schema]
        closed = any(other is False for other in others)
        if members and others and not closed:
            self._reason(f"{where}: only the members that have a name are written")
        least, most = words.highest(flat, "minProperties", where), words.lowest(flat, "maxProperties", where)
        if words.less(most, max(least, len(required))) or (closed and least > len(members)):
            return []
        more = None if names or closed else words.part(others, f"{where}.*")
        return [Object(tuple(members), more, least, most, closed)]


__all__ = ["Shapes"]
