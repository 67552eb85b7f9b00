"""Tools as APIs are told of them: nothing dangling, nothing that they reject, and strict only where nothing is lost."""

from __future__ import annotations

import datetime
import enum
import functools
import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Optional

import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from polylect import Tool, ToolError, anthropic_tools, as_tool, openai_tools, toolbox
from polylect._schemas import parts_of
from polylect.agent._settling import Settler


class Unit(enum.Enum):
    C = "c"
    F = "f"


class Place(pydantic.BaseModel):
    """A place."""

    lat: float
    name: str = "here"
    unit: Unit | None = None


class Node(pydantic.BaseModel):
    value: int
    next: Optional[Node] = None  # noqa: UP045
    place: Place | None = None


def forecast(where: Place, days: Annotated[int, pydantic.Field(ge=1)] = 3, unit: Literal["c", "f"] = "c") -> str:
    """Forecast the weather."""
    return f"{where} {days} {unit}"


def walk(root: Node, start: datetime.date | None = None) -> None: ...


PLACE = {
    "type": "object",
    "description": "A place.",
    "properties": {
        "lat": {"type": "number"},
        "name": {"type": "string", "default": "here"},
        "unit": {"anyOf": [{"type": "string", "enum": ["c", "f"]}, {"type": "null"}], "default": None},
    },
    "required": ["lat"],
}


def told(tool: Any, **options: Any) -> Any:
    (found,) = openai_tools([tool], **options)
    return found["function"]["parameters"]


def refused(tool: Any) -> str:
    with pytest.raises(ToolError) as caught:
        openai_tools([tool], strict=True)
    return str(caught.value)


def one(schema: Any, **root: Any) -> Tool:
    return as_tool({"name": "f", "parameters": {"type": "object", "properties": {"x": schema}, **root}})


def test_references_are_put_in_place() -> None:
    wanted = {
        "type": "object",
        "properties": {
            "where": PLACE,
            "days": {"type": "integer", "minimum": 1, "default": 3},
            "unit": {"type": "string", "enum": ["c", "f"], "default": "c"},
        },
        "required": ["where"],
    }
    function = {"name": "forecast", "description": "Forecast the weather.", "parameters": wanted}
    assert openai_tools([forecast]) == [{"type": "function", "function": function}]
    assert anthropic_tools([forecast]) == [
        {"name": "forecast", "description": "Forecast the weather.", "input_schema": wanted}
    ]
    assert openai_tools(None) == anthropic_tools([]) == []
    assert openai_tools(toolbox([forecast])) == openai_tools([forecast])


def test_references_that_go_in_circles_are_kept() -> None:
    schema = told(walk)
    assert schema["properties"]["root"] == {"$ref": "#/$defs/Node"}
    node = schema["$defs"]["Node"]
    assert node["properties"]["next"] == {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}], "default": None}
    assert node["properties"]["place"]["anyOf"][0] == PLACE
    assert list(schema["$defs"]) == ["Node"]


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "object", "properties": {"parts": {"type": "array", "items": {"$ref": "#"}}}},
        {"$ref": "#/$defs/N", "$defs": {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}}},
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"items": {"$ref": "#/properties/a"}}}},
        {"properties": {"a": {"$ref": "#here"}}, "$defs": {"a/b ~": {"$anchor": "here", "items": {"$ref": "#here"}}}},
        {"properties": {"a": {"$ref": "#/$defs/x~1y"}}, "$defs": {"x/y": {"items": {"$ref": "#/$defs/x~1y"}}}},
    ],
)
def test_every_circle_stays_resolvable(parameters: dict[str, Any]) -> None:
    schema = told({"name": "f", "parameters": parameters})
    assert schema["type"] == "object"
    assert "$ref" in json.dumps(schema)
    again = as_tool({"name": "f", "parameters": schema})  # no reference leads nowhere
    assert told(again).keys() == schema.keys()
    tool = as_tool({"name": "f", "parameters": parameters})
    values: list[Any] = [{}, {"parts": [{"parts": []}]}, {"parts": [{"parts": 5}]}, {"a": [[[]]], "b": [[]]}]
    for value in [*values, {"next": {"next": 5}}]:
        wanted = Draft202012Validator(tool.parameters).is_valid(value)
        assert Draft202012Validator(schema).is_valid(value) is wanted


