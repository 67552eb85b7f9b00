"""``docs/differences.md`` tells the truth about polylect: each row's text is read, and the value beside it compared.

``langchain.jsonl`` holds what LangChain's parsers made of some two hundred texts and messages: either we do as they do,
or the page says why not.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import polylect
from polylect import EXCEPTION_TOOL, AgentAction, AgentFinish, AgentStep, Lect, ParseError, TextLect, Tool
from polylect.testing import stream

PAGE = Path(__file__).parent.parent / "docs" / "differences.md"
OBSERVED = Path(__file__).parent / "langchain.jsonl"
LECTS = {
    *("react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"),
    *("json_blob", "react_json", "chat", "json_chat", "xml_tags", "tool_calls", "openai_functions"),
}
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
CELLS = re.compile(r"(?:`+[^`|]*`+|[^|`]|`)+")


def tool(name: str, *required: str, **properties: str) -> Tool:
    schemas = {key: {"type": kind} for key, kind in properties.items()}
    return Tool(name, "", {"type": "object", "properties": schemas, "required": list(required)})


TOOLS = [
    tool("search", "query", query="string"),
    tool("forecast", "city", city="string", days="integer"),
    tool("now"),
]


class Row(NamedTuple):
    """One row of a table: where it stands, the lect, and its cells."""

    line: int
    lect: str
    cells: list[str]


def rows() -> list[Row]:
    found = []
    lect = ""
    parsers, _, _ = PAGE.read_text(encoding="utf-8").partition("\n## Agents\n")  # those have tests of their own
    for number, line in enumerate(parsers.splitlines(), 1):
        if line.startswith("## "):
            code = CODE.search(line)
            lect = code[2] if code is not None else ""
        elif line.startswith("| ") and not line.startswith(("| ---", "| The model", "| Observation")):
            found.append(Row(number, lect, [cell.strip() for cell in line.strip().strip("|").split(" | ")]))
    return found


def code_of(cell: str, number: int = 0) -> str:
    """What a cell shows as code, line breaks and all."""
    return str(CODE.findall(cell)[number][1]).strip().replace("↵", "\n")


ROWS = rows()
READ = [row for row in ROWS if row.lect]
WRITTEN = [row for row in ROWS if not row.lect]


def told(lect: Lect, decide: Any) -> str:
    """A decision in the notation of the page."""
    try:
        decision = lect.decide(decide())
    except ParseError as error:
        return f"error {error.reason}"
    if isinstance(decision, AgentFinish):
        return f'finish "{decision.return_values["output"]}"'
    return " ".join(shown(action) for action in decision)


def shown(action: AgentAction) -> str:
    if action.tool == EXCEPTION_TOOL:
        return "error"
    return f"{action.tool}({json.dumps(action.tool_input, ensure_ascii=False)})".replace("\\n", "\n")


def test_the_page_has_its_tables() -> None:
    assert {row.lect for row in READ} == LECTS
    assert len(READ) > 60
    assert len(WRITTEN) >= 4
    assert all(len(row.cells) == 4 for row in ROWS)


@pytest.mark.parametrize("row", READ, ids=lambda row: f"{row.lect}:{row.line}")
def test_a_text_comes_out_as_the_page_says(row: Row) -> None:
    lect = polylect.lect(row.lect)
    text, wanted = code_of(row.cells[0]), code_of(row.cells[2])
    chunks = list(text) if isinstance(lect, TextLect) else lect.chunks(text, [1])
    assert told(lect, lambda: lect.parse(text, tools=TOOLS)) == wanted
    assert told(lect, lambda: stream(lect, chunks, tools=TOOLS).reply) == wanted


@pytest.mark.parametrize("row", WRITTEN, ids=lambda row: f"line {row.line}")
def test_an_observation_is_written_as_the_page_says(row: Row) -> None:
    lect = polylect.lect(code_of(row.cells[0]))
    assert isinstance(lect, TextLect)
    text, wanted = code_of(row.cells[0], 1), code_of(row.cells[2])
    observation = json.loads(text) if text.startswith("{") else text
    written = lect.format_steps([AgentStep(AgentAction("search", "x"), observation)])
    assert wanted in written
    (seen,) = lect.transcript(written).spans("observation")
    assert lect.unescape(written[slice(*seen)]).strip() == text


def test_tools_are_described_as_the_page_says() -> None:
    assert "`forecast(city: string, days?: integer)`" in PAGE.read_text(encoding="utf-8")
    assert "forecast(city: string, days?: integer)" in polylect.lect("react").format_tools(TOOLS)


def calls_as_text() -> list[str]:
    """The marks that the page says no content may begin with."""
    paragraph = PAGE.read_text(encoding="utf-8").partition("Content that begins with ")[2].partition(" is a call")[0]
    return [str(code[1]) for code in CODE.findall(paragraph)]


def test_the_page_names_the_calls_as_text() -> None:
    assert "<tool_call>" in calls_as_text()
    assert len(calls_as_text()) == 5


@pytest.mark.parametrize("mark", calls_as_text())
def test_a_call_written_as_text_never_runs(mark: str) -> None:
    lect = polylect.lect("tool_calls")
    for space in ("", "\n "):
        reply = lect.parse({"content": space + mark + '{"name": "now", "arguments": {}}'}, tools=TOOLS)
        for text in ("final", "error"):
            with pytest.raises(ParseError) as caught:
                lect.decide(reply, text=text)
            assert caught.value.reason == "no_action"
            assert "as text" in caught.value.correction
    quoted = f"Write {mark} before a call."
    assert told(lect, lambda: lect.parse({"content": quoted}, tools=TOOLS)) == f'finish "{quoted}"'


class Observed(NamedTuple):
    """An input, what we make of it, and what LangChain's parsers do, with the reason where that is not the same."""

    lect: str
    input: Any
    polylect: dict[str, Any]
    langchain: list[dict[str, Any]]


