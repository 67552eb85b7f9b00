"""Text for a terminal: colours where they are wanted, and nothing in it that a terminal would obey."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from .._errors import caret
from .._harmless import safe as safe
from ._options import is_terminal

LIMIT = 4_000
"""Characters of one field shown on a terminal; ``--json`` shows all."""


class Paint:
    """Colours text, or leaves it; colours are off in pipes, for ``NO_COLOR`` and for dumb terminals."""

    def __init__(self, on: bool) -> None:
        self.on = on

    @classmethod
    def for_stream(cls, stream: Any = None) -> Paint:
        """The paint for a stream, standard output by default."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return cls(wanted and is_terminal(sys.stdout if stream is None else stream))

    def __call__(self, text: str, color: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """The text in a colour, or as it is."""
        wanted = self.on and text and (color or bold or dim)
        return click.style(text, fg=color, bold=bold or None, dim=dim or None) if wanted else text


def short(text: str) -> str:
    """At most :data:`LIMIT` characters, saying what was left out."""
    return text if len(text) <= LIMIT else f"{text[:LIMIT]}… ({len(text) - LIMIT:,} more characters; --json shows all)"


def block(label: str, text: str, *, width: int = 12) -> str:
    """A labelled field; further lines stand under the first. ``label`` may hold colours."""
    gap = " " * max(1, width - len(click.unstyle(label)))
    return f"  {label}{gap}" + text.replace("\n", "\n" + " " * (width + 2)) + "\n"


def pointed(text: str, start: int, end: int, paint: Paint) -> str:
    """The line of ``text`` around a fault, with carets under it, as further lines of a field."""
    while start < end and text[start : start + 1].isspace():  # point at what is wrong, not at the line before it
        start += 1
    view = caret(text, start, end) if end else ""  # (0, 0): the fault has no place
    if not view:
        return ""
    line, _, marks = view.rpartition("\n")
    return f"\n{paint(safe(line), dim=True)}\n{paint(marks, 'yellow')}"


def table(rows: list[list[str]], paint: Paint) -> str:
    """Columns, the first row as their heads. Cells may hold colours."""
    widths = [max(len(click.unstyle(row[i])) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for number, row in enumerate(rows):
        cells = [cell + " " * (width - len(click.unstyle(cell))) for cell, width in zip(row, widths, strict=True)]
        line = "  ".join(cells).rstrip()
        lines.append(paint(line, bold=True) if number == 0 else line)
    return "\n".join(lines) + "\n"
