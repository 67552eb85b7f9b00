"""Functions and classes as tools: their signature is the schema, their docstring the description."""

from __future__ import annotations

import enum
import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from ._docstrings import INSTALL, read_docstring
from ._errors import ToolError
from ._schemas import Schema, without_titles
from ._tools import Tool

STARRED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Parameter(NamedTuple):
    """A parameter of a function."""

    name: str
    kind: Any
    default: Any
    hint: Any
    """``Any`` where there is none."""


class Signature(NamedTuple):
    """What can be given to a function."""

    name: str
    parameters: dict[str, Parameter]
    fixed: frozenset[str]
    """Names that a partial has given already."""


def signature_of(function: Callable[..., Any]) -> Signature:
    """The parameters of a function, method, partial or callable object, with their hints.

    Raises:
        ToolError: its signature or its hints can't be read.
    """
    inner, fixed = function, set[str]()
    while isinstance(inner, functools.partial):
        fixed.update(inner.keywords)
        inner = inner.func
    hinted = inner if isinstance(inner, type) or inspect.isroutine(inner) else type(inner).__call__
    name = getattr(inner, "__name__", type(inner).__name__)
    try:
        found = inspect.signature(function)
        hints = typing.get_type_hints(hinted, include_extras=True)
        if isinstance(inner, type):
            hints |= typing.get_type_hints(inner.__init__, include_extras=True)  # type: ignore[misc]
    except Exception as error:  # hints are code of the caller's
        raise ToolError(f"The signature of {name!r} can't be read: {str(error).rstrip('.')}.") from error
    return Signature(
        name,
        {x.name: Parameter(x.name, x.kind, x.default, hints.get(x.name, Any)) for x in found.parameters.values()},
        frozenset(fixed),
    )


def from_function(function: Callable[..., Any]) -> Tool:
    """A function as a tool.

    Parameters that a partial has given, and those that have a default and a type that JSON has no words for, are none
    of the model's business: the schema leaves them out.

    Raises:
        ToolError: its signature can't be read, a parameter without a default has a type that JSON has no words for, or
            it is a method without its object.
    """
    signature = signature_of(function)
    offered = [x for x in signature.parameters.values() if x.kind not in STARRED and x.name not in signature.fixed]
    if offered and offered[0].name == "self" and offered[0].hint is Any:
        raise ToolError(f"{signature.name!r} is a method without its object. Give the object's: as_tool(thing.method).")
    description, told = read_docstring(_docstring(function))
    others = [x for x in signature.parameters.values() if x.kind is inspect.Parameter.VAR_KEYWORD]
    schemas, definitions = _Schemas(signature.name).of([*offered, *others])
    properties = {x.name: _property(schemas[x.name], x.default, told.get(x.name)) for x in offered if x.name in schemas}
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    required = [x.name for x in offered if x.default is inspect.Parameter.empty]
    if required:
        parameters["required"] = required
    for x in others:
        if x.name in schemas:
            parameters["additionalProperties"] = schemas[x.name] or True
    if definitions:
        parameters["$defs"] = definitions
    return Tool(signature.name, description, parameters, function)


def _docstring(function: Callable[..., Any]) -> str | None:
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.getdoc(function)


def _property(schema: Schema, default: Any, told: str | None) -> dict[str, Any]:
    found = dict(schema)
    if told and "description" not in found:
        found["description"] = told
    if isinstance(default, enum.Enum):
        default = default.value
    finite = not isinstance(default, float) or math.isfinite(default)
    if isinstance(default, (str, int, float, bool, type(None))) and finite:
        found["default"] = default
    return found


def from_model(model: Any) -> Tool:
    """A class of pydantic's as a tool that has no function.

    Raises:
        ToolError: pydantic has no JSON Schema for it.
    """
    description, told = read_docstring(model.__doc__)
    try:
        schema: dict[str, Any] = without_titles(model.model_json_schema())
    except Exception as error:
        raise ToolError(f"The fields of {model.__name__!r} have no JSON Schema: {_first_line(error)}") from error
    schema.pop("description", None)
    for name, inner in schema.get("properties", {}).items():
        if name in told:
            inner.setdefault("description", told[name])
    return Tool(model.__name__, description, schema)


def is_coroutine(function: Callable[..., Any]) -> bool:
    """Whether a call of it must be awaited: a coroutine function, a partial of one, or an object that is called so."""
    while isinstance(function, functools.partial):
        function = function.func
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


# --- hints ------------------------------------------------------------------------------------------------------------

_SIMPLE = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_LISTS = (list, Sequence, Iterable)
_DICTS = (dict, Mapping)


