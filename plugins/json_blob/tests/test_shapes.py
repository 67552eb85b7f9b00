"""What models write as structured chat: the shapes that LangChain's parsers were tried on, with what they say."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polylect.testing import Case, run_case

QUERY = {"q": "Voss"}
BIG = 123456789012345678901
BLOB = '{"action": "search", "action_input": {"q": "Voss"}}'


def call(name: str, arguments: Any, status: str = "complete") -> dict[str, Any]:
    return {"name": name, "arguments": arguments, "status": status}


def runs(*calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """The case says these calls, and the agent runs them."""
    return {"calls": [call(*each) for each in calls], "decision": [list(each) for each in calls], **more}


def finishes(answer: Any, **more: Any) -> dict[str, Any]:
    """The case says this answer, and the agent is done."""
    return {"answer": answer, "decision": {"output": answer}, **more}


def fails(reason: str, *calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    """The case has these invalid calls only, and the agent tells the model."""
    return {"calls": [call(*each, "invalid") for each in calls], "decision": reason, **more}


def reads(text: str, said: dict[str, Any]) -> None:
    run_case(Case(0, text, (text, json.dumps(said))), "json_blob")


BLOBS: list[tuple[str, str, dict[str, Any]]] = [
    ("an object", BLOB, runs(("search", QUERY))),
    ("a text", '{"action": "search", "action_input": "1 + 1"}', runs(("search", "1 + 1"))),
    ("null", '{"action": "now", "action_input": null}', runs(("now", {}))),
    ("nothing", '{"action": "now"}', runs(("now", {}))),
    ("keys the other way round", '{"action_input": {"q": "Voss"}, "action": "search"}', runs(("search", QUERY))),
    ("a thought among the keys", '{"thought": "hm", "action": "search", "action_input": "x"}', runs(("search", "x"))),
    ("keys that mean nothing", '{"action": "f", "n": 1, "action_input": "x", "o": {"p": []}}', runs(("f", "x"))),
    ("capitals", '{"Action": "search", "Action_Input": {"q": "Voss"}}', runs(("search", QUERY))),
    ("white space", '{\n  "action" :\t"search" ,\n  "action_input" : {"q": "Voss"}\n}', runs(("search", QUERY))),
    ("another script", '{"action": "検索", "action_input": {"語": "大阪 🌧"}}', runs(("検索", {"語": "大阪 🌧"}))),
    ("escapes", '{"action": "f", "action_input": "\\u00fc \\ud83c\\udf27 \\"x\\" \\\\"}', runs(("f", 'ü 🌧 "x" \\'))),
    ("a big number", json.dumps({"action": "f", "action_input": {"n": BIG}}), runs(("f", {"n": BIG}))),
    ("a raw newline in a text", '{"action": "f", "action_input": "a\nb"}', runs(("f", "a\nb"))),
    ("a raw newline further in", '{"action": "f", "action_input": {"c": "a\n\tb"}}', runs(("f", {"c": "a\n\tb"}))),
    ("braces in a text", '{"action": "f", "action_input": "} { ] ["}', runs(("f", "} { ] ["))),
    ("a blob in a text", json.dumps({"action": "f", "action_input": BLOB}), runs(("f", BLOB))),
    ("the words of an answer", '{"action": "f", "action_input": "Final Answer: no"}', runs(("f", "Final Answer: no"))),
    ("an observation", '{"action": "f", "action_input": "a\\nObservation: b"}', runs(("f", "a\nObservation: b"))),
    ("think tags in a text", '{"action": "f", "action_input": "<think>x</think>"}', runs(("f", "<think>x</think>"))),
]  # fmt: skip

AROUND: list[tuple[str, str, dict[str, Any]]] = [
    ("a fence", f"```json\n{BLOB}\n```", runs(("search", QUERY))),
    ("a fence without a tag", f"```\n{BLOB}\n```", runs(("search", QUERY))),
    ("a tag in capitals", f"```JSON\n{BLOB}\n```", runs(("search", QUERY))),
    ("a space before the tag", f"``` json\n{BLOB}\n```", runs(("search", QUERY))),
    ("tildes", f"~~~json\n{BLOB}\n~~~", runs(("search", QUERY))),
    ("four back-ticks", f"````json\n{BLOB}\n````", runs(("search", QUERY))),
    ("two back-ticks, prose on both sides", f"See\n``\n{BLOB}\n``\nso", runs(("search", QUERY), content="See\nso")),
    ("one line", f"```json {BLOB} ```", runs(("search", QUERY))),
    ("CRLF", f"```json\r\n{BLOB}\r\n```\r\n", runs(("search", QUERY))),
    ("blank lines", f"```json\n\n\n{BLOB}\n\n\n```\n\n", runs(("search", QUERY))),
    ("prose before a fence", f"I look.\n```json\n{BLOB}\n```", runs(("search", QUERY), content="I look.\n")),
    ("prose behind a fence", f"```json\n{BLOB}\n```\nI wait.", runs(("search", QUERY), content="I wait.")),
    ("prose before the object", f"I look: {BLOB}", runs(("search", QUERY), content="I look: ")),
    ("prose behind the object", f"{BLOB}\nI wait.", runs(("search", QUERY), content="I wait.")),
    ("thought and action", f"Thought: hm\nAction:\n```json\n{BLOB}\n```", runs(("search", QUERY), reasoning="hm")),
    ("the same without a fence", f"Thought: hm\nAction: {BLOB}", runs(("search", QUERY), reasoning="hm")),
    ("lower case", f"thought: hm\naction:\n{BLOB}", runs(("search", QUERY), reasoning="hm")),
    (
        "an invented observation",
        f"Thought: hm\nAction:\n```\n{BLOB}\n```\nObservation: dry\nThought: so\n{BLOB}",
        runs(("search", QUERY), reasoning="hm", diagnostics=["observation"]),
    ),
    ("no action line", f"{BLOB}\nObservation: dry", runs(("search", QUERY), diagnostics=["observation"])),
    ("a think block", f"<think>\nor {BLOB}?\n</think>\n{BLOB}", runs(("search", QUERY), reasoning=f"or {BLOB}?")),
    ("other JSON in the prose", f'I have {{"a": 1}}. {BLOB}', runs(("search", QUERY), content='I have {"a": 1}. ')),
    ("other code in the prose", f"```py\n1\n```\nSo: {BLOB}", runs(("search", QUERY), content="```py\n1\n```\nSo: ")),
    ("a fence that stays open", f"```json\n{BLOB}", runs(("search", QUERY), complete=False)),
    ("a bracket too many", f"{BLOB}}}", runs(("search", QUERY), diagnostics=["skipped"])),
]  # fmt: skip

F, G = '{"action": "f", "action_input": "1"}', '{"action": "g", "action_input": {"n": 2}}'
SEVERAL: list[tuple[str, str, dict[str, Any]]] = [
    ("a list", f"[{F}, {G}]", runs(("f", "1"), ("g", {"n": 2}))),
    ("a list in a fence", f"```json\n[\n  {F},\n  {G}\n]\n```", runs(("f", "1"), ("g", {"n": 2}))),
    ("a list of one", f"[{F}]", runs(("f", "1"))),
    ("two fences", f"```json\n{F}\n```\n```json\n{G}\n```", runs(("f", "1"), ("g", {"n": 2}))),
    ("two fences with prose", f"```\n{F}\n```\nand\n```\n{G}\n```", runs(("f", "1"), ("g", {"n": 2}), content="and\n")),
    ("two objects", f"{F}\n{G}", runs(("f", "1"), ("g", {"n": 2}))),
    ("two objects side by side", F + G, runs(("f", "1"), ("g", {"n": 2}))),
    ("two objects in one fence", f"```json\n{F}\n{G}\n```", runs(("f", "1"), ("g", {"n": 2}), diagnostics=[])),
    ("and a comma between", f"```json\n{F},\n{G}\n```\nso", runs(("f", "1"), ("g", {"n": 2}), content="so")),
    ("two actions with labels", f"Action:\n```\n{F}\n```\nAction:\n```\n{G}\n```", runs(("f", "1"), ("g", {"n": 2}))),
]

ANSWERS: list[tuple[str, str, dict[str, Any]]] = [
    ("in a fence", '```json\n{"action": "Final Answer", "action_input": "dry"}\n```', finishes("dry")),
    ("bare", '{"action": "Final Answer", "action_input": "dry"}', finishes("dry")),
    ("behind a thought", 'Thought: a\n{"action": "Final Answer", "action_input": "b"}', finishes("b", reasoning="a\n")),
    ("lower case", '{"action": "final answer", "action_input": "dry"}', finishes("dry")),
    ("an underscore", '{"action": "final_answer", "action_input": "dry"}', finishes("dry")),
    ("escapes", '{"action": "Final Answer", "action_input": "a\\n\\"b\\" \\u00fc"}', finishes('a\n"b" ü')),
    ("an object", '{"action": "Final Answer", "action_input": {"sky": ["dry"]}}', finishes({"sky": ["dry"]})),
    ("a list", '{"action": "Final Answer", "action_input": [1, 2]}', finishes([1, 2])),
    ("a number", '{"action": "Final Answer", "action_input": 12}', finishes(12)),
    ("an empty text", '{"action": "Final Answer", "action_input": ""}', finishes("")),
    ("the input first", '{"action_input": "dry", "action": "Final Answer"}', finishes("dry")),
    ("behind a call", f'{F}\n{{"action": "Final Answer", "action_input": "dry"}}', runs(("f", "1"), answer="dry")),
]  # fmt: skip

NOT_A_NUMBER = "The action_input of 'f' must be a JSON object or a text, not a number"
BAD: list[tuple[str, str, dict[str, Any]]] = [
    ("a list as the input", '{"action": "f", "action_input": [1]}', fails("invalid_arguments", ("f", None))),
    ("a number as the input", '{"action": "f", "action_input": 5}', fails("invalid_arguments", ("f", None))),
    ("true as the input", '{"action": "f", "action_input": true}', fails("invalid_arguments", ("f", None))),
    ("a number as the name", '{"action": 5, "action_input": "x"}', fails("missing_name", ("", "x"))),
    ("an empty name", '{"action": "", "action_input": "x"}', fails("missing_name", ("", "x"))),
    ("no name", '{"action_input": "x"}', fails("missing_name", ("", "x"))),
    ("the second of two names does not count", '{"action": "f", "action": "g", "action_input": "x"}', runs(("f", "x"))),
    ("NaN", '{"action": "f", "action_input": {"n": NaN}}', fails("malformed_arguments", ("f", None))),
    ("Python's True", '{"action": "f", "action_input": {"n": True}}', fails("malformed_arguments", ("f", None))),
    ("a trailing comma", '{"action": "f", "action_input": "x",}', fails("malformed_arguments", ("f", None))),
    ("a comma further in", '{"action": "f", "action_input": {"a": 1,}}', fails("malformed_arguments", ("f", None))),
    ("a comment", '{"action": "f", // so\n "action_input": "x"}', fails("malformed_arguments", ("f", None))),
    ("raw quotes", '{"action": "f", "action_input": "say "x""}', fails("malformed_arguments", ("f", None))),
    ("one bad blob of two: the other runs", '[{"action": "f", "action_input": 5}, {"action": "now"}]', {
        "calls": [call("f", None, "invalid"), call("now", {})],
        "decision": [["_Exception", f"{NOT_A_NUMBER}. Send the blob again."], ["now", {}]],
    }),
    ("other keys are prose", '{"tool": "f"}', {"content": '{"tool": "f"}', "decision": "no_action"}),
    ("an empty object", "{}", {"content": "{}", "decision": "no_action"}),
    ("an empty list", "[]", {"content": "[]", "decision": "no_action"}),
    ("null", "null", {"content": "null", "decision": "no_action"}),
    ("a text", '"text"', {"content": '"text"', "decision": "no_action"}),
    ("an empty fence", "```json\n```", {"content": "```json\n```", "decision": "no_action"}),
    ("prose", "It is dry.", {"content": "It is dry.", "decision": "no_action"}),
    ("nothing", "", {"decision": "empty"}),
    ("white space", " \n", {"content": " \n", "decision": "empty"}),
    ("an answer of null is none", '{"action": "Final Answer", "action_input": null}', {"decision": "no_action"}),
    ("a thought alone", "Thought: hm", {"reasoning": "hm", "decision": "no_action"}),
]  # fmt: skip

ROWS = BLOBS + AROUND + SEVERAL + ANSWERS + BAD


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_reply(text: str, said: dict[str, Any]) -> None:
    reads(text, said)


WHOLE = '```json\n{"action": "search", "action_input": {"q": ["Voss", {"n": 1}]}}\n```'


@pytest.mark.parametrize("size", range(len('```json\n{"action": "'), WHOLE.index("}\n```")))
def test_a_blob_that_is_cut_anywhere_never_runs(size: int) -> None:
    text = WHOLE[:size]
    reads(text, {"complete": False, "diagnostics": ["truncated"], "decision": "truncated"})
    repaired = {"with": {"malformed": "repair"}, "complete": False, "decision": "truncated"}
    reads(text, repaired)
