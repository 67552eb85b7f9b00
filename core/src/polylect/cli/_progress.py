"""How far a long run is, on standard error, for people only."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

import click

from ._options import is_terminal
from ._pool import Result

EVERY = 0.5
"""Seconds between two updates."""
PATIENCE = 1.0
"""Seconds before the first one: a run that is over by then needs none."""


class Progress:
    """Counts records; says so on a terminal while it runs, and at the end when records failed."""

    def __init__(self, verb: str, total: int | None, *, shown: bool = True) -> None:
        self.verb = verb
        self.total = total
        self.records = 0
        self.failed = 0
        self.size = 0
        self.on = shown and is_terminal(sys.stderr)
        self.start = time.monotonic()
        self.next = self.start + PATIENCE
        self.width = 0

    def add(self, result: Result) -> None:
        """Count a result."""
        self.records += result.records
        self.failed += result.failed
        self.size += result.size
        if self.on and time.monotonic() >= self.next:
            self.next = time.monotonic() + EVERY
            self._show()

    def _show(self) -> None:
        seconds = time.monotonic() - self.start
        share = f"{min(100, 100 * self.size // self.total):3d} %, " if self.total else ""
        text = f"{share}{self.records:,} {self.verb}, {self.failed:,} failed, {self.records / seconds:,.0f}/s"
        click.echo("\r" + text.ljust(self.width), err=True, nl=False)
        self.width = len(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self.width:
            self._show()
            click.echo(err=True)
        elif self.on and self.failed:
            click.echo(f"{self.failed:,} of {self.records:,} records failed.", err=True)
