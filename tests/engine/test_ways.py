"""No pattern that compiles makes a backtracking matcher try many ways: exponential ones are refused, others counted."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polylect import GrammarError
from polylect.grammar import Grammar, lint
from polylect.grammar import _alternatives as alternatives
from polylect.grammar import _patterns as patterns
from polylect.grammar import _ways as ways

from .sources import sources
from .steps import Steps, TooMany
from .tongues import TONGUES, Tongue

MANY = "may match one text in several ways, which multiply; let its alternatives, .* begin with different characters"
NEIGHBOURS = "may match one text in more than 250 ways; let what follows a repeat begin with other characters"
ENDLESS = r"the repeat has no longest match; write \{0,8\} for \*"
EXAMPLES = settings(max_examples=120, deadline=None, derandomize=True, database=None)


def counted(source: str) -> int:
    return ways.check(patterns.parse(source))


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ("abc", 1),
        ("[ab]{1,500}c", 1),
        ("(?:ab|cd){1,200}e", 1),
        ("(?:foo|far){1,64}X", 1),
        (r"(?:a?\n){1,64}X", 1),
        (r"\s*\nX", 1),
        (r"(?:\n[ \t]{0,8}){1,64}<call>", 1),
        (r"(?:\w{1,20}[ ]{1,8}){1,20}:", 1),
        (r"(?:\w{1,20}\s{1,8}){1,20}:", 1),
        (r"(?:#{1,6}[ ]|\*{1,3}[ ]|>[ ]?){0,16}Action", 1),
        (r"(?:(?!</p>)[\s\S]){0,64}</p>", 1),
        (r"(?:(?!<a|<b)[\s\S]){0,64}<a", 65),
        ("[^x]{1,64}:[^x]", 64),
        ("(?:a|ab)c", 1),
        ("(?:a|ab)(?:c|bc)", 2),
        (".{0,19}x{0,7}[xy]{2,3}", 20 * 8),
        ("a(?=(?:b|bc)(?:d|cd)e)", 2),
        ("(?:x[ab]{0,8}){0,9}", 1),
    ],
)
def test_the_ways_of_a_pattern(source: str, number: int) -> None:
    assert counted(source) == number


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("(a|a){1,30}X", MANY),
        ("(?:a|ab|b){1,20}X", r"what repeats in \(\?:a\|ab\|b\)\{1,20\} " + MANY),
        ("(?:[ab]|c{1,9}){0,64}X", MANY),
        ("(?:a?b?){1,30}X", MANY),
        ("(?:a?){1,30}X", MANY),
        ("(?:a{1,10}){1,10}X", MANY),
        ("(?:a{1,10}){1,10}", MANY),
        ("(?:ab?){2,40}bX", MANY),
        ("(?:(?:ab){1,9}a?){1,9}X", MANY),
        (r"(?:\w{1,20}[ ]{0,8}){1,20}:", MANY),
        (r"(?:[^\n]{0,80}\n?){1,9}X", MANY),
        (r"(?:(?!b)[\s\S]|a){1,40}X", MANY),
        ("(?:a|a[ab])+X", MANY),
        ("x(?=(?:a|ab|b){1,20}X)", MANY),
        ("x(?!(?:a|ab|b){1,20}X)", MANY),
        ("X" + "(?:a|aa)" * 20 + "X", NEIGHBOURS),
        (".{0,64}x.{0,64}x.{0,64}x", NEIGHBOURS),
        ("[ ]{0,32}[ ]{0,32}[ ]{0,8}x", NEIGHBOURS),
        ("a*aa", ENDLESS),
        (r"\s*\n\s*x", ENDLESS),
        ("(?:a+b?){1,30}X", ENDLESS),
    ],
)
def test_a_pattern_of_many_ways_is_refused(source: str, said: str) -> None:
    with pytest.raises(patterns.PatternError, match=said):
        counted(source)


@pytest.mark.parametrize("terminal", ["DONE", "TEXT", "GUARDED"])
def test_a_grammar_with_such_a_pattern_is_refused_wherever_it_stands(terminal: str) -> None:
    shapes = {
        "DONE": r"/X/",
        "TEXT": r"/(?:(?!X)[\s\S])+/",
        "GUARDED": r"/(?!b|X)(?:(?!c|X)[\s\S])+/",
    }
    source = "start: content? (DONE after?)*\nwritten: DONE\ncontent: TEXT\nafter: GUARDED\n"
    for name, shape in shapes.items():
        source += f"{name}: {shape.replace('X', '(?:a|ab|b){1,20}X') if name == terminal else shape}\n"
    line = 5 + list(shapes).index(terminal)
    for use in (lint, lambda text: Grammar(text).tables):
        with pytest.raises(GrammarError, match=rf"^<grammar>:{line}: terminal {terminal}: what repeats in .* {MANY}"):
            use(source)


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_the_patterns_of_these_grammars_have_few_ways(tongue: Tongue) -> None:
    tables = tongue.grammar.tables
    texts = [part for text in tables.texts.values() for part in (*text.delimiters, text.guard) if part]
    for source in (*tables.markers.values(), *texts):
        assert counted(source) <= 8, source


def fits(source: str, printed: str, text: str) -> bool:
    """Whether a matcher takes no more steps than the number of ways allows; no text is long enough to matter."""
    tree = patterns.parse(source)
    width = patterns.width(tree)
    assert width is not None
    steps = Steps(text, 20 * counted(source) * (width + 1) * len(source))
    try:
        steps.match(printed)
    except TooMany:
        return False
    return True


@EXAMPLES
@given(st.data())
def test_no_accepted_pattern_takes_more_steps_than_its_ways_allow(data: st.DataObject) -> None:
    source = data.draw(sources(bounded=True)).replace("{0,3}", "{0,25}").replace("{1,2}", "{1,25}")
    tree = patterns.parse(source)
    try:
        ways.check(tree)
    except patterns.PatternError:
        assume(False)
    units = [*filter(None, patterns.samples(tree, 8)), "a", "ab", "<"]
    unit = "".join(data.draw(st.lists(st.sampled_from(units), min_size=1, max_size=2)))[:8]
    text = (unit * 40)[:40] + data.draw(st.sampled_from(["", "!", "\n"]))
    for printed in (source, patterns.partial(tree), *(form([(tree, 0)])[0] for form in FORMS)):
        assert printed is None or fits(source, printed, text)


FORMS = alternatives.alternation, alternatives.live


def test_the_counter_of_steps_sees_an_exponential_pattern() -> None:
    steps = Steps("ab" * 13, 50_000)
    with pytest.raises(TooMany):
        steps.match("(?:a|ab|b){1,20}X")
    for source, text, found in (("(?:a|ab)c", "abc", True), (r"a(?=b|\Z)", "ac", False), ("[^a]{2}+c?", "bbb", True)):
        assert Steps(text, 100).match(source) is found
