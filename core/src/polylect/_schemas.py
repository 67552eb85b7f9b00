"""JSON Schemas of tools: where their references lead, the arguments that they name, and what is broken in them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

Schema: TypeAlias = "Mapping[str, Any]"
Place: TypeAlias = "tuple[Place, str | int] | None"
"""The way to a part of a schema: (the way to what it stands in, its key), None for the root."""

_IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"})
"""Keys whose schemas are asked about the same value as the schema that they stand in."""
_ECMASCRIPT = re.compile(r"\(\?<(\w+)>|\\[pP]\{[\w=]+\}|\\u\{[0-9a-fA-F]+\}|\\k<\w+>|\\c[A-Za-z]")
"""What ECMAScript's expressions have and Python's have not."""
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keys that hold schemas by names of the caller's."""
_SCHEMAS = _IN_PLACE | {
    "items", "additionalItems", "prefixItems", "contains", "additionalProperties", "unevaluatedItems",
    "unevaluatedProperties", "propertyNames",
}  # fmt: skip
MAX_LEVELS = 50
"""Levels of one schema: real ones have ten."""


# --- references -------------------------------------------------------------------------------------------------------


def referred(reference: str, root: Schema) -> Any:
    """The schema that a reference inside of ``root`` leads to; None when it leads nowhere, or out of the schema."""
    return References(root).find(reference)


class References:
    """Where the references of one schema lead. Looks through the schema once, for those that are no pointers."""

    def __init__(self, root: Schema) -> None:
        self.root = root
        self._anchors: dict[int, dict[str, Any]] = {}

    def find(self, reference: str) -> Any:
        """What a reference leads to; see :func:`referred`."""
        base, _, place = reference.partition("#")
        if not base and (found := self._at(place, self.root)) is not None:
            return found
        if not base:
            parts = [part for some in self._addressed.values() for part in some]
        elif self._addressed:
            parts = self._addressed.get(self._absolute(base), [])
        else:
            return None
        return next((found for part in parts if (found := self._at(place, part)) is not None), None)

    @cached_property
    def _addressed(self) -> dict[str, list[Schema]]:
        """The parts that have an address of their own, by it."""
        found: dict[str, list[Schema]] = {}
        for part, _ in parts_of(self.root):
            if isinstance(part.get("$id"), str):
                found.setdefault(self._absolute(part["$id"]).removesuffix("#"), []).append(part)
        return found

    def _absolute(self, address: str) -> str:
        from urllib.parse import urljoin

        return urljoin(str(self.root.get("$id", "")), address)

    def _at(self, place: str, start: Schema) -> Any:
        """What the fragment of a reference means in ``start``: a JSON pointer, or an anchor."""
        if not place:
            return start
        if "%" in place:
            from urllib.parse import unquote

            place = unquote(place)
        if not place.startswith("/"):
            return self._anchored(start).get(place)
        found: Any = start
        for step in place[1:].split("/"):
            if isinstance(found, list):
                found = found[int(step)] if step.isdecimal() and len(step) < 9 and int(step) < len(found) else None
            else:
                key = step.replace("~1", "/").replace("~0", "~")
                found = found.get(key) if isinstance(found, Mapping) else None
        return found if isinstance(found, (Mapping, bool)) else None

    def _anchored(self, start: Schema) -> dict[str, Any]:
        """The parts of ``start`` that have anchors."""
        if id(start) not in self._anchors:
            found: dict[str, Any] = {}
            for part, _ in parts_of(start):
                for anchor in (part.get("$anchor"), _name(part)):
                    if isinstance(anchor, str):
                        found.setdefault(anchor, part)
            self._anchors[id(start)] = found
        return self._anchors[id(start)]


def _name(part: Schema) -> Any:
    """The anchor of a part in its other spellings: ``$dynamicAnchor``, and ``$id`` as draft 7 has it."""
    name = part.get("$id")
    return name[1:] if isinstance(name, str) and name.startswith("#") else part.get("$dynamicAnchor")


def parts_of(schema: Any) -> Iterator[tuple[Schema, Place]]:
    """A schema and all schemas inside of it, each once, with their places."""
    waiting: list[tuple[Any, Place]] = [(schema, None)]
    seen: set[int] = set()
    while waiting:
        part, place = waiting.pop()
        if isinstance(part, Mapping) and id(part) not in seen:
            seen.add(id(part))
            yield part, place
            waiting += [(inner, way) for _, inner, way in _inner(part, place)]


def _inner(part: Schema, place: Place) -> Iterator[tuple[str, Any, Place]]:
    """The schemas directly inside of a schema: the key that they stand under, each of them, its place."""
    for key, value in part.items():
        if key in _NAMED:
            if isinstance(value, Mapping):
                yield from ((key, inner, ((place, key), name)) for name, inner in value.items())
        elif key in _SCHEMAS:
            if isinstance(value, Mapping):
                yield key, value, (place, key)
            elif isinstance(value, list):
                yield from ((key, inner, ((place, key), number)) for number, inner in enumerate(value))


