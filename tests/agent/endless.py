"""Tools that never end by themselves, and whether anything of them is left."""

from __future__ import annotations

import threading
import time

import anyio

LONG = 60.0
"""Seconds of something that has to be ended; no test waits for it."""


def never(text: str) -> str:
    """Wait for ever, in steps that Python can end."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        time.sleep(0.001)
    return "late"


async def anever(text: str) -> str:
    """Wait for ever."""
    await anyio.sleep(LONG)
    return "late"


def quick(text: str) -> str:
    """At once."""
    return f"quick {text}"


def no_threads() -> bool:
    """Whether all threads of ours have ended, soon."""
    for _ in range(2000):
        if not any(thread.name.startswith("polylect") for thread in threading.enumerate()):
            return True
        time.sleep(0.001)
    return False
