"""The distributions, built once, and tools to install them with."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
HOOK: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["metadata"][
    "hooks"
]["custom"]


@pytest.fixture(scope="session")
def members() -> dict[str, Path]:
    """The folder of each distribution: those that the root installs, and those that only an extra does."""
    table: dict[str, str] = HOOK["members"] | HOOK["others"]
    return {name: ROOT / folder for name, folder in table.items()}


@pytest.fixture(scope="session")
def installed_by_the_root() -> list[str]:
    """The distributions that the root installs, in the order of its table."""
    return list(HOOK["members"])


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Runs a command outside the checkout, in an environment that knows nothing of it; gives its standard output."""
    work = tmp_path_factory.mktemp("work")
    dropped = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    kept = {key: value for key, value in os.environ.items() if key not in dropped and not key.startswith("POLYLECT")}
    base = kept | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}

    def run(*command: str | Path, cwd: Path | None = None, **variables: str) -> str:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd or work,
            env=base | variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, f"{command} exited with {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture(scope="session")
def build(run: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., tuple[Path, Path]]:
    """Builds a folder's source archive, and the wheel from that archive, with the backend installed here."""

    def build(folder: Path, **variables: str) -> tuple[Path, Path]:
        out = tmp_path_factory.mktemp("built")
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, folder, **variables)
        (archive,) = out.glob("*.tar.gz")
        (wheel,) = out.glob("*.whl")
        return archive, wheel

    return build


@pytest.fixture(scope="session")
def wheels(members: dict[str, Path], build: Callable[..., tuple[Path, Path]]) -> dict[str, Path]:
    """The wheel of each member."""
    return {name: build(folder)[1] for name, folder in members.items()}


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter that has pip, which the one that runs the tests may lack."""
    return _environment(tmp_path_factory.mktemp("tools"), with_pip=True)


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of a new, empty environment."""
    return _environment(tmp_path / "environment", with_pip=False)


@pytest.fixture
def install(run: Callable[..., str], tools: Path, python: Path) -> Callable[..., str]:
    """``pip install`` into the environment of `python`."""

    def install(*what: str | Path, cwd: Path | None = None) -> str:
        return run(tools, "-m", "pip", "--python", python, "install", *what, cwd=cwd)

    return install


def _environment(folder: Path, *, with_pip: bool) -> Path:
    venv.create(folder, with_pip=with_pip, symlinks=os.name != "nt")
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"
