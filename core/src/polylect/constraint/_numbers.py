"""Numerals of the integers, and of the decimals, between two bounds."""

from __future__ import annotations

import functools
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import NamedTuple

from ._rules import DIGIT, alt, rep, seq
from ._tree import Alt, Chars, Lit, Node, Seq

DIGITS = 18
"""Digits of an integer that has no bound: what fits into 64 bits."""
FRACTION = 22
"""Digits behind the point that a shortest form of a float may have without an exponent."""
SURE = 15
"""Digits that tell two floats apart."""
DECIMALS = 6
"""Digits behind the point of a number with bounds."""
LONG = 9
"""Digits behind the point of a bound that are kept."""
_ENUMERATED = 200
_NONZERO = Chars(((0x31, 0x39),))


class Bounds(NamedTuple):
    """What numbers a schema allows: the bounds, None for none, and whether these are left out themselves."""

    least: Decimal | None = None
    most: Decimal | None = None
    above: bool = False
    below: bool = False


@functools.lru_cache(maxsize=512)
def integers(least: int | None, most: int | None, step: int = 1) -> Node | None:
    """The integers of these bounds, both included, that are multiples of ``step``; None where there are none.

    Raises:
        ValueError: there are too many multiples to write, and they can't be told by their last digits.
    """
    far = 10**DIGITS - 1
    low = min(-far, 10 * most if most is not None and most < 0 else 0) if least is None else least
    high = max(far, 10 * least if least is not None and least > 0 else 0) if most is None else most
    if low > high:
        return None
    if step != 1:
        return _multiples(low, high, step, open_ends=(least is None or least == 0, most is None))
    options: list[Node] = []
    if high > 0:
        options.append(_positive(max(low, 1), high))
    if low <= 0 <= high:
        options.append(Lit("0"))
    if low < 0:
        options.append(seq(Lit("-"), _positive(max(1, -high), -low)))
    return alt(options)


