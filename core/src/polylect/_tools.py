"""Tools as callers give them (OpenAI form, functions, ready :class:`Tool` values) and as lects see them."""

from __future__ import annotations

import functools
import inspect
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from ._errors import ToolError
from ._schemas import UNKNOWN, Shape, referred, schema_problem, shape_of

ToolLike: TypeAlias = "Tool | Mapping[str, Any] | Callable[..., Any]"
Tools: TypeAlias = "Toolbox | Iterable[ToolLike] | None"
"""Tools in any accepted form; None when nothing is known about them."""
EMPTY_SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}


class Tool(msgspec.Struct, frozen=True, dict=True):
    """A tool that a model may call: a name, a description, the JSON Schema of its arguments, and its function.

    Without ``parameters`` it takes nothing, as in OpenAI's API; an empty schema ``{}`` says nothing, and it may take
    anything.
    """

    name: str
    description: str = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=lambda: dict(EMPTY_SCHEMA))
    function: Callable[..., Any] | None = None

    @property
    def properties(self) -> dict[str, Any]:
        """The schemas of the arguments by name, those behind ``$ref``, in ``allOf`` and in alternatives included."""
        return self._shape.properties

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the arguments that must be given."""
        return self._shape.required

    @property
    def takes_nothing(self) -> bool:
        """Whether the schema says that there are no arguments: by empty ``properties``, or by allowing none."""
        return not self._shape.properties and not self._shape.open

    @property
    def takes_others(self) -> bool:
        """Whether there may be arguments that the schema does not name; so it is when it names none and allows any."""
        return self._shape.open

    @property
    def takes_text(self) -> bool:
        """Whether one plain text is a whole input: exactly one argument, which may be a string."""
        if len(self.properties) != 1:
            return False
        return "string" in schema_types(next(iter(self.properties.values())), self.parameters)

    @functools.cached_property
    def _shape(self) -> Shape:
        return shape_of(self.parameters) or UNKNOWN


def schema_types(schema: Any, root: Mapping[str, Any] | None = None) -> frozenset[str]:
    """The JSON types a schema allows, as far as its top level says; all of them when it says nothing.

    With ``root``, the schema that it is a part of, its references are followed.
    """
    return _types(schema, root, LEVELS)


def _types(schema: Any, root: Mapping[str, Any] | None, left: int) -> frozenset[str]:
    if not isinstance(schema, Mapping) or not left:
        return ALL_TYPES
    said = schema.get("type")
    if isinstance(said, str):
        return frozenset({said})
    if isinstance(said, list):
        return frozenset(x for x in said if isinstance(x, str))
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return frozenset[str]().union(*(_types(x, root, left - 1) for x in schema[key]))
    if isinstance(schema.get("enum"), list):
        return frozenset("string" if isinstance(x, str) else "other" for x in schema["enum"])
    if root is None:
        return ALL_TYPES
    parts = schema["allOf"] if isinstance(schema.get("allOf"), list) else []
    parts = [*parts, referred(schema["$ref"], root)] if isinstance(schema.get("$ref"), str) else parts
    said_by = [types for x in parts if (types := _types(x, root, left - 1)) != ALL_TYPES]
    return frozenset.intersection(*said_by) if said_by else ALL_TYPES


LEVELS = 8
"""References and alternatives that are followed for the types of one argument."""
ALL_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def fold(name: str) -> str:
    """A name without what models get wrong in names: case, blanks, hyphens, underscores."""
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "")


LONGEST_API_NAME = 64
"""Characters of a function's name that OpenAI's API takes."""
_API_NAME = re.compile(rf"[a-zA-Z0-9_-]{{1,{LONGEST_API_NAME}}}").fullmatch
_REJECTED = re.compile(r"[^a-zA-Z0-9_-]")


class Toolbox(dict[str, Tool]):
    """Tools by name.

    Attributes:
        folded: the names as :func:`fold` sees them, for names that models misspell.
        api_names: other names for the tools whose own an API would reject.
        renamed: the tools by their other names, as :func:`fold` sees these.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        super().__init__()
        for tool in tools:
            if tool.name in self:
                raise ToolError(f"Two tools are named {tool.name!r}. Give each tool a name of its own.")
            self[tool.name] = tool
        self.folded = {fold(name): name for name in self}
        self.api_names: dict[str, str] = {}
        self.renamed: dict[str, str] = {}
        for name in self:
            if _API_NAME(name) is None:
                self.api_names[name] = other = self._accepted(name)
                self.renamed[fold(other)] = name

    def api_name(self, name: str) -> str:
        """The name that an API is told for a tool; for a name that is no tool's, one that an API takes in a message."""
        if _API_NAME(name) is not None:
            return name
        return self.api_names.get(name) or _REJECTED.sub("_", name)[:LONGEST_API_NAME] or "_"

    def _accepted(self, name: str) -> str:
        """A name that every API accepts and no other tool has, not even misspelt."""
        other = _REJECTED.sub("_", name)[:LONGEST_API_NAME]
        number = 1
        while other in self or not (key := fold(other)) or key in self.renamed or self.folded.get(key, name) != name:
            number += 1
            other = f"{_REJECTED.sub('_', name)[: LONGEST_API_NAME - 8]}_{number}"
        return other


