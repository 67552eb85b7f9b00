"""Records: what one line of JSON Lines may be, and what stands in the output for one that failed."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from .._errors import LectError, ParseError
from .._json import REAL, encode_json
from .._outputs import says_length
from ._lines import BOM, MAX_LINE
from ._pool import Item, Result

REASONS: dict[str, str] = {
    "not_json": "the line is not JSON",
    "not_text": "the bytes are not UTF-8 text",
    "record": "the JSON is not one of the forms a record may have",
    "number": "a number in what is to be parsed or written is too long to be read, or infinite",
    "no_lect": "there is no such lect",
    "inexpressible": "the target lect cannot express the reply",
    "internal": "a lect raised an error that it must not raise",
}
"""Why a record failed, beside the reasons of ParseError."""


class BadRecord(Exception):
    """A record that cannot even be given to a parser."""

    def __init__(self, reason: str, message: str, text: Any = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.text = text


def decode_text(data: bytes) -> str:
    """UTF-8 bytes as text, less a byte order mark.

    Raises:
        BadRecord: the bytes are not UTF-8.
    """
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise not_utf_8(error.object, error.start, len(data) - len(error.object)) from None


def not_utf_8(data: bytes, place: int, before: int) -> BadRecord:
    """What to say about a byte that is not UTF-8; ``before``: the bytes of the input before ``data``."""
    told = f"Byte {before + place} (0x{data[place]:02x}) is not UTF-8 text. Convert the input to UTF-8."
    return BadRecord("not_text", told, data.decode(errors="replace"))


MEANT = frozenset({"content", "tool_calls", "function_call", "additional_kwargs"})
"""The keys of a message whose values lects read: all else in a record is only handed on."""


def decode_record(data: bytes, *, exact: bool = False) -> Any:
    """One JSON value.

    Args:
        data: the line.
        exact: keep numbers that cannot be read as they are spelt, save those in what a lect is to read.

    Raises:
        BadRecord: it is not JSON, or not UTF-8, or a number in it cannot be read.
    """
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        text = decode_text(data)
    kept: list[msgspec.Raw] = []

    def number(kind: Callable[[str], Any], spelt: str) -> Any:
        try:
            return kind(spelt)
        except ValueError:
            kept.append(msgspec.Raw(spelt.encode()))
            return kept[-1]

    try:  # knows lone surrogates and says where the fault is
        value = json.loads(text, parse_int=partial(number, int), parse_float=partial(number, REAL))
    except ValueError as error:
        raise BadRecord("not_json", f"This is not JSON: {error}.", text) from None
    except RecursionError:
        raise BadRecord("not_json", "This JSON is nested too deeply.", text) from None
    if kept and not (exact and _only_handed_on(value)):
        spelt = bytes(kept[0]).decode()
        raise BadRecord("number", f"This number can't be read: {spelt:.20}… ({len(spelt)} characters).", text)
    return value


def _only_handed_on(record: Any) -> bool:
    """Whether the numbers that cannot be read stand beside the message of a record."""
    waiting = [(record, False)]
    while waiting:
        value, meant = waiting.pop()
        if isinstance(value, dict):
            waiting += ((inner, meant or key in MEANT) for key, inner in value.items())
        elif isinstance(value, list):
            waiting += ((inner, meant) for inner in value)
        elif meant and isinstance(value, msgspec.Raw):
            return False
    return True


FinishReason: TypeAlias = Literal["stop", "length"]


class Message(NamedTuple):
    """What a record holds for a parser.

    ``place`` says where it stood: ``string`` (the record itself), ``text``, ``message``, ``record`` (the record is a
    message).
    """

    value: str | dict[str, Any]
    place: str
    record: dict[str, Any]

    @property
    def finish_reason(self) -> FinishReason:
        """Why the model stopped, as far as the record says."""
        return "length" if says_length(self.record.get("finish_reason")) else "stop"


def message_of(record: Any) -> Message:
    """Find the message in a record: a string, ``{"text": …}``, ``{"message": …}`` or a message with a role.

    Raises:
        BadRecord: it is none of these, or another's than the assistant's.
    """
    if isinstance(record, str):
        return Message(record, "string", {})
    if not isinstance(record, dict):
        hint = " Write each message on a line of its own." if isinstance(record, list) else ""
        raise BadRecord("record", f"A record is a string or an object, not {_kind(record)}.{hint}", record)
    if record.get("type") == "error":
        raise BadRecord("record", f"This record failed before: {record.get('message')}", record.get("text"))
    if record.get("type") == "Reply":
        raise BadRecord("record", "This is a reply, parsed already. The command format writes it in a lect.", record)
    if isinstance(record.get("text"), str):
        return Message(record["text"], "text", record)
    message = record.get("message")
    if isinstance(message, str):
        return Message(message, "message", record)
    place = "message" if isinstance(message, dict) else "record"
    found: dict[str, Any] = message if isinstance(message, dict) else record
    if "role" not in found:
        raise BadRecord(
            "record", 'A record is a string, {"text": …}, {"message": …}, or a message with a role.', record
        )
    if found["role"] != "assistant":
        raise BadRecord(
            "record", f"Only the assistant's messages are parsed; this one's role is {found['role']!r}.", record
        )
    return Message(found, place, record)


def content_of(message: dict[str, Any]) -> str:
    """The text of a provider's message: its content, or the joined texts of its parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = (x.get("text") for x in content if isinstance(x, dict))
        return "".join(x for x in parts if isinstance(x, str))
    return content if isinstance(content, str) else ""


