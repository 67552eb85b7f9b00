"""A Python file as a plugin: one that registers, or one that has the hooks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import LectError, PluginError, _registry

LECT = """
import polylect


class Own(polylect.TextLect):
    name = {name!r}
    title = "A tongue of one's own"
    grammar_file = "start: content?\\ncontent: TEXT\\nTEXT: /[\\\\s\\\\S]+/\\n"


"""
REGISTERS = LECT + "polylect.register(Own)\n"
HOOKS = (
    LECT
    + "@polylect.hookimpl\ndef polylect_lects():\n    return [polylect.LectSpec({name!r}, Own.title, 'own', Own)]\n"
)
INSTALLED = [info.name for info in polylect.lects()]


@pytest.fixture(autouse=True)
def _own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a file registers is forgotten, and so is its module."""
    monkeypatch.setattr(_registry, "registry", _registry.Registry())
    before = set(sys.modules)
    yield
    for name in [name for name in sys.modules if name.startswith("polylect_file_") and name not in before]:
        del sys.modules[name]


def written(folder: Path, source: str, name: str = "my_plugin.py") -> Path:
    file = folder / name
    file.write_text(source, encoding="utf-8")
    return file


def names() -> list[str]:
    return [info.name for info in polylect.lects()]


@pytest.mark.parametrize("style", [REGISTERS, HOOKS], ids=["registers", "hooks"])
@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_brings_its_lect(tmp_path: Path, style: str, kind: type[Any]) -> None:
    module = polylect.load_plugin_file(kind(written(tmp_path, style.format(name="mine"))))
    lect = polylect.lect("mine")
    assert type(lect) is module.Own
    assert sys.modules[module.__name__] is module, "its classes can be pickled"
    assert lect.parse("Hello.").content == "Hello."
    assert names() == sorted([*INSTALLED, "mine"])


def test_the_file_is_the_distribution_of_what_its_hooks_bring(tmp_path: Path) -> None:
    file = written(tmp_path, HOOKS.format(name="mine"))
    polylect.load_plugin_file(file)
    (info,) = [x for x in polylect.lects() if x.name == "mine"]
    assert info.distribution == str(file)


@pytest.mark.parametrize("style", [REGISTERS, HOOKS], ids=["registers", "hooks"])
def test_several_files_may_be_loaded(tmp_path: Path, style: str) -> None:
    for name in ("one", "two"):
        polylect.load_plugin_file(written(tmp_path, style.format(name=name), f"{name}.py"))
    assert names() == sorted([*INSTALLED, "one", "two"])
    assert type(polylect.lect("one")) is not type(polylect.lect("two"))


@pytest.mark.parametrize("style", [REGISTERS, HOOKS], ids=["registers", "hooks"])
def test_files_of_one_name_in_two_folders_are_two_plugins(tmp_path: Path, style: str) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        polylect.load_plugin_file(written(tmp_path / name, style.format(name=name)))
    assert names() == sorted([*INSTALLED, "one", "two"])


@pytest.mark.parametrize("style", [REGISTERS, HOOKS], ids=["registers", "hooks"])
def test_a_file_may_be_called_like_an_installed_plugin(tmp_path: Path, style: str) -> None:
    polylect.load_plugin_file(written(tmp_path, style.format(name="mine"), "react.py"))
    assert names() == sorted([*INSTALLED, "mine"])
    assert all(x.error is None for x in polylect.plugins())


@pytest.mark.parametrize("style", [REGISTERS, HOOKS], ids=["registers", "hooks"])
def test_a_file_does_not_take_the_name_of_an_installed_lect(tmp_path: Path, style: str) -> None:
    with pytest.raises(PluginError) as caught:
        polylect.load_plugin_file(written(tmp_path, style.format(name="react")))
    assert "polylect-react both bring a lect named 'react'" in str(caught.value)
    assert names() == INSTALLED
    assert polylect.lect("react").title.startswith("ReAct")
    assert all(x.error is None for x in polylect.plugins())


