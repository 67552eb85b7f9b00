"""Tools as the APIs of model providers are told of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ._errors import ToolError
from ._render import DATA, MAX_PARTS
from ._schemas import MAX_LEVELS, References
from ._strict import strict_schema
from ._tools import EMPTY_SCHEMA, Tool, Toolbox, Tools, toolbox

_LEFT_OUT = frozenset(
    {"$defs", "definitions", "$schema", "$id", "$anchor", "$dynamicAnchor", "$comment", "discriminator"}
)
"""Keys that lead to parts of a schema, which then stand in place."""
_REJECTED = frozenset({"anyOf", "oneOf", "allOf", "enum", "const", "not", "if", "then", "else"})
"""Keys that no API takes at the top of a tool's schema."""


def openai_tools(tools: Tools, *, strict: bool = False) -> list[dict[str, Any]]:
    """Tools in the form of OpenAI's chat completions, which most servers take.

    Schemas have no titles; local references are put in place, or lead to ``$defs`` where they go in circles. Names that
    the API rejects are those of :attr:`polylect.Toolbox.api_names`. What an API refuses at the top of a schema
    (alternatives, conditions) is told as arguments that may be left out.

    Args:
        tools: in any form that :func:`polylect.as_tool` takes.
        strict: in OpenAI's strict mode, where the model can write nothing else: all objects are closed, and all
            arguments are required; those that may be left out may be null, which agents take as left out.

    Raises:
        ToolError: a tool is broken; or strict mode has no words for its schema, and the message says where.
    """
    known = toolbox(tools) or Toolbox()
    return [_openai(tool, known.api_name(tool.name), strict=strict) for tool in known.values()]


def anthropic_tools(tools: Tools) -> list[dict[str, Any]]:
    """Tools in the form of Anthropic's messages. Names and schemas are as in :func:`openai_tools`.

    Raises:
        ToolError: a tool is broken.
    """
    known = toolbox(tools) or Toolbox()
    return [
        {
            "name": known.api_name(tool.name),
            **({"description": tool.description} if tool.description else {}),
            "input_schema": api_schema(tool),
        }
        for tool in known.values()
    ]


def _openai(tool: Tool, name: str, *, strict: bool) -> dict[str, Any]:
    told: dict[str, Any] = {"name": name}
    if tool.description:
        told["description"] = tool.description
    if tool.custom is not None:
        return {"type": "custom", "custom": {**told, **tool.custom}}
    told["parameters"] = api_schema(tool)
    if strict:
        told["parameters"] = strict_schema(told["parameters"], tool.name)
        told["strict"] = True
    return {"type": "function", "function": told}


def api_schema(tool: Tool) -> dict[str, Any]:
    """The schema of a tool's arguments as an API takes it; see :func:`openai_tools`.

    Raises:
        ToolError: it is nested too deeply.
    """
    schema = tool.parameters
    if "$ref" in schema or not _REJECTED.isdisjoint(schema):
        own = {key: value for key, value in schema.items() if key != "$ref" and key not in _REJECTED}
        schema = {**own, "properties": tool.properties, "required": list(tool.required)}
        if not tool.required:
            del schema["required"]
    references = References(tool.parameters)
    try:
        placer = _Placer(references, _in_circles(tool.parameters, references))
        try:
            found = placer.whole(schema)
        except _TooLarge:
            found = _Placer(references, None).whole(schema)
    except RecursionError:
        raise ToolError(f"The parameters of tool {tool.name!r} are nested too deeply.") from None
    return {**EMPTY_SCHEMA, **found}


def _in_circles(root: Mapping[str, Any], references: References) -> set[int]:
    """What references lead to from inside of itself: one part of each circle at least."""
    found: set[int] = set()
    begun: set[int] = set()
    done: set[int] = set()
    way: list[int] = []  # what the references lead to that were followed to come here

    def visit(part: Any) -> None:
        if isinstance(part, list):
            for inner in part:
                visit(inner)
        if not isinstance(part, Mapping) or id(part) in done:
            return
        if id(part) in begun:  # by a reference, or as one object that stands in two places
            found.update([id(part)] if id(part) in way else way)
            return
        begun.add(id(part))
        for key, inner in part.items():
            if key not in DATA:
                visit(list(inner.values()) if key == "properties" and isinstance(inner, Mapping) else inner)
        if isinstance(part.get("$ref"), str):
            target = references.find(part["$ref"])
            way.append(id(target))
            visit(target)
            way.pop()
        begun.discard(id(part))
        done.add(id(part))

    visit(root)
    return found


class _TooLarge(Exception):
    """Put in place, the references would make the schema too large."""


class _Placer:
    """Writes a schema without titles, its references in place; those to ``kept`` parts lead to ``$defs``."""

    def __init__(self, references: References, kept: set[int] | None) -> None:
        self._references, self._kept = references, kept
        self._names: dict[int, str] = {}
        self._waiting: list[tuple[str, Any]] = []
        self._left, self._level = MAX_PARTS, 0

    def whole(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self._placed(schema)
        definitions: dict[str, Any] = {}
        while self._waiting:
            name, part = self._waiting.pop()
            definitions[name] = self._placed(part)
        return {**found, "$defs": definitions} if definitions else found

    def _placed(self, schema: Any) -> Any:
        if isinstance(schema, list):
            return [self._placed(x) for x in schema]
        if not isinstance(schema, Mapping):
            return schema
        self._left -= 1
        self._level += 1
        if self._level > MAX_LEVELS:
            raise RecursionError
        if self._left < 0 and self._kept is not None:
            raise _TooLarge
        out: dict[str, Any] = {}
        for key, value in schema.items():
            if key in _LEFT_OUT or (key == "title" and isinstance(value, str)):
                continue
            if key in ("properties", "patternProperties", "dependentSchemas") and isinstance(value, Mapping):
                out[key] = {name: self._placed(inner) for name, inner in value.items()}
            else:
                out[key] = value if key in DATA else self._placed(value)
        if isinstance(out.get("$ref"), str):
            out = self._referred(out.pop("$ref"), out)
        self._level -= 1
        return out

    def _referred(self, reference: str, beside: dict[str, Any]) -> dict[str, Any]:
        """A reference with what stands beside it."""
        part = self._references.find(reference)
        if part is None or isinstance(part, bool):
            return beside if part is not False else {"not": {}, **beside}
        if self._kept is None or id(part) in self._kept:
            if id(part) not in self._names:
                self._names[id(part)] = self._name(reference)
                self._waiting.append((self._names[id(part)], part))
            return {"$ref": f"#/$defs/{self._names[id(part)]}", **beside}
        there: dict[str, Any] = self._placed(part)
        if there.keys().isdisjoint(beside.keys() - _SAID):
            return {**there, **beside}
        return {"allOf": [there, beside]}

    def _name(self, reference: str) -> str:
        """A name for a part, after the last step of a reference to it."""
        name = re.sub(r"\W", "_", reference.rpartition("/")[2], flags=re.A).strip("_")[:40] or "whole"
        taken = set(self._names.values())
        number = 1
        found = name
        while found in taken:
            number += 1
            found = f"{name}_{number}"
        return found


_SAID = frozenset({"description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
"""Keys that say something to people: the nearer one counts."""

__all__ = ["anthropic_tools", "api_schema", "openai_tools"]
