"""The checklist of what agents do, items 1 to 13: actions, finishes, steps, what decides and what is decided."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import (
    Agent,
    AgentAction,
    AgentFinish,
    AgentStep,
    Call,
    ModelDelta,
    Pipeline,
    PromptError,
    Reply,
    RunState,
    Scripted,
)
from polylect.agent import STOP_REASONS

from .scenes import DRIVERS, LECTS, SEVERAL, agent, answer, call, calls, echo, events, run

ACTION = AgentAction("search", "Oslo", "I look.\nAction: search")
CALLED = {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": '{"query": "Oslo"}'}}
drivers = pytest.mark.parametrize("driver", DRIVERS)
every = pytest.mark.parametrize("lect", LECTS)
texts = st.text(max_size=20)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
action_values = st.builds(
    AgentAction, texts, texts | st.dictionaries(texts, json_values, max_size=3), texts, st.none() | texts
)


def test_1_an_action_is_made_by_position_and_tells_its_type() -> None:
    assert (ACTION.tool, ACTION.tool_input, ACTION.log) == ("search", "Oslo", "I look.\nAction: search")
    assert AgentAction("search", {"query": "Oslo"}, "").tool_input == {"query": "Oslo"}
    assert json.loads(ACTION.to_json())["type"] == "AgentAction"


@given(action_values, st.dictionaries(texts, json_values, max_size=3), texts, json_values)
def test_2_every_value_is_written_and_read_back(
    action: AgentAction, values: dict[str, Any], log: str, seen: Any
) -> None:
    for value in (action, AgentFinish(values, log), AgentStep(action, seen)):
        assert type(value).from_json(value.to_json()) == value


@pytest.mark.parametrize("lect", [name for name in LECTS if name != "openai_functions"])
def test_3_the_log_of_an_action_is_what_the_model_said(lect: str) -> None:
    found = polylect.lect(lect)
    said = calls(lect, ("echo", "hi"), thought="I look.")
    (action,) = _acted(found, said)
    written = found.format_steps([AgentStep(action, "it rains")])
    if not found.messages and isinstance(said, str):
        assert action.log == said
        whole = written if isinstance(written, str) else written[0]["content"]
        assert said.strip() in whole
    else:
        assert written[0] == said


def _acted(lect: polylect.Lect, said: Any) -> list[AgentAction]:
    decision = lect.decide(lect.parse(said, tools=[echo]))
    assert isinstance(decision, list)
    return decision


@pytest.mark.parametrize("lect", ["tool_calls", "openai_functions"])
def test_4_an_action_keeps_the_message_that_it_came_from(lect: str) -> None:
    found = polylect.lect(lect)
    said = call(lect)
    (action,) = _acted(found, said)
    assert action.message == said
    assert found.format_steps([AgentStep(action, "x")])[0] == said


@pytest.mark.parametrize(
    ("observation", "told"),
    [
        ("it rains", "it rains"),
        ({"a": "多"}, '{"a": "多"}'),
        ([1, None, True], "[1, null, true]"),
        (2.5, "2.5"),
        (None, "null"),
        ({1, 2, 3}, None),
        (object, None),
    ],
)
def test_5_an_observation_answers_its_call_as_text_or_json(observation: Any, told: str | None) -> None:
    called = AgentAction("search", {"query": "Oslo"}, "", "c1", 0, None)
    answered = polylect.lect("tool_calls").format_steps([AgentStep(called, observation)])[-1]
    assert (answered["role"], answered["tool_call_id"]) == ("tool", "c1")
    functions = AgentAction("search", {"query": "Oslo"}, "", None, 0, CALLED)
    older = polylect.lect("openai_functions").format_steps([AgentStep(functions, observation)])[-1]
    assert (older["role"], older["name"]) == ("function", "search")
    assert older["content"] == answered["content"]
    assert isinstance(answered["content"], str)
    assert told is None or answered["content"] == told


@drivers
def test_6_a_finish_may_have_several_values(driver: str) -> None:
    def both(text: str) -> AgentFinish:
        return AgentFinish({"output": "42", "source": "a book"}, text)

    result = run(driver, Agent("react", Scripted(["It is 42."]), parse=both))
    assert (result.output, result.return_values) == ("42", {"output": "42", "source": "a book"})


@every
def test_6_the_log_of_a_finish_is_what_the_model_said(lect: str) -> None:
    found = polylect.lect(lect)
    decision = found.decide(found.parse(answer(lect)))
    assert isinstance(decision, AgentFinish)
    assert decision.return_values["output"] == "42"
    assert "42" in decision.log


class Thing:
    """No JSON at all."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Thing)

    def __hash__(self) -> int:
        return 0


