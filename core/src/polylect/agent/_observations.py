"""What a tool gave back, as an observation: never more than a prompt can hold, and never bytes."""

from __future__ import annotations

import re
from typing import Any

from .._json import shown

_SMALL = (int, float, bool, type(None))
_CUT = re.compile(r"\n\(cut here: [^()\n]{1,60}\)").fullmatch
_BINARY = re.compile(r"\(binary data, [0-9,]{1,30} bytes\)").fullmatch


def observation_of(value: Any, limit: int | None) -> Any:
    """The observation of what a tool returned.

    Text and JSON-like values stay as they are; bytes become text, or a sentence that says what they are; what is
    longer than ``limit`` characters becomes its beginning and a sentence that says how much is missing. What was cut
    before, in a run that is replayed or taken up again, is not cut again.
    """
    if isinstance(value, str):
        if limit is None or len(value) <= limit or _CUT(value, limit) or _BINARY(value):
            return value
        return _cut(value, limit)
    if isinstance(value, _SMALL):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _of_bytes(bytes(value[: None if limit is None else 4 * limit]), len(value), limit)
    if limit is None:
        return value
    text = shown(value)
    return value if len(text) <= limit else _cut(text, limit)


def _cut(text: str, limit: int) -> str:
    return f"{text[:limit]}\n(cut here: {len(text) - limit:,} more characters)"


def _of_bytes(head: bytes, size: int, limit: int | None) -> str:
    whole = len(head) == size
    try:
        text = head.decode()
    except UnicodeDecodeError as error:
        if whole or error.end < len(head):
            return f"(binary data, {size:,} bytes)"
        text = head[: error.start].decode()  # only the last character was cut
    if whole:
        return text if limit is None or len(text) <= limit else _cut(text, limit)
    shown_text = text if limit is None else text[:limit]
    return f"{shown_text}\n(cut here: the first part of {size:,} bytes)"
