"""Tools as callers give them (OpenAI form, functions, ready :class:`Tool` values) and as lects see them."""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeAlias, overload

import msgspec

from ._errors import ToolError
from ._schemas import UNKNOWN, References, Shape, larger_than, schema_problem, shape_of

ToolLike: TypeAlias = "Tool | Mapping[str, Any] | Callable[..., Any] | McpTool"
"""A tool in any form that :func:`as_tool` takes."""
Tools: TypeAlias = "Toolbox | Iterable[ToolLike] | None"
"""Tools in any accepted form; None when nothing is known about them."""
EMPTY_SCHEMA: dict[str, Any] = {"type": "object", "properties": {}}
"""The schema of a tool that takes nothing."""
TEXT_SCHEMA: dict[str, Any] = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""The arguments of a custom tool of OpenAI's, which takes a text."""


class Tool(msgspec.Struct, frozen=True, dict=True):
    """A tool that a model may call. Called itself, it calls its function.

    Attributes:
        name: as the model calls it.
        description: what it does, for the model.
        parameters: the JSON Schema of its arguments. Without it the tool takes nothing, as in OpenAI's API; an empty
            schema ``{}`` says nothing, and it may take anything.
        function: what runs, synchronous or not; None for a tool that somebody else runs.
        return_direct: whether an agent ends with the tool's result as its answer.
        custom: a custom tool of OpenAI's, in OpenAI's own words (its ``format``); it takes a text.
    """

    name: str
    description: str = ""
    parameters: dict[str, Any] = msgspec.field(default_factory=lambda: dict(EMPTY_SCHEMA))
    function: Callable[..., Any] | None = None
    return_direct: bool = False
    custom: dict[str, Any] | None = None

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """What the function returns.

        Raises:
            ToolError: there is no function.
        """
        if self.function is None:
            raise ToolError(f"The tool {self.name!r} has no function. Give it one: Tool(…, function=…).")
        return self.function(*args, **kwargs)

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

    @functools.cached_property
    def takes_text(self) -> bool:
        """Whether one plain text is a whole input: exactly one argument, which may be a string."""
        if len(self.properties) != 1:
            return False
        return "string" in schema_types(next(iter(self.properties.values())), self.parameters)

    @functools.cached_property
    def _shape(self) -> Shape:
        return shape_of(self.parameters) or UNKNOWN


LEVELS = 8
"""References and alternatives that are followed for the types of one argument."""
ALL_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})


def schema_types(schema: Any, root: Mapping[str, Any] | None = None) -> frozenset[str]:
    """The JSON types a schema allows, as far as its top level says; all of them when it says nothing.

    With ``root``, the schema that it is a part of, its references are followed.
    """
    return TypesOf(root).of(schema)


class TypesOf:
    """The JSON types that parts of one schema allow; each part is looked at once."""

    def __init__(self, root: Mapping[str, Any] | None) -> None:
        self.references = References(root or {})
        self._known: dict[int, tuple[Any, frozenset[str]]] = {}

    def of(self, schema: Any, left: int = LEVELS) -> frozenset[str]:
        """The types of one part; see :func:`schema_types`."""
        if not isinstance(schema, Mapping) or not left:
            return ALL_TYPES
        if id(schema) not in self._known:
            self._known[id(schema)] = schema, ALL_TYPES  # for what refers to itself
            self._known[id(schema)] = schema, self._of(schema, left - 1)
        return self._known[id(schema)][1]

    def _of(self, schema: Mapping[str, Any], left: int) -> frozenset[str]:
        said = schema.get("type")
        if isinstance(said, str):
            return frozenset({said})
        if isinstance(said, list):
            return frozenset(x for x in said if isinstance(x, str))
        for key in ("anyOf", "oneOf"):
            if isinstance(schema.get(key), list):
                return frozenset[str]().union(*(self.of(x, left) for x in schema[key]))
        if isinstance(schema.get("enum"), list):
            return frozenset("string" if isinstance(x, str) else "other" for x in schema["enum"])
        if not self.references.root:
            return ALL_TYPES
        parts = schema["allOf"] if isinstance(schema.get("allOf"), list) else []
        parts = [*parts, self.references.find(schema["$ref"])] if isinstance(schema.get("$ref"), str) else parts
        said_by = [types for x in parts if (types := self.of(x, left)) != ALL_TYPES]
        return frozenset.intersection(*said_by) if said_by else ALL_TYPES


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


class McpTool(Protocol):
    """A tool as the MCP SDK lists it."""

    @property
    def name(self) -> str:
        """As the model calls it."""

    @property
    def inputSchema(self) -> dict[str, Any]:  # noqa: N802 - the protocol's own name
        """The JSON Schema of its arguments."""


