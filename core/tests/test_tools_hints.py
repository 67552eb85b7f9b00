"""Type hints as JSON Schemas: the plain ones as pydantic would have them, the others by pydantic."""

from __future__ import annotations

import datetime
import decimal
import enum
import functools
import operator
import subprocess
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional, Union

import pydantic
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from typing_extensions import TypedDict

from polylect import ToolError, as_tool, toolbox
from polylect._functions import plain
from polylect._schemas import without_titles

VALUES = st.one_of(st.sampled_from(["a", "b", "", "é"]), st.integers(-2, 2), st.booleans(), st.none())
OLD = (typing.List, typing.Dict)  # noqa: UP006 - old spellings are hints too
LEAVES = st.one_of(
    st.sampled_from([str, int, float, bool, None, type(None), Any, object, list, dict, *OLD]),
    st.lists(VALUES, min_size=1, max_size=4).map(lambda values: Literal[tuple(values)]),
)


OF_ONE: list[Any] = [list, typing.List, typing.Sequence, Optional]  # noqa: UP006
OF_TEXTS: list[Any] = [dict, typing.Dict, typing.Mapping]  # noqa: UP006


def wider(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.builds(operator.getitem, st.sampled_from(OF_ONE), inner),
        st.builds(operator.getitem, st.sampled_from(OF_TEXTS), st.tuples(st.just(str), inner)),
        st.builds(operator.getitem, st.just(Union), st.lists(inner, min_size=1, max_size=4).map(tuple)),
    )


HINTS = st.recursive(LEAVES, wider, max_leaves=6)


def of_pydantic(hint: Any) -> dict[str, Any]:
    found: dict[str, Any] = without_titles(pydantic.TypeAdapter(hint).json_schema())
    return found


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@example(None | int | str)
@example(Union[list[int], typing.List[int]])  # noqa: UP006, UP007
@example(Literal[1, True, "1"])
@example(Optional[Literal["a", None]])  # noqa: UP045
@given(HINTS)
def test_the_quick_way_is_pydantics_result(hint: Any) -> None:
    quick = plain(hint)
    assert quick is not None
    assert repr(_sorted(quick)) == repr(_sorted(of_pydantic(hint)))  # 1 is not True
    assert plain(Annotated[hint, "told"]) == {**of_pydantic(Annotated[hint, "told"]), "description": "told"}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(x) for x in value] if isinstance(value, list) else value


