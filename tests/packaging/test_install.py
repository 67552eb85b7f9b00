"""What a new environment holds after each documented way to install."""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

import polylect

pytestmark = [pytest.mark.packaging, pytest.mark.xdist_group("packaging")]

ROOT = Path(__file__).parents[2]
THIRD_PARTY = ROOT / "tests/thirdparty/polylect_done"
LECTS = {
    "polylect-react": {"react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"},
    "polylect-json-blob": {"json_blob", "json_chat", "chat", "react_json"},
    "polylect-xml-tags": {"xml_tags"},
    "polylect-tool-calls": {"tool_calls", "openai_functions"},
    "polylect-native": {info.name for info in polylect.lects() if info.family == "native"},
}
HEAVY = {
    "polylect-react": set[str](),
    "polylect-json-blob": {"json-repair", "jsonschema"},
    "polylect-xml-tags": {"lxml"},
    "polylect-tool-calls": set[str](),
    "polylect-native": {"jinja2", "json-repair"},
}
EVERY_HEAVY = set().union(*HEAVY.values())

# A cache of its own: grammars that another installation compiled must not help.
SPEAK = """
import sys
import polylect

for name in sys.argv[1:]:
    lect = polylect.lect(name)
    assert lect.examples, name
    for example in lect.examples:
        reply = lect.parse(example)
        try:
            lect.format(reply)
        except polylect.LectError as error:  # what a tongue can read and not write, it refuses
            assert "can't express" in str(error), error
"""

MODELS = {"openai": {"openai"}, "anthropic": {"anthropic"}, "local": {"xllamacpp"}}
SDKS = {"openai", "anthropic", "xllamacpp", "llama-cpp-python"}
LIST = """
import sys
import polylect

assert {info.name for info in polylect.models()} == set(sys.argv[1:]), polylect.models()
"""

Run = Callable[..., str]


def records(run: Run, python: Path, command: str) -> list[dict[str, Any]]:
    """What ``polylect lects`` or ``polylect plugins`` prints."""
    lines = run(python.parent / "polylect", command, "--json").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def named(found: Iterable[dict[str, Any]]) -> set[str]:
    return {str(record["name"]) for record in found}


def installed(run: Run, tools: Path, python: Path) -> dict[str, str]:
    """The version of each distribution in the environment; what they need must be there too."""
    run(tools, "-m", "pip", "--python", python, "check")
    listed = json.loads(run(tools, "-m", "pip", "--python", python, "list", "--format=json"))
    return {str(row["name"]).lower().replace("_", "-"): str(row["version"]) for row in listed}


@pytest.mark.parametrize("family", LECTS)
def test_each_family_installs_alone(
    family: str, wheels: dict[str, Path], run: Run, tools: Path, python: Path, install: Run, tmp_path: Path
) -> None:
    install(wheels["polylect-core"], wheels["polylect-grammars"], wheels[family])
    assert set(installed(run, tools, python)) & EVERY_HEAVY == HEAVY[family]
    assert named(records(run, python, "lects")) == LECTS[family]
    run(python, "-c", SPEAK, *sorted(LECTS[family]), XDG_CACHE_HOME=str(tmp_path))


def test_one_family_from_the_checkout(run: Run, tools: Path, python: Path, install: Run) -> None:
    install("./core", "./grammars", "./plugins/react", cwd=ROOT)
    assert not set(installed(run, tools, python)) & EVERY_HEAVY
    assert named(records(run, python, "lects")) == LECTS["polylect-react"]


@pytest.mark.parametrize("name", MODELS)
def test_each_model_installs_alone(
    name: str, wheels: dict[str, Path], run: Run, tools: Path, python: Path, install: Run
) -> None:
    install(wheels["polylect-core"], wheels[f"polylect-{name}"])
    found = set(installed(run, tools, python))
    assert found & SDKS == MODELS[name]
    assert found >= {"anyio", "pydantic"}
    assert named(records(run, python, "lects")) == set()
    assert not [plugin for plugin in records(run, python, "plugins") if plugin["error"]]
    run(python, "-c", LIST, "scripted", name)


def test_the_root_installs_everything(
    installed_by_the_root: list[str], run: Run, tools: Path, python: Path, install: Run, tmp_path: Path
) -> None:
    install(".", cwd=ROOT)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    found = installed(run, tools, python)
    names = ["polylect", *installed_by_the_root]
    assert {name: found.get(name) for name in names} == dict.fromkeys(names, version)
    assert found.keys() & SDKS == {"openai", "anthropic"}
    run(python, "-c", LIST, "anthropic", "openai", "scripted")
    assert named(records(run, python, "lects")) == set().union(*LECTS.values())
    assert not [plugin for plugin in records(run, python, "plugins") if plugin["error"]]
    run(python, "-c", SPEAK, *sorted(set().union(*LECTS.values())), XDG_CACHE_HOME=str(tmp_path))


def test_a_third_party_plugin_is_found(
    wheels: dict[str, Path], run: Run, python: Path, install: Run, tmp_path: Path
) -> None:
    # Its backend may leave folders behind: build a copy.
    copy = shutil.copytree(THIRD_PARTY, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    install(wheels["polylect-core"], wheels["polylect-grammars"], copy)
    (plugin,) = records(run, python, "plugins")
    assert plugin["name"] == "done"
    assert not plugin["error"]
    assert plugin["distribution"] == tomllib.loads((copy / "pyproject.toml").read_text("utf-8"))["project"]["name"]
    assert set(plugin["lects"]) == named(records(run, python, "lects")) != set()
    run(python, "-c", SPEAK, *plugin["lects"], XDG_CACHE_HOME=str(tmp_path))


def test_uv_sync_sets_up_a_contributor(run: Run, tools: Path, tmp_path: Path) -> None:
    unwanted = shutil.ignore_patterns(
        ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "uv.lock"
    )
    checkout = shutil.copytree(ROOT, tmp_path / "checkout", ignore=unwanted)
    run(tools, "-m", "pip", "install", "uv")
    own = {"UV_PYTHON": sys.executable, "UV_PYTHON_DOWNLOADS": "never", "UV_CACHE_DIR": str(tmp_path / "uv")}
    run(tools.parent / "uv", "sync", cwd=checkout, **own)
    binaries = checkout / ".venv" / tools.parent.name
    assert named(records(run, binaries / "python", "lects")) == set().union(*LECTS.values())
    where = run(binaries / "python", "-c", "import polylect_react; print(polylect_react.__file__)")
    assert Path(where.strip()).is_relative_to(checkout / "plugins")
    run(binaries / "python", "-c", "import hypothesis, mypy, pytest")
