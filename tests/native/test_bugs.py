"""Faults that users of other parsers reported: every row of ``bug_rows.py`` in any cut, every kind as a law."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import (
    AgentAction,
    AgentStep,
    ArgumentsDelta,
    Call,
    CallEnd,
    CallStart,
    ContentDelta,
    Lect,
    LectError,
    Reply,
)
from polylect.testing._law_8_linear import Hostile, _growth

from .bug_rows import ROWS, TOOLS, Row, gemma, glm, hermes, qwen
from .cutting import Cutter, grouped
from .matrix import markers, native
from .streams import boxed, differences, read

NAMES = native()
BOX = boxed(TOOLS)
FEW = settings(max_examples=4, deadline=None, database=None)
SOME = settings(max_examples=30, deadline=None, database=None)


def options(row: Row) -> dict[str, Any]:
    """How a row is to be read."""
    return {"tools": BOX, "prefix": row.prefix, **row.policies}


def labelled(rows: tuple[Row, ...]) -> list[Any]:
    """The rows as parameters, each with its kind and its tongue."""
    return [pytest.param(row, id=f"{row.kind} {row.lect} {number}") for number, row in enumerate(rows)]


@pytest.mark.parametrize("row", labelled(ROWS))
def test_row(row: Row) -> None:
    lect: Any = polylect.lect(row.lect)
    reply = lect.parse(row.text, finish_reason=row.finish, **options(row))
    assert [(call.name, call.arguments) for call in reply.calls if call.runnable] == list(row.calls)
    assert (reply.content, reply.reasoning) == (row.content, row.reasoning)
    tokens = Cutter([*lect.special, *lect.stops])(row.text)
    cuttings = {"one delta": [row.text], "characters": list(row.text), "tokens": tokens}
    for seed in range(8):
        cuttings[f"tokens, seed {seed}"] = list(grouped(tokens, 6, seed))
        cuttings[f"characters, seed {seed}"] = list(grouped(row.text, 9, seed))
    assert not differences(lect, row.text, cuttings, row.finish, **options(row))


@pytest.mark.parametrize("row", labelled(ROWS))
@SOME
@given(data=st.data())
def test_a_row_cut_short_runs_no_half_call(row: Row, data: st.DataObject) -> None:
    lect = polylect.lect(row.lect)
    at = data.draw(st.integers(0, len(row.text)))
    reply = lect.parse(row.text[:at], finish_reason="length", **options(row))
    runs = [(call.name, call.arguments) for call in reply.calls if call.runnable]
    assert runs == list(row.calls[: len(runs)])


# --- laws ------------------------------------------------------------------------------------------------------------


def said(lect: Lect, *calls: Call, content: str = "") -> str | None:
    """The calls in a tongue; None where it refuses them."""
    try:
        return str(lect.format(Reply(content=content, calls=calls), tools=BOX))
    except LectError:
        return None


def hard_texts(lect: Any) -> st.SearchStrategy[str]:
    """Texts made of a tongue's own markers, brackets, quotes, escapes and blanks."""
    pieces = [*markers(lect), *"{}[]()<>\"'\\,:=", "\n", " ", "\\n", "&lt;", "a", "é", "🌧", "null", "12", "</", "]}"]
    return st.lists(st.sampled_from(pieces), max_size=12).map("".join)


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(data=st.data())
def test_any_text_is_data_inside_an_argument(name: str, data: st.DataObject) -> None:
    """Kinds: close in a text, brackets in a text, unicode, blanks, escapes, marker in pieces."""
    lect: Any = polylect.lect(name)
    text = data.draw(hard_texts(lect))
    written = said(lect, Call("save", {"file": "n", "text": text}))
    if written is not None:
        chunks = list(grouped(written, 5, data.draw(st.integers(0, 99))))
        _, reply = read(lect, chunks, tools=BOX)
        assert [call.arguments for call in reply.calls] == [{"file": "n", "text": text}]


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(
    code=st.sampled_from(["007", "true", "null", "1e9", "5.0", "-0", "NaN", '{"a": 1}', "[]", "None", "0x1F"]),
    weight=st.integers(-(2**70), 2**70),
    serial=st.integers(2**53, 2**64) | st.sampled_from([0.1, 1e-7, -2.5]),
)
def test_the_schema_decides_types(name: str, code: str, weight: int, serial: float) -> None:
    lect = polylect.lect(name)
    meant = {"code": code, "weight": weight, "serial": serial}
    written = said(lect, Call("parcel", meant))
    assert written is not None
    found = lect.parse(written, tools=BOX).calls[0].arguments
    assert found == meant
    assert isinstance(found, dict)
    assert [type(value) for value in found.values()] == [str, int, type(serial)]


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(
    st.lists(st.sampled_from([("clock", {}), ("forecast", {"place": "Graz"}), ("total", {"items": [1]})]), min_size=1),
    st.integers(0, 99),
    st.sampled_from(["live", "held"]),
)
def test_calls_are_numbered_from_zero(name: str, calls: list[tuple[str, dict[str, Any]]], seed: int, mode: str) -> None:
    """Kinds: numbers of calls, much in one delta, no arguments, arguments lost."""
    lect = polylect.lect(name)
    written = said(lect, *[Call(tool, arguments) for tool, arguments in calls])
    if written is None:
        return
    for chunks in ([written], list(grouped(written, 7, seed))):
        events, reply = read(lect, chunks, tools=BOX, arguments=mode)
        assert [(call.name, call.arguments) for call in reply.calls] == calls
        for kind in (CallStart, CallEnd):
            assert [event.index for event in events if isinstance(event, kind)] == list(range(len(calls)))
        for index, call in enumerate(reply.calls):
            sent = "".join(each.text for each in events if isinstance(each, ArgumentsDelta) and each.index == index)
            assert sent == call.raw != ""


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(st.sampled_from(["savee", "no_such_tool", "weather.get"]), st.integers(0, 99))
def test_an_unknown_tool_is_kept_or_reported(name: str, tool: str, seed: int) -> None:
    lect = polylect.lect(name)
    written = said(lect, Call(tool, {"x": "y"}))
    assert written is not None
    _, reply = read(lect, grouped(written, 7, seed), tools=BOX)
    assert [(call.name, call.runnable) for call in reply.calls] == [(tool, True)]
    rejected = lect.parse(written, tools=BOX, unknown_tool="reject")
    assert [call.status for call in rejected.calls] == ["invalid"]
    assert rejected.calls[0].error


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(
    st.sampled_from([
        "It rains; take a coat.", "f(x) = 2x and [1, 2] are plain", '```json\n{"name": "tiny", "version": 3}\n```',
        "Use <b>bold</b>, a < b", "- one\n- two\n", "The key {x} of [y] (z)", "price: 3 €, 50 % off", "\n\nHello\n",
    ]),
    st.integers(0, 99),
)  # fmt: skip
def test_prose_is_no_call(name: str, prose: str, seed: int) -> None:
    lect = polylect.lect(name)
    written = said(lect, content=prose)
    if written is None:
        return
    _, reply = read(lect, grouped(written, 3, seed), tools=BOX)
    assert (reply.content, reply.calls, reply.complete) == (prose, (), True)


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(st.lists(st.sampled_from(['say "x"', "it's", "a\\b", "{}", "é", "two\nlines"]), min_size=1, max_size=3))
def test_history_reads_back(name: str, places: list[str]) -> None:
    """Kind: what a formatter writes of calls that were made, with their results, is read as those calls."""
    lect: Any = polylect.lect(name)
    steps = []
    for place in places:
        if said(lect, Call("forecast", {"place": place})) is None:
            return
        steps.append(AgentStep(AgentAction("forecast", {"place": place}, id=None), f"rain in {place}"))
    reply = lect.transcript(lect.format_steps(steps, tools=BOX), tools=BOX)
    assert [(call.name, call.arguments) for call in reply.calls] == [("forecast", {"place": place}) for place in places]


