"""``polylect run`` on a terminal: what is shown while it runs; and interrupts, wherever they come."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[str, "str | bytes"], Path]
COMMAND = [sys.executable, "-m", "polylect.cli", "run"]
TOOLS = """
import threading, time, os

def wait(seconds: float) -> str:
    \"\"\"Waits.\"\"\"
    open(os.environ["BEGUN"], "a").close()
    time.sleep(seconds)
    return "waited"
"""


class Terminal:
    """A process with a terminal as its standard streams."""

    def __init__(self, *args: str | Path, environment: dict[str, str] | None = None, width: int = 60) -> None:
        self.screen, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
        env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, args)],
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
            env={**env, "TERM": "xterm", **(environment or {})},
            start_new_session=True,
            preexec_fn=hear_interrupts,
        )
        os.close(terminal)
        self.shown = b""

    def wait_for(self, text: str) -> None:
        """Read until it was shown."""
        while text.encode() not in self.shown:
            assert self._read(30), f"{text!r} never came: {self.shown!r}"

    def end(self) -> tuple[int, str]:
        """The exit code, and all that was shown."""
        while self._read(60):
            pass
        return self.process.wait(30), self.shown.decode().replace("\r\n", "\n")

    def _read(self, timeout: float) -> bool:
        if not select.select([self.screen], [], [], timeout)[0]:
            return False
        try:
            piece = os.read(self.screen, 10_000)
        except OSError:  # Linux's way to say that the other end is closed
            return False
        self.shown += piece
        return bool(piece)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        os.close(self.screen)


def hear_interrupts() -> None:
    """What runs in the background of a script is started deaf to them, and so are its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def call(*args: str | Path, **more: Any) -> Terminal:
        opened.append(Terminal(*args, **more))
        return opened[-1]

    yield call
    for found in opened:
        found.close()


def looks(shown: str, width: int) -> list[str]:
    """The lines of a screen after what was written to it, without colours."""
    lines, at = [""], 0
    while shown:
        if shown.startswith("\x1b["):
            shown = shown[shown.index("m") + 1 :]
            continue
        char, shown = shown[0], shown[1:]
        if char == "\n":
            lines.append("")
            at = 0
        elif char == "\r":
            at = 0
        else:
            assert at < width, f"a line is too long: {lines[-1]!r}"
            lines[-1] = lines[-1][:at].ljust(at) + char + lines[-1][at + 1 :]
            at += 1
    return [line.rstrip() for line in lines]


# --- what a person sees -----------------------------------------------------------------------------------------------


def test_a_run_is_shown_while_it_goes_on_and_summed_up_at_the_end(terminal: Any) -> None:
    code, shown = terminal("--lect", "react_bracket", "--model", "scripted", "--model-option", "chunk=3").end()
    assert code == 0
    assert "\x1b[1mTurn 1\x1b[0m" in shown
    lines = looks(shown, 60)
    assert lines[:6] == [
        "Turn 1",
        "  Thought       First I need to know who wrote the book.",
        "  Action        search[author The Old Man and the Sea]",
        "  Observation   Ernest Hemingway wrote 'The Old Man and the",
        "                Sea' in 1952",
        "",
    ]
    end = lines.index("Finished: the model gave its answer.")
    assert lines[end - 5 : end] == [
        "Turn 4",
        "  Thought       Oak Park has 54,583 inhabitants, and that",
        "                was the question.",
        "  Answer        54,583",
        "",
    ]
    assert sum(line.startswith("Turn ") for line in lines) == 4
    assert "  Steps taken   4 turns, 3 tool calls" in lines[end:]


def test_the_live_view_is_the_reports(terminal: Any) -> None:
    options = ("--lect", "tool_calls", "--model", "scripted", "--model-option", "chunk=2")
    live = looks(terminal(*options).end()[1], 60)
    report = looks(terminal(*options, "--no-stream").end()[1], 60)
    at = report.index(next(line for line in report if line.startswith("Turn 1")))
    turns = [line.partition("  model ")[0] for line in report[at:]]
    assert live[: len(turns)] == turns
    assert [x for x in live[len(turns) :] if "Time" not in x] == [x for x in report[:at] if "Time" not in x]


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_can_be_turned_off(terminal: Any, environment: dict[str, str]) -> None:
    code, shown = terminal("--lect", "react", "--model", "scripted", environment=environment).end()
    assert code == 0
    assert "\x1b" not in shown


