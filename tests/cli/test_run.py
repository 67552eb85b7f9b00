"""``polylect run`` in pipes: reports, results, events, exit codes, and what is wrong on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import RunResult, RunState

Write = Callable[[str, "str | bytes"], Path]
Lines = Callable[[bytes], list[Any]]
GOLDEN = [
    ("search[author The Old Man and the Sea]", "Ernest Hemingway wrote 'The Old Man and the Sea' in 1952"),
    ("search[Ernest Hemingway birthplace]", "Oak Park, Illinois"),
    ("search[population Oak Park Illinois]", "54,583"),
]
LECTS = [info.name for info in polylect.lects() if info.family != "native" or info.name == "hermes"]
"""Every lect that a prompt teaches, and one of those that models were trained on: each is a process of its own."""
TOOLS = '''
"""Tools for the tests."""
import time

def weather(city: str) -> str:
    """The weather in a city."""
    print(f"looking at {city}")
    return f"\\x1b[2J4 °C in {city}"

def broken(x: int) -> str:
    """Fails."""
    raise ValueError("no \\x1b]0;luck\\x07")

class Office:
    """Tools of an object."""
    def roster(self, day: str = "today") -> str:
        """Who is on call."""
        return f"Kim, {day}"

office = Office()
ALL = [weather, office.roster]
BY_NAME = {"weather": weather}
DESCRIBED = {"name": "described", "parameters": {"type": "object", "properties": {}}}
NUMBER = 7
'''
ECHO = '''
import json
import polylect

def model(argument, **options):
    """Says what it was told, in the lect react."""
    def ask(prompt, *, stop=(), tool_choice=None):
        told = {"prompt": prompt, "argument": argument, "options": options, "tool_choice": tool_choice}
        return "Thought: so\\nFinal Answer: " + json.dumps(told)
    return ask

polylect.register_model("echo", model)

def messages(argument):
    def ask(prompt, *, tools=None, tool_choice=None):
        told = {"prompt": prompt, "tools": tools, "tool_choice": tool_choice}
        return {"role": "assistant", "content": json.dumps(told)}
    return ask

polylect.register_model("echo_messages", messages)
'''


def script(*replies: Any) -> str:
    return "".join(f"{json.dumps(reply)}\n" for reply in replies)


def call(name: str, arguments: Any, **more: Any) -> dict[str, Any]:
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"reply": {"reasoning": "hm", "calls": [{"name": name, "arguments": arguments, "raw": raw}], **more}}


def answer(text: str) -> dict[str, Any]:
    return {"reply": {"answer": text}}


@pytest.fixture
def tools(write: Write) -> Path:
    return write("own_tools.py", TOOLS)


@pytest.fixture
def echo(write: Write) -> Path:
    return write("echo.py", ECHO)


# --- the tutorial -----------------------------------------------------------------------------------------------------


def test_one_command_gives_the_golden_run(run: Any) -> None:
    done = run("run", "--lect", "react_bracket", "--model", "scripted")
    assert (done.returncode, done.stderr) == (0, b"")
    shown = done.stdout.decode()
    assert shown.startswith("Finished: the model gave its answer.\n")
    assert "  Answer        54,583\n  Steps taken   4 turns, 3 tool calls\n" in shown
    for action, observation in GOLDEN:
        assert f"  Action        {action}\n  Observation   {observation}\n" in shown
    assert "\x1b" not in shown


@pytest.mark.parametrize("lect", LECTS)
def test_another_lect_is_another_word(run: Any, lect: str) -> None:
    tools = "polylect.tutorial:search,calculate"
    done = run("run", "--lect", lect, "--model", "scripted", "--tools", tools, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    result = RunResult.from_json(done.stdout)
    assert (result.output, result.iterations, result.lect) == ("54,583", 4, lect)
    assert [(row["action"], row["observation"]) for row in result.trajectory()] == GOLDEN


def test_events_come_as_json_lines(run: Any, lines: Lines) -> None:
    done = run("run", "--lect", "react", "--model", "scripted", "--model-option", "chunk=4", "--jsonl")
    assert done.returncode == 0
    events = lines(done.stdout)
    kinds = [event["type"] for event in events]
    assert kinds[0] == "ModelStart"
    assert kinds[-1] == "Finish"
    assert kinds.count("ToolEnd") == 3
    assert "".join(event["text"] for event in events if event["type"] == "AnswerDelta") == "54,583"
    assert events[-1]["result"]["output"] == "54,583"


def test_a_live_view_in_a_pipe_on_request(run: Any) -> None:
    done = run("run", "--lect", "tool_calls", "--model", "scripted", "--model-option", "chunk=3", "--stream")
    shown = done.stdout.decode()
    assert shown.startswith("Turn 1\n  Thought       First I need to know who wrote the book.\n  Action        search[")
    assert "  Observation   Oak Park, Illinois\n\nTurn 3\n" in shown
    assert shown.count("Turn 3") == 1
    assert "\n\nFinished: the model gave its answer.\n\n  Question " in shown


# --- questions, tools, models, prompts --------------------------------------------------------------------------------


def test_the_question_may_come_from_standard_input(run: Any) -> None:
    done = run("run", "-", "--lect", "react", "--model", "scripted", "--json", stdin="Où ?\n".encode())
    assert json.loads(done.stdout)["inputs"] == {"input": "Où ?"}


@pytest.mark.parametrize(("data", "told"), [(b" \n", b"is empty"), (b"\xff", b"not UTF-8")])
def test_no_question_on_standard_input(run: Any, data: bytes, told: bytes) -> None:
    done = run("run", "-", "--lect", "react", "--model", "scripted", stdin=data)
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.parametrize("names", ["weather,roster_of", "ALL", "BY_NAME", "office.roster,weather"])
def test_tools_of_a_file(run: Any, write: Write, tools: Path, names: str) -> None:
    tools.write_text(TOOLS + "\nroster_of = office.roster\n", "utf-8")
    replies = write("s.jsonl", script(call("weather", "Oslo"), answer("cold")))
    options = ("--lect", "json_blob", "--model", f"scripted:{replies}", "--tools", f"{tools}:{names}", "--json")
    done = run("run", "How cold?", *options)
    result = RunResult.from_json(done.stdout)
    assert result.steps[0].observation == "\x1b[2J4 °C in Oslo"
    assert done.stderr == b"looking at Oslo\n"
    assert (done.returncode, result.output) == (0, "cold")


def test_modules_in_the_current_folder_are_found_but_never_instead_of_installed_ones(
    run: Any, write: Write, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tools.parent)
    write("click.py", "raise SystemExit('the wrong one')\n")
    replies = write("s.jsonl", script(call("roster", {}), answer("Kim")))
    code = "import sys; sys.path.pop(0); from polylect.cli import main; main()"  # as an installed program
    options = ("run", "Who?", "--lect", "react", "--model", f"scripted:{replies}", "--tools", "own_tools:office.roster")
    done = subprocess.run(
        [sys.executable, "-c", code, *options, "--json"], capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert RunResult.from_json(done.stdout).steps[0].observation == "Kim, today"


def test_options_reach_the_model_and_the_agent(run: Any, echo: Path, tools: Path) -> None:
    done = run(
        *(
            "--plugin",
            echo,
            "run",
            "{Q}?",
            "--lect",
            "react",
            "--model",
            "echo:a:b",
            "--model-option",
            "temperature=0.5",
        ),
        *("--model-option", "name=x y", "--tools", f"{tools}:weather", "--tool-choice", "none", "--json"),
        *("--system", "Be {brief}.", "--policy", "both=final", "--trim", "tokens:500"),
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(json.loads(done.stdout)["output"])
    assert told["argument"] == "a:b"
    assert told["options"] == {"temperature": 0.5, "name": "x y"}
    assert told["tool_choice"] == "none"
    assert told["prompt"].startswith("Be {brief}.\n\nAnswer the question")
    assert "{Q}?" in told["prompt"]
    assert "weather" in told["prompt"]


def test_prompts_of_files(run: Any, write: Write, echo: Path) -> None:
    text = write("p.txt", "{tools} {tool_names} Hello {who}! {input}\nThought:{agent_scratchpad}")
    system = write("system.txt", "Be brief.\n")
    options = ("--lect", "react", "--model", "echo", "--input", "who=5", "--system", f"@{system}", "--json")
    done = run("--plugin", echo, "run", "Q", "--prompt", text, *options)
    prompt = json.loads(json.loads(done.stdout)["output"])["prompt"]
    assert prompt == "Be brief.\n\n\n(there are no tools) none Hello 5! Q\nThought:"
    template = [["system", "Know all."], "{chat_history}", {"role": "user", "content": "{input}"}, "{agent_scratchpad}"]
    messages = write("p.json", json.dumps(template))
    history = json.dumps([["user", "Hi"], {"role": "assistant", "content": "Ho"}])
    others = ("--lect", "tool_calls", "--model", "echo_messages", "--system", "Be brief.", "--json")
    done = run("--plugin", echo, "run", "Q", "--prompt", messages, "--input", f"chat_history={history}", *others)
    prompt = json.loads(json.loads(done.stdout)["output"])["prompt"]
    assert [(x["role"], x["content"]) for x in prompt] == [
        ("system", "Be brief.\n\nKnow all."),
        ("user", "Hi"),
        ("assistant", "Ho"),
        ("user", "Q"),
    ]


def test_a_system_text_where_a_prompt_has_none(run: Any, write: Write, echo: Path) -> None:
    messages = write("p.json", json.dumps([["user", "{input}"], "{agent_scratchpad}"]))
    options = ("--lect", "tool_calls", "--model", "echo_messages", "--system", "Be {brief}.", "--json")
    done = run("--plugin", echo, "run", "Q", "--prompt", messages, *options)
    prompt = json.loads(json.loads(done.stdout)["output"])["prompt"]
    assert [x["content"] for x in prompt] == ["Be {brief}.", "Q"]


# --- runs that come to no answer --------------------------------------------------------------------------------------


def test_a_run_that_is_stopped_is_exit_code_1(run: Any) -> None:
    done = run("run", "--lect", "react", "--model", "scripted", "--max-iterations", "2")
    assert (done.returncode, done.stderr) == (1, b"")
    shown = done.stdout.decode()
    assert shown.startswith("Stopped without an answer: its limit of turns was reached")
    assert "Observation   Oak Park, Illinois" in shown


def test_at_a_limit_the_model_may_be_asked_once_more(run: Any, write: Write) -> None:
    replies = write("s.jsonl", script(call("search", "capital of France"), answer("Paris")))
    options = ("--model", f"scripted:{replies}", "--tools", "polylect.tutorial:search", "--max-iterations", "1")
    done = run("run", "Q", "--lect", "react", *options, "--early-stopping", "generate", "--json")
    result = RunResult.from_json(done.stdout)
    assert (done.returncode, result.stop_reason, result.output) == (1, "iterations", "Paris")


def test_time_is_a_limit(run: Any) -> None:
    options = ("--model-option", "delay=0.4", "--model-option", "chunk=5", "--max-seconds", "0.6")
    done = run("run", "--lect", "react", "--model", "scripted", *options, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["stop_reason"] == "time"


def test_a_model_that_fails_leaves_the_turns_so_far(run: Any, write: Write) -> None:
    replies = write("s.jsonl", script(call("search", "capital of France")))
    options = ("--lect", "xml_tags", "--model", f"scripted:{replies}", "--tools", "polylect.tutorial:search")
    done = run("run", "Q", *options)
    assert done.returncode == 1
    assert done.stdout.decode().startswith("Turn 1")
    assert b"  Observation   Paris\n" in done.stdout
    assert done.stderr.startswith(b"Error: The model failed in turn 2: ModelError: The script has no reply left")
    assert b"Traceback" not in done.stderr
    done = run("run", "Q", *options, "--json")
    failed = json.loads(done.stdout)
    assert (done.returncode, failed["type"]) == (1, "error")
    state = RunState.from_json(json.dumps(failed["state"]))
    assert [step.observation for step in state.steps] == ["Paris"]
    done = run("run", "Q", *options, "--jsonl")
    assert json.loads(done.stdout.splitlines()[-1])["message"].startswith("The model failed")


def test_replies_that_cannot_be_read(run: Any, write: Write) -> None:
    replies = write("s.jsonl", script("nonsense \x1b[2J", answer("ok")))
    options = ("--lect", "react", "--model", f"scripted:{replies}")
    done = run("run", "Q", *options, "--parsing-errors", "Speak \x1b clearly.")
    assert done.returncode == 0
    assert b"  Told          Speak \\x1b clearly.\n" in done.stdout
    assert b"\x1b" not in done.stdout
    done = run("run", "Q", *options, "--parsing-errors", "raise")
    assert done.returncode == 1
    assert b"Error: The reply of turn 1 can't be read." in done.stderr
    assert b"\x1b" not in done.stdout + done.stderr


def test_tools_that_fail(run: Any, write: Write, tools: Path) -> None:
    replies = write("s.jsonl", script(call("broken", {"x": 1}), answer("ok")))
    options = ("--lect", "json_blob", "--model", f"scripted:{replies}", "--tools", f"{tools}:broken")
    done = run("run", "Q", *options)
    assert done.returncode == 0
    assert b"  Failed        The tool 'broken' failed: ValueError: no \\x1b]0;luck\\x07\n" in done.stdout
    done = run("run", "Q", *options, "--tool-errors", "raise")
    assert done.returncode == 1
    assert done.stderr == b"Error: The tool 'broken' failed: ValueError: no \\x1b]0;luck\\x07\n"
    assert b"Not run" in done.stdout


def test_hooks_that_fail_are_no_traceback(run: Any, write: Write) -> None:
    plugin = write("hook.py", "import polylect\n@polylect.hookimpl\ndef polylect_after_tool(result):\n    1 / 0\n")
    done = run("--plugin", plugin, "run", "--lect", "react", "--model", "scripted")
    assert done.returncode == 1
    assert done.stderr == b"Error: The run failed: ZeroDivisionError: division by zero (hook.py, line 4)\n"
    assert done.stdout.startswith(b"Turn 1")


# --- files ------------------------------------------------------------------------------------------------------------


def test_pictures_are_written_whole_or_not_at_all(run: Any, tmp_path: Path) -> None:
    svg, mermaid = tmp_path / "a" / "run.svg", tmp_path / "a" / "run.mmd"
    svg.parent.mkdir()
    done = run("run", "--lect", "react", "--model", "scripted", "--svg", svg, "--mermaid", mermaid)
    assert done.returncode == 0
    assert svg.read_text("utf-8").startswith("<svg")
    assert "54,583" in svg.read_text("utf-8")
    assert mermaid.read_text("utf-8").startswith("flowchart")
    before = svg.read_bytes()
    done = run("run", "Q", "--lect", "react", "--model", "scripted:no.jsonl", "--svg", svg)
    assert done.returncode == 2
    empty = tmp_path / "empty.jsonl"
    empty.touch()
    done = run("run", "Q", "--lect", "react", "--model", f"scripted:{empty}", "--svg", svg)
    assert done.returncode == 1
    assert f"Not written: {svg}".encode() in done.stderr
    assert svg.read_bytes() == before
    assert sorted(x.name for x in svg.parent.iterdir()) == ["run.mmd", "run.svg"]


def test_a_record_tells_the_run_again(run: Any, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    first = run("run", "--lect", "tool_calls", "--model", "scripted", "--record", record)
    assert (first.returncode, first.stderr) == (0, b"")
    again = run("run", "--replay", record)
    assert (again.returncode, again.stderr) == (0, b"")
    assert again.stdout == first.stdout
    result = RunResult.from_json(run("run", "--replay", record, "--json").stdout)
    assert (result.output, len(result.trajectory())) == ("54,583", 3)
    svg = tmp_path / "again.svg"
    events = run("run", "--replay", record, "--jsonl", "--svg", svg).stdout.splitlines()
    assert json.loads(events[-1])["type"] == "Finish"
    assert svg.exists()


def test_a_record_that_is_there_grows_and_says_so(run: Any, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    run("run", "First?", "--lect", "react", "--model", "scripted", "--record", record)
    before = record.read_bytes()
    done = run("run", "Second?", "--lect", "xml_tags", "--model", "scripted", "--record", record)
    assert done.stderr == f"{record} is there already: this run is written behind what it holds.\n".encode()
    assert record.read_bytes().startswith(before)
    assert b"Second?" in run("run", "--replay", record).stdout
    assert run("run", "Second?", "--replay", record).returncode == 0
    other = run("run", "First?", "--replay", record)
    assert other.returncode == 2
    assert b"The record is of another question: Second?" in other.stderr


def test_a_record_of_a_run_that_failed(run: Any, write: Write, tmp_path: Path) -> None:
    replies = write("s.jsonl", script(call("search", "capital of France")))
    record = tmp_path / "run.jsonl"
    tools = ("--tools", "polylect.tutorial:search")
    first = run("run", "Q", "--lect", "react", "--model", f"scripted:{replies}", *tools, "--record", record)
    again = run("run", "--replay", record)
    assert (first.returncode, again.returncode) == (1, 1)
    assert again.stdout == first.stdout
    assert b"The recorded run failed" in again.stderr
    events = run("run", "--replay", record, "--jsonl").stdout.splitlines()
    assert json.loads(events[-1])["type"] == "error"
