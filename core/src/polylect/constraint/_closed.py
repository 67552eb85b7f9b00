"""A schema written anew from its shapes, for engines that know JSON Schema."""

from __future__ import annotations

from typing import Any

from ._numbers import DIGITS, SURE
from ._rules import Limits
from ._shape import Const, Integers, List, Numbers, Object, Part, Shape, Strings, refuse
from ._shapes import Shapes

FAR = 10**DIGITS - 1
WIDE = 10**SURE - 1


class Closer:
    """Writes the schemas of the parts of one schema."""

    def __init__(self, shapes: Shapes, limits: Limits) -> None:
        self._shapes, self._limits = shapes, limits
        self._names: dict[tuple[int, ...], str] = {}
        self._made: dict[str, Any] = {}

    def root(self, part: Part) -> dict[str, Any]:
        """The schema of a part, with all that it refers to."""
        found = self._of(part)
        return {**found, "$defs": self._made} if self._made else found

    def _part(self, part: Part) -> dict[str, Any]:
        if not part.may_recur:
            return self._of(part)
        name = self._names.get(part.key)
        if name is None:
            name = self._names[part.key] = f"d{len(self._names)}"
            self._made[name] = self._of(part)
        return {"$ref": f"#/$defs/{name}"}

    def _of(self, part: Part) -> dict[str, Any]:
        shapes = self._shapes.of(part)
        values = [shape.value for shape in shapes if isinstance(shape, Const)]
        some = [self._shape(shape, part.where) for shape in shapes if not isinstance(shape, Const)]
        some = [x for x in some if x is not None]
        if sorted(map(repr, values)) == ["False", "True"]:
            some.append({"type": "boolean"})
        elif values == [None]:
            some.append({"type": "null"})
        elif values:
            some.append({"enum": values})
        if not some:
            return {"enum": []}
        return some[0] if len(some) == 1 else {"anyOf": some}

    def _shape(self, shape: Shape, where: str) -> Any:
        found: dict[str, Any] = {}
        if isinstance(shape, Strings):
            found["type"] = "string"
            most = shape.most
            if most is None and self._limits.chars is not None:
                most = max(self._limits.chars, shape.least)
            _put(found, minLength=shape.least or None, maxLength=most, pattern=shape.pattern)
        elif isinstance(shape, Integers):
            found["type"] = "integer"
            low = -FAR if shape.least is None else shape.least
            high = FAR if shape.most is None else shape.most
            _put(found, minimum=low, maximum=high, multipleOf=shape.step if shape.step != 1 else None)
        elif isinstance(shape, Numbers):
            low, high, above, below = shape.bounds
            found["type"] = "number"
            found["exclusiveMinimum" if above else "minimum"] = -WIDE if low is None else _plain(low)
            found["exclusiveMaximum" if below else "maximum"] = WIDE if high is None else _plain(high)
        elif isinstance(shape, List):
            return self._list(shape, where)
        elif isinstance(shape, Object):
            return self._object(shape)
        return found

    def _list(self, shape: List, where: str) -> Any:
        most = shape.most
        if shape.unique:
            assert shape.rest is not None
            return {"type": "array", "items": self._part(shape.rest), "uniqueItems": True, "minItems": shape.least}
        if most is None and self._limits.items is not None:
            most = max(self._limits.items, shape.least)
        found: dict[str, Any] = {"type": "array"}
        if shape.first:
            found["prefixItems"] = [self._part(part) for part in shape.first]
        found["items"] = False if shape.rest is None else self._part(shape.rest)
        _put(found, minItems=shape.least or None, maxItems=most)
        return found

    def _object(self, shape: Object) -> dict[str, Any]:
        if shape.more is not None:
            found: dict[str, Any] = {"type": "object", "additionalProperties": self._part(shape.more)}
            _put(found, minProperties=shape.least or None, maxProperties=shape.most)
            return found
        members = {member.name: self._part(member.part) for member in shape.members}
        required = [member.name for member in shape.members if member.required]
        found = {"type": "object", "properties": members, "required": required, "additionalProperties": False}
        _put(found, minProperties=shape.least if shape.least > len(required) else None)
        return found


def _plain(value: Any) -> int | float:
    return int(value) if value == int(value) else float(value)


def _put(found: dict[str, Any], **given: Any) -> None:
    found.update({key: x for key, x in given.items() if x is not None})


__all__ = ["Closer", "refuse"]