def larger_than(value: Any, limit: int) -> bool:
    """Whether a JSON value has more than ``limit`` keys and entries, those of all inner values included."""
    waiting = [value]
    seen: set[int] = set()
    while waiting:
        inner = waiting.pop()
        if id(inner) not in seen:
            seen.add(id(inner))
            limit -= len(inner)
            if limit < 0:
                return True
            values = inner.values() if isinstance(inner, Mapping) else inner
            waiting += [x for x in values if x.__class__ not in _SCALARS and isinstance(x, (dict, list, Mapping))]
    return False


_SCALARS = frozenset({str, int, float, bool, type(None)})


def without_titles(schema: Any) -> Any:
    """A schema without the titles that pydantic gives to everything: they repeat the names."""
    if isinstance(schema, list):
        return [without_titles(x) for x in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _untitled(key, value) for key, value in schema.items() if key != "title" or not isinstance(value, str)}


def _untitled(key: str, value: Any) -> Any:
    if key in _NAMED and isinstance(value, Mapping):
        return {name: without_titles(inner) for name, inner in value.items()}
    return without_titles(value) if key in _SCHEMAS else value


# --- what is broken ---------------------------------------------------------------------------------------------------


def schema_problem(schema: Schema) -> str | None:
    """What makes a schema useless for everybody: its references, its patterns; None when nothing does.

    References are followed inside of the schema only; a schema may refer to itself, as long as each turn goes into a
    member or an entry of the value.
    """
    waiting: list[tuple[Any, Place]] = [(schema, None)]
    seen: dict[int, tuple[Schema, Place]] = {}
    same: dict[int, list[int]] = {}
    references = References(schema)
    while waiting:
        part, place = waiting.pop()
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen[id(part)] = part, place
        patterns = [part["pattern"]] if "pattern" in part else []
        if isinstance(part.get("patternProperties"), Mapping):
            patterns += part["patternProperties"]
        for pattern in patterns:
            if not _is_pattern(pattern):
                return f"{pattern!r:.200} is not a 'regex' - at {_path((place, 'pattern'))}"
        inner = list(_inner(part, place))
        waiting += [(x, way) for _, x, way in inner]
        asked = [x for key, x, _ in inner if key in _IN_PLACE]
        if "$ref" in part:
            target, problem = _target(part["$ref"], references)
            if problem is not None:
                return f"{problem} - at {_path(place)}"
            waiting.append((target, (place, "$ref")))
            asked.append(target)
        if asked:
            same[id(part)] = [id(x) for x in asked]
    return _turning(same, seen)


def _is_pattern(pattern: Any) -> bool:
    """Whether it is a regular expression of Python's or of ECMAScript's, which JSON Schema speaks."""
    if not isinstance(pattern, str):
        return False
    for source in (pattern, _ECMASCRIPT.sub(lambda found: f"(?P<{found[1]}>" if found[1] else "x", pattern)):
        try:
            with warnings.catch_warnings(action="ignore", category=FutureWarning):  # sets in sets, which nobody meant
                re.compile(source)
        except (re.error, OverflowError, RecursionError):
            continue
        return True
    return False


def _target(reference: Any, references: References) -> tuple[Any, str | None]:
    """(what a reference leads to, None) or (None, what is wrong with it)."""
    found = references.find(reference) if isinstance(reference, str) else None
    if found is not None:
        return found, None
    if isinstance(reference, str) and reference[:1] not in ("#", ""):
        told = f"the reference {reference!r:.200} leads out of it, and nothing is fetched: put that schema into $defs"
        return None, told
    return None, f"the reference {reference!r:.200} leads nowhere"


def _turning(same: dict[int, list[int]], seen: dict[int, tuple[Schema, Place]]) -> str | None:
    """The fault of parts that ask themselves about the same value, and so never end."""
    done: set[int] = set()
    for start in same:
        way: dict[int, Iterator[int]] = {}
        at: int | None = start
        while at is not None:
            if at not in way:
                way[at] = iter(same[at])
            following = next((x for x in way[at] if x in same and x not in done), None)
            if following in way:
                turn = list(way)[list(way).index(following) :]
                return _told(next((x for x in turn if "$ref" in seen[x][0]), turn[0]), seen)
            if following is None:
                done.add(at)
                del way[at]
                at = next(reversed(way), None)
            else:
                at = following
    return None


def _told(part: int, seen: dict[int, tuple[Schema, Place]]) -> str:
    schema, place = seen[part]
    what = f"the reference {schema['$ref']!r:.200} only" if "$ref" in schema else "a part"
    return f"{what} leads back to itself - at {_path(place)}"


def _path(place: Place) -> str:
    keys: list[str] = []
    while place is not None:
        place, key = place
        keys.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return "$" + "".join(reversed(keys))[:400]


