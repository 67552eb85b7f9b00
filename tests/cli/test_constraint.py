"""``polylect constraint``, and ``polylect run --constrain``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polylect

Write = Callable[[str, "str | bytes"], Path]
SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}


@pytest.fixture
def tools(write: Write) -> Path:
    return write("tools.json", json.dumps([SEARCH]))


def test_it_is_printed_as_the_library_makes_it(run: Any, tools: Path) -> None:
    done = run("constraint", "--lect", "react", "--tools", tools, "--target", "gbnf", "--prefix", "Thought:")
    made = polylect.lect("react").constraint([SEARCH], target="gbnf", prefix="Thought:")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().rstrip("\n") == made.text.rstrip("\n")


def test_the_report_is_told_beside_it(run: Any, tools: Path) -> None:
    done = run("constraint", "--lect", "react", "--tools", tools, "--target", "gbnf", "--max-chars", "9", "--report")
    made = polylect.lect("react").constraint([SEARCH], target="gbnf", max_chars=9)
    assert done.stderr.decode().splitlines() == [
        f"Report: {made.report.exactness}",
        *(f"  - {reason}" for reason in made.report.reasons),
    ]


def test_a_server_has_fields(run: Any, tools: Path) -> None:
    choice = ("--tool-choice", "search", "--max-calls", "1")
    done = run("constraint", "--lect", "hermes", "--tools", tools, "--server", "vllm", *choice)
    made = polylect.lect("hermes").constraint([SEARCH], target="xgrammar", tool_choice="search", max_calls=1)
    fields, notes = made.request("vllm")
    assert (done.returncode, json.loads(done.stdout)) == (0, fields)
    assert done.stderr.decode().splitlines() == [f"Note: {note}" for note in notes]


def test_tools_may_be_functions(run: Any) -> None:
    done = run("constraint", "--lect", "react", "--tools", "polylect.tutorial:search,calculate", "--target", "gbnf")
    assert done.returncode == 0
    assert b"calculate" in done.stdout
    assert b"search" in done.stdout


def test_documents_are_json(run: Any, tools: Path) -> None:
    done = run("constraint", "--lect", "hermes", "--tools", tools, "--target", "structural_tag")
    assert json.loads(done.stdout)["type"] == "structural_tag"
    done = run("constraint", "--lect", "tool_calls", "--tools", tools)
    assert json.loads(done.stdout)["tools"][0]["function"]["strict"] is True


def test_more_than_the_parser_reads_is_always_told(run: Any, tools: Path) -> None:
    done = run("constraint", "--lect", "openai_functions", "--tools", tools)
    assert done.stderr.startswith(b"Report: superset\n  - the older API has no strict mode")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--target", "gbn"], "There is no target 'gbn'. Did you mean 'gbnf'?"),
        (["--server", "vlm"], "There is no server 'vlm'. Did you mean 'vllm'?"),
        (["--server", "ollama", "--target", "gbnf"], "ollama takes no constraint for the target 'gbnf'."),
        (["--tool-choice", "serch"], "there is no such tool. Did you mean 'search'?"),
        (["--tools", "gone.json"], "gone.json"),
        (["--max-calls", "0"], "0 is not in the range"),
    ],
)
def test_mistakes_are_told_to_people(run: Any, tools: Path, arguments: list[str], told: str) -> None:
    done = run("constraint", "--lect", "react", "--tools", tools, *arguments)
    assert done.returncode == 2
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


# --- polylect run -----------------------------------------------------------------------------------------------------


def test_a_run_may_be_constrained(run: Any) -> None:
    done = run("run", "--lect", "react", "--model", "scripted", "--constrain", "--max-chars", "200")
    assert done.returncode == 0, done.stderr


def test_a_model_that_takes_none_is_told_at_once(run: Any) -> None:
    options = ("--model-option", "base_url=http://127.0.0.1:9/v1", "--constrain")
    done = run("run", "q", "--lect", "react", "--model", "openai:any", *options)
    assert done.returncode == 2
    assert b"can't be held to a constraint" in done.stderr
    done = run("run", "q", "--lect", "react", "--model", "scripted", "--max-chars", "9")
    assert b"--max-chars is a limit of --constrain" in done.stderr
