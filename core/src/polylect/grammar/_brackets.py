"""The scanner of text in square brackets."""

from __future__ import annotations

import re

from .._values import ArgumentsDelta
from ._draft import TEXT, Draft
from ._pieces import ARGUMENTS, HOLD, Reading

_SQUARE = re.compile(r"[\[\]]").search


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
                cursor.last = end if end > 0 else 0
            elif mode == HOLD:
                draft.hold(c[i:stop])
            else:
                draft.answer_delta(c[i:stop], end)
        cursor.i = n if depth else at
        if not depth:
            return True
        d = yield cursor.out
        if mode == ARGUMENTS and cursor.base >= 0:
            # --- all chunks that follow without a bracket
            base, last, index, seen = cursor.base + n, cursor.last, draft.index, cursor.seen
            while d and "[" not in d and "]" not in d:
                seen.append(d)
                base += len(d)
                delta = ArgumentsDelta(last, base, index, d)
                last = base
                d = yield [delta]
            cursor.c, cursor.base, cursor.last = "", base, last
            draft.arguments = (start, base)
        cursor.refill(d)
        if cursor.final:
            return False
