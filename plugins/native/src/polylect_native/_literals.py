"""Python's literals as models write them, read in linear time and without running anything."""

from __future__ import annotations

import math
import re
from typing import Any

from polylect.plugin import MAX_NESTING, MISSING

_BLANK = re.compile(r"[ \t\r\n\f]*+").match
_STRING = re.compile(
    r"[rRbBuUfF]{0,2}(?:'''((?:[^'\\]|\\[\s\S]|'(?!''))*+)'''|\"\"\"((?:[^\"\\]|\\[\s\S]|\"(?!\"\"))*+)\"\"\"|"
    r"'([^'\\]*+(?:\\[\s\S][^'\\]*+)*+)'|\"([^\"\\]*+(?:\\[\s\S][^\"\\]*+)*+)\")"
).match
_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]++|0[oO][0-7]++|0[bB][01]++|"
    r"(?:[0-9]++(?:_[0-9]++)*+\.?|\.(?=[0-9]))[0-9]*+(?:[eE][+-]?[0-9]++)?)(?![\w.])"
).match
_WORD = re.compile(r"(?:[Tt]rue|[Ff]alse|None|null)(?!\w)").match
_WORDS: dict[str, Any] = {"rue": True, "alse": False, "one": None, "ull": None}
_ESCAPE = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(\r\n|[\s\S]))", re.ASCII
)
_SIMPLE = {
    "\n": "", "\r": "", "\r\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n",
    "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class _NoLiteral(ValueError):
    """Here stands none."""


def read_literal(text: str, max_nesting: int = MAX_NESTING) -> Any:
    """The value of a text that is one literal of Python, or of JSON; MISSING where it is none.

    Strings, numbers, ``True``, ``False``, ``None``, lists, tuples (which are lists) and dicts whose keys are strings.
    """
    try:
        value, end = literal_at(text, _skip(text, 0), max_nesting)
    except ValueError:
        return MISSING
    return value if _skip(text, end) == len(text) else MISSING


def literal_at(text: str, at: int, depth: int = MAX_NESTING) -> tuple[Any, int]:
    """The literal that begins at ``at``, and where it ends.

    Raises:
        ValueError: none stands there, it is nested more than ``depth`` deep, or a number in it is too large.
    """
    char = text[at : at + 1]
    if char in ("[", "(", "{"):
        if depth <= 0:
            raise _NoLiteral
        return (_dict_at if char == "{" else _list_at)(text, at, depth)
    if (found := _STRING(text, at)) is not None:
        return _strings_at(text, at)
    if (found := _WORD(text, at)) is not None:
        return _WORDS[found[0][1:]], found.end()
    if (found := _NUMBER(text, at)) is not None:
        return _number(found[0]), found.end()
    raise _NoLiteral


def _skip(text: str, at: int) -> int:
    found = _BLANK(text, at)
    return at if found is None else found.end()


def _strings_at(text: str, at: int) -> tuple[str, int]:
    """A string, with those that follow it at once: Python joins them."""
    parts: list[str] = []
    end = at
    while (found := _STRING(text, at)) is not None:
        body = found[found.lastindex or 0]
        raw = "r" in text[at : found.start(found.lastindex or 0)].lower()
        parts.append(body if raw else unescape_literal(body))
        end = found.end()
        at = _skip(text, end)
    return "".join(parts), end


def _list_at(text: str, at: int, depth: int) -> tuple[Any, int]:
    closing = _CLOSING[text[at]]
    values: list[Any] = []
    comma = True
    at = _skip(text, at + 1)
    while text[at : at + 1] != closing:
        if not comma:
            raise _NoLiteral
        value, at = literal_at(text, at, depth - 1)
        values.append(value)
        at, comma = _comma(text, at)
    if closing == ")" and len(values) == 1 and not comma:  # brackets around a value
        return values[0], at + 1
    return values, at + 1


def _dict_at(text: str, at: int, depth: int) -> tuple[Any, int]:
    members: dict[str, Any] = {}
    comma = True
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = literal_at(text, at, 0)
        at = _skip(text, at)
        if not comma or not isinstance(key, str) or text[at : at + 1] != ":":
            raise _NoLiteral
        members[key], at = literal_at(text, _skip(text, at + 1), depth - 1)
        at, comma = _comma(text, at)
    return members, at + 1


def _comma(text: str, at: int) -> tuple[int, bool]:
    """Behind a comma, if one stands here."""
    at = _skip(text, at)
    return (_skip(text, at + 1), True) if text[at : at + 1] == "," else (at, False)


def _number(text: str) -> int | float:
    """A number; ValueError where it is too large. Leading zeros, which Python refuses, count for nothing."""
    bare = text.replace("_", "")
    if bare.lstrip("+-")[1:2] in tuple("xXoObB"):
        return int(bare, 0)
    try:
        return int(bare)
    except ValueError:
        if bare.lstrip("+-").isdecimal():
            raise
    value = float(bare)
    if not math.isfinite(value):
        raise _NoLiteral
    return value


def unescape_literal(body: str) -> str:
    """What stands between the quotes of a string, its escapes replaced; unknown ones stay, as in Python."""
    if "\\" not in body:
        return body
    text = _ESCAPE.sub(_escaped, body)
    return _PAIR.sub(lambda pair: pair[0].encode("utf-16", "surrogatepass").decode("utf-16"), text)


def _escaped(found: re.Match[str]) -> str:
    octal, byte, short, long, simple = found.groups()
    if simple is not None:
        return _SIMPLE.get(simple, found[0])
    code = int(octal, 8) if octal else int(byte or short or long, 16)
    return chr(code) if code < 0x110000 else found[0]
