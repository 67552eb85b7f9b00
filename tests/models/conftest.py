"""A server for each test, and both kinds of event loops."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from .drive import WAYS
from .replay import Replay


@pytest.fixture(scope="session")
def running() -> Iterator[Replay]:
    """One server for all tests of a process."""
    with Replay() as found:
        yield found


@pytest.fixture
def server(running: Replay) -> Replay:
    """A server that answers with what it is given, and has been asked nothing yet."""
    running.forget()
    return running


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    """One way to call a model."""
    return str(request.param)


@pytest.fixture
def _broken_on_purpose(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """The server's own complaints are not shown."""
    with caplog.at_level(logging.CRITICAL):
        yield


@pytest.fixture(params=["asyncio", "trio"])
def backend(request: pytest.FixtureRequest) -> str:
    """The name of an event loop."""
    return str(request.param)
