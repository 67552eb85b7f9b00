"""The report of a run: what it says, how it is laid out, and that nothing in it is obeyed."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect import AgentAction, AgentStep, Call, Reply, tutorial
from polylect.agent import RunResult, StopReason, ToolResult, TurnRecord, Usage
from polylect.agent._layout import columns, wrapped
from polylect.agent._report import NARROWEST, report

from .runs import golden, long_run, run, runs, texts, troubled, turn

GOLDEN = f"""\
Finished: the model gave its answer.

  Question      {tutorial.QUESTION}
  Answer        54,583
  Steps taken   4 turns, 3 tool calls
  Lect          react_bracket

Turn 1
  Thought       First I need to know who wrote the book.
  Action        search[author The Old Man and the Sea]
  Observation   Ernest Hemingway wrote 'The Old Man and the Sea' in 1952

Turn 2
  Thought       It was Ernest Hemingway. Now I need the place where he was born.
  Action        search[Ernest Hemingway birthplace]
  Observation   Oak Park, Illinois

Turn 3
  Thought       That is Oak Park, Illinois. What is missing is how many people live there.
  Action        search[population Oak Park Illinois]
  Observation   54,583

Turn 4
  Thought       Oak Park has 54,583 inhabitants, and that was the question.
  Answer        54,583
"""
TROUBLED = """\
Stopped without an answer: its time was up (max_execution_time).

  Question      Where is it warm?
  Output        The agent stopped.
  Steps taken   3 turns, 8 tool calls (1 failed, 1 cut off, 5 never ran), 1 unreadable reply
  Time          12.2 s
  Tokens        300 in / 40 out
  Lect          react_bracket

