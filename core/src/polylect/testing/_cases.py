"""Golden cases in text files that people can read: a title, what the model wrote, and what it says.

A file holds any number of cases, with blank lines between them::

    A call after a thought
    .
    Thought: I look it up.
    Action: search
    Action Input: weather
    .
    {"reasoning": "I look it up.", "calls": [{"name": "search", "arguments": "weather"}]}
    .

The title is the last line before the block; lines above it are comments. A block is its lines, without a newline at
the end. What an editor would hide or change is written as a symbol: ``␠`` a space, ``␉`` a tab, ``␍`` a carriage
return, ``␤`` a newline more than the lines have, ``␀`` NUL; and ``␛2e;`` is any character by its hexadecimal number:
the dot of a line of one dot, a lone surrogate, one of these symbols. White space at the end of a line is written so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SYMBOLS = {"␠": " ", "␉": "\t", "␍": "\r", "␤": "\n", "␀": "\0"}
_ESCAPE = re.compile("␛([0-9a-fA-F]{1,6});|([" + "".join(SYMBOLS) + "])")
_HIDDEN = re.compile("[" + "".join(SYMBOLS) + "␛\r\t\0\x0b\x0c\x1c-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]")
_BY_CHARACTER = {character: symbol for symbol, character in SYMBOLS.items() if character != "\n"}
_DOT = "."


class Case(NamedTuple):
    """One golden case.

    Attributes:
        line: where the title stands in the file, from 1.
        title: what the case shows.
        fields: its blocks: what was written, and what it says.
    """

    line: int
    title: str
    fields: tuple[str, ...]


def read_cases(path: str | Path, *, blocks: int = 2) -> list[Case]:
    """The golden cases in a text file (UTF-8), each of ``blocks`` blocks.

    Raises:
        ValueError: a case has no title or no end, or a line ends in white space; the message names file and line.
    """
    return list(_cases(Path(path), blocks))


def _cases(path: Path, blocks: int) -> Iterator[Case]:
    lines = path.read_text(encoding="utf-8").split("\n")
    title, at, number = "", 0, 0
    while number < len(lines):
        line, number = lines[number], number + 1
        if line != _DOT:
            if line:
                title, at = line, number
            continue
        if not title:
            raise ValueError(f"{path}:{number}: a case without a title. The line before its first dot is its title.")
        fields = []
        for _ in range(blocks):
            start = number
            while number < len(lines) and lines[number] != _DOT:
                number += 1
                if lines[number - 1] != lines[number - 1].rstrip():
                    raise ValueError(f"{path}:{number}: white space at the end of the line. Write ␠, ␉ or ␍ for it.")
            if number == len(lines):
                raise ValueError(f"{path}:{at}: the case {title!r} has no end. Each block ends with a line of one dot.")
            fields.append(hidden("\n".join(lines[start:number])))
            number += 1
        yield Case(at, title, tuple(fields))
        title = ""


def hidden(text: str) -> str:
    """``text`` with the symbols of a case file turned into the characters that they stand for."""
    return _ESCAPE.sub(lambda found: SYMBOLS[found[2]] if found[2] else chr(int(found[1], 16)), text)


def visible(text: str) -> str:
    """``text`` as a block of a case file: ``hidden(visible(text)) == text``, and nothing in it is easily lost."""
    text = _HIDDEN.sub(lambda found: _BY_CHARACTER.get(found[0]) or f"␛{ord(found[0]):x};", text)
    text = re.sub(r" (?=\n|\Z)", "␠", text)
    text = re.sub(r"(?m)[^\S\n]$|^\.$", lambda found: f"␛{ord(found[0]):x};", text)
    return text[:-1] + "␤" if text.endswith("\n") else text
