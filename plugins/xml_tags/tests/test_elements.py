"""Nested elements as arguments, typed by the tool's schema."""

from __future__ import annotations

import json
from typing import Any

import pytest

import polylect
from polylect import Tool, Toolbox
from polylect.testing import Case, run_case

LECT = polylect.lect("xml_tags")
FORECAST = Tool(
    "forecast",
    "",
    {
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "zip": {"type": "string"},
            "days": {"type": "integer"},
            "height": {"type": "number"},
            "wind": {"type": "boolean"},
            "unit": {"$ref": "#/$defs/Unit"},
            "where": {"$ref": "#/$defs/Place"},
            "maybe": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}]},
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "both": {"type": ["integer", "string"]},
            "tags": {"type": "array", "items": {"type": "string"}},
            "hours": {"type": "array", "items": {"type": "integer"}},
            "places": {"type": "array", "items": {"$ref": "#/$defs/Place"}},
            "env": {"type": "object", "additionalProperties": {"type": "string"}},
            "html": {"type": "string"},
            "any": {},
            "fixed": {"const": 7},
        },
        "required": ["city"],
        "$defs": {
            "Unit": {"enum": ["c", "f", 1]},
            "Place": {
                "type": "object",
                "properties": {
                    "lat": {"type": "number"},
                    "name": {"type": "string"},
                    "near": {"$ref": "#/$defs/Place"},
                },
            },
        },
    },
)
SEARCH = Tool("search", "", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})
SQUARE = Tool("square", "", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
TOOLS = [FORECAST, SEARCH, SQUARE, Tool("now")]


def xml(name: str, given: str) -> str:
    return f"<tool>{name}</tool><tool_input>{given}</tool_input>"


def reads(text: str, name: str, arguments: Any, status: str = "complete", **more: Any) -> None:
    said = {"calls": [{"name": name, "arguments": arguments, "status": status}], **more}
    run_case(Case(0, text, (text, json.dumps(said))), LECT, tools=TOOLS)


BIG = 123456789012345678901234567890

TYPED: list[tuple[str, dict[str, Any]]] = [
    ("<city>Voss</city><days>3</days>", {"city": "Voss", "days": 3}),
    ("<zip>02134</zip>", {"zip": "02134"}),
    ("<zip>true</zip>", {"zip": "true"}),
    ("<zip>null</zip>", {"zip": "null"}),
    (f"<days>{BIG}</days>", {"days": BIG}),
    ("<days> 3\n</days>", {"days": 3}),
    ("<height>-2.5e3</height>", {"height": -2500.0}),
    ("<height>7</height>", {"height": 7}),
    ("<wind>true</wind>", {"wind": True}),
    ("<wind>False</wind>", {"wind": False}),
    ("<unit>f</unit>", {"unit": "f"}),
    ("<unit>1</unit>", {"unit": 1}),
    ("<unit>k</unit>", {"unit": "k"}),
    ("<fixed>7</fixed>", {"fixed": 7}),
    ("<count>5</count>", {"count": 5}),
    ("<count>null</count>", {"count": None}),
    ("<both>5</both>", {"both": 5}),
    ("<both>five</both>", {"both": "five"}),
    ("<where><lat>60.6</lat><name>5</name></where>", {"where": {"lat": 60.6, "name": "5"}}),
    ("<where><near><name>02134</name></near></where>", {"where": {"near": {"name": "02134"}}}),
    ("<maybe><name>5</name></maybe>", {"maybe": {"name": "5"}}),
    ("<maybe>null</maybe>", {"maybe": None}),
    ("<tags><item>1</item><item>b</item></tags>", {"tags": ["1", "b"]}),
    ("<tags>1</tags><tags>b</tags>", {"tags": ["1", "b"]}),
    ("<tags>1</tags>", {"tags": ["1"]}),
    ('<tags>["1", "b"]</tags>', {"tags": ["1", "b"]}),
    ("<tags/>", {"tags": []}),
    ("<hours><item>1</item><item>2</item></hours>", {"hours": [1, 2]}),
    ("<hours>1</hours><hours>2</hours>", {"hours": [1, 2]}),
    ("<hours>[1, 2]</hours>", {"hours": [1, 2]}),
    ("<places><item><name>5</name></item><item><lat>1</lat></item></places>", {"places": [{"name": "5"}, {"lat": 1}]}),
    ("<places><name>5</name></places><places><name>6</name></places>", {"places": [{"name": "5"}, {"name": "6"}]}),
    ("<places><name>5</name></places>", {"places": [{"name": "5"}]}),
    ("<env><A>1</A><B>true</B></env>", {"env": {"A": "1", "B": "true"}}),
    ('<env>{"A": "1"}</env>', {"env": {"A": "1"}}),
    ("<html>a <b>c</b> &amp; d</html>", {"html": "a <b>c</b> &amp; d"}),
    ("<html><p>x</p></html>", {"html": "<p>x</p>"}),
    ("<any>5</any>", {"any": 5}),
    ("<any>02134</any>", {"any": "02134"}),
    ("<any><a>1</a></any>", {"any": {"a": 1}}),
    ("<unknown>3</unknown>", {"unknown": 3}),
    ("<city></city>", {"city": ""}),
    ("<city/>", {"city": ""}),
    ("\n  <city>Voss</city>\r\n\t<days>3</days>\n", {"city": "Voss", "days": 3}),
    ("<city>A & B</city><days>3</days>", {"city": "A & B", "days": 3}),
    ("<city>1 < 2 && 3</city>", {"city": "1 < 2 && 3"}),
    ("<city>a&nbsp;b &copy;</city>", {"city": "a&nbsp;b &copy;"}),
    ("<city>a &amp; b &lt;c&gt; &quot;&apos; &#65;&#x42;</city>", {"city": "a & b <c> \"' AB"}),
    ("<city><![CDATA[<b> & &amp;]]></city>", {"city": "<b> & &amp;"}),
    ("<city>a\r\nb</city>", {"city": "a\r\nb"}),
    ('{"city": "Voss", "days": 3}', {"city": "Voss", "days": 3}),
]


@pytest.mark.parametrize(("given", "meant"), TYPED, ids=range(len(TYPED)))
def test_elements_are_typed_by_the_schema(given: str, meant: dict[str, Any]) -> None:
    reads(xml("forecast", given), "forecast", meant, diagnostics=[], decision=[["forecast", meant]])


MISFITS: list[tuple[str, dict[str, Any], str]] = [
    ("<days>three</days>", {"days": "three"}, "days (integer)."),
    ("<days>3.5</days>", {"days": "3.5"}, "days (integer)."),
    ("<days/>", {"days": ""}, "days (integer)."),
    ("<height>NaN</height>", {"height": "NaN"}, "height (number)."),
    ("<height>1e999</height><city>x</city>", {"height": "1e999", "city": "x"}, "height (number)."),
    ("<wind>1</wind>", {"wind": "1"}, "wind (boolean)."),
    ("<hours>noon</hours>", {"hours": ["noon"]}, "hours (integer)."),
    ("<hours><item>1</item><item>x</item></hours>", {"hours": [1, "x"]}, "item (integer)."),
    ("<where><lat>north</lat></where>", {"where": {"lat": "north"}}, "lat (number)."),
    (
        "<days>a</days><wind>b</wind><height>c</height><count>d</count>",
        {"days": "a", "wind": "b", "height": "c", "count": "d"},
        "days (integer), wind (boolean), height (number) and 1 more.",
    ),
]


@pytest.mark.parametrize(("given", "meant", "told"), MISFITS, ids=range(len(MISFITS)))
def test_a_value_that_does_not_fit_stays_text_and_is_reported(given: str, meant: dict[str, Any], told: str) -> None:
    text = xml("forecast", given)
    reads(text, "forecast", meant, diagnostics=["types"], decision=[["forecast", meant]])
    (found,) = LECT.parse(text, tools=TOOLS).diagnostics
    assert found.message.endswith(told)
    assert text[slice(*found.span)] == text
    assert LECT.parse(text, tools=TOOLS, types="as_written").diagnostics == ()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("<a>x</a><n>2</n>", {"a": "x", "n": 2}),
        ("<n>2.5</n><t>true</t><z>null</z>", {"n": 2.5, "t": True, "z": None}),
        ("<n>02134</n>", {"n": "02134"}),
        ('<n>"5"</n>', {"n": "5"}),
        ("<l><item>1</item><item>x</item></l>", {"l": [1, "x"]}),
        ("<l>1</l><l>2</l>", {"l": [1, 2]}),
        ("<o><p><q>1</q></p></o>", {"o": {"p": {"q": 1}}}),
        ("<o>a<b>c</b></o>", {"o": "a<b>c</b>"}),
        ("<a>x</a> and text", "<a>x</a> and text"),
        ("<a>x</b>", "<a>x</b>"),
        ("<a>x", "<a>x"),
        ("see <a>x</a>", "see <a>x</a>"),
    ],
)
def test_without_a_schema_one_plain_rule(given: str, meant: Any) -> None:
    (call,) = LECT.parse(xml("f", given)).calls
    assert (call.arguments, call.status) == (meant, "complete")