def as_tool(tool: ToolLike) -> Tool:
    """One tool in any accepted form as a :class:`Tool`.

    Accepted:

    - a Tool;
    - a function, method, partial or callable object, synchronous or not: its hints and its docstring become the schema;
    - a class of pydantic's: its fields become the schema;
    - OpenAI's forms ``{"type": "function", "function": {"name", "description", "parameters"}}``, the inside alone, and
      custom tools, which take a text;
    - Anthropic's form (``input_schema``), and MCP's (``inputSchema``), as a dict or as the SDK's object;
    - an operation of an OpenAPI document, by its ``operationId``; for a whole document see
      :func:`polylect.openapi_tools`.

    Raises:
        ToolError: the form is none of these, or the schema is not a JSON Schema object.
    """
    if isinstance(tool, Tool):
        return _checked(tool)
    if isinstance(tool, Mapping):
        return _checked(_from_mapping(tool))
    name, schema = getattr(tool, "name", None), _schema_of(tool)
    if isinstance(name, str) and isinstance(schema, Mapping):
        return _checked(Tool(name, _text(getattr(tool, "description", None)), dict(schema)))
    if _is_model(tool):
        from ._functions import from_model

        return _checked(from_model(tool))
    if callable(tool):
        from ._functions import from_function

        return _checked(from_function(tool))
    raise ToolError(f"A tool is a Tool, a dict in OpenAI form, or a function, not {type(tool).__name__}.")


def _from_mapping(given: Mapping[str, Any]) -> Tool:
    inner = given.get("custom" if given.get("type") == "custom" else "function", given)
    if "operationId" in given and not isinstance(given.get("name"), str) and inner is given:
        from ._openapi import operation_tool

        return operation_tool(given)
    if not isinstance(inner, Mapping) or not isinstance(inner.get("name"), str):
        raise ToolError(f"This tool has no name: {dict(given)!r:.200}. Give it in OpenAI form.")
    name, description = inner["name"], _text(inner.get("description"))
    if given.get("type") == "custom":
        own = {key: value for key, value in inner.items() if key not in ("type", "name", "description")}
        return Tool(name, description, {**TEXT_SCHEMA, "properties": dict(TEXT_SCHEMA["properties"])}, custom=own)
    schema = inner.get("parameters", inner.get("input_schema", inner.get("inputSchema")))
    return Tool(name, description, dict(EMPTY_SCHEMA) if schema is None else schema)


def _schema_of(tool: object) -> Any:
    """The schema of an object like those of MCP's SDK."""
    return None if isinstance(tool, type) else getattr(tool, "inputSchema", getattr(tool, "input_schema", None))


def _text(description: Any) -> str:
    return description if isinstance(description, str) else ""


def _is_model(tool: object) -> bool:
    """Whether it is a class of pydantic's; nobody has one who has not imported pydantic."""
    pydantic = sys.modules.get("pydantic")
    return isinstance(tool, type) and pydantic is not None and issubclass(tool, pydantic.BaseModel)


@overload
def tool(
    function: Callable[..., Any], /, *, name: str | None = None, description: str | None = None,
    return_direct: bool = False,
) -> Tool: ...  # fmt: skip


@overload
def tool(
    *, name: str | None = None, description: str | None = None, return_direct: bool = False
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    return_direct: bool = False,
) -> Any:
    """A function as a :class:`Tool`, as a decorator: ``@polylect.tool``, or ``@polylect.tool(name=…)``.

    Args:
        function: what :func:`as_tool` makes a tool of.
        name: instead of the function's own.
        description: instead of the docstring's.
        return_direct: whether an agent ends with the tool's result as its answer.

    Raises:
        ToolError: the function can't be a tool; the message says why.
    """
    if function is None:
        return functools.partial(tool, name=name, description=description, return_direct=return_direct)
    made = as_tool(function)
    return _checked(
        msgspec.structs.replace(
            made,
            name=made.name if name is None else name,
            description=made.description if description is None else description,
            return_direct=return_direct,
        )
    )


def _checked(tool: Tool) -> Tool:
    schema = tool.parameters
    if not isinstance(tool.name, str):
        raise ToolError(f"A tool's name is text, not {type(tool.name).__name__}.")
    if not tool.name.strip():
        raise ToolError("A tool has an empty name.")
    if not isinstance(tool.description, str):
        raise ToolError(f"The description of tool {tool.name!r} is text, not {type(tool.description).__name__}.")
    if type(tool.return_direct) is not bool:
        raise ToolError(f"return_direct of tool {tool.name!r} is True or False, not {tool.return_direct!r:.80}.")
    if tool.function is not None and not callable(tool.function):
        raise ToolError(f"The function of tool {tool.name!r} can't be called: it is {type(tool.function).__name__}.")
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


MAX_ENTRIES = 20_000
"""Keys and entries of one schema: large ones that people write have a thousand."""
KEPT = 256
_sound: dict[int, dict[str, Any]] = {}
"""The schemas last found sound, so that tools which are given with each message are looked through once."""


def _check_schema(name: str, schema: dict[str, Any]) -> None:
    if larger_than(schema, MAX_ENTRIES):
        raise ToolError(f"The schema of tool {name!r} has more than {MAX_ENTRIES:,} entries. No model reads so many.")
    problem = schema_problem(schema)
    if problem is not None:
        raise ToolError(f"The schema of tool {name!r} is broken: {problem}.")
    if shape_of(schema) is None:
        raise ToolError(f"The parameters of tool {name!r} must be a JSON Schema of type object.")
    if len(_sound) >= KEPT:
        _sound.clear()
    _sound[id(schema)] = schema