def toolbox(tools: Tools) -> Toolbox | None:
    """Tools in any accepted form as a :class:`Toolbox`; None stays None (nothing is known about the tools).

    Raises:
        ToolError: a tool is of no known form, its schema is broken, or two tools share a name.
    """
    if tools is None or isinstance(tools, Toolbox):
        return tools
    if isinstance(tools, (str, bytes, Mapping)) or not isinstance(tools, Iterable):
        raise ToolError(f"tools must be a list of tools, not {type(tools).__name__}.")
    return Toolbox(as_tool(tool) for tool in tools)


def as_tool(tool: ToolLike) -> Tool:
    """One tool in any accepted form as a :class:`Tool`.

    Accepted: a Tool; the OpenAI form ``{"type": "function", "function": {"name", "description", "parameters"}}`` or
    its inside alone; the Anthropic and MCP forms (``input_schema``, ``inputSchema``); a function with a docstring.

    Raises:
        ToolError: the form is none of these, or the schema is not a JSON Schema object.
    """
    if isinstance(tool, Tool):
        return _checked(tool)
    if isinstance(tool, Mapping):
        inner = tool.get("function", tool)
        if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
            raise ToolError(f"This tool has no name: {dict(tool)!r:.200}. Give it in OpenAI form.")
        schema = inner.get("parameters", inner.get("input_schema", inner.get("inputSchema")))
        description = inner.get("description")
        return _checked(
            Tool(
                inner["name"],
                description if isinstance(description, str) else "",
                dict(EMPTY_SCHEMA) if schema is None else schema,
            )
        )
    if callable(tool):
        return _from_function(tool)
    raise ToolError(f"A tool is a Tool, a dict in OpenAI form, or a function, not {type(tool).__name__}.")


def _checked(tool: Tool) -> Tool:
    schema = tool.parameters
    if not isinstance(tool.name, str):
        raise ToolError(f"A tool's name is text, not {type(tool.name).__name__}.")
    if not tool.name.strip():
        raise ToolError("A tool has an empty name.")
    if not isinstance(tool.description, str):
        raise ToolError(f"The description of tool {tool.name!r} is text, not {type(tool.description).__name__}.")
    if not isinstance(schema, dict):
        raise ToolError(f"The parameters of tool {tool.name!r} are {type(schema).__name__}, not a JSON Schema object.")
    kind, properties = schema.get("type", "object"), schema.get("properties", {})
    if kind != "object" or not isinstance(properties, dict):
        raise ToolError(
            f"The parameters of tool {tool.name!r} must be a JSON Schema of type object with a dict of properties."
        )
    for key, inner in properties.items():
        if not isinstance(key, str) or not isinstance(inner, (Mapping, bool)):
            raise ToolError(f"The argument {key!r} of tool {tool.name!r} has no JSON Schema.")
    required = schema.get("required", [])
    if not isinstance(required, list) or not all(isinstance(x, str) for x in required):
        raise ToolError(f"'required' in the parameters of tool {tool.name!r} must be a list of names.")
    if _sound.get(id(schema)) is not schema:
        _check_schema(tool.name, schema)
    return tool


KEPT = 256
_sound: dict[int, dict[str, Any]] = {}
"""The schemas last found sound, so that tools which are given with each message are looked through once."""


def _check_schema(name: str, schema: dict[str, Any]) -> None:
    problem = schema_problem(schema)
    if problem is not None:
        raise ToolError(f"The schema of tool {name!r} is broken: {problem}.")
    if shape_of(schema) is None:
        raise ToolError(f"The parameters of tool {name!r} must be a JSON Schema of type object.")
    if len(_sound) >= KEPT:
        _sound.clear()
    _sound[id(schema)] = schema


def _from_function(function: Callable[..., Any]) -> Tool:
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    hinted = inner if isinstance(inner, type) or inspect.isroutine(inner) else type(inner).__call__
    name = getattr(inner, "__name__", type(inner).__name__)
    try:
        signature = inspect.signature(function)
        hints = typing.get_type_hints(hinted, include_extras=True)
    except Exception as error:  # hints are code of the caller's
        raise ToolError(f"The signature of {name!r} can't be read: {str(error).rstrip('.')}.") from error
    properties: dict[str, Any] = {}
    required = []
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        try:
            schema = _schema(hints.get(parameter.name, Any))
        except TypeError as error:
            raise ToolError(f"The hint of {parameter.name!r} of {name!r} can't be read: {error}.") from error
        if parameter.default is parameter.empty:
            required.append(parameter.name)
        elif isinstance(parameter.default, (str, int, float, bool, type(None))):
            schema = {**schema, "default": parameter.default}
        properties[parameter.name] = schema
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        parameters["required"] = required
    return Tool(name, inspect.getdoc(inner) or "", parameters, function)


_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def _schema(hint: Any) -> dict[str, Any]:
    """The JSON Schema of a type hint: the plain types, lists, dicts, Literal, Optional and unions; {} for others."""
    if hint in _SIMPLE:
        return {"type": _SIMPLE[hint]}
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        described = [x for x in args[1:] if isinstance(x, str)]
        return {**_schema(args[0]), **({"description": described[0]} if described else {})}
    if origin is Literal:
        return {"enum": list(args)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(x) for x in args]}
    if hint in (list, tuple) or origin in (list, tuple, Sequence):
        return {"type": "array", **({"items": _schema(args[0])} if args else {})}
    if hint is dict or origin in (dict, Mapping):
        return {"type": "object"}
    return {}
