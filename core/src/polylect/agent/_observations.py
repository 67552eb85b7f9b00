"""What a tool gave back, as an observation: never more than a prompt can hold, and never bytes."""

from __future__ import annotations

import re
from typing import Any

from .._json import shown
from .._policies import MAX_NESTING

_SMALL = (int, float, bool, type(None))
_CUT = re.compile(r"\n\(cut here: [^()\n]{1,60}\)").fullmatch
_BINARY = re.compile(r"\(binary data, [0-9,]{1,30} bytes\)").fullmatch


def observation_of(value: Any, limit: int | None) -> Any:
    """The observation of what a tool returned.

    Text and JSON-like values stay as they are now, whatever the tool does with them later; bytes become text, or a
    sentence that says what they are; what is longer than ``limit`` characters becomes its beginning and a sentence that
    says how much is missing. What was cut before, in a run that is replayed or taken up again, is not cut again.
    """
    try:
        return _observed(value, limit)
    except (Exception, SystemExit, GeneratorExit):  # a stranger's value, whose methods may do anything
        return f"({type(value).__name__} that can't be shown)"


def _observed(value: Any, limit: int | None) -> Any:
    if isinstance(value, str):
        if value.__class__ is not str:
            value = str.__str__(value)
        if limit is None or len(value) <= limit or _CUT(value, limit) or _BINARY(value):
            return value
        return _cut(value, limit)
    if isinstance(value, _SMALL):
        return value
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _of_bytes(bytes(value[: None if limit is None else 4 * limit]), len(value), limit)
    value = copied(value)
    text = shown(value)
    return value if limit is None or len(text) <= limit else _cut(text, limit)


def copied(value: Any) -> Any:
    """A JSON-like value of its own: what others do with the lists and objects of the first one does not change it."""
    return _copied(value, {}, MAX_NESTING) if value.__class__ in (dict, list, tuple) else value


def _copied(value: Any, known: dict[int, Any], left: int) -> Any:
    kind = value.__class__
    if kind not in (dict, list, tuple) or not left:
        return value
    found = known.get(id(value))
    if found is not None:
        return found
    if kind is tuple:
        known[id(value)] = found = tuple(_copied(x, known, left - 1) for x in value)
        return found
    if kind is list:
        items: list[Any] = []
        known[id(value)] = items  # it may be a part of itself
        items.extend(_copied(x, known, left - 1) for x in value)
        return items
    members: dict[Any, Any] = {}
    known[id(value)] = members
    members.update((key, _copied(x, known, left - 1)) for key, x in value.items())
    return members


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
