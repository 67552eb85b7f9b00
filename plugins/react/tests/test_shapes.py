"""What models write in ReAct: every shape that LangChain's parsers were tried on, with what it says."""

from __future__ import annotations

from typing import Any

import pytest

from .react_cases import call, finishes, reads, runs

STOPPED = "Thought: see what the sky does\nAction: forecast\nAction Input: Bergen on Monday"


BERGEN = ("forecast", "Bergen on Monday")
ACTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("a clean turn", STOPPED, runs(BERGEN, reasoning="see what the sky does", diagnostics=[])),
    ("a newline at the end", STOPPED + "\n", runs(BERGEN, reasoning="see what the sky does", diagnostics=[])),
    ("CRLF", "Action: forecast\r\nAction Input: Bergen on Monday\r\n", runs(BERGEN)),
    (
        "an invented observation and what follows",
        STOPPED + "\nObservation: dry\nThought: good\nFinal Answer: dry",
        runs(BERGEN, reasoning="see what the sky does", diagnostics=["observation"]),
    ),
    (
        "the stop string, left by the server",
        STOPPED + "\nObservation",
        runs(BERGEN, reasoning="see what the sky does", diagnostics=[]),
    ),
    (
        "the words Final Answer inside an input",
        "Action: jot\nAction Input: people write Final Answer: at the end",
        runs(("jot", "people write Final Answer: at the end"), diagnostics=[]),
    ),
    (
        "the word Action inside an input",
        "Action: jot\nAction Input: a film shouts Action: and rolls",
        runs(("jot", "a film shouts Action: and rolls")),
    ),
    (
        "two inputs for one action: the first counts, the other is reported",
        "Action: jot\nAction Input: one\nAction Input: two",
        runs(("jot", "one"), diagnostics=["skipped"]),
    ),
    (
        "several actions",
        "Thought: both\nAction: f\nAction Input: 1\nAction: g\nAction Input: 2",
        runs(("f", "1"), ("g", "2"), reasoning="both"),
    ),
    (
        "numbered actions",
        "Thought 1: both\nAction 1: f\nAction 1 Input: x\nAction 2: g\nAction Input 2: y",
        runs(("f", "x"), ("g", "y"), reasoning="both"),
    ),
    ("spaces around colons and values", "Action  :  f\nAction   Input :    Voss   ", runs(("f", "Voss"))),
    ("no spaces", "Action:f\nAction Input:Voss", runs(("f", "Voss"))),
    ("tabs", "Action:\tf\nAction Input:\tVoss", runs(("f", "Voss"))),
    ("indented labels", "  Action: f\n  Action Input: Voss", runs(("f", "Voss"))),
    ("all on one line", "Action: f Action Input: Voss", runs(("f", "Voss"))),
    ("labels alone on their lines", "Action:\nf\nAction Input:\nVoss", runs(("f", "Voss"))),
    ("blank lines between", "Action: f\n\n\nAction Input: Voss", runs(("f", "Voss"))),
    ("a blank line in the input", "Action: f\nAction Input: one\n\ntwo\n", runs(("f", "one\n\ntwo"))),
    ("lower case", "thought: hm\naction: f\naction input: Voss", runs(("f", "Voss"), reasoning="hm")),
    ("upper case", "ACTION: f\nACTION INPUT: Voss", runs(("f", "Voss"))),
    ("bold labels", "**Thought:** hm\n**Action:** f\n**Action Input:** Voss", runs(("f", "Voss"), reasoning="hm")),
    ("bold, colon outside", "**Action**: f\n**Action Input**: Voss", runs(("f", "Voss"))),
    ("headings", "### Action: f\n### Action Input: Voss", runs(("f", "Voss"))),
    ("full-width colons", "Thought：hm\nAction：f\nAction Input：Voss", runs(("f", "Voss"), reasoning="hm")),
    ("back-ticks around the name", "Action: `f`\nAction Input: Voss", runs(("f", "Voss"), diagnostics=["tool_name"])),
    ("brackets around the name", "Action: [f]\nAction Input: Voss", runs(("f", "Voss"), diagnostics=["tool_name"])),
    ("call syntax as a name", "Action: f(Voss)\nAction Input: Voss", runs(("f", "Voss"), diagnostics=["tool_name"])),
    ("back-ticks around the input stay", "Action: f\nAction Input: `ls -l`", runs(("f", "`ls -l`"))),
    ("an empty input", "Action: f\nAction Input:", runs(("f", ""))),
    ("names in other scripts", "Action: 天气\nAction Input: 大阪 🌧", runs(("天气", "大阪 🌧"))),
    (
        "prose before the labels is content",
        "Sure!\nThought: hm\nAction: f\nAction Input: Voss",
        runs(("f", "Voss"), content="Sure!", reasoning="hm"),
    ),
    (
        "prose between name and input is passed over and reported",
        "Action: f\nThat should do.\nAction Input: Voss",
        runs(("f", "Voss"), diagnostics=["skipped"]),
    ),
    (
        "a thought that speaks of an Action:",
        "Thought: my Action: will be to look\nAction: f\nAction Input: Voss",
        runs(("f", "Voss"), reasoning="my Action: will be to look"),
    ),
    (
        "two thoughts",
        "Thought: one\nThought: two\nAction: f\nAction Input: Voss",
        runs(("f", "Voss"), reasoning="one\ntwo"),
    ),
    (
        "a think block with labels in it",
        "<think>Action: g\nAction Input: no</think>\nAction: f\nAction Input: Voss",
        runs(("f", "Voss"), reasoning="Action: g\nAction Input: no"),
    ),
    (
        "a think block behind Thought:",
        "Thought: <think>hm</think>\nAction: f\nAction Input: Voss",
        runs(("f", "Voss"), reasoning="hm"),
    ),
    (
        "the question said again, then a turn",
        "Question: what about Voss?\nThought: hm\nAction: f\nAction Input: Voss",
        runs(("f", "Voss"), reasoning="hm", diagnostics=[]),
    ),
]

