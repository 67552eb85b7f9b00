"""What a person sees: colours, live text, progress; and nothing that model text could do to the terminal."""

from __future__ import annotations

import os
import pty
import select
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polylect import (
    AnswerDelta,
    ArgumentsDelta,
    Call,
    CallEnd,
    CallStart,
    ContentDelta,
    Diagnostic,
    ReasoningDelta,
    Reply,
    ReplyEnd,
)
from polylect.cli import _paint, _progress
from polylect.cli._live import Live
from polylect.cli._paint import Paint, pointed, safe, short, table
from polylect.cli._pool import Result
from polylect.cli._progress import Progress
from polylect.cli._render import show_decision, show_reply

Write = Callable[[str, "str | bytes"], Path]
PLAIN = Paint(on=False)


def on_terminal(
    start: Any, *args: str | Path, stdin: bytes | None = None, environment: dict[str, str] | None = None
) -> str:
    """What the command shows on a terminal, until it ends."""
    screen, terminal = pty.openpty()
    env = {**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, "TERM": "xterm", **(environment or {})}
    process = start(*args, stdout=terminal, env=env)
    os.close(terminal)
    if stdin is not None:
        process.stdin.write(stdin)
    process.stdin.close()
    found = b""
    while select.select([screen], [], [], 20)[0]:
        try:
            piece = os.read(screen, 10_000)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not piece:
            break
        found += piece
    os.close(screen)
    process.stdin = None
    return found.decode().replace("\r\n", "\n")


def test_parse_is_readable_and_coloured(start: Any, write: Write) -> None:
    path = write("a.txt", '!add {"a": 1}')
    shown = on_terminal(start, "parse", path)
    assert "\x1b[36mtoy\x1b[0m" in shown
    assert "\x1b[1madd\x1b[0m" in shown
    assert "(detected: " in shown
    assert '{"type"' not in shown


