"""The parts of what ``polylect run`` shows: flowing text, events in the report's layout, the line that tells time."""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from polylect import (
    Agent,
    AgentAction,
    AnswerDelta,
    CallStart,
    ContentDelta,
    Finish,
    ModelStart,
    NoAnswer,
    ReasoningDelta,
    Reply,
    Request,
    RunResult,
    RunState,
    Scripted,
    StepEnd,
    ToolEnd,
    ToolResult,
    ToolStart,
    TurnRecord,
)
from polylect.agent._layout import columns, width_of, wrapped
from polylect.agent._report import LABEL, Report, harmless, plain
from polylect.cli import _ticker
from polylect.cli._flow import INDENT, Flow
from polylect.cli._ticker import Ticker, width_of_terminal
from polylect.cli._watch import Watch

# --- text that flows --------------------------------------------------------------------------------------------------

TEXT = st.text(st.sampled_from("ab-é語 \n\t\r\x1b\u0301x"), max_size=80) | st.text(max_size=40)


def flowed(text: str, cuts: list[int], room: int | None, limit: int | None) -> str:
    flow = Flow("Thought".ljust(LABEL), room, limit)
    out = ""
    at = 0
    for cut in cuts:
        out += flow.feed(text[at : at + cut])
        at += cut
    return out + flow.feed(text[at:]) + flow.close()


@given(TEXT, st.lists(st.integers(1, 9), max_size=20), st.integers(16, 40), st.sampled_from([None, 10]))
@example("a" * 60, [], 16, None)
@example("語" * 30 + " a", [1, 1], 17, None)
@example("x\n\n\n   y", [], 16, None)
def test_a_flow_says_the_same_however_it_is_cut_and_fits(
    text: str, cuts: list[int], room: int, limit: int | None
) -> None:
    out = flowed(text, cuts, room, limit)
    assert out == flowed(text, [], room, limit)
    if not text.strip():
        assert out == ""
        return
    assert out.endswith("\n")
    assert out.startswith("  Thought       ")
    for line in out.split("\n")[1:-1]:
        assert not line or line.startswith(INDENT)
    assert all(width_of(line) <= LABEL + 2 + room for line in out.split("\n"))
    if limit is None:
        kept = harmless(text.replace("\r", "").strip())
        assert "".join(out.removeprefix("  Thought").split()) == "".join(kept.split())


