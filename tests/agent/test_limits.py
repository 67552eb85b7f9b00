"""Limits of a run: iterations, time, repetition; and what is left of a run that reaches one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest

import polylect
from polylect import Agent, Finish, ModelStart, RunResult, Scripted, StepEnd, ToolEnd

from .endless import LONG, anever, never, no_threads, quick
from .scenes import ASYNC, DRIVERS, LECTS, agent, answer, call, calls, observations, run


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("limit", [0, 1, 3])
def test_iterations_end_a_run(driver: str, limit: int) -> None:
    built, model = agent("react", *(call("react", given=str(n)) for n in range(9)), max_iterations=limit)
    result = run(driver, built)
    assert (result.stop_reason, result.finished, result.iterations) == ("iterations", False, limit)
    assert len(model.asked) == limit
    assert len(result.steps) == limit
    assert f"limit of {limit} iteration" in result.output


def test_fifteen_iterations_are_the_default() -> None:
    built, model = agent("react", *(call("react", given=str(n)) for n in range(20)))
    assert built.run("q").stop_reason == "iterations"
    assert len(model.asked) == 15


def test_without_a_limit_it_goes_on() -> None:
    built, _ = agent("react", *(call("react", given=str(n)) for n in range(40)), answer("react"), max_iterations=None)
    assert built.run("q").iterations == 41


@pytest.mark.parametrize("driver", DRIVERS)
def test_no_time_at_all_asks_nobody(driver: str) -> None:
    built, model = agent("react", answer("react"), max_execution_time=0)
    result = run(driver, built)
    assert (result.stop_reason, result.iterations, model.asked) == ("time", 0, [])


@pytest.mark.parametrize("driver", DRIVERS)
def test_time_ends_tools_and_keeps_what_was_finished(driver: str) -> None:
    turn = calls("react", ("never", "a"), ("quick", "b"), ("anever", "c"))
    built, _ = agent("react", turn, tools=(never, anever, quick), max_execution_time=0.2)
    result = run(driver, built)
    assert result.stop_reason == "time"
    told = observations(result)
    assert told[1] == "quick b"
    assert "not finished" in told[0]
    assert "not finished" in told[2]
    assert [x.status for x in result.turns[0].results] == ["timeout", "ok", "timeout"]
    assert result.seconds < LONG / 2
    assert no_threads()


@pytest.mark.parametrize("driver", ASYNC)
@pytest.mark.parametrize("kind", ["async", "stream", "sync"])
def test_time_ends_the_model_in_asynchronous_drivers(driver: str, kind: str) -> None:
    closed = []

    async def slow(prompt: Any) -> str:
        try:
            await anyio.sleep(LONG)
        finally:
            closed.append(True)
        return "Final Answer: 1"

    async def streaming(prompt: Any) -> Any:
        yield "Thought: I be"
        await slow(prompt)

    def blocking(prompt: Any) -> Iterator[str]:
        try:
            yield "Thought: I be"
            never("")
        finally:
            closed.append(True)

    model = {"async": slow, "stream": streaming, "sync": blocking}[kind]
    result = run(driver, Agent("react", model, [quick], max_execution_time=0.1))
    assert (result.stop_reason, result.iterations, result.steps) == ("time", 0, ())
    assert "still writing" in (result.turns[0].error or "")
    if kind != "async":
        assert result.turns[0].output == "Thought: I be"
    assert no_threads()
    assert closed


def test_time_is_looked_at_between_chunks_in_the_synchronous_driver() -> None:
    closed = []

    def model(prompt: Any) -> Iterator[str]:
        try:
            while True:
                yield "word "
                time.sleep(0.01)
        finally:
            closed.append(True)

    result = Agent("react", model, [quick], max_execution_time=0.05).run("q")
    assert (result.stop_reason, closed) == ("time", [True])
    assert result.turns[0].output.startswith("word word")


def test_a_model_is_told_how_long_it_may_take() -> None:
    asked: list[float | None] = []

    def model(prompt: Any, timeout: float | None = None) -> str:
        asked.append(timeout)
        return "Final Answer: 42"

    assert Agent("react", model, [quick], max_execution_time=5.0).run("q").finished
    assert Agent("react", model, [quick]).run("q").finished
    assert asked[0] is not None
    assert 0 < asked[0] <= 5.0
    assert asked[1] is None


def test_tools_are_not_begun_when_time_is_up() -> None:
    begun = []

    def tool(text: str) -> str:
        begun.append(text)
        return text

    def model(prompt: Any) -> str:
        time.sleep(0.05)
        text: str = call("react", "tool")
        return text

    result = Agent("react", model, [tool], max_execution_time=0.04).run("q")
    assert (result.stop_reason, begun) == ("time", [])
    assert [x.status for x in result.turns[0].results] == ["timeout"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_an_answer_that_came_counts_even_if_time_is_up(driver: str) -> None:
    def model(prompt: Any) -> str:
        time.sleep(0.05)
        text: str = answer("react")
        return text

    built = Agent("react", model, [quick], max_execution_time=0.04)
    if driver in ("run", "stream"):
        assert run(driver, built).output == "42"


# --- early stopping ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", LECTS)
def test_generate_asks_once_more_in_every_lect(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect), answer(lect, "the end"), max_iterations=1, early_stopping="generate")
    result = run(driver, built)
    assert (result.output, result.stop_reason, result.finished) == ("the end", "iterations", False)
    assert (result.iterations, len(model.asked), len(result.steps)) == (1, 2, 1)
    last = model.asked[-1]
    said = last.prompt if isinstance(last.prompt, str) else last.prompt[-1]["content"]
    assert "final answer" in said
    assert "said hi" in str(last.prompt)


@pytest.mark.parametrize("lect", LECTS)
def test_what_the_model_writes_behind_the_cue_is_the_answer(lect: str) -> None:
    spoken = polylect.lect(lect)
    whole = answer(lect, "the end")
    if not isinstance(whole, str):
        return
    cue = spoken.answer_cue
    assert cue or "answer" not in spoken.features
    assert cue in whole
    rest = whole[whole.index(cue) + len(cue) :]
    for said in (rest, whole):
        built, model = agent(lect, call(lect), said, max_iterations=1, early_stopping="generate")
        result = built.run("q")
        if isinstance(model.asked[-1].prompt, str) or said == whole:  # behind messages no cue is written
            assert result.output == "the end", said


@pytest.mark.parametrize("lect", LECTS)
def test_an_action_is_never_the_answer_of_generate(lect: str) -> None:
    ran = []

    def echo(text: str) -> str:
        ran.append(text)
        return text

    built, _ = agent(lect, call(lect), call(lect), tools=(echo,), max_iterations=1, early_stopping="generate")
    result = built.run("q")
    assert ran == ["hi"]
    assert len(result.steps) == 1
    assert "Action" not in result.output
    assert "hi" not in result.output


@pytest.mark.parametrize("driver", DRIVERS)
def test_generate_after_time_has_as_much_time_again_and_no_more(driver: str) -> None:
    turn = calls("react", ("never", "a"))
    built, _ = agent("react", turn, answer("react"), tools=(never,), max_execution_time=0.1, early_stopping="generate")
    result = run(driver, built)
    assert (result.output, result.stop_reason) == ("42", "time")


@pytest.mark.parametrize("driver", ASYNC)
def test_the_last_call_is_ended_too(driver: str) -> None:
    async def model(prompt: Any) -> str:
        if "final answer now" in prompt:
            await anyio.sleep(LONG)
        text: str = call("react", "quick")
        return text

    built = Agent("react", model, [quick], max_iterations=1, max_execution_time=0.2, early_stopping="generate")
    result = run(driver, built)
    assert (result.stop_reason, len(result.steps)) == ("iterations", 1)
    assert "limit of 1 iteration." in result.output


# --- a model that makes no progress -----------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_same_turn_again_and_again_is_a_loop(driver: str) -> None:
    built, model = agent("react", *[call("react")] * 9, max_repeats=3)
    result = run(driver, built)
    assert (result.stop_reason, len(model.asked)) == ("loop", 3)
    assert "no progress" in result.output


def test_the_same_call_with_other_results_is_none() -> None:
    seen = iter(range(99))

    def poll(text: str) -> int:
        return next(seen)

    built, _ = agent("react", *[call("react", "poll")] * 8, answer("react"), tools=(poll,), max_repeats=2)
    assert built.run("q").stop_reason == "finished"


def test_loops_may_be_allowed() -> None:
    built, _ = agent("react", *[call("react")] * 9, answer("react"), max_repeats=None)
    assert built.run("q").finished


# --- afterwards -------------------------------------------------------------------------------------------------------


def test_a_run_that_was_stopped_by_time_goes_on_with_more() -> None:
    script = Scripted([call("react", "never"), answer("react")])
    built = Agent("react", script, [never], max_execution_time=0.1)
    state = built.start("q")
    first = built.run(state)
    assert first.stop_reason == "time"
    state.stopping = None
    again = Agent("react", script, [never]).run(state)
    assert (again.output, again.stop_reason, len(again.steps)) == ("42", "finished", 1)


def test_events_tell_of_calls_that_were_given_up() -> None:
    built, _ = agent(
        "react", calls("react", ("never", "a"), ("quick", "b")), tools=(never, quick), max_execution_time=0.1
    )
    told = list(built.stream("q"))
    ends = [event for event in told if isinstance(event, ToolEnd)]
    assert sorted(event.result.status for event in ends) == ["ok", "timeout"]
    assert len([event for event in told if isinstance(event, StepEnd)]) == 2
    assert isinstance(told[0], ModelStart)
    assert isinstance(told[-1], Finish)
    assert isinstance(told[-1].result, RunResult)
