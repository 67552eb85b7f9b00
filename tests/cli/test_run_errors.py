"""``polylect run`` with a command line that is wrong: told with what to do, before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[str, "str | bytes"], Path]
REACT = ("--lect", "react", "--model", "scripted")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("Q",), "Missing --lect and --model. To begin with: polylect run --lect react_bracket --model scripted"),
        (("Q", "--lect", "react"), "Missing --model."),
        (("--lect", "react", "--model", "scripted:x"), "Missing QUESTION"),
        (("--lect", "react", "--model", "local"), "With --tools polylect.tutorial:search,calculate it may be left out"),
        (("", *REACT), "The question is empty"),
        (("Q", "--lect", "reakt", "--model", "scripted"), "Did you mean 'react'?"),
        (("Q", "--lect", "react", "--model", "scriptd"), "Did you mean 'scripted'?"),
        (("Q", "--lect", "react", "--model", "scripted:none.jsonl"), "there is no such file"),
        (("Q", *REACT, "--model-option", "delya=1"), "Did you mean 'delay'?"),
        (("Q", *REACT, "--model-option", "delay"), "Write key=value, not 'delay'"),
        (("Q", *REACT, "--tools", "polylect.tutoral:search"), "Did you mean 'polylect.tutorial'?"),
        (("Q", *REACT, "--tools", "polylekt.tutorial:search"), "Did you mean 'polylect.tutorial'?"),
        (
            ("Q", *REACT, "--tools", "polylect.tutorial:serch"),
            "Did you mean 'search'? It has: calculate, model, replies, search.",
        ),
        (("Q", *REACT, "--tools", "polylect.tutorial:QUESTION"), "polylect.tutorial:QUESTION is no tool"),
        (("Q", *REACT, "--tools", "no_such_thing_at_all:f"), "It is looked for among the installed ones and in /"),
        (("Q", *REACT, "--tools", "tools.json"), "'tools.json' is a file of descriptions"),
        (("Q", *REACT, "--tools", "polylect.tutorial"), "Write module:function"),
        (("Q", *REACT, "--tools", "polylect.tutorial:"), "names no function"),
        (("Q", *REACT, "--tools", ","), "There is no tool in ','"),
        (("Q", *REACT, "--tools", "none.py:f"), "There is no file 'none.py'"),
        (("Q", *REACT, "--tools", "not a name:f"), "is no name of a module"),
        (("Q", *REACT, "--tools", "polylect.tutorial:search,search"), "Two tools are named 'search'"),
        (("Q", *REACT, "--tool-choice", "serch"), "Did you mean 'search'?"),
        (("Q", *REACT, "--trim", "tokens:x"), "Write a number of steps, or tokens:2000"),
        (("Q", *REACT, "--trim", "0"), "Write a number of steps"),
        (("Q", *REACT, "--policy", "malformed=repar"), "malformed='repar' is no choice"),
        (("Q", *REACT, "--max-iterations", "0"), "--max-iterations"),
        (("Q", *REACT, "--max-seconds", "0"), "--max-seconds"),
        (("Q", *REACT, "--parsing-errors", " "), "parsing_errors is"),
        (("Q", *REACT, "--svg", "/no/such/folder/a.svg"), "There is no folder '/no/such/folder'"),
        (("Q", *REACT, "--json", "--jsonl"), "choose one"),
        (("Q", *REACT, "--input", "name=Kim"), "no {name}"),
        (("Q", *REACT, "--input", "input=R"), "is the QUESTION itself"),
        (("--replay", "none.jsonl"), "none.jsonl"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_told_with_what_to_do(run: Any, options: tuple[str, ...], told: str) -> None:
    done = run("run", *options)
    assert done.returncode == 2
    assert told in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert done.stdout == b""


def test_code_of_the_users_that_is_broken(run: Any, write: Write) -> None:
    def tools(code: str) -> str:
        done = run("run", "Q", *REACT, "--tools", f"{write('mine.py', code)}:f")
        assert done.returncode == 2
        assert b"Traceback" not in done.stderr
        return str(done.stderr.decode())

    assert "can't be run: ZeroDivisionError: division by zero (mine.py, line 2)" in tools("\n1/0\n")
    assert "can't be run: SyntaxError: " in tools("def f(:\n")
    assert "can't be run: SystemExit: 3" in tools("raise SystemExit(3)\n")
    assert "can't be run: ModuleNotFoundError: No module named 'not_there'" in tools("import not_there\n")
    assert "mine.py:f describes the tool 'f', but has no function" in tools('f = {"name": "f"}\n')
    assert "There is no 'f' in " in tools("g = 1\n")
    write("theirs.py", "import not_there\n")
    empty = write("empty.py", "f = []\n")  # whose folder is looked in from then on
    done = run("run", "Q", *REACT, "--tools", f"{empty}:f", "--tools", "theirs:f")
    assert b"The module 'theirs' can't be imported: it needs 'not_there', which is not there." in done.stderr


def test_beside_a_record_nothing_of_a_run_can_be_said(run: Any, tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    run("run", *REACT, "--record", record)
    for option in (("--model", "scripted"), ("--max-iterations", "3"), ("--tools", "a:b"), ("--no-stream",)):
        done = run("run", "--replay", record, *option)
        assert done.returncode == 2
        assert f"so {'--stream' if option[0] == '--no-stream' else option[0]} says nothing" in done.stderr.decode()
    broken = tmp_path / "broken.jsonl"
    broken.write_bytes(b'{"a": 1}\n')
    done = run("run", "--replay", broken)
    assert done.returncode == 2
    assert b"broken.jsonl, line 1" in done.stderr
