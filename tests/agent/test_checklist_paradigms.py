"""The checklist of what agents do, items 34 to 60: paradigms. The builders have tests of their own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

import polylect
from polylect import (
    Agent,
    AgentAction,
    AgentFinish,
    AgentStep,
    CallStart,
    ParseError,
    Pipeline,
    Prompt,
    Scripted,
)

from .scenes import DRIVERS, LECTS, SEVERAL, agent, answer, call, calls, echo, events, observations, run

drivers = pytest.mark.parametrize("driver", DRIVERS)
every = pytest.mark.parametrize("lect", LECTS)
TEXT = [name for name in LECTS if not polylect.lect(name).messages]
CALL = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": '{"text": "hi"}'}}


def sent(model: Scripted, call: int) -> list[dict[str, Any]]:
    """The messages that a model was sent, by the number of the call."""
    prompt = model.asked[call].prompt
    assert isinstance(prompt, list)
    return prompt


@drivers
@every
def test_34_each_of_the_four_stages_can_be_another(lect: str, driver: str) -> None:
    found = polylect.lect(lect)
    seen: list[str] = []
    steps, prompt = Pipeline(lect, Scripted([]), [echo]).stages["format_scratchpad"], found.prompt

    def format_scratchpad(given: Any) -> Any:
        seen.append("format_scratchpad")
        return steps(given)

    def make_prompt(values: Any) -> Any:
        seen.append("prompt")
        known = {name: values[name] for name in prompt.variables if name in values}
        return prompt.format(**known)

    def parse(output: Any) -> Any:
        seen.append("parse")
        return found.decide(found.parse(output, tools=[echo]))

    model = Scripted([call(lect), answer(lect)])

    def ask(given: Any, *, stop: Any = None, tools: Any = None) -> Any:
        seen.append("model")
        return model(given, stop=stop, tools=tools)

    built = Agent(lect, ask, [echo], format_scratchpad=format_scratchpad, prompt=make_prompt, parse=parse)
    seen.clear()
    result = run(driver, built)
    assert (result.output, observations(result)) == ("42", ["said hi"])
    assert [seen.count(stage) for stage in ("model", "parse")] == [2, 2]
    assert seen.index("format_scratchpad") < seen.index("prompt") < seen.index("model") < seen.index("parse")


@drivers
def test_36_a_turns_message_comes_once_and_a_result_for_each_call(driver: str) -> None:
    turn = calls("tool_calls", ("echo", {"text": "a"}), ("echo", {"text": "a"}))  # equal calls stay two
    built, model = agent("tool_calls", turn, turn, answer("tool_calls"))
    run(driver, built)
    roles = [message["role"] for message in sent(model, 2)[2:]]
    assert roles == ["assistant", "tool", "tool"] * 2  # equal turns too


@drivers
def test_36_a_correction_reaches_the_model(driver: str) -> None:
    built, model = agent("tool_calls", {"role": "assistant", "content": "  "}, answer("tool_calls"))
    (told,) = observations(run(driver, built))
    assert sent(model, 1)[-1] == {"role": "user", "content": told}


@drivers
def test_37_what_can_not_be_written_as_json_is_written_as_python_shows_it(driver: str) -> None:
    def find(text: str) -> Any:
        """Find it."""
        return {"it": print, "ø": 1}

    for lect in ("tool_calls", "react"):
        built, model = agent(lect, call(lect, "find"), answer(lect), tools=[find])
        run(driver, built)
        assert "built-in function print" in str(model.asked[1].prompt)
        assert "ø" in str(model.asked[1].prompt)


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ({"content": "42"}, "42"),
        ({"content": "", "tool_calls": [CALL]}, "echo"),
        ({"content": "", "additional_kwargs": {"tool_calls": [CALL]}}, "echo"),
        ({"content": "", "function_call": CALL["function"]}, "echo"),
        ({"choices": [{"message": {"content": "", "tool_calls": [CALL]}}]}, "echo"),
    ],
)
def test_38_calls_come_first_then_the_content(message: Any, wanted: str) -> None:
    lect = polylect.lect("tool_calls")
    decision = lect.decide(lect.parse(message, tools=[echo]))
    found = decision.return_values["output"] if isinstance(decision, AgentFinish) else decision[0].tool
    assert found == wanted


@pytest.mark.parametrize("wrong", [3, ["x"], object()])
def test_38_what_is_no_message_is_an_error_of_the_models(wrong: Any) -> None:
    lect = polylect.lect("tool_calls")
    with pytest.raises(ParseError):
        lect.decide(lect.parse(wrong))


@drivers
def test_39_one_unnamed_argument_is_a_text(driver: str) -> None:
    called = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": '{"__arg1": "hi"}'}}
    built, _ = agent("tool_calls", {"role": "assistant", "content": "", "tool_calls": [called]}, answer("tool_calls"))
    result = run(driver, built)
    assert [(step.action.tool_input, step.observation) for step in result.steps] == [("hi", "said hi")]


@drivers
def test_40_a_chat_prompt_has_places_for_the_history_and_the_steps(driver: str) -> None:
    prompt: list[Any] = [
        ("system", "Be brief."),
        ("placeholder", "{chat_history}"),
        ("human", "{input}"),
        "{agent_scratchpad}",
    ]
    script = [call("tool_calls"), answer("tool_calls")]
    model = Scripted(script)
    built = Agent(polylect.create_tool_calling_agent(model, [echo], prompt))
    before = [("human", "Hello"), ("ai", "Hello!")]
    assert run(driver, built, None, input="q", chat_history=before).output == "42"
    assert [message["role"] for message in sent(model, 1)] == [
        "system", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip


def test_41_create_react_agent_is_the_text_paradigm_and_warns_of_nothing() -> None:
    pipeline = polylect.create_react_agent(Scripted([]), [echo])
    assert (pipeline.lect.name, pipeline.lect.messages) == ("react", False)


def test_43_steps_are_written_with_the_prefixes_of_react() -> None:
    step = AgentStep(AgentAction("echo", "hi", " I look.\nAction: echo\nAction Input: hi"), "said hi")
    text = Pipeline("react", tools=[echo]).prompt_for([step], input="q")
    assert str(text).endswith("Thought: I look.\nAction: echo\nAction Input: hi\nObservation: said hi\nThought: ")


@drivers
@pytest.mark.parametrize("lect", [name for name in TEXT if polylect.lect(name).stops])
@pytest.mark.parametrize("honours", [True, False], ids=["a server stops", "nobody stops"])
def test_44_an_invented_observation_never_comes_true(lect: str, honours: bool, driver: str) -> None:
    stop = polylect.lect(lect).stops[0]
    invention = {"</tool_input>": "</tool_input>\n<observation>made up</observation>"}.get(stop, f"{stop}: made up\n")
    said = call(lect)
    said = f"{said.partition(stop)[0]}{invention}"
    model = Scripted([said, answer(lect)])

    def deaf(prompt: Any) -> Any:
        return model(prompt)

    result = run(driver, Agent(lect, model if honours else deaf, [echo]))
    assert (result.output, observations(result)) == ("42", ["said hi"])
    assert "made up" not in str(model.asked[1].prompt)


@drivers
@pytest.mark.parametrize("left", [1, *range(5, 12)])
def test_44_a_piece_of_a_stop_string_is_no_part_of_the_input(left: int, driver: str) -> None:
    built, _ = agent("react", f"{call('react')}{'Observation'.join((chr(10), ''))[:left]}", answer("react"), stop=False)
    assert observations(run(driver, built)) == ["said hi"]


@drivers
@every
def test_46_another_model_is_put_in_and_reaches_the_agent(lect: str, driver: str) -> None:
    built, first = agent(lect)
    second = Scripted([call(lect), answer(lect)], lect=lect)
    other = Agent(built.pipeline, second)
    assert run(driver, other).output == "42"
    assert (len(first.asked), len(second.asked)) == (0, 2)


@drivers
@pytest.mark.parametrize("form", ["```json\n%s\n```", "%s", "I look.\n```\n%s\n```", "Action:\n```json\n%s\n```"])
def test_47_structured_chat_acts_and_ends_by_one_json_object(form: str, driver: str) -> None:
    act = form % json.dumps({"action": "forecast", "action_input": {"city": "Oslo", "days": 2}})
    end = form % json.dumps({"action": "Final Answer", "action_input": "It rains."})

    def forecast(city: str, days: int) -> str:
        """The weather."""
        return f"rain in {city} for {days} days"

    built = Agent(polylect.create_structured_chat_agent(Scripted([act, end]), [forecast]))
    result = run(driver, built)
    assert (result.output, observations(result)) == ("It rains.", ["rain in Oslo for 2 days"])


@drivers
def test_48_xml_acts_and_ends_by_tags(driver: str) -> None:
    script = ["I look.\n<tool>echo</tool><tool_input>a &lt; b</tool_input>", "<final_answer>It rains.</final_answer>"]
    model = Scripted(script)
    result = run(driver, Agent(polylect.create_xml_agent(model, [echo])))
    assert (result.output, observations(result)) == ("It rains.", ["said a < b"])
    assert model.asked[0].stop == ("</tool_input>",)
    assert str(model.asked[1].prompt).rstrip().endswith("<observation>said a &lt; b</observation>")


@drivers
def test_50_a_result_answers_the_call_of_its_id(driver: str) -> None:
    def half(number: int) -> float:
        """Half of it."""
        return number / 2

    numbers = [("half", {"number": n}) for n in (2, 4, 6)]
    built, model = agent("tool_calls", calls("tool_calls", *numbers), answer("tool_calls"), tools=[half])
    result = run(driver, built)
    assert [step.action.id for step in result.steps] == ["id0", "id1", "id2"]
    told = [(x["tool_call_id"], x["content"]) for x in sent(model, 1) if x["role"] == "tool"]
    assert told == [("id0", "1.0"), ("id1", "2.0"), ("id2", "3.0")]


@every
def test_51_scratchpads_are_messages_or_text(lect: str) -> None:
    found = polylect.lect(lect)
    decision = found.decide(found.parse(call(lect), tools=[echo]))
    assert isinstance(decision, list)
    made = found.format_steps([AgentStep(decision[0], "said hi")])
    assert isinstance(made, str) == (not found.messages and lect != "json_chat")
    assert "said hi" in str(made)


@drivers
def test_52_the_messages_of_a_run_in_their_order(driver: str) -> None:
    turn = calls("tool_calls", ("echo", {"text": "a"}), ("echo", {"text": "b"}))
    built, model = agent("tool_calls", turn, answer("tool_calls"))
    run(driver, built)
    assert [x["role"] for x in sent(model, 1)] == ["system", "user", "assistant", "tool", "tool"]


@drivers
@pytest.mark.parametrize("lect", ["tool_calls", "openai_functions"])
def test_53_a_broken_call_is_answered_and_made_again(lect: str, driver: str) -> None:
    if lect == "tool_calls":
        broken = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": '{"text" "hi"}'}}
        said: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [broken]}
    else:
        said = {"role": "assistant", "content": "", "function_call": {"name": "echo", "arguments": '{"text" "hi"}'}}
    built, model = agent(lect, said, call(lect), answer(lect))
    result = run(driver, built)
    assert (result.output, observations(result)[1:]) == ("42", ["said hi"])
    answered = sent(model, 1)[-1]
    assert answered["role"] == {"tool_calls": "tool", "openai_functions": "function"}[lect]
    assert "not valid JSON" in answered["content"]


@drivers
@pytest.mark.parametrize("choice", ["auto", "required", "echo", "none"])
def test_54_a_tool_choice_is_told_until_a_tool_has_run(choice: str, driver: str) -> None:
    script = [answer("tool_calls")] if choice == "none" else [call("tool_calls"), answer("tool_calls")]
    built, model = agent("tool_calls", *script, tool_choice=choice)
    assert run(driver, built).output == "42"
    first = None if choice == "auto" else choice
    assert [asked.tool_choice for asked in model.asked] == ([first] if choice == "none" else [first, None])


@drivers
@every
def test_54_required_does_not_run_to_the_limit_in_silence(lect: str, driver: str) -> None:
    built, model = agent(lect, *[answer(lect)] * 9, tool_choice="required", max_retries=2)
    result = run(driver, built)
    assert (result.stop_reason, len(model.asked)) == ("loop", 3)
    assert all(turn.error for turn in result.turns)


def test_54_hints_become_a_schema() -> None:
    def plan(city: str, days: int | None = None, tags: list[str] | None = None) -> str:
        """Plan it.

        Args:
            city: where to go.
            days: how long.
            tags: what for.
        """
        return city

    schema = polylect.as_tool(plan).parameters
    assert schema["required"] == ["city"]
    assert schema["properties"]["city"]["description"] == "where to go."
    assert {"type": "null"} in schema["properties"]["days"]["anyOf"]


@drivers
def test_55_a_paradigm_of_ones_own_is_a_few_lines(driver: str) -> None:
    """A formatter, a prompt, a model that streams, and a parser."""

    def steps(given: Any) -> str:
        return "".join(f"{action.tool} said: {seen}\n" for action, seen in given)

    def parse(text: str) -> Any:
        done, _, rest = text.partition(":")
        if done == "DONE":
            return AgentFinish({"output": rest.strip()}, text)
        return AgentAction("echo", rest.strip(), text)

    def model(prompt: str) -> Iterator[str]:
        yield from ("DO", "NE", ": 42") if "said" in prompt else ("CALL", ": hi")

    built = Agent("react", model, [echo], prompt=Prompt("{tools}{tool_names}{input}\n{agent_scratchpad}"),
                  format_scratchpad=steps, parse=parse)  # fmt: skip
    result = run(driver, built)
    assert (result.output, observations(result)) == ("42", ["said hi"])


@pytest.mark.parametrize("driver", ["stream", "asyncio", "trio"])
def test_55_native_calls_are_seen_as_they_come(driver: str) -> None:
    built = Agent("tool_calls", Scripted([call("tool_calls"), answer("tool_calls")], chunk=4), [echo])
    assert [x.name for x in events(driver, built) if isinstance(x, CallStart)] == ["echo"]


@drivers
def test_56_nothing_but_broken_calls_is_never_an_empty_answer(driver: str) -> None:
    broken = {"id": "c1", "type": "function", "function": {"name": "echo", "arguments": "{"}}
    said = {"role": "assistant", "content": "", "tool_calls": [broken]}
    built, _ = agent("tool_calls", said, answer("tool_calls"))
    result = run(driver, built)
    assert (result.output, len(result.turns)) == ("42", 2)


@every
def test_57_the_steps_stand_behind_the_question_and_the_history_before_it(lect: str) -> None:
    found = polylect.lect(lect)
    decision = found.decide(found.parse(call(lect), tools=[echo]))
    assert isinstance(decision, list)
    pipeline = Pipeline(lect, Scripted([]), [echo])
    history: Any = {}
    if "chat_history" in found.prompt.variables:
        history["chat_history"] = (
            [("user", "EARLIER")] if "chat_history" in found.prompt.placeholders else "Human: EARLIER"
        )
    told = str(pipeline.prompt_for([AgentStep(decision[0], "LATER")], input="QUESTION", **history))
    assert told.index("QUESTION") < told.index("LATER")
    assert not history or told.index("EARLIER") < told.index("QUESTION")
    assert told.count("QUESTION") == 1


@every
def test_58_a_pipeline_draws_itself(lect: str) -> None:
    pipeline = Pipeline(lect, Scripted([]), [echo])
    assert pipeline.to_mermaid().startswith("flowchart")
    for stage in pipeline.stages:
        assert stage.replace("_", " ") in pipeline.to_text()


def test_58_a_run_draws_itself() -> None:
    built, _ = agent("react", call("react"), answer("react"))
    result = built.run("q")
    assert result.to_svg().startswith("<svg")
    assert result.to_mermaid().startswith("flowchart")
    assert "said hi" in result.to_text()


INVENTORY = {
    "chat": "chat", "conversational": "conversational", "conversational_chat": "json_chat", "json_chat": "json_chat",
    "mrkl": "mrkl", "openai_functions": "openai_functions", "openai_functions_multi": "tool_calls",
    "openai_tools": "tool_calls", "react": "react", "react docstore": "docstore", "react json": "react_json",
    "self_ask": "self_ask", "structured_chat": "json_blob", "tool_calling": "tool_calls", "xml": "xml_tags",
}  # fmt: skip
"""LangChain's agents by their folders, and the lect that speaks each. Two others hold no tongue: ``openai_assistant``
is a service, ``agent_iterator`` is ``agent.next``."""


@pytest.mark.parametrize("name", INVENTORY)
def test_60_every_agent_of_the_inventory_has_a_lect_that_runs(name: str) -> None:
    lect = INVENTORY[name]
    built, _ = agent(lect, call(lect), answer(lect))
    assert observations(built.run("q")) == ["said hi"]


def test_60_the_lects_of_the_project_are_those_of_the_inventory_and_the_tutorials() -> None:
    bundled = {name for name in LECTS if polylect.lect(name).family in ("react", "json_blob", "xml_tags", "tool_calls")}
    assert bundled == {*INVENTORY.values(), "react_bracket"}


def test_59_several_calls_reach_the_tools_in_every_tongue_that_can_write_them() -> None:
    """Native calls, and text too: parallel calls are no matter of the paradigm."""
    assert {"react", "json_blob", "xml_tags", "tool_calls"} <= set(SEVERAL)

    def shout(text: str) -> str:
        """Say it loudly."""
        return text.upper()

    for lect in SEVERAL:
        turn = calls(lect, ("echo", "a"), ("shout", "b"))
        built, _ = agent(lect, turn, answer(lect), tools=[echo, shout], stop=False)
        assert observations(built.run("q")) == ["said a", "B"]
