"""A function as a tool: its name, its docstring, and a JSON Schema of its signature."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Literal

import pytest

from polylect import ToolError, as_tool


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = as_tool(function).parameters["properties"]
    return found


def written(source: str) -> Callable[..., Any]:
    """A function as its author wrote it, in any style and without hints if he likes."""
    names: dict[str, Any] = {}
    exec(f"from collections.abc import *\nfrom typing import *\n{source}", names)
    function: Callable[..., Any] = names["f"]
    return function


def search(query: str, limit: int = 3, *args: int, deep: bool = False, **more: str) -> str:
    """Look something up.

    In an encyclopedia.
    """
    return query


def test_a_function_is_a_tool() -> None:
    tool = as_tool(search)
    assert (tool.name, tool.description) == ("search", "Look something up.\n\nIn an encyclopedia.")
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "default": 3},
            "deep": {"type": "boolean", "default": False},
        },
        "required": ["query"],
        "additionalProperties": {"type": "string"},
    }
    assert tool.function is search


def test_a_function_without_parameters_docstring_or_hints() -> None:
    now = as_tool(written("def f(): return 'noon'"))
    assert (now.description, now.parameters) == ("", {"type": "object", "properties": {}})
    assert as_tool(written("def f(one, two=2): return one + two")).parameters == {
        "type": "object",
        "properties": {"one": {}, "two": {"default": 2}},
        "required": ["one"],
    }


def test_plain_types() -> None:
    def f(a: str, b: int, c: float, d: bool, e: None, f: Any, g: bytes, h: object) -> None: ...

    assert schema_of(f) == {
        "a": {"type": "string"},
        "b": {"type": "integer"},
        "c": {"type": "number"},
        "d": {"type": "boolean"},
        "e": {"type": "null"},
        "f": {},
        "g": {"type": "string", "format": "binary"},
        "h": {},
    }


def test_lists_and_dicts_in_any_spelling() -> None:
    f = written(
        "def f(a: list[str], b: list, c: List[int], d: tuple[int, ...], e: Sequence[str], f: list[list[int]], "
        "g: dict[str, int], h: dict, i: Dict[str, int], j: Mapping[str, int]): ..."
    )
    numbers = {"type": "array", "items": {"type": "integer"}}
    assert schema_of(f) == {
        "a": {"type": "array", "items": {"type": "string"}},
        "b": {"type": "array", "items": {}},
        "c": numbers,
        "d": numbers,
        "e": {"type": "array", "items": {"type": "string"}},
        "f": {"type": "array", "items": numbers},
        "h": {"type": "object", "additionalProperties": True},
        **{key: {"type": "object", "additionalProperties": {"type": "integer"}} for key in "gij"},
    }


def test_optional_and_unions_in_any_spelling() -> None:
    f = written("def f(a: Optional[str], b: int | None, c: Union[int, str], d: 'int | None' = None): ...")
    either = [{"type": "integer"}, {"type": "null"}]
    assert schema_of(f) == {
        "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "b": {"anyOf": either},
        "c": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        "d": {"anyOf": either, "default": None},
    }


def test_literals() -> None:
    def f(a: Literal["c", "f"], b: Literal[1, 2] = 1) -> None: ...

    assert schema_of(f) == {
        "a": {"type": "string", "enum": ["c", "f"]},
        "b": {"type": "integer", "enum": [1, 2], "default": 1},
    }


def test_what_is_said_of_a_parameter_is_its_description() -> None:
    def f(
        a: Annotated[int, "how many"], c: Annotated[list[str], "names", "more"], b: Annotated[str, 5] = "x"
    ) -> None: ...

    assert schema_of(f) == {
        "a": {"type": "integer", "description": "how many"},
        "b": {"type": "string", "default": "x"},
        "c": {"type": "array", "items": {"type": "string"}, "description": "names"},
    }


def test_defaults_that_json_has_no_word_for_only_make_a_parameter_optional() -> None:
    def f(a: object = object(), b: tuple[str, ...] = (), c: str = "x", d: float = 0.5) -> None: ...

    tool = as_tool(f)
    assert tool.required == ()
    assert {name: schema.get("default") for name, schema in tool.properties.items()} == {
        "a": None,
        "b": None,
        "c": "x",
        "d": 0.5,
    }


def test_an_asynchronous_function_is_a_tool() -> None:
    async def fetch(url: str) -> str:
        """Get a page."""
        return url

    tool = as_tool(fetch)
    assert (tool.name, tool.description, tool.required) == ("fetch", "Get a page.", ("url",))
    function: Callable[..., Awaitable[str]] | None = tool.function
    assert function is fetch


class Box:
    """A box."""

    def put(self, thing: str) -> str:
        """Put it in."""
        return thing

    @classmethod
    def make(cls, size: int) -> None:
        """Make one."""

    @staticmethod
    def fold(how: str) -> None:
        """Fold one."""

    def __call__(self, what: str, times: int = 1) -> None:
        """Do it."""


@pytest.mark.parametrize(
    ("function", "name", "told", "argument"),
    [
        (Box().put, "put", "Put it in.", {"thing": {"type": "string"}}),
        (Box.make, "make", "Make one.", {"size": {"type": "integer"}}),
        (Box.fold, "fold", "Fold one.", {"how": {"type": "string"}}),
    ],
)
def test_methods_are_tools_without_their_self(
    function: Callable[..., Any], name: str, told: str, argument: dict[str, Any]
) -> None:
    tool = as_tool(function)
    assert (tool.name, tool.description, tool.properties) == (name, told, argument)


def test_a_callable_object_is_a_tool() -> None:
    tool = as_tool(Box())
    assert tool.name == "Box"
    assert tool.properties == {"what": {"type": "string"}, "times": {"type": "integer", "default": 1}}


def test_a_partial_function_is_a_tool_of_what_is_left() -> None:
    tool = as_tool(functools.partial(search, "Oslo", deep=True))
    assert tool.name == "search"
    assert "query" not in tool.properties
    assert tool.properties["limit"] == {"type": "integer", "default": 3}


def test_a_wrapped_function_is_the_tool_that_it_wraps() -> None:
    @functools.wraps(search)
    def logged(*args: Any, **kwargs: Any) -> str:
        return search(*args, **kwargs)

    assert as_tool(logged).parameters == as_tool(search).parameters
    assert as_tool(logged).function is logged


def broken(hint: str) -> Callable[..., Any]:
    """A function whose only parameter has a hint that cannot be read."""

    def f(x: Any) -> None: ...

    f.__annotations__["x"] = hint
    return f


@pytest.mark.parametrize("hint", ["Nowhere", "1 +", "1 / 0", "str.nowhere", "list[", "[1]"])
def test_a_hint_that_cannot_be_read_is_the_callers_error(hint: str) -> None:
    with pytest.raises(ToolError, match="'f'"):
        as_tool(broken(hint))


@pytest.mark.parametrize("function", [int, dict, type])
def test_what_has_no_signature_is_the_callers_error(function: Any) -> None:
    with pytest.raises(ToolError) as caught:
        as_tool(function)
    assert str(caught.value).startswith(f"The signature of {function.__name__!r} can't be read: ")
    assert not str(caught.value).endswith("..")
