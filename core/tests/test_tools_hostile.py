"""Schemas of strangers and values of models: each is checked, told or refused, in bounded time."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from polylect import Tool, ToolError, anthropic_tools, as_tool, describe_tools_with_schemas, openai_tools, toolbox
from polylect.agent._arguments import ArgumentFault, bind

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


def made(properties: dict[str, Any], **root: Any) -> Tool:
    return as_tool({"name": "a", "inputSchema": {"type": "object", "properties": properties, **root}})


def fault(tool: Tool, given: Any) -> str:
    with pytest.raises(ArgumentFault) as caught:
        bind(tool, given)
    return caught.value.sentence


def refused(tool: Tool, given: Any) -> str:
    with pytest.raises(ToolError) as caught:
        bind(tool, given)
    assert str(caught.value).startswith("The schema of tool 'a' is broken: ")
    assert len(str(caught.value)) < 600
    return str(caught.value)


def doubled(key: str, levels: int) -> dict[str, Any]:
    defs: dict[str, Any] = {f"D{n}": {key: [{"$ref": f"#/$defs/D{n + 1}"}] * 9} for n in range(levels)}
    return {**defs, f"D{levels}": TEXT}


@pytest.mark.parametrize("key", ["allOf", "anyOf", "oneOf"])
def test_references_that_branch_without_an_end_are_refused(key: str) -> None:
    tool = made({"x": {"$ref": "#/$defs/D0"}}, **{"$defs": doubled(key, 20)})
    started = time.process_time()
    if key == "anyOf":
        bind(tool, {"x": "a"})  # the first alternative will do
    assert "branch too often" in refused(tool, {"x": 5})
    assert time.process_time() - started < 60
    for tell in (openai_tools, anthropic_tools):
        (told,) = tell([tool])
        assert len(str(told)) < 100_000
    assert len(describe_tools_with_schemas(toolbox([tool]) or {})) < 2_000_000


def test_conditions_inside_of_conditions_are_refused() -> None:
    inner: Any = {"unevaluatedProperties": False}
    for _ in range(20):
        inner = {"unevaluatedProperties": False, "anyOf": [inner, inner]}
    tool = made({"x": inner})
    assert "branch too often" in refused(tool, {"x": {"a": 1}})


def test_a_schema_that_refers_to_itself_follows_the_value() -> None:
    node = {"type": "object", "properties": {"n": NUMBER, "next": {"$ref": "#/$defs/N"}}, "required": ["n"]}
    tool = made({"x": {"$ref": "#/$defs/N"}}, **{"$defs": {"N": node}})
    assert bind(tool, {"x": {"n": 1, "next": {"n": 2.0}}}) == ((), {"x": {"n": 1, "next": {"n": 2}}})
    assert "$.x.next.next: 'n' is a required property" in fault(tool, {"x": {"n": 1, "next": {"n": 1, "next": {}}}})
    deep: dict[str, Any] = {"n": 1}
    for _ in range(5_000):
        deep = {"n": 1, "next": deep}
    assert "nested too deeply" in fault(tool, {"x": deep})
    circle: dict[str, Any] = {"n": 1}
    circle["next"] = circle
    assert "nested too deeply" in fault(tool, {"x": circle})


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"type": "no such type"}, "$.properties.x.type"),
    ({"minimum": "x"}, "$.properties.x.minimum"),
    ({"enum": 5}, "$.properties.x.enum"),
    ({"required": "x"}, "$.properties.x.required"),
    ({"items": [TEXT]}, "$.properties.x.items"),
    ({"pattern": r"\p{Nonsense}"}, "is no pattern"),
    ({"$dynamicRef": "#nowhere"}, "a reference leads nowhere"),
    ({"multipleOf": 0}, "$.properties.x.multipleOf"),
]


@pytest.mark.parametrize(("schema", "told"), BROKEN)
def test_what_is_no_json_schema_is_the_callers_error(schema: dict[str, Any], told: str) -> None:
    assert told in refused(made({"x": schema}), {"x": 5})


def test_a_huge_schema_is_refused() -> None:
    with pytest.raises(ToolError, match="more than 20,000 entries"):
        made({f"p{n}": {"type": "string", "description": "x"} for n in range(10_000)})
    with pytest.raises(ToolError, match="more than 20,000 entries"):
        made({"x": {"enum": list(range(30_000))}})
    tool = made({f"p{n}": {"type": "string", "minLength": 1} for n in range(4_000)})
    assert "$.p1: 5 is not of type 'string'" in fault(tool, {"p1": 5})


def test_nothing_is_fetched() -> None:
    with pytest.raises(ToolError, match="nothing is fetched"):
        made({"x": {"$ref": "http://127.0.0.1:1/x.json"}})
    tool = Tool("a", parameters={"type": "object", "properties": {"x": {"$ref": "http://127.0.0.1:1/x.json"}}})
    assert "nothing is fetched" in refused(tool, {"x": 5})  # one that nobody looked through


def test_patterns_take_bounded_time() -> None:
    tool = made({"x": {"type": "string", "pattern": "^(a+)+$"}}, patternProperties={"^(b+)+$": NUMBER})
    started = time.process_time()
    assert "does not match" in fault(tool, {"x": "a" * 5_000 + "!"})
    assert bind(tool, {"x": "a", "b" * 200 + "!": 1})[1].keys() == {"x", "b" * 200 + "!"}
    assert bind(tool, {"x": "aa", "bb": 1}) == ((), {"x": "aa", "bb": 1})
    assert time.process_time() - started < 30
    own = made({"x": {"patternProperties": {"^(b+)+$": NUMBER}, "unevaluatedProperties": False}})
    assert "takes too long" in refused(own, {"x": {}})
    behind = made({"x": {"type": "string", "pattern": r"^(a+)+\1$"}})
    assert "too long to be checked against its pattern" in fault(behind, {"x": "a" * 1_000})


def test_entries_are_compared_in_linear_time() -> None:
    tool = made({"x": {"type": "array", "uniqueItems": True}})
    assert bind(tool, {"x": [1, True, "1", [1], {"a": 1}, 1.5, None, 0, False]})[1]["x"][1] is True
    for twice in ([1, 1.0], [{"a": [1]}, {"a": [1.0]}], ["a", "b", "a"], [True, True]):
        assert "has entries twice" in fault(tool, {"x": twice})
    started = time.process_time()
    bind(tool, {"x": [x for n in range(20_000) for x in (n, str(n), [n])]})
    assert time.process_time() - started < 30


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(st.lists(st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-1, 1), st.sampled_from([0.0, 1.0, 0.5, "", "a", "1"])),
    lambda x: st.one_of(st.lists(x, max_size=2), st.dictionaries(st.sampled_from("ab"), x, max_size=2)), max_leaves=4,
), max_size=5))  # fmt: skip
def test_entries_are_twice_as_jsonschema_has_it(entries: list[Any]) -> None:
    schema = {"type": "object", "properties": {"x": {"type": "array", "uniqueItems": True}}}
    try:
        bind(Tool("a", parameters=schema), {"x": entries})
        found = True
    except ArgumentFault:
        found = False
    assert found is Draft202012Validator(schema).is_valid({"x": entries})


def test_many_faults_are_told_in_linear_time() -> None:
    tool = made({"x": {"type": "array", "items": {**NUMBER, "minimum": 1}}})
    started = time.process_time()
    assert "; and 19997 more" in fault(tool, {"x": ["a"] * 20_000})
    assert "; and 19997 more" in fault(tool, {f"k{n}": 1 for n in range(20_000)})
    assert time.process_time() - started < 60


def test_odd_numbers_are_told() -> None:
    tool = made({"x": {"type": "number", "multipleOf": 0.1}})
    assert fault(tool, {"x": 10**400})
    assert fault(made({"x": {"type": "string", "minLength": 1}}), {"x": 10**5_000})


def test_checks_in_many_threads_do_not_disturb_each_other() -> None:
    tool = made({"x": {"type": "array", "items": {"type": "integer", "minimum": 0}}})
    found: list[Any] = []

    def use(number: int) -> None:
        for _ in range(20):
            found.append(bind(tool, {"x": [number] * 200})[1]["x"][0] == number)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 80


def test_other_dialects_are_spoken() -> None:
    seven = {"$schema": "http://json-schema.org/draft-07/schema#"}
    tool = made({"x": {"type": "array", "items": [TEXT, NUMBER], "additionalItems": False}}, **seven)
    assert bind(tool, {"x": ["a", 1]})[1] == {"x": ["a", 1]}
    assert "$.x[1]: 'b' is not of type 'integer'" in fault(tool, {"x": ["a", "b"]})
    unknown = made({"x": {"type": "string", "minLength": 2}}, **{"$schema": "urn:mine"})
    assert "$.x: 'a' is too short" in fault(unknown, {"x": "a"})


JUNK = st.recursive(
    st.sampled_from([None, True, False, 0, 1, -2, 0.5, "", "a", "string", "object", "(", "#"]),
    lambda x: st.one_of(st.lists(x, max_size=3), st.dictionaries(st.sampled_from(["a", "x", "type"]), x, max_size=2)),
    max_leaves=5,
)  # fmt: skip
WORDS = [
    "type", "enum", "const", "properties", "required", "items", "prefixItems", "additionalProperties", "pattern",
    "patternProperties", "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$defs", "$id",
    "$anchor", "$schema", "minimum", "multipleOf", "minLength", "uniqueItems", "contains", "minContains",
    "dependentRequired", "dependentSchemas", "propertyNames", "unevaluatedProperties", "unevaluatedItems", "format",
    "title", "description", "default", "examples", "discriminator", "nullable",
]  # fmt: skip


def of_words(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    named = st.dictionaries(st.sampled_from("xa"), inner)
    return st.dictionaries(st.sampled_from(WORDS), st.one_of(inner, named, st.lists(inner, max_size=2)))


SOUND = st.sampled_from([TEXT, NUMBER, {"$ref": "#/$defs/x"}, {"$ref": "#"}, {}])
PARTS = st.recursive(st.one_of(JUNK, SOUND), of_words, max_leaves=8)


@settings(max_examples=400, deadline=None, derandomize=True, database=None)
@given(PARTS, PARTS, JUNK, st.booleans())
def test_any_schema_is_refused_or_any_value_bound_or_told(one: Any, other: Any, value: Any, seen: bool) -> None:
    schema = {"type": "object", "properties": {"x": one}, "$defs": {"x": other}}
    try:
        tool = as_tool({"name": "a", "parameters": schema}) if seen else Tool("a", parameters=schema)
        for tell in (openai_tools, anthropic_tools, lambda tools: openai_tools(tools, strict=True)):
            with contextlib.suppress(ToolError):
                json.dumps(tell([tool]))
        for given_ in ({"x": value}, json.dumps({"x": value}), json.dumps(value), {}, "x"):
            with contextlib.suppress(ArgumentFault):
                bind(tool, given_)
    except ToolError as error:
        assert len(str(error)) < 2_000  # noqa: PT017
