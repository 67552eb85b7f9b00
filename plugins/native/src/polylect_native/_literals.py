"""Literals of Python, read in one pass over the text: no evaluation, no recursion.

What models write, not what Python takes: ``true``, ``false`` and ``null`` are words too, numbers may begin with zeros,
and line breaks may stand in any string. Tuples and sets become lists, and keys texts, as JSON has nothing else.
"""

from __future__ import annotations

import math
import re
from typing import Any

from polylect.plugin import MAX_NESTING, MISSING, unescape_python

_TOKEN = re.compile(
    r"[ \t\r\n]*+(?:(?P<prefix>[rRuUbBfF]{0,2})(?P<string>"
    r"\"\"\"[^\"\\]*+(?:(?:\\[\s\S]|\"(?!\"\"))[^\"\\]*+)*+\"\"\""
    r"|'''[^'\\]*+(?:(?:\\[\s\S]|'(?!''))[^'\\]*+)*+'''"
    r"|\"(?!\"\")[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*+\"|'(?!'')[^'\\]*+(?:\\[\s\S][^'\\]*+)*+')"
    r"|(?P<number>[+-]?(?:0[xX][0-9a-fA-F_]++|0[oO][0-7_]++|0[bB][01_]++"
    r"|(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?|\.[0-9][0-9_]*+)(?:[eE][+-]?[0-9]++)?))(?![\w.])"
    r"|(?P<word>[A-Za-z]++)(?![\w.'\"(\[])"
    r"|(?P<sign>[\[\](){},:])|(?P<end>\Z))"
).match
_WORDS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None, "none": None}
_CLOSES = {"[": "]", "(": ")", "{": "}"}
_KEYS = {True: "true", False: "false", None: "null"}


class _Open:
    """A bracket that has not been closed."""

    __slots__ = ("comma", "is_dict", "key", "sign", "values")

    def __init__(self, sign: str) -> None:
        self.sign = sign
        self.values: Any = {} if sign == "{" else []
        self.is_dict: bool | None = None
        self.key: Any = MISSING
        self.comma = False

    def add(self, value: Any) -> None:
        """A value before a comma or the closing bracket."""
        if self.key is not MISSING:
            self.values[key_text(self.key)] = value
            self.key = MISSING
        else:
            if self.sign == "{" and self.is_dict is None:
                self.is_dict, self.values = False, []
            self.values.append(value)

    def result(self) -> Any:
        """The value; a single one in round brackets without a comma is itself."""
        return self.values[0] if self.sign == "(" and len(self.values) == 1 and not self.comma else self.values


def key_text(key: Any) -> str:
    """A key as JSON has it."""
    if isinstance(key, str):
        return key
    return _KEYS[key] if key is None or isinstance(key, bool) else str(key)


def read_literal(text: str, nesting: int = MAX_NESTING, *, wide: bool = False) -> Any:
    """The value of a literal of Python, or of JSON; MISSING where the text is none.

    Args:
        text: the literal, with white space around it.
        nesting: how many brackets may stand within one another.
        wide: whether to take what JSON has no place for: sets become lists, and any key a text.
    """
    stack: list[_Open] = []
    at = 0
    value: Any = MISSING
    while True:
        match = _TOKEN(text, at)
        if match is None:
            return MISSING
        at = match.end()
        kind = match.lastgroup
        if kind == "end":
            return MISSING if stack else _plain(value)
        if kind != "sign":
            value = _joined(value, _scalar(match, kind))
            if value is MISSING:
                return MISSING
            continue
        sign = match["sign"]
        if sign in _CLOSES:
            if value is not MISSING or len(stack) >= nesting:
                return MISSING
            stack.append(_Open(sign))
            continue
        if not stack or not _take(stack[-1], sign, value, wide):
            return MISSING
        value = MISSING
        if sign not in ",:":
            value = stack.pop().result()


def _take(within: _Open, sign: str, value: Any, wide: bool) -> bool:
    """A comma, a colon or a closing bracket, with the value before it; whether it may stand there."""
    if sign == ":":
        if within.sign != "{" or within.is_dict is False or within.key is not MISSING:
            return False
        if value is MISSING or (value.__class__ is not _Strings and isinstance(value, (dict, list))):
            return False
        if not wide and value.__class__ is not _Strings:
            return False
        within.is_dict, within.key = True, _plain(value)
        return True
    if value is not MISSING:
        if within.sign == "{" and within.key is MISSING and (within.is_dict or not wide):
            return False
        within.add(_plain(value))
    elif within.key is not MISSING or (sign == "," or (within.values and not within.comma)):
        return False
    if sign == ",":
        within.comma = True
        return True
    return sign == _CLOSES[within.sign]


class _Strings(list[str]):
    """A string, to which others may be joined."""


def _plain(value: Any) -> Any:
    """A value as others know it."""
    return "".join(value) if value.__class__ is _Strings else value


def _joined(before: Any, value: Any) -> Any:
    """A scalar behind another one, which is right only for two strings."""
    if before is MISSING or value is MISSING:
        return value
    if before.__class__ is not _Strings or value.__class__ is not _Strings:
        return MISSING
    before.extend(value)
    return before


def _scalar(match: re.Match[str], kind: str | None) -> Any:
    if kind == "string":
        return _string(match["prefix"].lower(), match["string"])
    if kind == "word":
        return _WORDS.get(match["word"], MISSING)
    return read_number(match["number"])


def _string(prefix: str, text: str) -> Any:
    mark = text[:3] if text[:3] in ('"""', "'''") else text[:1]
    body = text[len(mark) : -len(mark)]
    if "f" in prefix and ("{" in body or "}" in body):
        return MISSING
    return _Strings([body if "r" in prefix else unescape_python(body)])


def read_number(text: str) -> Any:
    """A number of Python or JSON; MISSING where it is none, is too long for Python, or as good as infinite."""
    try:
        if text[:1] in "+-":
            value = read_number(text[1:])
            return value if value is MISSING or text[0] == "+" else -value
        if text[:2].lower() in ("0x", "0o", "0b"):
            return int(text, 0)
        if text.isdecimal() or not re.search(r"[.eE]", text):
            return int(text)
        value = float(text)
    except ValueError:
        return MISSING
    return value if math.isfinite(value) else MISSING
