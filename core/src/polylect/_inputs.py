"""One text as a tool's input: as it is, as a JSON object, or as the value of the tool's only argument."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ._json import NUMBER_FAULTS
from ._policies import MAX_NESTING
from ._reading import NOTHING, Arguments, decode, malformed, nesting_beyond, too_deep
from ._tools import Tool, schema_types

_FENCED = re.compile(r"\A`{2,4}[ \t]*+(?:json)?[ \t]*+\r?\n?(.*?)\r?\n?`{2,4}\Z", re.S | re.I)


def read_input(name: str, text: str, tool: Tool | None, max_nesting: int = MAX_NESTING) -> Arguments:
    """What a text input means to a tool.

    A JSON object becomes a dict, unless the tool takes one text and has no such arguments. A tool with several
    arguments needs an object; one without arguments takes no text; the only argument of a tool, when it is no text,
    is decoded. Anything else stays text, as does all text for a tool whose schema does not say what it takes. "None"
    and its like are no arguments, where none are needed. Surrounding quotes come off as a matching pair only.

    Returns:
        (arguments, status, correction)
    """
    body = text
    if body.startswith("`"):
        fenced = _FENCED.match(body)
        body = fenced[1].strip() if fenced is not None and fenced[1].lstrip().startswith("{") else body
    if body.startswith("{") and body.endswith("}"):
        if nesting_beyond(body, max_nesting):
            return None, "invalid", too_deep(name)
        value, problem = decode(body)
        if isinstance(value, dict) and (tool is None or takes_keys(tool, value)):
            return value, "complete", None
        if problem is not None and tool is not None and len(tool.properties) > 1:
            return None, "invalid", malformed(name, problem)
    if tool is None or tool.takes_text:
        return unquote(text), "complete", None
    if not tool.properties:
        nothing = tool.takes_nothing or text.casefold() in NOTHING
        return {} if nothing else unquote(text), "complete", None
    return _only_argument(name, text, tool)


def takes_keys(tool: Tool, keys: Iterable[str]) -> bool:
    """Whether an object with these keys is a tool's arguments, and not the one text that it takes."""
    return not tool.takes_text or tool.takes_others or set(keys) <= tool.properties.keys()


def _only_argument(name: str, text: str, tool: Tool) -> Arguments:
    known = ", ".join(tool.properties)
    if len(tool.properties) != 1:
        if not tool.required and text.casefold() in NOTHING:
            return {}, "complete", None
        return None, "invalid", (
            f"The tool {name!r} takes several arguments ({known}). Write its input as one JSON object with these keys."
        )  # fmt: skip
    key, schema = next(iter(tool.properties.items()))
    value, problem = decode(text)
    types = schema_types(schema, tool.parameters)
    if problem is None and _is_of(value, types):
        return {key: value}, "complete", None
    if problem in NUMBER_FAULTS:
        return None, "invalid", malformed(name, problem)
    kinds = " or ".join(sorted(types))
    return None, "invalid", f"The argument {key!r} of {name!r} must be of type {kinds}, as JSON. Send the call again."


def _is_of(value: Any, kinds: frozenset[str]) -> bool:
    if isinstance(value, bool):
        return "boolean" in kinds
    if isinstance(value, int):
        return bool(kinds & {"integer", "number"})
    names = {float: "number", str: "string", list: "array", dict: "object", type(None): "null"}
    return names.get(type(value), "") in kinds or "other" in kinds


def unquote(text: str) -> str:
    """Text without its surrounding quotes, when they are a matching pair.

    >>> unquote('"Oslo"'), unquote('git commit -m "My change"'), unquote('"a" and "b"')
    ('Oslo', 'git commit -m "My change"', '"a" and "b"')
    """
    if len(text) < 2 or text[0] not in "\"'" or text[-1] != text[0]:
        return text
    inner = text[1:-1]
    at = inner.find(text[0])
    # a quote inside that closes (it follows something) pairs with the first one, so the outer two are no pair
    return inner if at < 0 or at == 0 or inner[at - 1] in " \t\n([{=:," else text


def quote(text: str) -> str:
    """Text that :func:`read_input` would change, in quotes that it takes off again."""
    if text and text == text.strip() and unquote(text) == text and text[0] not in "{`":
        return text
    return f'"{text}"' if '"' not in text or text.startswith('"') else f"'{text}'"
