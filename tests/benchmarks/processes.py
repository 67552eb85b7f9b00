"""Child processes: their CPU time, their wall time, and the peak memory of the whole tree."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

PROC = Path("/proc")
INTERVAL_S = 0.02
"""Between two looks at a child: 2 % of a one-second run, and cheap enough not to disturb it."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one child process, with its descendants, used. ``peak`` is in bytes, ``wall`` and ``cpu`` in seconds."""

    code: int
    wall: float
    cpu: float
    peak: int


def _children(pid: int) -> list[int]:
    pids: list[int] = []
    for task in (PROC / str(pid) / "task").iterdir():
        pids += map(int, (task / "children").read_text().split())
    return pids


def _resident(pid: int) -> int:
    pages = int((PROC / str(pid) / "statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def tree_resident(pid: int) -> int:
    """Bytes resident in a process and its descendants now; 0 where /proc does not tell.

    A process that ends while it is looked at counts as nothing.
    """
    try:
        return _resident(pid) + sum(map(tree_resident, _children(pid)))
    except (OSError, ValueError, IndexError):
        return 0


def _largest(usage: resource.struct_rusage) -> int:
    """Bytes of the largest single process: all that is known without /proc.

    No more than a stopgap: Linux counts in what this process held when it forked.
    """
    return usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def run(command: Sequence[str], *, stdout: IO[bytes] | int = subprocess.DEVNULL, watch: bool = False) -> Usage:
    """Run a command to its end. With ``watch`` its tree's memory is sampled; what it writes to stderr is dropped."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=stdout, stderr=subprocess.DEVNULL, env=environment())
    peak = 0
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG if watch else 0)
        if pid:
            break
        peak = max(peak, tree_resident(child.pid))
        time.sleep(INTERVAL_S)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    return Usage(child.returncode, wall, usage.ru_utime + usage.ru_stime, peak or _largest(usage))


def environment() -> Mapping[str, str]:
    """Ours, but with byte code written, or every fresh process would compile all that it imports."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
