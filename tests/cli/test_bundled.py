"""The command with the bundled lects, as the README uses it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polylect

Lines = Callable[[bytes], list[Any]]
Write = Callable[[str, "str | bytes"], Path]

EXAMPLES = sorted((Path(__file__).parents[2] / "docs" / "examples").glob("*.txt"))
FAMILIES = {info.name: info.family for info in polylect.lects()}
REACT = 'Thought: I should look.\nAction: search\nAction Input: {"query": "Oslo", "limit": 3}'


def polylect_(*args: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "polylect.cli", *map(str, args)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=120, check=False)


def test_the_first_command_of_the_readme(lines: Lines) -> None:
    done = polylect_("parse", *EXAMPLES)
    assert (done.returncode, done.stderr) == (0, b"")
    found = lines(done.stdout)
    assert [x["file"] for x in found] == [str(x) for x in EXAMPLES]
    for record, path in zip(found, EXAMPLES, strict=True):
        told = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        assert record["type"] == "Reply"
        if told["clean"]:
            assert record["lect"] == told["lect"], path.name
            assert record["decision"], path.name
        else:  # without its lect's marks it may look like another of the family, or like plain text
            assert record["lect"] is None or FAMILIES[record["lect"]] == FAMILIES[told["lect"]], path.name


def test_the_first_command_is_readable() -> None:
    done = polylect_("parse", "--no-json", *EXAMPLES)
    text = done.stdout.decode()
    assert done.returncode == 0
    assert text.count("\n  decision ") >= len(EXAMPLES)
    for path in EXAMPLES:
        assert path.name in text


@pytest.mark.parametrize("lect", ["react", "react_bracket", "self_ask", "json_blob", "xml_tags", "qwen3_coder_xml"])
def test_a_stream_gives_the_reply_of_the_whole(lect: str, lines: Lines, write: Write) -> None:
    messages = [message for message in polylect.lect(lect).examples if isinstance(message, str)]
    paths = [write(f"{number}.txt", message) for number, message in enumerate(messages)]
    wholes = lines(polylect_("parse", "--lect", lect, *paths).stdout)
    for message, whole in zip(messages, wholes, strict=True):
        events = lines(polylect_("stream", "--lect", lect, stdin=message.encode()).stdout)
        reply = events[-1]["reply"]
        assert {key: whole[key] for key in reply} == reply


def test_a_providers_stream_gives_its_calls(lines: Lines) -> None:
    delta = {"index": 0, "id": "c1", "function": {"name": "search", "arguments": '{"query"'}}
    more = {"index": 0, "function": {"arguments": ': "Oslo"}'}}
    chunks = [
        {"choices": [{"index": 0, "delta": {"role": "assistant", "tool_calls": [delta]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [more]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    data = "".join(f"data: {json.dumps(x)}\n\n" for x in chunks) + "data: [DONE]\n\n"
    events = lines(polylect_("stream", "--lect", "tool_calls", stdin=data.encode()).stdout)
    (call,) = events[-1]["reply"]["calls"]
    assert (call["name"], call["arguments"], call["id"], call["status"]) == (
        "search",
        {"query": "Oslo"},
        "c1",
        "complete",
    )


def test_a_message_is_read_as_what_it_is(lines: Lines) -> None:
    function = {"name": "search", "arguments": '{"query": "Oslo"}'}
    records = [
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
        {"role": "assistant", "content": REACT},
        {"role": "assistant", "content": "It is 42."},
        REACT,
    ]
    data = "\n".join(map(json.dumps, records)).encode()
    found = lines(polylect_("parse", "--input", "lines", "-", stdin=data).stdout)
    assert [x["lect"] for x in found] == ["tool_calls", "react", "tool_calls", "react"]
    assert [[c["name"] for c in x["calls"]] for x in found] == [["search"], ["search"], [], ["search"]]
    assert found[2]["decision"]["return_values"] == {"output": "It is 42."}


def test_translate_and_back(lines: Lines) -> None:
    data = json.dumps({"text": REACT, "id": 7}).encode()
    there = polylect_("translate", "--from", "react", "--to", "tool_calls", stdin=data)
    (record,) = lines(there.stdout)
    assert record["id"] == 7
    function = record["message"]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("search", {"query": "Oslo", "limit": 3})
    back = polylect_("translate", "--from", "tool_calls", "--to", "react", stdin=there.stdout)
    assert polylect.lect("react").parse(lines(back.stdout)[0]["text"]) == polylect.lect("react").parse(REACT)


def test_policies_reach_the_lect(lines: Lines) -> None:
    cut = b'Thought: x\nAction: search\nAction Input: {"query": "Os'
    done = polylect_(
        "parse", "--lect", "react", "--finish-reason", "length", "--policy", "truncated=raise", "-", stdin=cut
    )
    (record,) = lines(done.stdout)
    assert done.returncode == 1
    assert (record["type"], record["reason"]) == ("error", "truncated")
    assert record["correction"]


def test_every_bundled_lect_is_listed(lines: Lines) -> None:
    found = {x["name"]: x["distribution"] for x in lines(polylect_("lects").stdout)}
    wanted = {"react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask", "json_blob", "json_chat"}
    wanted |= {"chat", "react_json", "xml_tags", "tool_calls", "openai_functions"}
    assert wanted <= set(found)
    assert found["json_blob"] == "polylect-json-blob"


def test_check_runs_the_laws() -> None:
    done = polylect_("check", "react", "--law", "1", "--examples", "5", "--seed", "1")
    assert done.returncode == 0
    assert b"Round trip" in done.stdout


def test_check_lints_a_grammar(write: Write) -> None:
    import polylect_grammars

    good = Path(polylect_grammars.__file__).with_name("react.lark")
    assert polylect_("check", good).returncode == 0
    done = polylect_("check", write("bad.lark", "start: nothing\n"))
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert b"nothing" in done.stdout
    assert done.stdout.count(b"bad.lark") == 1


def test_check_leaves_nothing_behind(tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (Path(__file__).parents[1] / "thirdparty" / "my_format.py").read_bytes()
    write("my_format.py", source)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HYPOTHESIS_STORAGE_DIRECTORY", raising=False)
    few = ("--examples", "5", "--seed", "1")
    assert polylect_("--plugin", "my_format.py", "check", "my_format", *few).returncode == 0
    assert {path.name for path in tmp_path.iterdir()} - {"__pycache__"} == {"my_format.py"}


def test_a_conversation_as_one_record_is_told_apart(write: Write) -> None:
    path = write("talk.jsonl", json.dumps([{"role": "user", "content": "hi"}]) + "\n")
    done = polylect_("parse", "--lect", "react", path)
    assert done.returncode == 1
    assert "each message on a line of its own" in json.loads(done.stdout)["message"]


@pytest.mark.benchmark
def test_two_processes_are_1_7_times_one(tmp_path: Path) -> None:
    """The bar of ``polylect translate`` over 200,000 records, on a machine with at least two free cores."""
    path = tmp_path / "r.jsonl"
    seconds: dict[str, float] = {}
    with path.open("w", encoding="utf-8") as file:
        for i in range(200_000):
            text = (
                f'Thought: I should look at number {i}.\nAction: search\nAction Input: {{"query": "{i}", "limit": 3}}'
            )
            file.write(json.dumps({"text": text, "id": i}) + "\n")
    for jobs in ("1", "2", "1", "2"):
        start = time.perf_counter()
        out = tmp_path / f"out{jobs}"
        done = polylect_("translate", "--from", "react", "--to", "tool_calls", "--jobs", jobs, "--output", out, path)
        assert done.returncode == 0
        seconds[jobs] = min(seconds.get(jobs, 1e9), time.perf_counter() - start)
    assert (tmp_path / "out1").read_bytes() == (tmp_path / "out2").read_bytes()
    assert seconds["1"] >= 1.7 * seconds["2"]
