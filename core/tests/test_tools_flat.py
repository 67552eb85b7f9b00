"""The quick check of arguments by hand: ``jsonschema`` would say the same, and it needs no library."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Literal

from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from polylect import Tool, as_tool
from polylect.agent._arguments import ArgumentFault, bind
from polylect.agent._flat import flat

EMPTY = {"type": "object", "properties": {}}


def forecast(city: str, days: int = 3, unit: Literal["c", "f"] = "c", near: list[float] | None = None) -> None: ...


TOOL = as_tool(forecast)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 2),
    st.sampled_from([0.5, 1.0, -0.0, 1e300]),
    st.sampled_from(["a", "b", ""]),
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("ab"), inner, max_size=2)),
    max_leaves=6,
)
TYPES = st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"])
PROPERTY = st.recursive(
    st.one_of(
        st.just(True),
        st.fixed_dictionaries({}, optional={"type": st.one_of(TYPES, st.lists(TYPES, min_size=1, unique=True)),
                                            "description": st.just("x"), "default": SCALARS,
                                            "enum": st.lists(SCALARS, min_size=1, max_size=3)}),
        st.builds(lambda x: {"const": x}, SCALARS),
    ),
    lambda inner: st.one_of(
        st.builds(lambda x: {"type": "array", "items": x}, inner),
        st.builds(lambda x: {"type": ["object", "string"], "additionalProperties": x}, inner),
        st.builds(lambda x: {"anyOf": x}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=4,
)  # fmt: skip


@settings(max_examples=1_000, deadline=None, derandomize=True, database=None)
@example({"x": {"type": "integer"}}, ["x"], {"x": 1.0})
@example({"x": {"type": "integer"}}, ["x"], {"x": True})
@example({"x": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}}, [], {"x": [1.0]})
@given(
    st.dictionaries(st.sampled_from("xyz"), PROPERTY, max_size=3),
    st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
    st.dictionaries(st.sampled_from("xyz"), JSON, max_size=3),
)
def test_the_quick_check_and_jsonschema_say_the_same(
    properties: dict[str, Any], required: list[str], given: dict[str, Any]
) -> None:
    schema = {"type": "object", "properties": properties, "required": required}
    rules = flat(schema)
    if rules is None or not given.keys() <= properties.keys():
        return
    fits = set(required) <= given.keys() and all(rules[key].fits(value) for key, value in given.items())
    assert fits is Draft202012Validator(schema).is_valid(given)
    try:
        bind(Tool("f", parameters=schema), given)
        bound = True
    except ArgumentFault:
        bound = False
    assert bound or not fits
    assert fits or not bound or "None" in repr(given)  # null may be what is left out


def test_usual_schemas_are_flat_and_others_are_not() -> None:
    assert flat(TOOL.parameters) is not None
    assert flat(EMPTY) is not None
    others: list[dict[str, Any]] = [
        {"type": "object", "properties": {"x": {"type": "string", "minLength": 1}}},
        {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}, "$defs": {"X": {}}},
        {"type": "object", "properties": {"x": {"enum": [1, True]}}},
        {"type": "object", "properties": {"x": False}},
        {"type": "object", "properties": {}, "required": ["x"]},
        {"type": "object", "properties": {"x": {}}, "minProperties": 1},
        {"type": "object", "properties": {"x": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {}]}}},
        {"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {"x": {}}},
        {"anyOf": [{"properties": {"x": {}}}]},
    ]
    for schema in others:
        assert flat(schema) is None, schema


def test_usual_arguments_need_no_library() -> None:
    code = (
        "import sys, polylect\n"
        "from polylect.agent._arguments import bind\n"
        "def f(a: int, b: list[str] | None = None): ...\n"
        "assert bind(polylect.as_tool(f), {'a': 1.0, 'b': ['x']}) == ((), {'a': 1, 'b': ['x']})\n"
        "assert not {'pydantic', 'docstring_parser', 'jsonschema', 'asyncio'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