@drivers
def test_7_a_step_has_whatever_the_tool_gave(driver: str) -> None:
    def find(text: str) -> Thing:
        """Find a thing."""
        return Thing()

    built, _ = agent("react", call("react", "find"), answer("react"), tools=[find])
    (step,) = run(driver, built).steps
    assert step.observation == Thing()
    action, seen = step
    assert (action.tool, seen) == ("find", Thing())
    assert RunState.from_json(RunState({}, [step]).to_json()).steps[0].action == action


@pytest.mark.parametrize("kind", [AgentAction, AgentFinish, AgentStep])
def test_8_the_type_says_which_class_it_is_and_another_is_refused(kind: type[polylect.AgentAction]) -> None:
    values = (ACTION, AgentFinish({"output": "x"}), AgentStep(ACTION, "x"))
    for value in values:
        if type(value) is kind:
            assert kind.from_json(value.to_json()) == value
        else:
            with pytest.raises(ValueError, match=r"\$\.type"):
                kind.from_json(value.to_json())


@every
def test_9_what_decides_is_a_pipeline_of_steps_and_inputs(lect: str) -> None:
    pipeline = Pipeline(lect, Scripted([call(lect), answer(lect)], lect=lect), [echo])
    decision = pipeline.plan([], input="q")
    assert isinstance(decision, list)
    (action,) = decision
    finish = pipeline.plan([(action, "said hi")], input="q")  # steps may be pairs
    assert isinstance(finish, AgentFinish)
    assert list(finish.return_values) == ["output"]
    with pytest.raises(PromptError, match="input"):
        pipeline.plan([])


@drivers
@every
def test_10_a_run_that_is_stopped_says_which_limit_it_was(lect: str, driver: str) -> None:
    built, _ = agent(lect, *[call(lect)] * 2, max_iterations=2)
    result = run(driver, built)
    assert (result.stop_reason, result.finished) == ("iterations", False)
    assert "2 iterations" in result.output
    for one in ("iterations", "time", "cancelled", "loop"):
        assert one in STOP_REASONS


def test_10_another_way_of_stopping_early_is_refused_when_the_agent_is_built() -> None:
    with pytest.raises(PromptError, match="early_stopping is 'force' or 'generate', not 'sometimes'"):
        Agent("react", Scripted([]), early_stopping="sometimes")


@pytest.mark.parametrize("lect", SEVERAL)
def test_11_a_decision_is_several_actions_or_a_finish(lect: str) -> None:
    found = polylect.lect(lect)
    made = found.format(Reply(calls=(Call("echo", {"text": "a"}, id="a"), Call("echo", {"text": "b"}, id="b"))))
    decision = found.decide(found.parse(made))
    assert isinstance(decision, list)
    assert [(action.tool, action.index) for action in decision] == [("echo", 0), ("echo", 1)]


@pytest.mark.parametrize("driver", ["stream", "asyncio", "trio"])
@pytest.mark.parametrize("lect", [name for name in LECTS if not polylect.lect(name).messages])
def test_12_the_models_tokens_are_told_as_they_come(lect: str, driver: str) -> None:
    said = [call(lect), answer(lect)]
    built = Agent(lect, Scripted(said, chunk=3), [echo])
    told = ["".join(x.text for x in events(driver, built) if isinstance(x, ModelDelta) and x.turn == n) for n in (1,)]
    end = min(at if (at := said[0].find(stop)) >= 0 else len(said[0]) for stop in polylect.lect(lect).stops)
    assert told[0].strip() == said[0][:end].strip()


def test_13_formatter_prompt_model_and_parser_are_one_callable_each() -> None:
    pipeline = Pipeline("react", Scripted([]), [echo])
    assert list(pipeline.stages) == ["format_scratchpad", "prompt", "model", "parse"]
    assert all(callable(stage) for stage in pipeline.stages.values())
    for stage in pipeline.stages.values():
        assert len([x for x in inspect.signature(stage).parameters.values() if x.kind is x.POSITIONAL_ONLY]) == 1
