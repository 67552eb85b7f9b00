"""Tools in processes of their own: whatever they do, the run goes on."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

import polylect

from .endless import no_threads
from .scenes import DRIVERS, agent, answer, call, calls, observations, run


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module with the tools, where the new process finds it too."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    return importlib.import_module("hanging")


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_hangs_is_killed(driver: str, hanging: Any) -> None:
    tools = (polylect.isolated(hanging.hang), hanging.double)
    turn = calls("react", ("hang", "a"), ("double", "b"))
    built, _ = agent("react", turn, tools=tools, max_execution_time=1.5)
    result = run(driver, built)
    assert result.stop_reason == "time"
    assert result.turns[0].results[0].status == "timeout"
    assert no_threads()


def test_results_and_errors_come_back(hanging: Any) -> None:
    tools = [polylect.isolated(x) for x in (hanging.crash, hanging.closure, hanging.fail)] + [hanging.double]
    turn = calls("react", ("double", "ab"), ("crash", "a"), ("closure", "a"), ("fail", "no city"))
    built, _ = agent("react", turn, answer("react"), tools=tools)
    told = observations(run("run", built))
    assert told[0] == "abab"
    assert "ended without a result" in told[1]
    assert "can't be sent" in told[2]
    assert told[3] == "The tool 'fail' failed: ValueError: no city"


def test_only_what_can_be_found_again_can_be_isolated() -> None:
    with pytest.raises(polylect.ToolError, match="top level of a module"):
        polylect.isolated(lambda text: text)


def test_an_isolated_tool_is_described_like_the_function(hanging: Any) -> None:
    tool = polylect.as_tool(polylect.isolated(hanging.fail))
    assert (tool.name, tool.description, list(tool.properties)) == ("fail", "Raise.", ["text"])
    built, _ = agent("react", call("react", "double", "x"), answer("react"), tools=(hanging.double,))
    assert observations(run("asyncio", built)) == ["xx"]