@pytest.mark.parametrize(("variable", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_colours_can_be_turned_off(start: Any, write: Write, variable: str, value: str) -> None:
    shown = on_terminal(start, "parse", write("a.txt", '!add {"a": 1}'), environment={variable: value})
    assert "\x1b" not in shown
    assert "run add" in shown


def test_json_on_a_terminal_on_request(start: Any, write: Write) -> None:
    assert on_terminal(start, "parse", "--json", write("a.txt", "=1")).startswith('{"file":')


def test_stream_is_live_and_ends_with_the_decision(start: Any) -> None:
    shown = on_terminal(start, "stream", "--lect", "toy", stdin=b'a\x1b]0;title\x07\n!add {"a": 1}')
    assert shown.startswith("a\\x1b]0;title\\x07\n")
    assert "run \x1b[1madd\x1b[0m" in shown


def test_lists_are_tables(start: Any) -> None:
    shown = on_terminal(start, "lects")
    assert "LECT" in shown
    assert "\x1b[36mtoy\x1b[0m" in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x9b1m", "\\x1b[2J\\x9b1m"),
        ("a\r\x08b\x00\x7f", "a\\r\\x08b\\x00\\x7f"),
        ("\u202eevil\u2066", "\\u202eevil\\u2066"),
        ("\ud800", "\\ud800"),
        ("tab\tline\nπ🦜", "tab\tline\nπ🦜"),
    ],
)
def test_text_of_models_cannot_drive_the_terminal(text: str, shown: str) -> None:
    assert safe(text) == shown
    shown.encode()


def test_long_fields_say_what_was_left_out() -> None:
    assert short("x" * 4_000) == "x" * 4_000
    assert short("x" * 5_000).endswith("… (1,000 more characters; --json shows all)")


def test_columns_line_up_with_colours_in_cells() -> None:
    paint = Paint(on=True)
    text = table([["A", "B"], [paint("x", "red"), "y"], ["long", "z"]], paint)
    assert text == "\x1b[1mA     B\x1b[0m\n\x1b[31mx\x1b[0m     y\nlong  z\n"


def test_a_broken_reply_shows_its_faults_with_carets() -> None:
    text = 'Thought: hm\nAction: add\nAction Input: {"a": '
    call = Call("add", None, '{"a": ', status="truncated", error="Close the brace.")
    found = Diagnostic("truncated", "The call was cut.", 38, 44)
    reply = Reply(reasoning="hm", calls=(call,), diagnostics=(found,), complete=False, text=text)
    assert show_reply(reply, PLAIN) == (
        "  reasoning   hm\n"
        '  call        add {"a":  truncated\n'
        "              Close the brace.\n"
        "  truncated   The call was cut.\n"
        '              Action Input: {"a": \n'
        "                            ^^^^^^\n"
        "  cut         The message was cut short.\n"
    )


def test_carets_stand_under_the_fault_and_not_before_it() -> None:
    assert pointed("one\n  two\nthree", 3, 9, PLAIN) == "\n  two\n  ^^^"
    assert pointed("one", 3, 3, PLAIN) == "\none\n   ^"
    assert pointed("one", 0, 0, PLAIN) == ""
    assert pointed("", 2, 4, PLAIN) == ""
    assert pointed("a\x1bb", 0, 3, PLAIN) == "\na\ufffdb\n^^^"


def test_decisions_in_words() -> None:
    from polylect import AgentAction, AgentFinish, ParseError

    actions = [AgentAction("add", {"a": 1}), AgentAction("_Exception", "Write JSON.")]
    assert show_decision(actions, PLAIN) == (
        '  decision    run add with {"a": 1}\n  decision    tell the model: Write JSON.\n'
    )
    assert show_decision(AgentFinish({"output": "4\n2"}), PLAIN) == "  decision    finish: 4\n              2\n"
    assert show_decision(ParseError("no action", correction="Act."), PLAIN) == (
        "  decision    none: no action\n  correction  Act.\n"
    )
    assert show_decision([], PLAIN) == "  decision    nothing to run\n"


def test_live_text_of_all_events() -> None:
    live = Live(PLAIN)
    reply = Reply(text="?", diagnostics=(Diagnostic("skipped", "Lost.", 0, 1),))
    events = [
        ReasoningDelta(0, 1, "\nhm"),
        ReasoningDelta(0, 1, "…"),
        ContentDelta(0, 1, "Now\n"),
        CallStart(0, 1, 0, None, "add"),
        ArgumentsDelta(0, 1, 0, '{"a"'),
        ArgumentsDelta(0, 1, 0, ": 1}"),
        CallEnd(0, 1, 0, Call("add", {"a": 1}, '{"a": 1}')),
        CallStart(0, 1, 1, None, "sub"),
        CallEnd(0, 1, 1, Call("sub", None, "{", status="invalid", error="No JSON.")),
        AnswerDelta(0, 1, "4"),
        AnswerDelta(0, 1, "2"),
        ReplyEnd(1, 1, reply),
    ]
    assert "".join(live.show(x) for x in events) == (
        'hm…\nNow\n[0] add {"a": 1}\n[1] sub {  invalid\nNo JSON.\n42\n'
        "  skipped     Lost.\n              ?\n              ^\n"
    )


def test_progress_is_for_terminals_and_long_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(_progress, "is_terminal", lambda _: True)
    with Progress("parsed", 200) as progress:
        progress.add(Result(b"", 10, 0, 100))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(_progress, "PATIENCE", 0.0)
    with Progress("parsed", 200) as progress:
        time.sleep(0.01)
        progress.add(Result(b"", 1_000, 3, 100))
    assert capsys.readouterr().err.startswith("\r 50 %, 1,000 parsed, 3 failed, ")
    with Progress("parsed", None) as progress:
        progress.add(Result(b"", 10, 0, 100))
    assert capsys.readouterr().err.startswith("\r10 parsed, 0 failed, ")
    monkeypatch.setattr(_progress, "is_terminal", lambda _: False)
    with Progress("parsed", 200) as progress:
        progress.add(Result(b"", 1_000, 3, 100))
    assert capsys.readouterr().err == ""


def test_colours_need_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert not Paint.for_stream().on
    monkeypatch.setattr(_paint, "is_terminal", lambda _: True)
    assert Paint.for_stream().on
    monkeypatch.setenv("NO_COLOR", "1")
    assert not Paint.for_stream().on
