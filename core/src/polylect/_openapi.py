"""The operations of an OpenAPI document as tools.

Source: the OpenAPI Specification 3.0 and 3.1, "Operation Object", "Parameter Object", "Schema Object".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import quote

from ._errors import ToolError
from ._functions import is_coroutine
from ._json import dumps
from ._render import DATA
from ._schemas import References, without_titles
from ._tools import MAX_ENTRIES, Tool, as_tool

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_NOT_OURS = frozenset({"accept", "content-type", "authorization"})
"""Headers that are none of the arguments, by the specification."""
_FLAT = frozenset({"type", "properties", "required", "title", "description", "example", "examples", "xml"})
"""Keys of a body that says no more than which members it has."""
_LEFT_OUT = frozenset({"example", "xml", "externalDocs", "discriminator"})
"""Keys of a schema that JSON Schema has not."""
Send: TypeAlias = "Callable[[OpenApiCall], Any]"


class OpenApiCall(NamedTuple):
    """One call of an operation, ready to be sent: none of its parts can reach into another.

    Attributes:
        method: in capitals.
        path: with the path's arguments filled in, percent-encoded; without the server.
        query: arguments of the query.
        headers: headers that are arguments.
        cookies: cookies that are arguments.
        body: the body, as a JSON value; None for none.
        media: the media type of the body; None for no body.
        operation: the operation as the document has it.
    """

    method: str
    path: str
    query: dict[str, Any]
    headers: dict[str, str]
    cookies: dict[str, str]
    body: Any
    media: str | None
    operation: Mapping[str, Any]


def openapi_tools(document: Mapping[str, Any], send: Send | None = None) -> list[Tool]:
    """All operations of a document as tools, in its order.

    A tool's arguments are the operation's parameters and the members of its JSON body by their names; a body that is
    no plain object is the argument ``body``. What references lead to comes along in ``$defs``.

    Args:
        document: an OpenAPI document of version 3, as a dict.
        send: sends an :class:`OpenApiCall` and returns what the tool shall return, synchronous or not; without it the
            tools have no function.

    Raises:
        ToolError: it is no such document, or an operation in it is broken.
    """
    paths = document.get("paths") if isinstance(document, Mapping) else None
    if not isinstance(paths, Mapping) or "swagger" in document:
        raise ToolError("An OpenAPI document of version 3 is a dict with 'paths'. Convert older ones first.")
    found = []
    for path, methods in paths.items():
        item = _resolved(methods, References(document), f"The path {path!r:.200}")
        shared = item.get("parameters", [])
        for method in METHODS:
            if isinstance(item.get(method), Mapping):
                made = _Operation(item[method], References(document), str(path), method, shared)
                found.append(as_tool(made.tool(send)))
    return found


def operation_tool(operation: Mapping[str, Any]) -> Tool:
    """An operation that stands alone as a tool without a function; its references must lead inside of it.

    Raises:
        ToolError: it is broken.
    """
    return _Operation(operation, References(operation), "", "", []).tool(None)


def _resolved(value: Any, references: References, what: str) -> Mapping[str, Any]:
    """A part of a document, behind its reference."""
    for _ in range(8):
        if not isinstance(value, Mapping):
            break
        if not isinstance(value.get("$ref"), str):
            return value
        value = references.find(value["$ref"])
    raise ToolError(f"{what} is no object, or its reference leads nowhere.")


class _Argument(NamedTuple):
    """Where an argument goes."""

    place: str
    name: str


class _Operation:
    """One operation: its arguments, and the calls that they make."""

    def __init__(
        self, operation: Mapping[str, Any], references: References, path: str, method: str, shared: Any
    ) -> None:
        self._operation, self._references, self._path, self._method = operation, references, path, method
        given = operation.get("operationId")
        self.name = given if isinstance(given, str) and given else re.sub(r"\W+", "_", f"{method}{path}").strip("_")
        self._arguments: dict[str, _Argument] = {}
        self._properties: dict[str, Any] = {}
        self._required: list[str] = []
        self._media: str | None = None
        self._always = False
        """Whether there is a body even without any members."""
        self._mover = _Mover(self.name, references)
        for parameter in self._parameters(shared):
            self._parameter(parameter)
        if "requestBody" in operation:
            self._body(_resolved(operation["requestBody"], references, f"The body of operation {self.name!r}"))

    def tool(self, send: Send | None) -> Tool:
        """The operation as a tool."""
        parameters: dict[str, Any] = {"type": "object", "properties": self._properties}
        if self._required:
            parameters["required"] = self._required
        if self._mover.definitions:
            parameters["$defs"] = self._mover.definitions
        told = (self._operation.get(key) for key in ("summary", "description"))
        description = "\n\n".join(dict.fromkeys(x.strip() for x in told if isinstance(x, str) and x.strip()))
        return Tool(self.name, description, parameters, None if send is None else self._function(send))

    def _function(self, send: Send) -> Callable[..., Any]:
        async def later(**arguments: Any) -> Any:
            return await send(self.call(arguments))

        def now(**arguments: Any) -> Any:
            return send(self.call(arguments))

        return later if is_coroutine(send) else now

    # --- arguments ----------------------------------------------------------------------------------------------------

    def _parameters(self, shared: Any) -> Iterator[Mapping[str, Any]]:
        """The operation's parameters, and those that all operations of its path share."""
        found: dict[tuple[Any, Any], Mapping[str, Any]] = {}
        for some in (shared, self._operation.get("parameters", [])):
            if not isinstance(some, list):
                raise ToolError(f"The parameters of operation {self.name!r} are no list.")
            for one in some:
                parameter = _resolved(one, self._references, f"A parameter of operation {self.name!r}")
                found[str(parameter.get("name")), str(parameter.get("in"))] = parameter
        yield from found.values()

    def _parameter(self, parameter: Mapping[str, Any]) -> None:
        name, place = parameter.get("name"), parameter.get("in")
        if not isinstance(name, str) or place not in ("path", "query", "header", "cookie"):
            raise ToolError(f"A parameter of operation {self.name!r} has no name, or stands nowhere: {name!r:.80}.")
        if place == "header" and name.casefold() in _NOT_OURS:
            return
        schema = self._mover.moved(parameter.get("schema", _content(parameter)[1]))
        if isinstance(parameter.get("description"), str) and isinstance(schema, dict):
            schema = {"description": parameter["description"], **schema}
        argument = name if name not in self._arguments else f"{name}_{place}"
        self._add(argument, _Argument(place, name), schema, place == "path" or parameter.get("required") is True)

    def _add(self, argument: str, goes: _Argument, schema: Any, required: bool) -> None:
        self._arguments[argument] = goes
        self._properties[argument] = schema
        if required:
            self._required.append(argument)

    def _body(self, body: Mapping[str, Any]) -> None:
        self._media, schema = _content(body)
        needed = body.get("required") is True
        inner = _resolved(schema, self._references, f"The body of operation {self.name!r}") if schema else {}
        members = inner.get("properties")
        if isinstance(members, Mapping) and inner.keys() <= _FLAT and not members.keys() & self._arguments.keys():
            self._always = needed
            required = inner.get("required") if isinstance(inner.get("required"), list) and needed else []
            for name, member in self._mover.members(members).items():
                self._add(name, _Argument("member", name), member, name in (required or ()))
        else:
            argument = "body" if "body" not in self._arguments else "request_body"
            self._add(argument, _Argument("body", ""), self._mover.moved(schema), needed)

    # --- calls --------------------------------------------------------------------------------------------------------

    def call(self, given: Mapping[str, Any]) -> OpenApiCall:
        """The call that arguments make.

        Raises:
            ValueError: an argument of the path is one that would lead to another path.
        """
        found: dict[str, dict[str, Any]] = {
            "path": {},
            "query": {},
            "header": {},
            "cookie": {},
            "member": {},
            "body": {},
        }
        for argument, value in given.items():
            place, name = self._arguments[argument]
            found[place][name] = value
        path = re.sub(r"\{([^{}]*)\}", lambda match: _segment(match[1], found["path"]), self._path)
        headers, cookies = ({key: _text(value) for key, value in found[x].items()} for x in ("header", "cookie"))
        if any("\n" in text or "\r" in text for text in headers.values()):
            raise ValueError("A header has no line breaks.")
        body = found["body"].get("", found["member"] or ({} if self._always else None))
        media = None if body is None else self._media
        return OpenApiCall(self._method.upper(), path, found["query"], headers, cookies, body, media, self._operation)


