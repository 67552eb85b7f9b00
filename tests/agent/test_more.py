"""Tools that yield, tools that are broken, and what is told before it happens."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import polylect
from polylect import (
    Agent,
    LectError,
    ModelError,
    Pipeline,
    PluginError,
    PromptError,
    RunError,
    Scripted,
    Tool,
    ToolError,
    ToolStart,
)

from .scenes import DRIVERS, agent, answer, call, echo, observations, run


def count(text: str) -> Iterator[int]:
    """Count."""
    yield from range(3)


async def acount(text: str) -> AsyncIterator[int]:
    """Count."""
    for number in range(3):
        yield number


def endless(text: str) -> Iterator[str]:
    """Go on for ever."""
    while True:
        yield text


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("tool", [count, acount])
def test_what_a_tool_yields_is_its_result(tool: Any, driver: str) -> None:
    built, _ = agent("react", call("react", tool.__name__), answer("react"), tools=(tool,))
    assert observations(run(driver, built)) == [[0, 1, 2]]


def test_an_endless_tool_has_an_end() -> None:
    built, _ = agent("react", call("react", "endless", "x"), answer("react"), tools=(endless,))
    (told,) = observations(built.run("q"))
    assert told == ["x"] * 10_000


def test_a_tool_is_told_before_it_begins() -> None:
    begun: list[str] = []

    def note(text: str) -> str:
        begun.append(text)
        return text

    built, _ = agent("react", call("react", "note"), answer("react"), tools=(note,))
    for event in built.stream("q"):
        if isinstance(event, ToolStart):
            assert begun == []
    assert begun == ["hi"]


def test_a_run_may_be_cancelled_when_a_tool_is_told() -> None:
    cancel = polylect.Cancel()
    begun: list[str] = []

    def note(text: str) -> str:
        begun.append(text)
        return text

    built, _ = agent("react", call("react", "note"), answer("react"), tools=(note,))
    for event in built.stream("q", cancel=cancel):
        if isinstance(event, ToolStart):
            cancel.cancel()
    assert begun == []


def test_a_tool_whose_schema_is_another_functions_is_refused_when_the_agent_is_built() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    with pytest.raises(ToolError, match="does not name"):
        agent("react", tools=(Tool("echo", "", schema, echo),))


def test_tools_of_a_pipeline_may_be_taken_away() -> None:
    pipeline = Pipeline("react", Scripted([answer("react")]), [echo])
    assert list(Agent(pipeline).pipeline.tools or ()) == ["echo"]
    assert list(Agent(pipeline, tools=[]).pipeline.tools or ()) == []


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_models_own_timeout_is_the_end_of_time(driver: str) -> None:
    script = Scripted([call("react"), answer("react")], delay=0.3)
    built = Agent("react", script, [echo], max_execution_time=0.45)
    result = run(driver, built)
    assert result.stop_reason == "time"
    assert observations(result) == ["said hi"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_timeout_before_time_is_up_is_a_fault(driver: str) -> None:
    built, _ = agent("react", ModelError("too slow"), max_execution_time=60)
    with pytest.raises(RunError, match="too slow"):
        run(driver, built)


# --- errors that are for the caller -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"max_iteration": 3}, "Did you mean 'max_iterations'"),
        ({"handle_parsing_errors": True}, "called parsing_errors here"),
        ({"verbose": True}, "to_text"),
        ({"hook": []}, "Did you mean 'hooks'"),
        ({"truncatd": "drop"}, "Did you mean 'truncated'"),
    ],
)
def test_what_an_agent_has_not_is_told_with_what_it_has(options: dict[str, Any], told: str) -> None:
    with pytest.raises(LectError, match=told):
        agent("react", **options)


def test_hooks_are_a_list() -> None:
    wrong: Any = object()
    with pytest.raises(PluginError, match="hooks is a list"):
        agent("react", hooks=wrong)


def test_arun_needs_anyio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anyio", None)
    built, _ = agent("react", answer("react"))
    with pytest.raises(PromptError, match=r"polylect-core\[agent\]"):
        built.astream("q")


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_stage_of_the_callers_that_fails_in_the_middle_loses_no_step(driver: str) -> None:
    def trim(steps: list[Any]) -> list[Any]:
        if len(steps) > 1:
            raise ZeroDivisionError("mine")
        return steps

    built, _ = agent("react", call("react", given="1"), call("react", given="2"), answer("react"), trim=trim)
    with pytest.raises(RunError, match="ZeroDivisionError: mine") as caught:
        run(driver, built)
    assert len(caught.value.steps) == 2
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_chosen_tool_has_the_name_that_the_api_takes() -> None:
    tool = Tool("my tool!", "Odd.", {"type": "object", "properties": {"text": {"type": "string"}}}, echo)
    built, model = agent(
        "tool_calls", call("tool_calls", "my tool!"), answer("tool_calls"), tools=(tool,), tool_choice="my tool!"
    )
    built.run("q")
    assert model.asked[0].tools is not None
    assert model.asked[0].tool_choice == model.asked[0].tools[0]["function"]["name"] == "my_tool_"
