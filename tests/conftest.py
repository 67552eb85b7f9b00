"""Where a helper asserts, its tests show what was compared, as they do for asserts of their own."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(f"{__package__}.pipelines")
