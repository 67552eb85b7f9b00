"""Half a marker at the end of a message that was cut."""

from __future__ import annotations

from .._values import ContentDelta, ReasoningDelta
from ._draft import Cursor, Draft


def drop_half_marker(cursor: Cursor, draft: Draft, held: int) -> None:
    """Take the last ``held`` characters off the text that the message ends with, and say so.

    They may begin a marker, and the model was cut: they were the rest of a call, or a sign or two of prose. White space
    alone stays. What was held was not told yet, so nothing is taken back.
    """
    parts = draft.parts
    end = cursor.base + len(cursor.c)
    event = cursor.out[-1] if cursor.out else None
    if not isinstance(event, (ContentDelta, ReasoningDelta)) or not parts or parts[-1][2] != end:
        return
    role, start, _ = parts[-1]
    at = max(start, end - held, end - len(event.text))
    text = event.text[: len(event.text) - (end - at)]
    if event.text[len(text) :].isspace():
        return
    if at == start:  # what joined it to an earlier text goes too
        text = ""
    parts[-1:] = [(role, start, at)] if at > start else []
    cursor.out[-1:] = [type(event)(event.start, at, text)] if text else []
    cursor.last = at if text else event.start
    draft.note("truncated", "The message ends within a marker.", at, end)
