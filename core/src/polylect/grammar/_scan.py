"""The JSON scanner: follows one value through the chunks by its strings and brackets, and decodes nothing.

It is wider than JSON (raw line breaks in strings, any scalar) and never narrower; the value is decoded once, at its
end, by whoever wants it. A marker of the tongue inside a string is data here, whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from json.decoder import scanstring
from typing import Any, TypeAlias

from .._values import AnswerDelta, ArgumentsDelta
from ._draft import JSON, TEXT, Draft

Reading: TypeAlias = Generator[Any, Any, bool]
"""Yields lists of events, or a reader to be run first; is sent chunks (None at the end) or that reader's result;
returns whether the value was closed."""

SILENT, ARGUMENTS, ANSWER_TEXT, ANSWER_JSON, HOLD = range(5)
"""What becomes of the scanned text: nothing, argument deltas, the answer decoded, the answer as it is, kept for later."""

_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
_ESCAPED = re.compile(r'.[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
_BRACKET = re.compile(r'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+', re.S).match
_SHORT_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.S).match
_MEMBER = re.compile(
    r'[ \t\r\n]*+(?:(,)[ \t\r\n]*+)?"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+:[ \t\r\n]*+(?=[^ \t\r\n])', re.S
).match
_PART = re.compile(
    r'[ \t\r\n]*+(?:,[ \t\r\n]*+)?(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:\\?\Z|"[ \t\r\n]*+(?::[ \t\r\n]*+)?\Z))?\Z', re.S
).match
HELD = 256
"""Characters of a key or a name that are held and looked at again; longer ones are followed without looking back."""
_SCALAR = re.compile(r"[^,}\]\s]*+").match
_SPACE = re.compile(r"[ \t\r\n]*+").match
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
"""From this many characters on, ``str.find`` beats the regular expression for the end of a string."""


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


def scan_value(draft: Draft, mode: int) -> Reading:
    """Follow one value that begins at the cursor; leave the cursor behind it (or at the end of the text)."""
    cursor = draft.cursor
    c, i, seen, index = cursor.c, cursor.i, cursor.seen, draft.index
    out, last, base = cursor.out, cursor.last, cursor.base
    char = c[i]
    depth = 1 if char in "{[" else 0
    inside = char == '"'
    scalar = not depth and not inside
    at = i if scalar else i + 1
    escaped = closed = False
    pending = ""
    while True:
        n = len(c)
        if escaped and at < n:
            at += 1
            escaped = False
        while at < n:
            if inside:
                if n - at > LONG:
                    at = _string_end(c, at)
                else:
                    at = _STRING(c, at).end()  # type: ignore[union-attr]
                if at >= n:
                    break
                if c[at] == '"':
                    inside = False
                    at += 1
                    if not depth:
                        closed = True
                        break
                else:  # a backslash ends the chunk
                    escaped = True
                    at += 1
                    break
            elif depth:
                at = _BRACKET(c, at).end()  # type: ignore[union-attr]
                if at >= n:
                    break
                char = c[at]
                at += 1
                if char == '"':
                    inside = True
                elif char in "{[":
                    depth += 1
                else:
                    depth -= 1
                    if not depth:
                        closed = True
                        break
            else:
                at = _SCALAR(c, at).end()  # type: ignore[union-attr]
                closed = at < n
                break
        if at > i:
            text = c[i:at]
            end = base + at
            if mode == ARGUMENTS:
                out.append(ArgumentsDelta(last, end, index, text))
                last = end
            elif mode == HOLD:
                draft.held.append(text)
            elif mode == ANSWER_JSON:
                cursor.out, cursor.last = out, last
                draft.answer_delta(text, end)
                last = end
            elif mode == ANSWER_TEXT:
                body, pending = _answer_text(pending, text, base + i == draft.arguments[0], closed)
                if body:
                    cursor.out, cursor.last = out, last
                    draft.answer_delta(body, end)
                    last = end
        if closed:
            break
        base += n
        if cursor.final:
            c = ""
            closed = scalar
            break
        d = yield out
        if last < 0:
            last = 0
        if d is not None:
            seen.append(d)
            if inside and mode == ARGUMENTS:
                while d:
                    if escaped or "\\" in d or '"' in d:
                        if escaped or "\\\\" in d or d.count('"') != d.count('\\"'):
                            if len(d) > LONG:
                                break
                            at = (_ESCAPED if escaped else _STRING)(d).end()  # type: ignore[union-attr]
                            if at < len(d) and d[at] == '"':
                                break
                            escaped = at < len(d)
                        elif d[-1] == "\\":
                            escaped = True
                    base += len(d)
                    d = yield [ArgumentsDelta(last, base, index, d)]
                    last = base
                    if d is None:
                        break
                    seen.append(d)
            elif inside and mode == ANSWER_TEXT and draft.streamed and not draft.second:
                while d:
                    if escaped or "\\" in d or '"' in d:
                        if escaped or "\\\\" in d or d.count('"') != d.count('\\"'):
                            if len(d) > LONG:
                                break
                            at = (_ESCAPED if escaped else _STRING)(d).end()  # type: ignore[union-attr]
                            if at < len(d) and d[at] == '"':
                                break
                            escaped = at < len(d)
                        elif d[-1] == "\\":
                            escaped = True
                    body, pending = _answer_text(pending, d, False, False) if pending or "\\" in d else (d, "")
                    base += len(d)
                    if body:
                        draft.streamed.append(body)
                        d = yield [AnswerDelta(last, base, body)]
                        last = base
                    else:
                        d = yield []
                    if d is None:
                        break
                    seen.append(d)
        out = []
        if d is None:
            cursor.final = True
            c, i = "", 0
            closed = scalar
            break
        c, i, at = d, 0, 0
    cursor.c, cursor.i, cursor.out, cursor.last, cursor.base = c, at if c else 0, out, last, base
    return closed


def _string_end(c: str, at: int) -> int:
    """The index of the quote that ends the string, of a backslash that ends the chunk, or the chunk's length."""
    end = c.find('"', at)
    stop = len(c) if end < 0 else end
    slash = c.find("\\", at, stop)
    if slash < 0:
        return stop
    flat = c[slash:].replace("\\\\", "xx").replace('\\"', "xx")
    end = flat.find('"')
    if end >= 0:
        return slash + end
    return len(c) - 1 if flat.endswith("\\") else len(c)


