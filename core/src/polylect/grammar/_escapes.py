"""The inside of a string in Python, as it arrives: where it ends, and what it stands for."""

from __future__ import annotations

import re
from typing import Any

_HEX = "[0-9a-fA-F]"
_HIGH, _LOW = rf"u[dD][89abAB]{_HEX}{{2}}", rf"u[dD][c-fC-F]{_HEX}{{2}}"
_ESCAPE = re.compile(
    rf"\\(?:({_HIGH})\\({_LOW})|u({_HEX}{{4}})|x({_HEX}{{2}})|U(000[0-9a-fA-F]{{5}}|0010{_HEX}{{4}})|([0-7]{{1,3}})"
    r"|(\r?\n)|(['\"\\abfnrtv])|[\s\S])"
)
_UNDECIDED = re.compile(
    rf"\\(?:\r?|x{_HEX}?|u{_HEX}{{0,3}}|U{_HEX}{{0,7}}|[0-7]{{1,2}}"
    rf"|{_HIGH}(?:\\(?:u(?:[dD](?:[c-fC-F]{_HEX}?)?)?)?)?)?\Z"
).match
_SHORT = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
REACH = 12
"""The longest escape, a pair of surrogates."""


def body(mark: str, *, final: bool) -> Any:
    """``match`` for the inside of a string between such marks (``'``, ``\"\"\"`` …), up to its end.

    It stops before a mark, before a backslash that ends the buffer, and unless it is ``final`` before what may become a
    mark.
    """
    return _BODIES[mark, final]


def _body(mark: str, final: bool) -> Any:
    char = mark[0]
    inner = r"\\[\s\S]"
    if len(mark) == 3:
        inner += rf"|{char}(?!{char}{char})" if final else rf"|{char}(?!{char}{char}|{char}?\Z)"
    return re.compile(rf"[^\\{char}]*+(?:(?:{inner})[^\\{char}]*+)*+").match


_BODIES = {(mark, final): _body(mark, final) for mark in ("'", '"', "'''", '"""') for final in (True, False)}


def unescape_python(text: str) -> str:
    """What the inside of a string in Python stands for.

    As in Python, an unknown escape stays as it is; so does one that is malformed. A pair of surrogates is one
    character, which models trained on JSON write.
    """
    return _ESCAPE.sub(_decode, text) if "\\" in text else text


def _decode(match: re.Match[str]) -> str:
    high, low, four, two, eight, octal, line, short = match.groups()
    if high:
        return chr(0x10000 + ((int(high[1:], 16) - 0xD800) << 10) + int(low[1:], 16) - 0xDC00)
    code = four or two or eight
    if code:
        return chr(int(code, 16))
    if octal:
        return chr(int(octal, 8))
    if line:
        return ""
    return _SHORT.get(short, short) if short else match[0]


def decoded_python(text: str) -> tuple[str, str]:
    """(decoded text that is certain, undecided rest) of the inside of a string; no lone backslash may end it."""
    if "\\" not in text:
        return text, ""
    if text.find("\\", max(len(text) - REACH, 0)) >= 0:
        for match in _ESCAPE.finditer(text):
            at = match.start()
            if at >= len(text) - REACH and _UNDECIDED(text, at):
                return unescape_python(text[:at]), text[at:]
    return unescape_python(text), ""
