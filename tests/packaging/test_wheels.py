"""Each archive holds its files, all of them and no others."""

from __future__ import annotations

import configparser
import email
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

pytestmark = [pytest.mark.packaging, pytest.mark.xdist_group("packaging")]

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "polylect-core": "src/polylect",
    "polylect-grammars": "polylect_grammars",
    "polylect-react": "src/polylect_react",
    "polylect-json-blob": "src/polylect_json_blob",
    "polylect-xml-tags": "src/polylect_xml_tags",
    "polylect-tool-calls": "src/polylect_tool_calls",
    "polylect-native": "src/polylect_native",
    "polylect-openai": "src/polylect_openai",
    "polylect-anthropic": "src/polylect_anthropic",
    "polylect-local": "src/polylect_local",
    "polylect-otel": "src/polylect_otel",
}


def names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as opened:
        return set(opened.namelist())


def read(wheel: Path, name: str) -> str:
    with zipfile.ZipFile(wheel) as opened:
        (path,) = (path for path in opened.namelist() if path.endswith(f".dist-info/{name}"))
        return opened.read(path).decode("utf-8")


def test_every_member_is_listed_here(members: dict[str, Path]) -> None:
    assert set(PACKAGES) == set(members)


@pytest.mark.parametrize("name", PACKAGES)
def test_a_wheel_holds_its_package_and_no_more(name: str, members: dict[str, Path], wheels: dict[str, Path]) -> None:
    package = members[name] / PACKAGES[name]
    sources = {
        str(PurePosixPath(path.relative_to(package.parent)))
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    held = names(wheels[name])
    about = {path for path in held if ".dist-info/" in path}
    assert held - about == sources
    assert f"{package.name}/__init__.py" in held
    assert f"{package.name}/py.typed" in held
    assert not [path for path in held if "tests" in PurePosixPath(path).parts or path.endswith(".pyc")]


def test_the_grammars_are_in_their_wheel(members: dict[str, Path], wheels: dict[str, Path]) -> None:
    grammars = {path for path in names(wheels["polylect-grammars"]) if path.endswith(".lark")}
    assert grammars == {f"polylect_grammars/{path.name}" for path in members["polylect-grammars"].rglob("*.lark")}
    assert {"polylect_grammars/react.lark", "polylect_grammars/xml_tags.lark"} <= grammars


@pytest.mark.parametrize("name", PACKAGES)
def test_a_wheel_tells_its_version_licence_and_needs(
    name: str, members: dict[str, Path], wheels: dict[str, Path]
) -> None:
    project = tomllib.loads((members[name] / "pyproject.toml").read_text("utf-8"))["project"]
    metadata = email.message_from_string(read(wheels[name], "METADATA"))
    assert metadata["Name"] == name
    assert metadata["Version"] == project["version"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "MIT"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert read(wheels[name], "licenses/LICENSE") == (ROOT / "LICENSE").read_text("utf-8")
    needs = metadata.get_all("Requires-Dist") or []
    assert not [need for need in needs if "@" in need]
    assert len([need for need in needs if "extra ==" not in need]) == len(project["dependencies"])


@pytest.mark.parametrize("name", PACKAGES)
def test_a_wheel_offers_its_entry_points(name: str, members: dict[str, Path], wheels: dict[str, Path]) -> None:
    project = tomllib.loads((members[name] / "pyproject.toml").read_text("utf-8"))["project"]
    expected = project.get("entry-points", {}) | (
        {"console_scripts": project["scripts"]} if "scripts" in project else {}
    )
    written = configparser.ConfigParser()
    if expected:
        written.read_string(read(wheels[name], "entry_points.txt"))
    assert {section: dict(written[section]) for section in written.sections()} == expected


def test_the_released_root_has_no_code_and_names_released_members(
    installed_by_the_root: list[str], build: Callable[..., tuple[Path, Path]]
) -> None:
    archive, wheel = build(ROOT, POLYLECT_RELEASE="1")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    with tarfile.open(archive) as opened:
        held = {PurePosixPath(path).relative_to(f"polylect-{version}").as_posix() for path in opened.getnames()}
    assert held == {".gitignore", "LICENSE", "PKG-INFO", "README.md", "hatch_build.py", "pyproject.toml"}
    assert not [path for path in names(wheel) if ".dist-info/" not in path]
    metadata = email.message_from_string(read(wheel, "METADATA"))
    found = metadata.get_all("Requires-Dist") or []
    assert not [need for need in found if "@" in need]
    needs = [need.replace("[agent]", "") for need in found if "extra ==" not in need]
    assert sorted(needs) == sorted(f"{name}=={version}" for name in installed_by_the_root)
    assert f"polylect-core[agent]=={version}" in found
    assert f"polylect-local=={version}; extra == 'local'" in found
