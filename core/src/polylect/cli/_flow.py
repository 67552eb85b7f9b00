"""Text that arrives in pieces, under a label, broken to the width of the terminal as the report breaks it."""

from __future__ import annotations

from ..agent._layout import CLOSING, columns, ideographic
from ..agent._report import LABEL, TAB
from ._paint import safe

INDENT = " " * (LABEL + 2)


class Flow:
    """Feed it; it gives back what to print. A word is printed when it is known to fit.

    Args:
        label: what stands before the text, with its colours and the blanks behind it: :data:`LABEL` columns.
        room: the columns of the text; None: lines are as long as they are.
        limit: characters that are shown; of the rest their number is told.
    """

    def __init__(self, label: str, room: int | None, limit: int | None) -> None:
        self._label, self._room, self._limit = label, room, limit
        self._begun = False
        self._breaks = 0
        self._spaces = 0
        self._word = ""
        self._column = 0
        self._wide = 0
        self._seen = 0
        self._left = 0

    @property
    def begun(self) -> bool:
        """Whether anything was printed."""
        return self._begun

    def feed(self, text: str) -> str:
        """More text -> what to print of it now."""
        out: list[str] = []
        for place, char in enumerate(text):
            if self._limit is not None and self._seen >= self._limit:
                self._left += len(text) - place
                break
            if not self._begun and not self._word and char.isspace():
                continue
            self._seen += 1
            self._take(char, out)
        return "".join(out)

    def _take(self, char: str, out: list[str]) -> None:
        if char == "\n":
            self._flush(out)
            self._breaks, self._spaces = self._breaks + 1, 0
        elif char == " ":
            self._flush(out)
            self._spaces += 1
        elif char == "\t":
            self._flush(out)
            self._spaces += TAB
        elif char != "\r":
            for sign in safe(char):
                self._add(sign, out)

    def _add(self, sign: str, out: list[str]) -> None:
        """One more character of a word, which may end before it: at hyphens and wide characters, as in the report."""
        wide, last = columns(sign), self._word[-1:]
        apart = last == "-" or (last != "" and ideographic(last) and wide > 0 and sign not in CLOSING)
        if self._room is None:
            apart = apart or self._wide > LABEL
        elif self._wide + wide > self._room:
            apart = True
        if apart:
            self._flush(out)
        self._word += sign
        self._wide += wide

    def _flush(self, out: list[str]) -> None:
        """The word goes out, behind what is due before it."""
        if not self._word:
            return
        if not self._begun:
            out.append(f"  {self._label}")
            self._begun, self._spaces, self._breaks = True, 0, 0
        if self._breaks:
            out.append("\n" * self._breaks + INDENT)
            self._breaks = self._column = 0
        spaces = self._spaces
        if self._room is not None and self._column + spaces + self._wide > self._room:
            spaces = 0 if self._column else self._room - self._wide
            if self._column:
                out.append("\n" + INDENT)
                self._column = 0
        out += (" " * spaces, self._word)
        self._column += spaces + self._wide
        self._word, self._wide, self._spaces = "", 0, 0

    def close(self) -> str:
        """The text is over -> the rest, and the end of the line; nothing where nothing was printed."""
        out: list[str] = []
        if self._left:
            for char in f"… ({self._left:,} more characters)":
                self._take(char, out)
        self._flush(out)
        return "".join([*out, "\n"]) if self._begun else ""
