"""One text as a tool's input, and quotes: taken off as a matching pair, put on where they must be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect import Tool, quote, read_input, unquote

PAIRS = [
    ('"Oslo"', "Oslo"),
    ("'Oslo'", "Oslo"),
    ('""', ""),
    ("''", ""),
    ('" "', " "),
    ('"two\nlines"', "two\nlines"),
    ('"it\'s"', "it's"),
    ("'say \"hi\"'", 'say "hi"'),
    ("'SELECT name FROM city WHERE name = \"Oslo\"'", 'SELECT name FROM city WHERE name = "Oslo"'),
    ("\"SELECT name FROM city WHERE name = 'Oslo'\"", "SELECT name FROM city WHERE name = 'Oslo'"),
    ('"git commit -m "My change""', 'git commit -m "My change"'),
    ("'git commit -m 'My change''", "git commit -m 'My change'"),
    ('"print("hi")"', 'print("hi")'),
    ('"x = "y""', 'x = "y"'),
    ('""a""', '"a"'),
    ("''a''", "'a'"),
]
NO_PAIRS = [
    "Oslo",
    "",
    '"',
    "'",
    '"Oslo',
    'Oslo"',
    "\"Oslo'",
    "'Oslo\"",
    '"a" and "b"',
    "'a' 'b'",
    "'x','y'",
    '"a""b"',
    '"a"b"',
    "'it's'",
    'git commit -m "My change"',
    "git commit -m 'My change'",
    "SELECT name FROM city WHERE name = 'Oslo'",
    "\"name\" = 'Oslo'",
    "'Oslo' = \"name\"",
    'say "hi"',
    "“Oslo”",
    "`Oslo`",
    ' "Oslo" ',
    "f('x')",
]


@pytest.mark.parametrize(("text", "inner"), PAIRS)
def test_quotes_come_off_as_a_matching_pair(text: str, inner: str) -> None:
    assert unquote(text) == inner
    assert read_input("a", text, None) == (inner, "complete", None)


@pytest.mark.parametrize("text", NO_PAIRS)
def test_quotes_that_are_no_pair_stay(text: str) -> None:
    assert unquote(text) == text


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("Oslo", "Oslo"),
        ("", '""'),
        (" Oslo", '" Oslo"'),
        ("Oslo\n", '"Oslo\n"'),
        ('"Oslo"', '""Oslo""'),
        ("'Oslo'", "\"'Oslo'\""),
        ('{"city": "Oslo"}', '\'{"city": "Oslo"}\''),
        ("`ls`", '"`ls`"'),
        ('git commit -m "My change"', 'git commit -m "My change"'),
    ],
)
def test_quotes_are_put_on_where_reading_would_change_the_text(text: str, quoted: str) -> None:
    assert quote(text) == quoted
    assert read_input("a", quoted, None) == (text, "complete", None)


@settings(max_examples=500, deadline=None)
@given(st.text("ab {}`\n'\"", max_size=12))
def test_quotes_come_off_again_or_there_was_no_way(text: str) -> None:
    """Only a text with both quotes and something to protect may have no quoted form; formatters refuse those."""
    arguments, status, _ = read_input("a", quote(text), None)
    assert status == "complete"
    assert arguments == text or ('"' in text and "'" in text)


# --- inputs by the tool -------------------------------------------------------------------------------------------


def tool(properties: dict[str, Any], *required: str) -> Tool:
    return Tool("a", parameters={"type": "object", "properties": properties, "required": list(required)})


TEXT = tool({"query": {"type": "string"}}, "query")
NUMBER = tool({"n": {"type": "integer"}}, "n")
LIST = tool({"names": {"type": "array"}}, "names")
MAYBE = tool({"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}, "n")
SEVERAL = tool({"city": {"type": "string"}, "days": {"type": "integer"}}, "city")
OPTIONS = tool({"city": {"type": "string"}, "days": {"type": "integer"}})
NOTHING = tool({})

READ: list[tuple[Tool | None, str, Any]] = [
    (None, "Oslo", "Oslo"),
    (None, '{"city": "Oslo"}', {"city": "Oslo"}),
    (None, '```json\n{"city": "Oslo"}\n```', {"city": "Oslo"}),
    (None, '```\n{"city": "Oslo"}\n```', {"city": "Oslo"}),
    (None, "{not JSON}", "{not JSON}"),
    (None, "[1, 2]", "[1, 2]"),
    (None, "```sh\nls\n```", "```sh\nls\n```"),
    (TEXT, "Oslo", "Oslo"),
    (TEXT, '"Oslo"', "Oslo"),
    (TEXT, "3", "3"),
    (TEXT, '{"query": "Oslo"}', {"query": "Oslo"}),
    (TEXT, '{"city": "Oslo"}', '{"city": "Oslo"}'),
    (TEXT, "{x for x in y}", "{x for x in y}"),
    (NUMBER, "3", {"n": 3}),
    (NUMBER, '{"n": 3}', {"n": 3}),
    (LIST, '["Oslo", "Bergen"]', {"names": ["Oslo", "Bergen"]}),
    (MAYBE, "null", {"n": None}),
    (MAYBE, "3", {"n": 3}),
    (SEVERAL, '{"city": "Oslo", "days": 3}', {"city": "Oslo", "days": 3}),
    (SEVERAL, '```json\n{"city": "Oslo"}\n```', {"city": "Oslo"}),
    (OPTIONS, "", {}),
    (OPTIONS, "None", {}),
    (OPTIONS, "{}", {}),
    (NOTHING, "", {}),
    (NOTHING, "whatever", {}),
    (NOTHING, "{}", {}),
]
REFUSED = [
    (NUMBER, "three", "The argument 'n' of 'a' must be of type integer, as JSON. Send the call again."),
    (NUMBER, "true", "The argument 'n' of 'a' must be of type integer, as JSON. Send the call again."),
    (NUMBER, '"3"', "The argument 'n' of 'a' must be of type integer, as JSON. Send the call again."),
    (MAYBE, "x", "The argument 'n' of 'a' must be of type integer or null, as JSON. Send the call again."),
    (
        SEVERAL,
        "Oslo",
        "The tool 'a' takes several arguments (city, days). Write its input as one JSON object with these keys.",
    ),
    (
        OPTIONS,
        "Oslo",
        "The tool 'a' takes several arguments (city, days). Write its input as one JSON object with these keys.",
    ),
]


@pytest.mark.parametrize(("tool", "text", "arguments"), READ)
def test_an_input_means_what_the_tool_takes(tool: Tool | None, text: str, arguments: Any) -> None:
    assert read_input("a", text, tool) == (arguments, "complete", None)


@pytest.mark.parametrize(("tool", "text", "told"), REFUSED)
def test_an_input_that_the_tool_cannot_take_is_told(tool: Tool, text: str, told: str) -> None:
    assert read_input("a", text, tool) == (None, "invalid", told)


def test_malformed_json_for_several_arguments_is_told_with_the_place() -> None:
    arguments, status, told = read_input("a", '{"city": Oslo}', SEVERAL)
    assert (arguments, status) == (None, "invalid")
    assert told is not None
    assert told.startswith("The arguments of 'a' are not valid JSON: ")
    assert "character 9" in told


def test_an_input_of_any_depth_is_read() -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "{" * 100_000 + "}" * 100_000):
        for one in (None, TEXT, NUMBER, SEVERAL, NOTHING):
            _, status, _ = read_input("a", text, one)
            assert status in ("complete", "invalid")
