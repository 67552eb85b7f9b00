"""Names and inputs: what a tool's schema makes of the text that a model wrote."""

from __future__ import annotations

import json
from typing import Any

import pytest

import polylect
from polylect import Tool
from polylect.testing import Case, run_case

LECT = polylect.lect("react")


def tool(name: str, required: int = 1, **properties: Any) -> Tool:
    needed = list(properties)[:required]
    return Tool(name, "", {"type": "object", "properties": properties, "required": needed})


TOOLS = [
    tool("search", query={"type": "string"}),
    tool("forecast", city={"type": "string"}, days={"type": "integer"}),
    tool("square", n={"type": "integer"}),
    tool("options", 0, path={"type": "string"}, deep={"type": "boolean"}),
    tool("now"),
    tool("Python REPL", code={"type": "string"}),
]


def turn(name: str, text: str) -> str:
    return f"Action: {name}\nAction Input: {text}"


def reads(text: str, name: str, arguments: Any, status: str = "complete", **more: Any) -> None:
    said = {"calls": [{"name": name, "arguments": arguments, "status": status}], **more}
    run_case(Case(0, text, (text, json.dumps(said))), LECT, tools=TOOLS)


def error_of(text: str, **options: Any) -> str:
    (call,) = LECT.parse(text, tools=TOOLS, **options).calls
    assert call.status == "invalid"
    assert call.arguments is None
    return call.error or ""


# --- quotes -----------------------------------------------------------------------------------------------------------

QUOTES = [
    ('"Voss"', "Voss"),
    ("'Voss'", "Voss"),
    ('""', ""),
    ('"', '"'),
    ('"Voss', '"Voss'),
    ('Voss"', 'Voss"'),
    ("it's", "it's"),
    ('"one" or "two"', '"one" or "two"'),
    ("'one', 'two'", "'one', 'two'"),
    ('"he said "no""', 'he said "no"'),
    ('"two\nlines"', "two\nlines"),
    ('" spaces "', " spaces "),
    ('"it\'s"', "it's"),
]


@pytest.mark.parametrize(("written", "meant"), QUOTES)
def test_only_a_matching_pair_of_quotes_comes_off(written: str, meant: str) -> None:
    reads(turn("search", written), "search", meant)


def test_complaint_11_an_unmatched_quote_stays() -> None:
    reads(turn("search", 'git tag -m "first one"'), "search", 'git tag -m "first one"')


def test_complaint_12_single_quotes_come_off_as_a_pair_and_sql_stays_whole() -> None:
    reads(turn("search", "'orders'"), "search", "orders")
    reads(turn("search", "SELECT 'a' FROM 'b'"), "search", "SELECT 'a' FROM 'b'")
    reads(turn("search", 'SELECT "a" FROM "b"'), "search", 'SELECT "a" FROM "b"')


def test_complaint_10_all_lines_of_an_input_are_the_input() -> None:
    code = "def f():\n    return 1\n\nprint(f())"
    reads(turn("Python REPL", code), "Python REPL", code)


# --- JSON for tools with several arguments, one, or none --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "written", "meant"),
    [
        ("forecast", '{"city": "Voss", "days": 2}', {"city": "Voss", "days": 2}),
        ("forecast", '```json\n{"city": "Voss"}\n```', {"city": "Voss"}),
        ("forecast", '``` {"city": "Voss"} ```', {"city": "Voss"}),
        ("forecast", '{\n  "city": "Voss",\n  "days": 2\n}', {"city": "Voss", "days": 2}),
        ("search", '{"query": "Voss"}', {"query": "Voss"}),
        ("search", '{"other": "Voss"}', '{"other": "Voss"}'),
        ("search", "{not JSON}", "{not JSON}"),
        ("search", "```\nls\n```", "```\nls\n```"),
        ("square", "7", {"n": 7}),
        ("square", '{"n": 7}', {"n": 7}),
        ("square", "123456789012345678901234567890", {"n": 123456789012345678901234567890}),
        ("options", "", {}),
        ("options", "None", {}),
        ("options", "{}", {}),
        ("options", '{"deep": true}', {"deep": True}),
        ("now", "", {}),
        ("now", "None", {}),
        ("now", "whatever", {}),
    ],
)
def test_defect_10_inputs_are_decoded_by_the_tool(name: str, written: str, meant: Any) -> None:
    reads(turn(name, written), name, meant)


def test_complaint_36_several_arguments_and_none() -> None:
    reads(turn("forecast", '{"city": "Voss", "days": 2}'), "forecast", {"city": "Voss", "days": 2}, decision=[
        ["forecast", {"city": "Voss", "days": 2}]
    ])  # fmt: skip
    reads(turn("now", ""), "now", {}, decision=[["now", {}]])


