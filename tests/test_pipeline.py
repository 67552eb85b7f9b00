"""One turn of an agent, in every bundled lect: format scratchpad -> prompt -> model -> parse."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentStep, Pipeline, Prompt

from .pipelines import LECTS, TEXT_LECTS, TOOLS, Script, actions, finish, sent, turns

LABELS = ["react", "react_bracket"]


# --- whole turns ----------------------------------------------------------------------------------------------------


def test_all_four_families_are_here() -> None:
    families = {polylect.lect(name).family for name in LECTS}
    assert families == {"react", "json_blob", "xml_tags", "tool_calls"}
    assert len(LECTS) == 13


@pytest.mark.parametrize("name", LECTS)
def test_a_run_of_two_turns(name: str) -> None:
    lect = polylect.lect(name)
    model = Script(*turns(lect))
    pipeline = Pipeline(name, model, TOOLS)

    (action,) = actions(pipeline.plan(input="How is the weather?"))
    assert (action.tool, action.tool_input) == ("search", {"query": "Oslo"})
    steps = [AgentStep(action, "snow, 31 cm")]
    done = finish(pipeline.plan(steps, input="How is the weather?"))
    assert done.return_values == {"output": "It rains."}

    first, second = (sent(prompt) for prompt, _, _ in model.asked)
    assert "How is the weather?" in first
    assert "31 cm" not in first
    assert "How is the weather?" in second
    assert "snow, 31 cm" in second
    for prompt, stop, tools in model.asked:
        assert list(stop) == list(lect.stops)
        if lect.messages:
            assert [x.get("function", x)["name"] for x in tools] == ["search", "forecast"]
            assert prompt[0]["role"] == "system"
        else:
            assert tools is None
            assert "forecast" in sent(prompt)
            assert "The weather to come." in sent(prompt)


@pytest.mark.parametrize("name", LECTS)
def test_the_prompt_is_what_the_model_is_asked(name: str) -> None:
    call, _ = turns(polylect.lect(name))
    model = Script(call)
    pipeline = Pipeline(name, model, TOOLS)
    wanted = pipeline.prompt_for((), input="q")
    pipeline.plan((), input="q")
    assert model.asked[0][0] == wanted


@pytest.mark.parametrize("name", TEXT_LECTS)
def test_what_was_done_reads_back_from_the_prompt(name: str) -> None:
    lect = polylect.lect(name)
    assert isinstance(lect, polylect.TextLect)
    call, _ = turns(lect)
    pipeline = Pipeline(lect, Script(call), TOOLS)
    steps = [AgentStep(action, "one\ntwo") for action in actions(pipeline.plan(input="q"))]
    before, after = pipeline.prompt_for([], input="q"), pipeline.prompt_for([*steps, *steps, *steps], input="q")
    assert isinstance(before, str)
    assert isinstance(after, str)
    told = lect.transcript(before)
    read = lect.transcript(after)
    assert len(read.calls) - len(told.calls) == 3
    assert {call.name for call in read.calls[len(told.calls) :]} == {"search"}


def test_steps_may_be_pairs() -> None:
    pipeline = Pipeline("react")
    action = AgentAction("search", "Oslo", " look\nAction: search\nAction Input: Oslo")
    assert pipeline.prompt_for([(action, "rain")], input="q") == pipeline.prompt_for(
        [AgentStep(action, "rain")], input="q"
    )
    wrong: Any = ["rain"]
    with pytest.raises(polylect.PromptError, match="A step is an AgentStep"):
        pipeline.prompt_for(wrong, input="q")


def test_a_lect_may_be_given_as_it_is() -> None:
    kind: Any = type(polylect.lect("xml_tags"))
    pipeline = Pipeline(kind(tags={"tool": "invoke"}), Script("<invoke>search</invoke><tool_input>Oslo"), TOOLS)
    assert "<invoke>search</invoke>" in sent(pipeline.prompt_for(input="q"))
    assert actions(pipeline.plan(input="q"))[0].tool == "search"


def test_labels_in_another_language_reach_prompt_and_parser() -> None:
    german = {
        "thought": "Gedanke",
        "action": "Aktion",
        "input": "Eingabe",
        "observation": "Ergebnis",
        "final": "Antwort",
    }
    kind: Any = type(polylect.lect("react"))
    pipeline = Pipeline(
        kind(labels=german), Script(" klar\nAktion: search\nEingabe: Oslo", " fertig\nAntwort: Regen"), TOOLS
    )
    assert sent(pipeline.prompt_for(input="q")).endswith("Question: q\nGedanke:")
    assert pipeline.request(input="q").prefix == "Gedanke:"
    assert actions(pipeline.plan(input="q"))[0].tool_input == "Oslo"
    assert finish(pipeline.plan(input="q")).return_values == {"output": "Regen"}


def test_policies_reach_parser_and_decision() -> None:
    both = " hm\nAction: search\nAction Input: Oslo\nFinal Answer: 42"
    assert actions(Pipeline("react", Script(both)).plan(input="q"))[0].tool == "search"
    assert finish(Pipeline("react", Script(both), both="final").plan(input="q")).return_values == {"output": "42"}
    with pytest.raises(polylect.ParseError, match="both an action and a final answer"):
        Pipeline("react", Script(both), both="error").plan(input="q")


def test_a_parse_error_carries_its_correction() -> None:
    pipeline = Pipeline("react", Script(" I would rather not."), TOOLS)
    with pytest.raises(polylect.ParseError) as caught:
        pipeline.plan(input="q")
    assert caught.value.reason == "no_action"
    assert "Action Input:" in caught.value.correction


def test_no_tools_at_all() -> None:
    for name in LECTS:
        _, answer = turns(polylect.lect(name))
        assert finish(Pipeline(name, Script(answer)).plan(input="q")).return_values == {"output": "It rains."}


# --- the state in which the prompt left the reply -------------------------------------------------------------------


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize(
    ("written", "reasoning"),
    [
        (" I should look.\n", "I should look."),
        ("Thought: I should look.\n", "I should look."),
        ("\nThought: I should look.\n", "I should look."),
        ("**Thought:** I should look.\n", "I should look."),
        ("<think>\nhm\n</think>\nThought: I should look.\n", "hm\nI should look."),
        ("", ""),
        ("\n", ""),
        (" ", ""),
    ],
)
def test_a_reply_goes_on_or_begins_anew(name: str, written: str, reasoning: str) -> None:
    lect = polylect.lect(name)
    reply = written + str(turns(lect)[0])
    pipeline = Pipeline(name, Script(reply, reply), TOOLS)
    assert pipeline.request(input="q").prefix == "Thought:"
    (action,) = actions(pipeline.plan(input="q"))
    assert (action.tool, action.tool_input) == ("search", {"query": "Oslo"})
    assert action.log == reply

    turn = pipeline.stream(input="q")
    assert actions(turn.decision) == [action]
    assert turn.reply is not None
    assert turn.reply.reasoning == reasoning

    made_by_hand = AgentAction("search", {"query": "Oslo"})
    for one in (action, made_by_hand):
        again = sent(pipeline.prompt_for([AgentStep(one, "rain"), AgentStep(one, "rain")], input="q"))
        assert "Thought:Thought:" not in again.replace(" ", "")
        assert "Thought:Action:" not in again.replace(" ", "")
        assert again.endswith("\nThought: ")


def test_thoughts_after_an_observation_of_a_blob() -> None:
    pipeline = Pipeline("json_blob", Script(' I see.\n{"action": "Final Answer", "action_input": "3"}'))
    assert pipeline.request(input="q").prefix == ""
    steps = [AgentStep(AgentAction("search", {"query": "Oslo"}), "rain")]
    assert pipeline.request(steps, input="q").prefix == "Thought:"
    turn = pipeline.stream(steps, input="q")
    assert finish(turn.decision).return_values == {"output": "3"}
    assert turn.reply is not None
    assert turn.reply.reasoning.strip() == "I see."


def test_an_action_without_input_begins_anew() -> None:
    def now() -> str:
        """The time."""
        return "noon"

    pipeline = Pipeline("react", Script("Action: now"), [now])
    assert actions(pipeline.plan(input="q"))[0].tool_input == {}


def test_nothing_is_no_new_beginning() -> None:
    for reply in ("", " ", "\n\n"):
        with pytest.raises(polylect.ParseError) as caught:
            Pipeline("react", Script(reply)).plan(input="q")
        assert caught.value.reason == "empty"


def test_the_prefix_is_seen_from_the_prompt() -> None:
    plain = Pipeline("react", prompt="{tools}{tool_names}\n{input}\n{agent_scratchpad}")
    step = AgentStep(AgentAction("search", "Oslo", "Thought: look\nAction: search\nAction Input: Oslo"), "rain")
    assert plain.request(input="q").prefix == ""
    assert sent(plain.prompt_for([step], input="q")).endswith(
        "\nq\nThought: look\nAction: search\nAction Input: Oslo\nObservation: rain\nThought: "
    )
    assert plain.request([step], input="q").prefix == "Thought:"
    assert plain.request(input="what ends a line with Thought:").prefix == ""
    assert plain.request(input="\nThought:").prefix == "", "a user can't begin the model's turn"


def test_the_prefix_may_be_fixed() -> None:
    pipeline = Pipeline(
        "react", Script("Should I? Yes.\n</think>\nAction: search\nAction Input: x"), prefix="<think>\n"
    )
    turn = pipeline.stream(input="q")
    assert actions(turn.decision)[0].tool == "search"
    assert turn.reply is not None
    assert turn.reply.reasoning == "Should I? Yes."


def test_the_prefix_at_the_end_of_a_chat() -> None:
    chat = Prompt([("system", "{tools} {tool_names}"), ("user", "{input}\n\nThought:{agent_scratchpad}")])
    pipeline = Pipeline("react", Script({"role": "assistant", "content": " hm\nFinal Answer: 3"}), prompt=chat)
    assert pipeline.request(input="q").prefix == "Thought:"
    turn = pipeline.stream(input="q")
    assert finish(turn.decision).return_values == {"output": "3"}
    assert turn.reply is not None
    assert turn.reply.reasoning == "hm"
