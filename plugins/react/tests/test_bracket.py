"""``Action: tool[input]``: the shapes that the docstore parser and the tutorial's were tried on, and more."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import Tool

from .react_cases import call, finishes, reads, runs

LECT = polylect.lect("react_bracket")
SEARCH = Tool("search", "", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})
ROUTE = Tool(
    "route",
    "",
    {
        "type": "object",
        "properties": {"start": {"type": "string"}, "stops": {"type": "array"}},
        "required": ["start"],
    },
)
NOW = Tool("now")
TOOLS = [SEARCH, ROUTE, NOW]


ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("a search", "Action: Search[Voss]", runs(("Search", "Voss"), diagnostics=[])),
    ("a thought", "Thought: hm\nAction: search[Voss]", runs(("search", "Voss"), reasoning="hm")),
    ("two thoughts", "Thought: a\nThought: b\nAction: search[Voss]", runs(("search", "Voss"), reasoning="a\nb")),
    ("prose", "Let me see.\nAction: search[Voss]", runs(("search", "Voss"), content="Let me see.")),
    ("text behind the bracket", "Action: search[Voss] or so", runs(("search", "Voss"), content="or so")),
    ("nested brackets", "Action: index[rows[2][a]]", runs(("index", "rows[2][a]"))),
    ("an expression", "Action: calc[3 * (4 + x[1])]", runs(("calc", "3 * (4 + x[1])"))),
    ("several lines", "Action: run[a = 1\nprint(a)]", runs(("run", "a = 1\nprint(a)"))),
    ("a label inside", "Action: jot[so\nAction: f[x]\nThought: y]", runs(("jot", "so\nAction: f[x]\nThought: y"))),
    ("an empty input", "Action: now[]", runs(("now", ""))),
    ("white space inside", "Action: search[  Voss  ]", runs(("search", "Voss"))),
    ("quotes", 'Action: search["Voss"]', runs(("search", "Voss"))),
    ("quotes that are no pair", 'Action: search[say "Voss"]', runs(("search", 'say "Voss"'))),
    ("JSON", 'Action: f[{"a": [1, [2]]}]', runs(("f", {"a": [1, [2]]}))),
    ("lower case", "action: search[Voss]", runs(("search", "Voss"))),
    ("no space", "Action:search[Voss]", runs(("search", "Voss"))),
    ("a space before the bracket", "Action: search [Voss]", runs(("search", "Voss"))),
    ("a hyphen in the name", "Action: web-search[Voss]", runs(("web-search", "Voss"))),
    ("a dot in the name", "Action: web.search[Voss]", runs(("web.search", "Voss"))),
    ("another script", "Action: 検索[大阪]", runs(("検索", "大阪"))),
    ("the name on the next line", "Action:\nsearch[Voss]", runs(("search", "Voss"))),
    ("a full-width colon", "Action：search[Voss]", runs(("search", "Voss"))),
    ("bold", "**Action:** search[Voss]", runs(("search", "Voss"))),
    ("numbers", "Thought 4: hm\nAction 4: search[Voss]", runs(("search", "Voss"), reasoning="hm")),
    ("a newline at the end", "Action: search[Voss]\n", runs(("search", "Voss"))),
    ("CRLF", "Thought: hm\r\nAction: search[Voss]\r\n", runs(("search", "Voss"), reasoning="hm\r")),
    ("two actions", "Action: search[Voss]\nAction: lookup[rain]", runs(("search", "Voss"), ("lookup", "rain"))),
    ("an action in a line of text is text", "Action: f[a] Action: g[b]", runs(("f", "a"), content="Action: g[b]")),
    ("a thought that names finish", "Thought: finish[it]!\nAction: f[a]", runs(("f", "a"), reasoning="finish[it]!")),
    (
        "an invented observation",
        "Action: f[a]\nObservation: b\nThought: c\nAction: finish[d]",
        runs(("f", "a"), diagnostics=["observation"]),
    ),
    ("the stop string", "Action: f[a]\nObservation", runs(("f", "a"), diagnostics=[])),
    ("a think block", "<think>Action: f[a]</think>\nAction: g[b]", runs(("g", "b"), reasoning="Action: f[a]")),
    ("the question said again", "Question: why?\nThought: so\nAction: f[a]", runs(("f", "a"), reasoning="so")),
    ("an answer", "Thought: done\nAction: finish[54,583]", finishes("54,583", reasoning="done", diagnostics=[])),
    ("Finish", "Action: Finish[yes]", finishes("yes")),
    ("FINISH", "Action: FINISH[yes]", finishes("yes")),
    ("brackets in the answer", "Action: finish[see [1] and [2]]", finishes("see [1] and [2]")),
    ("lines in the answer", "Action: finish[one\n\ntwo]", finishes("one\n\ntwo")),
    ("quotes in the answer stay", 'Action: finish["yes"]', finishes('"yes"')),
    ("an empty answer", "Action: finish[]", finishes("")),
    ("an answer behind an action", "Action: f[a]\nAction: finish[b]", runs(("f", "a"), answer="b")),
    ("prose alone", "finish[Unable to say]", {"content": "finish[Unable to say]", "decision": "no_action"}),
    ("a thought alone", "Thought: hm", {"reasoning": "hm", "decision": "no_action"}),
    ("nothing", "", {"decision": "empty"}),
    ("no colon", "Action search[Voss]", {"content": "Action search[Voss]", "decision": "no_action"}),
    (
        "an open bracket",
        "Action: search[Voss",
        {"complete": False, "diagnostics": ["truncated"], "decision": "truncated"},
    ),
    (
        "an open bracket inside",
        "Action: index[rows[2]",
        {"complete": False, "diagnostics": ["truncated"], "decision": "truncated"},
    ),
    (
        "no brackets",
        "Action: search Voss",
        {
            "calls": [call("search Voss", None, "invalid")],
            "diagnostics": ["missing_arguments"],
            "decision": "missing_arguments",
        },
    ),
    (
        "no brackets, then an observation",
        "Action: search Voss\nObservation: dry",
        {
            "calls": [call("search Voss", None, "invalid")],
            "diagnostics": ["missing_arguments", "observation"],
            "decision": "missing_arguments",
        },
    ),
    (
        "no name",
        "Thought: hm\nAction:",
        {"reasoning": "hm", "calls": [call("", None, "invalid")], "decision": "missing_name"},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_a_reply(text: str, said: dict[str, Any]) -> None:
    reads(text, said, LECT)


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ('Action: route[{"start": "Voss", "stops": ["a]", "b["]}]', "route", {"start": "Voss", "stops": ["a]", "b["]}),
        ('Action: search[{"query": "Voss"}]', "search", {"query": "Voss"}),
        ("Action: search[Voss]", "search", "Voss"),
        ("Action: now[]", "now", {}),
        ("Action: now", "now", {}),
        ("Action: `search`[Voss]", "search", "Voss"),
        ("Action: Use search[Voss]", "search", "Voss"),
        ("Action: Search[Voss]", "search", "Voss"),
        ("Action: route[\n```json\n{\"start\": \"Voss\"}\n```\n]", "route", {"start": "Voss"}),
    ],
)  # fmt: skip
def test_inputs_by_the_tool(text: str, name: str, arguments: Any) -> None:
    calls = [call(name, arguments)]
    reads(text, {"calls": calls, "decision": [[name, arguments]]}, LECT, TOOLS)


def test_an_input_that_fits_no_tool_says_what_to_write() -> None:
    (bad,) = LECT.parse("Action: route[Voss]", tools=TOOLS).calls
    assert bad.error == (
        "The tool 'route' takes several arguments (start, stops). Write its input as one JSON object with these keys."
    )
    (bare,) = LECT.parse("Action: search Voss").calls
    assert bare.error == (
        "The action 'search Voss' has no brackets. "
        "Write 'Action: tool[input]' on a line of its own, or 'Action: finish[answer]'."
    )


def test_the_tutorials_four_turns() -> None:
    """A question about a town's population, as the tutorial's model answers it: three searches, then the answer."""
    turns = [
        "I need the author first.\nAction: search[author of the book]",
        "Now his birthplace.\nAction: search[birthplace of the author]",
        "Now its population.\nAction: search[population of the town]",
        "That is all I need.\nAction: finish[54,583]",
    ]
    decisions = [LECT.decide(LECT.parse(turn, prefix="Thought:")) for turn in turns]
    asked = [step.tool_input for decision in decisions[:3] for step in decision]  # type: ignore[union-attr]
    assert asked == ["author of the book", "birthplace of the author", "population of the town"]
    assert decisions[3].return_values == {"output": "54,583"}  # type: ignore[union-attr]
    assert [LECT.parse(turn, prefix="Thought:").reasoning for turn in turns[:1]] == ["I need the author first."]
