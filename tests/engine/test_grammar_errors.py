"""Grammars that can't be compiled: the error names the file and the place, and says what to change."""

from __future__ import annotations

from pathlib import Path

import pytest

import polylect
from polylect import GrammarError
from polylect.grammar import Grammar, _automaton, lint
from polylect.grammar._source import read_source

from .tongues import OWN

LETTERS = 'A: "a"\nB: "b"\nC: "c"\n'
TELL = "Change the rules so that one token decides"


@pytest.mark.parametrize(
    ("rules", "line", "said"),
    [
        ("start: nest\nnest: A nest B | C\n", 2, r"rule 'nest' is recursive outside the payload rules.*Use repetition"),
        ("start: (A inner C)*\ninner: B inner C | B\n", 2, r"rule 'inner' is recursive outside .*json_call"),
        ("start: one*\none: A two? B\ntwo: C one*\n", 2, r"rule 'one' is recursive outside the payload rules"),
        ("start: call | content\ncall: A B\ncontent: A C\n", 3, r"'content' has begun cannot be told .* its own"),
        ("start: (call | A C)*\ncall: A B\n", 2, r"'call' has begun cannot be told .* marker of its own"),
        ("start: A content C\ncontent: B?\n", 2, r"'content' has begun cannot be told .* marker of its own"),
        (
            "start: one | two\none: A\ntwo: A\n",
            2,
            r"Reduce/Reduce conflict at the end: 'one: A' and 'two: A' may be over",
        ),
        (
            "start: A* list\nlist: A* B\n",
            2,
            r"Reduce conflict at the end: 'list: B' and 'list: \(…\)\* B' .*\. " + TELL,
        ),
        (
            "start: begun* B\nbegun: A A?\n",
            2,
            r"Shift/Reduce conflict at A: 'begun: A' may be over there, or go on\. " + TELL,
        ),
        ("start: (A | )* B\n", 1, r"Shift/Reduce conflict at [AB]: a repetition in 'start' may be over there"),
        ("start: A D\n", 1, "'start' uses 'D', which is not defined"),
        ("start: A\nD: E\n", 2, "'E' is not defined"),
        ("start: A\nA: B\n", 3, "'A' is defined twice"),
        ("start: A\none: B\n\none: A\n", 4, "'one' is defined twice"),
        ("start: A\nD: A start\n", 2, "the terminal 'D' holds the rule 'start'"),
        ("start: A\nD: A D\n", 2, "the terminal 'D' holds itself"),
        ("begin: A\n", None, "there is no rule 'start', and every grammar has one"),
        ("start: A\n%import .nothing_like_it (D)\n", 2, "there is no grammar file 'nothing_like_it.lark'"),
        ("start: A\n%override D: B\n", 2, "there is no 'D' to override; import it"),
        ("start: A\n%extend one: B\n", 2, "there is no 'one' to extend; import it"),
    ],
    ids=lambda value: value.split("\n")[0] if isinstance(value, str) and "\n" in value else None,
)
def test_rules_that_make_no_automaton(rules: str, line: int | None, said: str) -> None:
    with pytest.raises(GrammarError, match=f"(?s)^<grammar>{'' if line is None else f':{line}'}: .*{said}"):
        _ = Grammar(rules + LETTERS).tables


VALUE = "a name, a string, a regular expression"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("one TWO", "'TWO' cannot stand at column 5; what may stand there is ':'."),
        ("one: (A", "the end of the line cannot stand at column 8; what may stand there is ')'."),
        ("one: [A", "the end of the line cannot stand at column 8; what may stand there is ']'."),
        ("one: A)", "')' cannot stand at column 7; what may stand there is the end of the line."),
        ("one:: A", f"':' cannot stand at column 5; what may stand there is {VALUE}, '|', '->', '(', '['"),
        ("one: A??", f"'?' cannot stand at column 8; what may stand there is {VALUE}"),
        ("one: A ->", "the end of the line cannot stand at column 10; what may stand there is a rule's name."),
        ("D.x: A", "'x' cannot stand at column 3; what may stand there is a number."),
        ("Da: A", "'a' cannot stand at column 2; what may stand there is ':'."),
        ("D = A", "'=' cannot stand at column 3."),
        ('D: "a', "the string that begins at column 4 has no end on its line."),
        ("D: /a", "the regular expression that begins at column 4 has no end."),
        ("D: 'a'", "column 4 begins a string in single quotes; write double ones."),
        ("%ignoer A", "the statement at column 1 is unknown; there are %import, %override and %extend."),
    ],
)
def test_what_is_no_grammar_at_all_is_told_by_what_was_met_and_what_may_stand_there(line: str, said: str) -> None:
    with pytest.raises(GrammarError) as caught:
        _ = Grammar(f"start: A\n{LETTERS}{line}\n").tables
    assert str(caught.value).startswith(f"<grammar>:5: {said}")


