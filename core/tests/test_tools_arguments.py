"""From what a model gave to what a function is called with: faults are told, and no parameter is reached unnamed."""

from __future__ import annotations

import datetime
import enum
import functools
import math
from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional

import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect import Tool, ToolError, as_tool
from polylect.agent._arguments import ArgumentFault, bind, check, is_async

EMPTY = {"type": "object", "properties": {}}


def forecast(city: str, days: int = 3, unit: Literal["c", "f"] = "c", near: list[float] | None = None) -> str:
    return f"{city} {days} {unit} {near}"


TOOL = as_tool(forecast)


def fault(tool: Tool, given: Any) -> str:
    with pytest.raises(ArgumentFault) as caught:
        bind(tool, given)
    assert str(caught.value) == caught.value.sentence
    return caught.value.sentence


def one(schema: dict[str, Any], *, required: bool = True) -> Tool:
    """A tool of one argument ``x``."""
    needed = {"required": ["x"]} if required else {}
    return Tool("f", parameters={"type": "object", "properties": {"x": schema}, **needed})


# --- objects ----------------------------------------------------------------------------------------------------------


def test_arguments_that_fit_are_keywords() -> None:
    given = {"city": "Oslo", "days": 5, "unit": "f", "near": [59.9, 11]}
    args, kwargs = bind(TOOL, given)
    assert (args, kwargs) == ((), given)
    assert kwargs is not given
    assert TOOL(*args, **kwargs) == "Oslo 5 f [59.9, 11]"
    args, kwargs = bind(TOOL, {"city": "Oslo"})
    assert TOOL(*args, **kwargs) == "Oslo 3 c None"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "$: 'city' is a required property"),
        ({"city": 5}, "$.city: 5 is not of type 'string'"),
        ({"city": None}, "$.city: None is not of type 'string'"),
        ({"city": "Oslo", "days": "three"}, "$.days: 'three' is not of type 'integer'"),
        ({"city": "Oslo", "days": 2.5}, "$.days: 2.5 is not of type 'integer'"),
        ({"city": "Oslo", "days": True}, "$.days: True is not of type 'integer'"),
        ({"city": "Oslo", "unit": "k"}, "$.unit: 'k' is not one of ['c', 'f']"),
        ({"city": "Oslo", "near": ["x"]}, "$.near[0]: 'x' is not of type 'number'"),
        ({"city": "Oslo", "near": "x"}, "$.near: 'x' is not of type 'array' or 'null'"),
        ({"citty": "Oslo", "city": "Oslo"}, "$: there is no argument 'citty' (did you mean 'city')"),
        ({"city": "Oslo", "zzz": 1}, "$: there is no argument 'zzz' (there are: city, days, unit, near)"),
        ({"citty": "Oslo"}, "'citty' (did you mean 'city'); $: 'city' is a required property"),
    ],
)
def test_a_fault_is_told_with_its_path(given: dict[str, Any], told: str) -> None:
    sentence = fault(TOOL, given)
    assert sentence.startswith("The arguments of 'forecast' do not fit: ")
    assert told in sentence
    assert sentence.endswith(". Send the call again.")


def test_three_faults_are_told_and_the_rest_counted() -> None:
    sentence = fault(TOOL, {"days": "x", "unit": "k", "near": [None, "x"], "wind": 1})
    assert sentence.count("$") == 3
    assert "; and 2 more. Send the call again." in sentence


def test_a_long_value_is_not_repeated_whole() -> None:
    sentence = fault(TOOL, {"city": "Oslo", "days": "x" * 10_000})
    assert len(sentence) < 300
    assert "is not of type 'integer'" in sentence
    assert len(fault(TOOL, {"city": "Oslo", "x" * 10_000: 1})) < 500


@pytest.mark.parametrize(("given", "meant"), [(3.0, 3), (-0.0, 0), (1e20, 10**20), (3, 3)])
def test_a_whole_number_may_be_spelt_as_a_float(given: float, meant: int) -> None:
    (_, kwargs) = bind(TOOL, {"city": "Oslo", "days": given})
    assert (kwargs["days"], type(kwargs["days"])) == (meant, int)
    nested = {"type": "array", "items": {"type": "object", "properties": {"n": {"type": ["integer", "null"]}}}}
    (_, kwargs) = bind(one(nested), {"x": [{"n": given}]})
    assert type(kwargs["x"][0]["n"]) is int
    (_, kwargs) = bind(one({"type": "number"}), {"x": given})
    assert type(kwargs["x"]) is type(given)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_no_integer(value: float) -> None:
    assert "is not of type 'integer'" in fault(TOOL, {"city": "Oslo", "days": value})


