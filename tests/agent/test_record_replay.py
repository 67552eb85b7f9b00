"""A replay gives the same result and the same events, without the model and without the tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
    Scripted,
    TokenBudget,
    Tool,
    replay,
    replay_events,
)

from .records import broken, lines, never
from .scenes import DRIVERS, LECTS, SEVERAL, AsyncChunks, Chunks, agent, answer, call, calls, echo, events, run

POLICIES = ("observe", "text", "callable")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


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
    ids=lambda options: ",".join(options),
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