def observed() -> list[Any]:
    found = []
    for number, line in enumerate(OBSERVED.read_text(encoding="utf-8").splitlines(), 1):
        row = Observed(**json.loads(line))
        found.append(pytest.param(row, id=f"{row.lect}:{number}"))
    return found


CASES = observed()


def agrees(result: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Whether both mean one thing: all errors are one, and actions agree as far as both tell of them."""
    if "error" in result or "error" in ours:
        return "error" in result and "error" in ours
    if "finish" in result or "finish" in ours:
        return result == ours
    pairs = zip(result["actions"], ours["actions"], strict=False)
    return len(result["actions"]) == len(ours["actions"]) and all(
        a[:length] == b[:length] for a, b in pairs for length in [min(len(a), len(b))]
    )


def decided(row: Observed) -> dict[str, Any]:
    """What we make of it, in the form of the file."""
    lect = polylect.lect(row.lect)
    try:
        decision = lect.decide(lect.parse(row.input))
    except ParseError as error:
        return {"error": error.reason}
    if isinstance(decision, AgentFinish):
        return {"finish": decision.return_values["output"]}
    return {"actions": [[action.tool, action.tool_input, action.id] for action in decision]}


@pytest.mark.parametrize("row", CASES)
def test_we_do_as_langchain_does_or_say_why_not(row: Observed) -> None:
    ours = decided(row)
    assert agrees(row.polylect, ours)
    assert row.polylect.get("error") == ours.get("error")
    reasons = [page.cells[3] for page in READ if page.lect == row.lect]
    for other in row.langchain:
        why = other.get("why")
        assert agrees(other["result"], ours) == (why is None), f"{other['parsers']}: {other['result']}"
        assert why is None or any(why in reason for reason in reasons), f"the page does not say: {why}"


def test_what_was_observed_is_of_every_lect_and_parser() -> None:
    rows = [case.values[0] for case in CASES]
    assert {row.lect for row in rows} == LECTS
    parsers = {parser.partition("(")[0] for row in rows for other in row.langchain for parser in other["parsers"]}
    assert len(parsers) == 15
    page = PAGE.read_text(encoding="utf-8")
    assert [parser for parser in sorted(parsers) if parser not in page] == []
    assert len({(row.lect, json.dumps(row.input)) for row in rows}) == len(rows) > 200
