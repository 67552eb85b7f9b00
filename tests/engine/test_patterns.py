"""Patterns as trees: what is printed again matches the same, and the questions about them have the right answers."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect.grammar import _alternatives as alternatives
from polylect.grammar import _patterns as patterns
from polylect.grammar._tables import split_alternatives

from .sources import sources, texts
from .tongues import TONGUES, Tongue

EXAMPLES = settings(max_examples=80, deadline=None, derandomize=True, database=None)


def tree(source: str) -> patterns.Seq:
    return patterns.parse(source)


def live_numbers(text: str, *found: str) -> tuple[int | None, int] | None:
    """(the pattern's number, or None for undecided; the end) where a buffer of ``text`` begins."""
    source, numbers = alternatives.live([(tree(one), n) for n, one in enumerate(found)])
    match = re.compile(source).match(text)
    if match is None:
        return None
    return (None if match.lastindex is None else numbers[match.lastindex]), match.end()


@EXAMPLES
@given(st.data())
def test_printing_keeps_the_meaning(data: st.DataObject) -> None:
    source = data.draw(sources())
    text = data.draw(texts(source))
    seq = tree(source)
    spread = "|".join(patterns.plain(way) for way in alternatives.spread(seq))
    for printed in (patterns.plain(seq), patterns.plain(alternatives.possessive(seq)), spread):
        for at in range(len(text) + 1):
            one, other = re.compile(source).match(text, at), re.compile(printed).match(text, at)
            assert (one and one.span()) == (other and other.span())


@EXAMPLES
@given(st.data())
def test_the_width_bounds_every_match_and_the_first_characters_begin_it(data: st.DataObject) -> None:
    source = data.draw(sources(bounded=True))
    widest = patterns.width(tree(source))
    some, others, empty = patterns.first(tree(source))
    assert widest is not None
    assert not empty
    for sample in patterns.samples(tree(source)):
        match = re.match(source, sample)
        if match is not None:
            assert len(match[0]) <= widest
            assert sample[0] in some or others
        elif "(?!" not in source:
            raise AssertionError("a sample that is none")


@EXAMPLES
@given(st.data())
def test_partial_matches_whatever_more_text_could_change(data: st.DataObject) -> None:
    source = data.draw(sources())
    text = data.draw(texts(source))
    partial = patterns.partial(tree(source))
    assert partial is not None
    whole = re.match(source, text)
    for size in range(len(text)):
        now = re.match(patterns.plain(tree(source), live=True), text[:size])
        if (now and now.span()) != (whole and whole.span()):
            assert re.match(partial, text[:size])


@pytest.mark.parametrize(
    ("source", "wide"),
    [
        ("abc", 3),
        (r"\n?<p>", 4),
        ("[ab]{1,8}c", 9),
        ("a(?=bc|d)", 3),
        (r"a(?=[ ]{0,8}(?:b|\Z))", 10),
        ("a(?!bcd)", 4),
        ("(?:ab|c){0,3}", 6),
        ("a+", None),
        ("a*b", None),
        ("a(?=b*c)", None),
        ("", 0),
    ],
)
def test_width_counts_what_is_looked_at(source: str, wide: int | None) -> None:
    assert patterns.width(tree(source)) == wide


@pytest.mark.parametrize(
    ("source", "first"),
    [
        ("ab", "a"),
        ("a?b", "ab"),
        ("(?:x|yz)c", "xy"),
        ("(?i:k)a", "kK\u212a"),
        ("[0-3]", "0123"),
        ("(?=a)b", "b"),
        ("(?:a|){0,2}b", "ab"),
    ],
)
def test_first_characters(source: str, first: str) -> None:
    assert patterns.first(tree(source)) == (frozenset(first), False, False)


@pytest.mark.parametrize("source", ["я", "(?i:я)", "[яю]", "[а-я]", "(?i:[а-я])", "【", "😎", "(?i:σ)"])
def test_characters_of_every_script_have_their_place(source: str) -> None:
    char = source.strip("(?i:)[]")[-1]
    some, others, _ = patterns.first(tree(source))
    for one in (char, *(other for other in (char.upper(), char.lower()) if re.match(source, other))):
        assert one in some or others
    assert all(re.match(source, sample) for sample in patterns.samples(tree(source)))


def test_first_tells_open_classes_and_the_empty_match() -> None:
    assert patterns.first(tree("[^a]b"))[1]
    assert patterns.first(tree(r"\w"))[1]
    assert patterns.first(tree("a?"))[2]
    assert patterns.first(tree("(?=a)"))[2]
    assert patterns.first(tree(r"(?:a|\Z)"))[2]


@pytest.mark.parametrize(
    "source", ["^a", "a$", r"\ba", "a*?b", "a+?", "a??b", "(?<=a)b", "(?<!a)b", r"(a)\1", "(a)(?(1)b)", "(a"]
)
def test_what_the_profile_leaves_out_is_refused(source: str) -> None:
    with pytest.raises(patterns.PatternError, match=r"outside the profile|no regular expression"):
        patterns.parse(source)


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_samples_of_the_grammars_markers(tongue: Tongue) -> None:
    for source in tongue.grammar.tables.markers.values():
        samples = patterns.samples(tree(source))
        assert samples
        for sample in samples:
            assert re.match(source, sample), sample


# --- the faults that were made once ---------------------------------------------------------------------------------


def test_an_option_at_the_end_waits_before_it_is_left_out() -> None:
    fence = "```(?:json)?"
    assert live_numbers("```", fence) == (None, 3)
    assert live_numbers("```js", fence) == (None, 5)
    assert live_numbers("```json", fence) == (0, 7)
    assert live_numbers("```js\n", fence) == (0, 3)


def test_a_marker_that_may_grow_waits_and_one_that_may_not_does_not() -> None:
    assert live_numbers("<p>", r"<p>\n?") == (None, 3)
    assert live_numbers("<p>\nx", r"<p>\n?") == (0, 4)
    assert live_numbers("<p>x", r"<p>\n?") == (0, 3)
    assert live_numbers("</p>", r"\n?</p>") == (0, 4)
    assert live_numbers("a\n", r"a\n{0,2}") == (None, 2)
    assert live_numbers("a\n\n\n", r"a\n{0,2}") == (0, 3)


@pytest.mark.parametrize("times", ["{2}", "{1,2}", "{0,2}", "{2,3}", "+", "*"])
def test_a_buffer_that_ends_behind_repeats_waits_for_the_rest(times: str) -> None:
    for text in ("**", "***", "****"):
        if re.match(rf"\*{times}T", f"{text}T"):
            assert live_numbers(text, rf"\*{times}T") == (None, len(text))
            assert live_numbers(f"{text}T", rf"\*{times}T") == (0, len(text) + 1)


def test_an_optional_lead_is_the_beginning_of_the_match() -> None:
    source, _ = alternatives.live([(tree(r"\n?<p>"), 0)])
    compiled = re.compile(source)
    undecided, decided = compiled.search("x\n"), compiled.search("x\n<p>")
    assert undecided is not None
    assert (undecided.start(), undecided.lastindex) == (1, None)
    assert decided is not None
    assert decided.span() == (1, 5)
    assert [patterns.plain(way) for way in alternatives.spread(tree(r"\n?<p>"))] == [r"\n<p>", "<p>"]
    for source in (r"\n{0,3}[ ]?<p>", "(?:a|b?c)d", "(?:x|)y"):
        assert all(way[0][0] == "c" for way in alternatives.spread(tree(source)))


def test_the_end_of_the_text_in_a_lookahead_is_decided_at_the_end() -> None:
    close = r"</p>(?=[ ]{0,2}(?:<p|\Z))"
    assert live_numbers("</p>", close) == (None, 4)
    assert live_numbers("</p> ", close) == (None, 5)
    assert live_numbers("</p> <", close) == (None, 6)
    assert live_numbers("</p> <p", close) == (0, 4)
    assert live_numbers("</p> x", close) is None
    assert re.match(patterns.plain(tree(close)), "</p> ")


def test_a_negative_lookahead_waits_too() -> None:
    assert live_numbers("a", "a(?!bc)") == (None, 1)
    assert live_numbers("ab", "a(?!bc)") == (None, 2)
    assert live_numbers("abc", "a(?!bc)") is None
    assert live_numbers("abx", "a(?!bc)") == (0, 1)


def test_an_earlier_pattern_that_may_still_match_goes_before_a_later_one_that_has() -> None:
    assert live_numbers("<a>", "<a><b>", "<a>") == (None, 3)
    assert live_numbers("<a><", "<a><b>", "<a>") == (None, 4)
    assert live_numbers("<a>x", "<a><b>", "<a>") == (1, 3)
    assert live_numbers("<a><", "<a>", "<a><b>") == (0, 3)


def test_numbers_of_several_patterns_and_of_groups_that_are_read_out() -> None:
    grab: patterns.Seq = (("c", "a"), ("grab", tree("[xy]{1,3}")), ("c", ":"))
    source, numbers = alternatives.alternation([(tree("ab|ac"), 7), (grab, 8), (tree("[bc]d?"), 9)])
    compiled = re.compile(source)
    for text, wanted in (("ab", 7), ("ac", 7), ("axy:", 8), ("b", 9), ("cd", 9)):
        match = compiled.match(text)
        assert match is not None
        assert match[0] == text
        assert numbers[match.lastindex or 0] == wanted
        if wanted == 8:
            assert numbers[(match.lastindex or 0) - 1] == alternatives.GRABBED
            assert match[(match.lastindex or 0) - 1] == "xy"


def test_settled_says_whether_the_text_alone_decides() -> None:
    for seq, rest in (("ab", "c"), ("a?", "b"), ("(?:ab|c)", "d"), ("[ab]{0,8}", "c"), ("a(?:b|cd)?", "e")):
        assert alternatives.settled(tree(seq), tree(rest)), seq
    for seq, rest in (("a?", "a"), ("(?:a|ab)", "c"), ("[ab]{0,8}", "b"), ("(?:ab?|c)", "b"), ("a?", "[^x]")):
        assert not alternatives.settled(tree(seq), tree(rest)), seq


def test_repeats_that_cannot_give_back_are_told_so() -> None:
    assert patterns.plain(alternatives.possessive(tree("[ ]{0,8}x"))) == " {0,8}+x"
    assert patterns.plain(alternatives.possessive(tree("[ab]{0,8}b"))) == "[ab]{0,8}b"


def test_alternatives_are_split_outside_groups_and_classes() -> None:
    assert list(split_alternatives(r"a|b")) == ["a", "b"]
    assert list(split_alternatives(r"(?:a|b)c|[|]|\||[]|]|[^|]|")) == ["(?:a|b)c", "[|]", r"\|", "[]|]", "[^|]", ""]