# --- arguments --------------------------------------------------------------------------------------------------------


class Shape(NamedTuple):
    """What a schema says about the members of an object."""

    properties: dict[str, Any]
    """Their schemas by name; a required member has a name even where nothing is said about it."""
    required: tuple[str, ...] = ()
    said: bool = False
    """Whether it says which members there are, be it none: by ``properties``, or by allowing no others."""
    more: bool = False
    """Whether it speaks of members without naming them: by patterns, or by a schema for all others."""

    @property
    def open(self) -> bool:
        """Whether there may be members that have no name here."""
        return self.more or not (self.properties or self.said)


UNKNOWN = Shape({})


def shape_of(root: Schema) -> Shape | None:
    """The members of a schema, its references followed, its alternatives joined; None when it is for no object."""
    return Shapes(root).shape(root)


class Shapes:
    """The members of the parts of one schema; each part is looked at once."""

    def __init__(self, root: Schema) -> None:
        self.references = References(root)
        self.known: dict[int, Shape | None] = {}

    def shape(self, schema: Any, level: int = 0) -> Shape | None:
        """The members of a part; see :func:`shape_of`."""
        if not isinstance(schema, Mapping) or level > MAX_LEVELS:
            return None if schema is False else UNKNOWN
        if id(schema) not in self.known:
            self.known[id(schema)] = UNKNOWN  # for what refers to itself
            self.known[id(schema)] = self._shape(schema, level + 1)
        return self.known[id(schema)]

    def _shape(self, schema: Schema, level: int) -> Shape | None:
        kind = schema.get("type", "object")
        if "object" not in (kind if isinstance(kind, list) else (kind,)):
            return None
        parts: list[Shape | None] = [_own(schema)]
        if isinstance(schema.get("$ref"), str):
            parts.append(self.shape(self.references.find(schema["$ref"]), level))
        parts += [self.shape(x, level) for x in _list(schema.get("allOf"))]
        for key in ("anyOf", "oneOf"):
            if _list(schema.get(key)):
                parts.append(_union([self.shape(x, level) for x in schema[key]]))
        for key in ("then", "else"):
            if (found := self.shape(schema.get(key, True), level)) is not None:
                parts.append(found._replace(required=(), said=False))
        properties: dict[str, Any] = {}
        required: dict[str, None] = {}
        for part in parts:
            if part is None:
                return None
            for name, inner in part.properties.items():
                properties[name] = _both(properties[name], inner) if name in properties else inner
            required.update(dict.fromkeys(part.required))
        properties.update({name: {} for name in required if name not in properties})
        said = any(part.said for part in parts if part is not None)
        more = any(part.more for part in parts if part is not None)
        return Shape(properties, tuple(required), said, more)


def allows_others(root: Schema) -> bool:
    """Whether a schema says that there may be members without a name; one that is silent about them does not."""
    waiting: list[Any] = [root]
    seen: set[int] = set()
    references = References(root)
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Mapping) or id(part) in seen:
            continue
        seen.add(id(part))
        others = part.get("additionalProperties", part.get("unevaluatedProperties"))
        if others is True or isinstance(others, Mapping) or part.get("patternProperties"):
            return True
        waiting += [x for key in ("allOf", "anyOf", "oneOf") for x in _list(part.get(key))]
        waiting += [part.get("then"), part.get("else")]
        if isinstance(part.get("$ref"), str):
            waiting.append(references.find(part["$ref"]))
    return False


def _own(schema: Schema) -> Shape:
    """What a schema says itself."""
    properties, others = schema.get("properties"), schema.get("additionalProperties")
    known = dict(properties) if isinstance(properties, Mapping) else {}
    required = tuple(x for x in _list(schema.get("required")) if isinstance(x, str))
    said = isinstance(properties, Mapping) or others is False or schema.get("unevaluatedProperties") is False
    more = bool(schema.get("patternProperties")) or (isinstance(others, Mapping) and bool(others))
    return Shape(known, required, said, more)


def _union(found: list[Shape | None]) -> Shape | None:
    """The members of alternatives: those of any of them, and what all of them need."""
    shapes = [shape for shape in found if shape is not None]
    if not shapes:
        return None
    properties: dict[str, Any] = {}
    for shape in shapes:
        for name, inner in shape.properties.items():
            properties[name] = _either(properties[name], inner) if name in properties else inner
    required = tuple(name for name in shapes[0].required if all(name in shape.required for shape in shapes))
    return Shape(properties, required, all(x.said for x in shapes), any(x.more for x in shapes))


def _both(one: Any, other: Any) -> Any:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return {**one, **other}
    return one if other is True else other


def _either(one: Any, other: Any) -> Any:
    options = one["anyOf"] if isinstance(one, Mapping) and list(one) == ["anyOf"] else [one]
    return one if any(_equal(x, other) for x in options) else {"anyOf": [*options, other]}


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RecursionError:
        return False


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