def test_null_for_what_may_be_left_out_is_left_out() -> None:
    assert bind(TOOL, {"city": "Oslo", "days": None, "near": None}) == ((), {"city": "Oslo", "near": None})
    place = {
        "type": "object",
        "properties": {"lat": {"type": "number"}, "name": {"type": "string"}},
        "required": ["lat"],
    }
    assert bind(one(place), {"x": {"lat": 1, "name": None}}) == ((), {"x": {"lat": 1}})
    assert "$.x.lat: None is not of type 'number'" in fault(one(place), {"x": {"lat": None}})
    assert bind(one({"anyOf": [place, {"type": "null"}]}), {"x": {"lat": 1, "name": None}})[1] == {"x": {"lat": 1}}
    entries = {"x": {"type": "array", "items": {"$ref": "#/$defs/P"}}}
    listed = Tool("f", parameters={"type": "object", "properties": entries, "$defs": {"P": place}})
    assert bind(listed, {"x": [{"lat": 1, "name": None}]})[1] == {"x": [{"lat": 1}]}


def test_the_models_values_are_not_changed() -> None:
    given = {"city": "Oslo", "days": 3.0, "near": [1.0]}
    before = repr(given)
    bind(TOOL, given)
    assert repr(given) == before


# --- texts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "Oslo", "Oslo"),
        ({"type": "string"}, "3", "3"),
        ({"type": "string"}, '"Oslo"', '"Oslo"'),
        ({"type": "string"}, "", ""),
        ({"type": "string"}, '{"y": 1}', '{"y": 1}'),
        ({"type": "string"}, "{broken", "{broken"),
        ({"type": "string"}, '{"x": "Oslo"}', "Oslo"),
        ({}, "3", "3"),
        ({"type": "integer"}, "3", 3),
        ({"type": "integer"}, " 3.0\n", 3),
        ({"type": "integer"}, '{"x": 3}', 3),
        ({"type": "boolean"}, "true", True),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "object"}, '{"y": 1}', {"y": 1}),
        ({"type": "object"}, '{"x": {"y": 1}}', {"y": 1}),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "3", "3"),
    ],
)
def test_a_text_is_the_only_argument(schema: dict[str, Any], text: str, value: Any) -> None:
    assert bind(one(schema), text) == ((), {"x": value})


@pytest.mark.parametrize(
    ("tool", "text", "told"),
    [
        (one({"type": "integer"}), "three", "$.x: 'three' is not of type 'integer'"),
        (one({"type": "integer"}), "9" * 5_000, "has more digits than can be read"),
        (one({"type": "number"}), "1e999", "larger than any that can be calculated with"),
        (one({"type": "array"}), "[" * 5_000, "nested too deeply"),
        (one({"type": "string"}), "{" * 5_000 + "}" * 5_000, "nested too deeply"),
        (TOOL, "Oslo", "The tool 'forecast' takes several arguments (city, days, unit, near). Send its input as one"),
        (TOOL, '{"city": "Oslo",}', "The arguments of 'forecast' are not valid JSON: "),
        (TOOL, "[1]", "takes several arguments"),
        (Tool("now"), "today", "The tool 'now' takes no arguments. Send the call again."),
        (Tool("now"), '{"x": 1}', "$: it takes no arguments, and there is 'x'"),
        (Tool("any", parameters={}), "today", "The tool 'any' takes a JSON object, not a text. Send the call again."),
    ],
)
def test_a_text_that_does_not_fit_is_told(tool: Tool, text: str, told: str) -> None:
    assert told in fault(tool, text)


@pytest.mark.parametrize("text", ["", "{}", " {} ", "None", "null", "no input"])
def test_nothing_is_no_arguments(text: str) -> None:
    assert bind(Tool("now"), text) == ((), {})
    assert bind(as_tool(lambda a=1, b=2: a + b), text) == ((), {})


def test_a_text_that_is_the_arguments_object_is_the_arguments() -> None:
    assert bind(TOOL, ' {"city": "Oslo", "days": 2}\n') == ((), {"city": "Oslo", "days": 2})
    assert bind(one({"type": "string"}, required=False), "{}") == ((), {})
    assert bind(Tool("any", parameters={}), '{"x": 1}') == ((), {"x": 1})


@pytest.mark.parametrize("given", [None, 5, [1], b"x"])
def test_what_is_no_object_and_no_text_is_told(given: Any) -> None:
    assert "must be a JSON object" in fault(TOOL, given)


# --- the function -----------------------------------------------------------------------------------------------------


