"""What a schema allows, in plain shapes: one value, or the values of one type within bounds."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn, TypeAlias

from .._errors import ConstraintError
from ._numbers import Bounds

KINDS = frozenset({"string", "integer", "number", "boolean", "null", "array", "object"})


class Part(NamedTuple):
    """The schemas that hold of one value together, and where they stand."""

    schemas: tuple[Any, ...]
    where: str

    @property
    def key(self) -> tuple[int, ...]:
        """The same for the same schemas."""
        if len(self.schemas) < 2:
            return (id(self.schemas[0]),) if self.schemas else ()
        return tuple(sorted({id(schema) for schema in self.schemas}))

    @property
    def may_recur(self) -> bool:
        """Whether it may stand within itself: it refers to something, or it is anything."""
        return not self.schemas or any(map(_refers, self.schemas))


def _refers(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    return "$ref" in schema or any(
        _refers(part) for key in ("allOf", "anyOf", "oneOf") if schema.get(key) for part in schema[key]
    )


class Const(NamedTuple):
    """This value."""

    value: Any


class Strings(NamedTuple):
    """Texts of these lengths that have this pattern."""

    least: int = 0
    most: int | None = None
    pattern: str | None = None


class Integers(NamedTuple):
    """Integers between these, both included."""

    least: int | None = None
    most: int | None = None
    step: int = 1


class Numbers(NamedTuple):
    """Numbers, integers among them."""

    bounds: Bounds = Bounds()


class List(NamedTuple):
    """Lists: entries with a place of their own, and others."""

    first: tuple[Part, ...]
    rest: Part | None
    least: int = 0
    most: int | None = None
    unique: bool = False


class Member(NamedTuple):
    """A member of an object."""

    name: str
    part: Part
    required: bool


class Object(NamedTuple):
    """Objects with these members, in this order; ``more``: what all members are where none is named."""

    members: tuple[Member, ...]
    more: Part | None = None
    least: int = 0
    most: int | None = None
    closed: bool = False
    """Whether the schema rules other members out."""


Shape: TypeAlias = Const | Strings | Integers | Numbers | List | Object
ANY: tuple[Shape, ...] = (
    Strings(), Numbers(), Const(True), Const(False), Const(None), List((), Part((), "")), Object((), Part((), "")),
)  # fmt: skip


def refuse(where: str, what: str) -> NoReturn:
    """Raise the error that names the place and the keyword."""
    raise ConstraintError(f"The schema of {where} can't be made a constraint: {what}.")


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def is_number(value: Any) -> bool:
    """Whether it is a number of JSON."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def identity(shape: Shape) -> Any:
    """The same for shapes that allow the same."""
    if isinstance(shape, Const):
        return "const", type(shape.value).__name__, json.dumps(shape.value, sort_keys=True)
    if isinstance(shape, List):
        keys = tuple(part.key for part in shape.first)
        return "list", keys, None if shape.rest is None else shape.rest.key, *shape[2:]
    if isinstance(shape, Object):
        members = tuple((name, part.key, required) for name, part, required in shape.members)
        return "object", members, None if shape.more is None else shape.more.key, *shape[2:]
    return type(shape).__name__, shape


__all__ = [
    "KINDS", "Const", "Integers", "List", "Member", "Numbers", "Object", "Part", "Shape", "Strings", "identity",
    "is_number", "refuse", "same",
]  # fmt: skip
