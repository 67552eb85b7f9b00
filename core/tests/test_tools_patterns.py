"""Patterns of schemas: what ``re`` would say, in bounded time; and what ECMAScript would say."""

from __future__ import annotations

import contextlib
import re
import time
from re import _parser as sre_parser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polylect.agent._automaton import Automaton
from polylect.agent._matching import MAX_WAYS, PatternFault, is_cheap, matches, read

CHARACTERS = st.sampled_from(["a", "b", "_", "-", " ", "\n", "é", "1"])
ATOMS = st.sampled_from(
    ["a", "b", "1", "_", ".", r"\w", r"\s", r"\D", "[ab]", "[^a]", r"[a-c\d]", r"[^\s_]", "é", "-", r"\b", r"\B", "^",
     r"\Z", r"\A"]
)  # fmt: skip


def wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    groups = st.sampled_from(["(?:{})", "({})", "(?={})", "(?!{})", "(?:{})"])
    marks = st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}", "*?", "+?", ""])
    return st.one_of(
        st.lists(inner, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map(lambda x: f"(?:{x})"),
        st.builds(lambda group, x, mark: group.format(x) + ("" if "?=" in group or "?!" in group else mark),
                  groups, inner, marks),
        ATOMS.map(lambda x: f"(?<={x})" if x not in ("^",) else x),
    )  # fmt: skip


PATTERNS = st.recursive(ATOMS, wider, max_leaves=8)


@settings(max_examples=1_000, deadline=None, derandomize=True, database=None)
@example(r"^(?!\.)(?!.*\.\.)([\w.]*)\w@(\w[\w-]*\.)+[A-Za-z]{2,}\Z", "a@b.aa")
@example(r"(?<=a(?=b))b", "ab")
@example(r"(?=a(?!b))", "aab")
@given(PATTERNS, st.text(CHARACTERS, max_size=8))
def test_an_automaton_finds_what_re_finds(pattern: str, text: str) -> None:
    found = re.search(pattern, text) is not None
    assert Automaton(sre_parser.parse(pattern)).search(text) is found
    assert matches(pattern, text) is found


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"^\p{L}+$", "Åre", True),
        (r"^\p{L}+$", "Åre 1", False),
        (r"^[\p{Lu}\p{Nd}]+$", "Å٣", True),
        (r"^\P{L}+$", "12-3", True),
        (r"^[^\p{L}]$", "x", False),
        (r"^\p{gc=Lu}\p{Lowercase_Letter}$", "Ås", True),
        (r"(?<year>\d{4})-\k<year>", "2024-2024", True),
        (r"(?<year>\d{4})-\k<year>", "2024-2025", False),
        (r"^\u{1F600}$", "😀", True),
        (r"^\cJ$", "\n", True),
        (r"^[^]$", "\n", True),
        (r"[]", "x", False),
        (r"^[$]$", "$", True),
        (r"^\$\/$", "$/", True),
        (r"^[a-z]+$", "abc\n", False),  # a line break is no end
        (r"^[\]$]+$", "]$", True),
        (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "1.5", True),
        (r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$", "-", False),
    ],
)
def test_what_ecmascript_says(pattern: str, text: str, found: bool) -> None:
    assert matches(pattern, text) is found


@pytest.mark.parametrize("pattern", ["(", "[", r"\p{Nonsense}", "a{2,1}", r"\k<x>", "(?<x>a)(?<x>b)", "x" * 10_001,
                                     r"\p{L}(?i:x)", r"(\p{L})\1"])  # fmt: skip
def test_what_is_no_pattern(pattern: str) -> None:
    with pytest.raises(PatternFault):
        matches(pattern, "x")


HOSTILE = [
    r"^(a+)+$",
    r"^(a|aa)+$",
    r"^(a*)*b$",
    r"(\w+\s?)*!",
    r"a*a*a*a*a*b",
    r"^(([a-z])+.)+[A-Z]([a-z])+$",
    "a?" * 40 + "a" * 40 + "b",
    r"^(?=(a+)+$)x",
    r"(a+)+(?!a)!",
]


@pytest.mark.parametrize("pattern", HOSTILE)
def test_patterns_that_try_every_way_end(pattern: str) -> None:
    started = time.process_time()
    for size in (50, 1_000, 20_000):
        assert matches(pattern, f"{'a' * size}?") in (False, None)
    assert matches(pattern, f"{'a' * 300}?") is False
    assert time.process_time() - started < 60  # re alone would take years
    assert not is_cheap(pattern)


def test_what_no_automaton_does_is_refused_where_it_could_take_long() -> None:
    assert matches(r"^(a+)+\1$", "aa") is True
    assert matches(r"^(a+)+\1$", f"{'a' * 500}b") is None
    assert matches(r"^(?:(?:a{0,90}){0,90}){0,90}b", f"{'a' * 500}c") is None


def test_a_pattern_is_read_once() -> None:
    assert read("^a$") is read("^a$")
    assert MAX_WAYS > 1_000


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.text("()[]{}|*+?^$\\.-,pPukc<>=!:a1", max_size=12), st.text("a1-", max_size=4))
def test_any_text_is_a_pattern_or_none(pattern: str, text: str) -> None:
    with contextlib.suppress(PatternFault):
        assert matches(pattern, text) in (True, False, None)
