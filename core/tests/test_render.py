"""Tools as text for a prompt."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polylect import Tool, Toolbox, describe_tools, describe_tools_with_schemas, toolbox
from polylect.plugin import inline

PLACE = {"type": "object", "title": "Place", "properties": {"name": {"type": "string", "title": "Name"}}}
TREE = {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}, "value": {"type": "integer"}}}


def box(*tools: Any) -> Toolbox:
    found = toolbox(tools)
    assert found is not None
    return found


def one(properties: dict[str, Any], *required: str, defs: dict[str, Any] | None = None) -> Toolbox:
    """A box that was not looked through: it may hold what is refused elsewhere."""
    schema = {"type": "object", "properties": properties, "required": list(required), "$defs": defs or {}}
    return Toolbox([Tool("a", parameters=schema)])


def schema_line(tools: Toolbox) -> Any:
    """The JSON Schema that the second line of a description shows."""
    _, line = describe_tools_with_schemas(tools).split("\n")
    head, _, shown = line.partition(": ")
    assert head == "    arguments"
    return json.loads(shown)


def test_no_tools_are_no_text() -> None:
    assert describe_tools({}) == ""
    assert describe_tools_with_schemas({}) == ""


def test_one_line_a_tool() -> None:
    tools = box(
        {"name": "now"}, {"name": "search", "description": "Look it up.", "parameters": {"properties": {"q": {}}}}
    )
    assert describe_tools(tools) == "now()\nsearch(q?: any) - Look it up."


def test_further_lines_of_a_description_are_indented() -> None:
    tools = box({"name": "a", "description": "\n One.\nTwo.\n"}, {"name": "b"})
    assert describe_tools(tools) == "a() - One.\n    Two.\nb()"
    assert describe_tools_with_schemas(tools) == "a - One.\n    Two.\n    arguments: {}\nb\n    arguments: {}"


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, "string | null"),
        ({"enum": ["c", "f", 1, None]}, '"c" | "f" | 1 | null'),
        ({"type": "string", "enum": ["Ås"]}, '"Ås"'),
        ({"const": "c"}, '"c"'),
        ({"type": "array"}, "array"),
        ({"type": "array", "items": {"type": "string"}}, "array of string"),
        ({"type": "array", "items": {"type": "array", "items": {"enum": [1, 2]}}}, "array of array of 1 | 2"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer | null"),
        ({"oneOf": [{"type": "integer"}, {"type": "integer", "minimum": 5}]}, "integer"),
        ({"$ref": "#/$defs/Place"}, "object"),
        ({"$ref": "#/$defs/Nowhere"}, "any"),
        ({}, "any"),
        (True, "any"),
    ],
)
def test_types_in_a_few_words(schema: Any, words: str) -> None:
    assert describe_tools(one({"x": schema}, "x", defs={"Place": PLACE})) == f"a(x: {words})"


def test_optional_arguments_show_their_default_or_a_question_mark() -> None:
    tools = one(
        {
            "city": {"type": "string"},
            "days": {"type": "integer", "default": 3},
            "unit": {"enum": ["c", "f"], "default": "c"},
            "near": {"type": "string"},
            "when": {"type": "string", "default": None},
        },
        "city",
    )
    assert describe_tools(tools) == (
        'a(city: string, days: integer = 3, unit: "c" | "f" = "c", near?: string, when?: string)'
    )


def test_schemas_are_shown_without_titles_and_with_their_references_in_place() -> None:
    tools = one({"to": {"$ref": "#/$defs/Place"}, "n": {"type": "integer", "title": "N"}}, defs={"Place": PLACE})
    assert schema_line(tools) == {
        "to": {"type": "object", "properties": {"name": {"type": "string"}}},
        "n": {"type": "integer"},
    }


@pytest.mark.parametrize("name", ["title", "default", "examples", "enum", "const", "$defs"])
def test_an_argument_may_be_called_like_a_word_of_json_schema(name: str) -> None:
    tools = one({name: {"$ref": "#/$defs/Place"}}, defs={"Place": PLACE})
    assert describe_tools(tools) == f"a({name}?: object)"
    assert schema_line(tools) == {name: {"type": "object", "properties": {"name": {"type": "string"}}}}


def test_values_in_a_schema_stay_as_they_are() -> None:
    schema = {"default": {"title": "x", "$ref": "#/$defs/Place"}, "enum": [{"title": "y"}], "const": {"title": "z"}}
    assert inline(schema, {"$defs": {"Place": PLACE}}) == schema


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#/$defs/Place", {"type": "object", "properties": {"name": {"type": "string"}}}),
        ("#/$defs/a~1b~0c", {"type": "integer"}),
        ("#/$defs/Place/properties/name", {"type": "string"}),
        ("#/$defs/Nowhere", {}),
        ("#/$defs/Place/title", {}),
        ("https://example.org/place.json", {"$ref": "https://example.org/place.json"}),
    ],
)
def test_references_are_followed_inside_of_the_schema_only(reference: str, found: Any) -> None:
    root = {"$defs": {"Place": PLACE, "a/b~c": {"type": "integer", "title": "Odd"}}}
    assert inline({"$ref": reference}, root) == found


def test_what_is_said_beside_a_reference_is_kept() -> None:
    root = {"$defs": {"Place": {**PLACE, "description": "A place."}}}
    found = inline({"$ref": "#/$defs/Place", "description": "Where to go."}, root)
    assert found["type"] == "object"
    assert found["description"] == "Where to go."


@pytest.mark.parametrize(
    "defs",
    [
        {"Tree": TREE},
        {"Tree": {"$ref": "#/$defs/Tree"}},
        {"Tree": {"$ref": "#/$defs/Bush"}, "Bush": {"$ref": "#/$defs/Tree"}},
        {"Tree": {"anyOf": [{"$ref": "#/$defs/Tree"}] * 20}},
        {"Tree": {"type": "array", "items": {"$ref": "#"}}},
    ],
    ids=["tree", "itself", "each other", "many", "root"],
)
def test_a_schema_that_refers_to_itself_ends(defs: dict[str, Any]) -> None:
    tools = one({"tree": {"$ref": "#/$defs/Tree"}}, defs=defs)
    assert len(describe_tools(tools)) < 100_000
    shown = describe_tools_with_schemas(tools)
    assert len(shown) < 1_000_000
    assert "$ref" not in shown


def test_the_callers_schema_is_not_changed() -> None:
    parameters = {
        "type": "object",
        "title": "T",
        "properties": {"to": {"$ref": "#/$defs/Place"}},
        "$defs": {"Place": PLACE},
    }
    before = json.dumps(parameters)
    tools = box(Tool("a", "", parameters))
    describe_tools(tools)
    describe_tools_with_schemas(tools)
    assert json.dumps(parameters) == before
