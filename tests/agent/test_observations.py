"""What tools give back, and how much of a run goes into the next prompt."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import Agent, AgentAction, AgentStep, PromptError, Scripted, TokenBudget
from polylect.agent._observations import observation_of

from .scenes import DRIVERS, LECTS, SEVERAL, agent, answer, call, calls, observations, run


def giving(value: Any) -> Any:
    def tool(text: str) -> Any:
        """Give something back."""
        return value

    return tool


@pytest.mark.parametrize("lect", LECTS)
@pytest.mark.parametrize("value", [{"sky": "dry", "wind": None}, [1, 2.5, True], 3, None, "", "naïve", {1, 2}, object])
def test_a_value_stays_what_it_is(lect: str, value: Any) -> None:
    built, model = agent(lect, call(lect, "tool"), answer(lect), tools=(giving(value),))
    result = built.run("q")
    assert observations(result) == [value]
    assert result.output == "42"
    assert len(model.asked) == 2


@pytest.mark.parametrize("driver", DRIVERS)
def test_bytes_become_text_or_a_sentence(driver: str) -> None:
    for value, told in ((b"caf\xc3\xa9", "café"), (b"\xff\xfe\x00", "(binary data, 3 bytes)"), (b"", "")):
        built, _ = agent("react", call("react", "tool"), answer("react"), tools=(giving(value),))
        assert observations(run(driver, built)) == [told]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("kind", ["text", "bytes", "list"])
def test_a_hundred_megabytes_are_cut(kind: str, driver: str) -> None:
    size = 100_000_000
    value: Any = {"text": "x" * size, "bytes": b"x" * size, "list": ["x" * 1000] * 3000}[kind]
    built, model = agent("react", call("react", "tool"), answer("react"), tools=(giving(value),))
    (told,) = observations(run(driver, built))
    assert isinstance(told, str)
    assert len(told) < 100_200
    assert "cut here" in told
    assert len(model.asked[1].prompt) < 110_000


def test_more_may_be_kept() -> None:
    built, _ = agent(
        "react", call("react", "tool"), answer("react"), tools=(giving("x" * 200_000),), max_observation=None
    )
    assert len(observations(built.run("q"))[0]) == 200_000


@given(st.one_of(st.text(), st.binary()), st.integers(1, 50))
def test_an_observation_is_never_longer_than_it_may_be(value: str | bytes, limit: int) -> None:
    found = observation_of(value, limit)
    assert isinstance(found, str)
    kept, cut, _ = found.partition("\n(cut here")
    assert len(kept) <= limit or found.startswith("(binary data")
    if not cut and isinstance(value, str):
        assert found == value


# --- trimming ---------------------------------------------------------------------------------------------------------


def shown(trim: Any, *, turns: int = 6) -> list[str]:
    """Which inputs stand in the last prompt."""
    script = [call("react", given=f"no{n}.") for n in range(turns)]
    built, model = agent("react", *script, answer("react"), trim=trim)
    result = built.run("q")
    assert [step.action.tool_input for step in result.steps] == [f"no{n}." for n in range(turns)]
    return [f"no{n}." for n in range(turns) if f"Action Input: no{n}." in model.asked[-1].prompt]


def test_the_last_n_steps_are_shown() -> None:
    assert shown(2) == ["no4.", "no5."]
    assert shown(99) == [f"no{n}." for n in range(6)]
    assert shown(None) == [f"no{n}." for n in range(6)]


def test_a_callable_may_choose() -> None:
    assert shown(lambda steps: steps[:1] + steps[-1:]) == ["no0.", "no5."]
    assert shown(lambda steps: ()) == []


def test_a_budget_keeps_the_first_and_the_last() -> None:
    def count(text: str) -> int:
        return len(text)

    step = len("Action: echo\nAction Input: no0.") + len("said no0.")
    assert shown(TokenBudget(3 * step, count=count)) == ["no0.", "no4.", "no5."]
    assert shown(TokenBudget(3 * step, count=count, first=0)) == ["no3.", "no4.", "no5."]
    assert shown(TokenBudget(3 * step, count=count, first=2)) == ["no0.", "no1.", "no5."]
    assert shown(TokenBudget(1, count=count)) == ["no0.", "no5."]  # the last one always stays


@pytest.mark.parametrize("bad", [lambda steps: None, lambda steps: "steps", lambda steps: [1]])
def test_a_callable_that_makes_no_steps_is_named(bad: Any) -> None:
    with pytest.raises(PromptError, match="trim makes a list of AgentStep"):
        shown(bad)


def test_an_error_of_a_trimming_callable_is_no_fault_of_the_models() -> None:
    from polylect import ParseError

    def broken(steps: list[AgentStep]) -> list[AgentStep]:
        raise ParseError("mine")

    built, model = agent("react", answer("react"), trim=broken)
    with pytest.raises(ParseError, match="mine"):
        built.run("q")
    assert model.asked == []


@pytest.mark.parametrize(
    "wrong", [{"tokens": 0}, {"tokens": "9"}, {"tokens": 9, "first": -1}, {"tokens": 9, "count": 3}]
)
def test_a_budget_is_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(PromptError):
        TokenBudget(**wrong)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 30)), max_size=12), st.integers(1, 120), st.integers(0, 3))
def test_a_budget_holds_whole_turns_from_both_ends(turns: list[tuple[int, int]], tokens: int, first: int) -> None:
    steps = [
        AgentStep(AgentAction("t", "x", "l" * size if place == 0 else "", index=place), "o" * size)
        for count, size in turns
        for place in range(count)
    ]
    begins = [n for n, step in enumerate(steps) if step.action.index == 0] + [len(steps)]
    kept = TokenBudget(tokens, count=len, first=first)(steps)
    head = begins[min(first, len(turns))]
    assert kept[:head] == steps[:head]
    tail = len(kept) - head
    assert len(steps) - tail in begins  # no turn is torn apart
    assert tail == 0 or kept[head:] == steps[len(steps) - tail :]
    if len(turns) > first:
        assert tail > 0  # the last turn always stays
    cost = sum(len(step.action.log) + len(step.observation) for step in kept)
    last = steps[begins[-2] :] if turns else []
    assert cost <= max(tokens, sum(len(s.action.log) + len(s.observation) for s in [*steps[:head], *last]))


@pytest.mark.parametrize("lect", ["react", "tool_calls"])
def test_work_per_step_stays_the_same_with_trimming(lect: str) -> None:
    asked: list[int] = []

    class Counting:
        def __call__(self, prompt: Any, *, tools: Any = None) -> Any:
            asked.append(len(str(prompt)))
            return call(lect, given=f"{len(asked):04}") if len(asked) <= 300 else answer(lect)

    for trim in (3, TokenBudget(200)):
        asked.clear()
        assert Agent(lect, Counting(), [giving("done")], trim=trim, max_iterations=None).run("q").iterations == 301
        assert max(asked[50:]) - min(asked[50:]) < 80


def test_scripts_are_not_shared() -> None:
    script = Scripted([answer("react")])
    assert Agent("react", script, ()).run("q").output == "42"


@pytest.mark.parametrize("name", [name for name in SEVERAL if not polylect.lect(name).messages])
def test_a_turn_that_trimming_cut_is_whole_again(name: str) -> None:
    lect = polylect.lect(name)
    actions = lect.decide(lect.parse(calls(name, ("echo", "a"), ("echo", "b"))))
    assert isinstance(actions, list)
    written = lect.format_steps([AgentStep(action, "done") for action in actions[1:]])
    text = written if isinstance(written, str) else written[0]["content"]
    reply = lect.parse(text)
    assert [call.arguments for call in reply.calls] == [actions[1].tool_input]
    assert reply.content == ""