def plain(hint: Any) -> dict[str, Any] | None:
    """The JSON Schema of a hint whose values are JSON as it stands; None for all others, which pydantic knows."""
    if hint is Any or hint is object:
        return {}
    if hint is None:
        return {"type": "null"}
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        kind = _SIMPLE.get(hint) if isinstance(hint, type) else None
        if kind is not None:
            return {"type": kind}
        return _list(()) if hint in _LISTS else _dict(()) if hint in _DICTS else None
    if origin is typing.Annotated:
        return _annotated(plain(args[0]), args[1:])
    if origin is Literal:
        return _literal(list(dict.fromkeys((type(x), x) for x in args)))
    if origin in (typing.Union, types.UnionType):
        return _union([plain(x) for x in args if x is not type(None)], nullable=type(None) in args)
    return _list(args) if origin in _LISTS else _dict(args) if origin in _DICTS else None


def _list(args: tuple[Any, ...]) -> dict[str, Any] | None:
    items = plain(args[0]) if args else {}
    return None if items is None else {"type": "array", "items": items}


def _dict(args: tuple[Any, ...]) -> dict[str, Any] | None:
    values = plain(args[1]) if args else {}
    if values is None or (args and args[0] is not str):
        return None
    return {"type": "object", "additionalProperties": values or True}


def _annotated(schema: dict[str, Any] | None, notes: tuple[Any, ...]) -> dict[str, Any] | None:
    """With the first text beside a type as its description; what else stands there may be pydantic's."""
    if schema is None or not all(isinstance(x, str) for x in notes):
        return None
    return {**schema, "description": notes[0]}


def _literal(values: list[tuple[type, Any]]) -> dict[str, Any] | None:
    kinds = {kind for kind, _ in values}
    if not kinds <= {str, int, bool, type(None)}:
        return None
    found = {"const": values[0][1]} if len(values) == 1 else {"enum": [value for _, value in values]}
    return {**found, "type": _SIMPLE[kinds.pop()]} if len(kinds) == 1 else found


def _union(schemas: list[dict[str, Any] | None], *, nullable: bool) -> dict[str, Any] | None:
    options: list[dict[str, Any]] = []
    for schema in [*schemas, *([{"type": "null"}] if nullable else [])]:
        if schema is None:
            return None
        inner: Any = schema["anyOf"] if list(schema) == ["anyOf"] else [schema]
        options.extend(option for option in inner if not any(_same(option, x) for x in options))
    return options[0] if len(options) == 1 else {"anyOf": options}


def _same(one: Any, other: Any) -> bool:
    """Whether two schemas are equal; 1 and True are not."""
    return repr(one) == repr(other)


class _Schemas:
    """The schemas of one function's parameters."""

    def __init__(self, name: str) -> None:
        self.name = name

    def of(self, parameters: list[Parameter]) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        """(the schemas by name, the definitions that they refer to).

        Raises:
            ToolError: JSON has no words for a parameter that has no default.
        """
        found = {x.name: plain(x.hint) for x in parameters}
        others = [x for x in parameters if found[x.name] is None]
        definitions: dict[str, Any] = {}
        if others:
            pydantic = pydantic_for(f"The hint of {others[0].name!r} of {self.name!r}")
            adapters = {x.name: self._adapter(pydantic, x) for x in others}
            known = [(name, "validation", adapter) for name, adapter in adapters.items() if adapter is not None]
            if known:
                made, shared = pydantic.TypeAdapter.json_schemas(known)
                definitions = without_titles(shared).get("$defs", {})
                found |= {name: without_titles(schema) for (name, _), schema in made.items()}
            for x in others:
                described = _note(x.hint)
                if described is not None and found[x.name] is not None:
                    found[x.name] = {**(found[x.name] or {}), "description": described}
        return {name: schema for name, schema in found.items() if schema is not None}, definitions

    def _adapter(self, pydantic: Any, parameter: Parameter) -> Any:
        try:
            adapter = pydantic.TypeAdapter(parameter.hint)
            adapter.json_schema()
        except Exception as error:
            told = f"The hint of {parameter.name!r} of {self.name!r} has no JSON Schema: {_first_line(error)}"
            if not isinstance(error, (pydantic.PydanticSchemaGenerationError, pydantic.PydanticInvalidForJsonSchema)):
                raise ToolError(told) from error
            if parameter.default is not inspect.Parameter.empty or parameter.kind in STARRED:
                return None
            told = f"{told} Give the parameter with functools.partial, or a default: then the model is not told of it."
            raise ToolError(told) from error
        return adapter


def _note(hint: Any) -> str | None:
    """The text beside a type, as in ``Annotated[Place, "where to go"]``."""
    notes = typing.get_args(hint)[1:] if typing.get_origin(hint) is typing.Annotated else ()
    return next((x for x in notes if isinstance(x, str)), None)


def _first_line(error: Exception) -> str:
    """What an error of pydantic's says: the rest is for those who write schemas."""
    return f"{str(error).splitlines()[0].rstrip('.')[:300]}." if str(error) else f"{type(error).__name__}."


def pydantic_for(what: str) -> Any:
    """The library ``pydantic``, loaded when it is first needed.

    Raises:
        ToolError: it is not installed; the message names ``what`` needs it.
    """
    try:
        import pydantic
    except ImportError:
        raise ToolError(f"{what} needs pydantic: {INSTALL}.") from None
    return pydantic
