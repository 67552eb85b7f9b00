"""A grammar outside the profile is the author's error, told with its file, its terminal or line, and what to change."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import GrammarError
from polylect.grammar import Grammar, lint

SOUND = r"""start: content? (call content?)*
written: content? call*
content: CONTENT
call: OPEN name CLOSE
name: NAME
OPEN: /<call>/
CLOSE: /<\/call>/
NAME: /(?:(?!/ CLOSE /)[\s\S])+/
CONTENT: /(?:(?!/ OPEN /)[\s\S])+/
"""


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYLECT_CACHE", "")


def changed(old: str, new: str) -> str:
    assert SOUND.count(old) == 1
    return SOUND.replace(old, new)


def with_open(pattern: str) -> str:
    return changed("OPEN: /<call>/", f"OPEN: {pattern}")


def refused(folder: Path, source: str) -> str:
    """What is said of a grammar, by everything that compiles it."""
    file = folder / "mine.lark"
    file.write_text(source, encoding="utf-8")

    class Mine(polylect.TextLect):
        name = "mine"
        grammar_file = file

    told = set()
    for use in (
        lambda: Grammar(file).tables,
        lambda: lint(file),
        lambda: Mine().parser(),
        lambda: Mine().parse("text"),
    ):
        with pytest.raises(GrammarError) as caught:
            use()
        told.add(str(caught.value))
    return min(told)


def test_the_sound_grammar_is_sound() -> None:
    assert lint(SOUND) == []
    assert set(Grammar(SOUND).tables.markers) == {"OPEN", "CLOSE"}


PATTERNS = {
    "a lazy quantifier": r"/<call>x*?y/",
    "a bounded lazy quantifier": r"/<call>x{0,8}?y/",
    "a lookbehind": r"/(?<=\n)<call>/",
    "a negative lookbehind": r"/(?<!a)<call>/",
    "a line start": r"/^<call>/",
    "a line start with a flag": r"/^<call>/m",
    "a text start": r"/\A<call>/",
    "a line end": r"/<call>$/",
    "a word boundary": r"/<call\b>/",
    "no word boundary": r"/<call>\B/",
    "a back-reference": r"/(<)call\1/",
    "a named back-reference": r"/(?P<q><)call(?P=q)/",
    "a condition": r"/(<)?call(?(1)>|x)/",
    "an atomic group": r"/(?><)call>/",
    "a broken group": r"/<call(>/",
    "a broken class": r"/[<call>/",
    "a broken quantifier": r"/*<call>/",
    "nothing": r"/(?:)/",
    "an optional marker": r"/(?:<call>)?/",
    "only a lookahead": r"/(?=<call>)/",
    "only the end": r"/\Z/",
}


@pytest.mark.parametrize("what", PATTERNS)
def test_a_pattern_outside_the_profile_is_told_with_its_terminal(tmp_path: Path, what: str) -> None:
    said = refused(tmp_path, with_open(PATTERNS[what]))
    assert said.startswith("mine.lark:6: terminal OPEN: ")


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("a lazy quantifier", "lazy"),
        ("a lookbehind", "lookbehind"),
        ("a negative lookbehind", "lookbehind"),
        ("a line start", "^"),
        ("a line end", "$"),
        ("a word boundary", r"\b"),
        ("a back-reference", "reference"),
    ],
)
def test_a_pattern_outside_the_profile_is_named_in_an_authors_words(tmp_path: Path, what: str, named: str) -> None:
    assert named in refused(tmp_path, with_open(PATTERNS[what]))


@pytest.mark.parametrize("text", [r"x*?", r"(?<=a)x", r"^x", r"x$", r"\bx", r"(x)\1"])
def test_what_ends_a_text_is_held_to_the_same(tmp_path: Path, text: str) -> None:
    said = refused(tmp_path, changed(r"(?!/ OPEN /)", f"(?!{text})"))
    assert said.startswith("mine.lark:9: terminal CONTENT: ")


STATEMENTS = {
    "an ignored terminal": (SOUND + "%ignore OPEN\n", "%ignore"),
    "ignored blanks": (SOUND + '%ignore " "\n', "%ignore"),
    "a terminal's priority": (changed("OPEN: /", "OPEN.2: /"), "priorit"),
    "a rule's priority": (changed("name: NAME", "name.2: NAME"), "priorit"),
    "a template": (changed("(call content?)*", "(more{call})*") + "more{x}: x content?\n", "template"),
    "recursion": (changed("name: NAME", "name: NAME | call"), "recursi"),
    "recursion on the right": (changed("OPEN name CLOSE", "OPEN name? call* CLOSE"), "recursi"),
    "a role in doubt": (
        changed("(call content?)*", "((call | answer) content?)*") + "answer: OPEN MARK\nMARK: /!/\n",
        "cannot be told",
    ),
    "a conflict": (changed("(call content?)*", "(call | other)*") + "other: OPEN name CLOSE\n", ""),
    "no start": (changed("start: ", "begin: "), "there is no rule 'start'"),
    "an unknown rule": (changed("OPEN name CLOSE", "OPEN nam CLOSE"), "mine.lark:4: 'call' uses 'nam'"),
    "an unknown terminal": (changed("OPEN name CLOSE", "OPN name CLOSE"), "mine.lark:4: 'call' uses 'OPN'"),
    "an unknown import": (SOUND + "%import .nowhere (x)\n", "mine.lark:10: there is no grammar file 'nowhere.lark'"),
    "an unknown override": (SOUND + "%override NOWHERE: /x/\n", "mine.lark:10: there is no 'NOWHERE' to override"),
    "a line that is no rule": (
        SOUND + "call OPEN\n",
        "mine.lark:10: 'OPEN' cannot stand at column 6; what may stand there is ':'",
    ),
    "a group that does not close": (SOUND + "other: (\n", "mine.lark:10: the end of the line cannot stand at column 9"),
    "two rules of one name": (SOUND + "name: CLOSE\n", "mine.lark:10: 'name' is defined twice"),
    "NUL": (SOUND + "\0\n", "mine.lark:10: "),
    "nothing": ("\n", "start"),
    "a comment": ("// nothing\n", "start"),
}


@pytest.mark.parametrize("what", STATEMENTS)
def test_a_statement_outside_the_profile_is_told_with_what_it_is(tmp_path: Path, what: str) -> None:
    source, named = STATEMENTS[what]
    said = refused(tmp_path, source)
    assert said.startswith("mine.lark")
    assert named in said


def test_no_internals_are_shown() -> None:
    shown = []
    for source in (*map(with_open, PATTERNS.values()), *(source for source, _ in STATEMENTS.values())):
        try:
            _ = Grammar(source).tables
        except ValueError as error:
            shown += re.findall(INTERNAL, str(error))
    assert shown == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"/<.call>/s", "<\ncall>"), (r"/<call>/i", "<CALL>"), (r"/< call >/x", "<call>"), (r"/(?i:<call)>/", "<CALL>")],
)
def test_flags_mean_what_they_mean_in_lark_or_are_refused(pattern: str, text: str) -> None:
    class Mine(polylect.TextLect):
        name = "mine"
        grammar_file = with_open(pattern)

    try:
        read = [call.name for call in Mine().parse(f"a{text}b</call>c").calls]
    except GrammarError as error:
        read = [str(error)]
    assert read == ["b"] or "OPEN" in read[0]


INTERNAL = (
    r"\b_[A-Z]+\b|\$END|__|strict-mode|<string>|NonTerminal\(|Terminal\(|Token\(|<class|0x[0-9a-f]{6}|\[Errno|"
    r"\b(at|assert_not|groupref\w*|min_repeat) is outside"
)


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", ["nowhere.lark", "", " ", "rect.lark", "/"])
def test_a_missing_file_is_told_by_its_name(given: str) -> None:
    with pytest.raises(GrammarError) as caught:
        _ = Grammar(given).tables
    assert str(caught.value).startswith(f"There is no grammar file {given!r}")


def test_a_missing_path_is_told_by_its_name(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.lark", tmp_path):
        with pytest.raises(GrammarError, match=re.escape(str(path))):
            _ = Grammar(path).tables


def test_a_file_that_is_not_utf_8_is_told_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.lark"
    file.write_bytes(b"start: \xff\n")
    with pytest.raises(GrammarError, match=re.escape(str(file))):
        _ = Grammar(file).tables


def test_a_lect_without_a_grammar_is_told() -> None:
    class Mine(polylect.TextLect):
        name = "mine"

    with pytest.raises(GrammarError):
        Mine().parse("text")


@pytest.mark.parametrize("given", [None, 5, SOUND.encode(), ["start: X"]])
def test_what_is_no_grammar_is_told(given: Any) -> None:
    with pytest.raises(GrammarError):
        _ = Grammar(given).tables


@pytest.mark.parametrize(
    ("replace", "named"),
    [
        ({"OPNE": "/x/"}, "defines no terminal 'OPNE'. Did you mean 'OPEN'?"),
        ({"OPEN": "/<call(>/"}, "OPEN"),
        ({"OPEN": "!!"}, ":6: '!' cannot stand at column 7"),
        ({"OPEN": r"/x\b/"}, "OPEN"),
        ({"OPEN": "/x*?/"}, "OPEN"),
    ],
)
def test_a_broken_replacement_is_told(replace: dict[str, str], named: str) -> None:
    with pytest.raises(GrammarError) as caught:
        _ = Grammar(SOUND, replace).tables
    assert named in str(caught.value)


def test_a_replacement_is_taken_as_it_is_written() -> None:
    for pattern in (r"/\n<call\d{1,2}>/", r"/\\g<0>\1{0}<x>/".replace(r"\1{0}", ""), '"<call>"i'):
        markers = Grammar(SOUND, {"OPEN": pattern}).tables.markers
        assert markers["OPEN"] == Grammar(with_open(pattern)).tables.markers["OPEN"]