def test_a_line_tells_what_is_going_on_and_is_gone_in_the_end(terminal: Any, write: Write, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    wait = {"reply": {"reasoning": "hm", "calls": [{"name": "wait", "arguments": {"seconds": 2}, "raw": "{}"}]}}
    script = write("s.jsonl", f"{json.dumps(wait)}\n{json.dumps({'reply': {'answer': 'ok'}})}\n")
    tools = f"{write('tools.py', TOOLS)}:wait"
    found = terminal(
        *("Q", "--lect", "json_blob", "--model", f"scripted:{script}", "--tools", tools, "--no-stream"),
        environment={"BEGUN": str(begun)},
    )
    found.wait_for("turn 1: running wait, ")
    code, shown = found.end()
    assert code == 0
    assert not any("running" in line for line in looks(shown, 60))
    found = terminal("--lect", "react", "--model", "scripted", "--model-option", "delay=1.5", "--max-iterations", "1")
    found.wait_for("turn 1: waiting for the model, ")
    code, shown = found.end()
    assert code == 1
    assert not any("waiting" in line for line in looks(shown, 60))


def test_texts_cannot_drive_the_terminal(terminal: Any, write: Write) -> None:
    evil = "\x1b]0;t\x07\x1b[2J\u202e\x9b1m"
    function = {"name": f"a{evil}", "arguments": evil}
    call = {"reasoning_content": evil, "content": evil, "tool_calls": [{"id": "1", "function": function}]}
    script = write("s.jsonl", "".join(f"{json.dumps({'message': x})}\n" for x in (call, {"content": f"ok{evil}"})))
    for stream in ("--stream", "--no-stream"):
        code, shown = terminal(evil, "--lect", "tool_calls", "--model", f"scripted:{script}", stream).end()
        assert code == 0
        looks(shown, 60)  # which knows colours only
        for sign in ("\x1b]", "\x1b[2J", "\u202e", "\x9b", "\x07"):
            assert sign not in shown


# --- interrupts and pipes ---------------------------------------------------------------------------------------------

WAITS = """
import time

def wait(s: int) -> str:
    \"\"\"Waits.\"\"\"
    if s == 1:
        return "ok"
    print("once, twice")
    time.sleep(s)
    return "waited"
"""


def slow_model(write: Write) -> tuple[str, ...]:
    """One turn at once, and a second one that takes for ever."""
    plugin = """
import time, polylect

def model(argument):
    asked = []
    def ask(prompt):
        asked.append(prompt)
        if len(asked) > 1:
            print("asked twice")
            time.sleep(60)
        return "Thought: first\\nAction: search\\nAction Input: capital of France"
    return ask

polylect.register_model("slow", model)
"""
    return ("--plugin", str(write("slow.py", plugin)), "run", "Q", "--lect", "react", "--model", "slow")


def interrupted(start: Any, *args: str | Path) -> tuple[int, bytes, bytes]:
    """The command, interrupted when it says that it is waiting."""
    process = start(*args, start_new_session=True, preexec_fn=hear_interrupts)
    process.stdin.close()
    said = b""
    while b"twice\n" not in said:
        piece = os.read(process.stderr.fileno(), 1_000)
        assert piece, said
        said += piece
    os.killpg(process.pid, signal.SIGINT)
    shown = process.stdout.read()
    said += process.stderr.read()
    process.stdin = None
    return process.wait(20), shown, said


def test_an_interrupt_while_the_model_thinks(start: Any, write: Write, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    options = ("--tools", "polylect.tutorial:search", "--record", record)
    code, shown, said = interrupted(start, *slow_model(write), *options)
    assert (code, said) == (130, b"asked twice\n")
    assert shown.startswith(b"Stopped without an answer: it was cancelled.\n")
    assert b"  Observation   Paris\n" in shown
    again = start("run", "--replay", record, "--json")
    assert [step["observation"] for step in json.loads(again.stdout.read())["state"]["steps"]] == ["Paris"]
    assert again.wait(20) == 1


@pytest.mark.parametrize("form", ["--json", "--jsonl"])
def test_an_interrupted_run_is_a_result_too(start: Any, write: Write, form: str) -> None:
    code, shown, _ = interrupted(start, *slow_model(write), "--tools", "polylect.tutorial:search", form)
    assert code == 130
    last = json.loads(shown.splitlines()[-1])
    result = last["result"] if form == "--jsonl" else last
    assert result["stop_reason"] == "cancelled"
    assert [step["observation"] for step in result["steps"]] == ["Paris"]


@pytest.mark.parametrize("count", [1, 3])
def test_an_interrupt_while_tools_run(start: Any, write: Write, tmp_path: Path, count: int) -> None:
    tools = write("tools.py", WAITS)
    waits = [{"name": "wait", "arguments": {"s": 60 + place}, "raw": "{}"} for place in range(count)]
    first = [{"name": "wait", "arguments": {"s": 1}, "raw": "{}"}]
    script = "".join(f"{json.dumps({'reply': {'calls': calls}})}\n" for calls in (first, waits))
    svg = tmp_path / "run.svg"
    options = ("--model", f"scripted:{write('s.jsonl', script)}", "--tools", f"{tools}:wait", "--svg", svg)
    ended, shown, said = interrupted(start, "run", "Q", "--lect", "tool_calls", *options)
    assert ended == 130
    assert b"Traceback" not in said
    assert shown.decode().count("  Cancelled     The call was not finished when the run was interrupted.\n") == count
    assert "  Observation   ok\n" in shown.decode()
    assert svg.read_text("utf-8").startswith("<svg")


def test_an_interrupt_on_a_terminal_ends_the_line_and_sums_up(terminal: Any) -> None:
    found = terminal(
        "--lect", "react", "--model", "scripted", "--model-option", "chunk=2", "--model-option", "delay=20"
    )
    found.wait_for("First ")
    os.killpg(found.process.pid, signal.SIGINT)
    code, shown = found.end()
    assert code == 130
    lines = looks(shown, 60)
    assert lines[0] == "Turn 1"
    assert lines[1].startswith("  Thought       First")
    assert "Stopped without an answer: it was cancelled." in lines
    assert "Traceback" not in shown


@pytest.mark.parametrize("form", ["--stream", "--jsonl"])
def test_the_reader_may_go_away(start: Any, form: str) -> None:
    options = ("--model-option", "chunk=2", "--model-option", "delay=1", form)
    process = start("run", "--lect", "react", "--model", "scripted", *options)
    assert process.stdout.readline()
    process.stdout.close()
    assert process.wait(30) == 141
    assert process.stderr.read() == b""
    process.stdout = None