def test_python_calls_quote_their_texts() -> None:
    lect = polylect.lect("pythonic")
    written = str(lect.format(Reply(calls=(Call("forecast", {"place": 'the "old" town'}),)), tools=BOX))
    assert lect.parse(written, tools=BOX).calls[0].arguments == {"place": 'the "old" town'}


# --- streams that come in time ---------------------------------------------------------------------------------------


def test_a_json_answer_is_shown_while_it_comes() -> None:
    """What is no call is not held until the end: at the key that calls do not begin with it is known."""
    parser = polylect.lect("llama3_json").parser(tools=BOX)
    text = '{"heading": "no call", "n": 2, "more": ['
    shown = "".join(event.text for char in text for event in parser.feed(char) if isinstance(event, ContentDelta))
    assert len(shown) > len(text) - 8
    parser.close()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("qwen3_coder_xml", qwen("save", ("file", "n"), ("text", "one more line\n" * 60))),
        ("glm47", glm("save", ("file", "n"), ("text", "one more line\n" * 60))),
        ("hermes", hermes('{"name": "save", "arguments": {"file": "n", "text": "%s"}}' % ("one more line " * 60))),
        ("gemma4", gemma('save{file:"n",text:"%s"}' % ("one more line\n" * 60))),
    ],
)
def test_a_long_text_streams(name: str, text: str) -> None:
    """The text of an argument is passed on as it comes, not in one piece at the end."""
    parser = polylect.lect(name).parser(tools=BOX)
    most, behind, sent = 0, 0, 0
    for at, char in enumerate(text):
        for event in parser.feed(char):
            if isinstance(event, ArgumentsDelta):
                most = max(most, len(event.text))
                sent = at
        behind = max(behind, at - sent if sent else 0)
    parser.close()
    assert most <= 64
    assert behind <= 64


STORMS = (
    ("glm47", "<tool_call>", " ", "x"),
    ("glm47", "<tool_call>save<arg_key>text</arg_key><arg_value>", "</arg_value>", "x"),
    ("qwen3_coder_xml", "<tool_call>\n<function=save>\n<parameter=text>\n", "</parameter>\n", "x"),
    ("hermes", "", "<tool_call>", "x"),
    ("hermes", '<tool_call>{"name": "save", "arguments": ', "[{", "x"),
    ("pythonic", "[save(text=", "[(", "x"),
    ("llama3_json", "", '{"', "x"),
    ("gemma4", "<|tool_call>call:save{text:", "{a:[", "x"),
)


@pytest.mark.parametrize(("name", "head", "unit", "tail"), STORMS)
@pytest.mark.parametrize("way", ["whole", "stream of 4"])
def test_twice_the_storm_takes_at_most_twice_the_time(name: str, head: str, unit: str, tail: str, way: str) -> None:
    assert not _growth(polylect.lect(name), Hostile(way, unit, head, tail, 0, True), TOOLS)


@pytest.mark.parametrize("name", NAMES)
@FEW
@given(data=st.data())
def test_where_the_model_was_cut_nothing_is_guessed(name: str, data: st.DataObject) -> None:
    """A marker that counts only because the message ends there ends no call: the model may have gone on."""
    lect: Any = polylect.lect(name)
    text = data.draw(hard_texts(lect))
    written = said(lect, Call("save", {"file": "n", "text": text}))
    if written is None:
        return
    for at in range(len(written)):
        reply = lect.parse(written[:at], tools=BOX, finish_reason="length")
        assert [call.arguments for call in reply.calls if call.runnable] in ([], [{"file": "n", "text": text}])
        assert not reply.content.strip()
