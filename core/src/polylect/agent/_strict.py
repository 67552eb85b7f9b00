"""Tools as OpenAI's strict mode takes them: a model can then write no arguments but those of the schema."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import ToolError
from .._json import dumps
from .._tools import Tool, schema_types

LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keys of a schema that hold lists of schemas."""


def strict_tools(tools: Sequence[Tool], told: Sequence[dict[str, Any]], *, strict: bool) -> list[dict[str, Any]]:
    """Tools in OpenAI's form, with ``strict`` said: True closes their schemas, False leaves them as they are.

    Source: OpenAI's guide "Structured model outputs". All objects are closed, all their arguments required, and there
    are no defaults: an argument that has one is told of it in its description. An argument of the tool that may be left
    out may be null, which an agent takes for that. Custom tools have no schema.

    Raises:
        ToolError: an object of a schema takes arguments of any name, which strict mode can't say.
    """
    out = []
    for tool, one in zip(tools, told, strict=True):
        if tool.custom is None:
            one = {**one, "function": {**one["function"], "strict": strict}}
            if strict:
                one["function"]["parameters"] = _closed(tool, one["function"]["parameters"])
        out.append(one)
    return out


def _closed(tool: Tool, schema: dict[str, Any]) -> dict[str, Any]:
    closer = _Closed(tool.name)
    if tool.takes_others:
        raise closer.open("$")
    closed: dict[str, Any] = closer.schema(schema, "$")
    closed["properties"] = {
        name: one if name in tool.required else _or_null(one) for name, one in closed["properties"].items()
    }
    return closed


class _Closed:
    """Closes the schemas of one tool."""

    def __init__(self, tool: str) -> None:
        self._tool = tool

    def schema(self, schema: Any, path: str) -> Any:
        if not isinstance(schema, dict):
            return schema
        out = {key: value for key, value in schema.items() if key != "default"}
        if schema.get("default") is not None:
            told = f"Default: {dumps(schema['default'])}."
            out["description"] = f"{schema['description']} {told}" if schema.get("description") else told
        for key in LISTS:
            if isinstance(schema.get(key), list):
                out[key] = [self.schema(one, path) for one in schema[key]]
        if "items" in schema:
            out["items"] = self.schema(schema["items"], f"{path}[]")
        if schema.get("type") == "object" or "properties" in schema:
            out |= self._object(schema, path)
        return out

    def _object(self, schema: dict[str, Any], path: str) -> dict[str, Any]:
        properties = schema.get("properties")
        if not isinstance(properties, dict) or schema.get("additionalProperties") or schema.get("patternProperties"):
            raise self.open(path)
        inner = {name: self.schema(one, f"{path}.{name}") for name, one in properties.items()}
        return {"properties": inner, "required": list(inner), "additionalProperties": False}

    def open(self, path: str) -> ToolError:
        """The error for an object of unknown keys."""
        return ToolError(
            f"The tool {self._tool!r} can't be strict: {path} takes arguments of any name. Name them in its schema, or "
            "leave strict out."
        )


def _or_null(schema: Any) -> Any:
    if not isinstance(schema, dict) or "null" in schema_types(schema):
        return schema
    if not isinstance(schema.get("type"), str) or "const" in schema or "enum" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    return {**schema, "type": [schema["type"], "null"]}
