"""``polylect translate``: records in order, failures in place, any number of processes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Lines = Callable[[bytes], list[Any]]
Write = Callable[[str, "str | bytes"], Path]


@pytest.mark.parametrize(
    ("record", "text", "message"),
    [
        ("=a", {"text": "=a"}, {"message": {"role": "assistant", "content": "=a"}}),
        (
            {"id": 1, "text": "=a", "x": None},
            {"text": "=a", "id": 1, "x": None},
            {"message": {"role": "assistant", "content": "=a"}, "id": 1, "x": None},
        ),
        (
            {"message": {"role": "assistant", "content": "=a"}, "id": 1},
            {"message": {"role": "assistant", "content": "=a"}, "id": 1},
            {"message": {"role": "assistant", "content": "=a"}, "id": 1},
        ),
        (
            {"role": "assistant", "content": "=a", "id": 1},
            {"role": "assistant", "content": "=a", "id": 1},
            {"role": "assistant", "content": "=a", "id": 1},
        ),
    ],
)
def test_a_record_keeps_its_shape_and_its_other_keys(
    run: Any, lines: Lines, record: Any, text: Any, message: Any
) -> None:
    data = json.dumps(record).encode()
    assert lines(run("translate", "--from", "toy", "--to", "toy", stdin=data).stdout) == [text]
    assert lines(run("translate", "--from", "toy", "--to", "toy_messages", stdin=data).stdout) == [message]


def test_messages_become_text(run: Any, lines: Lines) -> None:
    data = (
        b'{"message": {"role": "assistant", "content": "=a"}, "id": 1}\n{"role": "assistant", "content": "=b", "id": 2}'
    )
    done = run("translate", "--from", "toy_messages", "--to", "toy", stdin=data)
    assert lines(done.stdout) == [{"text": "=a", "id": 1}, {"text": "=b", "id": 2}]


def test_failures_stand_in_place_and_the_rest_goes_on(run: Any, write: Write, lines: Lines) -> None:
    path = write("r.jsonl", b'"=1"\n\nnonsense\n"RAISE"\n"BUG"\n{"type": "Reply", "text": "=1"}\n"=2"\n')
    done = run("translate", "--from", "toy", "--to", "toy", path)
    found = lines(done.stdout)
    assert done.returncode == 1
    assert done.stderr == b""
    assert [(x.get("line"), x.get("reason")) for x in found] == [
        (None, None),
        (3, "not_json"),
        (4, "limit"),
        (5, "internal"),
        (6, "record"),
        (None, None),
    ]
    assert [found[0]["text"], found[-1]["text"]] == ["=1", "=2"]
    assert list(found[1]) == ["type", "line", "reason", "message", "span", "correction", "text"]


def test_what_the_target_cannot_express_is_a_failure(run: Any, lines: Lines) -> None:
    done = run("translate", "--from", "toy", "--to", "toy", stdin=b'"TABOO"\n"=1"')
    failed, good = lines(done.stdout)
    assert done.returncode == 1
    assert (failed["reason"], failed["message"], failed["text"]) == ("inexpressible", "toy has a taboo", "TABOO")
    assert good == {"text": "=1"}


def many(count: int) -> bytes:
    """Records of very different lengths, every 97th broken."""
    found = []
    for i in range(count):
        text = "word " * (i * 7919 % 300) + f'\n!add {{"a": {i}}}'
        found.append(json.dumps({"text": text, "id": i}) if i % 97 else f"broken {i}")
    return "\n".join(found).encode()


def test_several_processes_write_the_same_bytes(run: Any, write: Write, tmp_path: Path) -> None:
    path = write("r.jsonl", many(6000))
    one = run("translate", "--from", "toy", "--to", "toy_messages", path)
    assert one.returncode == 1
    assert one.stdout.count(b"\n") == 6000
    for jobs in ("2", "3"):
        done = run("translate", "--from", "toy", "--to", "toy_messages", "--jobs", jobs, path)
        assert (done.returncode, done.stdout, done.stderr) == (1, one.stdout, b"")
    piped = run("translate", "--from", "toy", "--to", "toy_messages", "--jobs", "2", stdin=path.read_bytes())
    assert piped.stdout == one.stdout
    out = tmp_path / "out.jsonl"
    done = run("translate", "--from", "toy", "--to", "toy_messages", "--jobs", "2", "--output", out, path)
    assert (done.stdout, out.read_bytes()) == (b"", one.stdout)


def test_parse_with_several_processes_writes_the_same_bytes(run: Any, write: Write) -> None:
    files = [write("r.jsonl", many(2000)), write("a.txt", "=1"), write("b.jsonl", many(1000)), write("c.txt", "RAISE")]
    one = run("parse", "--lect", "toy", *files)
    two = run("parse", "--lect", "toy", "--jobs", "2", *files)
    assert (two.returncode, two.stdout) == (1, one.stdout)
    assert one.stdout.count(b"\n") == 3002


def test_the_output_may_not_be_the_input(run: Any, write: Write) -> None:
    path = write("r.jsonl", b'"=1"\n')
    done = run("translate", "--from", "toy", "--to", "toy", "--output", path, path)
    assert done.returncode == 2
    assert path.read_bytes() == b'"=1"\n'


def test_a_wrong_name_does_not_empty_the_output(run: Any, write: Write) -> None:
    out = write("out.jsonl", b"precious")
    done = run("translate", "--from", "toy", "--to", "toi", "--output", out, stdin=b'"=1"')
    assert done.returncode == 2
    assert b"'toy'" in done.stderr
    assert out.read_bytes() == b"precious"


def test_empty_input_gives_nothing(run: Any) -> None:
    for jobs in ("1", "2"):
        done = run("translate", "--from", "toy", "--to", "toy", "--jobs", jobs)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_the_lect_of_each_record_is_detected(run: Any, lines: Lines) -> None:
    calls = '<tool_call>\\n{\\"name\\": \\"now\\", \\"arguments\\": {}}\\n</tool_call>'
    data = f'{{"text": "{calls}", "id": 1}}\n{{"text": "It rains.", "id": 2}}\n'.encode()
    done = run("translate", "--from", "auto", "--to", "tool_calls", stdin=data)
    first, second = lines(done.stdout)
    assert first["message"]["tool_calls"][0]["function"]["name"] == "now"
    assert (second["type"], second["reason"], second["line"]) == ("error", "no_lect", 2)
    assert done.returncode == 1
