"""The tests compile into a cache of their own: what an earlier version of the engine left behind is none of theirs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from polylect.grammar._cache import VARIABLE


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield
