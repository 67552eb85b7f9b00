"""How the payloads of whole messages are read: JSON, the usual beginning of a call object, brackets."""

from __future__ import annotations

import json
import re
from typing import Any

from .._json import REAL, refuse_constant

DECODER = json.JSONDecoder(strict=False, parse_float=REAL, parse_constant=refuse_constant)
"""JSON as we read it: raw control characters in strings are taken (models write them), NaN, Infinity and numbers that
are as good as infinite are not (no tool can be sent them), of duplicate keys the last one counts."""
BLANK = re.compile(r"[ \t\r\n]++").match
OBJECT_END = re.compile(r"[ \t\r\n]*+\}").match
GOES_ON = re.compile(r"[\w.+\-]").match
"""What behind a number or a word shows that it is none."""
_SQUARE = re.compile(r"[\[\]]").finditer


def brackets_end(text: str, at: int) -> int:
    """Behind the bracket that closes the one at ``at``, or -1."""
    depth = 0
    for match in _SQUARE(text, at):
        depth += 1 if match[0] == "[" else -1
        if not depth:
            return match.end()
    return -1


def envelope(keys: dict[str, str]) -> Any:
    """The usual beginning of a call object: the name's key, the name, the arguments' key."""
    name, arguments = ("|".join(re.escape(k) for k, r in keys.items() if r == role) for role in ("name", "arguments"))
    if not name or not arguments:
        return lambda text, at: None
    gap = r"[ \t\r\n]*+"
    return re.compile(rf'\{{{gap}"(?:{name})"{gap}:{gap}"([^"\\]*+)"{gap},{gap}"(?:{arguments})"{gap}:{gap}').match
