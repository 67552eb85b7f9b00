"""``polylect parse``: files, records, failures and exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Lines = Callable[[bytes], list[Any]]
Write = Callable[[str, "str | bytes"], Path]


def test_a_text_file_is_one_message_with_its_lect_and_decision(run: Any, write: Write, lines: Lines) -> None:
    path = write("reply.txt", 'Adding.\n!add {"a": 1}')
    done = run("parse", "--lect", "toy", path)
    assert done.returncode == 0
    assert done.stderr == b""
    (reply,) = lines(done.stdout)
    assert reply["type"] == "Reply"
    assert reply["file"] == str(path)
    assert reply["lect"] == "toy"
    assert "line" not in reply
    assert reply["content"] == "Adding."
    assert reply["calls"][0]["arguments"] == {"a": 1}
    assert [(x["type"], x["tool"]) for x in reply["decision"]] == [("AgentAction", "add")]


def test_the_lect_is_detected_and_text_in_none_is_content(run: Any, write: Write, lines: Lines) -> None:
    done = run("parse", write("a.txt", "=42"), write("b.txt", "It is 42."))
    assert done.returncode == 0
    first, second = lines(done.stdout)
    assert (first["lect"], first["answer"], first["decision"]["return_values"]) == ("toy", "42", {"output": "42"})
    assert (second["lect"], second["content"], second["decision"]) == (None, "It is 42.", None)
    assert [x["code"] for x in second["diagnostics"]] == ["no_lect"]


def test_a_missing_decision_is_a_failure_only_when_strict(run: Any, write: Write, lines: Lines) -> None:
    path = write("a.txt", "no call")
    done = run("parse", "--lect", "toy", path)
    (reply,) = lines(done.stdout)
    assert done.returncode == 0
    assert reply["decision"] is None
    assert reply["undecided"]["reason"] == "no_action"
    assert reply["undecided"]["correction"] == "Write a line that begins with !."
    assert run("parse", "--lect", "toy", "--strict", path).returncode == 1
    assert run("parse", "--strict", path).returncode == 1


def test_every_form_of_record(run: Any, write: Write, lines: Lines) -> None:
    records = [
        "=string",
        {"text": "=text", "lect": "toy", "id": 7},
        {"message": {"role": "assistant", "content": "=message"}},
        {"role": "assistant", "content": [{"type": "text", "text": "=pa"}, {"type": "text", "text": "rts"}]},
        {"text": "cut", "lect": "toy", "finish_reason": "length"},
    ]
    path = write("r.jsonl", "\ufeff" + "\n\n".join(json.dumps(x) for x in records) + "\r\n")
    done = run("parse", path)
    found = lines(done.stdout)
    assert done.returncode == 0
    assert [x["line"] for x in found] == [1, 3, 5, 7, 9]
    assert [x["answer"] for x in found] == ["string", "text", "message", "parts", None]
    assert [x["complete"] for x in found] == [True, True, True, True, False]
    assert lines(run("parse", "--finish-reason", "stop", path).stdout)[4]["complete"]


def test_a_failed_record_is_an_error_record_in_its_place(run: Any, write: Write, lines: Lines) -> None:
    bad = [
        (b"not json", "not_json"),
        (b"\xff", "not_text"),
        (b"[1]", "record"),
        (b"null", "record"),
        (b'{"x": 1}', "record"),
        (b'{"role": "user", "content": "x"}', "record"),
        (b'{"type": "error", "message": "m", "text": "t"}', "record"),
        (b'{"text": "x", "lect": "tox"}', "no_lect"),
        (b'{"text": "RAISE", "lect": "toy"}', "limit"),
        (b'{"text": "BUG", "lect": "toy"}', "internal"),
        (b"[" * 100_000, "not_json"),
        (b'"\x00"', "not_json"),
    ]
    path = write("r.jsonl", b'"=first"\n' + b"".join(b"%s\n" % line for line, _ in bad) + b'"=last"')
    done = run("parse", path)
    first, *failed, last = lines(done.stdout)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    assert (first["answer"], last["answer"]) == ("first", "last")
    assert [x["line"] for x in (*failed, last)] == list(range(2, len(bad) + 3))
    assert [x["reason"] for x in failed] == [reason for _, reason in bad]
    for record in failed:
        assert list(record) == ["type", "file", "line", "reason", "message", "span", "correction", "text"]
    raised, bug = failed[8:10]
    assert (raised["span"], raised["correction"], raised["text"]) == ([0, 5], "Do not say it.", "RAISE")
    assert "ZeroDivisionError: a fault of the lect (toy.py, line" in bug["message"]
    assert bug["text"] == "BUG"


def test_a_named_lect_goes_before_a_records_own(run: Any, write: Write, lines: Lines) -> None:
    path = write("r.jsonl", '{"text": "=x", "lect": "tox"}')
    assert lines(run("parse", "--lect", "toy", path).stdout)[0]["answer"] == "x"


def test_one_bad_file_does_not_stop_the_others(run: Any, write: Write, lines: Lines) -> None:
    done = run("parse", "--lect", "toy", write("a.txt", b"\xff\xfe="), write("b.txt", "RAISE"), write("c.txt", "=ok"))
    first, second, third = lines(done.stdout)
    assert done.returncode == 1
    assert (first["reason"], second["reason"], third["answer"]) == ("not_text", "limit", "ok")
    assert "line" not in first


@pytest.mark.parametrize(
    "args", [("missing.txt",), (".",), ("--policy", "no=such", "-"), ("--policy", "both", "-"), ()]
)
def test_a_wrong_command_line_is_exit_code_2(run: Any, args: tuple[str, ...]) -> None:
    done = run("parse", *args)
    assert done.returncode == 2
    assert done.stdout == b""
    assert b"Error: " in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_unknown_lect_names_the_nearest(run: Any, write: Write) -> None:
    done = run("parse", "--lect", "toi", write("a.txt", "x"))
    assert done.returncode == 2
    assert b"'toy'" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(
    "text", ["{", "[]x", '{"tools": 1}', '[{"description": "no name"}]', '[{"name": "a"}, {"name": "a"}]', "\udcff"]
)
def test_wrong_tools_are_exit_code_2(run: Any, write: Write, text: str) -> None:
    path = write("tools.json", text.encode(errors="surrogateescape"))
    done = run("parse", "--tools", path, "-", stdin=b"x")
    assert done.returncode == 2
    assert b"Error: " in done.stderr
    assert b"Traceback" not in done.stderr


def test_empty_inputs(run: Any, write: Write, lines: Lines) -> None:
    assert run("parse", write("a.jsonl", b"")).stdout == b""
    assert run("parse", write("b.jsonl", b"\n \n\t\n")).returncode == 0
    done = run("parse", write("a.txt", b""))
    assert done.returncode == 0
    assert lines(done.stdout)[0]["content"] == ""


def test_nul_and_controls_are_text(run: Any, write: Write, lines: Lines) -> None:
    (reply,) = lines(run("parse", "--lect", "toy", write("a.txt", b"a\x00b\x1b[31m")).stdout)
    assert reply["content"] == "a\x00b\x1b[31m"


def test_a_line_of_ten_megabytes(run: Any, write: Write, lines: Lines) -> None:
    path = write("a.jsonl", json.dumps("y" * 10_000_000) + '\n"=after"\n')
    long, after = lines(run("parse", "--lect", "toy", path).stdout)
    assert len(long["content"]) == 10_000_000
    assert after["answer"] == "after"


def test_standard_input_is_text_unless_told(run: Any, lines: Lines) -> None:
    (reply,) = lines(run("parse", "-", stdin=b'"=x"\n"=y"').stdout)
    assert reply["file"] == "-"
    assert reply["content"] == '"=x"\n"=y"'
    assert [x["answer"] for x in lines(run("parse", "--input", "lines", "-", stdin=b'"=x"\n"=y"').stdout)] == ["x", "y"]
    (reply,) = lines(run("parse", "--input", "json", "-", stdin=b'{"text":\n"=x"}').stdout)
    assert (reply["answer"], reply["line"]) == ("x", 1)


def test_readable_text_on_request(run: Any, write: Write) -> None:
    done = run("parse", "--no-json", write("a.txt", '!add {"a": 1}'), write("b.txt", "RAISE \x1b[2J"), "--lect", "toy")
    text = done.stdout.decode()
    assert done.returncode == 1
    assert "a.txt  toy\n" in text
    assert 'call        add {"a": 1}' in text
    assert "decision    run add" in text
    assert "refused\n              RAISE" in text
    assert "\n              ^^^^^\n" in text
    assert "correction  Do not" in text
    assert "\x1b" not in text


def test_parse_feeds_format(run: Any, write: Write) -> None:
    parsed = run("parse", write("a.txt", 'Adding.\n!add {"a": 1}'), "--lect", "toy")
    assert run("format", "--lect", "toy", stdin=parsed.stdout).stdout == b'Adding.\n!add {"a": 1}'
