"""Arguments against the tool's JSON Schema: every fault with its path, in a sentence that a model can act on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import polylect
from polylect import Tool, ToolError
from polylect.testing import Case, run_case

LECT = polylect.lect("json_blob")


def tool(name: str, required: int = 1, **properties: Any) -> Tool:
    defs, closed = properties.pop("defs", {}), properties.pop("closed", False)
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": list(properties)[:required]}
    return Tool(name, "", {**schema, "$defs": defs, "additionalProperties": not closed})


TOOLS = [
    tool("search", query={"type": "string"}),
    tool("square", n={"type": "integer"}),
    tool(
        "forecast",
        city={"type": "string", "minLength": 2},
        days={"type": "integer", "minimum": 1, "maximum": 9},
        unit={"$ref": "#/$defs/Unit"},
        where={"anyOf": [{"$ref": "#/$defs/Point"}, {"type": "null"}]},
        tags={"type": "array", "items": {"type": "string"}},
        closed=True,
        defs={
            "Unit": {"enum": ["c", "f"]},
            "Point": {"type": "object", "properties": {"lat": {"type": "number"}}, "required": ["lat"]},
        },
    ),
    tool("options", 0, deep={"type": "boolean"}, path={"type": "string"}),
    tool("now"),
]


FULL = {"city": "Voss", "days": 3, "unit": "c", "where": {"lat": 60.6}, "tags": ["a"]}


def blob(name: str, given: Any) -> str:
    return json.dumps({"action": name, "action_input": given})


def reads(text: str, name: str, arguments: Any, status: str = "complete", **more: Any) -> None:
    said = {"calls": [{"name": name, "arguments": arguments, "status": status}], **more}
    run_case(Case(0, text, (text, json.dumps(said))), LECT, tools=TOOLS)


def fault_of(name: str, given: Any) -> str:
    (call,) = LECT.parse(blob(name, given), tools=TOOLS).calls
    assert (call.status, call.runnable) == ("invalid", False)
    return call.error or ""


@pytest.mark.parametrize(
    ("name", "given", "meant"),
    [
        ("forecast", {"city": "Voss"}, {"city": "Voss"}),
        ("forecast", FULL, FULL),
        ("forecast", {"city": "Voss", "where": None}, {"city": "Voss", "where": None}),
        ("forecast", "Voss", {"city": "Voss"}),
        ("search", "Voss", "Voss"),
        ("search", {"query": "Voss"}, {"query": "Voss"}),
        ("options", None, {}),
        ("options", {}, {}),
        ("now", None, {}),
        ("now", "", {}),
    ],
)
def test_arguments_that_fit(name: str, given: Any, meant: Any) -> None:
    reads(blob(name, given), name, meant, diagnostics=[], decision=[[name, meant]])


def test_a_text_for_a_tool_without_arguments_is_passed_over_and_reported() -> None:
    reads(blob("now", "anything"), "now", {}, diagnostics=["skipped"], decision=[["now", {}]])


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("forecast", {}, "'city' is a required property - at $"),
        ("forecast", None, "'city' is a required property - at $"),
        ("forecast", {"city": "Voss", "days": "3"}, "'3' is not of type 'integer' - at $.days"),
        ("forecast", {"city": "Voss", "days": 0}, "0 is less than the minimum of 1 - at $.days"),
        ("forecast", {"city": "V"}, "'V' is too short - at $.city"),
        ("forecast", {"city": "Voss", "unit": "k"}, "'k' is not one of ['c', 'f'] - at $.unit"),
        ("forecast", {"city": "Voss", "tags": ["a", 1]}, "1 is not of type 'string' - at $.tags[1]"),
        ("forecast", {"city": "Voss", "wind": 1}, "('wind' was unexpected) - at $"),
        ("forecast", {"city": "Voss", "where": {"lat": "x"}}, "- at $.where"),
        ("search", {"query": 5}, "5 is not of type 'string' - at $.query"),
        ("search", {"q": "Voss"}, "'query' is a required property - at $"),
        ("square", "seven", "'seven' is not of type 'integer' - at $.n"),
        ("options", "/tmp", "takes an object with deep, path, not a text"),
    ],
)
def test_a_fault_is_told_with_its_path(name: str, given: Any, told: str) -> None:
    error = fault_of(name, given)
    assert told in error
    assert error.endswith(("send the call again.", "Send the call again."))
    (call,) = LECT.parse(blob(name, given), tools=TOOLS).calls
    reads(
        blob(name, given),
        name,
        call.arguments,
        "invalid",
        diagnostics=["invalid_arguments"],
        decision="invalid_arguments",
    )


def test_three_faults_are_told_and_the_rest_counted() -> None:
    error = fault_of("forecast", {"days": 0, "unit": "k", "tags": [1, 2], "wind": 1})
    assert error.count(" - at $") == 3
    assert "; and 3 more" in error


def test_a_long_value_is_not_repeated_whole() -> None:
    assert len(fault_of("square", {"n": "x" * 10_000})) < 400


def test_the_correction_reaches_the_model() -> None:
    with pytest.raises(polylect.ParseError) as caught:
        LECT.decide(LECT.parse(blob("forecast", {"city": "Voss", "days": "3"}), tools=TOOLS))
    assert caught.value.reason == "invalid_arguments"
    assert "at $.days" in caught.value.correction


def test_a_good_call_runs_beside_a_bad_one() -> None:
    text = f"[{blob('search', {})}, {blob('search', 'Voss')}]"
    decision = LECT.decide(LECT.parse(text, tools=TOOLS))
    assert isinstance(decision, list)
    assert [(x.tool, x.index) for x in decision] == [(polylect.EXCEPTION_TOOL, 0), ("search", 1)]
    assert "'query' is a required property" in str(decision[0].tool_input)


def test_complaint_35_an_object_that_was_encoded_twice_is_the_object() -> None:
    inner = json.dumps({"city": "Voss", "days": 3})
    reads(blob("forecast", inner), "forecast", {"city": "Voss", "days": 3})
    reads(blob("search", json.dumps({"query": "Voss"})), "search", {"query": "Voss"})
    reads(blob("search", json.dumps({"other": "Voss"})), "search", '{"other": "Voss"}')  # no argument of the tool
    reads(blob("search", "{not JSON}"), "search", "{not JSON}")
    assert "at $.city" in fault_of("forecast", json.dumps({"city": 5}))


def test_unknown_tools_by_policy() -> None:
    reads(blob("nope", {"x": 1}), "nope", {"x": 1}, decision=[["nope", {"x": 1}]])
    (rejected,) = LECT.parse(blob("serch", "Voss"), tools=TOOLS, unknown_tool="reject").calls
    assert rejected.error == "There is no tool 'serch'. The tools are: search, square, forecast, options, now."
    nearest = LECT.parse(blob("serch", "Voss"), tools=TOOLS, unknown_tool="nearest")
    assert [(call.name, call.status) for call in nearest.calls] == [("search", "complete")]
    assert [x.code for x in nearest.diagnostics] == ["tool_name"]


def test_a_name_in_another_case_is_the_tool() -> None:
    reads(blob("Search", "Voss"), "search", "Voss", diagnostics=["tool_name"])


def test_a_tool_without_a_needed_input_says_so() -> None:
    (call,) = LECT.parse('{"action": "forecast"}', tools=TOOLS).calls
    assert (call.error or "").startswith("The blob of 'forecast' has no action_input. Write one JSON object")
    reads('{"action": "options"}', "options", {})


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "no such type"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"minimum": "x"}}},
        {"type": "object", "properties": {"a": 5}},
        {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"type": "object", "properties": {"a": {"$ref": "https://localhost:1/schema.json"}}},
    ],
)
def test_a_broken_schema_is_the_callers_error(schema: dict[str, Any]) -> None:
    with pytest.raises(ToolError, match="'broken'"):
        LECT.parse(blob("broken", {"a": 1}), tools=[Tool("broken", "", schema)])


def test_a_pattern_that_is_none_is_the_callers_error() -> None:
    tools = [Tool("broken", "", {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}})]
    with pytest.raises(ToolError, match=r"is not a 'regex' - at \$\.properties\.a\.pattern"):
        LECT.parse(blob("broken", {"a": "x"}), tools=tools)


def test_a_schema_that_refers_to_itself() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}, "n": {"type": "integer"}}}
    schema = {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    tools = [Tool("walk", "", schema)]
    (good,) = LECT.parse(blob("walk", {"root": {"next": {"next": {"n": 1}}}}), tools=tools).calls
    (bad,) = LECT.parse(blob("walk", {"root": {"next": {"next": {"n": "1"}}}}), tools=tools).calls
    assert (good.status, bad.status) == ("complete", "invalid")
    assert "at $.root.next.next.n" in (bad.error or "")


def test_jsonschema_loads_only_when_a_call_is_checked() -> None:
    code = (
        "import sys, polylect\n"
        "lect = polylect.lect('json_blob')\n"
        'lect.parse(\'{"action": "f", "action_input": {"a": 1}}\')\n'
        "assert 'jsonschema' not in sys.modules and 'json_repair' not in sys.modules\n"
        'lect.parse(\'{"action": "f", "action_input": {"a": 1}}\', tools=[{\'name\': \'f\'}])\n'
        "assert 'jsonschema' in sys.modules and 'json_repair' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
