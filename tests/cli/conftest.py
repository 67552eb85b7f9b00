"""How the tests run the command: in a process of its own, with the toy lects, as a shell would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import pytest

TOY = Path(__file__).with_name("toy.py")
COMMAND = [sys.executable, "-m", "polylect.cli", "--plugin", str(TOY)]
_OTHERS = ("NO_COLOR", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in _OTHERS} | {"TERM": "xterm"}


class Run(Protocol):
    """Run ``polylect`` to its end."""

    def __call__(self, *args: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]: ...


class Start(Protocol):
    """Start ``polylect`` with pipes (or the given streams); it is killed when the test ends."""

    def __call__(self, *args: str | Path, **streams: Any) -> subprocess.Popen[bytes]: ...


@pytest.fixture
def run() -> Run:
    def call(*args: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*COMMAND, *map(str, args)], input=stdin, capture_output=True, env=ENVIRONMENT, timeout=60, check=False
        )

    return call


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[subprocess.Popen[bytes]] = []

    def call(*args: str | Path, **streams: Any) -> subprocess.Popen[bytes]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT}
        process = subprocess.Popen([*COMMAND, *map(str, args)], **{**pipes, **streams})
        started.append(process)
        return process

    yield call
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait(10)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()


@pytest.fixture
def lines() -> Callable[[bytes], list[Any]]:
    """JSON Lines as values."""
    return lambda data: [json.loads(line) for line in data.decode().splitlines()]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Write a file to read."""

    def call(name: str, data: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return call
