"""Arguments against any schema, by ``jsonschema``: schemas may come from strangers, and values come from models.

So nothing is fetched, and no schema and no value takes more than a bounded number of steps for its size.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._docstrings import INSTALL
from .._errors import ToolError
from .._json import TOO_LARGE, TOO_LONG
from .._schemas import parts_of
from ._matching import PatternFault, is_cheap, matches

STEPS = 100_000
"""Keywords of a schema that are tried for one check, besides …"""
STEPS_EACH = 100
"""… as many for each value inside of what is checked: more are for schemas that branch without an end."""
TOLD = 3
"""Faults that are put into words."""
SHOWN = 60
"""Characters of a wrong value that are shown."""
LONGEST = 300
"""Characters of one fault."""


class _Spent(Exception):
    """The steps are used up."""


class _Budget(threading.local):
    left = 0


_budget = _Budget()


class Unreadable(Exception):
    """A value that can't be checked, for instance a number that is too large; the text says what is wrong."""


class Found(NamedTuple):
    """The first faults, each ``path: message``, and how many there are."""

    told: list[str]
    total: int


class Checker:
    """Holds values against the schema of one tool.

    Raises:
        ToolError: the schema is no JSON Schema, or ``jsonschema`` is not installed.
    """

    def __init__(self, name: str, schema: dict[str, Any]) -> None:
        self._name = name
        kind = _kind(schema)
        try:
            _budget.left = STEPS + STEPS_EACH * _size(schema)
            fault = next(kind(kind.META_SCHEMA).iter_errors(schema), None)
        except Exception as error:
            raise self._broken(error) from None
        if fault is not None:
            raise ToolError(f"The schema of tool {name!r} is broken: {_message(fault)} - at {fault.json_path:.300}.")
        self._read_patterns([part for part, _ in parts_of(schema)])
        from referencing.jsonschema import EMPTY_REGISTRY

        self._validator = kind(schema, registry=EMPTY_REGISTRY)  # this one looks nothing up in the network

    def _read_patterns(self, parts: list[Mapping[str, Any]]) -> None:
        own = any("unevaluatedProperties" in part for part in parts)  # there jsonschema matches names itself
        names = {pattern for part in parts for pattern in part.get("patternProperties", ())}
        for pattern in {part["pattern"] for part in parts if "pattern" in part} | names:
            try:
                quick = is_cheap(pattern)
            except PatternFault as fault:
                raise ToolError(
                    f"The schema of tool {self._name!r} is broken: {pattern!r:.200} is no pattern: {fault}."
                ) from None
            if own and pattern in names and not quick:
                raise ToolError(f"The schema of tool {self._name!r} is broken: {pattern!r:.200} takes too long.")

    def faults(self, value: Any, size: int) -> Found:
        """What is wrong with a value, by place; ``size``: how many values there are inside of it.

        Raises:
            Unreadable: it can't be checked.
            ToolError: the schema can't be followed.
        """
        _budget.left = STEPS + STEPS_EACH * size
        try:
            found = sorted(self._validator.iter_errors(value), key=lambda x: (x.json_path, x.message))
            return Found([_told(error) for error in found[:TOLD]], len(found))
        except OverflowError:
            raise Unreadable(TOO_LARGE) from None
        except ValueError as error:
            if "int_max_str_digits" not in str(error):
                raise self._broken(error) from None
            raise Unreadable(TOO_LONG) from None
        except Exception as error:
            raise self._broken(error) from None

    def _broken(self, error: Exception) -> ToolError:
        from referencing.exceptions import Unresolvable

        if isinstance(error, Unresolvable):
            told = f"a reference leads nowhere, and nothing is fetched: {str(error)[:LONGEST]}"
        elif isinstance(error, _Spent):
            told = "its references branch too often"
        elif isinstance(error, RecursionError):
            told = "it is nested too deeply, or a reference leads back to itself"
        else:
            told = f"{type(error).__name__}: {str(error).rstrip('.')[:LONGEST]}"
        return ToolError(f"The schema of tool {self._name!r} is broken: {told}.")


def _size(schema: Any) -> int:
    waiting, seen, found = [schema], set[int](), 0
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, (Mapping, list)) and id(inner) not in seen:
            seen.add(id(inner))
            found += len(inner)
            waiting += inner.values() if isinstance(inner, Mapping) else inner
    return found


# --- what is told -----------------------------------------------------------------------------------------------------


