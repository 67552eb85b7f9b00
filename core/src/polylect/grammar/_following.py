"""What the scanners of notations share: they follow a value through the chunks and keep little of what they have read.

Such a payload is no JSON, so its members become JSON one by one (see :meth:`Draft.member`): a text at once and as it
comes, anything else when it is over and the sink has read it.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from .._values import ArgumentsDelta
from ._cursor import Cursor
from ._draft import MEMBERS, Draft
from ._pieces import SPACE, Reading
from ._quoting import SPECIAL

STRING, VALUE = "string", "value"
"""Kinds of members: a string, as what it stands for, or anything else, as it is written."""
LONGEST = 256
"""The longest key; a longer one is none."""


def push(cursor: Cursor, chunk: str | None) -> bool:
    """Put a chunk behind what is left of the buffer; False when there is none (``None``: the text is over)."""
    if chunk is None:
        cursor.final = True
        return False
    cursor.seen.append(chunk)
    cursor.base += cursor.i
    cursor.c = cursor.c[cursor.i :] + chunk if cursor.i < len(cursor.c) else chunk
    cursor.i = 0
    return True


def wait(cursor: Cursor) -> Reading:
    """Wait for the next chunk, and keep what stands at the cursor; False when the text is over."""
    if cursor.final:
        return False
    chunk = yield cursor.out
    cursor.out = []
    return push(cursor, chunk)


def skip_space(cursor: Cursor) -> Reading:
    """Pass over white space; False when the text is over."""
    while True:
        cursor.i = SPACE(cursor.c, cursor.i).end()
        if cursor.i < len(cursor.c):
            return True
        if not (yield from wait(cursor)):
            return False


def nearest(c: str, token: str, i: int) -> int:
    """The first place of ``token`` at or behind ``i``, or -1; quick where the text has none of its characters."""
    at = c.find(token[0], i)
    return at if at < 0 or c.startswith(token, at) else c.find(token, at + 1)


def cut(cursor: Cursor) -> bool:
    """The text is over in the middle of a payload."""
    cursor.i = len(cursor.c)
    return False


def run(cursor: Cursor, pattern: Any) -> Generator[Any, Any, str | None]:
    """The text at the cursor that ``pattern`` matches; None when it is too long to be a key."""
    while True:
        end = pattern(cursor.c, cursor.i).end()
        if end < len(cursor.c) or end - cursor.i > LONGEST or not (yield from wait(cursor)):
            break
    text = cursor.c[cursor.i : end]
    if len(text) > LONGEST:
        return None
    cursor.i = end
    return text


class TextMember:
    """The text of a member that arrives in pieces, streamed if it is its own value."""

    def __init__(self, draft: Draft, key: str, kind: str | None) -> None:
        self.draft = draft
        draft.key, draft.kind = key, kind
        self.begin = draft.cursor.base + draft.cursor.i
        self._said = draft.begin_value()
        self.texts: list[str] = []
        if draft.verbatim:
            draft.form = MEMBERS
            draft.members = draft.members or {}

    def piece(self, text: str, end: int) -> None:
        """More of the text, which stands before ``end`` (in the message)."""
        if text:
            self.texts.append(text)
            if self.draft.verbatim:
                self.draft.more(self._said, text, end)
                self._said = ""

    def close(self) -> None:
        """The text is over, before the cursor."""
        draft = self.draft
        end = draft.cursor.base + draft.cursor.i
        if draft.verbatim and self._said:
            draft.member(self._said, end)
        draft.end_member("".join(self.texts), self.begin, end)

    def plain_chunks(self, special: Any) -> Reading:
        """Stream the chunks that say nothing but text, up to one in which ``special`` finds something, or the end.

        The buffer must have been read. False when the text is over.
        """
        draft, cursor = self.draft, self.draft.cursor
        chunk = yield cursor.out
        cursor.out = []
        if draft.verbatim and draft.started and not self._said and draft.member_raw is not None:
            texts, raw, seen, index = self.texts, draft.member_raw, cursor.seen, draft.index
            base, last = cursor.base + cursor.i, cursor.last
            while chunk and special(chunk) is None and SPECIAL(chunk) is None:
                seen.append(chunk)
                texts.append(chunk)
                raw.append(chunk)
                base += len(chunk)
                delta = ArgumentsDelta(last, base, index, chunk)
                last = base
                chunk = yield [delta]
            cursor.c, cursor.i, cursor.base, cursor.last = "", 0, base, last
        return push(cursor, chunk)


def whole_member(draft: Draft, key: str, kind: str | None, text: str, begin: int) -> None:
    """A member whose value, in the tongue's notation, is ``text``; it ends at the cursor."""
    draft.key, draft.kind = key, kind
    end = draft.cursor.base + draft.cursor.i
    begun = draft.begin_value()
    if begun:
        draft.more(begun, text, end)
    draft.end_member(text, begin, end)
