"""Whether values are of some shape, and whether two shapes have values in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ._keywords import less
from ._shape import KINDS, Const, Integers, List, Numbers, Object, Part, Shape, Strings, is_number, same


class Judge:
    """Judges by the shapes of parts."""

    def of(self, part: Part, kinds: frozenset[str] = KINDS) -> tuple[Shape, ...]:
        """The shapes of a part that are of these types."""
        raise NotImplementedError

    def apart(self, one: Shape, other: Shape, left: int) -> bool:
        """Whether it is sure that no value is of both shapes; looks ``left`` levels deep."""
        if isinstance(one, Const) or isinstance(other, Const):
            const, shape = (one, other) if isinstance(one, Const) else (other, one)
            assert isinstance(const, Const)
            return not self.accepts(shape, const.value)
        if isinstance(one, (Integers, Numbers)) and isinstance(other, (Integers, Numbers)):
            (low, high), (begin, end) = _ends(one), _ends(other)
            return high < begin or end < low
        if type(one) is not type(other):
            return True
        if isinstance(one, (Strings, List)) and isinstance(other, (Strings, List)):
            return less(one.most, other.least) or less(other.most, one.least)
        return (
            isinstance(one, Object) and isinstance(other, Object) and left > 0 and self._objects_apart(one, other, left)
        )

    def _objects_apart(self, one: Object, other: Object, left: int) -> bool:
        for this, that in ((one, other), (other, one)):
            there = {member.name: member for member in that.members}
            for member in this.members:
                if not member.required:
                    continue
                match = there.get(member.name)
                if match is None:
                    if that.closed:
                        return True
                elif all(
                    self.apart(x, y, left - 1) for x in self.of(member.part) for y in self.of(match.part)
                ):  # where it may be left out, it is there in values of the other option
                    return True
        return False

    def accepts(self, shape: Shape, value: Any) -> bool:
        """Whether a value is of this shape, other members of objects taken as the schema takes them."""
        if isinstance(shape, Const):
            return same(shape.value, value)
        if isinstance(shape, Strings):
            return (
                isinstance(value, str) and shape.least <= len(value) and not less(shape.most, len(value))
                and (shape.pattern is None or re.search(shape.pattern, value) is not None)
            )  # fmt: skip
        if isinstance(shape, (Integers, Numbers)):
            return is_number(value) and _in_range(shape, value)
        if isinstance(shape, List):
            return isinstance(value, list) and self._accepts_list(shape, value)
        return isinstance(value, Mapping) and self._accepts_object(shape, value)

    def _accepts_list(self, shape: List, value: list[Any]) -> bool:
        if len(value) < shape.least or less(shape.most, len(value)):
            return False
        if shape.unique and any(same(x, y) for at, x in enumerate(value) for y in value[at + 1 :]):
            return False
        parts = [*shape.first, *[shape.rest] * (len(value) - len(shape.first))]
        return all(part is not None and self.valid(part, x) for part, x in zip(parts, value, strict=False))

    def _accepts_object(self, shape: Object, value: Mapping[str, Any]) -> bool:
        named = {member.name: member for member in shape.members}
        if len(value) < shape.least or less(shape.most, len(value)):
            return False
        if any(member.required and member.name not in value for member in shape.members):
            return False
        for key, inner in value.items():
            part = named[key].part if key in named else shape.more
            if part is None and shape.closed:
                return False
            if part is not None and not self.valid(part, inner):
                return False
        return True

    def valid(self, part: Part, value: Any) -> bool:
        """Whether a value is one of the part's."""
        return any(self.accepts(shape, value) for shape in self.of(part))


def _in_range(shape: Integers | Numbers, value: int | float) -> bool:
    exact = Decimal(repr(value))
    if isinstance(shape, Integers):
        if exact != exact.to_integral_value() or int(exact) % shape.step:
            return False
        return not (
            (shape.least is not None and exact < shape.least) or (shape.most is not None and exact > shape.most)
        )
    low, high, above, below = shape.bounds
    return not (
        (low is not None and (exact < low or (above and exact == low)))
        or (high is not None and (exact > high or (below and exact == high)))
    )


def _ends(shape: Integers | Numbers) -> tuple[Decimal, Decimal]:
    low, high = (shape.least, shape.most) if isinstance(shape, Integers) else (shape.bounds.least, shape.bounds.most)
    return (
        Decimal("-Infinity") if low is None else Decimal(low),
        Decimal("Infinity") if high is None else Decimal(high),
    )


__all__ = ["Judge"]
