"""Help, versions, lists, completion, and ``polylect check``."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import polylect
from polylect import testing
from polylect.cli import main

Lines = Callable[[bytes], list[Any]]
Write = Callable[[str, "str | bytes"], Path]
COMMANDS = ["check", "format", "lects", "parse", "plugins", "run", "stream", "translate"]


def test_help_names_every_command_and_the_exit_codes() -> None:
    shown = CliRunner().invoke(main, ["--help"])
    assert shown.exit_code == 0
    for word in (*COMMANDS, "Exit codes:", "_POLYLECT_COMPLETE=bash_source", "NO_COLOR", "--plugin"):
        assert word in shown.output
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    codes = re.findall(r"^\| (\d+) \| (.+) \|$", page.partition("## Exit codes")[2], re.M)
    assert [code for code, _ in codes] == ["0", "1", "2", "130", "141"]
    for code, meaning in codes:
        assert re.search(rf"^ +{code} +{meaning}$", shown.output, re.M)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_each_command_begins_with_a_verb_and_gives_an_example(command: str) -> None:
    shown = CliRunner().invoke(main, [command, "--help"]).output
    assert f"Usage: polylect {command}" in shown
    assert "Example" in shown
    assert f"  polylect {command} " in shown.replace("| polylect", " polylect") or f"polylect {command}" in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


HEAVY = """
import sys
from polylect.cli import main
try:
    main(["--help"])
except SystemExit:
    pass
heavy = {"lark", "lxml", "jsonschema", "multiprocessing", "hypothesis", "json_repair", "polylect.testing"}
print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run([sys.executable, "-c", HEAVY], capture_output=True, check=True, timeout=60)
    assert done.stderr == b"[]\n" or done.stderr == b"[]\r\n"


def test_the_version_comes_with_those_of_the_plugins() -> None:
    shown = CliRunner().invoke(main, ["--version"])
    assert shown.exit_code == 0
    assert shown.output.startswith("polylect ")
    for info in polylect.plugins():
        if info.distribution:
            assert f"{info.distribution} {info.version}" in shown.output


def test_lects_are_listed(run: Any, lines: Lines) -> None:
    found = {x["name"]: x for x in lines(run("lects").stdout)}
    assert found["toy"]["title"] == "A toy for tests"
    assert set(found["toy"]) == {"name", "title", "family", "distribution", "aliases", "models"}
    text = run("lects", "--no-json").stdout.decode()
    assert "LECT " in text
    assert "A toy for tests, in messages\n" in text


def test_plugins_are_listed_and_a_broken_one_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Info:
        def __init__(self, name: str, error: str | None) -> None:
            self.name, self.distribution, self.version = name, f"polylect-{name}", "1.0"
            self.lects: tuple[str, ...] = ("x", "y") if error is None else ()
            self.models: tuple[str, ...] = ("m",) if error is None else ()
            self.hooks: tuple[str, ...] = ("polylect_after_run",) if error is None else ()
            self.error = error

    contested = Info("claims", "claims and good both bring a lect named 'x'.")
    contested.lects = ("z",)
    every = [Info("good", None), Info("bad", "ImportError: no \x1b[2J"), contested]
    monkeypatch.setattr(polylect, "plugins", lambda: every)
    shown = CliRunner().invoke(main, ["plugins", "--no-json"])
    assert shown.exit_code == 0
    assert "good    polylect-good    1.0      x, y, model m, hooks around runs\n" in shown.output
    assert "bad     polylect-bad     1.0      broken\n" in shown.output
    assert "bad: ImportError: no \\x1b[2J\n" in shown.output
    assert "claims  polylect-claims  1.0      z\n" in shown.output
    assert "claims: claims and good both bring a lect named 'x'.\n" in shown.output
    rows = [json.loads(x) for x in CliRunner().invoke(main, ["plugins"]).output.splitlines()]
    assert rows[0] == {
        "name": "good",
        "distribution": "polylect-good",
        "version": "1.0",
        "lects": ["x", "y"],
        "models": ["m"],
        "hooks": ["polylect_after_run"],
        "error": None,
    }
    assert rows[1]["error"] == "ImportError: no \x1b[2J"


def complete(words: str, index: int) -> str:
    toy = Path(__file__).with_name("toy.py")
    env = {
        **os.environ,
        "_POLYLECT_COMPLETE": "bash_complete",
        "COMP_WORDS": words.format(toy=toy),
        "COMP_CWORD": str(index),
    }
    done = subprocess.run([sys.executable, "-m", "polylect.cli"], capture_output=True, env=env, timeout=60, check=True)
    return done.stdout.decode()


