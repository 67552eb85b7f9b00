"""``docs/differences.md`` tells the truth about polylect: each row's text is read, and the value beside it compared."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import polylect
from polylect import AgentAction, AgentFinish, AgentStep, Lect, ParseError, TextLect, Tool
from polylect.testing import stream

PAGE = Path(__file__).parent.parent / "docs" / "differences.md"
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
    for number, line in enumerate(PAGE.read_text(encoding="utf-8").splitlines(), 1):
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
    return f"{action.tool}({json.dumps(action.tool_input, ensure_ascii=False)})".replace("\\n", "\n")


def test_the_page_has_its_tables() -> None:
    assert {row.lect for row in READ} == {"react", "react_bracket", "json_blob", "xml_tags"}
    assert len(READ) > 40
    assert len(WRITTEN) >= 4
    assert all(len(row.cells) == 4 for row in ROWS)


@pytest.mark.parametrize("row", READ, ids=lambda row: f"{row.lect}:{row.line}")
def test_a_text_comes_out_as_the_page_says(row: Row) -> None:
    lect = polylect.lect(row.lect)
    text, wanted = code_of(row.cells[0]), code_of(row.cells[2])
    assert told(lect, lambda: lect.parse(text, tools=TOOLS)) == wanted
    assert told(lect, lambda: stream(lect, list(text), tools=TOOLS).reply) == wanted


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
