"""Moving messages between all pairs of tongues, and telling which tongue a text is in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import Call, LectError, ParseError, Reply, detect, translate

LECTS = ("react", "react_bracket", "docstore", "conversational", "json_blob", "xml_tags", "tool_calls")
PAIRS = [(source, target) for source in LECTS for target in LECTS]
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"

SHARED = {
    "a call": Reply(calls=(Call("forecast", {"city": "Oslo", "days": 3}),)),
    "a text": Reply(calls=(Call("search", "weather in Oslo"),)),
    "a nested call": Reply(calls=(Call("plan", {"stops": [{"city": "Ålesund", "near": None}], "sure": True}),)),
    "a thought": Reply(reasoning="Oslo, then.", calls=(Call("search", "Oslo"),)),
    "two calls": Reply(calls=(Call("search", "Oslo"), Call("forecast", {"city": "Bergen"}))),
    "one call twice": Reply(calls=(Call("search", "Oslo"), Call("search", "Oslo"))),
    "content and a call": Reply(content="I look it up.", calls=(Call("search", "Oslo"),)),
    "markers in a call": Reply(calls=(Call("note", "Final Answer: 7 <final_answer>8</final_answer> Action: x[y]"),)),
    "quotes in a call": Reply(calls=(Call("run", 'git commit -m "it\'s <b>&amp;</b>"'),)),
}
"""What every tongue can say."""
ALIKE = {"docstore": "react_bracket", "conversational": "react"}
"""Tongues whose calls, without a number or a question whether a tool is needed, are those of another."""
ANSWER = Reply(answer="It rains,\nand how.")


@pytest.mark.parametrize(("source", "target"), PAIRS)
@pytest.mark.parametrize("what", SHARED)
def test_what_both_can_say_comes_across_and_back(source: str, target: str, what: str) -> None:
    reply = SHARED[what]
    message = polylect.lect(source).format(reply)
    there = translate(message, source=source, target=target)
    assert polylect.lect(target).parse(there) == reply
    assert isinstance(there, dict) is polylect.lect(target).messages
    back = translate(there, source=target, target=source)
    assert polylect.lect(source).parse(back) == reply


@pytest.mark.parametrize(("source", "target"), [(x, y) for x, y in PAIRS if "tool_calls" not in (x, y)])
def test_an_answer_comes_across(source: str, target: str) -> None:
    there = translate(polylect.lect(source).format(ANSWER), source=source, target=target)
    assert polylect.lect(target).parse(there) == ANSWER


@pytest.mark.parametrize("name", [name for name in LECTS if name != "tool_calls"])
def test_an_answer_is_content_where_content_is_the_answer(name: str) -> None:
    there = translate(polylect.lect(name).format(ANSWER), source=name, target="tool_calls")
    assert there == {"role": "assistant", "content": ANSWER.answer}
    back = translate(there, source="tool_calls", target=name)
    assert polylect.lect(name).parse(back) == ANSWER
    decided = [polylect.lect(x).decide(polylect.lect(x).parse(y)) for x, y in ((name, back), ("tool_calls", there))]
    assert [getattr(x, "return_values", None) for x in decided] == [{"output": ANSWER.answer}] * 2


def test_an_answer_of_json_is_text_where_there_is_only_text() -> None:
    blob = '{"action": "Final Answer", "action_input": {"rain": [1, 2]}}'
    there = translate(blob, source="json_blob", target="tool_calls")
    assert json.loads(there["content"]) == {"rain": [1, 2]}


@pytest.mark.parametrize("target", ["react", "react_bracket", "xml_tags"])
def test_what_the_target_cannot_say_is_refused_with_a_reason(target: str) -> None:
    blob = '{"action": "Final Answer", "action_input": {"rain": [1, 2]}}'
    with pytest.raises(LectError, match=f"{target} has no place for json answer"):
        translate(blob, source="json_blob", target=target)


def test_a_tongue_without_names_of_tools_can_say_calls_of_one_tool() -> None:
    asked = "Action: search\nAction Input: Who wrote it?"
    there = translate(asked, source="react", target="self_ask")
    assert there == "Follow up: Who wrote it?"
    assert translate(there, source="self_ask", target="react") == asked
    with pytest.raises(LectError, match="the call 'look' with 'x' would read back as 'search'"):
        translate("Action: look\nAction Input: x", source="react", target="self_ask")
    tools = [{"name": "look"}, {"name": "search"}]
    with pytest.raises(LectError, match="would read back as 'search'"):
        translate("Action: look\nAction Input: x", source="react", target="self_ask", tools=tools)


def test_a_cut_call_is_not_written() -> None:
    text = '{"action": "search", "action_input": {"query": "Os'
    with pytest.raises(LectError, match=r"The call of 'search' is truncated; only whole calls can be written\."):
        translate(text, source="json_blob", target="tool_calls", truncated="flag")
    text = '{"action": "search", "action_input": {"query": }}'
    with pytest.raises(LectError, match=r"The call of 'search' is invalid; only whole calls can be written\."):
        translate(text, source="json_blob", target="tool_calls")


def test_lects_may_be_given_as_they_are_and_by_alias() -> None:
    message = "Action: search\nAction Input: Oslo"
    there = translate(message, source=polylect.lect("react"), target=polylect.lect("xml_tags"))
    assert there == translate(message, source="React", target="xml")
    assert there == "<tool>search</tool><tool_input>Oslo</tool_input>"


def test_tools_and_policies_reach_the_reader() -> None:
    tool = {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
    message = "Action: serch\nAction Input: Oslo"
    there = translate(message, source="react", target="xml_tags", tools=[tool], unknown_tool="nearest")
    assert there == "<tool>search</tool><tool_input>Oslo</tool_input>"


@pytest.mark.parametrize("lect", [None, 5, b"react", polylect.Lect])
@pytest.mark.parametrize("side", ["source", "target"])
def test_what_is_no_lect_is_the_callers_error(lect: Any, side: str) -> None:
    with pytest.raises(LectError):
        translate("Final Answer: 7", **{"source": "react", "target": "xml_tags", side: lect})


@pytest.mark.parametrize("side", ["source", "target"])
def test_an_unknown_lect_is_the_callers_error(side: str) -> None:
    sides: dict[str, Any] = {"source": "react", "target": "xml_tags", side: "reakt"}
    with pytest.raises(LectError, match="Did you mean 'react'"):
        translate("Final Answer: 7", **sides)


@pytest.mark.parametrize("message", [None, b"Final Answer: 7", 5])
def test_what_is_no_message_is_the_models_error(message: Any) -> None:
    for source in LECTS:
        with pytest.raises(ParseError):
            translate(message, source=source, target="react")


# --- telling tongues apart ----------------------------------------------------------------------------------------

PROSE = [
    "",
    " \n",
    "Hello, how are you?",
    "The answer is 42.",
    "My final answer: no.",
    "# A title\n\n- one thing\n- another: thing\n\n| a | b |\n| - | - |",
    "def f(x):\n    return {'a': [x]}",
    "SELECT name FROM city WHERE name = 'Oslo' AND days < 3;",
    '{"city": "Oslo"}',
    '[1, 2, {"a": null}]',
    '{"role": "user", "content": "Hello."}',
    "<p>Hello <b>you</b>.</p>",
    "Use the <city> element, and the input of the tool.",
    "I think this needs no action: the observation was final.",
    '```json\n{"city": "Oslo"}\n```',
    "Ålesund — 東京 \U0001f600",
    "x" * 100_000,
]


@pytest.mark.parametrize("text", PROSE, ids=lambda text: repr(text[:24]))
def test_plain_text_is_in_no_tongue(text: str) -> None:
    assert detect(text) == []


@pytest.mark.parametrize("name", [*LECTS, "self_ask"])
def test_the_examples_of_a_lect_are_in_its_tongue(name: str) -> None:
    for message in polylect.lect(name).examples:
        found = detect(message if isinstance(message, str) else json.dumps(message))
        assert found[0][0] == name, message
        assert [x.confidence for x in found] == sorted((x.confidence for x in found), reverse=True)
        assert all(0 < x.confidence <= 1 for x in found)


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.txt")), ids=lambda file: file.stem)
def test_what_models_really_wrote_is_detected(file: Path) -> None:
    told = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    found = detect(file.read_text(encoding="utf-8"))
    if told["clean"]:
        assert found[0][0] == told["lect"]
    else:
        assert not found or told["lect"] in {x.lect for x in found}


def test_a_translated_message_is_in_the_tongue_of_the_target() -> None:
    for source, target in PAIRS:
        there = translate(polylect.lect(source).format(SHARED["a thought"]), source=source, target=target)
        found = detect(there if isinstance(there, str) else json.dumps(there))
        assert found[0][0] == ALIKE.get(target, target)


@pytest.mark.parametrize("value", [None, 5, b"Final Answer: 7", {"role": "assistant"}, ["x"]])
def test_what_is_no_text_is_in_no_tongue(value: Any) -> None:
    assert detect(value) == []