def test_a_tool_of_one_text_takes_markup_as_text() -> None:
    reads(xml("search", "<b>Voss</b>"), "search", "<b>Voss</b>")
    reads(xml("search", "<query>Voss</query>"), "search", {"query": "Voss"})
    reads(xml("search", "<query>a</query><b>c</b>"), "search", "<query>a</query><b>c</b>")
    reads(xml("search", "02134"), "search", "02134")


def test_a_tool_of_one_number_or_nothing() -> None:
    reads(xml("square", "7"), "square", {"n": 7})
    reads(xml("square", "<n>7</n>"), "square", {"n": 7})
    reads("<tool>square</tool><tool_input>7", "square", {"n": 7})
    reads(xml("now", ""), "now", {})
    reads("<tool>now</tool>", "now", {})


def test_as_written_leaves_the_texts() -> None:
    (call,) = LECT.parse(xml("forecast", "<days>3</days><tags>a</tags>"), tools=TOOLS, types="as_written").calls
    assert call.arguments == {"days": "3", "tags": "a"}
    (call,) = LECT.parse(xml("square", "7"), tools=TOOLS, types="as_written").calls
    assert call.arguments == "7"


@pytest.mark.parametrize("given", ["Voss", "<city>Voss</city> and more", "<city>Voss", '<city a="b">Voss</city>'])
def test_an_input_that_fits_no_tool_says_what_to_write(given: str) -> None:
    (call,) = LECT.parse(xml("forecast", given), tools=TOOLS).calls
    assert (call.status, call.arguments) == ("invalid", None)
    assert "takes several arguments (city, zip, days" in (call.error or "")
    assert "Write each as an element of its own, as in <city>…</city><zip>…</zip>" in (call.error or "")
    reads(
        xml("forecast", given),
        "forecast",
        None,
        "invalid",
        diagnostics=["invalid_arguments"],
        decision="invalid_arguments",
    )


def test_a_missing_input_says_so() -> None:
    (call,) = LECT.parse("<tool>search</tool>", tools=TOOLS).calls
    assert call.error == (
        "The call of 'search' has no <tool_input>. "
        "Write <tool>name</tool><tool_input>input</tool_input>, or <final_answer>answer</final_answer>."
    )
    (call,) = LECT.parse(xml("square", "seven"), tools=TOOLS).calls
    assert "'n' of 'square' must be of type integer" in (call.error or "")


@pytest.mark.parametrize("name", ["`search`", "[search]", "Search", "Use search", "search tool"])
def test_names_are_resolved(name: str) -> None:
    reads(xml(name, "Voss"), "search", "Voss", diagnostics=["tool_name"], decision=[["search", "Voss"]])


def test_a_schema_that_refers_to_itself_or_nowhere_ends() -> None:
    loop = {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}, "b": {"$ref": "#/nowhere"}, "c": {}}}
    (call,) = LECT.parse(xml("f", "<a>1</a><b>2</b><c><item>3</item></c>"), tools=Toolbox([Tool("f", "", loop)])).calls
    assert call.arguments == {"a": 1, "b": 2, "c": [3]}
