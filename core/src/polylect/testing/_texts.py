"""What a model may write: well-formed, bent, cut, soup, and noise."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ._draw import Draw, Maker, joined, one_of, sampled
from ._fragments import at, fragments, leaves, replaced, segments

if TYPE_CHECKING:
    from .._lect import Lect

Message: TypeAlias = "str | dict[str, Any]"
"""One model message: a text, or a provider's message in tongues that speak messages."""

Edit: TypeAlias = tuple[int, int, str]

ALL_AT_ONCE = (sys.maxsize,)
ONE_BY_ONE = (1,)
SURROGATES = "\ud800\udbff\udc00\udfff"
LONG = 500
"""Parsers may treat chunks of this many characters in another way."""
REACHES = (0x80, 0x80, 0x800, sys.maxunicode + 1, sys.maxunicode + 1)
"""Below which numbers characters are drawn: ASCII, what letters have two bytes, all."""
SIZES = (1, 80), (LONG // 2, LONG * 3 // 2), (LONG, LONG + 20)
"""Sizes of chunks for long texts."""
WORDS = ("a", "word ", "\n", " ", "x" * 7)
_FAR = 100_000  # any position: taken modulo the length of the text


def texts(lect: Lect) -> Maker[Message]:
    """What a model of this tongue may write: see :func:`polylect.testing.texts`."""
    table = fragments(lect)
    soup = joined(table, 24)
    if lect.messages:
        return _messages([x for x in lect.examples if isinstance(x, dict)], soup, edits(table))
    examples = [x for x in lect.examples if isinstance(x, str)]
    # One piece in ten is a whole example: two replies in one are a model that did not stop.
    table = (*table, *(examples * (len(table) // 10 // max(len(examples), 1))))
    changes = edits(table)
    bent = (lambda draw: bend(draw.pick(examples), changes(draw))) if examples else soup
    woven = joined(segments(lect) or table, 10)
    return one_of(soup, bent, bent, bent, woven, woven, repeats(table), stretched(table), noise, noise)


def noise(draw: Draw) -> str:
    """Random Unicode, lone surrogates included."""
    return "".join(draw.some(_any_character, 40))


def _any_character(draw: Draw) -> str:
    # of a million characters two thousand are surrogates: they would hardly ever be drawn
    return draw.pick(SURROGATES) if draw.flag() else character(draw)


def character(draw: Draw) -> str:
    """A character other than a surrogate: of ASCII, among the first two thousand, or any."""
    number = draw.below(draw.pick(REACHES))
    return chr(number ^ 0x1000 if 0xD800 <= number < 0xE000 else number)


def stretched(table: Sequence[str]) -> Maker[str]:
    """Fragments with long runs of one word between them, so that chunks of hundreds of characters make sense."""

    def piece(draw: Draw) -> str:
        return draw.pick(WORDS) * draw.between(1, 300) if draw.flag() else draw.pick(table)

    return lambda draw: "".join(draw.some(piece, 12, 2))


def repeats(table: Sequence[str]) -> Maker[str]:
    """One to three fragments, over and over."""
    unit = joined(table, 3, 1)
    return lambda draw: unit(draw) * draw.between(1, 60)


def edits(table: Sequence[str]) -> Maker[list[Edit]]:
    """One to three edits for :func:`bend`, or none."""

    def edit(draw: Draw) -> Edit:
        return draw.between(0, 9), draw.between(0, _FAR), draw.pick(table)

    return lambda draw: draw.some(edit, 3)


def bend(text: str, changes: Sequence[Edit]) -> str:
    """``text`` with pieces put in, left out, said twice, moved to the end, or cut off."""
    for kind, place, piece in changes:
        start = place % (len(text) + 1)
        end = start + 1 + place % 7
        match kind:
            case 0 | 1 | 2 | 3:
                text = text[:start] + piece + text[start:]
            case 4 | 5:
                text = text[:start] + text[end:]
            case 6:
                text = text[:end] + text[start:]
            case 7:
                text = text[:start] + text[end:] + text[start:end]
            case 8:
                text = text[:start] + piece + text[end:]
            case _:
                text = text[:start]
    return text


def _messages(examples: list[dict[str, Any]], soup: Maker[str], changes: Maker[list[Edit]]) -> Maker[Message]:
    places = [(example, path) for example in examples for path in leaves(example)]
    if not places:
        return lambda draw: {"role": "assistant", "content": soup(draw)}

    def change(draw: Draw) -> Message:
        message, path = draw.pick(places)
        new = soup(draw) if draw.flag() else bend(at(message, path), changes(draw))
        changed: dict[str, Any] = replaced(message, path, new)
        return changed

    return change


def cuts(length: int = 0) -> Maker[tuple[int, ...]]:
    """Sizes of chunks for a text of this many characters: see :func:`polylect.testing.cuts`."""
    return _long_cuts if length > LONG else one_of(_short_cuts, sampled((ONE_BY_ONE,)), sampled((ALL_AT_ONCE,)))


def _short_cuts(draw: Draw) -> tuple[int, ...]:
    return tuple(draw.some(lambda draw: draw.between(1, 12), 5, 1))


def _long_cuts(draw: Draw) -> tuple[int, ...]:
    match draw.below(4):
        case 0:
            return _short_cuts(draw)
        case 1:
            return tuple(draw.some(lambda draw: draw.between(*draw.pick(SIZES)), 5, 1))
        case _:
            return tuple(draw.some(lambda draw: draw.between(LONG, LONG * 2), 3, 1))


def pieces(lect: Lect, message: Message, sizes: Sequence[int]) -> list[Any]:
    """``message`` cut into chunks of the given sizes, cycled."""
    if not isinstance(message, str):
        return list(lect.chunks(message, sizes))
    if len(sizes) == 1:
        (size,) = sizes
        return [message[at : at + size] for at in range(0, len(message), size)]
    found, start, turn = [], 0, 0
    while start < len(message):
        end = start + sizes[turn % len(sizes)]
        found.append(message[start:end])
        start, turn = end, turn + 1
    return found
