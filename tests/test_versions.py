"""The distributions move in lockstep, and what each imports is what it declares."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CONFIG: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
HOOK: dict[str, Any] = CONFIG["tool"]["hatch"]["metadata"]["hooks"]["custom"]
MEMBERS: dict[str, str] = HOOK["members"] | HOOK["others"]
MODELS = {"polylect-openai", "polylect-anthropic", "polylect-local"}
"""Plugins that bring models."""
HOOKS = {"polylect-otel"}
"""Plugins that bring hooks; all others bring lects."""
PROJECTS: dict[str, dict[str, Any]] = {"polylect": CONFIG["project"] | {"optional-dependencies": HOOK["extras"]}} | {
    name: tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]
    for name, folder in MEMBERS.items()
}
VERSION: str = CONFIG["project"]["version"]


def name_of(requirement: str) -> str:
    found = re.match(r"[\w.-]+", requirement)
    assert found, requirement
    return found[0].lower().replace("_", "-")


def needs(project: dict[str, Any], *extras: str) -> set[str]:
    optional = project.get("optional-dependencies", {})
    return {name_of(need) for need in [*project.get("dependencies", ()), *(n for x in extras for n in optional[x])]}


def imported(files: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    """The top-level names that the files import, less the standard library's."""
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level and node.module:
                modules = [node.module]
            for top in {module.partition(".")[0] for module in modules} - sys.stdlib_module_names:
                yield top, file


def distribution(top: str) -> str:
    known = {"polylect": "polylect-core", "opentelemetry": "opentelemetry-api"}
    return known.get(top, top.lower().replace("_", "-"))


def test_all_have_one_version_python_and_licence() -> None:
    assert {project["version"] for project in PROJECTS.values()} == {VERSION}
    assert {project["requires-python"] for project in PROJECTS.values()} == {">=3.11"}
    assert {project["license"] for project in PROJECTS.values()} == {"MIT"}
    texts = {(ROOT / folder / "LICENSE").read_text("utf-8") for folder in [".", *MEMBERS.values()]}
    assert len(texts) == 1


def test_every_folder_is_a_member_everywhere() -> None:
    folders = {"core", "grammars"} | {f"plugins/{file.parent.name}" for file in ROOT.glob("plugins/*/pyproject.toml")}
    assert set(MEMBERS.values()) == folders
    assert [PROJECTS[name]["name"] for name in MEMBERS] == list(MEMBERS)
    uv = CONFIG["tool"]["uv"]
    assert uv["sources"] == {name: {"workspace": True} for name in PROJECTS}
    packages = {file.parent.name for folder in MEMBERS.values() for file in (ROOT / folder).glob("**/py.typed")}
    assert len(packages) == len(MEMBERS)
    assert set(CONFIG["tool"]["importlinter"]["root_packages"]) == packages
    assert all((ROOT / path).is_dir() for path in CONFIG["tool"]["mypy"]["mypy_path"])
    assert len(CONFIG["tool"]["mypy"]["mypy_path"]) == len(MEMBERS)


@pytest.mark.parametrize("name", [name for name, folder in MEMBERS.items() if folder.startswith("plugins/")])
def test_a_plugin_pins_the_kernel_and_a_family_the_grammars(name: str) -> None:
    project = PROJECTS[name]
    model = {f"polylect-core[agent]=={VERSION}"}
    family = {f"polylect-core=={VERSION}", f"polylect-grammars=={VERSION}"}
    assert (model if name in MODELS | HOOKS else family) <= set(project["dependencies"])
    plugin = name.removeprefix("polylect-").replace("-", "_")
    assert project["entry-points"] == {"polylect": {plugin: f"polylect_{plugin}"}}


def test_the_root_installs_what_running_an_agent_needs() -> None:
    assert HOOK["with-extras"].keys() <= HOOK["members"].keys()
    assert HOOK["with-extras"]["polylect-core"] in PROJECTS["polylect-core"]["optional-dependencies"]
    assert set(HOOK["others"]) <= {need for needs in HOOK["extras"].values() for need in needs}


@pytest.mark.parametrize(("name", "folder"), MEMBERS.items())
def test_what_is_imported_is_declared(name: str, folder: str) -> None:
    project = PROJECTS[name]
    allowed = needs(project, *project.get("optional-dependencies", {})) | {name}
    files = [file for file in (ROOT / folder).rglob("*.py") if "tests" not in file.relative_to(ROOT).parts]
    assert files
    assert not {(top, str(file)) for top, file in imported(files) if distribution(top) not in allowed}


def test_what_the_tests_import_is_in_the_extras() -> None:
    agent = needs(PROJECTS["polylect-core"], "agent")
    everything = set(PROJECTS) | agent | {need for project in PROJECTS.values() for need in needs(project)}
    allowed = everything | needs(PROJECTS["polylect"], "test", "bench") | {"polylect-done"}
    folders = [ROOT / "tests", *(ROOT / folder / "tests" for folder in MEMBERS.values())]
    files = [file for folder in folders for file in folder.rglob("*.py")]
    local = {file.stem for file in files} | {file.parent.name for file in files}
    found = {(top, str(file)) for top, file in imported(files) if distribution(top) not in allowed}
    assert not {(top, file) for top, file in found if top not in local}
