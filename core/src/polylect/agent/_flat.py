"""Arguments against schemas without any depth, by hand: the usual case, in a few microseconds.

A schema is flat when it says no more than which arguments there are, which are needed, and of what plain types each is.
What is found here is what ``jsonschema`` would find: a property test holds the two equal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeAlias

_ROOT = frozenset(
    {"type", "properties", "required", "additionalProperties", "title", "description", "$schema", "$defs", "$comment"}
)
_SAID = frozenset(
    {"title", "description", "default", "examples", "format", "deprecated", "readOnly", "writeOnly", "$comment"}
)
"""Keys that say nothing about which values there may be (``format`` is a note to people)."""
_CLASSES: dict[str, frozenset[type]] = {
    "string": frozenset({str}),
    "integer": frozenset({int}),
    "number": frozenset({int, float}),
    "boolean": frozenset({bool}),
    "null": frozenset({type(None)}),
    "array": frozenset({list}),
    "object": frozenset({dict}),
}
_ANY = frozenset[type]().union(*_CLASSES.values())
_DIALECTS = (None, "https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#")


class Rule(NamedTuple):
    """What one argument may be."""

    classes: frozenset[type]
    """The exact classes of its values."""
    checks: dict[type, Callable[[Any], bool]]
    """What a value of a class must pass besides."""

    def fits(self, value: Any) -> bool:
        """Whether it may be this value; a whole number may be spelt ``3.0``."""
        kind = value.__class__
        if kind not in self.classes:
            return kind is float and int in self.classes and value.is_integer()
        check = self.checks.get(kind)
        return check is None or check(value)


Flat: TypeAlias = dict[str, Rule]


def flat(schema: Mapping[str, Any]) -> Flat | None:
    """The rules of a flat schema by argument, or None when it says more."""
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not _ROOT.issuperset(schema) or schema.get("type", "object") != "object":
        return None
    if schema.get("$schema") not in _DIALECTS or not set(required) <= set(properties):
        return None
    found = {name: _rule(inner) for name, inner in properties.items()}
    rules = {name: rule for name, rule in found.items() if rule is not None}
    return rules if len(rules) == len(found) else None


def _rule(schema: Any) -> Rule | None:
    if schema is True:
        return Rule(_ANY, {})
    if not isinstance(schema, Mapping):
        return None
    said = schema.keys() - _SAID
    if said == {"anyOf"}:
        return _either(schema["anyOf"])
    if not said <= {"type", "items", "additionalProperties", "enum", "const"}:
        return None
    classes = _classes(schema["type"]) if "type" in schema else _ANY
    if classes is None:
        return None
    checks: dict[type, Callable[[Any], bool]] = {}
    for key, kind, check in (("items", list, _each), ("additionalProperties", dict, _values)):
        if key in said:
            inner = _rule(schema[key])
            if inner is None:
                return None
            if inner.classes != _ANY or inner.checks:
                checks[kind] = check(inner)
    return _one_of(classes, checks, schema, said)


def _classes(said: Any) -> frozenset[type] | None:
    kinds = [said] if isinstance(said, str) else said
    if not isinstance(kinds, list) or not kinds or any(not isinstance(x, str) or x not in _CLASSES for x in kinds):
        return None
    return frozenset[type]().union(*(_CLASSES[x] for x in kinds))


def _one_of(
    classes: frozenset[type], checks: dict[type, Callable[[Any], bool]], schema: Mapping[str, Any], said: set[str]
) -> Rule | None:
    """The rule with its choices: texts and null, which equal nothing but themselves."""
    texts: list[str] | None = None
    for key in ("enum", "const"):
        if key in said:
            choices = schema[key] if key == "enum" else [schema[key]]
            if not isinstance(choices, list) or any(type(x) not in (str, type(None)) for x in choices):
                return None
            classes = classes & {type(x) for x in choices}
            texts = [x for x in choices if x is not None and (texts is None or x in texts)]
    return Rule(classes, checks if texts is None else {**checks, str: frozenset(texts).__contains__})


def _either(options: Any) -> Rule | None:
    """The rule of alternatives; None when a value of one class may have to be tried against two of them."""
    if not isinstance(options, list) or not options:
        return None
    classes: frozenset[type] = frozenset()
    checks: dict[type, Callable[[Any], bool]] = {}
    for option in options:
        rule = _rule(option)
        if rule is None or any(rule.checks.keys() & classes) or any(checks.keys() & rule.classes):
            return None
        classes |= rule.classes
        checks |= rule.checks
    return Rule(classes, checks)


def _each(rule: Rule) -> Callable[[Any], bool]:
    return lambda value: all(map(rule.fits, value))


def _values(rule: Rule) -> Callable[[Any], bool]:
    return lambda value: all(map(rule.fits, value.values()))
