"""What the end of a message that was cut does not decide: half a marker, and a marker that counts at the end only."""

from __future__ import annotations

from .._values import ContentDelta, ReasoningDelta
from ._cursor import Cursor
from ._draft import Draft
from ._live import LiveText

MORE = "\0"
"""A character that goes on with no marker."""


def only_at_end(text: LiveText, held: str) -> bool:
    """Whether what is held is a delimiter because the message ends there, and only then.

    Where the model was cut it may go on, so such a delimiter ends nothing: the call that it would have ended is cut.
    """
    stop, _, index, _ = text.search(held, 0, True)
    further = text.search(held + MORE, 0, True)
    return (stop, index) != (further[0], further[2])


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