def test_plain_hints_need_neither_library() -> None:
    code = (
        "import sys, polylect\n"
        "from typing import *\n"
        "def f(a: int, b: list[str] | None = None, c: Literal['x'] = 'x', d: Annotated[float, 'how much'] = 0.5):\n"
        "    '''What it does.\n\n    More of it: all.\n    '''\n"
        "polylect.as_tool(f)\n"
        "assert not {'pydantic', 'docstring_parser', 'jsonschema'} & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


class Place(pydantic.BaseModel):
    """A place."""

    lat: float = pydantic.Field(description="degrees north")
    lon: float


class Unit(enum.Enum):
    CELSIUS = "c"
    FAHRENHEIT = "f"


class Wind(TypedDict):
    speed: float


@dataclass
class Span:
    start: datetime.date
    days: int = 1


class Node(pydantic.BaseModel):
    value: int
    next: Optional[Node] = None  # noqa: UP045


PLACE = {
    "type": "object",
    "description": "A place.",
    "properties": {"lat": {"type": "number", "description": "degrees north"}, "lon": {"type": "number"}},
    "required": ["lat", "lon"],
}


def test_other_hints_are_read_by_pydantic() -> None:
    def forecast(
        where: Place,
        other: Annotated[Place, "for comparison"],
        days: Annotated[int, pydantic.Field(ge=1, le=9, description="how many")],
        start: datetime.date,
        unit: Unit = Unit.CELSIUS,
        wind: Wind | None = None,
        price: decimal.Decimal = decimal.Decimal(1),
        spans: tuple[Span, ...] = (),
    ) -> None: ...

    tool = as_tool(forecast)
    found = tool.parameters["properties"]
    assert found["where"] == {"$ref": "#/$defs/Place"}
    assert found["other"] == {"$ref": "#/$defs/Place", "description": "for comparison"}
    assert tool.parameters["$defs"]["Place"] == PLACE
    assert found["days"] == {"type": "integer", "minimum": 1, "maximum": 9, "description": "how many"}
    assert found["start"] == {"type": "string", "format": "date"}
    assert found["unit"] == {"$ref": "#/$defs/Unit", "default": "c"}
    assert found["wind"] == {"anyOf": [{"$ref": "#/$defs/Wind"}, {"type": "null"}], "default": None}
    assert "default" not in found["price"]
    assert found["spans"] == {"type": "array", "items": {"$ref": "#/$defs/Span"}}
    assert tool.required == ("where", "other", "days", "start")
    assert "title" not in str(tool.parameters)


def test_two_classes_of_one_name_stay_two() -> None:
    def make(hint: Any) -> Any:
        class Inner(pydantic.BaseModel):
            x: hint

        return Inner

    one, other = make(int), make(str)

    def f(a: Any, b: Any) -> None: ...

    f.__annotations__ = {"a": one, "b": other}
    tool = as_tool(f)
    definitions = tool.parameters["$defs"]
    kinds = [definitions[tool.parameters["properties"][x]["$ref"].rpartition("/")[2]]["properties"] for x in "ab"]
    assert kinds == [{"x": {"type": "integer"}}, {"x": {"type": "string"}}]


class Stranger:
    """What JSON has no words for."""


UNKNOWN = Stranger()


def test_what_json_has_no_words_for_is_none_of_the_models_business() -> None:
    def f(query: str, log: Stranger = UNKNOWN, then: Callable[[], None] = print) -> None: ...

    assert list(as_tool(f).properties) == ["query"]

    def g(query: str, log: Stranger) -> None: ...

    with pytest.raises(ToolError) as caught:
        as_tool(g)
    assert str(caught.value).startswith("The hint of 'log' of 'g' has no JSON Schema: ")
    assert str(caught.value).endswith("then the model is not told of it.")
    assert "http" not in str(caught.value)
    assert list(as_tool(functools.partial(g, log=Stranger())).properties) == ["query"]


def test_a_hint_that_pydantic_cannot_read_is_told_even_beside_a_default() -> None:
    class Later(pydantic.BaseModel):
        inner: Nowhere  # type: ignore[name-defined]  # noqa: F821

    def f(query: str, later: Later | None = None) -> None: ...

    f.__annotations__ = {"query": str, "later": Later}
    with pytest.raises(ToolError, match=r"The hint of 'later' of 'f' has no JSON Schema: .*not fully defined"):
        as_tool(f)


def test_what_a_partial_has_given_is_none_of_the_models_business() -> None:
    def read(path: str, root: str, limit: int = 5) -> None: ...

    tool = as_tool(functools.partial(read, root="/srv"))
    assert (list(tool.properties), tool.required) == (["path", "limit"], ("path",))
    tool = as_tool(functools.partial(functools.partial(read, root="/srv"), limit=1))
    assert list(tool.properties) == ["path"]


def test_a_method_without_its_object_is_the_callers_error() -> None:
    class Box:
        def put(self, thing: str) -> None: ...

    with pytest.raises(ToolError) as caught:
        as_tool(Box.put)
    assert str(caught.value) == "'put' is a method without its object. Give the object's: as_tool(thing.method)."
    assert list(as_tool(Box().put).properties) == ["thing"]


def test_a_plain_class_is_a_tool_that_makes_one() -> None:
    class Box:
        def __init__(self, size: int, *, lid: bool = True) -> None: ...

    tool = as_tool(Box)
    assert tool.name == "Box"
    assert tool.properties == {"size": {"type": "integer"}, "lid": {"type": "boolean", "default": True}}


def test_defaults_that_are_no_json_are_not_told() -> None:
    def f(a: float = float("inf"), b: float = float("nan"), c: float = 1.5) -> None: ...

    assert [x.get("default") for x in as_tool(f).properties.values()] == [None, None, 1.5]


# --- classes of pydantic's --------------------------------------------------------------------------------------------


class Forecast(pydantic.BaseModel):
    """The weather.

    Attributes:
        city: where
        days: how many
    """

    city: str
    days: int = pydantic.Field(3, description="from today on")
    where: Place | None = None


def test_a_class_of_pydantics_is_a_tool_without_a_function() -> None:
    tool = as_tool(Forecast)
    assert (tool.name, tool.description, tool.function) == ("Forecast", "The weather.", None)
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "where"},
            "days": {"type": "integer", "default": 3, "description": "from today on"},
            "where": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": None},
        },
        "required": ["city"],
        "$defs": {"Place": PLACE},
    }
    with pytest.raises(ToolError, match="has no function"):
        tool()


def test_a_class_that_refers_to_itself() -> None:
    tool = as_tool(Node)
    assert list(tool.properties) == ["value", "next"]


def test_a_class_without_a_docstring_says_nothing() -> None:
    class Bare(pydantic.BaseModel):
        x: int

    assert as_tool(Bare).description == ""
    assert toolbox([Bare, Forecast]) is not None


def test_a_class_that_json_has_no_words_for_is_the_callers_error() -> None:
    class Odd(pydantic.BaseModel):
        then: Callable[[], None]

    class Listed(pydantic.RootModel[list[int]]):
        """Numbers."""

    with pytest.raises(ToolError, match="The fields of 'Odd' have no JSON Schema: "):
        as_tool(Odd)
    with pytest.raises(ToolError, match="The parameters of tool 'Listed' must be a JSON Schema of type object"):
        as_tool(Listed)