def test_what_stands_beside_a_reference_is_kept() -> None:
    defs = {"$defs": {"P": {"type": "string", "minLength": 2, "description": "far"}}}
    beside = told(one({"$ref": "#/$defs/P", "description": "near", "maxLength": 5}, **defs))["properties"]["x"]
    assert beside == {"type": "string", "minLength": 2, "description": "near", "maxLength": 5}
    both = told(one({"$ref": "#/$defs/P", "minLength": 1}, **defs))["properties"]["x"]
    assert both == {"allOf": [{"type": "string", "minLength": 2, "description": "far"}, {"minLength": 1}]}


@pytest.mark.parametrize(
    "parameters",
    [
        {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "properties": {"a": {}, "b": {"type": "string"}}},
        {"oneOf": [{"type": "object", "properties": {"a": {}, "b": {"type": "string"}}}, {"type": "null"}]},
        {"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {"type": "string"}}}]},
        {"properties": {"a": {}, "b": {"type": "string"}}, "if": {"required": ["a"]}, "then": {"required": ["b"]}},
        {"properties": {"a": {}, "b": {"type": "string"}}, "not": {"required": ["a", "b"]}},
        {"$ref": "#/$defs/M", "$defs": {"M": {"properties": {"a": {}, "b": {"type": "string"}}}}},
    ],
)
def test_what_no_api_takes_at_the_top_is_not_told(parameters: dict[str, Any]) -> None:
    schema = told({"name": "f", "parameters": parameters})
    assert schema == {"type": "object", "properties": {"a": {}, "b": {"type": "string"}}}


@pytest.mark.parametrize("key", ["title", "default", "enum", "$defs", "discriminator", "$ref"])
def test_an_argument_may_be_called_like_a_word_of_json_schema(key: str) -> None:
    schema = {"type": "object", "properties": {key: {"type": "string", "title": "T"}}, "title": "U"}
    wanted = {"type": "object", "properties": {key: {"type": "string"}}}
    assert told({"name": "f", "parameters": schema}) == wanted


def test_values_stay_as_they_are() -> None:
    schema = {"default": {"title": "x"}, "enum": [{"title": "y", "$ref": "#/nope"}], "const": {"$defs": 1}}
    assert told(one(schema))["properties"]["x"] == schema


def test_names_are_those_that_an_api_takes() -> None:
    tools = [{"name": "Python REPL"}, {"name": "Python_REPL"}]
    assert [x["function"]["name"] for x in openai_tools(tools)] == ["Python_REPL_2", "Python_REPL"]
    assert [x["name"] for x in anthropic_tools(tools)] == ["Python_REPL_2", "Python_REPL"]


# --- strict -----------------------------------------------------------------------------------------------------------


def test_strict_closes_and_requires_at_every_level() -> None:
    (tool,) = openai_tools([forecast], strict=True)
    assert tool["function"]["strict"] is True
    assert tool["function"]["parameters"] == {
        "type": "object",
        "properties": {
            "where": {
                "description": "A place.",
                "type": "object",
                "properties": {
                    "lat": {"type": "number"},
                    "name": {"description": '(default: "here")', "type": ["string", "null"]},
                    "unit": {"anyOf": [{"type": "string", "enum": ["c", "f"]}, {"type": "null"}]},
                },
                "required": ["lat", "name", "unit"],
                "additionalProperties": False,
            },
            "days": {"description": "(default: 3)", "type": ["integer", "null"], "minimum": 1},
            "unit": {
                "description": '(default: "c")',
                "anyOf": [{"type": "string", "enum": ["c", "f"]}, {"type": "null"}],
            },
        },
        "required": ["where", "days", "unit"],
        "additionalProperties": False,
    }
    assert told(Tool("now"), strict=True) == {
        "type": "object", "properties": {}, "required": [], "additionalProperties": False,
    }  # fmt: skip


REFUSED: list[tuple[Any, str]] = [
    ({"type": "object", "additionalProperties": True}, "members without a name - at $.properties.x."),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "members without a name - at $.properties.x."),
    ({"type": "object"}, "any members - at $.properties.x."),
    ({"type": ["object", "null"]}, "any members - at $.properties.x."),
    ({}, "anything may stand here - at $.properties.x."),
    (True, "anything may stand here - at $.properties.x."),
    ({"description": "Anything."}, "anything may stand here - at $.properties.x."),
    ({"minimum": 1}, "it has no type - at $.properties.x."),
    ({"type": "array"}, "the entries of this list may be anything - at $.properties.x."),
    ({"type": "array", "items": {}}, "anything may stand here - at $.properties.x.items."),
    ({"type": "array", "items": {"type": "object"}}, "any members - at $.properties.x.items."),
    ({"anyOf": [{"type": "string"}, {"type": "object"}]}, "any members - at $.properties.x.anyOf[1]."),
    ({"type": "object", "properties": {"y": {}}}, "anything may stand here - at $.properties.x.properties.y."),
    ({"type": "object", "properties": {}, "required": ["z"]}, "the member 'z' may be anything - at $.properties.x."),
    ({"allOf": [{"type": "string"}, {"minLength": 1}]}, "'allOf' is not among its keywords - at $.properties.x."),
    ({"type": "string", "minLength": 1}, "'minLength' is not among its keywords - at $.properties.x."),
    ({"$ref": "#/$defs/T"}, "any members - at $.$defs.T.properties.y."),
]


