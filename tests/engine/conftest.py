"""The tests compile into a cache of their own: what an earlier version of the engine left behind is none of theirs.

Where a helper asserts, they show what was compared.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from polylect.grammar._cache import VARIABLE

pytest.register_assert_rewrite(f"{__package__}.streams")


@pytest.fixture(autouse=True, scope="session")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(tmp_path_factory.mktemp("cache")))
        yield
