"""Text typed by a JSON Schema, or by one plain rule where there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ._schemas import referred
from .grammar._draft import MISSING
from .grammar._whole import DECODER

DEPTH = 8
"""References that are followed for one value; a schema that refers to itself ends there."""
load_json = json.JSONDecoder(parse_float=DECODER.parse_float, parse_constant=DECODER.parse_constant).decode
"""A text that is JSON as we read it, but for raw control characters in strings."""
_ORDER = ("null", "boolean", "integer", "number", "array", "object")


def untyped(text: str) -> Any:
    """Without a schema: a JSON number, true, false, null, or quoted text is that value; anything else is text."""
    if text[:1] not in ('"', "-", "t", "f", "n") and not text[:1].isdecimal():
        return text
    try:
        value = load_json(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, (dict, list)) else value


def typed(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """``text`` as the first type of the schema that it fits; text that fits none stays text."""
    value = fitted(text, schema, root)
    if value is not MISSING:
        return value
    return text if kinds(schema, root) else untyped(text)


def fitted(text: str, schema: Any, root: Mapping[str, Any]) -> Any:
    """``text`` as the first type of the schema that it fits; MISSING where it fits none, or the schema says none."""
    allowed, choices = _kinds(schema, root, DEPTH)
    if choices is not None:
        for choice in choices:
            if text == choice or (not isinstance(choice, str) and text.strip() == json.dumps(choice)):
                return choice
    for kind in _ORDER:
        if kind in allowed:
            value = _convert(text.strip(), kind)
            if value is not MISSING:
                return value
    return text if "string" in allowed and choices is None else MISSING


def only_text(schema: Any, root: Mapping[str, Any]) -> bool:
    """Whether a schema allows texts and nothing else."""
    allowed, choices = _kinds(schema, root, DEPTH)
    return allowed == {"string"} and all(isinstance(choice, str) for choice in choices or ())


def kinds(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """The types that a schema allows, a list of values being "string"; empty for any."""
    return _kinds(schema, root, DEPTH)[0]


def member(schema: Any, name: str, root: Mapping[str, Any]) -> Any:
    """The schema of the member ``name`` of an object; None when nothing is said about it."""
    known = _inside(schema, "properties", root, DEPTH, name)
    if known is not None:
        return known[name]
    others = _inside(schema, "additionalProperties", root, DEPTH)
    return others if isinstance(others, Mapping) else None


def entries(schema: Any, root: Mapping[str, Any]) -> Any:
    """The schema of the entries of a list; None when nothing is said about them."""
    found = _inside(schema, "items", root, DEPTH)
    return found if isinstance(found, Mapping) else None


def _inside(schema: Any, key: str, root: Mapping[str, Any], depth: int, name: str | None = None) -> Any:
    """What a schema says under ``key``, its references followed, the first of its choices that says anything.

    With ``name``, the first that says anything about this name.
    """
    if not isinstance(schema, Mapping) or depth == 0:
        return None
    found = schema.get(key)
    if found is not None and (name is None or (isinstance(found, Mapping) and name in found)):
        return found
    options = [_referred(schema, root)]
    for choice in ("anyOf", "oneOf", "allOf"):
        options += schema[choice] if isinstance(schema.get(choice), list) else []
    return next((found for x in options if (found := _inside(x, key, root, depth - 1, name)) is not None), None)


def _referred(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """The schema that ``$ref`` names; None without one."""
    reference = schema.get("$ref")
    return referred(reference, root) if isinstance(reference, str) else None


def _kinds(schema: Any, root: Mapping[str, Any], depth: int) -> tuple[set[str], list[Any] | None]:
    """(the types a schema allows, empty for any; the values it lists)."""
    if not isinstance(schema, Mapping) or depth == 0:
        return set(), None
    referred = _referred(schema, root)
    if referred is not None:
        return _kinds(referred, root, depth - 1)
    if "const" in schema:
        return {"string"}, [schema["const"]]
    if isinstance(schema.get("enum"), list):
        return {"string"}, schema["enum"]
    kind = schema.get("type")
    if isinstance(kind, str):
        return {kind}, None
    if isinstance(kind, list):
        return {k for k in kind if isinstance(k, str)}, None
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            allowed, choices = set[str](), list[Any]()
            for option in schema[key]:
                some, values = _kinds(option, root, depth - 1)
                allowed |= some
                choices += values or []
            return allowed, choices or None
    for option in schema["allOf"] if isinstance(schema.get("allOf"), list) else ():
        found = _kinds(option, root, depth - 1)
        if found[0]:
            return found
    return set(), None


def _convert(text: str, kind: str) -> Any:
    if kind == "null":
        return None if text == "null" else MISSING
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), MISSING)
    try:
        value = load_json(text)
    except (ValueError, RecursionError):
        return MISSING
    if kind == "integer":
        return value if isinstance(value, int) and not isinstance(value, bool) else MISSING
    if kind == "number":
        return value if isinstance(value, (int, float)) and not isinstance(value, bool) else MISSING
    return value if isinstance(value, list if kind == "array" else dict) else MISSING


def scalar(value: Any, known: bool) -> Any:
    """A value as the text that reads back as it; MISSING where there is none. ``known``: a schema will type it."""
    if isinstance(value, str):
        return value if known or untyped(value) == value else json.dumps(value, ensure_ascii=False)
    if isinstance(value, (dict, list)):
        return json.dumps(value) if known else MISSING
    try:
        return json.dumps(value, allow_nan=False)
    except (ValueError, TypeError):
        return MISSING