FINISHES: list[tuple[str, str, dict[str, Any]]] = [
    ("an answer", "Thought: done\nFinal Answer: 12 degrees", finishes("12 degrees", reasoning="done", diagnostics=[])),
    ("lines in an answer", "Final Answer: one\ntwo\n\n- three", finishes("one\ntwo\n\n- three")),
    ("an empty answer", "Final Answer:", finishes("")),
    ("lower case", "final answer: 12", finishes("12")),
    ("bold", "**Final Answer:** 12", finishes("12")),
    ("labels inside the lines of an answer", "Final Answer: write Action: f here", finishes("write Action: f here")),
    ("the words in the middle of an answer", "Final Answer: no Final Answer: yet", finishes("no Final Answer: yet")),
    ("two answers are the lines of one", "Final Answer: one\nFinal Answer: two", finishes("one\ntwo")),
    (
        "an invented next question",
        "Thought: done\nFinal Answer: 12\n\nQuestion: and now?\nThought: hm\nAction: f\nAction Input: x",
        finishes("12", reasoning="done", diagnostics=["observation"]),
    ),
    ("the stop string behind an answer", "Final Answer: 12\nObservation", finishes("12", diagnostics=[])),
    ("a word that only begins like one", "Final Answer: 12\nObservations follow", finishes("12\nObservations follow")),
    (
        "a thought behind an answer",
        "Final Answer: 12\nThought: that was easy",
        finishes("12", reasoning="that was easy"),
    ),
    (
        "a think block, then an answer",
        "<think>\neasy\n</think>\n\nFinal Answer: 12",
        finishes("12", reasoning="easy"),
    ),
]

ERRORS: list[tuple[str, str, dict[str, Any]]] = [
    ("prose alone", "I have no idea", {"content": "I have no idea", "decision": "no_action"}),
    ("nothing", "", {"decision": "empty"}),
    ("white space", "  \n\t", {"content": "  \n\t", "decision": "empty"}),
    ("a thought alone", "Thought: I could look", {"reasoning": "I could look", "decision": "no_action"}),
    ("no colon behind the label", "Final Answer 12", {"content": "Final Answer 12", "decision": "no_action"}),
    (
        "no input",
        "Action: f",
        {"calls": [call("f", None, "invalid")], "diagnostics": ["missing_arguments"], "decision": "missing_arguments"},
    ),
    (
        "another word for the input",
        "Action: f\nInput: Voss",
        {
            "calls": [call("f", None, "invalid")],
            "diagnostics": ["skipped", "missing_arguments"],
            "decision": "missing_arguments",
        },
    ),
    (
        "an input without an action",
        "Thought: hm\nAction Input: Voss",
        {"reasoning": "hm", "diagnostics": ["skipped"], "decision": "no_action"},
    ),
    (
        "an empty name",
        "Action:\nAction Input: Voss",
        {"calls": [call("", "Voss", "invalid")], "diagnostics": ["missing_name"], "decision": "missing_name"},
    ),
    ("no name, no input", "Action:", {"calls": [call("", None, "invalid")], "decision": "missing_name"}),
    ("an observation alone", "Observation: dry", {"diagnostics": ["observation"], "decision": "no_action"}),
    ("the question alone", "Question: what about Voss?", {"diagnostics": [], "decision": "no_action"}),
    (
        "an open think block",
        "<think>where was I",
        {"reasoning": "where was I", "complete": False, "diagnostics": ["truncated"], "decision": "truncated"},
    ),
    ("labels of a language that the lect does not speak", "行动: f\n行动输入: 大阪",
     {"content": "行动: f\n行动输入: 大阪", "decision": "no_action"}),
]  # fmt: skip

ROWS = ACTIONS + FINISHES + ERRORS


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_reply(text: str, said: dict[str, Any]) -> None:
    reads(text, said)


CUED = [row for row in ROWS if row[1].startswith("Thought: ")]


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in CUED], ids=[row[0] for row in CUED])
def test_a_turn_behind_the_cue_that_the_prompt_wrote(text: str, said: dict[str, Any]) -> None:
    reads(text.removeprefix("Thought:"), {**said, "with": {"prefix": "Thought:"}})


@pytest.mark.parametrize("size", [4, 5, 6, 8, 11])
def test_complaint_39_a_piece_of_the_stop_string_is_trimmed(size: int) -> None:
    piece = "\nObservation"[: size + 1]
    reads(STOPPED + piece, runs(BERGEN, reasoning="see what the sky does", diagnostics=[]))


def test_three_letters_may_be_the_texts_own() -> None:
    reads("Action: jot\nAction Input: a list:\nObs", runs(("jot", "a list:\nObs")))