@given(st.text("ab é\n-語。", max_size=100), st.integers(16, 40))
@example("a b" + "語" * 20 + "。" * 3, 16)
def test_a_flow_breaks_words_as_the_report_does(text: str, room: int) -> None:
    words = "\n".join(" ".join(line.split()) for line in text.strip().split("\n")).strip()
    shown = list(wrapped(words, room)) if words else []
    flowing = flowed(words, [], room, None).removeprefix("  Thought".ljust(LABEL + 2)).split("\n")[:-1]
    if all(len(word) <= room // 2 or "語" in word for word in words.split()):  # longer ones are broken anywhere
        assert [line.removeprefix(INDENT) for line in flowing] == shown


def test_a_flow_without_a_width_gives_what_it_has() -> None:
    flow = Flow("Thought".ljust(LABEL), None, None)
    assert flow.feed(" \n") == ""
    assert not flow.begun
    assert flow.feed("one two") == "  Thought       one"
    assert flow.begun
    assert flow.feed(" ") == " two"
    assert flow.feed("\n\n") == ""
    assert flow.close() == "\n"


def test_a_flow_tells_what_it_leaves_out() -> None:
    assert flowed("a" * 12, [], 40, 10) == "  Thought       aaaaaaaaaa… (2 more characters)\n"


# --- events -----------------------------------------------------------------------------------------------------------


def watched(*events: Any, turns: tuple[TurnRecord, ...] = ()) -> str:
    state = RunState({}, turns=list(turns))
    watch = Watch(state, Report(60, 200, plain))
    return "".join(watch.show(event) for event in events) + watch.close()


def test_all_events_as_text() -> None:
    one, two = AgentAction("f", {"a": 1}), AgentAction("g", "x", index=1)
    turn = TurnRecord(1, Reply(), None, (one, two), (ToolResult("yes"), ToolResult("no", "error")))
    text = watched(
        ModelStart(1, Request("?")),
        ReasoningDelta(0, 1, "\nso"),
        ContentDelta(1, 2, "aloud"),
        CallStart(2, 3, 0, None, "f"),
        ToolStart(1, one),
        ToolStart(1, two),
        ToolStart(1, one),
        ToolEnd(1, two, ToolResult("no", "error")),
        ToolEnd(1, one, ToolResult("yes")),
        StepEnd(1, None),  # type: ignore[arg-type]
        StepEnd(1, None),  # type: ignore[arg-type]
        turns=(turn,),
    )
    assert text == (
        'Turn 1\n  Thought       so\n                aloud\n  Action 1      f {"a": 1}\n  Action 2      g[x]\n'
        "  Failed 2      no\n  Observation 1 yes\n"
    )


def test_an_answer_that_was_none() -> None:
    start = ModelStart(2, Request("?"))
    text = watched(start, AnswerDelta(0, 1, "Let me look."), NoAnswer(2), CallStart(1, 2, 0, None, "f"))
    assert text == "Turn 2\n  Answer        Let me look.\n                (This was no answer: a call follows.)\n"


def test_a_call_that_was_interrupted_without_an_event() -> None:
    action = AgentAction("f", "x")
    turn = TurnRecord(1, Reply(), None, (action,), (ToolResult("It was cut.", "cancelled"),))
    result = RunResult(None, "cancelled", turns=(turn,))
    text = watched(ModelStart(1, Request("?")), ToolStart(1, action), Finish(1, result), turns=(turn,))
    assert text == "Turn 1\n  Action        f[x]\n  Cancelled     It was cut.\n"
    cut = TurnRecord(2, output="Thou", error="The model was still writing.")
    text = watched(ModelStart(2, Request("?")), Finish(2, RunResult(None, "time", turns=(cut,))), turns=(cut,))
    assert text.startswith("Turn 2\n  Reply         Thou\n  ")
    assert "The model was still writing.\n" in text


WORDS = st.text("ab é-語。\n", max_size=60).map(
    lambda text: "\n".join(" ".join(line.split()) for line in text.strip().split("\n")).strip()
)


@given(st.lists(st.tuples(WORDS, WORDS, st.text(max_size=60)), max_size=3), WORDS)
def test_the_live_view_of_a_run_is_its_report(turns: list[tuple[str, str, str]], answer: str) -> None:
    said: list[Any] = []
    for thought, query, _ in turns:
        function = {"name": "tool", "arguments": json.dumps({"query": query})}
        call = {"id": "1", "type": "function", "function": function}
        said.append({"role": "assistant", "content": None, "reasoning_content": thought, "tool_calls": [call]})
    said.append({"role": "assistant", "content": f"So: {answer}", "reasoning_content": "I know."})
    results = iter([observation for *_, observation in turns])

    def tool(query: str) -> str:
        """Gives what it is to give."""
        return next(results)

    agent = Agent("tool_calls", Scripted(said, chunk=3), [tool], max_repeats=None)
    state = agent.start("Q")
    report = Report(60, 200, plain)
    watch = Watch(state, report)
    live = "".join(watch.show(event) for event in agent.stream(state)).split("\n")
    result = agent.run(state)
    told = list(report.lines(result))[len(list(report.summary(result))) + 1 :]
    assert live == [*(line.partition("  model ")[0] if line.startswith("Turn") else line for line in told), ""]


# --- the line that tells what is going on -----------------------------------------------------------------------------


class Screen(io.StringIO):
    """A terminal that remembers."""

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError


def test_the_line_is_shown_after_a_while_and_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    screen, out = Screen(), io.BytesIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_ticker, "EVERY", 0.01)
    monkeypatch.setattr(_ticker, "PATIENCE", 0.0)
    monkeypatch.setenv("COLUMNS", "30")
    with Ticker() as ticker:
        ticker.say("turn 1: \x1b[2J" + "語" * 40)
        _until(lambda: "turn 1" in screen.getvalue())
        line = screen.getvalue().rpartition("\r")[2]
        assert line.startswith("turn 1: \\x1b[2J語")
        assert sum(map(columns, line)) <= 29
        ticker.write(out, b"text", mid_line=True)
        assert screen.getvalue().endswith(" \r")
        length = len(screen.getvalue())
        time.sleep(0.05)
        assert len(screen.getvalue()) == length  # the cursor stands behind the text
        ticker.write(out, b"\n")
        _until(lambda: len(screen.getvalue()) > length)
        with ticker.aside():
            screen.write("printed\n")
    assert screen.getvalue().rpartition("\r")[2] in ("", "printed\n")
    assert out.getvalue() == b"text\n"


def _until(done: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if done():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")


def test_without_a_terminal_there_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(_ticker, "EVERY", 0.0)
    with Ticker() as ticker:
        ticker.say("turn 1")
        time.sleep(0.02)
    assert stream.getvalue() == ""


@pytest.mark.parametrize(("columns_told", "width"), [("77", 77), ("0", 80), ("x", 80), ("", 80)])
def test_the_width_of_a_terminal(monkeypatch: pytest.MonkeyPatch, columns_told: str, width: int) -> None:
    monkeypatch.setenv("COLUMNS", columns_told)
    assert width_of_terminal(io.StringIO()) == width