def _content(holder: Mapping[str, Any]) -> tuple[str | None, Any]:
    """(the media type, the schema) of a body or a parameter; JSON if it is among the choices."""
    content = holder.get("content")
    if not isinstance(content, Mapping) or not content:
        return None, {}
    media = next((x for x in content if re.search(r"[/+]json\b", str(x))), next(iter(content)))
    entry = content[media]
    return str(media), entry.get("schema", {}) if isinstance(entry, Mapping) else {}


def _segment(name: str, given: Mapping[str, Any]) -> str:
    text = _text(given.get(name, ""))
    if text in ("", ".", ".."):
        raise ValueError(f"The argument {name!r} is a part of the path, and can't be {text!r}.")
    return quote(text, safe="")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


class _Mover:
    """Takes schemas out of a document: what their references lead to goes to ``definitions``."""

    def __init__(self, operation: str, references: References) -> None:
        self._operation, self._references = operation, references
        self._names: dict[int, str] = {}
        self._left = MAX_ENTRIES
        self.definitions: dict[str, Any] = {}

    def moved(self, schema: Any) -> Any:
        """A schema in the words of JSON Schema, without titles."""
        try:
            return without_titles(self._moved(schema))
        except RecursionError:
            raise ToolError(f"A schema of operation {self._operation!r} is nested too deeply.") from None

    def members(self, schemas: Mapping[str, Any]) -> dict[str, Any]:
        """The schemas of an object's members, without those that nobody may send."""
        sent = {k: v for k, v in schemas.items() if not (isinstance(v, Mapping) and v.get("readOnly") is True)}
        return {str(name): self.moved(schema) for name, schema in sent.items()}

    def _moved(self, value: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ToolError(f"The schemas of operation {self._operation!r} are larger than any model reads.")
        if isinstance(value, list):
            return [self._moved(x) for x in value]
        if not isinstance(value, Mapping):
            return value
        found: dict[str, Any] = {}
        for key, inner in value.items():
            if key in ("properties", "patternProperties") and isinstance(inner, Mapping):
                found[key] = {str(name): self._moved(part) for name, part in inner.items()}
            elif key not in _LEFT_OUT:
                found[str(key)] = inner if key in DATA else self._moved(inner)
        if isinstance(found.get("$ref"), str):
            found["$ref"] = self._reference(found["$ref"])
        return _modern(found)

    def _reference(self, reference: str) -> str:
        part = self._references.find(reference)
        if not isinstance(part, Mapping):
            return reference
        if id(part) not in self._names:
            name = base = reference.rpartition("/")[2] or "whole"
            number = 1
            while name in self.definitions:
                number += 1
                name = f"{base}_{number}"
            self._names[id(part)] = name
            self.definitions[name] = {}
            self.definitions[name] = without_titles(self._moved(part))
        name = self._names[id(part)].replace("~", "~0").replace("/", "~1")
        return f"#/$defs/{quote(name, safe='~')}"


def _modern(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of OpenAPI 3.0 as JSON Schema has it: null is a type, and exclusive bounds are numbers."""
    for bound, key in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if isinstance(schema.get(key), bool) and schema.pop(key) and bound in schema:
            schema[key] = schema.pop(bound)
    if schema.pop("nullable", False) is not True:
        return schema
    if isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
        if isinstance(schema.get("enum"), list) and None not in schema["enum"]:
            schema["enum"] = [*schema["enum"], None]
        return schema
    return {"anyOf": [schema, {"type": "null"}]} if schema else schema
