"""What models write in XML tags: the shapes that LangChain's parser was tried on, with what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polylect import LectError
from polylect.testing import Case, run_case
from polylect_xml_tags._xml_tags import XmlTags

CALL = "<tool>search</tool><tool_input>Voss</tool_input>"
VOSS = ("search", "Voss")


def call(name: str, arguments: Any, status: str = "complete") -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "status": status}


def runs(*calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {"calls": [call(*each) for each in calls], "decision": [list(each) for each in calls], **more}


def finishes(answer: str, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "decision": {"output": answer.strip()}, **more}


def reads(text: str, said: dict[str, Any], lect: XmlTags | str = "xml_tags") -> None:
    run_case(Case(0, text, (text, json.dumps(said))), lect)


ACTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("a call", CALL, runs(VOSS, diagnostics=[])),
    ("a newline between", "<tool>search</tool>\n<tool_input>Voss</tool_input>", runs(VOSS)),
    ("blank lines between", "<tool>search</tool>\n\n\n<tool_input>Voss</tool_input>", runs(VOSS)),
    ("a newline at the end", CALL + "\n", runs(VOSS, content="\n")),
    ("prose before", f"I look.\n{CALL}", runs(VOSS, content="I look.")),
    ("prose on both sides", f"I look. {CALL} So.", runs(VOSS, content="I look.  So.")),
    ("a fence around", f"```xml\n{CALL}\n```", runs(VOSS, content="```xml\n```")),
    ("cut by the stop string", "<tool>search</tool><tool_input>Voss", runs(VOSS, diagnostics=[])),
    ("cut in the closing tag", "<tool>search</tool><tool_input>Voss</tool_inp", runs(VOSS)),
    ("the stop string cut behind </", "<tool>search</tool><tool_input>Voss</t", runs(VOSS)),
    ("no input", "<tool>now</tool>", runs(("now", ""))),
    ("an empty input", "<tool>now</tool><tool_input></tool_input>", runs(("now", ""))),
    ("white space of the input stays", "<tool> f </tool><tool_input> a </tool_input>", runs(("f", " a "))),
    ("lines in the input", "<tool>f</tool><tool_input>a\n\nb\n</tool_input>", runs(("f", "a\n\nb\n"))),
    ("CRLF in the input", "<tool>f</tool>\r\n<tool_input>a\r\nb</tool_input>", runs(("f", "a\r\nb"))),
    ("capitals", "<TOOL>search</TOOL><Tool_Input>Voss</TOOL_INPUT>", runs(VOSS)),
    ("spaces in tags", "<tool >search</tool ><tool_input >Voss</ tool_input>", runs(VOSS)),
    ("two calls", f"{CALL}<tool>f</tool><tool_input>1</tool_input>", runs(VOSS, ("f", "1"))),
    ("two calls on lines", f"{CALL}\n<tool>f</tool>\n<tool_input>1", runs(VOSS, ("f", "1"))),
    ("a second input is passed over", f"{CALL}<tool_input>Oslo</tool_input>", runs(VOSS, diagnostics=["skipped"])),
    ("tags in the input", "<tool>f</tool><tool_input>a <tool>g</tool></tool_input>", runs(("f", "a <tool>g</tool>"))),
    ("an answer's tags in the input", "<tool>f</tool><tool_input>a <final_answer>b", runs(("f", "a <final_answer>b"))),
    ("an input inside of the tool", "<tool>search<tool_input>Voss</tool_input></tool>", runs(VOSS, content="")),
    ("an input inside, on lines", "<tool>search\n<tool_input>Voss</tool_input>\n</tool> So", runs(VOSS, content=" So")),
    ("an input inside, cut by the stop string", "<tool>search<tool_input>Voss", runs(VOSS, diagnostics=[])),
    ("an input inside, no closing tag", "<tool>search<tool_input>Voss</tool_input> So", runs(VOSS, content=" So")),
    ("an input inside, twice", "<tool>search<tool_input>Voss</tool_input></tool>" * 2, runs(VOSS, VOSS)),
    (
        "an input inside, and an observation",
        "<tool>search<tool_input>Voss<observation>dry",
        runs(VOSS, diagnostics=["observation"]),
    ),
    ("other tags in the input", "<tool>f</tool><tool_input>a <b>c</b></tool_input>", runs(("f", "a <b>c</b>"))),
    ("square brackets are themselves", "<tool>f</tool><tool_input>[[tool]]</tool_input>", runs(("f", "[[tool]]"))),
    ("JSON is text", '<tool>f</tool><tool_input>{"a": 1}</tool_input>', runs(("f", '{"a": 1}'))),
    ("elements", "<tool>f</tool><tool_input><a>x</a><n>2</n></tool_input>", runs(("f", {"a": "x", "n": 2}))),
    ("another script", "<tool>検索</tool><tool_input>大阪 🌧</tool_input>", runs(("検索", "大阪 🌧"))),
    ("a call, then an answer", f"{CALL}<final_answer>dry</final_answer>", runs(VOSS, answer="dry")),
    ("an answer, then a call", f"<final_answer>dry</final_answer>{CALL}", runs(VOSS, answer="dry")),
    ("a think block", f"<think>use <tool>g</tool></think>{CALL}", runs(VOSS, reasoning="use <tool>g</tool>")),
    (
        "an invented observation",
        f"{CALL}<observation>dry</observation><final_answer>dry</final_answer>",
        runs(VOSS, diagnostics=["observation"]),
    ),
    (
        "an observation in an input that stayed open",
        "<tool>search</tool><tool_input>Voss<observation>dry</observation>\n<tool>f</tool><tool_input>x</tool_input>",
        runs(VOSS, diagnostics=["observation"]),
    ),
    ("an open observation", f"{CALL}\n\n<observation>dr", runs(VOSS, diagnostics=["observation"])),
    ("an observation in capitals", f"{CALL}<OBSERVATION>dry", runs(VOSS, diagnostics=["observation"])),
]  # fmt: skip

FINISHES: list[tuple[str, str, dict[str, Any]]] = [
    ("an answer", "<final_answer>dry</final_answer>", finishes("dry", diagnostics=[])),
    ("an open answer", "<final_answer>dry", finishes("dry")),
    ("prose around", "So. <final_answer>dry</final_answer> Bye.", finishes("dry", content="So.  Bye.")),
    ("lines", "<final_answer>\none\ntwo\n</final_answer>", finishes("\none\ntwo\n")),
    ("markup in it", "<final_answer>a <b>c</b> & d < e</final_answer>", finishes("a <b>c</b> & d < e")),
    ("two answers are lines", "<final_answer>a</final_answer><final_answer>b</final_answer>", finishes("a\nb")),
    ("an empty answer", "<final_answer></final_answer>", finishes("")),
    ("capitals", "<Final_Answer>dry</FINAL_ANSWER>", finishes("dry")),
    ("a think block", "<think>\nhm\n</think>\n<final_answer>dry</final_answer>", finishes("dry", reasoning="hm")),
]  # fmt: skip

CUT = {"complete": False, "diagnostics": ["truncated"], "decision": "truncated"}
ERRORS: list[tuple[str, str, dict[str, Any]]] = [
    ("prose", "It is dry.", {"content": "It is dry.", "decision": "no_action"}),
    ("nothing", "", {"decision": "empty"}),
    ("white space", "\n ", {"content": "\n ", "decision": "empty"}),
    (
        "an empty name",
        "<tool></tool><tool_input>x</tool_input>",
        {"calls": [call("", "x", "invalid")], "decision": "missing_name"},
    ),
    ("an open name", "<tool>sear", {"complete": False, "diagnostics": ["truncated"], "decision": "truncated"}),
    ("an input without a tool", "<tool_input>x</tool_input>", {"diagnostics": ["skipped"], "decision": "no_action"}),
    ("an attribute for the name", '<tool name="f"/>', {"content": '<tool name="f"/>', "decision": "no_action"}),
    (
        "an input inside of an empty tool",
        "<tool><tool_input>x</tool_input></tool>",
        {"calls": [call("", "x", "invalid")], "decision": "missing_name"},
    ),
    ("an answer that is not begun", "<final_answer>", {"answer": "", **CUT}),
    ("white space in an open answer", "So.<final_answer> \n", {"answer": " \n", "content": "So.", **CUT}),
    (
        "an answer that is not begun, behind another's end",
        "</final_answer> oops <final_answer>",
        {"answer": "", "content": "</final_answer> oops ", **CUT},
    ),
    ("a closing tag alone", "dry</final_answer>", {"content": "dry</final_answer>", "decision": "no_action"}),
    ("an observation", "<observation>dry</observation>", {"diagnostics": ["observation"], "decision": "no_action"}),
    ("a think block alone", f"<think>{CALL}</think>", {"reasoning": CALL, "decision": "no_action"}),
    ("an open think block", f"<think>{CALL}", {"reasoning": CALL, "complete": False, "decision": "truncated"}),
]  # fmt: skip

ROWS = ACTIONS + FINISHES + ERRORS


def test_a_call_counts_beside_an_answer_that_is_not_begun() -> None:
    lect = XmlTags()
    reply = lect.parse(f"{CALL}<final_answer>")
    assert not reply.complete
    for both in ("action", "final", "error"):
        decision = lect.decide(reply, both=both)
        assert isinstance(decision, list)
        assert [(action.tool, action.tool_input) for action in decision] == [VOSS]


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_reply(text: str, said: dict[str, Any]) -> None:
    reads(text, said)


# --- other tags -------------------------------------------------------------------------------------------------------

OTHER = XmlTags(tags={"tool": "invoke", "tool_input": "args", "final_answer": "done", "observation": "result"})


def test_complaint_20_other_tag_names() -> None:
    reads("<invoke>search</invoke><args>Voss</args>", runs(VOSS), OTHER)
    reads("<invoke>search</invoke><args>Voss", runs(VOSS), OTHER)
    reads("<Invoke>f</Invoke><args>1</args><invoke>g</invoke><args>2</args>", runs(("f", "1"), ("g", "2")), OTHER)
    reads("<done>dry</done>", finishes("dry"), OTHER)
    reads("<invoke>search</invoke><args>Voss</args><result>dry", runs(VOSS, diagnostics=["observation"]), OTHER)
    reads(CALL, {"content": CALL, "decision": "no_action"}, OTHER)
    assert OTHER.stops == ("</args>",)
    assert OTHER.hint == "Write <invoke>name</invoke><args>input</args>, or <done>answer</done>."


def test_one_other_name_is_enough() -> None:
    lect = XmlTags(tags={"final_answer": "réponse"})
    reads("<réponse>oui</réponse>", finishes("oui"), lect)
    reads(CALL, runs(VOSS), lect)


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        ({"tol": "x"}, "There is no tag 'tol'; there are: tool, tool_input, observation, final_answer"),
        ({"tool": "two words"}, "'two words' is no XML name"),
        ({"tool": ""}, "is no XML name"),
        ({"tool": "<x>"}, "is no XML name"),
        ({"tool": "Tool_Input"}, "Two tags have one name"),
    ],
)
def test_tags_that_cannot_be(tags: dict[str, str], told: str) -> None:
    with pytest.raises(LectError) as caught:
        XmlTags(tags=tags)
    assert told in str(caught.value)
