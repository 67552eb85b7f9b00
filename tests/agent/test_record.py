"""What a recorder writes, and that it replays: the same result, without the model and without the tools."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import anyio
import pytest

import polylect
from polylect import (
    Agent,
    AgentAction,
    AgentFinish,
    Finish,
    ModelResult,
    ParseError,
    Recorder,
    RunError,
    RunResult,
    Scripted,
    TokenBudget,
    Tool,
    ToolEnd,
    replay,
    replay_events,
)

from .scenes import DRIVERS, LECTS, SEVERAL, AsyncChunks, Chunks, agent, answer, call, calls, echo, events, run

POLICIES = ("observe", "text", "callable")


def never(*args: Any, **kwargs: Any) -> Any:
    """What a replay must not call."""
    raise AssertionError("nothing is called in a replay")


def broken(text: str) -> str:
    """It never works."""
    raise ValueError(f"no {text}")


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a record."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def kinds(path: Path) -> list[str]:
    """What the lines of a record are."""
    return [line["type"] for line in lines(path)]


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


# --- replaying --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", LECTS)
def test_a_replay_gives_the_same_result(lect: str, driver: str, path: Path) -> None:
    replies = [call(lect, thought="look"), "", call(lect, "nosuch"), call(lect, "broken"), answer(lect)]
    built, _ = agent(lect, *replies, tools=[echo, broken], hooks=[Recorder(path)])
    result = run(driver, built)
    assert replay(path) == result
    assert replay(path, built) == result
    assert replay(path, Agent(lect, lambda prompt, *, tools=None: never(), [echo, broken])) == result


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", SEVERAL)
def test_calls_side_by_side_replay_in_their_order(lect: str, driver: str, path: Path) -> None:
    turn = calls(lect, ("echo", "a"), ("nosuch", "b"), ("broken", "c"), ("echo", "d"))
    built, _ = agent(lect, turn, turn, answer(lect), tools=[echo, broken], stop=False, hooks=[Recorder(path)])
    result = run(driver, built)
    assert len(result.steps) == 8
    assert replay(path) == result


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("model", [Chunks, AsyncChunks])
def test_replies_in_chunks_replay_whole(model: type[Chunks], driver: str, path: Path) -> None:
    replies = [f"{call('react')}\nObservation: made up", "nothing", answer("react")]
    built = Agent("react", model(*replies), [echo], hooks=[Recorder(path)])
    result = run(driver, built)
    assert result.steps[0].observation == "said hi"
    assert replay(path) == result


@pytest.mark.parametrize("chunk", [1, 7])
@pytest.mark.parametrize("lect", LECTS)
def test_streams_in_every_lect_replay(lect: str, chunk: int, path: Path) -> None:
    model = Scripted([call(lect), answer(lect)], lect=lect, chunk=chunk)
    result = run("stream", Agent(lect, model, [echo], hooks=[Recorder(path)]))
    assert replay(path) == result


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", LECTS)
def test_a_reply_that_was_cut_is_cut_in_the_replay(lect: str, driver: str, path: Path) -> None:
    wanted = call(lect, given="a long input")
    told = {"content": wanted[:-4]} if isinstance(wanted, str) else wanted
    chunks = [
        {"choices": [{"index": 0, "delta": told, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},
    ]
    built, _ = agent(lect, chunks, answer(lect), hooks=[Recorder(path)])
    result = run(driver, built)
    assert lines(path)[1]["finish_reason"] == "length"
    assert (replay(path), list(replay_events(path))[-1]) == (result, Finish(2, result))
    state = built.start("q")
    reply = lines(path)[1]
    built.advance(state, ModelResult(reply["output"], finish_reason="length"))
    assert state.turns[0].actions == result.turns[0].actions


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("tail", ["\n", "\nObs", "\nObservation: made up", ""])
def test_what_stands_with_the_word_for_the_end_does_not_hide_it(tail: str, driver: str, path: Path) -> None:
    def model(prompt: str) -> Any:  # its server knows no stop strings
        yield {"choices": [{"index": 0, "delta": {"content": "Action: echo\nAction Inp"}, "finish_reason": None}]}
        yield {"choices": [{"index": 0, "delta": {"content": f"ut: half{tail}"}, "finish_reason": "length"}]}

    built = Agent("react", model, [echo], max_iterations=1, hooks=[Recorder(path)])
    result = run(driver, built)
    ran = "Observation" in tail  # the call had ended
    assert result.turns[0].actions[0].tool == ("echo" if ran else polylect.EXCEPTION_TOOL)
    assert lines(path)[1]["finish_reason"] == ("stop" if ran else "length")
    assert replay(path) == result


@pytest.mark.parametrize("lect", LECTS)
def test_a_replay_tells_the_same_events(lect: str, path: Path) -> None:
    built, _ = agent(lect, call(lect, thought="look"), call(lect, "nosuch"), answer(lect), hooks=[Recorder(path)])
    told = events("stream", built)
    assert list(replay_events(path)) == told


def test_events_come_in_the_order_in_which_the_tools_ended(path: Path) -> None:
    test_each_result_is_written_when_it_is_there_and_replayed_in_the_models_order(path)
    ended = [event.action.tool for event in replay_events(path) if isinstance(event, ToolEnd)]
    assert ended == ["fast", "slow"]


def test_the_tools_of_a_record_have_no_functions(path: Path) -> None:
    direct = Tool("direct", "", {"type": "object", "properties": {"text": {"type": "string"}}}, echo, True)
    built, _ = agent("react", call("react", "direct"), tools=[direct], hooks=[Recorder(path)])
    result = built.run("q")
    assert (result.stop_reason, result.output) == ("return_direct", "said hi")
    assert replay(path) == result
    assert lines(path)[0]["tools"][0]["return_direct"] is True


@pytest.mark.parametrize(
    "options",
    [
        {"max_iterations": 2},
        {"max_iterations": 0},
        {"max_iterations": 2, "early_stopping": "generate"},
        {"max_iterations": None, "max_repeats": 3},
        {"max_iterations": None, "max_repeats": 3, "early_stopping": "generate"},
        {"trim": 1, "max_iterations": 3},
        {"trim": TokenBudget(20, first=0), "max_iterations": 3},
        {"trim": TokenBudget(20, count=len), "max_iterations": 3},
        {"trim": lambda steps: steps[-1:], "max_iterations": 3},
        {"return_intermediate_steps": True, "max_iterations": 3},
        {"max_observation": 4, "max_iterations": 3},
        {"tool_choice": "none", "max_iterations": 3},
        {"tool_choice": "required", "max_iterations": 3},
        {"tool_choice": "broken", "max_iterations": 3},
        {"stop": False, "max_iterations": 3},
        {"stop": ["STOP"], "max_iterations": 3},
        {"prompt": "Do: {input}\n{tools}{tool_names}{agent_scratchpad}", "max_iterations": 2},
        {"prompt": lambda values: "Do it.", "max_iterations": 2},
        {"format_scratchpad": lambda steps: "done " * len(steps), "max_iterations": 2},
        {"observation": "error", "max_iterations": 2},
    ],
    ids=str,
)
def test_settings_replay(options: dict[str, Any], path: Path) -> None:
    replies = [call("react")] * 4
    built, _ = agent("react", *replies, tools=[echo, broken], hooks=[Recorder(path)], **options)
    result = built.run("q")
    assert replay(path) == result
    assert replay(path, built) == result


def test_stages_and_policies_of_messages_replay(path: Path) -> None:
    prompt = [("system", "Do it in {language}."), "{chat_history}", ("user", "{input}"), "{agent_scratchpad}"]
    built, _ = agent("tool_calls", call("tool_calls"), answer("tool_calls"), prompt=prompt, hooks=[Recorder(path)])
    result = built.run("q", language="Latin", chat_history=[("user", "a"), {"role": "assistant", "content": "b"}])
    again = replay(path)
    assert again.turns == result.turns
    assert again.inputs == {**result.inputs, "chat_history": [["user", "a"], {"role": "assistant", "content": "b"}]}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    "policy",
    ["observe", "Write better.", lambda error: f"What is {error.reason}?"],
    ids=["observe", "text", "callable"],
)
def test_sentences_about_unreadable_replies_replay(policy: Any, driver: str, path: Path) -> None:
    built, _ = agent("react", "no", "no no", answer("react"), parsing_errors=policy, hooks=[Recorder(path)])
    result = run(driver, built)
    assert len(result.steps) == 2
    assert replay(path) == replay(path, built) == result


@pytest.mark.parametrize(
    "policy", ["observe", "It failed.", lambda error: f"Oh, {error}"], ids=["observe", "text", "callable"]
)
def test_sentences_about_failing_tools_replay(policy: Any, path: Path) -> None:
    built, _ = agent(
        "react", call("react", "broken"), answer("react"), tools=[broken], tool_errors=policy, hooks=[Recorder(path)]
    )
    result = built.run("q")
    assert replay(path) == replay(path, built) == result


@pytest.mark.parametrize("output", [None, 7, 0.5, True, b"bytes", object(), ["a", "b"], {"role": "assistant"}, {}])
def test_what_is_no_reply_replays(output: Any, path: Path) -> None:
    outputs = iter([output, answer("react")])
    result = Agent("react", lambda prompt: next(outputs), [echo], hooks=[Recorder(path)]).run("q")
    assert replay(path) == result


def test_a_stage_of_ones_own_is_needed_again(path: Path) -> None:
    def parse(text: str) -> AgentAction | AgentFinish:
        return AgentFinish({"output": text[1:]}) if text[0] == "=" else AgentAction("echo", text)

    model = Scripted(["do", "=done"])
    built = Agent("react", model, [echo], parse=parse, hooks=[Recorder(path)])
    result = built.run("q")
    assert replay(path, built) == result
    with pytest.raises(polylect.RecordError, match=r"line 3: .*had of its own: parse\. Give it: replay\(…, agent\)"):
        replay(path)


def test_a_parse_error_of_ones_own_stage_replays(path: Path) -> None:
    def parse(text: str) -> AgentFinish:
        if text == "bad":
            raise ParseError("Bad.", correction="Be good.")
        return AgentFinish({"output": text})

    built = Agent("react", Scripted(["bad", "good"]), (), parse=parse, hooks=[Recorder(path)])
    result = built.run("q")
    assert replay(path, built) == result


# --- values that are no JSON ------------------------------------------------------------------------------------------


class Hostile:
    """Nothing can be said of it."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)
DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]


VALUES = {
    "surrogate": "\ud800 lone",
    "bytes": b"bytes",
    "binary": b"\xff\xfe",
    "large": 2**80,
    "infinite": float("inf"),
    "tuple": {"a": (1, 2)},
    "keys": {1: 2},
    "hostile": Hostile(),
    "inside": {"x": Hostile()},
    "in a list": [Hostile()],
    "circle": CIRCLE,
    "deep": DEEP,
    "lines": "\n\r\u2028\x00",
    "long": "x" * 300_000,
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_any_observation_is_written_and_read(value: Any, path: Path) -> None:
    get = Tool("get", "", polylect.as_tool(echo).parameters, lambda text: value)
    built, _ = agent("react", call("react", "get"), answer("react"), tools=[get], hooks=[Recorder(path)])
    result = built.run("q")
    again = replay(path)
    assert (again.output, len(again.steps)) == (result.output, 1)
    assert replay(path, built) == again
    if isinstance(value, str):
        assert again == result


def test_any_text_of_a_model_is_written_and_read(path: Path) -> None:
    built, _ = agent("react", "\ud83d lone\u2028\x00", f"Final Answer: \udfff\n{'x' * 200_000}", hooks=[Recorder(path)])
    result = built.run("\ud800?")
    assert replay(path) == result


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