@pytest.mark.parametrize("override", ["", ", override=True"])
def test_a_file_that_fails_halfway_leaves_nothing(tmp_path: Path, override: str) -> None:
    name = "react" if override else "mine"
    source = LECT.format(name=name) + f"polylect.register(Own{override})\nraise RuntimeError('no licence')\n"
    before = polylect.lects()
    with pytest.raises(PluginError, match="no licence"):
        polylect.load_plugin_file(written(tmp_path, source))
    assert polylect.lects() == before
    assert polylect.lect("react").title.startswith("ReAct")


def test_a_file_may_replace_an_installed_lect_on_purpose(tmp_path: Path) -> None:
    source = LECT.format(name="react") + "polylect.register(Own, override=True)\n"
    module = polylect.load_plugin_file(written(tmp_path, source))
    assert type(polylect.lect("react")) is module.Own


@pytest.mark.parametrize("style", [REGISTERS, HOOKS], ids=["registers", "hooks"])
def test_a_file_that_is_loaded_twice_is_told_in_a_sentence(tmp_path: Path, style: str) -> None:
    file = written(tmp_path, style.format(name="mine"))
    polylect.load_plugin_file(file)
    with pytest.raises(PluginError) as caught:
        polylect.load_plugin_file(file)
    assert len(str(caught.value)) < 300 + len(str(file))
    assert "<module" not in str(caught.value)
    assert polylect.lect("mine").name == "mine"


def test_a_misspelt_hook_is_an_error_with_the_nearest(tmp_path: Path) -> None:
    source = HOOKS.format(name="mine").replace("def polylect_lects", "def polylect_lect")
    with pytest.raises(PluginError, match=r"'polylect_lect'\. Did you mean 'polylect_lects'\?"):
        polylect.load_plugin_file(written(tmp_path, source))


def test_a_hook_without_its_mark_is_an_error(tmp_path: Path) -> None:
    source = HOOKS.format(name="mine").replace("@polylect.hookimpl\n", "")
    with pytest.raises(PluginError, match="hookimpl"):
        polylect.load_plugin_file(written(tmp_path, source))


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("raise RuntimeError('no licence')", "RuntimeError: no licence"),
        ("import nowhere_at_all", "ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("def (", "SyntaxError: invalid syntax (my_plugin.py, line 1)"),
        ("x = '\0'", "SyntaxError: "),
        ("import sys; sys.exit('no licence')", "SystemExit: no licence"),
        ("def f(): f()\nf()", "RecursionError: "),
    ],
)
def test_a_file_that_fails_is_told_with_its_path(tmp_path: Path, source: str, told: str) -> None:
    before = set(sys.modules)
    file = written(tmp_path, source)
    with pytest.raises(PluginError) as caught:
        polylect.load_plugin_file(file)
    assert str(caught.value).startswith(f"The plugin file {file} failed: {told}")
    assert not [name for name in set(sys.modules) - before if "my_plugin" in name]
    assert names() == INSTALLED


def test_a_file_that_is_not_utf_8_is_told(tmp_path: Path) -> None:
    file = tmp_path / "my_plugin.py"
    file.write_bytes(b"x = '\xff'")
    with pytest.raises(PluginError, match="utf-8"):
        polylect.load_plugin_file(file)


def test_a_path_that_is_no_file_is_told(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.py", str(tmp_path / "nowhere.py"), tmp_path, "", "a\0b"):
        with pytest.raises(PluginError) as caught:
            polylect.load_plugin_file(path)
        assert str(caught.value) == f"There is no plugin file {str(path)!r}."


def test_a_file_that_is_no_python_is_told(tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="is not a Python file"):
        polylect.load_plugin_file(written(tmp_path, REGISTERS.format(name="mine"), "my_plugin.txt"))
    with pytest.raises(LectError):
        polylect.lect("mine")
