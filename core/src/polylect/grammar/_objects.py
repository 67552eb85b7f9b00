"""The scanner of objects with bare keys and with strings between tokens: ``{city:<|"|>Oslo<|"|>,days:[1,2]}``.

Nothing is escaped in such a string, so the token may also stand inside of it: it ends one only where something may
follow a string. Where a value begins, quotes as JSON and Python have them are understood too.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from functools import lru_cache
from typing import Any

from . import _alternatives as alternatives
from . import _patterns as patterns
from ._draft import Draft
from ._escapes import body_end
from ._following import STRING, VALUE, TextMember, cut, nearest, run, skip_space, wait, whole_member
from ._pieces import Reading
from ._tables import OBJECT_END as END
from ._tables import OBJECT_QUOTE as QUOTE

_GAP = r"[ \t\r\n]{0,8}"
_BARE_KEY = re.compile(r"[^:,{}\[\]<>\"'\n]*+").match
_BARE = r"[^:,{}\[\]<>\"'\n]{1,64}"


class _Test:
    """A pattern of the profile, matched in a buffer that may go on."""

    def __init__(self, source: str) -> None:
        tree = patterns.parse(source)
        self._plain = re.compile(patterns.plain(tree)).match
        self._live = re.compile(alternatives.live([(tree, 0)])[0]).match

    def __call__(self, draft: Draft, at: int) -> Generator[Any, Any, bool]:
        """Whether it stands ``at`` places behind the cursor, which stays; waits until that is decided."""
        cursor = draft.cursor
        while True:
            if cursor.final:
                return self._plain(cursor.c, cursor.i + at) is not None
            match = self._live(cursor.c, cursor.i + at)
            if match is None or match.lastindex is not None:
                return match is not None
            yield from wait(cursor)


class Notation:
    """The patterns of one tongue's objects."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self.quote = words[QUOTE]
        self.char = self.quote[0]
        mark, end = re.escape(self.quote), words.get(END, r"\Z")
        key = rf"(?:{_BARE}|\"[^\"\n]{{1,64}}\"|'[^'\n]{{1,64}}'|{mark}[^{re.escape(self.char)}\n]{{0,64}}{mark})"
        member = rf"(?:{key}{_GAP}:|\}})"
        self.begins = _Test(mark)
        self.over = _Test(end)
        self.comma = _Test(rf",{_GAP}{member}")
        self.closes = _Test(rf"{mark}{_GAP}(?:\}}[ \t\r\n\}}]{{0,8}}(?:{end}|\Z)|,{_GAP}{member}|{end}|\Z)")
        self.closes_key = _Test(rf"{mark}{_GAP}:")
        self.closes_within = _Test(rf"{mark}{_GAP}(?:[,\}}\]:]|{end}|\Z)")
        char = re.escape(self.char)
        self.bare: Any = re.compile(rf"[^,}}{char}]*+").match
        self.plain: Any = re.compile(rf"[^{{}}\[\]\"'{char}]*+").match
        self.special = re.compile(char).search


@lru_cache(maxsize=64)
def _notation(quote: str, end: str) -> Notation:
    return Notation({QUOTE: quote, END: end})


def scan_object(draft: Draft, words: Mapping[str, str]) -> Reading:
    """The object at the cursor, to the bracket that closes it; a broken one may end before what follows objects."""
    cursor, notation = draft.cursor, _notation(words[QUOTE], words.get(END, r"\Z"))
    cursor.i += 1
    draft.arguments = (cursor.base + cursor.i, cursor.base + cursor.i)
    while True:
        if not (yield from skip_space(cursor)):
            return False
        if cursor.c[cursor.i] == "}":
            cursor.i += 1
            return True
        key = yield from _key(draft, notation)
        if key is None or not (yield from skip_space(cursor)):
            break
        closed = yield from _value(draft, key, notation)
        if not closed:
            return cut(cursor)
        if draft.is_broken:
            break
        if not (yield from skip_space(cursor)):
            return False
        if cursor.c[cursor.i] == ",":
            cursor.i += 1
        elif cursor.c[cursor.i] != "}":
            break
    draft.break_off()
    return (yield from _follow(draft, None, notation, 1)) or cut(cursor)


def _key(draft: Draft, notation: Notation) -> Generator[Any, Any, str | None]:
    """A key up to its colon; None where there is none."""
    cursor = draft.cursor
    key: str | None
    if cursor.c[cursor.i] in "\"'":
        pieces: list[str] = []
        if not (yield from _quoted(draft, pieces)):
            return None
        key = "".join(pieces)[1:-1]
    elif (yield from notation.begins(draft, 0)):
        cursor.i += len(notation.quote)
        key = yield from _quoted_key(draft, notation)
    else:
        key = yield from run(cursor, _BARE_KEY)
        key = key.strip() if key else None
    if key is None or not (yield from skip_space(cursor)) or cursor.c[cursor.i] != ":":
        return None
    cursor.i += 1
    return key


def _quoted_key(draft: Draft, notation: Notation) -> Generator[Any, Any, str | None]:
    """A key between the tokens of strings, any text."""
    cursor = draft.cursor
    texts: list[str] = []
    while (yield from _to_quote(draft, notation, texts.append)):
        if (yield from notation.closes_key(draft, 0)):
            cursor.i += len(notation.quote)
            return "".join(texts)
        texts.append(notation.quote)
        cursor.i += len(notation.quote)
    return None


