"""Tools in every form that callers have them, and what is told when one is broken."""

from __future__ import annotations

import contextlib
from collections import UserDict
from collections.abc import Callable
from functools import partial
from types import MappingProxyType
from typing import Any

import pytest

import polylect
from polylect import Tool, Toolbox, ToolError, as_tool, toolbox

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
EMPTY = {"type": "object", "properties": {}}
LECTS = (
    *("react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"),
    *("json_blob", "json_chat", "chat", "react_json", "xml_tags", "tool_calls", "openai_functions"),
)


def described(tool: Tool) -> tuple[str, str, dict[str, Any]]:
    return tool.name, tool.description, tool.parameters


@pytest.mark.parametrize(
    "form",
    [
        {"type": "function", "function": {"name": "forecast", "description": "The weather.", "parameters": SCHEMA}},
        {"function": {"name": "forecast", "description": "The weather.", "parameters": SCHEMA, "strict": True}},
        {"name": "forecast", "description": "The weather.", "parameters": SCHEMA},
        {"name": "forecast", "description": "The weather.", "input_schema": SCHEMA, "cache_control": {"type": "x"}},
        {"name": "forecast", "description": "The weather.", "inputSchema": SCHEMA, "title": "Forecast"},
        {"type": "function", "name": "forecast", "description": "The weather.", "parameters": SCHEMA},
        MappingProxyType({"name": "forecast", "description": "The weather.", "parameters": SCHEMA}),
        UserDict({"function": UserDict({"name": "forecast", "description": "The weather.", "parameters": SCHEMA})}),
        Tool("forecast", "The weather.", SCHEMA),
    ],
    ids=["OpenAI", "OpenAI, no type", "inside", "Anthropic", "MCP", "responses", "mapping", "user dicts", "Tool"],
)
def test_every_form_of_a_tool_is_read(form: Any) -> None:
    tool = as_tool(form)
    assert described(tool) == ("forecast", "The weather.", SCHEMA)
    assert tool.function is None
    assert list(tool.properties) == ["city", "days"]
    assert tool.required == ("city",)
    assert not tool.takes_text


@pytest.mark.parametrize("form", [{"name": "now"}, {"function": {"name": "now", "parameters": None}}, Tool("now")])
def test_a_tool_may_be_no_more_than_a_name(form: Any) -> None:
    assert described(as_tool(form)) == ("now", "", EMPTY)


def test_two_tools_do_not_share_the_empty_schema() -> None:
    one, other = as_tool({"name": "one"}), as_tool({"name": "other"})
    one.parameters["properties"] = {"x": {}}
    assert other.parameters == EMPTY
    assert Tool("third").parameters == EMPTY


