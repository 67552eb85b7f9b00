"""Text typed by a JSON Schema, or by one plain rule where there is none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ._schemas import referred
from .grammar._decoder import DECODER
from .grammar._draft import MISSING

load_json = json.JSONDecoder(parse_float=DECODER.parse_float, parse_constant=DECODER.parse_constant).decode
"""A text that is JSON as we read it, but for raw control characters in strings."""
KINDS = ("null", "boolean", "integer", "number", "array", "object", "string")
"""The types of JSON, in the order in which a text is tried. Here every integer is a number, too."""
DIGITS = 309
"""Digits of the longest integer that is read from a number with a fraction or an exponent: what a float may have."""


class Allowed(NamedTuple):
    """What a schema allows: all values of some types, and some values by themselves."""

    kinds: frozenset[str]
    choices: tuple[Any, ...] = ()


ANY = Allowed(frozenset(KINDS))
NONE = Allowed(frozenset())


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
    """``text`` as one of the values that the schema lists, or as the first of its types that it fits.

    MISSING where it fits none, or the schema says none. The types of listed values are types of the schema: whether a
    value is a listed one is for whoever checks arguments.
    """
    allowed = _allowed(schema, root, {})
    if allowed == ANY:
        return MISSING
    bare = text.strip()
    for choice in allowed.choices:
        if text == choice if isinstance(choice, str) else _same(_convert(bare, kind_of(choice)), choice):
            return choice
    some = _all_kinds(allowed)
    for kind in KINDS:
        if kind in some:
            value = text if kind == "string" else _convert(bare, kind)
            if value is not MISSING:
                return value
    return None if bare == "None" and "null" in some else MISSING


def only_text(schema: Any, root: Mapping[str, Any]) -> bool:
    """Whether a schema allows texts and nothing else."""
    return _all_kinds(_allowed(schema, root, {})) == {"string"}


def kinds(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """The types that a schema allows, those of the values that it lists among them; empty for any."""
    allowed = _allowed(schema, root, {})
    if allowed == ANY:
        return set()
    some = set(_all_kinds(allowed))
    return some - {"integer"} if "number" in some else some


def member(schema: Any, name: str, root: Mapping[str, Any]) -> Any:
    """The schema of the member ``name`` of an object; None when nothing is said about it."""

    def known(part: Mapping[str, Any]) -> Any:
        named = part.get("properties")
        return named.get(name) if isinstance(named, Mapping) else None

    found = _said(schema, root, known, set())
    return (
        _said(schema, root, lambda part: _schema(part.get("additionalProperties")), set()) if found is None else found
    )


def entries(schema: Any, root: Mapping[str, Any]) -> Any:
    """The schema of the entries of a list; None when nothing is said about them."""
    return _said(schema, root, lambda part: _schema(part.get("items")), set())


def _schema(value: Any) -> Any:
    return value if isinstance(value, Mapping) else None


def _said(schema: Any, root: Mapping[str, Any], look: Callable[[Mapping[str, Any]], Any], seen: set[int]) -> Any:
    """What a schema says by ``look``, with its references and its parts: all of it together, choices as choices."""
    if not isinstance(schema, Mapping) or id(schema) in seen:
        return None
    seen.add(id(schema))
    found = [look(schema)]
    found += [_said(part, root, look, seen) for part in _also(schema, root)]
    for options in _choices(schema):
        said = [x for option in options if (x := _said(option, root, look, seen)) is not None]
        found.append({"anyOf": said} if len(said) > 1 else said[0] if said else None)
    found = [x for x in found if x is not None]
    return {"allOf": found} if len(found) > 1 else found[0] if found else None


def _also(schema: Mapping[str, Any], root: Mapping[str, Any]) -> list[Any]:
    """The schemas that hold besides this one."""
    parts = schema.get("allOf")
    reference = schema.get("$ref")
    found = referred(reference, root) if isinstance(reference, str) else None
    return [*([] if found is None else [found]), *(parts if isinstance(parts, list) else ())]


def _choices(schema: Mapping[str, Any]) -> list[list[Any]]:
    """The lists of schemas of which one holds."""
    return [schema[key] for key in ("anyOf", "oneOf") if isinstance(schema.get(key), list) and schema[key]]


def _allowed(schema: Any, root: Mapping[str, Any], known: dict[int, Allowed]) -> Allowed:
    """What a schema allows; one that refers to itself says nothing there. Looks at each part once."""
    if not isinstance(schema, Mapping):
        return ANY
    found = known.get(id(schema))
    if found is not None:
        return found
    known[id(schema)] = found = ANY
    for part in _also(schema, root):
        found = _both(found, _allowed(part, root, known))
    for options in _choices(schema):
        either = NONE
        for option in options:
            either = _either(either, _allowed(option, root, known))
        found = _both(found, either)
    if "const" in schema:
        found = _both(found, Allowed(frozenset(), (schema["const"],)))
    if isinstance(schema.get("enum"), list):
        found = _both(found, Allowed(frozenset(), tuple(schema["enum"])))
    found = _both(found, _of_type(schema))
    if schema.get("nullable") is True:
        found = _either(found, Allowed(frozenset({"null"})))
    known[id(schema)] = found
    return found


def _of_type(schema: Mapping[str, Any]) -> Allowed:
    """The types that a schema names; without any, objects and lists tell themselves by what is said of their parts."""
    named = schema.get("type")
    some = {kind for kind in (named if isinstance(named, list) else [named]) if kind in KINDS}
    if not some and named is None:
        if isinstance(schema.get("properties"), Mapping):
            some = {"object"}
        elif "items" in schema:
            some = {"array"}
    return Allowed(frozenset(some | {"integer"} if "number" in some else some)) if some else ANY


def _both(one: Allowed, other: Allowed) -> Allowed:
    if one == ANY or other == ANY:
        return other if one == ANY else one
    kept = [x for x in one.choices if _allows(other, x)]
    kept += [x for x in other.choices if kind_of(x) in one.kinds]
    return Allowed(one.kinds & other.kinds, tuple(kept))


def _either(one: Allowed, other: Allowed) -> Allowed:
    if ANY in (one, other):
        return ANY
    return Allowed(one.kinds | other.kinds, (*one.choices, *other.choices))


def _allows(allowed: Allowed, value: Any) -> bool:
    return kind_of(value) in allowed.kinds or any(_same(value, choice) for choice in allowed.choices)


def _all_kinds(allowed: Allowed) -> frozenset[str]:
    return allowed.kinds.union(map(kind_of, allowed.choices))


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: true is not 1."""
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def kind_of(value: Any) -> str:
    """The type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, str):
        return "string"
    if isinstance(value, (int, float)):
        return "integer" if isinstance(value, int) else "number"
    return "object" if isinstance(value, Mapping) else "array"


def _convert(text: str, kind: str) -> Any:
    if kind == "null":
        return None if text == "null" else MISSING
    if kind == "boolean":
        return {"true": True, "false": False}.get(text.lower(), MISSING) if len(text) < 6 else MISSING
    if kind == "string":
        return text
    if text[:1] != {"array": "[", "object": "{"}.get(kind, text[:1]):
        return MISSING
    try:
        value = DECODER.decode(text)
    except (ValueError, RecursionError):
        return MISSING
    if kind == "array" or kind == "object":
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return MISSING
    return whole_number(text) if kind == "integer" and isinstance(value, float) else value


def whole_number(text: str) -> Any:
    """The integer that a number with a fraction or an exponent is, exactly (``5.0``, ``1e20``); else MISSING."""
    from decimal import Decimal

    try:
        number = Decimal(text)
    except ArithmeticError:  # its exponent is too large, or too small
        return MISSING
    if number.adjusted() >= DIGITS:
        return MISSING
    value = int(number)
    return value if value == number else MISSING


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
