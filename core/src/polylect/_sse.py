"""Server-sent events, read as their bytes arrive.

Source: the HTML standard, section "Server-sent events".
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ._errors import ModelError

MAX_EVENT = 64 * 1024 * 1024
"""Bytes of one event; a server that never ends one shall not fill the memory."""


_STREAM = re.compile(
    r"\ufeff?\s{0,8}(?:(?::|event:|id:|retry:)[^\r\n]{0,512}\s{1,4}){0,8}data: ?(?:\{|\[DONE\])"
    r'|\ufeff?\s{0,8}\{(?=[^\n]{0,2048}?"choices" ?: ?\[ ?\{[^\n]{0,1024}?"delta" ?:)'
)


def is_stream(text: str) -> bool:
    """Whether a text is the lines of a provider's stream of chunks, and not what they carry."""
    return _STREAM.match(text) is not None


class ServerEvent(NamedTuple):
    """An event's name ("" for none) and its data."""

    name: str
    data: str


class EventReader:
    """Bytes in any pieces -> events. What is no UTF-8 becomes U+FFFD, half a character at the end too."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._name = ""
        self._data: list[str] = []

    def feed(self, data: bytes) -> list[ServerEvent]:
        """More bytes -> the events that they end.

        Raises:
            ModelError: an event is larger than :data:`MAX_EVENT`.
        """
        self._size += len(data)
        if self._size > MAX_EVENT:
            raise ModelError(f"The server sent an event of more than {MAX_EVENT:,} bytes.")
        if b"\n" not in data and b"\r" not in data:
            self._pieces.append(data)
            return []
        lines = (b"".join(self._pieces) + data).splitlines(keepends=True)
        # a carriage return at the end may be half of a line's end
        rest = lines.pop() if not lines[-1].endswith(b"\n") else b""
        self._pieces = [rest] if rest else []
        return self._events(lines)

    def close(self) -> list[ServerEvent]:
        """The stream is over -> an event without the blank line that ends it."""
        rest, self._pieces = b"".join(self._pieces), []
        return self._events([rest, b""]) if rest or self._data else []

    def _events(self, lines: list[bytes]) -> list[ServerEvent]:
        found = []
        for line in lines:
            text = line.rstrip(b"\r\n").decode("utf-8", "replace")
            if not text:
                if self._data:
                    found.append(ServerEvent(self._name, "\n".join(self._data)))
                self._name, self._data = "", []
                self._size = sum(map(len, self._pieces))
                continue
            field, _, value = text.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                self._data.append(value)
            elif field == "event":
                self._name = value
        return found
