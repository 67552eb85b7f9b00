"""The scanner of a call's arguments in Python: ``(city='Oslo', days=[1, 2])``.

It follows quotes and brackets, and is wider than Python: line breaks may stand in any string, and any word may be a
keyword. What stands behind a keyword is read by the sink, but for strings, which are streamed.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from ._draft import Draft
from ._escapes import body_end, decoded_python, unescape_python
from ._following import STRING, VALUE, TextMember, cut, run, skip_space, wait, whole_member
from ._pieces import Reading

_KEY: Any = re.compile(r"[^\s=,()\[\]{}'\"*]*+").match
_PLAIN: Any = re.compile(r"[^'\"()\[\]{},]*+").match
_SPECIAL = {"'": re.compile(r"['\\]").search, '"': re.compile(r'["\\]').search}


def scan_python(draft: Draft) -> Reading:
    """Keywords with their values, from the bracket at the cursor to the one that closes it."""
    cursor = draft.cursor
    cursor.i += 1
    draft.arguments = (cursor.base + cursor.i, cursor.base + cursor.i)
    while True:
        if not (yield from skip_space(cursor)):
            return False
        if cursor.c[cursor.i] == ")":
            cursor.i += 1
            return True
        key = yield from _key(draft)
        if key is None or not (yield from skip_space(cursor)):
            break
        begin = cursor.base + cursor.i
        mark = "" if key == "**" else (yield from _mark(draft))
        if mark:
            closed = yield from _strings(draft, key, mark)
        else:
            pieces: list[str] = []
            closed = yield from follow(draft, pieces, ",)")
            if closed:
                text = "".join(pieces).strip(" \t\r\n")
                if key == "**":
                    draft.spread_members(text, begin, cursor.base + cursor.i)
                else:
                    whole_member(draft, key, VALUE, text, begin)
        if not closed:
            return False
        if draft.is_broken:
            break
        if cursor.c[cursor.i] == ",":
            cursor.i += 1
    draft.break_off()
    if not (yield from follow(draft, None, ")")):
        return False
    cursor.i += 1
    return True


def _key(draft: Draft) -> Generator[Any, Any, str | None]:
    """A keyword up to its equals sign, or two stars; None where there is none."""
    cursor = draft.cursor
    if cursor.c[cursor.i] == "*":
        while len(cursor.c) < cursor.i + 2:
            if not (yield from wait(cursor)):
                return None
        if not cursor.c.startswith("**", cursor.i):
            return None
        cursor.i += 2
        return "**"
    key = yield from run(cursor, _KEY)
    if not key or not (yield from skip_space(cursor)) or cursor.c[cursor.i] != "=":
        return None
    cursor.i += 1
    return key


def _mark(draft: Draft) -> Generator[Any, Any, str]:
    """What opens the string at the cursor; "" where there stands none."""
    cursor = draft.cursor
    char = cursor.c[cursor.i]
    if char not in "'\"":
        return ""
    while len(cursor.c) < cursor.i + 3 and cursor.c.count(char, cursor.i) == len(cursor.c) - cursor.i:
        if not (yield from wait(cursor)):
            break
    return char * 3 if cursor.c.startswith(char * 3, cursor.i) else char


def _strings(draft: Draft, key: str, mark: str) -> Reading:
    """A string, and those that are joined to it because they stand behind it; up to the comma or the bracket."""
    cursor = draft.cursor
    member = TextMember(draft, key, STRING)
    while True:
        cursor.i += len(mark)
        if not (yield from _string(draft, member, mark)):
            return cut(cursor)
        if not (yield from skip_space(cursor)):
            return False
        char = cursor.c[cursor.i]
        if char in ",)":
            member.close()
            return True
        mark = yield from _mark(draft)
        if not mark:
            draft.is_broken = True
            return True


def _string(draft: Draft, member: TextMember, mark: str) -> Reading:
    """The inside of a string, and its end."""
    cursor = draft.cursor
    special = _SPECIAL[mark[0]]
    while True:
        c, i = cursor.c, cursor.i
        end = body_end(c, i, mark, final=cursor.final)
        closed = c.startswith(mark, end)
        text, rest = (unescape_python(c[i:end]), "") if closed else decoded_python(c[i:end])
        cursor.i = end - len(rest)
        member.piece(text, cursor.base + cursor.i)
        if closed:
            cursor.i = end + len(mark)
            return True
        if cursor.final:
            return False
        if cursor.i < len(c):
            yield from wait(cursor)
        elif not (yield from member.plain_chunks(special)):
            return False


def follow(draft: Draft, pieces: list[str] | None, ends: str) -> Reading:
    """Follow quotes and brackets up to one of ``ends`` outside of them; what is passed over is added to ``pieces``."""
    cursor = draft.cursor
    depth = 0
    while True:
        c, i = cursor.c, cursor.i
        at, n = i, len(c)
        while True:
            at = _PLAIN(c, at).end()
            if at == n or c[at] in "'\"" or (not depth and c[at] in ends):
                break
            depth += 1 if c[at] in "([{" else -1 if c[at] in ")]}" and depth else 0
            at += 1
        cursor.i = at
        if pieces is not None:
            pieces.append(c[i:at])
        if at == n:
            if not (yield from wait(cursor)):
                return False
        elif c[at] not in "'\"":
            return True
        elif not (yield from _pass_string(draft, pieces)):
            return cut(cursor)


def _pass_string(draft: Draft, pieces: list[str] | None) -> Reading:
    """A string within a value, as it is written."""
    cursor = draft.cursor
    mark = yield from _mark(draft)
    end = cursor.i + len(mark)
    while True:
        c = cursor.c
        end = body_end(c, end, mark, final=cursor.final)
        closed = c.startswith(mark, end)
        end += len(mark) if closed else 0
        if pieces is not None:
            pieces.append(c[cursor.i : end])
        cursor.i = end
        if closed:
            return True
        if not (yield from wait(cursor)):
            return False
        end = 0
