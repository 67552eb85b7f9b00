"""The fenced blocks of a Markdown page, and what is to be done with each.

- ``python`` is run; what it prints must be what its lines ``#> …`` say.
- ``sh`` is run by a shell, and must end well.
- ``console`` is a session: each line ``$ …`` is run (``> …`` continues it), on a terminal, and the lines below it are
  what it must show on standard output; ``...`` in them stands for anything. Below a line ``<!-- numbers vary -->`` any
  number does for any other.
- any block below a line ``<!-- file: path -->`` is written to that file, and not run.
- other blocks are for reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

RUN = frozenset({"python", "sh", "console"})
_FILE = re.compile(r"<!-- file: (\S+) -->\Z")
_VARY = "<!-- numbers vary -->"
_FENCE = re.compile(r"(`{3,})(\w*)\Z")


class Block(NamedTuple):
    """A fenced block: the line where its code begins (from 1), its language, its code, and its file."""

    line: int
    language: str
    code: str
    file: str | None = None
    numbers_vary: bool = False


class Command(NamedTuple):
    """A command of a session, with its line, and the lines that it shows."""

    line: int
    code: str
    shows: str


def read_blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order.

    Raises:
        ValueError: a block has no end.
    """
    return list(_blocks(page))


def _blocks(page: Path) -> Iterator[Block]:
    lines = page.read_text("utf-8").split("\n")
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        fence = _FENCE.match(line)
        if fence is None:
            continue
        above = lines[at - 2] if at > 1 else ""
        named = _FILE.match(above)
        start = at
        while at < len(lines) and lines[at] != fence[1]:
            at += 1
        if at == len(lines):
            raise ValueError(f"{page}:{start}: this block has no end")
        code = "\n".join(lines[start:at]) + "\n"
        yield Block(start + 1, fence[2], code, named[1] if named else None, above == _VARY)
        at += 1


def printed(code: str) -> str:
    """What a block says that it prints."""
    return "".join(f"{line[3:]}\n" for line in re.findall(r"^#>.*$", code, re.M))


def commands(block: Block) -> list[Command]:
    """The commands of a session.

    Raises:
        ValueError: it does not begin with one.
    """
    found: list[Command] = []
    for number, line in enumerate(block.code.split("\n")[:-1], block.line):
        if line.startswith("$ "):
            found.append(Command(number, line[2:], ""))
        elif not found:
            raise ValueError(f"line {number}: a session begins with '$ '")
        elif line.startswith("> ") and not found[-1].shows:
            found[-1] = found[-1]._replace(code=f"{found[-1].code}\n{line[2:]}")
        else:
            found[-1] = found[-1]._replace(shows=f"{found[-1].shows}{line}\n")
    return found
