"""Tools as OpenAI's strict mode takes them: a model can then write no arguments but those of the schema."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .._errors import ToolError
from .._json import dumps

LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
"""Keys of a schema that hold lists of schemas."""


def strict_tool(told: dict[str, Any]) -> dict[str, Any]:
    """A tool in OpenAI's form, in strict mode; one without a schema stays as it is.

    Source: OpenAI's guide "Structured model outputs". All objects are closed, all their arguments required, and there
    are no defaults: an argument that has one is told of it in its description.

    Raises:
        ToolError: an object of the schema takes arguments of any name, which strict mode can't say.
    """
    function = told.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("parameters"), dict):
        return told
    closed = _Closed(function["name"]).schema(function["parameters"], "$")
    return {**told, "function": {**function, "strict": True, "parameters": closed}}


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
            raise ToolError(
                f"The tool {self._tool!r} can't be strict: {path} takes arguments of any name. Name them in its "
                "schema, or leave strict out."
            )
        inner = {name: self.schema(one, f"{path}.{name}") for name, one in properties.items()}
        return {"properties": inner, "required": list(inner), "additionalProperties": False}


def strict_tools(told: Iterable[dict[str, Any]], *, strict: bool) -> list[dict[str, Any]]:
    """All of them with ``strict`` said: True closes the schemas, False says that they may be left as they are."""
    if strict:
        return [strict_tool(one) for one in told]
    return [
        {**one, "function": {**one["function"], "strict": False}} if isinstance(one.get("function"), dict) else one
        for one in told
    ]
