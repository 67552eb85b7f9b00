"""Strategies for what a model may write: well-formed, bent, cut, soup, and noise."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

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
WORDS = ("a", "word ", "\n", " ", "x" * 7)
_FAR = 100_000  # any position: taken modulo the length of the text


def texts(lect: Lect) -> SearchStrategy[Message]:
    """What a model of this tongue may write, well or badly.

    Soup of markers and troublemakers, the lect's examples bent in one to three places or cut short, pieces of them in
    any order, a marker repeated many times, long runs of words between markers, and random Unicode, lone surrogates
    included. In tongues of messages: the examples with such texts in them; the shape of the message stays as it is.
    """
    table = fragments(lect)
    soup = st.lists(st.sampled_from(table), max_size=24).map("".join)
    if lect.messages:
        return _messages([x for x in lect.examples if isinstance(x, dict)], soup, edits(table))
    examples = [x for x in lect.examples if isinstance(x, str)]
    # One piece in ten is a whole example: two replies in one are a model that did not stop.
    table = (*table, *(examples * (len(table) // 10 // max(len(examples), 1))))
    bent = st.builds(bend, st.sampled_from(examples), edits(table)) if examples else soup
    woven = st.lists(st.sampled_from(segments(lect) or table), max_size=10).map("".join)
    return st.one_of(soup, bent, bent, bent, woven, woven, repeats(table), stretched(table), noise())


def noise() -> SearchStrategy[str]:
    """Random Unicode, lone surrogates included."""
    # of a million characters two thousand are surrogates: they would hardly ever be drawn
    characters = st.one_of(st.characters(exclude_categories=()), st.sampled_from(SURROGATES))
    return st.lists(characters, max_size=40).map("".join)


def stretched(table: Sequence[str]) -> SearchStrategy[str]:
    """Fragments with long runs of one word between them, so that chunks of hundreds of characters make sense."""
    run = st.builds(lambda word, times: word * times, st.sampled_from(WORDS), st.integers(1, 300))
    return st.lists(st.one_of(st.sampled_from(table), run), min_size=2, max_size=12).map("".join)


def repeats(table: Sequence[str]) -> SearchStrategy[str]:
    """One to three fragments, over and over."""
    unit = st.lists(st.sampled_from(table), min_size=1, max_size=3).map("".join)
    return st.builds(lambda unit, times: unit * times, unit, st.integers(1, 60))


def edits(table: Sequence[str]) -> SearchStrategy[list[Edit]]:
    """One to three edits for :func:`bend`, or none."""
    return st.lists(st.tuples(st.integers(0, 9), st.integers(0, _FAR), st.sampled_from(table)), max_size=3)


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


def _messages(
    examples: list[dict[str, Any]], soup: SearchStrategy[str], changes: SearchStrategy[list[Edit]]
) -> SearchStrategy[Message]:
    places = [(example, path) for example in examples for path in leaves(example)]
    if not places:
        return st.builds(lambda text: {"role": "assistant", "content": text}, soup)

    def change(place: tuple[dict[str, Any], tuple[str | int, ...]], edit: list[Edit], new: str, whole: bool) -> Message:
        message, path = place
        changed: dict[str, Any] = replaced(message, path, new if whole else bend(at(message, path), edit))
        return changed

    return st.builds(change, st.sampled_from(places), changes, soup, st.booleans())


def cuts(length: int = 0) -> SearchStrategy[tuple[int, ...]]:
    """Sizes of chunks, to be cycled: all in one, one character at a time, or a random few; of long texts long ones."""
    some = st.lists(st.integers(1, 12), min_size=1, max_size=5).map(tuple)
    if length > LONG:
        size = st.one_of(st.integers(1, 80), st.integers(LONG // 2, LONG * 3 // 2), st.integers(LONG, LONG + 20))
        long = st.lists(st.integers(LONG, LONG * 2), min_size=1, max_size=3).map(tuple)
        some = st.one_of(st.lists(size, min_size=1, max_size=5).map(tuple), long, long, some)
    return st.one_of(some, st.just(ONE_BY_ONE), st.just(ALL_AT_ONCE)) if length <= LONG else some


def pieces(lect: Lect, message: Message, sizes: Sequence[int]) -> list[Any]:
    """``message`` cut into chunks of the given sizes, cycled."""
    if not isinstance(message, str):
        return list(lect.chunks(message, sizes))
    found, start, turn = [], 0, 0
    while start < len(message):
        end = start + sizes[turn % len(sizes)]
        found.append(message[start:end])
        start, turn = end, turn + 1
    return found
