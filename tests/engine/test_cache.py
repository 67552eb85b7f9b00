"""Compiled tables on disk: used when they are sound, made again when they are not, never half written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polylect.grammar import _cache
from polylect.grammar._cache import VARIABLE, cache_folder, load_tables
from polylect.grammar._source import Source, read_source
from polylect.grammar._tables import Tables, compile_source

from .tongues import BLOCK, LONGCAT, OWN

SMALL = "start: A json_object?\nA: /a/\nwritten: A\n%import .json (json_object)\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache, empty."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the grammars that had to be compiled."""
    names: list[str] = []

    def counted(source: Source) -> Tables:
        names.append(source.name)
        return compile_source(source)

    monkeypatch.setattr(_cache, "compile_source", counted)
    return names


def the_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_the_second_time_the_tables_come_from_the_file(folder: Path, compiled: list[str]) -> None:
    source = read_source(BLOCK.path)
    first = load_tables(source)
    assert compiled == ["block.lark"]
    assert the_file(folder).name.startswith("block-")
    assert the_file(folder).suffix == ".json"
    second = load_tables(source)
    assert compiled == ["block.lark"]
    assert second == first == compile_source(source)


def _text(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    return lambda data: change(data.decode()).encode()


def _value(change: Callable[[Any], object]) -> Callable[[bytes], bytes]:
    def changed(text: str) -> str:
        value = json.loads(text)
        change(value)
        return json.dumps(value)

    return _text(changed)


def _move(number: int, place: int, value: object) -> Callable[[bytes], bytes]:
    return _value(lambda tables: tables["states"][number][0].__setitem__(place, value))


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "empty": _text(lambda _: ""),
    "cut": _text(lambda text: text[: len(text) // 2]),
    "cut at the end": _text(lambda text: text[:-1]),
    "no JSON": _text(lambda text: text.replace("{", "[", 1)),
    "bytes": lambda data: b"\xff\xfe\0" + data,
    "another shape": _text(lambda _: '{"engine": 1}'),
    "a list": _text(lambda _: "[]"),
    "another engine": _value(lambda tables: tables.__setitem__("engine", tables["engine"] + 1)),
    "an older engine": _value(lambda tables: tables.__setitem__("engine", 0)),
    "a target outside": _move(0, 1, 999),
    "a target below": _move(0, 1, -2),
    "a target that is no number": _move(0, 1, "1"),
    "a start outside": _value(lambda tables: tables["starts"].__setitem__("start", 999)),
    "a start below": _value(lambda tables: tables["starts"].__setitem__("written", -1)),
    "no start": _value(lambda tables: tables["starts"].pop("start")),
    "an unknown terminal": _move(0, 0, "NOTHING"),
    "an unknown payload": _move(0, 0, "@nothing"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_not_sound_is_made_again(fault: str, folder: Path, compiled: list[str]) -> None:
    source = read_source(BLOCK.path)
    wanted = load_tables(source)
    path = the_file(folder)
    good = path.read_bytes()
    path.write_bytes(FAULTS[fault](good))
    assert load_tables(source) == wanted
    assert len(compiled) == 2
    assert the_file(folder).read_bytes() == good


def test_a_folder_in_the_place_of_the_file_only_costs_time(folder: Path, compiled: list[str]) -> None:
    source = read_source(BLOCK.path)
    wanted = load_tables(source)
    path = the_file(folder)
    path.unlink()
    path.mkdir()
    assert load_tables(source) == wanted
    assert [file.name for file in folder.iterdir()] == [path.name]


def test_a_place_that_cannot_be_written_only_costs_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "file" / "cache"))
    source = read_source(BLOCK.path)
    assert load_tables(source) == load_tables(source)
    assert len(compiled) == 2

    def refuse(*args: object, **options: object) -> object:
        raise PermissionError("read-only")

    monkeypatch.setenv(VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    assert load_tables(source) == load_tables(source)


def test_a_disk_that_is_full_leaves_nothing_behind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object) -> object:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", full)
    load_tables(read_source(BLOCK.path))
    assert list(folder.iterdir()) == []


def test_no_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]) -> None:
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() is None
    load_tables(read_source(SMALL))
    load_tables(read_source(SMALL))
    assert len(compiled) == 2
    assert list(tmp_path.iterdir()) == []


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    assert cache_folder() == tmp_path
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "polylect"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert cache_folder() == tmp_path / ".cache" / "polylect"

    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    assert cache_folder() is None


def test_the_key_is_of_everything_that_the_tables_are_made_from(tmp_path: Path) -> None:
    for name in ("block.lark", "longcat.lark"):
        (tmp_path / name).write_text((OWN / name).read_text())
    keys = {read_source(tmp_path / "longcat.lark").key("x")}
    assert keys == {read_source(LONGCAT.path).key("x")}
    keys.add(read_source(tmp_path / "longcat.lark").key("y"))
    keys.add(read_source(tmp_path / "longcat.lark", {"CONTENT": "/x/"}).key("x"))
    (tmp_path / "block.lark").write_text((OWN / "block.lark").read_text() + "// another\n")
    keys.add(read_source(tmp_path / "longcat.lark").key("x"))
    # json.lark is imported by json_call.lark, which is imported by block.lark
    (tmp_path / "json.lark").write_text("// changed\n")
    keys.add(read_source(tmp_path / "longcat.lark").key("x"))
    assert len(keys) == 5


def test_grammars_of_one_name_do_not_share_a_file(folder: Path, tmp_path: Path, compiled: list[str]) -> None:
    for number in range(2):
        path = tmp_path / str(number) / "same.lark"
        path.parent.mkdir()
        path.write_text(SMALL.replace("/a/", f"/a{number}/"))
        assert load_tables(read_source(path)).markers["A"] == f"a{number}"
    load_tables(read_source(SMALL))
    assert len(compiled) == len(list(folder.iterdir())) == 3


READER = """
import os, sys, time
from polylect.grammar._cache import load_tables
from polylect.grammar._source import read_source
from polylect.grammar import _cache
while not os.path.exists(sys.argv[1]):
    time.sleep(0.001)
tables = [load_tables(read_source(path)) for path in sys.argv[2:]]
assert all(tables)
print(hash(str(tables)))
"""


def test_writers_at_the_same_time(folder: Path, tmp_path: Path) -> None:
    grammars = [str(path) for path in sorted(OWN.glob("*.lark"))]
    command = [sys.executable, "-c", READER, str(tmp_path / "go"), *grammars]
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(4)]
    (tmp_path / "go").touch()
    results = [process.communicate(timeout=60)[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    assert len(set(results)) == 1
    files = sorted(folder.iterdir())
    assert [file.suffix for file in files] == [".json"] * len(grammars)
    assert all(json.loads(file.read_bytes())["states"] for file in files)


def test_with_a_warm_cache_nobody_needs_lark(folder: Path) -> None:
    script = (
        "import sys, polylect\n"
        "reply = polylect.lect('react').parse('Thought: a\\nAction: b\\nAction Input: c')\n"
        "parser = polylect.lect('react').parser()\n"
        "parser.feed('Final Answer: d'), parser.close()\n"
        "print(reply.calls[0].name, parser.reply.answer, 'lark' in sys.modules)\n"
    )
    told = [subprocess.run([sys.executable, "-c", script], capture_output=True, text=True) for _ in range(2)]
    assert [process.stdout.strip() for process in told] == ["b d True", "b d False"]
