"""What a recorder writes, of one run and of many, of those that fail too."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import anyio
import pytest

import polylect
from polylect import (
    Recorder,
    RunError,
    RunResult,
    Tool,
    ToolEnd,
    replay,
    replay_events,
)

from .records import broken, kinds, lines
from .scenes import DRIVERS, agent, answer, call, calls, echo, run


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


# --- what is written --------------------------------------------------------------------------------------------------


def test_a_line_for_everything_that_happens(path: Path) -> None:
    replies = [call("react", thought="look"), call("react", "nosuch"), answer("react")]
    built, _ = agent("react", *replies, hooks=[Recorder(path)], max_iterations=7)
    result = built.run("Where?")
    assert kinds(path) == ["run", "model", "tool", "model", "tool", "model", "end"]
    first, reply, found, _, refused, _, last = lines(path)
    assert len({line["run"] for line in lines(path)}) == 1
    assert (first["version"], first["lect"], first["inputs"]) == (1, "react", {"input": "Where?"})
    assert (first["model"], first["settings"]["max_iterations"]) == ("scripted", 7)
    assert first["tools"] == [
        {
            "type": "function",
            "function": {
                "name": "echo",
                "description": "Say it again.",
                "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
            },
        }
    ]
    assert "left_out" not in first
    assert "state" not in first
    assert (reply["turn"], reply["output"]) == (1, replies[0])
    assert (found["tool"], found["tool_input"], found["result"]["observation"]) == ("echo", "hi", "said hi")
    assert (refused["tool"], refused["result"]["status"]) == ("nosuch", "unknown")
    assert (last["output"], last["stop_reason"], last["iterations"]) == ("42", "finished", result.iterations)
    assert "turns" not in last


def test_what_has_happened_is_in_the_file_at_once(path: Path) -> None:
    seen: list[list[str]] = []

    def look(text: str) -> str:
        seen.append(kinds(path))
        return "looked"

    built, _ = agent(
        "react", call("react", "look"), call("react", "look"), answer("react"), tools=[look], hooks=[Recorder(path)]
    )
    built.run("q")
    assert seen == [["run", "model"], ["run", "model", "tool", "model"]]


def test_each_result_is_written_when_it_is_there_and_replayed_in_the_models_order(path: Path) -> None:
    waits = anyio.Event

    async def main() -> RunResult:
        first = waits()

        async def slow(text: str) -> str:
            await first.wait()
            return "slow"

        async def fast(text: str) -> str:
            first.set()
            return "fast"

        built, _ = agent(
            "react",
            calls("react", ("slow", "a"), ("fast", "b")),
            answer("react"),
            tools=[slow, fast],
            hooks=[Recorder(path)],
        )
        return await built.arun("q")

    result = anyio.run(main)
    assert [line["tool"] for line in lines(path) if line["type"] == "tool"] == ["fast", "slow"]
    assert [step.observation for step in result.steps] == ["slow", "fast"]
    assert replay(path) == result


def test_a_recorder_writes_to_open_files_and_leaves_them_open(path: Path) -> None:
    text, data = io.StringIO(), io.BytesIO()
    built, _ = agent("react", call("react"), answer("react"), hooks=[Recorder(text), Recorder(data)])
    result = built.run("q")
    assert not text.closed
    assert replay(text.getvalue().splitlines()) == replay(io.BytesIO(data.getvalue())) == result
    with path.open("w", encoding="utf-8") as file:
        built, _ = agent("react", answer("react"), hooks=[Recorder(file)])
        result = built.run("q")
        assert replay(path) == result  # flushed, although it is open


@pytest.mark.parametrize("wrong", [None, 7, ["run.jsonl"]])
def test_a_recorder_needs_something_to_write_to(wrong: Any) -> None:
    with pytest.raises(TypeError, match="writes to a path or an open file"):
        Recorder(wrong)


def test_a_recorder_says_at_once_that_it_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Recorder(tmp_path / "no" / "run.jsonl")


def test_events_come_in_the_order_in_which_the_tools_ended(path: Path) -> None:
    test_each_result_is_written_when_it_is_there_and_replayed_in_the_models_order(path)
    ended = [event.action.tool for event in replay_events(path) if isinstance(event, ToolEnd)]
    assert ended == ["fast", "slow"]


# --- many runs in one file --------------------------------------------------------------------------------------------


def test_several_runs_of_a_file(path: Path) -> None:
    built, _ = agent("react", answer("react", "1"), call("react"), answer("react", "2"), hooks=[Recorder(path)])
    one, two = built.run("a"), built.run("b")
    assert kinds(path) == ["run", "model", "end", "run", "model", "tool", "model", "end"]
    again, _ = agent("react", answer("react", "3"), hooks=[Recorder(path)])  # what is there stays
    three = again.run("c")
    assert [replay(path, run=n) for n in (0, 1, 2, -1)] == [one, two, three, three]
    with pytest.raises(polylect.RecordError, match=r"run\.jsonl has 3 runs, and none of number 3\."):
        replay(path, run=3)


def test_runs_at_the_same_time_stand_mixed_in_a_file(path: Path) -> None:
    recorder = Recorder(path)
    begun: list[anyio.Event] = []

    async def main() -> dict[int, RunResult]:
        begun.extend(anyio.Event() for _ in range(5))
        results: dict[int, RunResult] = {}

        async def one(number: int) -> None:
            async def meet(text: str) -> str:
                begun[number].set()
                for event in begun:
                    await event.wait()
                return f"{number} met"

            built, _ = agent(
                "react", call("react", "meet"), answer("react", str(number)), tools=[meet], hooks=[recorder]
            )
            results[number] = await built.arun(f"q{number}")

        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(one, number)
        return results

    results = anyio.run(main)
    assert kinds(path)[:5] != ["run", "model", "tool", "model", "end"]
    found = [replay(path, run=number) for number in range(5)]
    assert sorted(x.output for x in found) == [str(n) for n in range(5)]
    assert all(results[int(x.output)] == x for x in found)


def test_runs_of_several_recorders_and_agents_are_kept_apart(path: Path) -> None:
    inner, _ = agent("xml_tags", call("xml_tags"), answer("xml_tags", "in"), hooks=[Recorder(path)])

    def ask(text: str) -> Any:
        """Ask another agent."""
        return inner.run(text).output

    one, _ = agent("react", call("react", "ask"), answer("react", "out"), tools=[ask], hooks=[Recorder(path)])
    result = one.run("q")
    assert [replay(path, run=n).output for n in (0, 1)] == ["out", "in"]
    assert replay(path, run=0) == result


# --- failures ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_record_of_a_failed_run_gives_the_run_to_be_taken_up(driver: str, path: Path) -> None:
    replies = [calls("react", ("echo", "a"), ("echo", "b")), ConnectionError("gone")]
    built, _ = agent("react", *replies, hooks=[Recorder(path)])
    with pytest.raises(RunError) as failed:
        run(driver, built)
    assert kinds(path) == ["run", "model", "tool", "tool", "error"]
    with pytest.raises(
        RunError, match="The recorded run failed: RunError: The model failed in turn 2: Connection"
    ) as told:
        replay(path)
    assert told.value.state.steps == failed.value.state.steps
    assert told.value.state.turns == failed.value.state.turns
    again, _ = agent("react", answer("react"), hooks=[Recorder(path)])
    result = again.run(told.value.state)
    assert (result.output, len(result.turns)) == ("42", 2)
    assert replay(path) == result
    assert lines(path)[5]["state"]["steps"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_its_siblings_did_is_kept_when_a_tool_fails(driver: str, path: Path) -> None:
    built, _ = agent(
        "react", calls("react", ("echo", "a"), ("broken", "b"), ("echo", "c")), tools=[echo, broken],
        tool_errors="raise", hooks=[Recorder(path)],
    )  # fmt: skip
    with pytest.raises(RunError) as failed:
        run(driver, built)
    with pytest.raises(RunError, match="'broken' failed") as told:
        replay(path)
    assert told.value.state.done == failed.value.state.done
    assert sorted(told.value.state.done) == [0, 2]
    mended = Tool("broken", "", polylect.as_tool(echo).parameters, lambda text: f"mended {text}")
    again, _ = agent("react", answer("react"), tools=[echo, mended], hooks=[Recorder(path)])
    result = run(driver, again, told.value.state)
    assert [step.observation for step in result.steps] == ["said a", "mended b", "said c"]
    assert replay(path) == result


def test_a_reply_that_must_be_readable_fails_again(path: Path) -> None:
    built, _ = agent("react", "no", parsing_errors="raise", hooks=[Recorder(path)])
    with pytest.raises(RunError) as failed:
        built.run("q")
    with pytest.raises(RunError, match="The reply of turn 1 can't be read") as told:
        replay(path)
    assert str(told.value) == str(failed.value)


def test_a_stream_that_is_closed_ends_its_record(path: Path) -> None:
    built, _ = agent("react", call("react"), answer("react"), hooks=[Recorder(path)])
    told = built.stream("q")
    assert any(isinstance(event, ToolEnd) for event in told)
    told.close()  # type: ignore[attr-defined]
    assert kinds(path) == ["run", "model", "tool", "error"]
    with pytest.raises(RunError, match=r"failed: GeneratorExit$"):
        replay(path)