def called(function: Callable[..., Any], given: Any, tool: Tool | None = None) -> Any:
    tool = as_tool(function) if tool is None else msgspec.structs.replace(tool, function=function)
    args, kwargs = bind(tool, given)
    return function(*args, **kwargs)


def test_positional_parameters_are_given_by_position() -> None:
    def f(a: int, b: int = 2, /, c: int = 3, *, d: int = 4) -> list[int]:
        return [a, b, c, d]

    assert called(f, {"a": 1}) == [1, 2, 3, 4]
    assert called(f, {"a": 1, "b": 7, "c": 8, "d": 9}) == [1, 7, 8, 9]
    assert called(f, {"a": 1, "d": 9}) == [1, 2, 3, 9]

    def g(a: int = 1, b: int = 2, /) -> list[int]:
        return [a, b]

    assert called(g, {"b": 7}) == [1, 7]
    assert called(g, {}) == [1, 2]
    assert called(len, "Oslo") == 4


def test_others_go_to_those_who_take_them() -> None:
    def f(a: int, **more: str) -> Any:
        return a, more

    assert called(f, {"a": 1, "b": "x", "c": "y"}) == (1, {"b": "x", "c": "y"})
    assert "$.b: 5 is not of type 'string'" in fault(as_tool(f), {"a": 1, "b": 5})

    def g(**more: datetime.date) -> Any:
        return more

    assert called(g, {"b": "2024-05-17"}) == {"b": datetime.date(2024, 5, 17)}
    assert "$.b: Input should be a valid date" in fault(as_tool(g), {"b": "soon"})
    # those of a stranger's tool, whose function takes anything, only where its schema says so
    wrapped = Tool("f", parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    assert "there is no argument 'b'" in fault(msgspec.structs.replace(wrapped, function=g), {"a": 1, "b": 2})
    wider = Tool("f", parameters={**wrapped.parameters, "additionalProperties": True})
    assert bind(msgspec.structs.replace(wider, function=lambda **all_: all_), {"a": 1, "b": 2}) == (
        (),
        {"a": 1, "b": 2},
    )


def secret(city: str, token: str = "s3cret", *rest: str, **more: Any) -> Any:
    return city, token, rest, more


@pytest.mark.parametrize("name", ["token", "rest", "more", "root"])
def test_no_parameter_is_reached_that_the_schema_does_not_name(name: str) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": True}
    tool = Tool("f", parameters=schema, function=functools.partial(secret, root="/srv"))
    assert f"there is no argument {name!r}" in fault(tool, {"city": "Oslo", name: "x"})
    assert called(tool.function or secret, {"city": "Oslo", "other": 1}, tool) == (
        "Oslo", "s3cret", (), {"other": 1, "root": "/srv"},
    )  # fmt: skip


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    st.dictionaries(st.sampled_from(["city", "token", "rest", "more", "root", "self", "cls", "other"]), st.just("x"))
)
def test_no_arguments_reach_behind_the_schema(given: dict[str, Any]) -> None:
    for others in ({}, {"additionalProperties": False}, {"additionalProperties": True}):
        schema = {"type": "object", "properties": {"city": {"type": "string"}}, **others}
        tool = Tool("f", parameters=schema, function=functools.partial(secret, root="/srv"))
        try:
            args, kwargs = bind(tool, given)
        except ArgumentFault:
            continue
        assert not args
        city, token, rest, more = tool(**kwargs)
        assert (city, token, rest, more["root"]) == ("x", "s3cret", (), "/srv")


def test_a_schema_and_a_function_that_do_not_belong_together_are_the_callers_error() -> None:
    needy = Tool("f", parameters=EMPTY, function=forecast)
    narrow = Tool("f", parameters={"type": "object", "properties": {"city": {}, "wind": {}}}, function=forecast)
    for use in (check, lambda tool: bind(tool, {})):
        with pytest.raises(ToolError) as caught:
            use(needy)
        assert str(caught.value).startswith("The function of tool 'f' needs 'city', which the tool's schema does not")
        with pytest.raises(ToolError) as caught:
            use(narrow)
        assert str(caught.value) == "The schema of tool 'f' names 'wind', which the tool's function does not take."
    check(TOOL)
    check(Tool("now"))


def test_what_the_function_needs_is_needed_though_the_schema_is_silent() -> None:
    tool = Tool("f", parameters={"type": "object", "properties": {"city": {"type": "string"}}}, function=forecast)
    with pytest.raises(ToolError):
        check(Tool("f", parameters={"type": "object", "properties": {}}, function=forecast))
    assert "$: 'city' is a required property" in fault(tool, {})
    assert "$.city: None is not of type 'string'" in fault(tool, {"city": None})
    assert bind(tool, {"city": "Oslo"}) == ((), {"city": "Oslo"})


