"""Where a helper asserts, its tests show what was compared, as they do for asserts of their own.

The garbage collector leaves alone what the collection of tests made: twenty thousand tests, which nobody drops. To look
at them with every collection takes a third of the time.
"""

from __future__ import annotations

import gc

import pytest

pytest.register_assert_rewrite(f"{__package__}.pipelines")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
