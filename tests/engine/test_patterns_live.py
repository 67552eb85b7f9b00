"""Partial matching: what a pattern says of a buffer that may go on is never taken back, and nothing is missed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect.grammar import _alternatives as alternatives
from polylect.grammar import _patterns as patterns

from .sources import sources, texts
from .tongues import TONGUES, Tongue

LISTS = st.lists(sources(), min_size=1, max_size=3)
EXAMPLES = settings(max_examples=50, deadline=None, derandomize=True, database=None)
Numbered = list[tuple[patterns.Seq, int]]


def numbered(*found: str) -> Numbered:
    return [(patterns.parse(source), n) for n, source in enumerate(found)]


def first_of(found: Sequence[str], text: str, at: int) -> tuple[int, int] | None:
    """(number, end) of the first pattern that matches at a place of a complete text, each taken by itself."""
    for number, source in enumerate(found):
        match = re.compile(source).match(text, at)
        if match is not None:
            return number, match.end()
    return None


@EXAMPLES
@given(st.data())
def test_several_patterns_in_one_give_the_first_that_matches(data: st.DataObject) -> None:
    found = data.draw(LISTS)
    text = data.draw(texts(*found))
    source, numbers = alternatives.alternation(numbered(*found))
    compiled = re.compile(source)
    for at in range(len(text) + 1):
        match = compiled.match(text, at)
        assert (None if match is None else (numbers[match.lastindex or 0], match.end())) == first_of(found, text, at)


def holds(found: Sequence[str], text: str) -> None:
    """What the live pattern says of each prefix of ``text`` is what the plain ones say of ``text``."""
    source, numbers = alternatives.live(numbered(*found))
    compiled = re.compile(source)
    for end in range(len(text) + 1):
        for at in range(end):
            match, whole = compiled.match(text[:end], at), first_of(found, text, at)
            if match is None:
                assert whole is None, "missed"
            elif match.lastindex is not None:
                assert (numbers[match.lastindex], match.end()) == whole, "taken back"
    _search_holds(found, text, compiled)


def _search_holds(found: Sequence[str], text: str, compiled: re.Pattern[str]) -> None:
    begins = alternatives.starts([patterns.parse(source) for source in found])
    for end in range(len(text) + 1):
        match = compiled.search(text[:end])
        if begins is not None and match is not None and match.start() < end:
            place = re.search(begins, text[:end])
            assert place is not None
            assert place.start() <= match.start()
    places = [at for at in range(len(text)) if first_of(found, text, at) is not None]
    for end in range(len(text) + 1):
        match = compiled.search(text[:end])
        if match is None or match.start() == end:
            assert all(at >= end for at in places)
        elif match.lastindex is None:
            assert all(at >= match.start() for at in places)
        else:
            assert places[0] == match.start()


@EXAMPLES
@given(st.data())
def test_a_decision_is_final_and_nothing_is_missed(data: st.DataObject) -> None:
    found = data.draw(LISTS)
    holds(found, data.draw(texts(*found)))


@EXAMPLES
@given(st.data())
def test_nothing_stays_undecided_beyond_the_width(data: st.DataObject) -> None:
    found = data.draw(st.lists(sources(bounded=True), min_size=1, max_size=3))
    text = data.draw(texts(*found)) + "~" * 30
    widest = max(patterns.width(patterns.parse(source)) or 0 for source in found)
    compiled = re.compile(alternatives.live(numbered(*found))[0])
    for at in range(len(text) - widest - 1):
        match = compiled.match(text, at)
        assert match is None or match.lastindex is not None


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_the_markers_and_delimiters_of_the_grammars(tongue: Tongue) -> None:
    tables = tongue.grammar.tables
    lists = [[tables.markers[m.terminal] for m in row if m.terminal in tables.markers] for row in tables.states]
    lists += [list(text.delimiters) for text in tables.texts.values()]
    lists += [[text.guard] for text in tables.texts.values() if text.guard is not None]
    for found in {tuple(found): found for found in lists if found}.values():
        for source in found:
            for sample in patterns.samples(patterns.parse(source), 6):
                holds(found, f"{sample}<\n" if len(sample) % 2 else f"\n{sample}")
