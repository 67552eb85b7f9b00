"""Tools that raise anything, give back anything, and change what they are given: each is an observation."""

from __future__ import annotations

import asyncio
import collections
import enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import Agent, AgentAction, RunResult, RunState, Scripted, Tool, ToolError
from polylect.agent._observations import copied, observation_of

from .scenes import DRIVERS, agent, answer, call, calls, observations, run


class Unequal:
    """It can't be compared."""

    def __eq__(self, other: object) -> bool:
        raise ValueError("not with you")

    __hash__ = None  # type: ignore[assignment]


class Nameless:
    """It can't be shown, and ends whoever tries."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error

    __str__ = __repr__


class Endless(str):
    """A text that has no length."""

    def __len__(self) -> int:
        raise ValueError("no end in sight")


class Two(enum.StrEnum):
    """A text that is more than one."""

    ONE = "one"


def circle() -> list[Any]:
    found: list[Any] = [1]
    found.append({"self": found, "again": found})
    return found


def released() -> memoryview:
    view = memoryview(b"gone")
    view.release()
    return view


VALUES = {
    "unequal": Unequal(),
    "nameless": Nameless(ValueError("no name")),
    "last words": Nameless(SystemExit(3)),
    "end": Nameless(GeneratorExit()),
    "endless": Endless("text"),
    "choice": Two.ONE,
    "circle": circle(),
    "nan": float("nan"),
    "inside": {"a": [Nameless(SystemExit(3))]},
    "released": released(),
    "table": memoryview(b"abcdef").cast("B", (2, 3)),
    "long number": 10**6_000,
    "odd keys": {(1, 2): 3, None: b"\xff"},
    "surrogate": {"\ud800": "\udfff"},
    "ordered": collections.OrderedDict(a=1),
}


@pytest.mark.parametrize("limit", [None, 1_000])
@pytest.mark.parametrize("lect", ["react", "tool_calls"])
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("name", VALUES)
def test_a_tool_may_give_back_anything(name: str, driver: str, lect: str, limit: int | None) -> None:
    def give(text: str) -> Any:
        """Give it back."""
        return VALUES[name]

    script = (call(lect, "give"), call(lect, "give"), answer(lect))
    built, _ = agent(lect, *script, tools=(give,), max_observation=limit)
    result = run(driver, built)
    assert (result.output, len(result.steps)) == ("42", 2)
    assert RunResult.from_json(result.to_json()).output == "42"
    assert "give" in result.to_text()


@pytest.mark.parametrize("value", [1, float("nan"), [1, {"a": None}], Unequal, b"\xff", circle()])
def test_the_same_value_again_and_again_is_a_loop_whatever_it_is_equal_to(value: Any) -> None:
    def give(text: str) -> Any:
        return value

    built, _ = agent("react", *[call("react", "give")] * 9, tools=(give,), max_repeats=3)
    assert built.run("q").stop_reason == "loop"


def test_values_that_are_equal_and_not_the_same_are_no_loop() -> None:
    values = iter([1, True, 1.0, [1], [True], {"a": 1}, {"a": True}, {"a": 1.0}])

    def give(text: str) -> Any:
        return next(values)

    built, _ = agent("react", *[call("react", "give")] * 8, answer("react"), tools=(give,), max_repeats=2)
    assert built.run("q").finished


# --- what they raise --------------------------------------------------------------------------------------------------


class Again:
    """A wrapper that tries once more, and then lets the error through."""

    def polylect_wrap_tool_call(self, action: AgentAction) -> Any:
        try:
            return (yield action)
        except BaseException:
            return (yield action)


ERRORS = (
    GeneratorExit("a"), StopIteration("a"), StopAsyncIteration("a"), asyncio.CancelledError("a"), SystemExit("a"),
    BaseExceptionGroup("a", [SystemExit()]), BaseException("a"),
)  # fmt: skip


@pytest.mark.parametrize("wrapped", [False, True], ids=["alone", "wrapped"])
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_tool_may_raise_anything(error: BaseException, driver: str, wrapped: bool) -> None:
    def burst(text: str) -> str:
        raise error

    async def aburst(text: str) -> str:
        if isinstance(error, StopIteration):  # a coroutine can't
            raise RuntimeError("a")
        raise error

    script = (call("react", "burst"), calls("react", ("burst", "x"), ("aburst", "y")), answer("react"))
    built, _ = agent("react", *script, tools=(burst, aburst), hooks=[Again()] if wrapped else [])
    result = run(driver, built)
    assert result.output == "42"
    assert [x.status for turn in result.turns for x in turn.results] == ["error"] * 3
    for told in observations(result):
        assert "failed: " in told
        assert type(error).__name__ in told or "RuntimeError" in told


# --- what they change -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", ["react", "tool_calls"])
def test_a_tool_that_changes_its_arguments_changes_its_own(lect: str, driver: str) -> None:
    def sort(items: list[Any], names: dict[str, Any]) -> str:
        """Sort them, and take what is in them."""
        items.sort()
        names["inner"].clear()
        names.clear()
        return "sorted"

    given = {"items": [3, 1, 2], "names": {"inner": {"a": 1}}}
    built, _ = agent(lect, call(lect, "sort", given), answer(lect), tools=(sort,))
    result = run(driver, built)
    assert observations(result) == ["sorted"]
    assert result.steps[0].action.tool_input == {"items": [3, 1, 2], "names": {"inner": {"a": 1}}}
    reply = result.turns[0].reply
    assert reply is not None
    assert reply.calls[0].arguments == {"items": [3, 1, 2], "names": {"inner": {"a": 1}}}


@pytest.mark.parametrize("limit", [None, 1_000])
@pytest.mark.parametrize("driver", DRIVERS)
def test_an_observation_is_what_it_was_when_the_tool_ended(driver: str, limit: int | None) -> None:
    kept: list[Any] = []
    notes = {"all": kept}

    def note(text: str) -> Any:
        """Note it down; all notes."""
        kept.append(text)
        return notes

    script = (call("react", "note", "a"), call("react", "note", "b"), answer("react"))
    built, model = agent("react", *script, tools=(note,), max_observation=limit)
    assert observations(run(driver, built)) == [{"all": ["a"]}, {"all": ["a", "b"]}]
    assert 'Observation: {"all": ["a"]}\n' in model.asked[-1].prompt


json_like = st.recursive(
    st.one_of(st.none(), st.integers(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=2), inner, max_size=3), st.tuples(inner, inner)
    ),
    max_leaves=12,
)


def _containers(value: Any) -> list[int]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    own = [id(value)] if isinstance(value, (dict, list)) else []
    return own + [found for x in inner for found in _containers(x)]


@given(json_like)
def test_a_copy_is_equal_and_shares_nothing_that_can_be_changed(value: Any) -> None:
    made = copied(value)
    assert made == value
    assert type(made) is type(value)
    assert not set(_containers(made)) & set(_containers(value))


def test_what_is_in_many_places_is_copied_once() -> None:
    value: Any = []
    for _ in range(150):
        value = [value, value] if isinstance(value, tuple) else (value, value)
    made = copied(value)
    assert made is not value
    assert made[0] is made[1]
    ring = copied(circle())
    assert ring[1]["self"] is ring


@given(st.one_of(st.text(), st.binary(), json_like), st.one_of(st.none(), st.integers(1, 40)))
def test_what_is_kept_is_kept_once_more(value: Any, limit: int | None) -> None:
    once = observation_of(value, limit)
    assert observation_of(once, limit) == once


# --- what they are called ---------------------------------------------------------------------------------------------


def test_no_tool_has_the_name_of_calls_that_must_not_run() -> None:
    with pytest.raises(ToolError, match="_Exception"):
        agent("react", tools=(Tool(polylect.EXCEPTION_TOOL, "", {"type": "object", "properties": {}}, lambda: "ran"),))


# --- what they do -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_tool_may_run_its_own_agent(driver: str) -> None:
    built: list[Agent] = []

    def ask(text: str) -> Any:
        """Ask the same agent."""
        return built[0].run(text).output

    replies = [call("react", "ask", "inner"), answer("react", "deep"), answer("react", "outer")]
    built.append(Agent("react", Scripted(replies), [ask]))
    result = run(driver, built[0])
    assert (result.output, observations(result)) == ("outer", ["deep"])


@pytest.mark.parametrize("driver", DRIVERS)
def test_an_agent_within_a_tool_may_fail(driver: str) -> None:
    inner = Agent("react", Scripted([]), [])

    def ask(text: str) -> Any:
        """Ask another agent."""
        return inner.run(text).output

    built, _ = agent("react", call("react", "ask"), answer("react"), tools=(ask,), tool_errors="raise")
    with pytest.raises(polylect.RunError) as caught:
        run(driver, built)
    assert isinstance(caught.value.state, RunState)
    assert caught.value.state.inputs == {"input": "q"}
