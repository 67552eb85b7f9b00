"""Calls in threads that are given up at any moment: their threads end, and leave nothing open."""

from __future__ import annotations

import gc
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from polylect.agent._jobs import Job


async def waits() -> None:
    """It waits."""
    await anyio.sleep(30)


def works() -> None:
    """It works, in small steps."""
    for _ in range(30_000):
        time.sleep(0.001)


def makes() -> Any:
    """It makes something to be awaited."""
    return waits()


@pytest.fixture
def complaints(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """What is told of objects that were left behind, and of threads that died."""
    found: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda told: found.append((told.exc_value, told.object)))
    monkeypatch.setattr(threading, "excepthook", lambda told: found.append(told.exc_value))
    yield found
    gc.collect()


@pytest.mark.parametrize(
    ("call", "asynchronous"), [(waits, True), (works, False), (makes, True)], ids=["async", "sync", "awaitable"]
)
def test_a_job_may_be_given_up_at_any_moment(
    call: Callable[[], Any], asynchronous: bool, complaints: list[Any]
) -> None:
    chance = random.Random(0)
    ended: list[Job] = []
    for _ in range(150):
        job = Job(call, ended.append, asynchronous=asynchronous).start()
        until = time.perf_counter() + chance.random() * 0.003
        while time.perf_counter() < until:
            pass
        job.give_up()
        job._thread.join(10)
        assert not job._thread.is_alive()
    gc.collect()
    assert not complaints
    assert not ended
