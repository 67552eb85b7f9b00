"""The picture, the flowchart and the page of a run: what is in them, where it stands, and that it is only a picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from lxml import etree

from polylect import AgentAction, Call, PromptError, Reply, tutorial
from polylect._draw import escaped
from polylect.agent import RunResult, ToolResult, TurnRecord
from polylect.agent._layout import columns, fitted, sans, width_of
from polylect.agent._mermaid import LARGEST_CHART
from polylect.agent._picture import MAX_TITLE
from polylect.agent._style import COLUMNS, DARK, FONTS, LIGHT, MARGIN, PAD, WIDTH

from .runs import golden, long_run, run, runs, texts, troubled, turn

SVG = "{http://www.w3.org/2000/svg}"
BOXES = ("thought", "action", "seen", "bad", "none", "answer", "stopped")


class Box(NamedTuple):
    kind: str
    x: float
    y: float
    width: float
    height: float
    lines: list[str]
    more: str

    @property
    def text(self) -> str:
        return " ".join(self.lines)


def drawn(result: RunResult, **options: Any) -> ET.Element:
    return ET.fromstring(result.to_svg(**options))


def numbers(element: ET.Element) -> tuple[float, float, float, float]:
    x, y, width, height = (float(element.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, width, height


def boxes(root: ET.Element) -> list[Box]:
    """The boxes with their texts: each is a rectangle, and a window of the same place behind it."""
    found = []
    elements = list(root)
    for rect, window in pairwise(elements):
        kind = rect.attrib.get("class", "").removeprefix("pl-")
        if rect.tag == f"{SVG}rect" and kind in BOXES:
            assert window.tag == f"{SVG}svg"
            assert numbers(rect) == numbers(window)
            lines = [text.text or "" for text in window.iter(f"{SVG}text")]
            found.append(Box(kind, *numbers(rect), lines, window.findtext(f"{SVG}title") or ""))
    return found


def kinds(root: ET.Element) -> list[str]:
    return [box.kind for box in boxes(root)]


# --- what is in it ----------------------------------------------------------------------------------------------------


def test_the_tutorials_run_has_a_row_for_each_turn_and_the_answer() -> None:
    root = drawn(golden())
    found = boxes(root)
    assert [box.kind for box in found] == [*["thought", "action", "seen"] * 3, "thought", "answer"]
    assert [box.text for box in found[:3]] == [
        "First I need to know who wrote the book.",
        "search author The Old Man and the Sea",
        "Ernest Hemingway wrote 'The Old Man and the Sea' in 1952",
    ]
    assert found[-1].lines == ["Final answer", "54,583"]
    beside = [text.text for text in root.findall(f"{SVG}text")]
    assert beside[:2] == [tutorial.QUESTION, "react_bracket · 4 turns · 3 tool calls"]
    assert beside[2:6] == ["CONTEXT", "THOUGHT", "ACTION", "OBSERVATION"]
    assert beside[6:8] == ["Turn 1", "800 chars"]
    assert root.attrib["role"] == "img"
    assert root.findtext(f"{SVG}title") == f"Agent run: {tutorial.QUESTION}"
    described = "Finished: the model gave its answer. 4 turns, 3 tool calls. 54,583"
    assert root.findtext(f"{SVG}desc") == described


def test_trouble_is_told_in_the_boxes() -> None:
    found = boxes(drawn(troubled()))
    assert [box.kind for box in found] == [
        "thought", "action", "seen", *["action", "bad"] * 5,
        "bad", "bad", "none",
        "none", "action", "bad", "action", "none", "stopped",
    ]  # fmt: skip
    heads = [box.lines[0] for box in found if box.kind == "bad"]
    assert heads == [
        "Failed", "Unknown tool", "Bad input", "Refused", "Not run", "Unreadable reply", "Fault", "Timed out",
    ]  # fmt: skip
    assert found[15].lines[0] == "Told the model"
    assert found[16].lines == ["no thought"]
    assert found[-2].lines == ["not run"]
    assert found[-1].lines[-1] == "The agent stopped."


def test_the_line_of_context_grows_with_the_prompt() -> None:
    root = drawn(golden())
    rail = [path for path in root.iter(f"{SVG}path") if "V" in path.attrib["d"] and path.attrib["class"] == "pl-rail"]
    thick = [float(path.attrib["stroke-width"]) for path in rail]
    assert len(rail) == 4
    assert thick == sorted(thick)
    assert thick[0] < thick[-1]


def test_an_answer_by_a_tool_and_last_words() -> None:
    direct = boxes(drawn(run("Where?", [turn(1, "", ("look_up", "Oslo", "N"))], "N", "return_direct")))
    assert [box.kind for box in direct] == ["none", "action", "seen", "answer"]
    assert direct[-1].lines == ["Finished: the tool 'look_up' gave the answer itself (return_direct).", "N"]
    words = TurnRecord(1, Reply(answer="Perhaps."), "Perhaps.")
    assert kinds(drawn(run("Where?", [words], "Perhaps.", "time"))) == ["none", "stopped"]


def test_a_run_without_turns_and_without_anything() -> None:
    assert kinds(drawn(run("Where?", [], "The agent stopped.", "cancelled"))) == ["stopped"]
    root = drawn(RunResult(None, "finished"))
    assert [text.text for text in root.iter(f"{SVG}text")] == ["Agent run", "0 turns · 0 tool calls", "Final answer"]


# --- where it stands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("result", [golden(), troubled(), long_run(30, 2_000)])
def test_boxes_stand_in_columns_and_rows_and_nothing_overlaps(result: RunResult) -> None:
    root = drawn(result)
    found = boxes(root)
    assert {box.x for box in found} <= set(map(float, COLUMNS))
    assert all(box.x + box.width <= WIDTH - MARGIN for box in found)
    assert max(box.y + box.height for box in found) + MARGIN == float(root.attrib["height"])
    for at, box in enumerate(found):
        for other in found[at + 1 :]:
            apart = box.x + box.width < other.x or other.x + other.width < box.x
            assert apart or box.y + box.height < other.y or other.y + other.height < box.y
    for action, seen in pairwise(found):
        if action.kind == "action":
            assert (action.y, action.height) == (seen.y, seen.height)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(runs)
def test_texts_stay_in_their_boxes(result: RunResult) -> None:
    root = drawn(result)
    for window in root.iter(f"{SVG}svg"):
        if window is root:
            continue
        x, _, width, height = numbers(window)
        assert x + width <= WIDTH
        for text in window.iter(f"{SVG}text"):
            assert 0 < float(text.attrib["y"]) < height
            kind, *more = text.attrib["class"].split()
            if "pl-middle" not in more:
                line = text.text or ""
                font = FONTS[kind]
                assert width_of(line, font.measure) <= max(font.room(width - 2 * PAD), 138)


def test_long_texts_are_cut_and_more_of_them_is_a_tooltip() -> None:
    text = "Lorem ipsum dolor sit amet. " * 1_000
    action = boxes(drawn(run("", [turn(1, "Hm.", ("read", text, "y"))], None)))[1]
    assert len(action.lines) == 8
    assert action.lines[0] == "read"
    assert action.lines[-1].endswith("…")
    assert action.more == text[:MAX_TITLE] + f"… ({len(text) - MAX_TITLE:,} more characters)"
    assert not boxes(drawn(golden()))[0].more


def test_a_turn_with_many_calls_is_folded() -> None:
    calls = [("read", str(number), "y") for number in range(12)]
    found = boxes(drawn(run("", [turn(1, "Hm.", *calls)], None)))
    assert [box.kind for box in found] == ["thought", *["action", "seen"] * 8, "none", "answer"]
    assert found[-2].lines == ["… 4 more calls …"]


def test_a_long_run_is_folded_and_its_picture_bounded() -> None:
    small, large = long_run(21).to_svg(), long_run(1_000, 10_000).to_svg()
    assert boxes(ET.fromstring(small))[30].lines == ["… 1 more turn …   1 tool call"]
    found = boxes(ET.fromstring(large))
    assert found[30].lines == ["… 980 more turns …   980 tool calls"]
    assert len(found) == 62
    assert len(large) < 250_000
    assert "Turn 11<" not in large
    assert ">Turn 991<" in large
    assert len(boxes(drawn(long_run(1_000), max_turns=3))) == 3 * 3 + 2
    assert len(boxes(drawn(long_run(30), max_turns=30))) == 30 * 3 + 1


@pytest.mark.parametrize("wrong", [1, 0, -5, 2.5, None, "10"])
def test_less_than_two_turns_can_not_be_drawn(wrong: Any) -> None:
    for draw in (golden().to_svg, golden().to_mermaid):
        with pytest.raises(PromptError, match="max_turns is a number from 2, not"):
            draw(max_turns=wrong)


def test_headings_can_be_read_on_their_boxes() -> None:
    """By the contrast that the Web's guidelines ask of small text."""

    def light(color: str) -> float:
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        red, green, blue = (x / 12.92 if x <= 0.03928 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for theme in (LIGHT, DARK):
        pairs = [(theme.ink, theme.paper), (theme.muted, theme.paper), (theme.muted, theme.none[0])]
        for kind in BOXES:
            fill, _, ink = getattr(theme, kind)
            pairs += [(ink, fill), (theme.ink, fill)]
        for above, below in pairs:
            lighter, darker = sorted((light(above), light(below)), reverse=True)
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (above, below)


# --- only a picture ---------------------------------------------------------------------------------------------------


def assert_harmless(root: Any) -> None:
    """Nothing but shapes and texts, no attribute that loads or does anything, no controls."""
    for element in root.iter():
        assert element.tag in {SVG + name for name in ("svg", "title", "desc", "style", "rect", "path", "text")}
        known = {"class", "x", "y", "width", "height", "rx", "d", "stroke-width", "role", "viewBox"}
        assert element.attrib.keys() <= known | {"{http://www.w3.org/XML/1998/namespace}space"}
        assert all(re.fullmatch(r"[\w .#%-]*", value) for value in element.attrib.values())
        text = element.text or ""
        assert not set(text) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffe\uffff")
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
    assert sum(element.tag == f"{SVG}style" for element in root.iter()) == 1


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(runs)
def test_any_run_is_a_well_formed_and_harmless_picture(result: RunResult) -> None:
    told = result.to_svg()
    told.encode()
    root = ET.fromstring(told)
    assert_harmless(root)
    strict = etree.fromstring(told, etree.XMLParser(resolve_entities=False, no_network=True))
    assert strict.getroottree().docinfo.internalDTD is None
    assert root.findtext(f"{SVG}style") == drawn(golden()).findtext(f"{SVG}style")
    assert len(told) < 1_000_000


def test_the_style_loads_nothing() -> None:
    style = drawn(golden()).findtext(f"{SVG}style") or ""
    assert not re.search(r"url|@import|@font-face|expression|<|&", style)
    assert "@media (prefers-color-scheme:dark)" in style
    assert re.findall(r"\.(?!pl-|polylect\b)[a-z]\w*", style) == []


def test_marks_do_not_pile_up() -> None:
    said = boxes(drawn(run("", [turn(1, "Z" + "\u0301" * 100 + "o", ("a", "b", "c"))], None)))[0]
    assert said.lines == ["Z" + "\u0301" * 4 + "o"]


# --- text that is set -------------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(texts)
def test_the_estimate_is_no_less_than_nothing_and_lines_fit(text: str) -> None:
    for measure, room in ((sans, 400), (columns, 12)):
        shown, whole = fitted(text, room, 3, measure)
        assert 1 <= len(shown) <= 3
        assert all(width_of(line, measure) <= room for line in shown)
        assert whole or shown[-1].endswith("…")


# --- the flowchart ----------------------------------------------------------------------------------------------------


def test_the_tutorials_run_as_a_flowchart() -> None:
    chart = golden().to_mermaid().split("\n")
    assert chart[:6] == [
        "flowchart TD",
        f'    question(["{tutorial.QUESTION}"])',
        '    subgraph turn1["Turn 1"]',
        "        direction LR",
        '        thought1["First I need to know who wrote the book."]:::thought',
        '        thought1 --> action1_1["<b>search</b><br/>author The Old Man and the Sea"]:::action --> '
        "seen1_1[\"Ernest Hemingway wrote 'The Old Man and the Sea' in 1952\"]:::seen",
    ]
    assert '    answer(["<b>Final answer</b><br/>54,583"]):::answer' in chart
    assert "    question --> turn1 --> turn2 --> turn3 --> turn4 --> answer" in chart


def test_trouble_in_a_flowchart() -> None:
    chart = troubled().to_mermaid()
    assert '        thought1 --> more1["… 2 more calls …"]:::none\n' in chart
    assert (
        '        thought2["<b>Unreadable reply</b><br/>Well, maybe."]:::bad --> '
        'fault2["<b>Fault</b><br/>There is no action."]:::bad --> told2["<b>Told the model</b><br/>' in chart
    )
    assert '    stopped(["<b>Stopped without an answer: its time was up (max_execution_time).</b><br/>' in chart


def test_a_long_run_as_a_flowchart() -> None:
    chart = long_run(1_000, 10_000).to_mermaid()
    assert '    more["<b>… 980 more turns …</b><br/>980 tool calls"]:::none\n' in chart
    assert " --> turn10 --> more --> turn991 --> " in chart
    wild = [turn(at, '"#;' * 99, *[("&" * 99, "<" * 99, "\U000e0041" * 99)] * 9) for at in range(1, 100)]
    assert len(run('"' * 999, wild, "&" * 999).to_mermaid()) <= LARGEST_CHART


def labels(line: str) -> Iterator[str]:
    assert line.count('"') % 2 == 0
    yield from line.split('"')[1::2]


_STRUCTURE = re.compile(
    r"flowchart TD|    subgraph turn\d+\[\]|        direction LR|    end"
    r"|    classDef \w+ [\w:#,]+|    class [\w,]+ turn"
    r"|    (?:question|answer|stopped)\(\[\]\)(?::::\w+)?|    more\[\]:::none|    \w+(?: --> \w+)+"
    r"|        \w+\[\]:::\w+(?: --> \w+\[\]:::\w+)*|        \w+(?: --> \w+\[\]:::\w+)+"
)


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(runs)
def test_any_run_is_a_flowchart_with_nothing_else_in_it(result: RunResult) -> None:
    chart = result.to_mermaid()
    chart.encode()
    assert len(chart) <= LARGEST_CHART
    for line in chart.split("\n"):
        assert _STRUCTURE.fullmatch(re.sub(r'"[^"]*"', "", line)), line
        for label in labels(line):
            text = re.sub(r"</?b>|<br/>", "", label)
            assert not re.search(r"[<>`\\%$]|&|:fa-|#(?!\d+;)", text), text
            assert all(char.isprintable() for char in text)
            spelt = {int(number) for number in re.findall(r"#(\d+);", text)}
            assert not spelt & {*range(32), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(texts)
def test_escaped_labels_say_the_same(text: str) -> None:
    assert re.sub(r"#(\d+);", lambda found: chr(int(found[1])), escaped(text)) == text


# --- notebooks --------------------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """The elements of a page, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.seen: set[str] = set()
        self.pre = ""
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not {name for name, _ in attrs if name.startswith("on") or name in ("href", "src", "id")}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["pre"]:
            self.pre += data


def test_a_notebook_shows_the_picture_and_the_report_below_it() -> None:
    page = golden()._repr_html_()
    assert golden().to_svg() in page
    assert page.startswith('<div class="polylect-run">')
    assert Tags(page).pre == golden().to_text()
    assert len(long_run(1_000, 10_000)._repr_html_()) < 500_000


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(runs)
def test_any_run_is_a_harmless_page(result: RunResult) -> None:
    found = Tags(result._repr_html_())
    known = {"div", "style", "svg", "title", "desc", "rect", "path", "text", "details", "summary", "pre"}
    assert found.seen <= known
    assert not found.open


def test_calls_that_could_not_run_and_have_no_call_in_the_reply() -> None:
    action = AgentAction("_Exception", "Write JSON.", "call: {", None, 3)
    reply = Reply(calls=(Call("a", {}),))
    found = boxes(drawn(run("", [TurnRecord(1, reply, "", (action,), (ToolResult("Write JSON.", "invalid"),))], None)))
    assert found[1].lines == ["(unreadable call)", "call: {"]
    assert found[2].lines == ["Not run", "Write JSON."]