Turn 1  model 1.5 s, tools 750 ms, tokens 300 in / 40 out
  Thought       All at once.
  Action 1      weather {"city": "Oslo"}
  Observation   4 °C
  Action 2      weather {"city": "Atlantis"}
  Failed        LookupError: no such city
  Action 3      teleport {"to": "Oslo"}
  Unknown tool  There is no tool 'teleport'.
  Action 4      weather {"town": "Oslo"}
  Bad input     'city' is missing
  Action 5      delete {}
  Refused       Nobody approved of it.
  Action 6      weather {"city": "Ber
  Not run       The arguments are cut off.

Turn 2
  Reply         Well, maybe.
  Fault         There is no action.
  Told          Your reply had no action and no final answer. Write one of them.

Turn 3  tools 10.0 s
  Action 1      weather[Bergen]
  Timed out     The call was not finished.
  Action 2      weather[Bodø]
  Not run       (no observation)
"""


def lines(result: RunResult, **options: Any) -> list[str]:
    return result.to_text(**options).split("\n")


# --- what it says -----------------------------------------------------------------------------------------------------


def test_the_tutorials_run() -> None:
    assert golden().to_text() == GOLDEN


def test_a_run_of_all_kinds_of_trouble() -> None:
    assert troubled().to_text() == TROUBLED


def test_times_and_tokens_are_told_where_they_are_known() -> None:
    known = lines(golden(seconds=2.5, usage=Usage(1200, 34)))
    assert "  Time          2.5 s" in known
    assert "  Tokens        1,200 in / 34 out" in known
    assert "  Tokens        7 out" in lines(golden(usage=Usage(0, 7)))
    assert not {"Time", "Tokens"} & {word for line in lines(golden()) for word in line.split()}


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.0004, "< 1 ms"), (0.25, "250 ms"), (0.9999, "1.0 s"), (61.25, "61.2 s"), (3600.4, "3,600 s")],
)
def test_times_are_told_for_people(seconds: float, told: str) -> None:
    assert f"  Time          {told}" in lines(golden(seconds=seconds))


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("iterations", "Stopped without an answer: its limit of turns was reached (max_iterations)."),
        ("time", "Stopped without an answer: its time was up (max_execution_time)."),
        ("cancelled", "Stopped without an answer: it was cancelled."),
        ("loop", "Stopped without an answer: the model made no progress: it did the same again and again."),
    ],
)
def test_a_stopped_run_says_why_and_what_it_has(reason: StopReason, told: str) -> None:
    result = run("Where?", [turn(1, "Look.", ("search", "x", "y"))], "The agent stopped.", reason)
    assert lines(result)[:5] == [
        told,
        "",
        "  Question      Where?",
        "  Output        The agent stopped.",
        "  Steps taken   1 turn, 1 tool call",
    ]


def test_replies_that_can_not_be_read_end_a_run_too() -> None:
    bad = troubled().turns[1]
    assert lines(run("Where?", [bad] * 4, None, "loop"))[0] == (
        "Stopped without an answer: the model made no progress: its replies could not be read."
    )
    assert "  Steps taken   4 turns, 0 tool calls, 4 unreadable replies" in lines(run("", [bad] * 4, None, "loop"))


def test_the_last_words_of_a_stopped_run_are_told_as_such() -> None:
    last = TurnRecord(2, Reply(reasoning="No more turns.", answer="Perhaps Oslo."), "…")
    told = lines(run("Where?", [turn(1, "Look.", ("search", "x", "y")), last], "Perhaps Oslo.", "iterations"))
    assert told[0].endswith(
        "(max_iterations). The output is what the model said when it was asked for an answer one last time."
    )
    assert told[-4:] == ["Turn 2", "  Thought       No more turns.", "  Output        Perhaps Oslo.", ""]
    silent = TurnRecord(2, Reply(), "")
    assert "one last time" not in lines(run("Where?", [silent], "The agent stopped.", "iterations"))[0]


def test_a_reply_that_the_end_of_the_run_cut_off() -> None:
    cut = TurnRecord(1, output="I thi", error="The model was still writing when the run was cancelled.")
    assert lines(run("Where?", [cut], "The agent stopped.", "cancelled"))[4:] == [
        "  Steps taken   1 turn, 0 tool calls, 1 unfinished reply",
        "  Lect          react_bracket",
        "",
        "Turn 1",
        "  Reply         I thi",
        "  Cut off       The model was still writing when the run was cancelled.",
        "",
    ]


def test_an_answer_that_a_tool_gave() -> None:
    result = run("Where?", [turn(1, "", ("look_up", "Oslo", {"lat": 59.9}))], {"lat": 59.9}, "return_direct")
    assert lines(result)[0] == "Finished: the tool 'look_up' gave the answer itself (return_direct)."
    assert '  Answer        {"lat": 59.9}' in lines(result)


def test_remarks_beside_calls_are_thoughts_and_the_content_of_an_answer_is_the_answer() -> None:
    call = Call("search", "x")
    first = TurnRecord(1, Reply("Hm.", "I look it up.", (call,)), "", (AgentAction("search", "x"),), (ToolResult("y"),))
    last = TurnRecord(2, Reply("Done.", "Oslo."), "")
    told = lines(run("Where?", [first, last], "Oslo."))
    assert told[7:10] == ["Turn 1", "  Thought       Hm.", " " * 16 + "I look it up."]
    assert told[-4:] == ["Turn 2", "  Thought       Done.", "  Answer        Oslo.", ""]


def test_a_reply_that_a_parse_stage_of_ones_own_read_is_shown_whole_but_not_twice() -> None:
    action = AgentAction("search", "x")
    first = TurnRecord(1, None, {"content": "GO search x"}, (action,), (ToolResult("y"),))
    last = TurnRecord(2, None, "Oslo.")
    told = lines(run("Where?", [first, last], "Oslo."))
    assert "  Reply         GO search x" in told
    assert told[-3:] == ["Turn 2", "  Answer        Oslo.", ""]


def test_a_result_that_has_steps_alone() -> None:
    result = RunResult("Oslo", "finished", (AgentStep(AgentAction("search", "x", "Hm."), "y"),))
    assert result.to_text().endswith(
        "\n  Answer        Oslo\n  Steps taken   1 turn, 1 tool call\n\n"
        "Turn 1\n  Reply         Hm.\n  Action        search[x]\n  Observation   y\n"
    )


def test_other_inputs_and_none() -> None:
    assert "  Question      Where?" in lines(RunResult("Oslo", "finished", inputs={"n": 1, "question": "Where?"}))
    assert lines(RunResult(None, "finished")) == [
        "Finished: the model gave its answer.", "", "  Answer", "  Steps taken   0 turns, 0 tool calls", "",
    ]  # fmt: skip


def test_what_a_tool_returned_is_shown_whatever_it_is() -> None:
    class Odd:
        def __str__(self) -> str:
            raise RuntimeError("no")

        __repr__ = __str__

    told = lines(run("Where?", [turn(1, "", ("a", "b", Odd()), ("a", "b", ToolResult(None)))], None))
    assert "  Observation   (Odd that can't be shown)" in told
    assert "  Observation   null" in told


# --- how it is laid out -----------------------------------------------------------------------------------------------


def test_further_lines_stand_under_the_first() -> None:
    told = lines(run("Where?", [turn(1, "One\ntwo\r\n\tthree\n", ("a", "b", "c\n\nd"))], None))
    assert told[7:11] == ["Turn 1", "  Thought       One", " " * 16 + "two", " " * 16 + "    three"]
    assert told[12:15] == ["  Observation   c", "", " " * 16 + "d"]


def test_lines_are_broken_to_a_width() -> None:
    assert lines(golden(), width=60)[2:4] == [
        "  Question      What is the population of the city where the",
        "                author of 'The Old Man and the Sea' was",
    ]
    assert lines(run("《老人与海》作者的出生城市，人口是多少？", [], None), width=40)[2:4] == [
        "  Question      《老人与海》作者的出生城",
        "                市，人口是多少？",
    ]
    assert lines(run("x" * 30, [], None), width=36)[2:4] == ["  Question      " + "x" * 20, " " * 16 + "x" * 10]


def test_long_texts_are_cut_with_a_mark() -> None:
    result = run("Where?", [turn(1, "", ("a", "b", "y" * 5_000))], "x" * 2_001)
    told = result.to_text()
    assert "y" * 2_000 + "… (3,000 more characters)\n" in told
    assert "x" * 2_001 + "\n" in told  # the mark would be longer than what it stands for
    assert "y" * 5_000 + "\n" in result.to_text(limit=None)
    assert "  Observation   yyy… (4,997 more characters)" in lines(result, limit=3)
    assert "  Observation   y… (4,999 more characters)" in lines(result, limit=0)


def test_painted_labels_take_the_room_of_plain_ones() -> None:
    def paint(text: str, color: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        return f"<{color or ''}{'b' * bold}{'d' * dim}>{text}</>"

    painted = report(troubled(), paint=paint)
    assert "<yellowb>Stopped without an answer: its time was up (max_execution_time).</>\n" in painted
    assert "  <cyan>Action 2</>      weather" in painted
    assert "<b>Turn 1</>  <d>model 1.5 s, tools 750 ms, tokens 300 in / 40 out</>\n" in painted
    for mark in ("<yellowb>", "<yellow>", "<green>", "<cyan>", "<red>", "<b>", "<d>", "<>", "</>"):
        painted = painted.replace(mark, "")
    assert painted == TROUBLED


# --- whatever is in it ------------------------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None, derandomize=True, database=None)
@given(runs, st.none() | st.integers(-1, 120), st.none() | st.integers(-1, 50))
def test_nothing_in_it_is_obeyed(result: RunResult, width: int | None, limit: int | None) -> None:
    told = result.to_text(width=width, limit=limit)
    assert not [char for char in told if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069") & set(told)
    shown = told.split("\n")[:-1]
    assert told.splitlines() == shown
    body = shown[shown.index("") :]
    assert all(line.startswith("Turn ") for line in body if line and line[0] != " ")
    if width is not None:
        room = max(width, NARROWEST)
        assert all(sum(map(columns, line)) <= room for line in body if not line.startswith("Turn "))


@settings(max_examples=500, deadline=None, derandomize=True, database=None)
@given(texts, st.integers(1, 40))
def test_broken_lines_lose_nothing_but_spaces(text: str, room: int) -> None:
    broken = list(wrapped(text, room))
    assert "".join(broken).replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(sum(map(columns, line)) <= max(room, 2) for line in broken)


def test_a_long_run_is_reported_whole() -> None:
    assert long_run(1_000).to_text().count("\nTurn ") == 1_000
