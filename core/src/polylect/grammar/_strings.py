"""The inside of a JSON string, as it arrives: where it ends, and what it stands for."""

from __future__ import annotations

import re
from functools import lru_cache
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from msgspec.json import Decoder

STRING: Any = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
"""All of a string from inside it, up to its quote, a backslash that ends the chunk, or the end."""
_WHOLE = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.S).match
_ESCAPE = re.compile(
    r'\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(["\\/bfnrt])|.)', re.S
).sub
_strict = Decoder(str).decode
_CUT_ESCAPE = re.compile(
    r"\\(?:u[0-9a-fA-F]{0,3}|u[dD][89abAB][0-9a-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][0-9a-fA-F]?)?)?)?)?)?\Z"
).match
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
ESCAPE = 6
"""The characters of ``\\uXXXX``; a surrogate pair is two."""
SHORT = 8
"""Up to this many characters a piece of a string is likely to be one that was seen before."""
LONG = 64
"""From this many characters on, ``string_end`` is faster than a regular expression."""
WINDOW = 256
"""How much of a long string is looked at first; then twice as much, and so on."""


def unescape(body: str) -> str:
    """The text that the inside of a JSON string stands for; each invalid escape stays as it is."""
    if "\\" not in body:
        return body
    text = decoded_whole(body)
    return _ESCAPE(_decode_escape, body) if text is None else text


def decoded_strictly(body: str) -> str | None:
    """The same for the inside of a string that JSON allows; None when it is none, or has quotes or half an escape."""
    if "\n" in body:
        return None
    try:
        return _strict(f'"{body}"')
    except ValueError:  # a control character or a lone surrogate, which we take elsewhere, or no whole escapes
        return None


def decoded_whole(body: str) -> str | None:
    """The text that the inside of a JSON string stands for, if all its escapes are valid and whole; else None."""
    strict = decoded_strictly(body)
    if strict is not None:
        return strict
    try:
        text, end = scanstring(body + '"', 0, False)
    except ValueError:
        return None
    return None if end <= len(body) or "\ud800" <= text[-1:] <= "\udbff" else text


def _decode_escape(match: re.Match[str]) -> str:
    high, low, code, short = match.groups()
    if high:
        return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
    if code:
        return chr(int(code, 16))
    return _SHORT[short] if short else match[0]


def decoded(text: str) -> tuple[str, str]:
    """(decoded text that is certain, undecided rest) of the inside of a string."""
    at = text.rfind("\\")
    if at < 0:
        return text, ""
    char = text[at + 1 : at + 2]
    if not char or (char == "u" and len(text) - at <= ESCAPE):
        at = _cut(text, at)
        return unescape(text[:at]), text[at:]
    return unescape(text), ""


decoded_short = lru_cache(4096)(decoded)
"""The same for texts of some characters: most of them are a line break or a quote with little around it."""


def _cut(text: str, at: int) -> int:
    """Where an escape begins that is not whole at the end of a text, or the end; ``at`` is the last backslash."""
    if at and text[at - 1] != "\\" and text[max(at - ESCAPE, 0) : at - 3].lower() != "\\ud":  # no pair
        if len(text) - at < ESCAPE:
            return at
        if text[at + 2] not in "dD":
            return len(text)
    at = text.find("\\", max(len(text) - 2 * ESCAPE, 0))
    while at >= 0:
        if (at - len(text[:at].rstrip("\\")) if at and text[at - 1] == "\\" else 0) % 2 == 0 and _CUT_ESCAPE(text, at):
            return at
        at = text.find("\\", at + 1)
    return len(text)


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
