"""The reader of golden cases, and what happens to a case that does not come out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect.testing import Case, hidden, read_cases, run_case, visible

HERE = Path(__file__).parent

TWO = """\
A comment that explains the cases below.

First
.
one
two
.
{}
.

Second
.
.
{"error": "empty"}
.
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "cases.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_cases_are_read_with_line_title_and_blocks(tmp_path: Path) -> None:
    assert read_cases(write(tmp_path, TWO)) == [
        Case(3, "First", ("one\ntwo", "{}")),
        Case(11, "Second", ("", '{"error": "empty"}')),
    ]


def test_cases_may_have_more_blocks(tmp_path: Path) -> None:
    assert read_cases(write(tmp_path, "T\n.\na\n.\nb\n.\nc\n.\n"), blocks=3) == [Case(1, "T", ("a", "b", "c"))]


def test_symbols_stand_for_what_an_editor_hides(tmp_path: Path) -> None:
    (case,) = read_cases(write(tmp_path, "T\n.\na␠\n␉b␍\n␛2e;\n␛d800;␀␛2424;\n␤\n.\n{}\n.\n"))
    assert case.fields[0] == "a \n\tb\r\n.\n\ud800\0␤\n\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".\na\n.\n{}\n.\n", r"cases\.txt:1: a case without a title"),
        ("T\n.\na\n.\n{}\n", r"cases\.txt:1: the case 'T' has no end"),
        ("T\n.\na \n.\n{}\n.\n", r"cases\.txt:3: white space at the end"),
    ],
)
def test_a_broken_file_names_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_cases(write(tmp_path, text))


@given(st.text(st.characters(exclude_categories=())) | st.text("a. \t\r\n\0␠␤␛;\u3000\x85"))
def test_visible_is_the_inverse_of_hidden(text: str) -> None:
    shown = visible(text)
    assert hidden(shown) == text
    assert shown.encode().decode() == shown
    assert all(line == line.rstrip() and line != "." for line in shown.split("\n"))


CASES = [(path.stem, case) for path in sorted(HERE.glob("*.txt")) for case in read_cases(path)]


@pytest.mark.parametrize(("name", "case"), CASES, ids=[f"{name}:{case.line}" for name, case in CASES])
def test_the_cases_of_this_folder(name: str, case: Case) -> None:
    run_case(case, name)


TEXT = "Thought: I look it up.\nAction: search\nAction Input: weather"
SAID = '"reasoning": "I look it up.", "calls": [{"name": "search", "arguments": "weather"}]'


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ('{"calls": [{"name": "search", "arguments": "weather"}]}', "reasoning differs"),
        ('{"reasoning": "I look it up."}', "1 calls instead of 0"),
        ('{"reasoning": "I look it up.", "calls": [{"name": "look"}]}', "name of a call differs"),
        ('{"reasoning": "I look it up.", "calls": [{"name": "search"}]}', "arguments of a call differs"),
        ('{"error": "empty"}', "parses, but should not"),
        (f'{{{SAID}, "diagnostics": ["skipped"]}}', "diagnostics differ"),
        (f'{{{SAID}, "decision": [["search", "cats"]]}}', "the decision differs"),
    ],
)
def test_a_case_that_does_not_come_out_says_where(expected: str, message: str) -> None:
    with pytest.raises(AssertionError, match=rf"line 7, 'T': {message}"):
        run_case(Case(7, "T", (TEXT, expected)), "react")


@pytest.mark.parametrize("expected", ["no JSON", "[]", '{"cals": []}'])
def test_a_case_with_a_wrong_second_block_is_the_authors_error(expected: str) -> None:
    with pytest.raises(ValueError, match="line 7, 'T': the second block"):
        run_case(Case(7, "T", (TEXT, expected)), "react")


def test_a_case_is_run_in_every_cut() -> None:
    class Whole:
        """A lect that can be read whole only."""

        def __getattr__(self, name: str) -> object:
            return getattr(polylect.lect("react"), name)

        def parser(self, **options: object) -> object:
            raise polylect.ParseError("no streams here", expected=("the whole",))

    lect: polylect.Lect = Whole()  # type: ignore[assignment]
    with pytest.raises(AssertionError, match="streamed, it comes out otherwise"):
        run_case(Case(7, "T", (TEXT, f"{{{SAID}}}")), lect)
