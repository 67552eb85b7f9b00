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
from ._live import MOST, USUAL, Undecided

Reading: TypeAlias = Generator[Any, Any, bool]
"""Yields lists of events; is sent chunks (None at the end); returns whether the value was closed."""

SILENT, ARGUMENTS, ANSWER_TEXT, ANSWER_JSON, HOLD = range(5)
"""What becomes of the scanned text: nothing, argument deltas, the answer decoded, the answer as it is, kept for later."""

_STRING = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
_ESCAPED = re.compile(r'.[^"\\]*+(?:\\.[^"\\]*+)*+', re.S).match
_BRACKET = re.compile(r'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+', re.S).match
_SHORT_STRING = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.S).match
_MEMBER = re.compile(
    r'[ \t\r\n]*+(?:(\})|(?:(,)[ \t\r\n]*+)?"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+:[ \t\r\n]*+(?=[^ \t\r\n]))', re.S
).match
"""The bracket that closes an object, or a comma, a key, its colon, and something behind them."""
_PART = re.compile(
    r'[ \t\r\n]*+(?:,[ \t\r\n]*+)?(?:"[^"\\]*+(?:\\.[^"\\]*+)*+(?:\\?\Z|"[ \t\r\n]*+(?::[ \t\r\n]*+)?\Z))?\Z', re.S
).match
_PARTS = Undecided()
"""Beginnings of members that are no more than that."""
FEW = 8
_WITHIN: dict[str, tuple[bool, int]] = {}
_BETWEEN: dict[str, tuple[bool, int]] = {}
"""For chunks that do: closes nothing;"""
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


def _part(text: str) -> Any:
    """A member's beginning: what follows it is a match with groups, what is no more than that one without."""
    return _MEMBER(text) or _PART(text)