def _told(error: Any) -> str:
    """An error as ``path: message``; of alternatives the types, or what is wrong with the one that was meant."""
    if error.validator in ("anyOf", "oneOf") and error.context:
        types = [x for x in error.context if x.validator == "type" and x.absolute_path == error.absolute_path]
        if len(types) == len(error.context):
            kinds = " or ".join(dict.fromkeys(repr(x.validator_value) for x in types))
            return f"{error.json_path:.200}: {_shown(error.instance)} is not of type {kinds}"[:LONGEST]
        from jsonschema.exceptions import best_match

        error = best_match([error]) or error
    return f"{error.json_path:.200}: {_message(error)}"[:LONGEST]


def _message(error: Any) -> str:
    """The error's own words, with a long value cut."""
    message: str = error.message
    shown = repr(error.instance)
    if len(shown) > SHOWN and message.startswith(shown):
        message = _shown(error.instance) + message[len(shown) :]
    return message[:LONGEST]


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"


# --- jsonschema, with limits ------------------------------------------------------------------------------------------

Keyword = Callable[[Any, Any, Any, Any], Iterable[Any] | None]


def _kind(schema: Mapping[str, Any]) -> Any:
    """The validator class for the dialect that a schema says it is in; usually Draft 2020-12."""
    try:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import validator_for
    except ImportError:
        raise ToolError(f"Arguments are checked by jsonschema, which is not installed: {INSTALL}.") from None
    said = schema.get("$schema")
    known = validator_for(schema, default=Draft202012Validator) if isinstance(said, str) else Draft202012Validator
    return _limited(known)


@functools.cache
def _limited(kind: Any) -> Any:
    from attrs import fields
    from jsonschema.validators import extend

    own = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "uniqueItems": _unique_items,
    }
    keywords = {**kind.VALIDATORS, **{name: keyword for name, keyword in own.items() if name in kind.VALIDATORS}}
    counted = {name: _counted(keyword) for name, keyword in keywords.items()}
    limited: Any = extend(kind, counted)  # type: ignore[no-untyped-call]
    carried = [(field.name, field.alias) for field in fields(limited) if field.init]

    def evolve(validator: Any, **changes: Any) -> Any:
        """A validator for a part of the schema: of the same class, even where the part names a dialect of its own."""
        _spend()
        for name, alias in carried:
            if alias not in changes:
                changes[alias] = getattr(validator, name)
        return limited(**changes)

    limited.evolve = evolve
    return limited


def _spend() -> None:
    _budget.left -= 1
    if _budget.left < 0:
        raise _Spent


def _counted(keyword: Keyword) -> Keyword:
    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterable[Any] | None:
        _spend()
        return keyword(validator, value, instance, schema)

    return check


def _error(message: str) -> Any:
    from jsonschema.exceptions import ValidationError

    return ValidationError(message)


def _pattern(validator: Any, pattern: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, str):
        found = matches(pattern, instance)
        if found is None:
            yield _error(f"{instance!r} is too long to be checked against its pattern")
        elif not found:
            yield _error(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if isinstance(instance, dict):
        for pattern, inner in patterns.items():
            for key, value in instance.items():
                if isinstance(key, str) and matches(pattern, key):
                    yield from validator.descend(value, inner, path=key, schema_path=pattern)


def _additional_properties(validator: Any, inner: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if not isinstance(instance, dict) or inner is True:
        return
    known, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
    extras = [
        key
        for key in instance
        if key not in known and not any(isinstance(key, str) and matches(pattern, key) for pattern in patterns)
    ]
    if inner is not False:
        for key in extras:
            yield from validator.descend(instance[key], inner, path=key)
    elif extras:
        told = ", ".join(repr(key)[:SHOWN] for key in extras[:3])
        yield _error(f"it takes no {told}" + (f" and {len(extras) - 3} more" if len(extras) > 3 else ""))


def _unique_items(validator: Any, unique: Any, instance: Any, schema: Any) -> Iterator[Any]:
    if unique and isinstance(instance, list):
        keys = [_key(x) for x in instance]
        if len(set(keys)) < len(keys):
            yield _error(f"{instance!r} has entries twice")


def _key(value: Any) -> Any:
    """A value to compare by: 1 is 1.0 in JSON, and not true. Numbers as texts, whose hashes nobody can foresee."""
    if isinstance(value, dict):
        return dict, frozenset((name, _key(inner)) for name, inner in value.items())
    if isinstance(value, list):
        return list, tuple(map(_key, value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return type(value), str(value)
