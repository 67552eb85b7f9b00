"""The pieces that JSON comes in: their patterns, what becomes of them, and what is remembered of short ones."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, TypeAlias

from ._live import Undecided

Reading: TypeAlias = Generator[Any, Any, bool]
"""Yields lists of events; is sent chunks (None at the end); returns whether the value was closed."""

SILENT, ARGUMENTS, ANSWER_TEXT, ANSWER_JSON, HOLD = range(5)
"""What scanned text becomes: nothing, argument deltas, the answer (decoded, or as it is), or it is kept for later."""

BRACKET: Any = re.compile(r'[^"{}\[\]<]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]<]*+)*+', re.S).match
"""From outside of strings to the next bracket or ``<``, or to the quote of a string that goes on behind the chunk."""
SCALAR: Any = re.compile(r"[\w.+\-]*+").match
SPACE: Any = re.compile(r"[ \t\r\n]*+").match
PLAIN: Any = re.compile(r'[^"{}\[\]<]*+').match
MEMBER = re.compile(
    r'[ \t\r\n]*+(?:(\})|(,?)[ \t\r\n]*+"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+:[ \t\r\n]*+(?=[^ \t\r\n]))', re.S
).match
"""The bracket that closes an object; or a comma, a key, its colon, and something behind them."""
PART = re.compile(
    r'[ \t\r\n]*+(?:,[ \t\r\n]*+)?(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:\\?\Z|"[ \t\r\n]*+(?::[ \t\r\n]*+)?\Z))?\Z', re.S
).match
"""The beginning of a comma, a key and its colon."""
PARTS = Undecided()
"""Buffers that are such beginnings and no more."""
HELD = 256
"""Characters of a key or a name that are held and looked at again; longer ones are followed without looking back."""
FEW = 8
"""The longest piece of a value whose effect is remembered."""
Effects: TypeAlias = dict[str, tuple[bool, int]]
"""For a piece that closes no bracket: whether it ends inside a string, and how many brackets it opens."""
WITHIN: Effects = {}
"""The effects of pieces that begin inside a string."""
BETWEEN: Effects = {}
"""The effects of pieces that begin outside."""
PIECES = 2048
"""How many pieces with escapes are remembered."""
ESCAPES: dict[str, bool] = {}
"""For a piece inside a string that does not close it: whether it ends behind a backslash that escapes."""
ESCAPED: dict[str, bool] = {}
"""The same for pieces behind such a backslash."""


def member(text: str) -> Any:
    """A match with groups for a whole member (up to its value), one without for what may become that."""
    return MEMBER(text) or PART(text)


def answer_mode(char: str) -> int:
    """What becomes of an answer that begins with this character. A null is none, so it is not shown either."""
    return ANSWER_TEXT if char == '"' else HOLD if char == "n" else ANSWER_JSON