def test_the_shell_completes_lects_and_policies() -> None:
    assert "plain,toy_messages" in complete("polylect --plugin {toy} parse --lect toy", 5)
    assert "plain,malformed=repair" in complete("polylect parse --policy malf", 3)
    assert "plain,translate" in complete("polylect tr", 1)
    env = {**os.environ, "_POLYLECT_COMPLETE": "bash_source"}
    done = subprocess.run([sys.executable, "-m", "polylect.cli"], capture_output=True, env=env, timeout=60, check=True)
    assert b"_polylect_completion" in done.stdout


class Row:
    def __init__(self, law: int, ok: bool) -> None:
        self.law, self.title, self.ok = law, f"law number {law}", ok
        self.detail, self.examples, self.seconds = ("" if ok else "cut at 3\nof 'x\x1b'"), 100, 0.25


class Report:
    def __init__(self, *rows: Row) -> None:
        self.rows, self.ok = rows, all(x.ok for x in rows)
        self.lect, self.seed = "toy", 11


@pytest.fixture
def toy() -> Any:
    """The plugin file, for runs in this process: what it registers is taken back."""
    from polylect.cli import _options

    yield str(Path(__file__).with_name("toy.py"))
    _options._loaded.clear()
    for name in ("toy", "toy_messages"):
        polylect.unregister(name)


def test_check_prints_the_laws(monkeypatch: pytest.MonkeyPatch, toy: str) -> None:
    asked: list[tuple[Any, ...]] = []

    def check(lect: Any, *, examples: int, laws: Any, seed: Any) -> Report:
        asked.append((lect.name, examples, laws, seed))
        return Report(Row(1, True), Row(2, examples != 7))

    monkeypatch.setattr(testing, "check", check)
    good = CliRunner().invoke(main, ["--plugin", toy, "check", "toy"])
    assert good.exit_code == 0
    assert "toy  A toy for tests  (seed 11)\n" in good.output
    assert "  1  law number 1  holds       100     0.25\n" in good.output
    bad = CliRunner().invoke(main, ["--plugin", toy, "check", "toy", "--examples", "7"])
    assert bad.exit_code == 1
    assert "  law 2       cut at 3\n              of 'x\\x1b'\n" in bad.output
    rows = [
        json.loads(x)
        for x in CliRunner()
        .invoke(main, ["--plugin", toy, "check", "toy", "--json", "--law", "1", "--law", "2", "--seed", "5"])
        .output.splitlines()
    ]
    assert [(x["law"], x["ok"], x["lect"]) for x in rows] == [(1, True, "toy"), (2, True, "toy")]
    assert asked == [("toy", 100, None, None), ("toy", 7, None, None), ("toy", 100, (1, 2), 5)]


def test_check_of_what_is_not_there() -> None:
    for name in ("tooy", "missing.lark"):
        shown = CliRunner().invoke(main, ["check", name])
        assert shown.exit_code == 2
        assert "Error: " in shown.output


def test_a_plugin_file_that_fails_is_exit_code_2(write: Write, tmp_path: Path) -> None:
    path = write("broken.py", "raise ValueError('no good')")
    for arguments in (["--plugin", str(path), "lects"], ["--plugin", str(tmp_path / "none.py"), "lects"]):
        shown = CliRunner().invoke(main, arguments)
        assert shown.exit_code == 2
        assert "Traceback" not in shown.output


def test_an_unknown_command_is_exit_code_2() -> None:
    shown = CliRunner().invoke(main, ["prase"])
    assert shown.exit_code == 2
    assert "prase" in shown.output


def test_the_lect_of_a_model_is_told_with_the_reason(run: Any, lines: Lines) -> None:
    found = lines(run("lects", "--model", "Qwen/Qwen3-0.6B").stdout)[0]
    assert (found["lect"], found["beginning"], found["distribution"]) == ("hermes", "Qwen3", "polylect-native")
    text = run("lects", "--no-json", "--model", "qwen3_0.6b").stdout.decode()
    assert text.startswith("hermes  ")
    assert "has the beginning 'Qwen3'" in text


def test_an_unknown_model_is_told_with_the_nearest(run: Any) -> None:
    done = run("lects", "--model", "Hermez-3-8B")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"Did you mean 'Hermes-3' (the lect 'hermes')?" in done.stderr