def _answer_text(pending: str, text: str, begins: bool, closed: bool) -> tuple[str, str]:
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


def scan_payload(draft: Draft, mode: int) -> Reading:
    """A payload that is the arguments themselves."""
    cursor = draft.cursor
    start = cursor.base + cursor.i
    draft.form = JSON
    draft.arguments = (start, start)
    closed = yield scan_value(draft, mode)
    draft.arguments = (start, cursor.base + cursor.i)
    return closed


def scan_brackets(draft: Draft, mode: int) -> Reading:
    """Text in square brackets that balance; the arguments are what stands between the outer ones."""
    cursor = draft.cursor
    cursor.i += 1
    start = cursor.base + cursor.i
    draft.form = TEXT
    draft.arguments = (start, start)
    depth = 1
    while True:
        c, i = cursor.c, cursor.i
        at, n = i, len(cursor.c)
        while depth and (match := _SQUARE(c, at)) is not None:
            depth += 1 if match[0] == "[" else -1
            at = match.end()
        stop = at - 1 if not depth else n
        if stop > i:
            end = cursor.base + stop
            draft.arguments = (start, end)
            if mode == ARGUMENTS:
                cursor.out.append(ArgumentsDelta(cursor.last, end, draft.index, c[i:stop]))
                cursor.last = end
            elif mode == HOLD:
                draft.held.append(c[i:stop])
            else:
                draft.answer_delta(c[i:stop], end)
        cursor.i = n if depth else at
        if not depth:
            return True
        cursor.refill((yield cursor.out))
        if cursor.final:
            return False


_SQUARE = re.compile(r"[\[\]]").search


def _more(draft: Draft) -> Reading:
    """Skip white space; True when a character stands at the cursor, False at the end of the text."""
    cursor = draft.cursor
    while True:
        cursor.i = _SPACE(cursor.c, cursor.i).end()  # type: ignore[union-attr]
        if cursor.i < len(cursor.c):
            return True
        if cursor.final:
            return False
        cursor.refill((yield cursor.out))


