"""The keywords of schemas that hold together, read from all of them at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ._numbers import Bounds
from ._shape import Part, Shape, Strings, is_number, refuse, same


def part(schemas: list[Any], where: str) -> Part:
    """The schemas without those that say nothing."""
    return Part(tuple(x for x in schemas if x is not True and x != {}), where)


def strings(flat: list[Mapping[str, Any]], where: str) -> list[Shape]:
    """The texts of these keywords."""
    found = list(dict.fromkeys(schema["pattern"] for schema in flat if "pattern" in schema))
    if len(found) > 1:
        refuse(where, "it has several patterns ('pattern')")
    least, most = highest(flat, "minLength", where), lowest(flat, "maxLength", where)
    return [] if less(most, least) else [Strings(least, most, found[0] if found else None)]


def bounds_of(flat: list[Mapping[str, Any]], where: str) -> Bounds:
    """The bounds of numbers, those of all keywords together."""
    bounds = Bounds()
    for schema in flat:
        for key, is_low, excluded in (
            ("minimum", True, False), ("exclusiveMinimum", True, True), ("maximum", False, False),
            ("exclusiveMaximum", False, True),
        ):  # fmt: skip
            if key not in schema:
                continue
            if not is_number(schema[key]):
                refuse(where, f"{key!r} is no number")
            value = Decimal(repr(schema[key]))
            old, out = (bounds.least, bounds.above) if is_low else (bounds.most, bounds.below)
            if old is None or (value > old if is_low else value < old):
                old, out = value, excluded
            elif value == old:
                out = out or excluded
            bounds = bounds._replace(least=old, above=out) if is_low else bounds._replace(most=old, below=out)
    return bounds


def inward(bound: Decimal, excluded: bool, sign: int) -> int:
    """The integer at a bound, or next to it on the inner side."""
    whole = math.ceil(bound) if sign > 0 else math.floor(bound)
    return whole + sign if excluded and whole == bound else whole


def highest(flat: list[Mapping[str, Any]], key: str, where: str) -> int:
    """The largest of the sizes that this keyword gives."""
    return max((_size(schema, key, where) for schema in flat if key in schema), default=0)


def lowest(flat: list[Mapping[str, Any]], key: str, where: str) -> int | None:
    """The smallest of the sizes that this keyword gives; None where none does."""
    return min((_size(schema, key, where) for schema in flat if key in schema), default=None)


def _size(schema: Mapping[str, Any], key: str, where: str) -> int:
    value = schema[key]
    if not is_number(value) or value != int(value) or value < 0:
        refuse(where, f"{key!r} is {value!r:.40}, no size")
    return int(value)


def less(one: int | None, other: int) -> bool:
    """Whether a size that may be without bound is less than another one."""
    return one is not None and one < other


def listed(flat: list[Mapping[str, Any]]) -> list[Any] | None:
    """The values of ``const`` and ``enum``, those that all of them have; None where there are none."""
    found: list[Any] | None = None
    for schema in flat:
        for some in ([schema["const"]] if "const" in schema else None, schema.get("enum")):
            if isinstance(some, list):
                kept = some if found is None else [x for x in found if any(same(x, y) for y in some)]
                found = []
                for x in kept:
                    if not any(same(x, y) for y in found):
                        found.append(x)
    return found


__all__ = ["bounds_of", "highest", "inward", "less", "listed", "lowest", "part", "strings"]