def test_a_custom_tool_takes_a_text_under_any_name() -> None:
    tool = as_tool({"type": "custom", "name": "run", "description": "Run it.", "format": {"type": "text"}})
    assert called(lambda code: code, "print(1)", tool) == "print(1)"
    assert bind(msgspec.structs.replace(tool, function=len), {"input": "x"}) == (("x",), {})


def test_a_function_that_tells_nothing_takes_what_the_schema_names() -> None:
    tool = Tool("f", parameters={"type": "object", "properties": {"a": {"type": "integer"}}}, function=max)
    assert bind(tool, {"a": 1}) == ((), {"a": 1})
    assert "no argument 'key'" in fault(tool, {"key": 1})


# --- values of Python's -----------------------------------------------------------------------------------------------


class Unit(enum.Enum):
    CELSIUS = "c"


class Place(pydantic.BaseModel):
    lat: float
    lon: float = 0.0
    inner: Optional[Place] = None  # noqa: UP045


def detailed(
    where: Place,
    start: datetime.date = datetime.date(2024, 1, 1),
    unit: Unit | None = None,
    days: Annotated[int, pydantic.Field(ge=1)] = 1,
    tags: tuple[str, ...] = (),
    data: bytes = b"",
) -> Any:
    return where, start, unit, days, tags, data


def test_hints_beyond_json_get_values_of_pythons() -> None:
    given = {
        "where": {"lat": 1, "inner": {"lat": 2}},
        "start": "2024-05-17",
        "unit": "c",
        "days": 2.0,
        "tags": ["a"],
        "data": "x",
    }
    where, *others = called(detailed, given)
    assert where == Place(lat=1, inner=Place(lat=2))
    assert others == [datetime.date(2024, 5, 17), Unit.CELSIUS, 2, ("a",), b"x"]
    assert called(detailed, {"where": {"lat": 1, "lon": None}})[0] == Place(lat=1)
    assert called(detailed, '{"where": {"lat": 1}}')[0] == Place(lat=1)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"where": {}}, "$.where: 'lat' is a required property"),
        ({"where": {"lat": "x"}}, "$.where.lat: 'x' is not of type 'number'"),
        ({"where": {"lat": 1, "inner": {"lat": "x"}}}, "$.where.inner.lat: 'x' is not of type 'number'"),
        ({"where": {"lat": 1}, "days": 0}, "$.days: 0 is less than the minimum of 1"),
        ({"where": {"lat": 1}, "start": "soon"}, "$.start: Input should be a valid date"),
        ({"where": {"lat": 1}, "unit": "k"}, "$.unit: 'k' "),
        ({"where": {"lat": 1}, "tags": [1]}, "$.tags[0]: 1 is not of type 'string'"),
    ],
)
def test_faults_inside_of_values_are_told_with_their_paths(given: dict[str, Any], told: str) -> None:
    sentence = fault(as_tool(detailed), given)
    assert told in sentence
    assert sentence.endswith("Send the call again.")
    assert "http" not in sentence


def even(value: int) -> int:
    if value % 2:
        raise ValueError("only even numbers")
    if value > 10:
        raise KeyError("too many")
    return value


def test_a_validator_of_the_authors_is_heard() -> None:
    def f(n: Annotated[int, pydantic.AfterValidator(even)]) -> int:
        return n

    assert called(f, "4") == 4
    assert "$.n: Value error, only even numbers. Send" in fault(as_tool(f), {"n": 3})
    assert "$.n: KeyError: 'too many'. Send" in fault(as_tool(f), {"n": 12})


# --- asynchronous -----------------------------------------------------------------------------------------------------


class Both:
    async def __call__(self, x: int) -> int:
        return x

    async def method(self, x: int) -> int:
        return x

    def plain(self, x: int) -> int:
        return x


async def later(x: int, y: int = 0) -> int:
    return x


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (later, True),
        (functools.partial(later, y=1), True),
        (functools.partial(functools.partial(later), y=1), True),
        (Both(), True),
        (functools.partial(Both()), True),
        (Both().method, True),
        (Both().plain, False),
        (Both, False),
        (forecast, False),
        (len, False),
        (lambda x: x, False),
    ],
)
def test_what_must_be_awaited(function: Callable[..., Any], found: bool) -> None:
    assert is_async(Tool("f", parameters={}, function=function)) is found
    assert not is_async(Tool("f"))
