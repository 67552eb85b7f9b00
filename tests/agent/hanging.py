"""Tools for isolation: they hang in C, crash, and give back what can't be sent."""

from __future__ import annotations

import os
import threading
from typing import Any

import polylect


def hang(text: str) -> str:
    """Wait where nothing but the end of the process helps."""
    threading.Lock().acquire()
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()
    return text


def crash(text: str) -> str:
    """End the process."""
    os._exit(3)


def closure(text: str) -> Any:
    """Give back what can't be pickled."""
    return lambda: text


def fail(text: str) -> str:
    """Raise."""
    raise ValueError(text)


@polylect.isolated
def double(text: str) -> str:
    """Say it twice."""
    return text + text
