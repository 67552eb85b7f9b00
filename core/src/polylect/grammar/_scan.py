"""The JSON scanner: follows one value through the chunks by its strings and brackets, and decodes nothing.

It is wider than JSON (raw line breaks in strings, any scalar) and never narrower; the value is decoded once, at its
end, by whoever wants it. A marker of the tongue inside a string is data here, whatever it looks like.

Models write JSON in few kinds of pieces (``": "``, ``", "``, the beginning of a known key), so what a short piece does
is worked out once and remembered, within bounds.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from .._values import AnswerDelta, ArgumentsDelta
from ._draft import JSON, Draft
from ._live import MOST, USUAL
from ._pieces import (
    ANSWER_JSON,
    ANSWER_TEXT,
    ARGUMENTS,
    BETWEEN,
    BRACKET,
    ESCAPED,
    ESCAPES,
    FEW,
    HELD,
    HOLD,
    MEMBER,
    PART,
    PARTS,
    PIECES,
    PLAIN,
    SCALAR,
    SILENT,
    SPACE,
    WITHIN,
    Effects,
    Reading,
    answer_mode,
    member,
)
from ._strings import LONG, SHORT, STRING, closing, decoded, decoded_short, decoded_strictly, string_end, unescape


def scan_json(draft: Draft, mode: int, keys: dict[str, str] | None = None) -> Reading:
    """The value at the cursor, which is the arguments (unless ``SILENT``); or, with ``keys``, a whole call.

    A call is an object: its keys at depth 1 say what its values are, in any order. Leaves the cursor behind the value,
    or at the end of the text.
    """
    cursor = draft.cursor
    c, i, base, out, last, final = cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final
    seen, markup = cursor.seen, draft.markup
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
            here: Any = None
            moves: Any = None  # of what is held
            if len(c) <= USUAL:
                if i:
                    base += i
                    c = c[i:]
                    i = 0
                if not final:
                    moves = PARTS.get(c)
            if moves is None:
                here = MEMBER(c, i)
                if here is None and not final and len(c) - i < HELD and PART(c, i):
                    base += i
                    c = c[i:]
                    i = 0
                    moves = PARTS.moves(c)
            if moves is not None:
                while True:
                    d = yield out
                    out = []
                    if d is None:
                        final = True
                        break
                    seen.append(d)
                    before = c
                    c += d
                    more = PARTS.get(c)
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
                    PARTS.learn(before, d, member)
                    here = MEMBER(c)
                    if here is not None or len(c) >= HELD or not PART(c):
                        break
                    moves = PARTS.moves(c)
            key: Any
            bracket, comma, key = (None, None, None) if here is None else here.groups()
            if bracket is not None:
                i = here.end()
                closed = True
                break
            if key is not None and (not comma) == first:
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
                        mode = answer_mode(char)
            elif role is not None and char == '"' and not (draft.named if role == "name" else draft.id is not None):
                if i and len(c) <= USUAL:
                    base += i
                    c = c[i:]
                    i = 0
                at = closing(c, i) if i or "\\" in c else c.find('"', 1)
                if at < 0 and not final:
                    base += i
                    c = c[i:]
                    i = 0
                    while at < 0 and len(c) < HELD:
                        d = yield out
                        out = []
                        if d is None:
                            final = True
                            break
                        seen.append(d)
                        c += d
                        if '"' in d:
                            at = closing(c, 0) if "\\" in c else c.find('"', 1)
                if at >= 0:
                    at += 1
                    cursor.out, cursor.last = out, last
                    _take(draft, role, c[i + 1 : at - 1], base + i, base + at)
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
            table: Effects | None = None
            if escaped and at < n:
                at += 1
                escaped = False
            elif depth and n - at <= FEW:
                table = WITHIN if inside else BETWEEN
                rest = c[at:]
                shallow = depth
                effect = table.get(rest)
                if effect is not None:
                    inside, deeper = effect
                    depth += deeper
                    at = n
                    table = None
            while at < n:
                if inside:
                    if n - at > LONG:
                        at = string_end(c, at)
                    elif n > LONG or "\\" in c:
                        at = STRING(c, at).end()
                    elif (at := c.find('"', at)) < 0:
                        at = n
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
                    if char not in '"{}[]<':
                        at = BRACKET(c, at).end()
                        if at >= n:
                            break
                        char = c[at]
                    if char == "<":
                        if markup:  # of what follows: a bracket is missing
                            draft.is_broken = closed = True
                            break
                        table = None
                        at += 1
                        continue
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
                    at = SCALAR(c, at).end()
                    closed = at < n
                    break
            if at > i:
                end = base + at
                if mode == ARGUMENTS:
                    out.append(ArgumentsDelta(last, end, draft.index, c[i:at]))
                    last = end if end > 0 else 0
                elif mode != SILENT:
                    cursor.out, cursor.last = out, last
                    pending = _pass(draft, mode, pending, c[i:at], end, base + i == start, closed)
                    last = cursor.last
            if closed:
                break
            if table is not None and "}" not in rest and "]" not in rest and "\\" not in rest:
                if len(table) >= MOST:
                    table.clear()
                table[rest] = inside, depth - shallow
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
                    streamed: Any = draft.streamed
                    while d:
                        if inside and '"' not in d and "\\" not in d:
                            escaped = False
                        elif (
                            mode != ARGUMENTS
                            and inside
                            and len(d) > FEW
                            and d[-1] != "\\"
                            and "\\u" not in d[-6:]
                            and (text := decoded_strictly(pending + d)) is not None
                        ):
                            base += len(d)
                            streamed.append(text)
                            d = yield [AnswerDelta(last, base, text)]
                            last = base
                            escaped, pending = False, ""
                            if d is None:
                                break
                            seen.append(d)
                            continue
                        elif not escaped and "\\" not in d:
                            effect = (WITHIN if inside else BETWEEN).get(d) if depth else None
                            if effect is None:
                                break
                            inside, deeper = effect
                            depth += deeper
                        elif not inside:
                            break
                        elif '"' not in d and d[-1] != "\\":
                            escaped = False
                        else:
                            ends = ESCAPED if escaped else ESCAPES
                            end_escaped = ends.get(d)
                            if end_escaped is None:
                                text = d[1:] if escaped else d
                                if "\\\\" in text:
                                    text = text.replace("\\\\", "  ")
                                if text.count('"') != text.count('\\"'):
                                    break
                                end_escaped = text[-1:] == "\\"
                                if len(d) <= FEW:
                                    if len(ends) >= PIECES:
                                        ends.clear()
                                    ends[d] = end_escaped
                            escaped = end_escaped
                        base += len(d)
                        if mode == ARGUMENTS:
                            d = yield [ArgumentsDelta(last, base, index, d)]
                            last = base
                        else:
                            if pending or "\\" in d:
                                d = pending + d
                                d, pending = decoded_short(d) if len(d) <= SHORT else decoded(d)
                            if d:
                                streamed.append(d)
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
        if draft.is_broken:
            draft.break_object(whole, end)
            break
        if word:
            cursor.out, cursor.last = out, last
            _take(draft, word, cursor.slice(start + 1, end - 1), start, end)
            last = cursor.last
    cursor.c, cursor.i, cursor.base, cursor.out, cursor.last, cursor.final = c, i, base, out, last, final
    return closed


def _take(draft: Draft, role: str, raw: str, start: int, end: int) -> None:
    """The value of a name's or an id's key has been read."""
    text = unescape(raw) if "\\" in raw else raw
    if role == "id":
        draft.id = text
    else:
        draft.set_name(text, start, end)
        if draft.is_answer:
            draft.held = None


def _pass(draft: Draft, mode: int, pending: str, text: str, end: int, begins: bool, closed: bool) -> str:
    """Part of a value that is kept for later, or of the answer; gives what of it is not decided."""
    if mode == HOLD:
        draft.hold(text)
    elif mode == ANSWER_JSON:
        draft.answer_delta(text, end)
    else:
        text = pending + text[1 if begins else 0 : -1 if closed else None]
        text, pending = (unescape(text), "") if closed else decoded(text)
        if text:
            draft.answer_delta(text, end)
    return pending


def _more(draft: Draft) -> Reading:
    """Skip white space; True when a character stands at the cursor, False at the end of the text."""
    cursor = draft.cursor
    while True:
        cursor.i = SPACE(cursor.c, cursor.i).end()
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
    draft.break_object(whole, cursor.base + cursor.i)
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
        if char == "<" and draft.markup:
            return True
        cursor.i += 1
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if not depth:
                return True
        else:
            cursor.i = PLAIN(cursor.c, cursor.i).end()