@pytest.mark.parametrize(("schema", "told"), REFUSED)
def test_what_strict_mode_cannot_say_is_refused_with_its_place(schema: Any, told: str) -> None:
    tree = {"type": "object", "properties": {"y": {"type": "object"}, "t": {"$ref": "#/$defs/T"}}}
    error = refused(one(schema, **{"$defs": {"T": tree}}))
    assert error.startswith("Strict mode has no words for the schema of tool 'f': ")
    assert error.endswith(told)


def test_a_function_of_a_dict_is_refused_in_strict_mode() -> None:
    def f(options: dict[str, Any]) -> None: ...

    assert refused(f).endswith("this object may have members without a name - at $.properties.options.")
    assert told(f)["properties"]["options"] == {"type": "object", "additionalProperties": True}


def test_strict_mode_ends_what_goes_in_circles() -> None:
    schema = told({"name": "f", "parameters": {
        "properties": {"value": {"type": "integer"}, "next": {"$ref": "#"}}, "required": ["value"],
    }}, strict=True)  # fmt: skip
    assert Draft202012Validator(schema).is_valid({"value": 1, "next": {"value": 2, "next": None}})


SCALARS = st.sampled_from([{"type": "string"}, {"type": "integer", "minimum": 1}, {"enum": ["a", None]}, {"const": 1},
                           {"type": ["string", "null"]}, {"$ref": "#/$defs/P"}, {"$ref": "#"}, {}, True])  # fmt: skip


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    members = st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    required = st.lists(st.sampled_from("ab"), unique=True, max_size=2)
    return st.one_of(
        st.builds(lambda x: {"type": "array", "items": x}, inner),
        st.builds(lambda x: {"anyOf": x}, st.lists(inner, min_size=1, max_size=2)),
        st.builds(
            lambda p, r: {"type": "object", "properties": p, "required": [x for x in r if x in p]}, members, required
        ),
        st.builds(lambda p: {"properties": p, "default": {"a": 1}}, members),
        st.builds(lambda p: {"type": "object", "additionalProperties": p}, inner),
    )


SCHEMAS = st.recursive(SCALARS, wider, max_leaves=5)
VALUES = st.recursive(
    st.sampled_from(["a", 1, 2, None]),
    lambda x: st.one_of(
        st.lists(x, max_size=2), st.fixed_dictionaries({"a": x}), st.fixed_dictionaries({"a": x, "b": x}), st.just({})
    ),
    max_leaves=5,
)


@functools.cache
def valid(schema: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema))


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=1, max_size=8))
def test_strict_mode_allows_nothing_that_was_not_allowed(schema: Any, other: Any, values: list[Any]) -> None:
    root = {"type": "object", "properties": {"x": schema}, "$defs": {"P": other}}
    try:
        tool = as_tool({"name": "f", "parameters": root})
        strict = told(tool, strict=True)
    except ToolError:
        return
    for part in objects(strict):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
    settler = Settler(root)
    for value in values:
        if valid(json.dumps(strict)).is_valid({"x": value}):
            settled = settler.settled({"x": value}, root)
            assert valid(json.dumps(root)).is_valid(settled), (value, settled)


def objects(schema: Any) -> Iterator[Any]:
    return (part for part, _ in parts_of(schema) if "properties" in part or part.get("type") == "object")


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(SCHEMAS, SCHEMAS, st.lists(VALUES, min_size=1, max_size=8))
def test_what_an_api_is_told_allows_the_same(schema: Any, other: Any, values: list[Any]) -> None:
    root = {"type": "object", "properties": {"x": schema}, "$defs": {"P": other}}
    try:
        tool = as_tool({"name": "f", "parameters": root})
    except ToolError:
        return
    found = told(tool)
    assert as_tool({"name": "f", "parameters": found}).name == "f"
    for value in values:
        assert valid(json.dumps(found)).is_valid({"x": value}) is valid(json.dumps(root)).is_valid({"x": value})
