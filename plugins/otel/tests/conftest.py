"""Spans for each test; in the end no run goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from polylect_otel import _tracing

from .traces import Spans


@pytest.fixture
def spans() -> Iterator[Spans]:
    found = Spans()
    yield found
    found.provider.shutdown()
    assert not _tracing._RUNS