def _value(draft: Draft, key: str, notation: Notation) -> Reading:
    """The value of a member, up to what stands behind it."""
    cursor = draft.cursor
    begin = cursor.base + cursor.i
    pieces: list[str] = []
    char = cursor.c[cursor.i]
    if char == notation.char and (yield from notation.begins(draft, 0)):
        cursor.i += len(notation.quote)
        member = TextMember(draft, key, STRING)
        while (yield from _to_quote(draft, notation, member)):
            closed = yield from notation.closes(draft, 0)
            cursor.i += len(notation.quote)
            if closed:
                member.close()
                return True
            member.piece(notation.quote, cursor.base + cursor.i)
        return False
    if char in "{[":
        closed = yield from _follow(draft, pieces, notation, 0)
    elif char in "\"'":
        closed = yield from _quoted(draft, pieces)
    else:
        closed = yield from _bare(draft, pieces, notation)
        if closed and pieces[-1] == notation.quote:  # it has lost the first token
            pieces.insert(0, notation.quote)
    if closed and not draft.is_broken:
        whole_member(draft, key, VALUE, "".join(pieces).strip(" \t\r\n"), begin)
    return closed


def _to_quote(draft: Draft, notation: Notation, member: Any) -> Reading:
    """The text up to the next token of strings, which the cursor is then at."""
    cursor, quote = draft.cursor, notation.quote
    say = (lambda text, end: member(text)) if not isinstance(member, TextMember) else member.piece
    while True:
        c, i = cursor.c, cursor.i
        at = nearest(c, quote, i)
        found = at >= 0
        if not found:
            at = len(c)
            if not cursor.final:  # what may become the token
                first = c.find(notation.char, max(i, at - len(quote) + 1))
                while first >= 0:
                    if quote.startswith(c[first:]):
                        at = first
                        break
                    first = c.find(notation.char, first + 1)
        cursor.i = at
        say(c[i:at], cursor.base + at)
        if found:
            return True
        if cursor.final:
            return False
        if at < len(c) or not isinstance(member, TextMember):
            yield from wait(cursor)
        elif not (yield from member.plain_chunks(notation.special)):
            return False


def _bare(draft: Draft, pieces: list[str], notation: Notation) -> Reading:
    """Text without quotes, up to the comma before a member, the bracket, or the token of a string that has no first."""
    cursor = draft.cursor
    while True:
        c, i = cursor.c, cursor.i
        at = notation.bare(c, i).end()
        pieces.append(c[i:at])
        cursor.i = at
        if at == len(c):
            if not (yield from wait(cursor)):
                return False
            continue
        char = c[at]
        if char == "}" or (char == "," and (yield from notation.comma(draft, 0))):
            return True
        if char == notation.char:
            if (yield from notation.begins(draft, 0)):
                pieces.append(notation.quote)
                cursor.i += len(notation.quote)
                return True
            if (yield from notation.over(draft, 0)):
                draft.is_broken = True
                return True
        pieces.append(char)
        cursor.i += 1


def _follow(draft: Draft, pieces: list[str] | None, notation: Notation, depth: int) -> Reading:
    """Follow brackets and strings to the bracket that closes the first one, or, being broken, to the object's end."""
    cursor = draft.cursor
    kept: list[str] = [] if pieces is None else pieces
    last = ","
    while True:
        if pieces is None:
            kept.clear()
        c, i = cursor.c, cursor.i
        at = notation.plain(c, i).end()
        if at > i:
            kept.append(c[i:at])
            last = c[i:at].rstrip(" \t\r\n")[-1:] or last
            cursor.i = at
        if at == len(c):
            if not (yield from wait(cursor)):
                return False
            continue
        char = c[at]
        if char in "\"'" and last in "[{,:":
            if not (yield from _quoted(draft, kept)):
                return False
            last = char
            continue
        if char == notation.char:
            if (yield from notation.begins(draft, 0)):
                kept.append(notation.quote)
                cursor.i += len(notation.quote)
                if not (yield from _within(draft, kept, notation)):
                    return False
                last = char
                continue
            if (yield from notation.over(draft, 0)):
                draft.is_broken = True
                return True
        kept.append(char)
        cursor.i += 1
        last = char
        if char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
            if not depth:
                return True


def _within(draft: Draft, pieces: list[str], notation: Notation) -> Reading:
    """A string within a value, from behind its first token."""
    while (yield from _to_quote(draft, notation, pieces.append)):
        closed = yield from notation.closes_within(draft, 0)
        pieces.append(notation.quote)
        draft.cursor.i += len(notation.quote)
        if closed:
            return True
    return False


def _quoted(draft: Draft, pieces: list[str]) -> Reading:
    """A string in quotes, as it is written."""
    cursor = draft.cursor
    mark = cursor.c[cursor.i]
    end = cursor.i + 1
    while True:
        c = cursor.c
        end = body_end(c, end, mark, final=cursor.final)
        closed = c.startswith(mark, end)
        end += closed
        pieces.append(c[cursor.i : end])
        cursor.i = end
        if closed:
            return True
        if not (yield from wait(cursor)):
            return False
        end = 0
