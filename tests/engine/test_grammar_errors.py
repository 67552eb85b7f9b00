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


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ("start: nest\nnest: A nest B | C\n", r"recursive outside the payload rules.*Use repetition"),
        ("start: (A inner C)*\ninner: B inner C | B\n", r"recursive outside the payload rules.*json_call"),
        ("start: call | content\ncall: A B\ncontent: A C\n", r"'content' has begun cannot be told .* its own"),
        ("start: (call | A C)*\ncall: A B\n", r"'call' has begun cannot be told .* marker of its own"),
        ("start: A content C\ncontent: B?\n", r"'content' has begun cannot be told .* marker of its own"),
        ("start: one | two\none: A\ntwo: A\n", r"Reduce/Reduce .*Change the rules so that one token decides"),
        ("start: A* list\nlist: A* B\n", r"(?:Shift|Reduce)/Reduce .*Change the rules so that one token decides"),
        ("start: begun* B\nbegun: A A?\n", r"(?:Shift|Reduce)/Reduce .*Change the rules so that one token decides"),
        ("start: A D\n", "D"),
        ("start: (A\n", "line 1"),
        ("begin: A\n", "start"),
        ("start: A\n%import .nothing_like_it (D)\n", "nothing_like_it"),
    ],
    ids=lambda value: value.split("\n")[0] if "\n" in value else None,
)
def test_rules_that_make_no_automaton(rules: str, said: str) -> None:
    with pytest.raises(GrammarError, match=f"(?s)<grammar>: .*{said}"):
        _ = Grammar(rules + LETTERS).tables


@pytest.mark.parametrize(
    "pattern", ["/^a/", "/a$/", r"/a\b/", "/a+?b/", "/(?<=a)b/", "/(?<!a)/", r"/(a)\1/", r"/(?:(?!^a)[\s\S])+/", "/(a/"]
)
def test_patterns_outside_the_profile(pattern: str) -> None:
    with pytest.raises(GrammarError, match=r"<grammar>.*\bODD\b"):
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
    with pytest.raises(GrammarError, match=r"^mine\.lark: "):
        _ = Grammar(path).tables
    path.write_bytes(b'start: A\nA: "\xff"\n')
    with pytest.raises(GrammarError, match=r"mine\.lark can't be read"):
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