def failure(error: Exception, given: Any = "", **where: Any) -> dict[str, Any]:
    """The error record of a failed record or file: the same keys whatever went wrong.

    ``given`` is its text, for errors that do not know it.
    """
    if isinstance(error, ParseError):
        return {
            "type": "error",
            **where,
            "reason": error.reason,
            "message": error.message,
            "span": list(error.span),
            "correction": error.correction,
            "text": error.text,
        }
    reason, text = "internal", given
    if isinstance(error, BadRecord):
        reason, text = error.reason, error.text
    elif isinstance(error, LectError):
        reason = "inexpressible"
    message = str(error) if reason != "internal" else f"{type(error).__name__}: {error}{place_of(error)}"
    return {
        "type": "error",
        **where,
        "reason": reason,
        "message": message,
        "span": None,
        "correction": None,
        "text": text,
    }


def each_line(item: Item, use: Callable[[bytes, int], tuple[str, bool]]) -> Result:
    """Call ``use`` with every line of an item that is not blank; it gives the output and whether that is a failure."""
    found: list[str] = []
    failed = 0
    for number, line in _lines(item):
        text, bad = use(line, number)
        found.append(text)
        failed += bad
    found.append("")
    return Result("\n".join(found).encode() if len(found) > 1 else b"", len(found) - 1, failed, item.size)


def _lines(item: Item) -> Iterator[tuple[int, bytes]]:
    data = item.data.removeprefix(BOM) if item.line == 1 else item.data
    if item.kind == "json":
        yield 1, data
        return
    for number, line in enumerate(data.split(b"\n"), item.line):
        if line and not line.isspace():
            yield number, line


def overlong(item: Item) -> BadRecord:
    """What to say about a line beyond the limit."""
    return BadRecord(
        "record",
        f"This line is longer than {MAX_LINE:,} bytes. It was passed over.",
        item.data.decode(errors="replace"),
    )


def json_line(value: Any) -> str:
    """``value`` on one line."""
    return encode_json(value)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", list: "an array"}
    return names.get(type(value), type(value).__name__)


def place_of(error: BaseException) -> str:
    """`` (file.py, line 3)``: where an error was raised, for people who look for it; "" where nobody knows."""
    frames = [x for x in traceback.extract_tb(error.__traceback__) if not x.filename.startswith("<frozen")]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
