"""Schemas in OpenAI's strict mode: nothing is allowed that the schema itself did not allow, or the schema is refused.

There all members are required, so one that may be left out may be null instead.

Source: the OpenAI API guide "Structured Outputs", section "Supported schemas".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._errors import ToolError
from ._json import dumps

_SAID = frozenset({"description", "default", "examples", "deprecated", "readOnly", "writeOnly", "title"})
"""Keys for people: strict mode takes the description alone."""
_KNOWN = frozenset(
    {
        "$ref", "additionalProperties", "anyOf", "const", "enum", "exclusiveMaximum", "exclusiveMinimum", "format",
        "items", "maxItems", "maximum", "minItems", "minimum", "multipleOf", "pattern", "properties", "required",
        "type",
    }
)  # fmt: skip


def strict_schema(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The schema of tool ``name`` with all objects closed and all their members required; null stands for left out.

    Args:
        schema: as :func:`polylect.openai_tools` writes it.
        name: the tool's, for the message.

    Raises:
        ToolError: it allows what strict mode can't say; the message names the place.
    """
    maker = _Strict(name)
    found = maker.closed({key: value for key, value in schema.items() if key != "$defs"}, "$")
    if "$defs" in schema:
        found["$defs"] = {key: maker.closed(part, f"$.$defs.{key}") for key, part in schema["$defs"].items()}
    return found


class _Strict:
    def __init__(self, name: str) -> None:
        self._name = name

    def _refused(self, what: str, place: str) -> ToolError:
        return ToolError(f"Strict mode has no words for the schema of tool {self._name!r}: {what} - at {place:.300}.")

    def closed(self, schema: Any, place: str) -> dict[str, Any]:
        """One part of the schema, at its place."""
        if not isinstance(schema, Mapping) or schema.keys() <= _SAID:
            raise self._refused("anything may stand here", place)
        for key in schema:
            if key not in _KNOWN and key not in _SAID:
                raise self._refused(f"{key!r} is not among its keywords", place)
        for key, kind in (("anyOf", list), ("properties", Mapping), ("required", list)):
            if key in schema and not isinstance(schema[key], kind):
                raise self._refused(f"{key!r} is none of JSON Schema's", place)
        found = {key: value for key, value in schema.items() if key not in _SAID}
        if "anyOf" in found:
            found["anyOf"] = [self.closed(x, f"{place}.anyOf[{at}]") for at, x in enumerate(found["anyOf"])]
        said = found.get("type")
        kinds = said if isinstance(said, list) else [said]
        if "object" in kinds or "properties" in found:
            self._close(found, place)
        if "array" in kinds:
            if "items" not in found:
                raise self._refused("the entries of this list may be anything", place)
            found["items"] = self.closed(found["items"], f"{place}.items")
        if said is None and not found.keys() & {"anyOf", "enum", "const", "$ref", "properties"}:
            raise self._refused("it has no type", place)
        description = _described(schema)
        return {"description": description, **found} if description else found

    def _close(self, found: dict[str, Any], place: str) -> None:
        if found.get("additionalProperties", False) is not False:
            raise self._refused("this object may have members without a name", place)
        if "properties" not in found and found.get("additionalProperties") is not False:
            raise self._refused("this object may have any members", place)
        properties, required = found.get("properties", {}), found.get("required", ())
        for name in required:
            if not isinstance(name, str) or name not in properties:
                raise self._refused(f"the member {name!r} may be anything", place)
        members = {key: self.closed(x, f"{place}.properties.{key}") for key, x in properties.items()}
        found["type"] = found.get("type", "object")
        found["properties"] = {key: x if key in required else _or_null(x) for key, x in members.items()}
        found["required"] = list(members)
        found["additionalProperties"] = False


def _or_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that allows null as well."""
    kind = schema.get("type")
    if isinstance(kind, str) and not schema.keys() & {"enum", "const", "anyOf"}:
        return schema if kind == "null" else {**schema, "type": [kind, "null"]}
    if isinstance(kind, list) and "null" in kind and not schema.keys() & {"enum", "const", "anyOf"}:
        return schema
    if schema.keys() - {"description"} == {"anyOf"}:
        null = {"type": "null"}
        return schema if null in schema["anyOf"] else {**schema, "anyOf": [*schema["anyOf"], null]}
    inner = {key: value for key, value in schema.items() if key != "description"}
    outer = {"description": schema["description"]} if "description" in schema else {}
    return {**outer, "anyOf": [inner, {"type": "null"}]}


def _described(schema: Mapping[str, Any]) -> str:
    """The description, with the default, which strict mode does not take as such."""
    told = schema.get("description")
    description = told if isinstance(told, str) else ""
    default = schema.get("default")
    return description if default is None else f"{description} (default: {dumps(default)})".strip()
