"""The inside of a string in Python, as it arrives: where it ends, and what it stands for."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import msgspec

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
_USUAL = {"n": "\n", "t": "\t", "'": "'", '"': '"'}
_decode_json = msgspec.json.Decoder(str).decode
LONG = 512
"""From this many characters on, methods of strings are quicker than patterns."""
MISSES = 16
"""So many marks may be escaped before a pattern looks for the one that is not."""
REACH = 12
"""The longest escape, a pair of surrogates."""


def body_end(c: str, i: int, mark: str, *, final: bool) -> int:
    """The end of the inside of a string between such marks (``'``, ``\"\"\"`` …), of which more begins at ``i``.

    It is before a mark, before a backslash that ends the buffer, and unless it is ``final`` before what may become a
    mark.
    """
    end: int
    if len(mark) > 1 or len(c) - i < LONG:
        end = _BODIES[mark, final](c, i).end()
        return end
    for _ in range(MISSES):  # ten times as fast as a pattern, but where such marks are many
        at = c.find(mark, i)
        if at < 0:
            return len(c) - _backslashes(c, i, len(c)) % 2
        if not _backslashes(c, i, at) % 2:
            return at
        i = at + 1
    end = _BODIES[mark, final](c, i).end()
    return end


def _backslashes(c: str, i: int, at: int) -> int:
    """How many of them stand right before ``at``, behind ``i``."""
    begin = at
    while begin > i and c[begin - 1] == "\\":
        begin -= 1
    return at - begin


def _body(mark: str, final: bool) -> Any:
    char = mark[0]
    inner = r"\\[\s\S]"
    if len(mark) == 3:
        inner += rf"|{char}(?!{char}{char})" if final else rf"|{char}(?!{char}{char}|{char}?\Z)"
    return re.compile(rf"[^\\{char}]*+(?:(?:{inner})[^\\{char}]*+)*+").match


_BODIES: dict[tuple[str, bool], Any] = {
    (mark, final): _body(mark, final) for mark in ("'", '"', "'''", '"""') for final in (True, False)
}


def unescape_python(text: str) -> str:
    """What the inside of a string in Python stands for.

    As in Python, an unknown escape stays as it is; so does one that is malformed. A pair of surrogates is one
    character, which models trained on JSON write.
    """
    if "\\" not in text:
        return text
    if len(text) < LONG:
        return _ESCAPE.sub(_decode, text)
    if not ("/" in text and "\\/" in text):  # JSON's escapes are Python's, but for this one
        body = text.replace("\\'", "'") if "'" in text else text
        for written in (body, body.replace('"', '\\"')) if '"' in text else (body,):
            with contextlib.suppress(msgspec.DecodeError, UnicodeEncodeError):
                return _decode_json(f'"{written}"')
    first, *rest = text.split("\\")
    out, escaped = [first], False
    for piece in rest:
        if escaped or not piece:
            out.append(piece if escaped else "\\")
            escaped = not escaped
        elif piece[0] in _USUAL:
            out += _USUAL[piece[0]], piece[1:]
        else:
            return _ESCAPE.sub(_decode, text)
    return "".join(out)


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
