"""The least that could be done by hand: what the streams, and some informative rows, are measured against."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

TAIL = 11
"""Characters that the floor loop holds back, unless its marker is longer than twelve."""

LABEL = re.compile(r"^(Thought|Action|Action Input|Final Answer):[ \t]*", re.MULTILINE)


def floor_loop(deltas: Sequence[str], marker: str) -> list[str]:
    """Append each delta to a short tail, find the close marker, keep what is sure. No events, spans or values."""
    kept: list[str] = []
    tail = ""
    held = max(TAIL, len(marker) - 1)
    for delta in deltas:
        tail += delta
        at = tail.find(marker)
        if at >= 0:
            kept.append(tail[:at])
            tail = tail[at + len(marker) :]
        elif len(tail) > held:
            kept.append(tail[:-held])
            tail = tail[-held:]
    kept.append(tail)
    return kept


def message_floor_loop(deltas: Sequence[dict[str, Any]]) -> str:
    """The same for provider messages: collect the argument text of the first call."""
    kept: list[str] = []
    for delta in deltas:
        for call in delta["tool_calls"]:
            kept.append(call["function"]["arguments"])
    return "".join(kept)


def regex_loop(text: str) -> dict[str, str]:
    """A ReAct message by one regular expression for the labels and slices between them."""
    fields: dict[str, str] = {}
    label, start = "", 0
    for match in LABEL.finditer(text):
        if label:
            fields[label] = text[start : match.start()].strip()
        label, start = match[1], match.end()
    if label:
        fields[label] = text[start:].strip()
    return fields
