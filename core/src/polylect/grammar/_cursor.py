"""The cursor over the chunks of a message."""

from __future__ import annotations

from .._values import Event


class Cursor:
    """Where the reader stands: the chunk, the index into it, and what has been emitted but not delivered.

    ``c`` begins at position ``base`` of the message (the prompt's part of it lies before 0); ``last`` is where the last
    event ended; ``seen`` keeps all chunks.
    """

    __slots__ = ("base", "c", "final", "i", "last", "mark", "out", "seen", "whole")

    def __init__(self, prefix: str) -> None:
        self.c = prefix
        self.i = self.last = 0
        self.base = -len(prefix)
        self.final = False
        self.out: list[Event] = []
        self.seen: list[str] = []
        self.mark = (prefix, self.base, 0)
        self.whole: str | None = None

    def get(self) -> tuple[str, int, int, list[Event], int, bool]:
        """The buffer, the index, the base, what was emitted, its end, and whether the text is over."""
        return self.c, self.i, self.base, self.out, self.last, self.final

    def put(self, c: str, i: int, base: int, out: list[Event], last: int, final: bool) -> None:
        """What ``get`` shall give."""
        self.c, self.i, self.base, self.out, self.last, self.final = c, i, base, out, last, final

    def refill(self, chunk: str | None) -> None:
        """Everything up to here was delivered; take the next chunk (None: there is none)."""
        self.out = []
        self.base += len(self.c)
        self.i = 0
        if chunk is None:
            self.c, self.final = "", True
        else:
            self.c = chunk
            self.seen.append(chunk)

    def set_mark(self) -> None:
        """Remember the buffer and what comes behind it, so that ``slice`` need not join from the beginning."""
        self.mark = (self.c, self.base, len(self.seen))

    def end(self) -> str:
        """The text is over: all of it."""
        if self.whole is None:
            self.whole = "".join(self.seen)
        return self.whole

    def slice(self, start: int, end: int) -> str:
        """The text between two positions, neither before the mark's buffer."""
        if end <= start:
            return ""
        if self.whole is not None and start >= 0:
            return self.whole[start:end]
        text, base, count = self.mark
        if end > base + len(text):
            text += "".join(self.seen[count:])
        return text[start - base : end - base]
