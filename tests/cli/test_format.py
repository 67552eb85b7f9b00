"""``polylect format``: replies and steps as JSON to text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import polylect

Lines = Callable[[bytes], list[Any]]
Write = Callable[[str, "str | bytes"], Path]

CALL = polylect.Reply(content="Adding é.", calls=(polylect.Call("add", {"a": 1}),))
ANSWER = polylect.Reply(answer="4\n2")
BAD = polylect.Reply(content="!x")
STEP = polylect.AgentStep(polylect.AgentAction("add", {"a": 1}), "it is 1")


def test_one_reply_gives_its_text_and_nothing_else(run: Any) -> None:
    done = run("format", "--lect", "toy", stdin=CALL.to_json().encode())
    assert (done.returncode, done.stdout.decode()) == (0, 'Adding é.\n!add {"a": 1}')


def test_several_are_parted_by_blank_lines_or_are_lines(run: Any, write: Write, lines: Lines) -> None:
    path = write("r.jsonl", f"{CALL.to_json()}\n\n{ANSWER.to_json()}\n")
    assert run("format", "--lect", "toy", path).stdout.decode() == 'Adding é.\n!add {"a": 1}\n\n=4\n2'
    done = run("format", "--lect", "toy", "--json", path)
    assert lines(done.stdout) == [{"text": 'Adding é.\n!add {"a": 1}'}, {"text": "=4\n2"}]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_may_hold_one_reply_or_a_list(run: Any, indent: int | None) -> None:
    one, two = json.loads(CALL.to_json()), json.loads(ANSWER.to_json())
    text = run("format", "--lect", "toy", stdin=json.dumps(one, indent=indent).encode()).stdout.decode()
    assert text == 'Adding é.\n!add {"a": 1}'
    text = run("format", "--lect", "toy", stdin=json.dumps([one, two], indent=indent).encode()).stdout.decode()
    assert text == 'Adding é.\n!add {"a": 1}\n\n=4\n2'


def test_lects_of_messages_give_messages(run: Any, lines: Lines) -> None:
    done = run("format", "--lect", "toy_messages", stdin=ANSWER.to_json().encode())
    assert lines(done.stdout) == [{"role": "assistant", "content": "=4\n2"}]


def test_what_cannot_be_expressed_is_refused_with_the_reason(run: Any, write: Write, lines: Lines) -> None:
    path = write("r.jsonl", f"{ANSWER.to_json()}\n{BAD.to_json()}\nnonsense\n[1\n{{}}\n{CALL.to_json()}\n")
    done = run("format", "--lect", "toy", path)
    assert done.returncode == 1
    assert done.stdout.decode() == '=4\n2\n\nAdding é.\n!add {"a": 1}'
    assert [x.split(b":")[0] for x in done.stderr.splitlines()] == [b"Line 2", b"Line 3", b"Line 4", b"Line 5"]
    assert b"Line 2: toy content has no line that begins with !" in done.stderr
    done = run("format", "--lect", "toy", "--json", path)
    found = lines(done.stdout)
    assert [x.get("reason") for x in found] == [None, "inexpressible", "not_json", "not_json", "record", None]
    assert [x["line"] for x in found[1:-1]] == [2, 3, 4, 5]


def test_a_first_line_that_is_broken_is_one_failure(run: Any, lines: Lines) -> None:
    done = run("format", "--lect", "toy", "--json", stdin=b'{"type"\n' + ANSWER.to_json().encode())
    assert [x.get("text") for x in lines(done.stdout)] == ['{"type"', "=4\n2"]
    assert done.returncode == 1


def test_failures_of_parse_stay_failures(run: Any) -> None:
    parsed = run("parse", "--lect", "toy", "-", stdin=b"RAISE")
    done = run("format", "--lect", "toy", stdin=parsed.stdout)
    assert done.returncode == 1
    assert b"failed before: refused" in done.stderr


def test_steps_give_the_scratchpad(run: Any, lines: Lines) -> None:
    data = f"{STEP.to_json()}\n{STEP.to_json()}\n".encode()
    assert run("format", "--lect", "toy", "--steps", stdin=data).stdout == b"!add\n>it is 1\n" * 2
    done = run("format", "--lect", "toy", "--steps", "--json", stdin=data)
    assert lines(done.stdout) == [{"text": "!add\n>it is 1\n" * 2}]
    done = run("format", "--lect", "toy_messages", "--steps", stdin=data)
    assert lines(done.stdout) == [{"role": "tool", "content": "it is 1"}] * 2


def test_what_is_no_step_is_a_failure(run: Any) -> None:
    done = run("format", "--lect", "toy", "--steps", stdin=ANSWER.to_json().encode())
    assert done.returncode == 1
    assert b"Line 1: This is no AgentStep" in done.stderr
    for data, told in ((b"not JSON", b"Line 1: This is not JSON: "), (b"\xff", b"Line 1: Byte 0 (0xff) is not UTF-8")):
        done = run("format", "--lect", "toy", "--steps", stdin=data)
        assert done.returncode == 1
        assert done.stderr.startswith(told)
        assert not done.stderr.rstrip().endswith(b"..")


def test_empty_input_gives_nothing(run: Any) -> None:
    done = run("format", "--lect", "toy")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