def scan_json(draft: Draft, mode: int, keys: dict[str, str] | None = None) -> Reading:
    """The value at the cursor, which is the arguments (unless ``SILENT``); or, with ``keys``, a whole call.

    A call is an object: its keys at depth 1 say what its values are, in any order. Leaves the cursor behind the value,
    or at the end of the text.
    """
    cursor = draft.cursor
    c, i, base, out, last, final = cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final
    seen = cursor.seen
    whole = base + i
    first, closed, word = True, False, ""
    if keys is not None:
        i += 1
    elif mode != SILENT:
        draft.form = JSON
    while True:
        if keys is not None:
            # --- a member's key, and what its value is
            if not first and i < len(c) and c[i] == "}":
                i += 1
                closed = True
                break
            if i and len(c) <= USUAL:
                base += i
                c = c[i:]
                i = 0
            here = None
            held = not i and c in _PARTS and not final
            if not held:
                here = _MEMBER(c, i)
                if here is None and not final and len(c) - i < HELD and _PART(c, i):
                    base += i
                    c = c[i:]
                    i = 0
                    held = True
            if held:
                moves = _PARTS.moves(c)
                while True:
                    d = yield out
                    out = []
                    if d is None:
                        final = True
                        break
                    seen.append(d)
                    c += d
                    more = _PARTS.get(c)
                    if more is not None:
                        moves = more
                        continue
                    for char in d:
                        moves = moves.get(char)
                        if moves.__class__ is not dict:
                            break
                    if moves.__class__ is tuple:
                        here = moves[2]
                        break
                    here = _MEMBER(c)
                    _PARTS.learn(c[: -len(d)], d, _part)
                    if here is not None or len(c) >= HELD or not _PART(c):
                        break
                    moves = _PARTS.moves(c)
            key: Any
            bracket, comma, key = (None, None, None) if here is None else here.groups()
            if bracket is not None:
                i = here.end()
                closed = True
                break
            if key is not None and (comma is None) == first:
                i = here.end()
            else:
                cursor.put(c, i, base, out, last, final)
                key = yield from _key(draft, whole, first)
                c, i, base, out, last, final = cursor.get()
            if key.__class__ is bool:
                return key
            first = False
            role = keys.get(key)
            if role is None:
                key = unescape(key)
                role = keys.get(key) or keys.get(key.lower())
            char = c[i]
            if char in ",}]":
                cursor.put(c, i, base, out, last, final)
                return (yield from _broken(draft, whole))
            mode, word = SILENT, ""
            if role == "arguments":
                if draft.form != JSON:
                    draft.form = JSON
                    mode = ARGUMENTS if draft.started else HOLD
                    if draft.is_answer:
                        mode = ANSWER_TEXT if char == '"' else ANSWER_JSON
            elif role is not None and char == '"' and not (draft.named if role == "name" else draft.id is not None):
                if i and len(c) <= USUAL:
                    base += i
                    c = c[i:]
                    i = 0
                short = _SHORT_STRING(c, i) if i or final or c.count('"') > 1 else None
                if short is None and not final:
                    base += i
                    c = c[i:]
                    i = 0
                    while short is None and len(c) < HELD:
                        d = yield out
                        out = []
                        if d is None:
                            final = True
                            break
                        seen.append(d)
                        c += d
                        if '"' in d:
                            short = _SHORT_STRING(c)
                if short is not None:
                    cursor.out, cursor.last = out, last
                    at = short.end()
                    _take(draft, role, short[1], base + i, base + at)
                    last = cursor.last
                    i = at
                    continue
                word = role
        # --- a value
        char = c[i]
        depth = 1 if char in "{[" else 0
        inside = char == '"'
        scalar = not depth and not inside
        start = base + i
        at = i if scalar else i + 1
        escaped = closed = False
        pending = ""
        if mode != SILENT:
            draft.arguments = (start, start)
        while True:
            n = len(c)
            table = None
            if escaped and at < n:
                at += 1
                escaped = False
            elif depth and n - at <= FEW:
                table = _WITHIN if inside else _BETWEEN
                rest = c[at:]
                before = depth
                effect = table.get(rest)
                if effect is not None:
                    inside, deeper = effect
                    depth += deeper
                    at = n
                    table = None
            while at < n:
                if inside:
                    if "\\" not in c:
                        at = c.find('"', at)
                        if at < 0:
                            at = n
                    elif n - at > LONG:
                        at = _string_end(c, at)
                    else:
                        at = _STRING(c, at).end()  # type: ignore[union-attr]
                    if at >= n:
                        break
                    at += 1
                    if c[at - 1] == "\\":  # it ends the chunk
                        escaped = True
                        break
                    inside = False
                    if not depth:
                        closed = True
                        break
                elif depth:
                    char = c[at]
                    if char not in '"{}[]':
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
                end = base + at
                if mode == ARGUMENTS:
                    out.append(ArgumentsDelta(last, end, draft.index, c[i:at]))
                    last = end
                elif mode != SILENT:
                    cursor.out, cursor.last = out, last
                    pending = _pass(draft, mode, pending, c[i:at], end, base + i == start, closed)
                    last = cursor.last
            if closed:
                break
            if table is not None and "}" not in rest and "]" not in rest and "\\" not in rest:
                if len(table) >= MOST:
                    table.clear()
                table[rest] = inside, depth - before
            base += n
            c = ""
            i = at = 0
            if final:
                closed = scalar
                break
            d = yield out
            out = []
            if d is not None:
                seen.append(d)
                if mode == ARGUMENTS or (mode == ANSWER_TEXT and draft.streamed and not draft.second):
                    index = draft.index
                    while d:
                        if inside and '"' not in d and "\\" not in d:
                            escaped = False
                        elif not escaped and "\\" not in d:
                            effect = (_WITHIN if inside else _BETWEEN).get(d) if depth else None
                            if effect is None:
                                break
                            inside, deeper = effect
                            depth += deeper
                        elif not inside:
                            break
                        elif '"' not in d and d[-1] != "\\":
                            escaped = False
                        elif escaped or "\\\\" in d or d.count('"') != d.count('\\"'):
                            if len(d) > LONG:
                                break
                            at = (_ESCAPED if escaped else _STRING)(d).end()  # type: ignore[union-attr]
                            if at < len(d) and d[at] == '"':
                                break
                            escaped = at < len(d)
                        else:
                            escaped = d[-1] == "\\"
                        base += len(d)
                        if mode == ARGUMENTS:
                            d = yield [ArgumentsDelta(last, base, index, d)]
                            last = base
                        else:
                            if pending or "\\" in d:
                                d, pending = _decoded(pending, d, False, False)
                            if d:
                                draft.streamed.append(d)
                                d = yield [AnswerDelta(last, base, d)]
                                last = base
                            else:
                                d = yield []
                        if d is None:
                            break
                        seen.append(d)
                    at = 0
            if d is None:
                final = True
                closed = scalar
                break
            c = d
        i = at
        end = base + i
        if mode != SILENT:
            draft.arguments = (start, end)
        if not closed or keys is None:
            break
        if word:
            cursor.out, cursor.last = out, last
            _take(draft, word, cursor.slice(start + 1, end - 1), start, end)
            last = cursor.last
    cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final = c, i, base, out, last, final
    return closed


def _take(draft: Draft, role: str, raw: str, start: int, end: int) -> None:
    """The value of a name's or an id's key has been read."""
    if role == "id":
        draft.id = unescape(raw)
        return
    draft.set_name(unescape(raw), start, end)
    if draft.is_answer:
        draft.held = []


def _pass(draft: Draft, mode: int, pending: str, text: str, end: int, begins: bool, closed: bool) -> str:
    """Part of a value that is kept for later, or of the answer; gives what of it is not decided."""
    if mode == HOLD:
        draft.held.append(text)
    elif mode == ANSWER_JSON:
        draft.answer_delta(text, end)
    else:
        text, pending = _decoded(pending, text, begins, closed)
        if text:
            draft.answer_delta(text, end)
    return pending


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


def _decoded(pending: str, text: str, begins: bool, closed: bool) -> tuple[str, str]:
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


def _key(draft: Draft, whole: int, first: bool) -> Generator[Any, Any, str | bool]:
    """A member's key that does not lie in one buffer, or something else in its place: whether the object was closed."""
    cursor = draft.cursor
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
    if not (yield from scan_json(draft, SILENT)):
        return False
    key = cursor.slice(start + 1, cursor.base + cursor.i - 1)
    if not (yield from _more(draft)):
        return False
    if cursor.c[cursor.i] != ":":
        return (yield from _broken(draft, whole))
    cursor.i += 1
    return key if (yield from _more(draft)) else False


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
            if not (yield from scan_json(draft, SILENT)):
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