def _multiples(low: int, high: int, step: int, open_ends: tuple[bool, bool]) -> Node | None:
    first = -(-low // step) * step
    if (high - first) // step < _ENUMERATED:
        return alt(Lit(str(value)) for value in range(first, high + 1, step))
    places = next((n for n in (1, 2, 3) if 10**n % step == 0), 0)
    if not places or not all(open_ends):
        raise ValueError("multipleOf")
    small = [Lit(str(value)) for value in range(step, 10**places, step)]
    large = seq(_NONZERO, rep(DIGIT, 0, DIGITS - 1 - places), _suffix(places, step))
    positive = alt([*small, large])
    assert positive is not None
    return alt([positive, Lit("0"), *([seq(Lit("-"), positive)] if low < 0 else [])])


def _suffix(places: int, step: int) -> Node:
    found = alt(Lit(str(value).zfill(places)) for value in range(0, 10**places, step))
    assert found is not None
    return found


def _positive(low: int, high: int) -> Node:
    """The integers from ``low`` to ``high``, both above zero."""
    options: list[Node] = []
    whole: list[int] = []
    for size in range(len(str(low)), len(str(high)) + 1):
        begin, end = max(low, 10 ** (size - 1)), min(high, 10**size - 1)
        if begin == 10 ** (size - 1) and end == 10**size - 1:
            whole.append(size)
        else:
            options.append(_between(str(begin), str(end)))
    if whole:
        options.append(seq(_NONZERO, rep(DIGIT, whole[0] - 1, whole[-1] - 1)))
    found = alt(options)
    assert found is not None
    return found


def _digits(low: str, high: str) -> Node:
    return Lit(low) if low == high else Chars(((ord(low), ord(high)),))


def _between(low: str, high: str) -> Node:
    """The strings of digits between two of one length."""
    size = len(low)
    if size == 0:
        return Seq(())
    if not low.strip("0") and not high.strip("9"):
        return rep(DIGIT, size, size)
    if low[0] == high[0]:
        return seq(Lit(low[0]), _between(low[1:], high[1:]))
    options: list[Node] = []
    first, last = low[0], high[0]
    if low[1:].strip("0"):
        options.append(seq(Lit(first), _between(low[1:], "9" * (size - 1))))
        first = chr(ord(first) + 1)
    if high[1:].strip("9"):
        options.append(seq(Lit(last), _between("0" * (size - 1), high[1:])))
        last = chr(ord(last) - 1)
    if first <= last:
        options.append(seq(_digits(first, last), rep(DIGIT, size - 1, size - 1)))
    found = alt(options)
    assert found is not None
    return found


# --- with a fraction --------------------------------------------------------------------------------------------------


@functools.cache
def number() -> Node:
    """Any number, in the spelling of its shortest form: an exponent has a sign and two digits or more."""
    fraction = rep(seq(Lit("."), rep(DIGIT, 1, FRACTION)), 0, 1)
    exponent: Node = Alt((
        rep(DIGIT, 2, 2), seq(Chars(((0x31, 0x32),)), rep(DIGIT, 2, 2)), seq(Lit("30"), Chars(((0x30, 0x37),))),
    ))  # fmt: skip
    plain = seq(Alt((Lit("0"), seq(_NONZERO, rep(DIGIT, 0, DIGITS - 1)))), fraction)
    far = seq(_NONZERO, fraction, Lit("e"), Chars(((0x2B, 0x2B), (0x2D, 0x2D))), exponent)
    return seq(rep(Lit("-"), 0, 1), Alt((plain, far)))


@functools.lru_cache(maxsize=512)
def numbers(bounds: Bounds) -> Node | None:
    """The decimals of these bounds, without exponents; None where there are none, or none can be written."""
    if bounds == Bounds():
        return number()
    low, above = _short(bounds.least, bounds.above, up=True)
    high, below = _short(bounds.most, bounds.below, up=False)
    places = max(DECIMALS, *(_places(bound) for bound in (low, high) if bound is not None))
    far = Decimal(10) ** (SURE - places) - 1
    if low is None or low < -far:
        low, above = -far, False
    if high is None or high > far:
        high, below = far, False
    bottom, top = low == -far, high == far
    if low > high or (low == high and (above or below)):
        return None
    options: list[Node] = []
    if high >= 0:
        zero = low < 0
        found = _decimals(Decimal(0) if zero else low, high, above and not zero, below, places, top)
        options += [found] if found is not None else []
    if low < 0:
        zero = high >= 0
        found = _decimals(Decimal(0) if zero else -high, -low, zero or below, above, places, bottom)
        options += [seq(Lit("-"), found)] if found is not None else []
    return alt(options)


def _short(bound: Decimal | None, excluded: bool, *, up: bool) -> tuple[Decimal | None, bool]:
    """A bound with few digits behind the point, moved inwards, and whether it is still left out itself."""
    if bound is None or _places(bound) <= LONG:
        return bound, excluded
    moved = bound.quantize(Decimal(1).scaleb(-DECIMALS), ROUND_CEILING if up else ROUND_FLOOR)
    return moved, excluded and moved == bound


def _places(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _decimals(low: Decimal, high: Decimal, above: bool, below: bool, places: int, is_open: bool) -> Node | None:
    """Decimals between two that are not below zero; ``is_open``: beyond the higher one up to the next integer, too."""
    first, last = int(low), int(high)
    begin = _rest(low)
    end: str | None = _rest(high)
    options: list[Node] = []
    if is_open:
        end, below, last = None, False, last + (first != last)
    if first == last:
        options += _with(first, _fraction(begin, end, above, below, places))
    else:
        options += _with(first, _fraction(begin, None, above, False, places))
        if last - first > 1:
            whole = integers(first + 1, last - 1)
            assert whole is not None
            options.append(seq(whole, rep(seq(Lit("."), rep(DIGIT, 1, places)), 0, 1)))
        options += [] if is_open else _with(last, _fraction("", end, False, below, places))
    return alt(options)


def _rest(value: Decimal) -> str:
    """The digits behind the point."""
    return f"{value:f}".partition(".")[2].rstrip("0")


def _with(whole: int, fraction: tuple[bool, Node | None]) -> list[Node]:
    """An integer with one of these fractions: (whether it may stand alone, what may stand behind the point)."""
    alone, digits = fraction
    found: list[Node] = [Lit(str(whole))] if alone else []
    if digits is not None:
        found.append(seq(Lit(f"{whole}."), digits))
    return found


def _fraction(low: str | None, high: str | None, above: bool, below: bool, left: int) -> tuple[bool, Node | None]:
    """Digits behind the point, compared with those of the bounds (None: they are beyond that bound already).

    Returns:
        (whether there may be no more of them, what more there may be)
    """
    if low == "" and not above:
        low = None
    ends = (low is None or not (low or above)) and (high is None or bool(high) or not below)
    if left == 0:
        return ends, None
    if low is None and high is None:
        return True, rep(DIGIT, 1, left)
    if high == "":  # nothing is left above it
        return ends, rep(Lit("0"), 1, left) if ends else None
    begin = int(low[0]) if low else 0
    end = 9 if high is None else int(high[0])
    options: list[Node] = []
    free: list[int] = []
    for digit in range(begin, end + 1):
        tight_low = low is not None and digit == begin
        tight_high = high is not None and digit == end
        if not tight_low and not tight_high:
            free.append(digit)
            continue
        alone, more = _fraction(
            (low or "")[1:] if tight_low else None, (high or "")[1:] if tight_high else None, above, below, left - 1
        )
        options += [Lit(str(digit))] if alone else []
        options += [seq(Lit(str(digit)), more)] if more is not None else []
    if free:
        options.append(seq(_digits(str(free[0]), str(free[-1])), rep(DIGIT, 0, left - 1)))
    return ends, alt(options)


__all__ = ["Bounds", "integers", "number", "numbers"]