BODY = "call: OPEN inner* CLOSE\ninner: IN\nOPEN: /<c>/\nCLOSE: /<.c>/\nIN: /x/\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("IN: /x/", "IN: /x*?y/", "mine.lark:2: terminal IN of body.lark: a lazy quantifier"),
        ("inner* CLOSE", "inner CLOSE (", "mine.lark:2: in body.lark:1: the end of the line cannot stand at column 25"),
        ("CLOSE: /<", "CLOSE: /(?<=a)<", "mine.lark:2: terminal CLOSE of body.lark: a lookbehind"),
        ("inner: IN", "inner: IN call?", "mine.lark:2: the rule 'call' is recursive"),
        ("inner: IN", "inner: NONE", "mine.lark:2: 'inner of body.lark' uses 'NONE of body.lark', which is not"),
    ],
)
def test_an_error_in_an_imported_file_has_the_line_of_the_import(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "mine.lark"
    path.write_text("start: call*\n%import .body (call, OPEN)\n%override OPEN: /<d>/\n")
    assert old in BODY
    (tmp_path / "body.lark").write_text(BODY.replace(old, new))
    with pytest.raises(GrammarError) as caught:
        _ = Grammar(path).tables
    assert str(caught.value).startswith(said)
    (tmp_path / "body.lark").write_text(BODY)
    path.write_text(path.read_text().replace("/<d>/", "/x*?/"))
    with pytest.raises(GrammarError, match=r"^mine\.lark:3: terminal OPEN: a lazy quantifier"):
        _ = Grammar(path).tables


def test_a_pattern_that_stands_in_a_rule_has_its_line() -> None:
    with pytest.raises(GrammarError, match=r"^<grammar>:2: the pattern /x\*\?y/: a lazy quantifier"):
        _ = Grammar("start: A one\none: /x*?y/\n" + LETTERS).tables


@pytest.mark.parametrize(
    "pattern", ["/^a/", "/a$/", r"/a\b/", "/a+?b/", "/(?<=a)b/", "/(?<!a)/", r"/(a)\1/", r"/(?:(?!^a)[\s\S])+/", "/(a/"]
)
def test_patterns_outside_the_profile(pattern: str) -> None:
    with pytest.raises(GrammarError, match=r"^<grammar>:2: terminal ODD: "):
        _ = Grammar(f"start: ODD\nODD: {pattern}\n").tables


@pytest.mark.parametrize("pattern", ["/a{0,3}/", "/a*/", "/(?:a|b?)/", "/(?=a)/", r"/[^a]*/", r"/(?:(?!a)[\s\S])*/"])
def test_a_terminal_that_can_be_empty(pattern: str) -> None:
    # stock lark refuses it, and an engine that took it would never come to an end
    with pytest.raises(GrammarError, match=r"<grammar>.*\bODD\b"):
        _ = Grammar(f'start: A? ODD* B\nODD: {pattern}\nA: "x"\nB: "y"\n').tables


@pytest.mark.parametrize("more", ['%ignore " "\n', "%declare D\n"])
def test_directives_outside_the_profile(more: str) -> None:
    rules = "start: A D?\n" if "declare" in more else "start: A B\n"
    with pytest.raises(GrammarError, match=r"<grammar>"):
        _ = Grammar(rules + LETTERS + more).tables


def test_the_cap_on_states(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = "start: A B C A B C A B C A B C\n" + LETTERS
    monkeypatch.setattr(_automaton, "MAX_STATES", 12)
    with pytest.raises(GrammarError, match="<grammar>"):
        lint(rules)
    monkeypatch.setattr(_automaton, "MAX_STATES", 13)
    assert [x.rule for x in lint(rules)] == ["written"]


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.lark"
    path.write_text("start: call | content\ncall: A B\ncontent: A C\n" + LETTERS)
    with pytest.raises(GrammarError, match=r"^mine\.lark:3: whether"):
        _ = Grammar(path).tables
    path.write_bytes(b'start: A\nA: "\xff"\n')
    with pytest.raises(GrammarError, match=r"mine\.lark can't be read: line 2 is no UTF-8"):
        _ = Grammar(path).tables
    with pytest.raises(GrammarError, match=r"no grammar file 'missing\.lark'"):
        _ = Grammar("missing.lark").tables


def test_a_lect_of_a_bad_grammar_fails_when_it_is_used() -> None:
    class Bad(polylect.TextLect):
        name = "bad"
        grammar_file = "start: nest\nnest: A nest B | C\n" + LETTERS

    lect = Bad()
    for use in (lambda: lect.parse("x"), lambda: lect.parser()):
        with pytest.raises(GrammarError, match="recursive"):
            use()


def test_words_of_a_grammar_can_be_replaced() -> None:
    source = read_source("react.lark", {"ACTION_WORD": '"Aktion"i', "FINAL_WORD": r"/A\\b|(C)/"})
    assert '\nACTION_WORD: "Aktion"i\n' in source.text
    assert "\nFINAL_WORD: /A\\\\b|(C)/\n" in source.text
    assert source.text.count("\n") == read_source("react.lark").text.count("\n")
    with pytest.raises(GrammarError, match=r"react\.lark defines no .* 'ACTON_WORD'\. Did you mean 'ACTION_WORD'"):
        read_source("react.lark", {"ACTON_WORD": '"x"'})


def test_imports_come_from_the_grammars_own_folder_first(tmp_path: Path) -> None:
    (tmp_path / "json.lark").write_text("json_object: BRACE\nBRACE: /\\{\\}/\n")
    path = tmp_path / "own.lark"
    path.write_text("start: A json_object\nA: /a/\n%import .json (json_object)\n")
    assert path.read_text() not in (OWN / "named.lark").read_text()
    source = read_source(path)
    assert "BRACE: /\\{\\}/" in source.imported("json.lark")[1]
    assert "json_value" in read_source(OWN / "named.lark").imported("json.lark")[1]
    with pytest.raises(OSError, match="nothing"):
        source.imported("nothing.lark")