def test_complaint_8_a_tool_without_arguments_needs_no_input_line() -> None:
    reads("Thought: hm\nAction: now", "now", {}, reasoning="hm", decision=[["now", {}]])
    reads("Action: options", "options", {})


def test_complaint_35_one_json_object_is_all_arguments_not_the_first() -> None:
    reads(turn("forecast", '{"city": "Voss"}'), "forecast", {"city": "Voss"})


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("forecast", "Voss", "takes several arguments (city, days). Write its input as one JSON object"),
        ("forecast", "{'city': 'Voss'}", "not valid JSON: Expecting property name enclosed in double quotes"),
        ("forecast", '{"city": "Voss"} please', "takes several arguments"),
        ("forecast", '{"city": "Voss", "days": 2', "takes several arguments"),
        ("options", "/tmp", "takes several arguments (path, deep)"),
        ("square", "seven", "'n' of 'square' must be of type integer"),
        ("square", "true", "'n' of 'square' must be of type integer"),
        ("square", "7.5", "'n' of 'square' must be of type integer"),
    ],
)
def test_an_input_that_fits_no_tool_says_what_to_write(name: str, written: str, told: str) -> None:
    assert told in error_of(turn(name, written))
    reason = "malformed_arguments" if written[0] == "{" else "invalid_arguments"
    reads(turn(name, written), name, None, "invalid", diagnostics=[reason], decision=reason)


def test_an_action_without_its_input_line_says_so() -> None:
    told = error_of("Action: search")
    assert told.startswith("The action 'search' has no 'Action Input:' line. Write 'Action:'")


def test_without_tools_json_is_decoded_and_the_rest_is_text() -> None:
    for written, meant in [
        ('{"a": {"b": [1, 2]}}', {"a": {"b": [1, 2]}}),
        ("[1, 2]", "[1, 2]"),
        ("7", "7"),
        ("{'a': 1}", "{'a': 1}"),
        ('{"a": 1', '{"a": 1'),
        ("{}", {}),
    ]:
        assert LECT.parse(turn("any", written)).calls[0].arguments == meant


def test_as_written_leaves_every_input_as_text() -> None:
    for name, written in [("square", "7"), ("forecast", '{"city": "Voss"}'), ("search", '"Voss"')]:
        (call,) = LECT.parse(turn(name, written), tools=TOOLS, types="as_written").calls
        assert (call.arguments, call.status) == (written, "complete")


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "written",
    [
        "[search]", "`search`", "``search``", "**search**", '"search"', "'search'", "<search>", "[`search`]",
        "[ search ]", "Search", "SEARCH", "Use search", "use the search tool", "Using search", "Call search",
        "the search function", "search tool", "search.", "search:", "search()", 'search("Voss")', "search (the web)",
    ],
)  # fmt: skip
def test_a_name_is_resolved_and_the_change_reported(written: str) -> None:
    reads(turn(written, "Voss"), "search", "Voss", diagnostics=["tool_name"], decision=[["search", "Voss"]])


def test_complaint_13_use_means_the_tool() -> None:
    reads(turn("Use search", "Voss"), "search", "Voss")
    reads(turn("Use Python REPL", "1"), "Python REPL", "1")


def test_complaint_14_copied_brackets_come_off() -> None:
    reads(turn("[Python REPL]", "print(1)"), "Python REPL", "print(1)")


@pytest.mark.parametrize("name", ["nope", "searching", "search engine", "Use nope"])
def test_an_unknown_name_is_kept_for_the_executor(name: str) -> None:
    reads(turn(name, "Voss"), name, "Voss", decision=[[name, "Voss"]])


def test_unknown_names_by_policy() -> None:
    (kept,) = LECT.parse(turn("serch", "Voss"), tools=TOOLS, unknown_tool="nearest").calls
    assert (kept.name, kept.status) == ("search", "complete")
    rejected = LECT.parse(turn("serch", "Voss"), tools=TOOLS, unknown_tool="reject")
    assert rejected.calls[0].error == (
        "There is no tool 'serch'. The tools are: search, forecast, square, options, now, Python REPL."
    )
    assert [x.code for x in rejected.diagnostics] == ["unknown_tool"]


def test_without_tools_only_the_wrapping_comes_off() -> None:
    for written, name in [("[f]", "f"), ("`f`", "f"), ("f(Voss)", "f"), ("Use f", "Use f"), ("F", "F")]:
        assert LECT.parse(turn(written, "x")).calls[0].name == name
