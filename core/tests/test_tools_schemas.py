"""Schemas of tools in every form that JSON Schema has: the arguments that they name, and what is broken in them."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polylect import Tool, ToolError, as_tool, describe_tools, describe_tools_with_schemas, read_input, toolbox
from polylect.plugin import referred, schema_types

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
BOTH = {"type": "object", "properties": {"x": TEXT, "n": NUMBER}, "required": ["x"]}
POINT = {"type": "object", "properties": {"n": NUMBER}}


def made(parameters: Any) -> Tool:
    return as_tool({"name": "a", "parameters": parameters})


def refused(parameters: Any) -> str:
    with pytest.raises(ToolError) as caught:
        made(parameters)
    assert toolbox_error({"name": "a", "parameters": parameters}) == str(caught.value)
    return str(caught.value)


def toolbox_error(tool: Any) -> str:
    with pytest.raises(ToolError) as caught:
        toolbox([{"name": "good"}, tool])
    return str(caught.value)


def told(parameters: Any) -> str:
    return describe_tools(toolbox([made(parameters)]) or {})


# --- arguments --------------------------------------------------------------------------------------------------------

NAMED: list[tuple[str, dict[str, Any], str]] = [
    ("plain", BOTH, "a(x: string, n?: integer)"),
    ("reference", {"$ref": "#/$defs/M", "$defs": {"M": BOTH}}, "a(x: string, n?: integer)"),
    ("definitions", {"$ref": "#/definitions/M", "definitions": {"M": BOTH}}, "a(x: string, n?: integer)"),
    (
        "two references",
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/B"}, "B": BOTH}},
        "a(x: string, n?: integer)",
    ),
    ("anchor", {"$ref": "#m", "$defs": {"M": {"$anchor": "m", **BOTH}}}, "a(x: string, n?: integer)"),
    ("id", {"$ref": "m.json", "$defs": {"M": {"$id": "m.json", **BOTH}}}, "a(x: string, n?: integer)"),
    ("escapes", {"$ref": "#/$defs/a~1b~0c%20d", "$defs": {"a/b~c d": BOTH}}, "a(x: string, n?: integer)"),
    ("entry", {"$ref": "#/$defs/M/anyOf/0", "$defs": {"M": {"anyOf": [BOTH]}}}, "a(x: string, n?: integer)"),
    ("beside", {"$ref": "#/$defs/M", "required": ["n"], "$defs": {"M": BOTH}}, "a(x: string, n: integer)"),
    ("all", {"allOf": [{"properties": {"x": TEXT}}, POINT], "required": ["x"]}, "a(x: string, n?: integer)"),
    ("all, one", {"allOf": [{"$ref": "#/$defs/M"}], "$defs": {"M": BOTH}}, "a(x: string, n?: integer)"),
    ("all, again", {**BOTH, "allOf": [{"properties": {"n": {"minimum": 0}}}]}, "a(x: string, n?: integer)"),
    ("any", {"anyOf": [{"properties": {"x": TEXT}}, POINT]}, "a(x?: string, n?: integer)"),
    ("one", {"oneOf": [BOTH, {"properties": {"x": NUMBER}, "required": ["x"]}]}, "a(x: string | integer, n?: integer)"),
    ("any of it or null", {"anyOf": [BOTH, {"type": "null"}]}, "a(x: string, n?: integer)"),
    ("one of two needed", {**BOTH, "required": [], "anyOf": [{"required": ["x"]}, {"required": ["n"]}]},
     "a(x?: string, n?: integer)"),
    ("kinds", {"oneOf": [{"properties": {"k": {"const": k}}, "required": ["k"]} for k in "bc"]}, 'a(k: "b" | "c")'),
    ("then", {"properties": {"x": TEXT}, "if": {"required": ["x"]}, "then": POINT}, "a(x?: string, n?: integer)"),
    ("needed only", {"required": ["x"]}, "a(x: any)"),
    ("others of a kind", {"properties": {"x": TEXT}, "additionalProperties": NUMBER}, "a(x?: string, …)"),
    ("others", {"properties": {"x": TEXT}, "additionalProperties": True}, "a(x?: string)"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "line"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_the_arguments_are_found_wherever_they_are_named(schema: dict[str, Any], line: str) -> None:
    tool = made(schema)
    assert told(schema) == line
    assert not tool.takes_nothing
    assert set(tool.required) <= tool.properties.keys()
    if set(tool.properties) == {"x", "n"}:
        assert read_input("a", '{"x": "1", "n": 2}', tool) == ({"x": "1", "n": 2}, "complete", None)


UNKNOWN: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    {"title": "A", "description": "Anything."},
    {"type": "object", "additionalProperties": True},
    {"type": "object", "additionalProperties": {}},
    {"type": "object", "additionalProperties": NUMBER},
    {"type": "object", "properties": {}, "additionalProperties": NUMBER},
    {"patternProperties": {"^x": TEXT}},
    {"properties": {}, "patternProperties": {"^x": TEXT}, "additionalProperties": False},
    {"allOf": [{}]},
    {"anyOf": [{"properties": {}}, {}]},
    {"oneOf": [{"type": "object"}, {"type": "null"}]},
    {"$ref": "#/$defs/M", "$defs": {"M": {"type": "object"}}},
    {"$ref": "#/$defs/M", "$defs": {"M": True}},
    {"minProperties": 1},
    {"propertyNames": {"pattern": "^x"}},
]
NOTHING: list[dict[str, Any]] = [
    {"type": "object", "properties": {}},
    {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    {"type": "object", "properties": {}, "additionalProperties": True},
    {"properties": {}},
    {"type": "object", "additionalProperties": False},
    {"$ref": "#/$defs/M", "$defs": {"M": {"type": "object", "properties": {}}}},
    {"allOf": [{"properties": {}}]},
    {"anyOf": [{"properties": {}}, {"type": "null"}]},
]
WORDS = ["", "{}", "None", "null", "N/A", "no input", "()", "[]"]


@pytest.mark.parametrize("schema", UNKNOWN)
def test_a_schema_that_names_nothing_may_take_anything(schema: dict[str, Any]) -> None:
    tool = made(schema)
    assert (tool.takes_nothing, tool.takes_others, tool.takes_text) == (False, True, False)
    assert (tool.properties, tool.required) == ({}, ())
    assert told(schema) == "a(…)"
    assert describe_tools_with_schemas(toolbox([tool]) or {}) == "a\n    arguments: any"
    assert read_input("a", '```json\n{"x": "1", "n": 2}\n```', tool) == ({"x": "1", "n": 2}, "complete", None)
    for text in ("hello", '"', "{x", "[1, 2]", "7", "{x: 1}", "true"):
        assert read_input("a", text, tool) == (text, "complete", None)
    for text in WORDS:
        assert read_input("a", text, tool) == ({}, "complete", None)


@pytest.mark.parametrize("tool", [Tool("a"), as_tool({"name": "a"}), as_tool(lambda: 1), *map(made, NOTHING)])
def test_a_schema_without_arguments_takes_nothing_and_keeps_an_object(tool: Tool) -> None:
    assert (tool.takes_nothing, tool.takes_others, tool.takes_text) == (True, False, False)
    assert describe_tools({"a": tool}).split(" -")[0] == f"{tool.name}()"
    for text in ("hello", "7", *WORDS):
        assert read_input("a", text, tool) == ({}, "complete", None)
    assert read_input("a", '{"x": "1"}', tool) == ({"x": "1"}, "complete", None)


def test_an_object_with_keys_that_have_no_name_is_the_arguments_where_there_are_such() -> None:
    text = '{"other": 1}'
    closed, opened = ({"properties": {"q": TEXT}, **x} for x in ({}, {"patternProperties": {"^o": NUMBER}}))
    assert read_input("a", text, made(closed)) == (text, "complete", None)
    assert read_input("a", text, made(opened)) == ({"other": 1}, "complete", None)
    assert read_input("a", "hello", made(opened)) == ("hello", "complete", None)
    shown = describe_tools_with_schemas(toolbox([made(opened)]) or {})
    assert shown == 'a\n    arguments: {"q": {"type": "string"}} and others'


def test_the_type_of_the_only_argument_is_found_behind_its_reference() -> None:
    defs = {"Point": POINT, "Unit": {"enum": ["c", "f"]}, "Maybe": {"anyOf": [{"$ref": "#/$defs/Point"}, NUMBER]}}
    where, unit, maybe = (
        made({"properties": {"q": {"$ref": f"#/$defs/{name}"}}, "$defs": defs}) for name in ("Point", "Unit", "Maybe")
    )
    assert (where.takes_text, unit.takes_text, maybe.takes_text) == (False, True, False)
    assert read_input("a", '{"n": 1}', where)[0] == {"n": 1}
    assert read_input("a", "7", maybe) == ({"q": 7}, "complete", None)
    assert schema_types({"$ref": "#/$defs/Point"}, {"$defs": defs}) == {"object"}
    assert schema_types({"allOf": [{"$ref": "#/$defs/Maybe"}, NUMBER]}, {"$defs": defs}) == {"integer"}
    assert "string" in schema_types({"$ref": "#/$defs/Point"})


def test_a_schema_may_refer_to_itself_where_it_goes_deeper() -> None:
    node = {"type": "object", "properties": {"value": NUMBER, "next": {"$ref": "#/$defs/Node"}}}
    for root in ({"$ref": "#/$defs/Node", "$defs": {"Node": node}}, {"allOf": [node], "$defs": {"Node": node}}):
        assert list(made(root).properties) == ["value", "next"]
        assert told(root) == "a(value?: integer, next?: object)"
    whole = {"properties": {"value": NUMBER, "parts": {"type": "array", "items": {"$ref": "#"}}}}
    assert told(whole) == "a(value?: integer, parts?: array of any)"
    other = {"$defs": {"T": {"anyOf": [{"type": "null"}, {"items": {"$ref": "#/$defs/T"}}]}}}
    assert made({"properties": {"t": {"$ref": "#/$defs/T"}}, **other}).takes_text


def doubled(key: str, levels: int) -> dict[str, Any]:
    defs: dict[str, Any] = {f"D{n}": {key: [{"$ref": f"#/$defs/D{n + 1}"}] * 9} for n in range(levels)}
    return {"$ref": "#/$defs/D0", "$defs": {**defs, f"D{levels}": BOTH}}


@pytest.mark.parametrize("key", ["allOf", "anyOf", "oneOf"])
def test_alternatives_of_alternatives_take_no_time(key: str) -> None:
    assert list(made(doubled(key, 15)).properties) == ["x", "n"]
    deep: Any = BOTH
    for _ in range(5_000):
        deep = {key: [deep]}
    assert made(deep).takes_others


# --- what is broken ---------------------------------------------------------------------------------------------------

SELF = "only leads back to itself - at"
BROKEN: list[tuple[str, dict[str, Any], str]] = [
    ("nowhere", {"$ref": "#/$defs/M"}, "the reference '#/$defs/M' leads nowhere - at $."),
    ("in an argument", {"properties": {"x": {"$ref": "#/nope"}}}, "'#/nope' leads nowhere - at $.properties.x."),
    ("in a list", {"anyOf": [BOTH, {"$ref": "#/nope"}]}, "'#/nope' leads nowhere - at $.anyOf[1]."),
    ("behind a reference", {"$ref": "#/m", "m": {"items": {"$ref": "#/nope"}}}, "leads nowhere - at $.$ref.items."),
    ("in what is not used", {"$defs": {"M": {"$ref": "#/$defs/N"}}}, "'#/$defs/N' leads nowhere - at $.$defs.M."),
    ("no anchor", {"properties": {"x": {"$ref": "#m"}}}, "the reference '#m' leads nowhere - at $.properties.x."),
    ("to no schema", {"title": "A", "$ref": "#/title"}, "the reference '#/title' leads nowhere - at $."),
    ("no such entry", {"anyOf": [{}], "$ref": "#/anyOf/1"}, "the reference '#/anyOf/1' leads nowhere - at $."),
    ("no text", {"$ref": 5}, "the reference 5 leads nowhere - at $."),
    ("remote", {"$ref": "http://example.com/x"}, "the reference 'http://example.com/x' leads out of it, and nothing is "
     "fetched: put that schema into $defs - at $."),
    ("a file", {"properties": {"x": {"$ref": "x.json#/a"}}}, "put that schema into $defs - at $.properties.x."),
    ("itself", {"properties": {"x": {"$ref": "#/properties/x"}}}, f"'#/properties/x' {SELF} $.properties.x."),
    ("root", {"$ref": "#"}, f"the reference '#' {SELF} $."),
    ("each other", {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}, f"{SELF} $.$defs."),
    ("all of itself", {"$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}}, f"{SELF} $.$defs.A.allOf[0]."),
    ("itself or null", {"$defs": {"A": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/A"}]}}}, f"{SELF} $.$defs.A"),
    ("pattern", {"properties": {"x": {"pattern": "("}}}, "'(' is not a 'regex' - at $.properties.x.pattern."),
    ("pattern of names", {"patternProperties": {"[": {}}}, "'[' is not a 'regex' - at $.pattern."),
    ("pattern in a list", {"properties": {"x": {"items": [{"pattern": 5}]}}},
     "5 is not a 'regex' - at $.properties.x.items[0].pattern."),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "problem"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_a_broken_schema_is_told_when_the_tool_is_made(schema: dict[str, Any], problem: str) -> None:
    error = refused(schema)
    assert error.startswith("The schema of tool 'a' is broken: ")
    assert problem.rstrip(".") in error
    assert error.endswith(".")
    assert len(error) < 1_000


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/M", "$defs": {"M": TEXT}},
        {"$ref": "#/$defs/M", "$defs": {"M": False}},
        {"allOf": [BOTH, TEXT]},
        {"anyOf": [TEXT, {"type": "null"}]},
    ],
)
def test_parameters_are_an_object_behind_their_references_too(schema: dict[str, Any]) -> None:
    assert refused(schema) == "The parameters of tool 'a' must be a JSON Schema of type object."


def test_a_schema_that_holds_itself_is_told() -> None:
    schema: dict[str, Any] = {}
    schema["allOf"] = [schema]
    assert "broken: a part leads back to itself - at $" in refused(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"$ref": TEXT, "pattern": TEXT}},
        {"properties": {"x": {"default": {"$ref": "#/nope", "pattern": "("}}}},
        {"properties": {"x": {"enum": [{"$ref": "#/nope"}], "const": {"pattern": "("}}}},
        {"properties": {"x": {"examples": [{"$ref": "http://example.com"}]}}},
        {"dependencies": {"x": ["n"]}, "properties": {"x": TEXT, "n": NUMBER}},
        {"x-note": {"$ref": "#/nope"}, **BOTH},
    ],
)
def test_what_is_no_schema_is_not_read_as_one(schema: dict[str, Any]) -> None:
    assert made(schema).parameters is schema


def test_a_broken_schema_stays_broken_and_a_mended_one_is_taken() -> None:
    schema: dict[str, Any] = {"properties": {"x": {"$ref": "#/$defs/M"}}}
    for _ in range(3):
        refused(schema)
    schema["$defs"] = {"M": TEXT}
    assert made(schema).takes_text


def test_references_lead_to_schemas_only() -> None:
    root = {"$defs": {"M": BOTH, "Yes": True}, "title": "A"}
    assert referred("#/$defs/M", root) is BOTH
    assert referred("#", root) is root
    assert referred("#/$defs/Yes", root) is True
    for reference in ("#/title", "#/$defs/M/required/0", "#/$defs/N", "#/", "#x", "http://example.com", "x#/$defs/M"):
        assert referred(reference, root) is None


def schemas() -> st.SearchStrategy[Any]:
    """Schemas with references of every kind, most of them wrong."""
    references = st.sampled_from(["#", "#/$defs/A", "#/$defs/B", "#/properties/x", "#a", "#/nope", "x.json", ""])
    leaf = st.one_of(
        st.sampled_from([{}, True, False, TEXT, NUMBER, BOTH, {"pattern": "("}, {"$anchor": "a"}, {"$id": "x.json"}]),
        st.builds(lambda x: {"$ref": x}, references),
    )

    def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        lists = st.lists(inner, min_size=1, max_size=3)
        names = st.dictionaries(st.sampled_from(["x", "n", "A", "B"]), inner, max_size=3)
        keys = dict.fromkeys(("properties", "patternProperties", "$defs"), names)
        more = dict.fromkeys(("items", "additionalProperties", "not", "if", "then", "else"), inner)
        many = dict.fromkeys(("allOf", "anyOf", "oneOf"), lists)
        return st.fixed_dictionaries({}, optional={**keys, **more, **many, "$ref": references, "type": KINDS})

    return st.recursive(leaf, wider, max_leaves=8)


KINDS = st.sampled_from(["object", "string", ["object", "null"]])


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@example(root={"properties": {"x": {"$ref": ""}}}, one={}, other={}, text="hello")
@given(schemas(), schemas(), schemas(), st.sampled_from(["hello", '{"x": "1"}', "", "[]", "7", "{"]))
def test_any_schema_is_taken_or_told_and_no_input_is_lost(root: Any, one: Any, other: Any, text: str) -> None:
    if not isinstance(root, dict) or not isinstance(root.get("properties", {}), dict):
        return
    schema = {**root, "$defs": {"A": one, "B": other}}
    try:
        tool = made(schema)
    except ToolError:
        assert refused(schema).startswith(("The schema of tool 'a' is broken: ", "The parameters of tool 'a' must be"))
        return
    assert set(tool.required) <= tool.properties.keys()
    assert not (tool.takes_nothing and tool.takes_others)
    assert bool(tool.properties) or tool.takes_nothing or tool.takes_others
    assert "$ref" not in describe_tools_with_schemas({"a": tool})
    arguments, status, error = read_input("a", text, tool)
    if status == "complete":
        nothing = text in ("", "[]") or tool.takes_nothing
        assert arguments or nothing
    else:
        assert error


def test_looking_through_schemas_loads_no_library() -> None:
    code = (
        "import sys, polylect\n"
        "polylect.toolbox([{'name': 'f', 'parameters': {'$ref': '#/$defs/M', '$defs': {'M': {'pattern': 'x'}}}}])\n"
        "assert not {'jsonschema', 'referencing', 'urllib.request'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("pattern", [r"^\p{L}+$", r"(?<year>\d{4})-\k<year>", r"\u{1F600}", "^[a-z]+$"])
def test_expressions_of_ecmascript_are_patterns(pattern: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "pattern": pattern}}}
    assert as_tool({"name": "f", "parameters": schema}).properties.keys() == {"a"}
