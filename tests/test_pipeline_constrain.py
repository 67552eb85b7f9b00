"""A pipeline and an agent that hold their model to the lect: which constraint each turn has, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import polylect
from polylect import Agent, ConstraintError, ModelError, Pipeline, PromptError
from polylect.constraint import Constraint

SEARCH = polylect.Tool(
    "search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    function=lambda query: f"{query} is in Norway.",
)
LOOK = 'Thought: I look.\nAction: search\nAction Input: {"query": "Oslo"}'
ANSWER = "I know.\nFinal Answer: Norway"


class Held:
    """A model that takes constraints, and replays."""

    constraint_target = "gbnf"

    def __init__(self, *replies: str) -> None:
        self._replies = iter(replies)
        self.given: list[Constraint | None] = []

    def __call__(self, prompt: Any, *, stop: Iterable[str] = (), constraint: Constraint | None = None) -> str:
        self.given.append(constraint)
        return next(self._replies)


def test_nothing_is_held_unless_it_is_asked_for() -> None:
    model = Held(ANSWER)
    Pipeline("react", model, [SEARCH]).plan(input="q")
    assert model.given == [None]


def test_a_model_is_given_the_constraint_in_its_own_language() -> None:
    model = Held(ANSWER, ANSWER)
    pipeline = Pipeline("react", model, [SEARCH], constrain=True)
    assert pipeline.constrains
    pipeline.plan(input="q")
    pipeline.plan(input="r")
    first, second = model.given
    assert first is not None
    assert first is second, "made once"
    assert (first.lect, first.target, first.tools) == ("react", "gbnf", ("search",))
    assert first.matches(f" {ANSWER}"), "the prompt has begun the turn: Thought:"
    assert not first.matches("Nonsense")
    assert not first.matches(f"Thought: {ANSWER}")


def test_options_say_more_and_a_pipeline_keeps_them() -> None:
    model = Held(ANSWER)
    pipeline = Pipeline("react", None, [SEARCH], constrain={"max_chars": 20, "target": "llguidance"})
    pipeline.replace(model=model).plan(input="q")
    (given,) = model.given
    assert given is not None
    assert given.target == "llguidance"
    assert given.matches(f" {ANSWER}")
    assert not given.matches(f" {'so ' * 20}\nFinal Answer: x")
    with pytest.raises(PromptError, match=r"no option 'max_char'\. Did you mean 'max_chars'"):
        Pipeline("react", model, [SEARCH], constrain={"max_char": 20})
    wrong: Any = "gbnf"
    with pytest.raises(PromptError, match="constrain is True, False or options"):
        Pipeline("react", model, [SEARCH], constrain=wrong)


def plain(prompt: str) -> str:
    return ANSWER


def undecided(prompt: str, constraint: Any = None) -> str:
    return ANSWER


def test_a_model_that_takes_none_is_told_before_anything_runs() -> None:
    with pytest.raises(PromptError, match=r"'plain' can't be held to a constraint.*local takes one"):
        Pipeline("react", plain, [SEARCH], constrain=True)
    with pytest.raises(PromptError, match="does not say in which language: set its attribute constraint_target"):
        Pipeline("react", undecided, [SEARCH], constrain=True)
    elsewhere = polylect.model("openai:any", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(PromptError, match="openai with server="):
        Pipeline("react", elsewhere, [SEARCH], constrain=True)


def test_what_a_lect_can_not_say_is_told_before_anything_runs() -> None:
    model = Held(ANSWER)
    model.constraint_target = "json_schema"
    with pytest.raises(ConstraintError):
        Agent("react", model, [SEARCH], constrain=True)


def test_an_agent_narrows_it_to_the_tools_that_are_due() -> None:
    model = Held(LOOK, ANSWER)
    result = Agent("react", model, [SEARCH], constrain=True, tool_choice="required").run("q")
    assert result.output == "Norway"
    first, second = model.given
    assert first is not None
    assert second is not None
    assert not first.matches(f" {ANSWER}"), "a tool must have run first"
    assert second.matches(f" {ANSWER}")


@pytest.mark.parametrize("lect", ["react", "json_blob", "xml_tags", "hermes"])
def test_the_last_call_may_only_answer(lect: str) -> None:
    spoken = polylect.lect(lect)
    call = polylect.Reply(calls=(polylect.Call("search", {"query": "Oslo"}),))
    model = Held(spoken.format(call), "Norway")
    agent = Agent(lect, model, [SEARCH], constrain=True, max_iterations=1, early_stopping="generate")
    assert agent.run("q").output
    last = model.given[1]
    assert last is not None
    assert last.tools == ()
    read = polylect.Pipeline(spoken, tools=[SEARCH]).answering()
    cue = "" if lect == "json_blob" else spoken.answer_cue  # this one ends within a JSON value: the model begins it
    for seed in range(20):
        found = read(last.sample(seed), prefix=cue)
        assert isinstance(found, polylect.AgentFinish)


async def _asynchronous() -> polylect.RunResult:
    model = polylect.model("scripted", replies=[LOOK, ANSWER])
    result = await Agent("react", model, [SEARCH], constrain=True).arun("q")
    assert [asked.constraint.target for asked in model.asked] == ["llguidance", "llguidance"]
    return result


def test_asynchronous_drivers_pass_it_on_and_a_script_notes_it() -> None:
    import anyio

    assert anyio.run(_asynchronous).output == "Norway"


def test_in_a_tongue_of_messages_it_is_the_tools_in_strict_mode() -> None:
    model = polylect.model("scripted", replies=[{"role": "assistant", "content": "Norway"}])
    Pipeline("tool_calls", model, [SEARCH], constrain=True).plan(input="q")
    (asked,) = model.asked
    assert asked.constraint is not None
    assert asked.constraint.target == "json_schema"
    (tool,) = asked.constraint.request("openai").fields["tools"]
    assert tool["function"]["strict"] is True


def test_a_model_on_an_unknown_server_refuses_a_constraint() -> None:
    model = polylect.model("openai:any", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ModelError, match="Which one is it"):
        list(model("Hi", constraint=polylect.lect("react").constraint([SEARCH], target="gbnf")))
