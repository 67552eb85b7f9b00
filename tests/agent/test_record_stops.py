"""Records of runs that somebody stopped: the clock, or a switch. They end again where they ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from polylect import Agent, Cancel, Recorder, RunResult, replay, replay_events

from .scenes import ASYNC, DRIVERS, agent, answer, call, calls, echo, in_loop, run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def slow(text: str) -> str:
    """It takes a long time, in small steps."""
    for _ in range(3_000):
        time.sleep(0.01)
    return "slow"


async def waiting(text: str) -> str:
    """It waits for nothing."""
    await anyio.sleep(30)
    return "waiting"


class Endless:
    """A model that never ends its first reply, and gives the others whole."""

    def __init__(self, *replies: str, cancel: Cancel | None = None) -> None:
        self.replies, self.cancel = list(replies), cancel
        self.begun = False

    def __call__(self, prompt: str) -> Iterator[str]:
        if self.begun:
            yield self.replies.pop(0)
            return
        self.begun = True
        yield "Thought: so"
        for _ in range(3_000):
            if self.cancel is not None:
                self.cancel.cancel()
            time.sleep(0.01)
            yield " much"


def again(path: Path, result: RunResult, built: Agent | None = None) -> None:
    """Replay gives the result, with and without the agent, and as the last event."""
    assert replay(path) == result
    assert replay(path, built) == result
    *_, last = replay_events(path)
    assert getattr(last, "result", None) == result


@pytest.mark.parametrize("early", ["force", "generate"])
@pytest.mark.parametrize("tool", [slow, waiting])
@pytest.mark.parametrize("driver", DRIVERS)
def test_time_runs_out_during_tools(driver: str, tool: Any, early: str, path: Path) -> None:
    turn = calls("react", ("echo", "a"), (tool.__name__, "b"), ("nosuch", "c"), (tool.__name__, "d"))
    built, _ = agent(
        "react",
        turn,
        answer("react"),
        tools=[echo, tool],
        max_execution_time=0.3,
        early_stopping=early,
        hooks=[Recorder(path)],
    )
    result = run(driver, built)
    assert [x.status for x in result.turns[0].results] == ["ok", "timeout", "unknown", "timeout"]
    assert result.stop_reason == "time"
    again(path, result, built)


@pytest.mark.parametrize("early", ["force", "generate"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_time_runs_out_while_the_model_writes(driver: str, early: str, path: Path) -> None:
    model = Endless(answer("react"))
    built = Agent("react", model, [echo], max_execution_time=0.2, early_stopping=early, hooks=[Recorder(path)])
    result = run(driver, built)
    assert (result.stop_reason, result.turns[0].error is not None) == ("time", True)
    assert str(result.turns[0].output).startswith("Thought: so")
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_time_runs_out_while_the_model_writes_the_last_answer(driver: str, path: Path) -> None:
    built = Agent(
        "react",
        Endless(),
        [echo],
        max_iterations=0,
        max_execution_time=0.2,
        early_stopping="generate",
        hooks=[Recorder(path)],
    )
    result = run(driver, built)
    assert result.stop_reason == "iterations"
    assert result.turns[0].error is not None
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_time_runs_out_between_turns(driver: str, path: Path) -> None:
    def nap(text: str) -> str:
        time.sleep(0.05)
        return "rested"

    built, _ = agent("react", *[call("react", "nap")] * 50, tools=[nap], max_execution_time=0.2, max_iterations=None,
                     max_repeats=None, hooks=[Recorder(path)])  # fmt: skip
    result = run(driver, built)
    assert result.stop_reason == "time"
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_run_without_time_ends_before_the_model_is_asked(driver: str, path: Path) -> None:
    built, _ = agent("react", max_execution_time=0, hooks=[Recorder(path)])
    result = run(driver, built)
    assert (result.stop_reason, result.turns) == ("time", ())
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_cancelled_before_it_began(driver: str, path: Path) -> None:
    cancel = Cancel()
    cancel.cancel()
    built, _ = agent("react", hooks=[Recorder(path)])
    result = run(driver, built, cancel=cancel)
    assert result.stop_reason == "cancelled"
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_cancelled_by_a_tool(driver: str, path: Path) -> None:
    cancel = Cancel()

    def stop(text: str) -> str:
        cancel.cancel()
        return "stopped"

    turn = calls("react", ("stop", "a"), ("slow", "b"))
    built, _ = agent("react", turn, tools=[stop, slow], early_stopping="generate", hooks=[Recorder(path)])
    result = run(driver, built, cancel=cancel)
    assert (result.stop_reason, len(result.steps)) == ("cancelled", 2)
    assert result.turns[0].results[1].status == "cancelled"
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_cancelled_while_the_model_writes(driver: str, path: Path) -> None:
    cancel = Cancel()
    built = Agent("react", Endless(cancel=cancel), [echo], hooks=[Recorder(path)])
    result = run(driver, built, cancel=cancel)
    assert (result.stop_reason, len(result.turns)) == ("cancelled", 1)
    again(path, result, built)


@pytest.mark.parametrize("driver", ASYNC)
def test_cancelled_from_another_task(driver: str, path: Path) -> None:
    cancel = Cancel()
    built, _ = agent("react", calls("react", ("echo", "a"), ("waiting", "b")), tools=[echo, waiting],
                     hooks=[Recorder(path)])  # fmt: skip

    results: list[RunResult] = []

    async def main() -> None:
        async def pull() -> None:
            while path.read_bytes().count(b"\n") < 3:  # echo has ended
                await anyio.sleep(0.01)
            cancel.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(pull)
            results.append(await built.arun("q", cancel=cancel))

    in_loop(driver, main)
    (result,) = results
    assert [x.status for x in result.turns[0].results] == ["ok", "cancelled"]
    again(path, result, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_cancelled_run_is_taken_up_again(driver: str, path: Path) -> None:
    cancel = Cancel()
    built = Agent("react", Endless(answer("react"), cancel=cancel), [echo], hooks=[Recorder(path)])
    state = built.start("q")
    assert run(driver, built, state, cancel=cancel).stop_reason == "cancelled"
    state.stopping = None
    result = run(driver, built, state)
    assert (result.output, len(result.turns)) == ("42", 2)
    again(path, result, built)
