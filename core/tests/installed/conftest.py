from __future__ import annotations

from pathlib import Path

import pytest

from .site import Site


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """An empty folder for distributions."""
    return Site(tmp_path / "site")


@pytest.fixture(scope="module")
def wide_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A folder for the distributions of many tests: one Python looks at all of them."""
    return Site(tmp_path_factory.mktemp("wide") / "site")
