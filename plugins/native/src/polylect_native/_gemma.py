"""Values in Gemma's notation, read in one pass over the text: bare keys, strings between tokens, nothing recursive."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, NamedTuple

from polylect.plugin import MISSING, dumps, unescape_json, unescape_python

from ._literals import read_number

_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?").fullmatch
_BARE_KEY = re.compile(r"[A-Za-z_][\w.\-]{0,60}").fullmatch
_RUN_ON = re.compile(r"[ \t\r\n][\w.\-]*+:").search
"""What a bare text with a lost comma looks like."""
_SPACE = " \t\r\n"


class _Notation(NamedTuple):
    """The patterns for one token."""

    token: Any
    """The next token where a key may stand, so that a colon ends a bare text."""
    value: Any
    """The same where a value stands."""
    closes: Any


@lru_cache(maxsize=16)
def _notation(quote: str) -> _Notation:
    mark, char = re.escape(quote), re.escape(quote[0])

    def token(stop: str) -> Any:
        return re.compile(
            rf"[ \t\r\n]*+(?:(?P<quote>{mark})|(?P<double>\"[^\"\\]*+(?:\\[\s\S][^\"\\]*+)*+\")"
            rf"|(?P<single>'[^'\\]*+(?:\\[\s\S][^'\\]*+)*+')|(?P<sign>[{{}}\[\],:])|(?P<end>\Z)"
            rf"|(?P<bare>[^{{}}\[\],:\"'{char}][^{{}}\[\],{char}{stop}]*+))"
        ).match

    return _Notation(token(":"), token(""), re.compile(rf"{mark}(?=[ \t\r\n]*+(?:[,}}\]:]|\Z))").search)


class _Open:
    """A bracket that has not been closed."""

    __slots__ = ("key", "values")

    def __init__(self, sign: str) -> None:
        self.values: Any = {} if sign == "{" else []
        self.key: str | None = None


def read_value(text: str, quote: str, nesting: int) -> Any:
    """A value; MISSING where the text is none, or is nested deeper than ``nesting``.

    A bare word that is neither a number nor true, false or null is a text.
    """
    notation = _notation(quote)
    stack: list[_Open] = []
    value: Any = MISSING
    at = 0
    while True:
        keyed = bool(stack) and isinstance(stack[-1].values, dict) and stack[-1].key is None
        match = (notation.token if keyed else notation.value)(text, at)
        if match is None:
            return MISSING
        at = match.end()
        kind = match.lastgroup
        if kind == "end":
            return MISSING if stack else value
        if kind == "sign":
            sign = match["sign"]
            if sign in "{[":
                if value is not MISSING or len(stack) >= nesting:
                    return MISSING
                stack.append(_Open(sign))
                continue
            if not stack or not _take(stack[-1], sign, value):
                return MISSING
            value = stack.pop().values if sign in "}]" else MISSING
            continue
        if value is not MISSING:
            return MISSING
        if kind == "bare":
            word = match["bare"].strip(_SPACE)
            value = word if keyed else _word(word)
            if value is MISSING:
                return MISSING
        elif kind == "quote":
            end = notation.closes(text, at)
            if end is None:
                return MISSING
            value = text[at : end.start()]
            at = end.end()
        else:
            body = match[kind or ""][1:-1]
            value = unescape_json(body) if kind == "double" else unescape_python(body)


def _take(within: _Open, sign: str, value: Any) -> bool:
    """A colon, a comma or a closing bracket, with the value before it; whether it may stand there."""
    values = within.values
    if sign == ":":
        if (
            value is MISSING
            or within.key is not None
            or not isinstance(values, dict)
            or isinstance(value, (dict, list))
        ):
            return False
        within.key = value if isinstance(value, str) else dumps(value)
        return True
    if value is MISSING:
        return sign != "," and within.key is None and sign == ("}" if isinstance(values, dict) else "]")
    if isinstance(values, dict):
        if within.key is None:
            return False
        values[within.key] = value
        within.key = None
        return sign in ",}"
    values.append(value)
    return sign in ",]"


def _word(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER(text):
        return read_number(text)
    return MISSING if _RUN_ON(text) else text


def write_value(value: Any, quote: str) -> str:
    """A value in this notation, but for texts that hold the token where a string may end: those read back otherwise."""
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, dict):
        return f"{{{','.join([f'{write_key(key, quote)}:{write_value(x, quote)}' for key, x in value.items()])}}}"
    if isinstance(value, (list, tuple)):
        return f"[{','.join([write_value(x, quote) for x in value])}]"
    return dumps(value)


def write_key(key: str, quote: str) -> str:
    """A key, between tokens where it is no plain word."""
    return key if _BARE_KEY(key) else f"{quote}{key}{quote}"
