"""Trees: what they allow, and the texts that are drawn from them."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect._errors import ConstraintError
from polylect.constraint._delimiters import ways
from polylect.constraint._dfa import deciding, text_dfa
from polylect.constraint._match import Matcher
from polylect.constraint._printed import counted
from polylect.constraint._ranges import common, others, ranges_of
from polylect.constraint._sample import Sampler
from polylect.constraint._tree import EMPTY, Alt, Chars, Lit, Node, Ref, Rep, Seq, Text, Tree
from polylect.grammar import _patterns as patterns

from . import trees

ALPHABET = "ab<>/t \n:ABT*["
PATTERNS = (
    "<b>",
    "\n?<t>",
    "<(?i:ab)",
    "\n[ \t]{0,8}(?i:a)[:：]",
    "</t>(?=[ \n]{0,8}(?:<|\\Z))",
    "<a(?=[^>]{0,9}>)",
    "ab\\Z",
)


def alone(node: Node, text: str) -> bool:
    return Matcher(Tree({"start": node})).matches(text)


def test_each_kind_of_node_allows_what_it_says() -> None:
    letter = Chars(((97, 122),))
    assert alone(Lit("ab"), "ab")
    assert not alone(Lit("ab"), "abc")
    assert alone(letter, "x")
    assert not alone(letter, "X")
    assert alone(Seq((letter, Lit("!"))), "q!")
    assert alone(Alt((Lit("a"), Lit("ab"))), "ab")
    assert alone(EMPTY, "")
    assert [alone(Rep(letter, 1, 2), "x" * size) for size in range(4)] == [False, True, True, False]
    assert alone(Rep(Seq((letter, Lit(","))), 0, None), "a,b,c,")


def test_rules_refer_to_themselves_from_within() -> None:
    tree = Tree({"start": Alt((EMPTY, Seq((Lit("["), Ref("start"), Lit("]")))))})
    assert Matcher(tree).matches("[" * 3000 + "]" * 3000)
    assert not Matcher(tree).matches("[[]")


def test_a_text_holds_no_delimiter_and_begins_with_no_head() -> None:
    text = Text(("<b>",), heads=("<i>",))
    assert [alone(text, one) for one in ("", "x", "<b", "x<b>", "<i>x", "x<i>")] == [
        False,
        True,
        True,
        False,
        False,
        True,
    ]


def test_a_head_may_leave_something_out_in_front() -> None:
    text = Text(("<b>",), heads=("\n?<i>",))
    assert [alone(text, one) for one in ("<i>", "\n<i>", "\n\n<i>")] == [False, False, True]


def test_bounds_of_a_text_count_characters() -> None:
    text = Text(("<b>",), least=2, most=3)
    assert [alone(text, "é" * size) for size in range(5)] == [False, False, True, True, False]


def test_what_follows_a_text_decides_whether_it_ends_within_a_look_ahead() -> None:
    ends = ("<a", "<a ", "<a >", "<a x")
    for then, expected in (
        (None, [False, False, False, True]),
        ("", [True, True, False, True]),
        ("!", [True, True, False, True]),
        (" >", [False, False, False, True]),
        (" ", [False, False, False, True]),
    ):
        text = Text(("<a(?=[ ]{0,4}>)",), then=then)
        assert [alone(text, one) for one in ends] == expected, then


def test_as_much_of_what_follows_is_kept_as_decides() -> None:
    delimiters = ("<a(?=[ ]*>)", "b\\Z")
    assert deciding(delimiters, (), "  !<a") == "  !"
    assert deciding(delimiters, (), "</t>") == "<"
    assert deciding(delimiters, (), "  > and more") == " "  # whatever follows, none of the states may be the last
    assert deciding(delimiters, (), "") == ""
    assert deciding(delimiters, (), None) is None
    assert deciding(("<a>",), (), "<b>") is None


TOLD = (
    "<b>",
    "\n?<t>",
    "<(?i:ab)",
    "</t>(?=[ \n]*(?:<|\\Z))",
    "<a(?=[^>]*>)",
    "ab\\Z",
    "<(?:ab(?:\\Z|T)|/b)",
    "B *\\Z",
)
"""Patterns that need not be made wider."""
FOLLOWING = ("", "<a>", " !>", "/>", "T>", " </t>")


@given(
    st.lists(st.sampled_from(TOLD), min_size=1, max_size=3), st.sampled_from(FOLLOWING), st.text(ALPHABET, max_size=9)
)
def test_a_text_is_all_that_holds_no_match_before_what_follows(delimiters: list[str], then: str, text: str) -> None:
    found = text_dfa(tuple(delimiters), (), then)
    state = found.run(text)
    starts = (re.compile(one).match(text + then, at) for one in delimiters for at in range(len(text)))
    held = any(match is not None and match.end() <= len(text) for match in starts)
    assert (state >= 0 and state in found.ends) == (not held)


@given(st.lists(st.sampled_from(TOLD), min_size=1, max_size=3), st.text("ab<>/t ", max_size=6))
def test_a_head_that_ends_the_message_is_what_a_text_may_not_be(delimiters: list[str], text: str) -> None:
    kept = alone(Text(tuple(delimiters), then=""), text)
    assert alone(Text(tuple(delimiters), heads=(" +\\Z",), then=""), text) == (kept and bool(text.strip(" ")))


@given(st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=3), st.text(ALPHABET, max_size=12))
def test_no_text_holds_what_its_delimiters_match(delimiters: list[str], text: str) -> None:
    state = text_dfa(tuple(delimiters)).run(text)
    if state >= 0 and state in text_dfa(tuple(delimiters)).ends:
        found = re.search("|".join(delimiters), text)
        assert found is None, found


@settings(deadline=None)  # the first character of a class may wait for all of them
@given(st.sampled_from([r"(?i:[k-m])", r"(?i:[^s])", r"(?i:i)", r"[^\w.]", r"[\s:]", r"(?i:\u00b5)"]), st.characters())
def test_a_class_has_the_characters_that_re_finds(source: str, char: str) -> None:
    told = any(low <= ord(char) <= high for low, high in ranges_of(source))
    assert told == (re.match(source, char) is not None)


def test_sets_of_characters() -> None:
    assert others(((5, 9),)) == ((0, 4), (10, 0x10FFFF))
    assert common(((1, 5), (8, 9)), ((4, 8),)) == ((4, 5), (8, 8))


def test_a_delimiter_that_the_end_completes_keeps_its_other_branches() -> None:
    source = "<(?:ab(?:\\Z|c)|de)"
    found = text_dfa((source,))
    assert [found.run(text) for text in ("<abc", "<de")] == [-1, -1]
    assert [found.run(text) in found.ends for text in ("<ab", "<ad", "<abd")] == [False, True, True]
    assert all(way.body for way in ways(source))


def test_texts_of_all_tongues_have_few_states() -> None:
    """A text of many states makes a constraint that engines take long to read."""
    for name in polylect.lects():
        tables = polylect.lect(name.name).grammar.tables  # type: ignore[attr-defined]
        for text in tables.texts.values():
            if text.delimiters:
                assert len(text_dfa(text.delimiters).rows) <= 320


def test_too_many_states_are_refused() -> None:
    with pytest.raises(ConstraintError, match="states"):
        text_dfa(("a(?:a|b){15}c",))


def test_a_text_is_counted_as_far_as_it_must_be() -> None:
    found = counted(Text(("<b>",), least=3))
    assert found is not None
    assert 0 not in found.ends
    assert counted(Text(("<b>",), most=100_000)) is None


@pytest.mark.parametrize("name", sorted(trees.MAKERS))
@pytest.mark.parametrize("most", [None, 12])
def test_what_is_drawn_from_a_tree_is_in_it(name: str, most: int | None) -> None:
    tree = trees.tree(name, 0, most)
    rng, sampler, matcher = random.Random(1), Sampler(tree), Matcher(tree)
    for size in (0, 3, 20, 60) * 40:
        text = sampler.sample(rng, size)
        assert matcher.matches(text)
        assert all(matcher.begins(text[:at]) for at in range(len(text)))


def test_a_tree_draws_the_same_from_the_same_chance() -> None:
    tree = trees.tree("react")
    assert Sampler(tree).sample(random.Random(3)) == Sampler(tree).sample(random.Random(3))


def test_patterns_of_the_profile_only() -> None:
    with pytest.raises(patterns.PatternError):
        text_dfa(("a.*?b",))
