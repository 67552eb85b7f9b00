"""What models write beside the schema and mean by it: null for what they leave out, and ``3.0`` for a whole number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._policies import MAX_NESTING
from .._schemas import Shape, Shapes
from .._tools import TypesOf


class Settler:
    """Settles values by one schema: members that are null and can't be are left out, whole numbers become such.

    Only members that may be left out are.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.types = TypesOf(root)
        self._shapes = Shapes(root)
        self._items: dict[int, Any] = {}

    def members(self, given: dict[str, Any], shape: Shape | None, left: int = MAX_NESTING) -> dict[str, Any]:
        """An object, of a shape as far as that is known; the same where nothing is to be done."""
        if shape is None:
            return given
        found = {}
        for key, value in given.items():
            schema = shape.properties.get(key)
            if value is not None:
                found[key] = self.settled(value, schema, left)
            elif schema is None or key in shape.required or "null" in self.types.of(schema):
                found[key] = None
        return found

    def settled(self, value: Any, schema: Any, left: int = MAX_NESTING) -> Any:
        """A value, by its schema."""
        if not isinstance(schema, Mapping) or not isinstance(value, (float, list, dict)) or not left:
            return value
        if isinstance(value, float):
            kinds = self.types.of(schema)
            return int(value) if "integer" in kinds and "number" not in kinds and value.is_integer() else value
        if isinstance(value, dict):
            return self.members(value, self._shapes.shape(schema), left - 1)
        items = self._entries(schema)
        return [self.settled(x, items, left - 1) for x in value] if items is not None else value

    def _entries(self, schema: Mapping[str, Any]) -> Any:
        """The schema of a list's entries: the first that is said, by the schema or by an alternative of it."""
        if id(schema) not in self._items:
            found = None  # in the table only when it is known: other threads may look
            waiting: list[Any] = [schema]
            seen: set[int] = set()
            while waiting:
                part = waiting.pop(0)
                if not isinstance(part, Mapping) or id(part) in seen:
                    continue
                seen.add(id(part))
                if isinstance(part.get("items"), Mapping):
                    found = part["items"]
                    break
                for key in ("allOf", "anyOf", "oneOf"):
                    waiting += part[key] if isinstance(part.get(key), list) else ()
                if isinstance(part.get("$ref"), str):
                    waiting.append(self._shapes.references.find(part["$ref"]))
            self._items[id(schema)] = found
        return self._items[id(schema)]