@pytest.mark.parametrize(
    ("schema", "takes"),
    [
        ({"properties": {"q": {"type": "string"}}}, True),
        ({"properties": {"q": {}}}, True),
        ({"properties": {"q": {"type": ["string", "null"]}}}, True),
        ({"properties": {"q": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}, True),
        ({"properties": {"q": {"enum": ["a", 1]}}}, True),
        ({"properties": {"q": {"enum": [1]}}}, False),
        ({"properties": {"q": {"type": "integer"}}}, False),
        ({"properties": {"q": {"type": "string"}, "n": {}}}, False),
        ({"properties": {}}, False),
        ({}, False),
    ],
)
def test_a_tool_of_one_argument_that_may_be_a_string_takes_text(schema: dict[str, Any], takes: bool) -> None:
    assert as_tool({"name": "a", "parameters": schema}).takes_text is takes


# --- boxes of tools -----------------------------------------------------------------------------------------------


def test_nothing_is_known_of_no_tools() -> None:
    assert toolbox(None) is None


def test_no_tools_at_all_are_an_empty_box() -> None:
    assert toolbox([]) == {}
    assert isinstance(toolbox([]), Toolbox)


def test_a_box_is_any_iterable_of_tools_in_mixed_forms() -> None:
    def now() -> str:
        """The time."""
        return "noon"

    box = toolbox(x for x in (Tool("a"), {"name": "b"}, {"function": {"name": "c"}}, now))
    assert box is not None
    assert list(box) == ["a", "b", "c", "now"]
    assert toolbox(box) is box
    assert box.folded["now"] == "now"


def test_names_are_found_in_any_case() -> None:
    box = toolbox([{"name": "Search"}, {"name": "straße"}])
    assert box is not None
    assert box.folded == {"search": "Search", "strasse": "straße"}


@pytest.mark.parametrize("form", [Tool("a"), {"name": "a"}, {"function": {"name": "a"}}])
def test_two_tools_of_one_name_are_an_error(form: Any) -> None:
    with pytest.raises(ToolError) as caught:
        toolbox([{"name": "b"}, {"name": "a"}, form])
    assert str(caught.value) == "Two tools are named 'a'. Give each tool a name of its own."


@pytest.mark.parametrize(
    ("tools", "kind"),
    [
        ("search", "str"),
        ({"name": "a"}, "dict"),
        (b"x", "bytes"),
        (5, "int"),
        (Tool("a"), "Tool"),
        (as_tool, "function"),
    ],
)
def test_what_is_no_list_of_tools_is_an_error(tools: Any, kind: str) -> None:
    with pytest.raises(ToolError) as caught:
        toolbox(tools)
    assert str(caught.value) == f"tools must be a list of tools, not {kind}."


# --- broken tools -------------------------------------------------------------------------------------------------

WRONG: Any = Tool
"""For values of the wrong types."""
NO_SCHEMA = "The parameters of tool 'a' are {}, not a JSON Schema object."
NO_OBJECT = "The parameters of tool 'a' must be a JSON Schema of type object with a dict of properties."
NO_NAMES = "'required' in the parameters of tool 'a' must be a list of names."


def nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        inner = {"type": "array", "items": inner}
    return {"type": "object", "properties": {"x": inner}}


def circular() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    schema["properties"]["x"] = schema
    return schema


BROKEN: list[tuple[Any, str]] = [
    ({"name": "a", "parameters": "x"}, NO_SCHEMA.format("str")),
    ({"name": "a", "parameters": []}, NO_SCHEMA.format("list")),
    ({"name": "a", "parameters": 5}, NO_SCHEMA.format("int")),
    ({"name": "a", "parameters": True}, NO_SCHEMA.format("bool")),
    ({"name": "a", "input_schema": "x"}, NO_SCHEMA.format("str")),
    ({"function": {"name": "a", "parameters": "x"}}, NO_SCHEMA.format("str")),
    (WRONG("a", parameters="x"), NO_SCHEMA.format("str")),
    ({"name": "a", "parameters": {"type": "string"}}, NO_OBJECT),
    ({"name": "a", "parameters": {"type": None}}, NO_OBJECT),
    ({"name": "a", "parameters": {"type": ["object", "null"]}}, NO_OBJECT),
    ({"name": "a", "parameters": {"properties": []}}, NO_OBJECT),
    ({"name": "a", "parameters": {"properties": None}}, NO_OBJECT),
    ({"name": "a", "parameters": {"required": "x"}}, NO_NAMES),
    ({"name": "a", "parameters": {"required": [1]}}, NO_NAMES),
    ({"name": "a", "parameters": {"required": None}}, NO_NAMES),
    ({}, "This tool has no name: {}. Give it in OpenAI form."),
    ({"name": None}, "This tool has no name: {'name': None}. Give it in OpenAI form."),
    ({"name": 5}, "This tool has no name: {'name': 5}. Give it in OpenAI form."),
    ({"function": None}, "This tool has no name: {'function': None}. Give it in OpenAI form."),
    ({"function": "a"}, "This tool has no name: {'function': 'a'}. Give it in OpenAI form."),
    ({"function": {}}, "This tool has no name: {'function': {}}. Give it in OpenAI form."),
    ({"name": ""}, "A tool has an empty name."),
    (Tool(""), "A tool has an empty name."),
    ("search", "A tool is a Tool, a dict in OpenAI form, or a function, not str."),
    (None, "A tool is a Tool, a dict in OpenAI form, or a function, not NoneType."),
    (5, "A tool is a Tool, a dict in OpenAI form, or a function, not int."),
    (["a"], "A tool is a Tool, a dict in OpenAI form, or a function, not list."),
]


@pytest.mark.parametrize(("tool", "told"), BROKEN)
def test_a_broken_tool_is_told_what_is_wrong(tool: Any, told: str) -> None:
    for read in (as_tool, lambda tool: toolbox([{"name": "good"}, tool])):
        with pytest.raises(ToolError) as caught:
            read(tool)
        assert str(caught.value) == told


@pytest.mark.parametrize(
    "tool",
    [
        {"name": " "},
        WRONG(5),
        WRONG("a", description=None),
        {"name": "a", "parameters": {"properties": {"x": 5}}},
        {"name": "a", "parameters": {"properties": {5: {}}}},
    ],
    ids=["blank name", "name of a number", "no description", "property", "key"],
)
def test_a_tool_that_nothing_could_be_done_with_is_refused(tool: Any) -> None:
    with pytest.raises(ToolError):
        toolbox([tool])


@pytest.mark.parametrize("schema", [nested(5_000), circular()], ids=["deep", "circular"])
@pytest.mark.parametrize("name", LECTS)
def test_a_schema_without_an_end_is_read_or_refused(name: str, schema: dict[str, Any]) -> None:
    lect = polylect.lect(name)
    tools = [Tool(x, parameters=schema) for x in ("search", "forecast", "note")]
    uses: list[Callable[[], object]] = [
        lambda: polylect.describe_tools(toolbox(tools) or {}),
        lambda: polylect.describe_tools_with_schemas(toolbox(tools) or {}),
        lambda: lect.format_tools(tools),
        *(partial(lect.parse, message, tools=tools) for message in lect.examples),
    ]
    for use in uses:
        with contextlib.suppress(ToolError):
            use()


def test_a_long_broken_tool_is_told_in_part() -> None:
    with pytest.raises(ToolError) as caught:
        as_tool({"description": "x" * 10_000})
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("name", LECTS)
@pytest.mark.parametrize("tools", ["search", [{"name": "a", "parameters": 5}], [Tool("a"), Tool("a")], [None]])
def test_every_entrance_of_a_lect_tells_the_caller(name: str, tools: Any) -> None:
    lect = polylect.lect(name)
    message = lect.examples[0]
    with pytest.raises(ToolError):
        lect.parse(message, tools=tools)
    with pytest.raises(ToolError):
        lect.parser(tools=tools)
    with pytest.raises(ToolError):
        lect.format(lect.parse(message), tools=tools)
    with pytest.raises(ToolError):
        lect.format_tools(tools)
    with pytest.raises(ToolError):
        polylect.translate(message, source=lect, target="react", tools=tools)
