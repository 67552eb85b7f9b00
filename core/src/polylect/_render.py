"""Tools as text for a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._errors import ToolError
from ._json import dumps
from ._schemas import MAX_LEVELS, referred
from ._tools import Tool, Toolbox, Tools, toolbox

DEPTH = 4
"""Levels of ``$ref`` that are followed; a recursive schema stops there."""


def describe_tools(tools: Tools | Mapping[str, Tool]) -> str:
    """One line a tool: ``name(argument: type, …) - description``; further lines of a description are indented."""
    lines = []
    for tool in _each(tools):
        description = tool.description.strip().replace("\n", "\n    ")
        lines.append(f"{signature(tool)} - {description}" if description else signature(tool))
    return "\n".join(lines)


def describe_tools_with_schemas(tools: Tools | Mapping[str, Tool]) -> str:
    """As :func:`describe_tools`, with the JSON Schema of the arguments on a line of its own, references resolved."""
    lines = []
    for tool in _each(tools):
        description = tool.description.strip().replace("\n", "\n    ")
        lines.append(f"{tool.name} - {description}" if description else tool.name)
        shown = dumps(inline({"properties": tool.properties}, tool.parameters)["properties"])
        if tool.takes_others:
            shown = f"{shown} and others" if tool.properties else "any"
        lines.append(f"    arguments: {shown}")
    return "\n".join(lines)


def _each(tools: Tools | Mapping[str, Tool]) -> Iterable[Tool]:
    return tools.values() if isinstance(tools, Mapping) else (toolbox(tools) or Toolbox()).values()


def signature(tool: Tool) -> str:
    """``name(city: string, days: integer = 3)``; a question mark for optional arguments without a default.

    Three dots stand for arguments that the schema allows without naming them.
    """
    parts = []
    for name, schema in tool.properties.items():
        schema = inline(schema, tool.parameters)
        text = f"{name}: {type_words(schema)}"
        if name not in tool.required:
            has = isinstance(schema, dict) and schema.get("default") is not None
            text = f"{text} = {dumps(schema['default'])}" if has else f"{name}?: {type_words(schema)}"
        parts.append(text)
    if tool.takes_others:
        parts.append("…")
    return f"{tool.name}({', '.join(parts)})"


def type_words(schema: Any) -> str:
    """A schema's type in a few words: ``string``, ``"c" | "f"``, ``integer | null``, ``array of string``."""
    if not isinstance(schema, dict):
        return "any"
    if isinstance(schema.get("enum"), list):
        return " | ".join(dumps(x) for x in schema["enum"])
    if "const" in schema:
        return dumps(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(dict.fromkeys(type_words(x) for x in schema[key]))
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"array of {type_words(schema['items'])}"
    return kind if isinstance(kind, str) else "any"


def inline(schema: Any, root: Mapping[str, Any], depth: int = DEPTH) -> Any:
    """``schema`` without titles, its local references put in place; what refers to itself ends in ``{}``."""
    return _Inliner(root).inline(schema, depth)


class _Inliner:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root
        self.left = MAX_PARTS
        self.level = 0

    def inline(self, schema: Any, depth: int) -> Any:
        self.left -= 1
        if self.level > MAX_LEVELS:
            raise ToolError("The parameters of a tool are nested too deeply.")
        if self.left < 0:
            return {}
        self.level += 1
        found = self._inlined(schema, depth)
        self.level -= 1
        return found

    def _inlined(self, schema: Any, depth: int) -> Any:
        if isinstance(schema, list):
            return [self.inline(x, depth) for x in schema]
        if not isinstance(schema, Mapping):
            return schema
        reference = schema.get("$ref")
        if isinstance(reference, str) and reference[:1] in ("", "#"):
            found = referred(reference, self.root)
            there = self.inline(found, depth - 1) if isinstance(found, Mapping) and depth else {}
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return {**there, **self.inline(beside, depth)} if beside else there
        out = {}
        for key, value in schema.items():
            if key == "$defs" or (key == "title" and isinstance(value, str)):
                continue
            if key == "properties" and isinstance(value, Mapping):
                out[key] = self.members(value, depth)
            else:
                out[key] = value if key in DATA else self.inline(value, depth)
        return out

    def members(self, schemas: Mapping[str, Any], depth: int) -> dict[str, Any]:
        return {name: self.inline(schema, depth) for name, schema in schemas.items()}


DATA = frozenset({"const", "default", "enum", "examples"})
"""Keys of a schema that hold values and not schemas."""
MAX_PARTS = 10_000
"""Parts of one schema that are written out: far more than a model can read."""
