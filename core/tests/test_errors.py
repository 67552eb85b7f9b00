"""The errors: one tree with two sides, texts that show the place, and nothing in them that a model should not read."""

from __future__ import annotations

import copy
import pickle
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import (
    ConstraintError,
    GrammarError,
    LectError,
    ModelError,
    ParseError,
    PluginError,
    PolylectError,
    PromptError,
    RecordError,
    RunError,
    ToolError,
)
from polylect._errors import CONTEXT, REASONS

CALLERS = (ConstraintError, LectError, GrammarError, PluginError, PromptError, ToolError)
RUNS = (ModelError, RunError, RecordError)
"""A model that can't be asked, a run that can't go on, a record that can't be read or is of another run."""


def test_all_errors_are_polylects() -> None:
    errors = {getattr(polylect, name) for name in polylect.__all__ if name.endswith("Error")}
    assert errors == {PolylectError, ParseError, *CALLERS, *RUNS}
    assert all(issubclass(error, PolylectError) for error in errors)
    assert issubclass(PolylectError, Exception)


def test_the_two_sides_do_not_catch_each_other() -> None:
    for error in CALLERS:
        assert not issubclass(error, ParseError)
        assert not issubclass(ParseError, error)
        assert not any(issubclass(error, other) for other in CALLERS if other is not error)


def test_errors_are_also_what_python_programs_expect() -> None:
    assert issubclass(LectError, LookupError)
    for error in (GrammarError, PromptError, ToolError, ParseError):
        assert issubclass(error, ValueError)


def test_the_reasons_are_a_fixed_list() -> None:
    reasons = ["empty", "no_action", "missing_name", "missing_arguments", "malformed_arguments", "invalid_arguments"]
    reasons += ["unknown_tool", "truncated", "both", "observation", "limit", "not_text"]
    assert list(REASONS) == reasons


# --- what is shown ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "span", "shown"),
    [
        ("one two six", (4, 7), ("one two six", "    ^^^")),
        ("one", (0, 1), ("one", "^")),
        ("one", (0, 3), ("one", "^^^")),
        ("one", (3, 3), ("one", "   ^")),
        ("one", (1, 1), ("one", " ^")),
        ("one", (2, 1), ("one", "  ^")),
        ("one", (10, 20), ("one", "   ^")),
        ("one", (-5, -2), ("one", "^")),
        ("one", (-5, 99), ("one", "^^^")),
        ("a\nbc\nd", (2, 4), ("bc", "^^")),
        ("a\nbc\nd", (2, 6), ("bc", "^^")),
        ("a\nbc\nd", (0, 6), ("a", "^")),
        ("a\nbc\nd", (1, 2), ("a", " ^")),
        ("a\nbc\nd", (4, 5), ("bc", "  ^")),
        ("a\nbc\nd", (6, 6), ("d", " ^")),
        ("a\r\nbc", (3, 5), ("bc", "^^")),
    ],
)
def test_the_caret_stands_under_the_fault(text: str, span: tuple[int, int], shown: tuple[str, str]) -> None:
    assert str(ParseError("No.", text=text, span=span)) == "\n".join(("No.", *shown))


def test_without_a_text_there_is_no_caret() -> None:
    assert str(ParseError("No.")) == "No."
    assert str(ParseError("No.", span=(3, 7))) == "No."


@pytest.mark.parametrize("at", [0, 1, CONTEXT - 1, CONTEXT, CONTEXT + 1, 5_000, 9_940, 9_999])
def test_of_a_long_line_only_the_surroundings_are_shown(at: int) -> None:
    text = "".join(chr(ord("a") + n % 26) for n in range(10_000))
    _, line, marks = str(ParseError("No.", text=text, span=(at, at + 1))).split("\n")
    assert len(line) <= 2 * CONTEXT
    assert line in text
    assert marks.strip() == "^"
    assert line[marks.index("^")] == text[at]
    assert line.startswith(text[max(0, at - CONTEXT) : at])


def test_a_long_fault_is_marked_as_far_as_it_is_shown() -> None:
    _, line, marks = str(ParseError("No.", text="x" * 10_000, span=(100, 9_000))).split("\n")
    assert marks == " " * CONTEXT + "^" * CONTEXT
    assert len(line) == 2 * CONTEXT


@pytest.mark.parametrize("odd", ["\t", "\0", "\x1b[31m", "\u202e", "\u200b", "\ud800", "\u2028", "\x85", "\r", "\x07"])
def test_what_does_not_print_is_replaced_one_for_one(odd: str) -> None:
    text = f"a{odd}b{odd}c"
    at = text.index("c")
    _, line, marks = str(ParseError("No.", text=text, span=(at, at + 1))).split("\n")
    assert line.isprintable()
    assert marks == " " * at + "^"
    assert line[at] == "c"


@pytest.mark.parametrize(
    "text", ["日本語の東京x", "ｗｉｄｅx", "한국어x", "e\u0301a\u0308x", "日e\u0301x", "\U0001f600\U0001f600x"]
)
def test_the_caret_counts_columns_and_not_characters(text: str) -> None:
    at = text.index("x")
    _, line, marks = str(ParseError("No.", text=text, span=(at, at + 1))).split("\n")
    assert columns(marks[: marks.index("^")]) == columns(line[: line.index("x")])


def columns(text: str) -> int:
    """How many columns of a terminal a text takes, by Unicode's own tables."""
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def test_a_text_of_any_size_is_shown_quickly() -> None:
    text = "x" * 10_000_000
    for at in range(0, len(text), 1_000_000):
        assert len(str(ParseError("No.", text=text, span=(at, at + 5)))) < 4 * CONTEXT


# --- what is carried ----------------------------------------------------------------------------------------------


