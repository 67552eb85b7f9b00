"""Records with numbers that Python cannot hold: what is only handed on is handed on as it is spelt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Lines = Callable[[bytes], list[Any]]
LONG = "7" * 5_000


@pytest.mark.parametrize("number", [LONG, f"-{LONG}", "1e999", f"{LONG}.5"], ids=lambda text: f"{text:.8}")
def test_numbers_beside_the_message_are_kept_to_the_last_digit(run: Any, number: str) -> None:
    for beside in ("", ', "b": "\\ud800"'):
        data = f'{{"text": "=a", "n": [{number}, 1.5]{beside}}}'.encode()
        done = run("translate", "--from", "toy", "--to", "toy", stdin=data)
        compact = beside.replace(", ", ",").replace(": ", ":")
        assert done.stdout.decode() == f'{{"text":"=a","n":[{number},1.5]{compact}}}\n'
        assert done.returncode == 0
        done = run("parse", "--input", "lines", "--json", "--lect", "toy", "-", stdin=data)
        assert json.loads(done.stdout)["decision"]["return_values"] == {"output": "a"}


@pytest.mark.parametrize("number", [LONG, "1e999"], ids=lambda text: f"{text:.8}")
def test_numbers_in_what_is_to_be_read_are_a_failure_of_their_own(run: Any, lines: Lines, number: str) -> None:
    call = f'{{"name": "f", "arguments": {{"a": {number}}}}}'
    records = [
        f'{{"role": "assistant", "content": null, "tool_calls": [{{"function": {call}}}]}}',
        f'{{"message": {{"role": "assistant", "content": null, "function_call": {call}}}}}',
    ]
    data = "\n".join([*records, '"=a"']).encode()
    done = run("parse", "--input", "lines", "--json", "-", stdin=data)
    assert [x.get("reason") for x in lines(done.stdout)] == ["number", "number", None]
    assert done.returncode == 1
    done = run("translate", "--from", "tool_calls", "--to", "react", stdin=data)
    found = lines(done.stdout)
    assert [x.get("reason") for x in found[:2]] == ["number", "number"]
    assert "This number can't be read" in found[0]["message"]
    reply = f'{{"type": "Reply", "answer": {number}}}'
    (error,) = lines(run("format", "--lect", "json_blob", "--json", stdin=reply.encode()).stdout)
    assert error["reason"] == "number"
    assert "set_int_max" not in str(found)
