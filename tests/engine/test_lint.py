"""The lints: one bad grammar for each rule, and none of ours is bad."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polylect.grammar import Lint, lint

from .tongues import OWN, SHIPPED, TONGUES, Tongue

BASE = "start: content? (A content?)*\nwritten: A\ncontent: T\n"
BAD = {
    "a text that takes a marker": (
        BASE + r"A: /<a>/" + "\n" + r"T: /(?:(?!<b>)[\s\S])+/" + "\n",
        ("hidden", "T", 5), r"hides the marker A.*'<a>'.*add A to what T excludes, or to its guard",
    ),
    "a text that takes an optional marker": (
        "start: (A arguments? END?)*\nwritten: A\narguments: T\n"
        + r"A: /<a>/" + "\n" + r"END: /<\/a>/" + "\n" + r"T: /(?:(?!<a>)[\s\S])+/" + "\n",
        ("hidden", "T", 6), r"hides the marker END\b.*add END",
    ),
    "a text that takes a payload": (
        "start: content? (call content?)*\nwritten: call\ncall: json_call\ncontent: T\n"
        + r"T: /(?:(?!<b>)[\s\S])+/" + "\n%import .json_call (json_call)\n",
        ("hidden", "T", 5), r"hides the payload json_call.*let T exclude how it begins",
    ),
    "a marker without bound": (
        BASE + r"A: /<a>\s*/" + "\n" + r"T: /(?:(?!<a>)[\s\S])+/" + "\n",
        ("unbounded", "A", 4), r"marker A has no longest match; write \{0,8\} for \* and \{1,8\} for \+",
    ),
    "a lookahead without bound": (
        BASE + r"A: /<a>(?=[ ]*b)/" + "\n" + r"T: /(?:(?!<a>)[\s\S])+/" + "\n",
        ("unbounded", "A", 4), r"marker A has no longest match",
    ),
    "a delimiter without bound": (
        BASE + r"A: /<a>/" + "\n" + r"T: /(?:(?![ \n]*<a>)[\s\S])+/" + "\n",
        ("unbounded", "T", 5), r"delimiter or guard of the text T has no longest match; write \{0,8\}",
    ),
    "a guard without bound": (
        BASE + r"A: /<a>/" + "\n" + r"T: /(?![ ]*x)(?:(?!<a>)[\s\S])+/" + "\n",
        ("unbounded", "T", 5), r"delimiter or guard of the text T",
    ),
    "two texts in one place": (
        "start: (content | A)?\nwritten: A\ncontent: T | U\n"
        + r"A: /<a>/" + "\n" + r"T: /(?:(?!<a>)[\s\S])+/" + "\n" + r"U: /[^<]+/" + "\n",
        ("overlap", "T", 5), r"texts T and U may stand in one place and both begin with.*give one of them a guard",
    ),
    "a marker that another one takes": (
        "start: (A | B)*\nwritten: A\nA: /[ab]{1,2}/\nB: /ab/\n",
        ("order", "B", 4), r"marker A is tried before B and takes 'ab' from it; make B the wider one",
    ),
    "a string that lark folds into a text": (
        BASE + 'A: "{"\n' + r"T: /(?:(?!\{\"name)[\s\S])+/" + "\n",
        ("folded", "A", 4), r"T can match all of the string terminal A.*write A as a regular expression",
    ),
    "a text that ends where nothing begins": (
        BASE + r"A: /<a>/" + "\n" + r"T: /(?:(?!<a>|<c>)[\s\S])+/" + "\n",
        ("dead end", "T", 5), r"T ends at '<c>', but nothing that may follow begins so",
    ),
    "no strict form": ("start: A\nA: /a/\n", ("written", "written", 0), r"no rule 'written'.*add one"),
}  # fmt: skip
ERRORS = {"hidden", "unbounded", "overlap", "order", "folded"}
"""The rules whose breach is an error; a dead end and a missing strict form are warnings."""

# Text that is passed over and reported: an input label without an action, and a second question behind an echoed one
# (react); an input element without a tool (xml_tags). The flat form of such tongues has no place for either.
KNOWN = {
    "react": {("dead end", "LOOSE"), ("dead end", "TEXT"), ("dead end", "THINKING")},
    "react_bracket": {("dead end", "LOOSE")},
    "conversational": {("dead end", "LOOSE"), ("dead end", "SAID"), ("dead end", "TEXT"), ("dead end", "THINKING")},
    "self_ask": {("dead end", "LOOSE")},
    "xml_tags": {("dead end", "CONTENT"), ("dead end", "AFTER")},
    # behind a name that no arguments follow the call is invalid
    "pythonic": {("dead end", "NAME")},
    "gemma4": {("dead end", "NAME")},
    "minimax_m3": {("dead end", "NAME")},
}


def found(findings: list[Lint], rule: str) -> list[Lint]:
    return [finding for finding in findings if finding.rule == rule]


@pytest.mark.parametrize("case", BAD)
def test_each_rule_finds_its_grammar(case: str) -> None:
    source, (rule, terminal, line), said = BAD[case]
    (one, *more) = found(lint(source), rule)
    assert (one.rule, one.terminal) == (rule, terminal)
    assert one.level == ("error" if rule in ERRORS else "warning")
    assert one.place == (f"<grammar>:{line}" if line else "<grammar>")
    assert re.search(said, one.message)
    assert str(one) == f"{one.place}: {one.level}: {one.message} [{rule}]"
    assert not more


@pytest.mark.parametrize("case", BAD)
def test_no_other_rule_finds_it(case: str) -> None:
    source, (rule, _, _), _ = BAD[case]
    assert {finding.rule for finding in lint(source)} <= {rule, "dead end"}


def test_the_bad_grammars_are_good_when_they_are_changed_as_told() -> None:
    good = BASE + r"A: /<a>[ \n]{0,8}/" + "\n" + r"T: /(?:(?!/ A /)[\s\S])+/" + "\n"
    assert lint(good) == []
    two = "start: (content A?)*\nwritten: A\ncontent: T | U\n" + r"A: /<a>/" + "\n"
    two += r"T: /(?![ ])(?:(?! |<a>)[\s\S])+/" + "\n" + r"U: /[ ]+/" + "\n"
    assert lint(two) == []
    payload = "start: content? (call content_after?)*\nwritten: call\ncall: json_call\ncontent: T\ncontent_after: U\n"
    begins = r"\{[ \n]{0,8}\"name\""
    payload += f"T: /(?:(?!{begins})[\\s\\S])+/\nU: /(?![ \\t\\r\\n,:}}\\]])(?:(?!{begins})[\\s\\S])+/\n"
    assert lint(payload + "%import .json_call (json_call)\n") == []


def test_errors_come_first() -> None:
    levels = [finding.level for finding in lint(BAD["a text that takes a marker"][0].replace("written: A\n", ""))]
    assert levels == sorted(levels)
    assert set(levels) == {"error", "warning"}


def family(tmp_path: Path, *left_out: str) -> Path:
    """The family of block.lark without some of its lines."""
    for name in ("block.lark", "longcat.lark"):
        lines = (OWN / name).read_text().splitlines(keepends=True)
        (tmp_path / name).write_text("".join(line for line in lines if not line.startswith(left_out or "\0")))
    return tmp_path / "longcat.lark"


def test_a_text_that_was_composed_before_its_marker_was_overridden(tmp_path: Path) -> None:
    assert lint(family(tmp_path)) == []
    findings = lint(family(tmp_path, "%override THOUGHT"))
    (one,) = found(findings, "hidden")
    assert (one.level, one.terminal) == ("error", "THOUGHT")
    assert re.search(r"THOUGHT hides the marker END_THINK.*'</cat_think>'", one.message)
    assert one.place.startswith("longcat.lark")
    assert found(findings, "dead end")


def test_a_finding_in_an_overridden_terminal_has_its_line(tmp_path: Path) -> None:
    path = family(tmp_path)
    path.write_text(path.read_text().replace("%override CLOSE: /<", "%override CLOSE: /[ ]*<"))
    (one,) = found(lint(path), "unbounded")
    line = path.read_text().splitlines().index(r"%override CLOSE: /[ ]*<\/cat_call>/") + 1
    assert one.place == f"longcat.lark:{line}"


@pytest.mark.parametrize("tongue", SHIPPED, ids=str)
def test_the_bundled_grammars_have_no_errors_and_no_unknown_warnings(tongue: Tongue) -> None:
    findings = lint(tongue.path)
    assert [str(finding) for finding in findings if finding.level == "error"] == []
    assert {(finding.rule, finding.terminal) for finding in findings} <= KNOWN.get(tongue.name, set())


@pytest.mark.parametrize("tongue", [one for one in TONGUES if one not in SHIPPED], ids=str)
def test_the_grammars_of_these_tests_have_no_findings(tongue: Tongue) -> None:
    assert [str(finding) for finding in lint(tongue.path)] == []