def test_a_parse_error_carries_what_is_needed_to_act_on_it() -> None:
    error = ParseError(
        "No.", text="abc", span=(1, 2), expected=["a call", "an answer"], reason="both", correction="Do."
    )
    assert (error.message, error.text, error.span, error.reason, error.correction) == (
        "No.",
        "abc",
        (1, 2),
        "both",
        "Do.",
    )
    assert error.expected == ("a call", "an answer")


def test_a_parse_error_without_a_correction_corrects_by_its_message() -> None:
    error = ParseError("No action.")
    assert (error.correction, error.reason, error.expected, error.span) == ("No action.", "no_action", (), (0, 0))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_parse_error_survives_pickle(protocol: int) -> None:
    error = ParseError("No.", text="ab\ud800", span=(1, 2), expected=("x",), reason="limit", correction="Do.")
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is ParseError
        assert vars(again) == vars(error)
        assert str(again) == str(error)
        assert again.args == error.args


@pytest.mark.parametrize("kind", CALLERS)
def test_the_callers_errors_survive_pickle(kind: type[PolylectError]) -> None:
    again = pickle.loads(pickle.dumps(kind("There is no lect 'reakt'.")))
    assert type(again) is kind
    assert str(again) == "There is no lect 'reakt'."


# --- the errors of the bundled lects ------------------------------------------------------------------------------

ONE = {"name": "one", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}
TEXT_LECTS = (
    *("react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"),
    *("json_blob", "json_chat", "chat", "react_json", "xml_tags"),
)
FAULTS: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
    *((name, "", {}, {}) for name in TEXT_LECTS),
    *((name, "I wonder.", {}, {}) for name in TEXT_LECTS),
    ("tool_calls", {"role": "assistant", "content": ""}, {}, {}),
    ("tool_calls", {"role": "assistant", "content": "I wonder."}, {}, {"text": "error"}),
    ("react", "Action: one\nAction Input: x", {"tools": [ONE]}, {}),
    ("react", "Action: one", {"tools": [ONE]}, {}),
    ("react", "Action:\nAction Input: x", {}, {}),
    ("react", "Action: two\nAction Input: x", {"tools": [ONE], "unknown_tool": "reject"}, {}),
    ("react", "Action: one\nAction Input: 1\nFinal Answer: 2", {}, {"both": "error"}),
    ("react", "Action: one\nAction Input: 1", {"finish_reason": "length"}, {}),
    ("react", "Action: one\nAction Input: 1\nObservation: 2", {"observation": "error"}, {}),
    ("react_bracket", "Action: one[x]", {"tools": [ONE]}, {}),
    ("react_bracket", "Action: one", {"tools": [ONE]}, {}),
    ("self_ask", "Follow up:", {}, {}),
    ("self_ask", "Follow up: x", {"tools": [ONE]}, {}),
    ("mrkl", "Action: one\nAction Input: 1\nFinal Answer: 2", {}, {"both": "error"}),
    ("conversational", "Thought: Do I need to use a tool? Yes", {}, {}),
    ("docstore", "Action 1: one", {}, {}),
    ("json_blob", '{"action": "one", "action_input": {"n": "x"}}', {"tools": [ONE]}, {}),
    ("json_blob", '{"action": "one", "action_input": {"n": }}', {}, {}),
    ("json_blob", '{"action": "one", "action_input": {"n"', {}, {}),
    ("xml_tags", "<tool>one</tool><tool_input>x</tool_input>", {"tools": [ONE]}, {}),
    ("xml_tags", "<tool></tool><tool_input>x</tool_input>", {}, {}),
    ("tool_calls", {"role": "assistant", "tool_calls": [{"function": {"name": "one", "arguments": "{"}}]}, {}, {}),
    ("tool_calls", {"role": "assistant", "tool_calls": [{"function": {"name": "one", "arguments": "{]"}}]}, {}, {}),
    ("tool_calls", {"role": "assistant", "tool_calls": [{"function": {"name": "", "arguments": "{}"}}]}, {}, {}),
    *((name, None, {}, {}) for name in (*TEXT_LECTS, "tool_calls", "openai_functions")),
    *((name, b"Final Answer: 1", {}, {}) for name in (*TEXT_LECTS, "tool_calls", "openai_functions")),
]
CLUE = re.compile(r"https?://|www\.|\.com\b|Traceback|File \"|0x[0-9a-f]{6}|/site-packages|<class ", re.I)


@pytest.mark.parametrize(("name", "message", "options", "choices"), FAULTS)
def test_a_fault_is_told_in_words_for_a_model(
    name: str, message: Any, options: dict[str, Any], choices: dict[str, Any]
) -> None:
    lect = polylect.lect(name)
    with pytest.raises(ParseError) as caught:
        lect.decide(lect.parse(message, **options), **choices)
    error = caught.value
    assert error.reason in REASONS
    assert error.expected
    assert 0 <= error.span[0] <= error.span[1] <= len(error.text)
    for said in (error.correction, error.message):
        assert re.fullmatch(r"[A-Z<'].*[.!?]", said), "a sentence"
        assert "\n" not in said
        assert len(said) < 500
        assert not CLUE.search(said)
        assert ".." not in said
        assert "  " not in said
    assert not CLUE.search(str(error).partition("\n")[0])


def test_no_error_in_the_kernel_has_an_address_for_help() -> None:
    folder = Path(polylect.__file__).parent
    for file in folder.rglob("_*.py"):
        # the names of standards, which nobody looks up, and the user's own machine are no help
        text = re.sub(
            r"https?://(?:www\.w3\.org|json-schema\.org|localhost|127\.0\.0\.1)\b", "", file.read_text("utf-8")
        )
        assert not re.search(r"https?://", text), file.name
