"""The scanner of elements that are named as the arguments, each tag behind a token: ``@<city>Oslo@</city>``.

Elements nest, and only a tag of the same name closes one. They end before the first tag that neither opens an element
nor closes one that was opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ._draft import Draft
from ._following import TextMember, cut, nearest, skip_space, wait, whole_member
from ._pieces import Reading
from ._tables import ELEMENT_OPEN as OPEN
from ._tables import ELEMENTS_END as END

_TAG = re.compile(r"<(/?)([^<>\s/\"]{1,128})>").match
_TAG_BEGUN = re.compile(r"(?:<(?:/?[^<>\s/\"]{0,128})?)?\Z").match


class Tag:
    """A tag at the cursor: whether it closes, its name, where it ends in the buffer; nameless if it is none."""

    __slots__ = ("closes", "end", "name")

    def __init__(self, match: re.Match[str] | None) -> None:
        self.closes = match is not None and match[1] == "/"
        self.name = "" if match is None else match[2]
        self.end = 0 if match is None else match.end()


class Token:
    """The token before each tag."""

    def __init__(self, token: str) -> None:
        self.text = token
        self.char = token[0]
        self.follows = re.compile(rf"[ \t\r\n]{{0,8}}(?:{re.escape(token)}<|\Z)").match
        begun = "|".join(re.escape(f"{token}<"[:n]) for n in range(len(token) + 1))
        self.may_follow = re.compile(rf"[ \t\r\n]{{0,8}}(?:{begun})\Z").match
        self.special = re.compile(re.escape(self.char)).search

    def beginning(self, c: str, i: int) -> int:
        """Where the end of the buffer may be the beginning of a token, or its end."""
        n = len(c)
        at = c.find(self.char, max(i, n - len(self.text) + 1))
        while at >= 0 and not self.text.startswith(c[at:]):
            at = c.find(self.char, at + 1)
        return n if at < 0 else at


@lru_cache(maxsize=64)
def _token(text: str) -> Token:
    return Token(text)


def scan_elements(draft: Draft, words: Mapping[str, str]) -> Reading:
    """All elements from the cursor on; leaves it before the tag that ends them."""
    cursor, token = draft.cursor, _token(words[OPEN][:-1])
    draft.arguments = (cursor.base + cursor.i, cursor.base + cursor.i)
    while True:
        if not (yield from skip_space(cursor)):
            return False
        if not (yield from _at_token(draft, token)):
            break
        tag = Tag((yield from _tag(draft, token)))
        if tag.closes or not tag.name:
            return True
        cursor.i = tag.end
        closed = yield from _element(draft, tag.name, token)
        if not closed:
            return cut(cursor)
        if draft.is_broken:
            break
    draft.break_off()
    return (yield from _to_end(draft, token, words[END])) or cut(cursor)


def _at_token(draft: Draft, token: Token) -> Reading:
    """Whether the token stands at the cursor."""
    cursor = draft.cursor
    while not cursor.c.startswith(token.text, cursor.i):
        if not token.text.startswith(cursor.c[cursor.i :]) or not (yield from wait(cursor)):
            return False
    return True


def _tag(draft: Draft, token: Token) -> Any:
    """The match of the tag whose token stands at the cursor; None where it is no tag of an element."""
    cursor = draft.cursor
    while True:
        at = cursor.i + len(token.text)
        match = _TAG(cursor.c, at)
        if match is not None or not _TAG_BEGUN(cursor.c, at) or not (yield from wait(cursor)):
            return match


def _element(draft: Draft, name: str, token: Token) -> Reading:
    """The inside of an argument's element, and its end."""
    cursor = draft.cursor
    begin = cursor.base + cursor.i
    draft.key, draft.kind = name, None
    member = TextMember(draft, name, None)
    pieces = member.texts
    if draft.verbatim:
        while (yield from _to_token(draft, token, member)):
            tag = Tag((yield from _tag(draft, token)))
            if tag.closes and tag.name == name and (yield from _followed(draft, token, tag)):
                cursor.i += len(token.text) + len(name) + 3
                member.close()
                return True
            cursor.i += len(token.text)
            member.piece(token.text, cursor.base + cursor.i)
        return False
    names = [name]
    while (yield from _to_token(draft, token, member)):
        tag = Tag((yield from _tag(draft, token)))
        if tag.closes:
            if tag.name != names.pop():
                draft.is_broken = True
                return True
            if not names:
                cursor.i = tag.end
                whole_member(draft, name, None, "".join(pieces), begin)
                return True
        elif tag.name:
            names.append(tag.name)
        end = tag.end or cursor.i + len(token.text)
        pieces.append(cursor.c[cursor.i : end])
        cursor.i = end
    return False


def _followed(draft: Draft, token: Token, tag: Tag) -> Reading:
    """Whether what may follow an element stands behind its closing tag."""
    cursor = draft.cursor
    behind = tag.end - cursor.i
    while True:
        at = cursor.i + behind
        if cursor.final:
            return token.follows(cursor.c, at) is not None
        if token.may_follow(cursor.c, at):
            yield from wait(cursor)
            continue
        return token.follows(cursor.c, at) is not None


def _to_token(draft: Draft, token: Token, member: TextMember | None) -> Reading:
    """The text up to the next token, which the cursor is then at."""
    cursor = draft.cursor
    while True:
        c, i = cursor.c, cursor.i
        at = nearest(c, token.text, i)
        found = at >= 0
        if not found:
            at = len(c) if cursor.final else token.beginning(c, i)
        cursor.i = at
        if member is not None:
            member.piece(c[i:at], cursor.base + at)
        if found:
            return True
        if cursor.final:
            return False
        if at < len(c) or member is None:
            yield from wait(cursor)
        elif not (yield from member.plain_chunks(token.special)):
            return False


def _to_end(draft: Draft, token: Token, end: str) -> Reading:
    """What follows the elements, behind whatever stands before it."""
    cursor = draft.cursor
    ends = re.compile(end).match
    while (yield from _to_token(draft, token, None)):
        while len(cursor.c) - cursor.i < len(end) and not cursor.final:
            if not (yield from wait(cursor)):
                break
        if ends(cursor.c, cursor.i):
            return True
        cursor.i += len(token.text)
    return False
