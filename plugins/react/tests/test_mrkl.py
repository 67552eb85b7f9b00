"""Zero-shot MRKL: all that ``react`` reads and writes, save who wins when an action and an answer stand together."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import polylect
from polylect import AgentFinish, ParseError, Pipeline, Policies, Reply
from polylect.testing import stream
from polylect_react._mrkl import Mrkl

from .react_cases import error_of, finishes, reads, runs
from .test_shapes import ROWS

LECT = Mrkl()
REACT = polylect.lect("react")


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_it_reads_what_react_reads(text: str, said: dict[str, Any]) -> None:
    reads(text, said, LECT)
    assert LECT.parse(text).to_json() == REACT.parse(text).to_json()


FIRST = "Thought: done\nFinal Answer: 12\n\nAction: f\nAction Input: x"
BEHIND = "Thought: look\nAction: f\nAction Input: x\nFinal Answer: 12"


def test_an_answer_ahead_of_an_action_is_the_end() -> None:
    reads(FIRST, finishes("12", reasoning="done", calls=[{"name": "f", "arguments": "x"}]), LECT)
    assert isinstance(REACT.decide(REACT.parse(FIRST)), list)


def test_an_answer_behind_an_action_was_invented() -> None:
    reads(BEHIND, runs(("f", "x"), reasoning="look", answer="12"), LECT)


@pytest.mark.parametrize("text", [FIRST, BEHIND])
def test_the_policy_decides_where_it_is_given(text: str) -> None:
    reply = LECT.parse(text)
    assert isinstance(LECT.decide(reply, both="action"), list)
    assert isinstance(LECT.decide(reply, both="final"), AgentFinish)
    assert error_of(text, LECT, both="error").reason == "both"

    class Strict(Mrkl):
        name = "mrkl_strict"
        policies = Policies(both="error")

    with pytest.raises(ParseError, match="both an action and a final answer"):
        Strict().decide(reply)


@pytest.mark.parametrize("label", ["Final Answer:", "Final Answer: \n", "**Final Answer:**"])
def test_an_answer_that_says_nothing_is_no_end(label: str) -> None:
    for behind in ("", "\nFinal Answer: 12"):
        reply = LECT.parse(f"{label}\nAction: f\nAction Input: x{behind}")
        actions = LECT.decide(reply)
        assert isinstance(actions, list)
        assert [(x.tool, x.tool_input) for x in actions] == [("f", "x")]


def test_an_answer_that_is_blank_in_a_cut_reply_is_none() -> None:
    text = "Final Answer:\nAction: f\nAction Input: x\nThought: hm\nFinal Answer: "
    reply = LECT.parse(text, finish_reason="length", truncated="flag")
    assert LECT.decide(reply) == REACT.decide(reply)


def test_a_reply_of_ones_own_says_no_order() -> None:
    reply = LECT.parse(FIRST)
    bare = msgspec.structs.replace(reply, parts=())
    assert isinstance(LECT.decide(bare), list)
    assert isinstance(LECT.decide(Reply(answer="12")), AgentFinish)


def test_the_stream_decides_the_same() -> None:
    for text in (FIRST, BEHIND):
        assert LECT.decide(stream(LECT, list(text)).reply) == LECT.decide(LECT.parse(text))


def test_its_prompt_presents_the_tools_as_experts() -> None:
    pipeline = Pipeline(LECT, lambda prompt: " easy\nFinal Answer: 4", [{"name": "sum", "description": "Adds."}])
    prompt = pipeline.prompt_for(input="2 + 2?")
    assert isinstance(prompt, str)
    assert "sum() - Adds." in prompt
    assert "out of: sum" in prompt
    assert prompt.endswith("Question: 2 + 2?\nThought:")
    done = pipeline.plan(input="2 + 2?")
    assert isinstance(done, AgentFinish)
    assert done.return_values == {"output": "4"}
    assert LECT.answer_cue == "Final Answer:"


def test_its_words_may_be_others() -> None:
    german = Mrkl({"final": "Antwort", "action": "Aktion", "input": "Eingabe"})
    reads("Antwort: 12\nAktion: f\nEingabe: x", {"answer": "12", "calls": [{"name": "f", "arguments": "x"}],
                                                 "decision": {"output": "12"}}, german)  # fmt: skip
    assert german.answer_cue == "Antwort:"


def test_a_text_is_told_to_be_in_the_tongue_react() -> None:
    for text in LECT.examples:
        assert polylect.detect(text)[0][0] == "react"
        assert LECT.detect(text) == 0.0
    assert polylect.lect("zero_shot_react").name == "mrkl"
