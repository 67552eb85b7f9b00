"""The inside of a JSON string, as it arrives: where it ends, and what it stands for."""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

STRING: Any = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
"""All of a string from inside it, up to its quote, a backslash that ends the chunk, or the end."""
ESCAPED: Any = re.compile(r'.[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
"""The same behind a backslash."""
_WHOLE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.S).match
_ESCAPE = re.compile(
    r'\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["\\/bfnrt])|.)', re.S
).sub
_CUT_ESCAPE = re.compile(
    r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?\Z"
).match
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
LONGEST_ESCAPE = 12
"""A surrogate pair: twice ``\\uXXXX``."""
LONG = 64
"""From this many characters on, ``string_end`` is faster than a regular expression."""
WINDOW = 256
"""How much of a long string is looked at first; then twice as much, and so on."""


def unescape(body: str) -> str:
    """The text that the inside of a JSON string stands for; each invalid escape stays as it is."""
    if "\\" not in body:
        return body
    text = decoded_whole(body) if '"' not in body else None
    return _ESCAPE(_decode_escape, body) if text is None else text


def decoded_whole(body: str) -> str | None:
    """The text that the inside of a JSON string stands for, if all its escapes are valid and whole; else None."""
    try:
        text = str(scanstring(body + '"', 0, False)[0])
    except ValueError:
        return None
    return None if "\ud800" <= text[-1:] <= "\udbff" else text


def _decode_escape(match: re.Match[str]) -> str:
    high, low, code, short = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if code:
        return chr(int(code, 16))
    return _SHORT[short] if short else match[0]


def decoded(pending: str, text: str, begins: bool, closed: bool) -> tuple[str, str]:
    """(decoded text that is certain, undecided rest) of the inside of a string; quotes taken off."""
    if begins:
        text = text[1:]
    if closed:
        text = text[:-1]
    text = pending + text
    if closed or "\\" not in text:
        return unescape(text), ""
    if (whole := decoded_whole(text)) is not None:
        return whole, ""
    at = text.find("\\", max(len(text) - LONGEST_ESCAPE, 0))
    while at >= 0:
        if (at - len(text[:at].rstrip("\\")) if at and text[at - 1] == "\\" else 0) % 2 == 0 and _CUT_ESCAPE(text, at):
            return unescape(text[:at]), text[at:]
        at = text.find("\\", at + 1)
    return unescape(text), ""


def closing(c: str, at: int) -> int:
    """The index of the quote that closes the string at ``at``, or -1."""
    whole = _WHOLE(c, at)
    return -1 if whole is None else whole.end() - 1


def string_end(c: str, at: int) -> int:
    """As ``STRING(c, at).end()``, and faster for long strings."""
    n = len(c)
    end = c.find('"', at)
    stop = n if end < 0 else end
    at = c.find("\\", at, stop)
    if at < 0:
        return stop
    size = WINDOW
    while True:
        flat = c[at : at + size].replace("\\\\", "xx").replace('\\"', "xx")
        end = flat.find('"')
        if end >= 0:
            return at + end
        lone = flat.endswith("\\")  # a backslash that is alone there begins the next window, or ends the chunk
        at += len(flat)
        if at >= n:
            return n - lone
        at -= lone
        size *= 2
