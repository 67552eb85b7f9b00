"""What goes wrong in a run: unreadable replies, calls that can't run, tools that fail, models that break."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import polylect
from polylect import EXCEPTION_TOOL, Agent, ModelError, ParseError, RunError, Scripted

from .scenes import DRIVERS, LECTS, agent, answer, call, calls, echo, nonsense, observations, run

# --- replies that can't be read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", LECTS)
def test_the_model_is_told_what_to_correct(lect: str, driver: str) -> None:
    built, model = agent(lect, nonsense(lect), answer(lect))
    result = run(driver, built)
    assert (result.output, result.iterations) == ("42", 2)
    (step,) = result.steps
    assert step.action.tool == EXCEPTION_TOOL
    assert step.observation == step.action.tool_input
    told = str(model.asked[1].prompt)
    assert step.observation.split(".")[0][:20] in told.replace("\\'", "'")
    assert result.turns[0].error is not None


@pytest.mark.parametrize("driver", DRIVERS)
def test_raising_has_the_place_and_the_state(driver: str) -> None:
    built, _ = agent("react", call("react"), "I wonder.", answer("react"), parsing_errors="raise")
    with pytest.raises(RunError, match="turn 2") as caught:
        run(driver, built)
    error = caught.value
    assert isinstance(error.__cause__, ParseError)
    assert error.__cause__.text == "I wonder."
    assert [step.observation for step in error.steps] == ["said hi"]
    assert run(driver, built, error.state).output == "42"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_text_or_a_callable_may_tell_the_model(driver: str) -> None:
    built, _ = agent("react", "I wonder.", answer("react"), parsing_errors="Look at the format again.")
    assert observations(run(driver, built)) == ["Look at the format again."]
    built, _ = agent("react", "I wonder.", answer("react"), parsing_errors=lambda error: f"{error.reason}!")
    assert observations(run(driver, built)) == ["no_action!"]


@pytest.mark.parametrize("bad", [lambda error: 1 / 0, lambda error: {"a": 1}])
def test_a_callable_that_fails_is_named(bad: Any) -> None:
    built, _ = agent("react", "I wonder.", parsing_errors=bad)
    with pytest.raises(RunError, match="parsing_errors") as caught:
        built.run("q")
    assert caught.value.state.turns == []


@pytest.mark.parametrize("driver", DRIVERS)
def test_retries_are_bounded(driver: str) -> None:
    built, model = agent("react", *(f"I wonder {n}." for n in range(9)))
    result = run(driver, built)
    assert (result.stop_reason, len(model.asked)) == ("loop", 4)
    built, model = agent("react", *(f"I wonder {n}." for n in range(9)), max_retries=0)
    assert run(driver, built).stop_reason == "loop"
    assert len(model.asked) == 1


def test_only_retries_in_a_row_count() -> None:
    replies = ["I wonder 1.", "I wonder 2.", call("react"), "I wonder 3.", "I wonder 4.", answer("react")]
    built, _ = agent("react", *replies, max_retries=2)
    assert built.run("q").finished


@pytest.mark.parametrize("lect", LECTS)
def test_a_cut_call_never_runs(lect: str) -> None:
    ran: list[str] = []

    def echo(text: str) -> str:
        ran.append(text)
        return text

    whole = call(lect, given="a long input")
    if isinstance(whole, str):
        cut: Any = {"choices": [{"message": {"content": whole[: whole.index("long")]}, "finish_reason": "length"}]}
    else:
        cut = {"choices": [{"message": whole, "finish_reason": "length"}]}
        for made in whole.get("tool_calls") or [{"function": whole.get("function_call")}]:
            made["function"]["arguments"] = made["function"]["arguments"][:-6]
    built, _ = agent(lect, cut, answer(lect), tools=(echo,))
    result = built.run("q")
    assert (ran, result.output) == ([], "42")
    assert result.turns[0].error is not None


# --- calls that can't run ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", [name for name in LECTS if name != "self_ask"])
def test_an_unknown_tool_is_an_observation(lect: str, driver: str) -> None:
    built, _ = agent(lect, call(lect, "ehco"), answer(lect))
    result = run(driver, built)
    assert result.output == "42"
    (told,) = observations(result)
    assert "'ehco'" in told
    assert "Did you mean 'echo'" in told
    assert result.turns[0].results[0].status == "unknown"


@pytest.mark.parametrize("driver", DRIVERS)
def test_bad_arguments_are_an_observation_with_the_path(driver: str) -> None:
    def forecast(city: str, days: int) -> str:
        """The weather to come."""
        raise AssertionError

    turn = call("tool_calls", "forecast", {"city": "Oslo", "days": "three"})
    built, _ = agent("tool_calls", turn, answer("tool_calls"), tools=(forecast,))
    (told,) = observations(run(driver, built))
    assert "days" in told
    assert "three" in told
    assert "integer" in told


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_tool_without_a_function_is_an_observation(driver: str) -> None:
    tool = polylect.Tool("remote", "Elsewhere.", {"type": "object", "properties": {"text": {"type": "string"}}})
    built, _ = agent("react", call("react", "remote"), answer("react"), tools=(tool,))
    assert "has no function" in observations(run(driver, built))[0]


# --- tools that fail --------------------------------------------------------------------------------------------------


class Odd(BaseException):
    """No Exception."""


class Silent(Exception):
    """Says nothing about itself, and raises when it is asked."""

    def __str__(self) -> str:
        raise ValueError


def fail(text: str) -> str:
    """Fail, as the input says."""
    raise {"value": ValueError("no such city"), "odd": Odd("strange"), "exit": SystemExit(3), "silent": Silent()}[text]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("kind", ["value", "odd", "exit", "silent"])
def test_a_tool_that_raises_is_an_observation(kind: str, driver: str) -> None:
    built, _ = agent("react", call("react", "fail", kind), answer("react"), tools=(fail,))
    result = run(driver, built)
    assert result.output == "42"
    assert "'fail' failed" in observations(result)[0]
    assert result.turns[0].results[0].status == "error"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_failing_tool_takes_no_sibling_with_it(driver: str) -> None:
    turn = calls("react", ("echo", "a"), ("fail", "value"), ("echo", "c"), ("fail", "odd"))
    built, _ = agent("react", turn, answer("react"), tools=(echo, fail))
    told = observations(run(driver, built))
    assert told[0] == "said a"
    assert told[2] == "said c"
    assert "no such city" in told[1]
    assert "strange" in told[3]


@pytest.mark.parametrize("driver", DRIVERS)
def test_raising_keeps_what_the_siblings_did(driver: str) -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        ran.append(text)
        return f"noted {text}"

    broken = [True]

    def moody(text: str) -> str:
        if broken:
            raise ValueError(text)
        return "fine"

    turn = calls("react", ("note", "a"), ("moody", "b"), ("note", "c"))
    built, _ = agent("react", turn, answer("react"), tools=(note, moody), tool_errors="raise")
    with pytest.raises(RunError, match="ValueError: b") as caught:
        run(driver, built)
    assert sorted(ran) == ["a", "c"]
    broken.clear()
    state = polylect.RunState.from_json(caught.value.state.to_json())
    result = run(driver, built, state)
    assert observations(result) == ["noted a", "fine", "noted c"]
    assert sorted(ran) == ["a", "c"]  # they did not run again


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_text_or_a_callable_may_tell_of_a_failure(driver: str) -> None:
    built, _ = agent("react", call("react", "fail", "value"), answer("react"), tools=(fail,), tool_errors="It broke.")
    assert observations(run(driver, built)) == ["It broke."]
    built, _ = agent(
        "react", call("react", "fail", "value"), answer("react"), tools=(fail,),
        tool_errors=lambda error: f"{type(error).__name__}!",
    )  # fmt: skip
    assert observations(run(driver, built)) == ["ValueError!"]


def test_an_interrupt_of_the_user_goes_through() -> None:
    def interrupted(text: str) -> str:
        raise KeyboardInterrupt

    built, _ = agent("react", call("react", "interrupted"), tools=(interrupted,))
    state = built.start("q")
    with pytest.raises(KeyboardInterrupt):
        built.run(state)
    assert state.iterations == 1
    assert len(state.waiting) == 1


# --- models that break ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", ["react", "json_blob", "tool_calls"])
@pytest.mark.parametrize("nothing", ["", None, "   \n"])
def test_a_model_that_says_nothing_is_told_so(nothing: Any, lect: str, driver: str) -> None:
    given = [nothing]

    def model(prompt: Any, tools: Any = None) -> Any:
        return given.pop() if given else answer(lect)

    result = run(driver, Agent(lect, model, [echo]))
    assert result.output == "42"
    (told,) = observations(result)
    assert "Your reply" in told


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("wrong", [b"bytes", 3, object(), ["a", 5], [b"\xc3"], {"role": "user"}])
def test_a_model_that_gives_something_else_harms_nothing(wrong: Any, driver: str) -> None:
    given = [wrong]

    def model(prompt: Any) -> Any:
        return given.pop() if given else answer("react")

    result = run(driver, Agent("react", model, [echo]))
    assert result.output == "42"
    assert len(result.steps) == 1


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_model_that_raises_has_the_steps_in_hand(driver: str) -> None:
    built, _ = agent("react", call("react"), ModelError("HTTP 503: overloaded", status=503), answer("react"))
    with pytest.raises(RunError, match=r"turn 2.*503") as caught:
        run(driver, built)
    assert isinstance(caught.value.__cause__, ModelError)
    assert caught.value.__cause__.status == 503
    assert [step.observation for step in caught.value.steps] == ["said hi"]
    assert run(driver, built, caught.value.state).output == "42"


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("kind", ["sync", "async"])
def test_a_stream_that_breaks_has_the_steps_and_what_was_written(kind: str, driver: str) -> None:
    def breaking(prompt: Any) -> Iterator[str]:
        yield "Thought: I was just "
        raise ConnectionError("reset by peer")

    class Broken:
        def __call__(self, prompt: Any) -> Iterator[str]:
            return breaking(prompt)

        async def acall(self, prompt: Any) -> AsyncIterator[str]:
            for piece in breaking(prompt):
                yield piece

    built = Agent("react", Broken() if kind == "async" else breaking, [echo])
    with pytest.raises(RunError, match=r"reset by peer.*I was just") as caught:
        run(driver, built)
    assert isinstance(caught.value.__cause__, ConnectionError)
    assert caught.value.state.iterations == 0
    assert threading.active_count() < 9


def test_an_asynchronous_model_needs_an_asynchronous_driver() -> None:
    async def model(prompt: Any) -> str:
        return "Final Answer: 1"

    with pytest.raises(polylect.PromptError, match="asynchronous"):
        Agent("react", model, [echo]).run("q")


def test_a_script_that_is_over_says_so() -> None:
    with pytest.raises(RunError, match="turn 2") as caught:
        Agent("react", Scripted([call("react")]), [echo]).run("q")
    assert len(caught.value.steps) == 1


# --- tool_choice ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", LECTS)
def test_required_is_required_until_a_tool_has_run(lect: str, driver: str) -> None:
    built, model = agent(lect, answer(lect), call(lect), answer(lect), tool_choice="required")
    result = run(driver, built)
    assert (result.output, result.iterations) == ("42", 3)
    assert "must use a tool" in observations(result)[0]
    assert [asked.tool_choice for asked in model.asked] == ["required", "required", None]


def test_required_can_not_run_to_the_limit_in_silence() -> None:
    built, model = agent("react", *[answer("react")] * 20, tool_choice="required")
    result = built.run("q")
    assert (result.stop_reason, len(model.asked)) == ("loop", 4)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_named_tool_comes_first(driver: str) -> None:
    def other(text: str) -> str:
        return f"other {text}"

    built, model = agent(
        "react", call("react", "other"), call("react", "echo"), call("react", "other"), answer("react"),
        tools=(echo, other), tool_choice="echo",
    )  # fmt: skip
    told = observations(run(driver, built))
    assert told == ["Use the tool 'echo' first.", "said hi", "other hi"]
    assert [asked.tool_choice for asked in model.asked] == ["echo", "echo", None, None]


@pytest.mark.parametrize("driver", DRIVERS)
def test_none_runs_nothing(driver: str) -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        ran.append(text)
        return text

    built, model = agent("react", call("react", "note"), answer("react"), tools=(note,), tool_choice="none")
    result = run(driver, built)
    assert ran == []
    assert "No tool may be used" in observations(result)[0]
    assert [asked.tool_choice for asked in model.asked] == ["none", "none"]


# --- return_direct ----------------------------------------------------------------------------------------------------


def tools_that_return() -> tuple[polylect.Tool, polylect.Tool, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}

    def direct(text: str) -> dict[str, str]:
        if text == "bad":
            raise ValueError(text)
        return {"said": text}

    return (
        polylect.Tool("direct", "At once.", schema, direct, return_direct=True),
        polylect.Tool("straight", "At once.", schema, direct, return_direct=True),
        echo,
    )


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", [name for name in LECTS if name != "self_ask"])
def test_a_tool_may_return_directly(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect, "direct"), tools=tools_that_return())
    result = run(driver, built)
    assert (result.output, result.stop_reason, result.finished) == ({"said": "hi"}, "return_direct", True)
    assert len(model.asked) == 1


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_turn_returns_directly_if_all_of_it_does(driver: str) -> None:
    turn = calls("react", ("direct", "a"), ("straight", "b"))
    built, _ = agent("react", turn, tools=tools_that_return())
    assert run(driver, built).output == [{"said": "a"}, {"said": "b"}]
    mixed = calls("react", ("direct", "a"), ("echo", "b"))
    built, _ = agent("react", mixed, answer("react"), tools=tools_that_return())
    assert run(driver, built).output == "42"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_failure_is_never_returned_directly(driver: str) -> None:
    built, _ = agent("react", call("react", "direct", "bad"), answer("react"), tools=tools_that_return())
    assert run(driver, built).output == "42"
