"""What an error tells to install is there: whatever brings a lect or a model, in the folder that is named."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from polylect import _models, _registry
from polylect._claims import install_line

ROOT = Path(__file__).parents[1]
BROUGHT = sorted({*_registry.KNOWN.values(), *_models.KNOWN.values()} - {"polylect-core"})


@pytest.mark.parametrize("distribution", BROUGHT)
def test_the_install_line_names_the_folder_of_the_distribution(distribution: str) -> None:
    beside = (_registry.GRAMMARS,) if distribution in _registry.KNOWN.values() else ()
    line = install_line(distribution, *beside)
    found = re.fullmatch(rf"Run: pip install {distribution} \(in a checkout: pip install (.+)\)\.", line)
    assert found is not None
    projects = [tomllib.loads((ROOT / x / "pyproject.toml").read_text("utf-8"))["project"] for x in found[1].split()]
    assert projects[-1]["name"] == distribution
    needs = {re.split(r"[\[><=~ ]", x)[0] for x in projects[-1]["dependencies"]}
    assert {x for x in needs if x.startswith("polylect-")} == {"polylect-core", *(x["name"] for x in projects[:-1])}
