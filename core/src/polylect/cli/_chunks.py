"""A stream's bytes as the chunks that a parser takes: text, or the deltas of a provider's stream."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import Any, Literal

from .._outputs import says_length
from ._records import BadRecord, content_of, decode_record, not_utf_8

PASSED_OVER = (b":", b"event:", b"id:", b"retry:")
"""How the lines of server-sent events begin that carry no data: comments, and fields that say nothing here."""


class TextChunks:
    """UTF-8 that arrives in pieces; half a character waits for its other half."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._first = True
        self._size = 0
        self.finish_reason: Literal["stop", "length"] = "stop"

    def feed(self, data: bytes) -> Iterator[str]:
        """The text of more bytes.

        Raises:
            BadRecord: a byte is not UTF-8; the text before it was given.
        """
        yield from self._decoded(data, final=False)

    def close(self) -> Iterator[str]:
        """Nothing more, unless half a character is left.

        Raises:
            BadRecord: it is.
        """
        yield from self._decoded(b"", final=True)

    def _decoded(self, data: bytes, *, final: bool) -> Iterator[str]:
        self._size += len(data)
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError as error:
            given = error.object
            yield from self._give(given[: error.start].decode())
            raise not_utf_8(given, error.start, self._size - len(given)) from None
        yield from self._give(text)

    def _give(self, text: str) -> Iterator[str]:
        if self._first and text:
            self._first = False
            text = text.removeprefix("\ufeff")
        if text:
            yield text


class DeltaChunks:
    """Lines of JSON or of server-sent events, as the deltas of the first choice.

    A line is a delta, a chunk with ``choices``, or ``data: `` and either of them. ``finish_reason`` is what the stream
    said; a stream of choices that ends without saying it, and without ``[DONE]``, was cut.

    Args:
        text: give the text of each delta, for lects of text.
    """

    def __init__(self, *, text: bool = False) -> None:
        self.text = text
        self._held: list[bytes] = []
        self._line = 0
        self._done = False
        self._choices = False
        self._reason: str | None = None

    @property
    def finish_reason(self) -> Literal["stop", "length"]:
        """Why the model stopped."""
        if self._reason is not None:
            return "length" if says_length(self._reason) else "stop"
        return "length" if self._choices and not self._done else "stop"

    def feed(self, data: bytes) -> Iterator[Any]:
        """The deltas of all lines that are complete.

        Raises:
            BadRecord: a line is none of the forms, or the provider reported an error.
        """
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = b"".join((*self._held, lines[0]))
            self._held = []
        if rest:
            self._held.append(rest)
        for line in lines:
            yield from self._read(line)

    def close(self) -> Iterator[Any]:
        """The delta of a last line without an end."""
        line = b"".join(self._held)
        self._held = []
        yield from self._read(line)

    def _read(self, line: bytes) -> Iterator[Any]:
        self._line += 1
        if self._line == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        line = line.strip()
        if not line or self._done or line.startswith(PASSED_OVER):
            return
        line = line.removeprefix(b"data:").strip()
        if not line:
            return
        if line == b"[DONE]":
            self._done = True
            return
        try:
            chunk = decode_record(line)
        except BadRecord as error:
            raise BadRecord(error.reason, f"Line {self._line}: {error}", error.text) from None
        delta = self._delta(chunk)
        if delta is None:
            return
        if not self.text:
            yield delta
        elif text := content_of(delta):
            yield text

    def _delta(self, chunk: Any) -> dict[str, Any] | None:
        if not isinstance(chunk, dict):
            raise BadRecord("record", f"Line {self._line}: a chunk of a stream is a JSON object.", chunk)
        if chunk.get("error"):
            raise BadRecord("record", f"Line {self._line}: the provider reported an error.", chunk)
        if "choices" not in chunk:
            return chunk
        self._choices = True
        choices = [x for x in chunk["choices"] or () if isinstance(x, dict) and not x.get("index")]
        if not choices:  # usage at the end, or another choice's
            return None
        choice = choices[0]
        reason = choice.get("finish_reason")
        if isinstance(reason, str):
            self._reason = reason
        if isinstance(choice.get("text"), str):  # the older completions
            return {"content": choice["text"]}
        delta = choice.get("delta", choice.get("message"))
        return delta if isinstance(delta, dict) else None