def scan_call(draft: Draft, keys: dict[str, str]) -> Reading:
    """An object that is a whole call: the keys at depth 1 say what its values are, in any order.

    What lies in one chunk is read at once; a generator of its own is made only for what does not.
    """
    cursor = draft.cursor
    whole = cursor.base + cursor.i
    cursor.i += 1
    first = True
    while True:
        here = _MEMBER(cursor.c, cursor.i)
        while here is None and not cursor.final and len(cursor.c) - cursor.i < HELD and _PART(cursor.c, cursor.i):
            cursor.hold((yield cursor.out))
            here = _MEMBER(cursor.c, cursor.i)
        if here is not None and (here[1] is None) == first:  # comma, key, colon, and something behind them
            cursor.i = here.end()
            key = here[2]
        else:
            if not (yield from _more(draft)):
                return False
            char = cursor.c[cursor.i]
            if char == "}":
                cursor.i += 1
                return True
            if first == (char == ","):
                return (yield from _broken(draft, whole))
            if not first:
                cursor.i += 1
                if not (yield from _more(draft)):
                    return False
            if cursor.c[cursor.i] != '"':
                return (yield from _broken(draft, whole))
            start = cursor.base + cursor.i
            if not (yield scan_value(draft, SILENT)):
                return False
            key = cursor.slice(start + 1, cursor.base + cursor.i - 1)
            if not (yield from _more(draft)):
                return False
            if cursor.c[cursor.i] != ":":
                return (yield from _broken(draft, whole))
            cursor.i += 1
            if not (yield from _more(draft)):
                return False
        first = False
        if cursor.c[cursor.i] in ",}]":
            return (yield from _broken(draft, whole))
        key = unescape(key)
        role = keys.get(key) or keys.get(key.lower())
        if role == "name" or role == "id":
            if not (yield from _word(draft, role)):
                return False
        elif role == "arguments" and draft.form != JSON:
            mode = ARGUMENTS if draft.started else HOLD
            if draft.is_answer:
                mode = ANSWER_TEXT if cursor.c[cursor.i] == '"' else ANSWER_JSON
            start = cursor.base + cursor.i
            draft.form = JSON
            draft.arguments = (start, start)
            closed = yield scan_value(draft, mode)
            draft.arguments = (start, cursor.base + cursor.i)
            if not closed:
                return False
        elif not (yield scan_value(draft, SILENT)):
            return False


def _word(draft: Draft, role: str) -> Reading:
    """The value of a name's or id's key; a second one, or one that is no string, is passed over."""
    cursor = draft.cursor
    start = cursor.base + cursor.i
    taken = draft.named if role == "name" else draft.id is not None
    if taken or cursor.c[cursor.i] != '"':
        return (yield scan_value(draft, SILENT))
    here = _SHORT_STRING(cursor.c, cursor.i)
    while here is None and not cursor.final and len(cursor.c) - cursor.i < HELD:
        cursor.hold((yield cursor.out))
        here = _SHORT_STRING(cursor.c, cursor.i)
    if here is not None:
        text = here[1]
        cursor.i = here.end()
    else:
        if not (yield scan_value(draft, SILENT)):
            return False
        text = cursor.slice(start + 1, cursor.base + cursor.i - 1)
    if role == "id":
        draft.id = unescape(text)
        return True
    known = bool(draft.held) and draft.form == JSON
    draft.set_name(unescape(text), start, cursor.base + cursor.i)
    if draft.is_answer and known:
        draft.held = []
    return True


def _broken(draft: Draft, whole: int) -> Reading:
    """The object is malformed: follow its strings and brackets to its end, and leave the rest to the sink."""
    cursor = draft.cursor
    draft.is_broken = True
    closed = yield from scan_rest(draft)
    if not draft.started:
        draft.form = JSON
        draft.arguments = (whole, cursor.base + cursor.i)
    return closed


def scan_rest(draft: Draft) -> Reading:
    """Follow strings and brackets from inside an object to the bracket that closes it."""
    cursor = draft.cursor
    depth = 1
    while True:
        if not (yield from _more(draft)):
            return False
        char = cursor.c[cursor.i]
        if char == '"':
            if not (yield scan_value(draft, SILENT)):
                return False
            continue
        cursor.i += 1
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if not depth:
                return True
        else:
            cursor.i = _PLAIN(cursor.c, cursor.i).end()  # type: ignore[union-attr]


_PLAIN = re.compile(r'[^"{}\[\]]*+').match
