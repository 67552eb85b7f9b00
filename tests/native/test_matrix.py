"""Every native lect x every case x every way to cut a stream.

Each lect writes the cases of ``matrix.py`` itself (``format``, with the tools' schemas) and reads them back: whole, in
one delta, token by token, in groups of tokens, character by character; with argument text streamed live, and held. What
a lect can't say it must refuse: ``refusals.py`` is the list, and it is exact, in both directions.
"""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import Lect, LectError, Reply

from .cutting import Cutter, grouped
from .matrix import CUT, PIECES, TOOLS, Case, case, case_names, native
from .refusals import PLAIN_PIECES, REFUSED, refusal
from .streams import boxed, differences, read, said

NAMES = native()
BOX = boxed(TOOLS)


def test_the_family_is_whole() -> None:
    assert len(NAMES) >= 50


def test_the_refusals_name_lects_and_cases() -> None:
    assert set(REFUSED) <= set(case_names())
    assert {lect for reasons in REFUSED.values() for lects in reasons.values() for lect in lects} <= set(NAMES)
    assert set(PLAIN_PIECES) <= set(NAMES)


def written(name: str, lect: Lect, this: Case) -> str:
    """The case in the lect's tongue."""
    if not this.pieces:
        return str(lect.format(this.reply, tools=BOX))
    texts = [str(lect.format(piece, tools=BOX)) for piece in this.pieces]
    return PLAIN_PIECES.get(lect.name, "".join)(texts)


def cuttings(text: str, lect: Any) -> dict[str, list[str]]:
    """The ways to cut a text."""
    tokens = Cutter([*lect.special, *lect.stops])(text)
    return {
        "one delta": [text],
        "tokens": tokens,
        "several tokens": list(grouped(tokens, 8, 1)),
        "many tokens": list(grouped(tokens, 30, 2)),
        "characters": list(text),
        "uneven": list(grouped(text, 9, 3)),
    }


@pytest.mark.parametrize("lect_name", NAMES)
@pytest.mark.parametrize("name", case_names())
def test_case(name: str, lect_name: str) -> None:
    lect = polylect.lect(lect_name)
    this = case(name, lect)
    reason = refusal(name, lect_name)
    if reason is not None:
        with pytest.raises(LectError) as refused:
            written(name, lect, this)
        assert reason in str(refused.value)
        return
    text = written(name, lect, this)
    reply = lect.parse(text, tools=BOX)
    assert reply == this.reply, f"read from {text[:2000]!r}"
    assert [call.arguments for call in reply.calls] == [call.arguments for call in this.reply.calls]
    assert [type(value) for call in reply.calls for value in call.arguments.values()] == [  # type: ignore[union-attr]
        type(value)
        for call in this.reply.calls
        for value in call.arguments.values()  # type: ignore[union-attr]
    ]
    assert not [note for note in reply.diagnostics if note.code != "tool_name"]
    assert not differences(lect, text, cuttings(text, lect), tools=BOX)


@pytest.mark.parametrize("lect_name", NAMES)
@pytest.mark.parametrize("finish", ["length", "stop"])
def test_cut_at_every_character(lect_name: str, finish: str) -> None:
    """No call that was cut may run, and content and reasoning are what the model said so far: no markup."""
    lect = polylect.lect(lect_name)
    whole = fullest(lect)
    text = str(lect.format(whole, tools=BOX))
    for at in range(len(text)):
        cut = text[:at]
        reply = lect.parse(cut, tools=BOX, finish_reason=finish)
        runs = [call for call in reply.calls if call.runnable]
        assert runs == list(whole.calls[: len(runs)]), f"a call that was cut at {cut[-60:]!r} may run"
        if finish == "length":
            assert is_begun(reply.content, whole.content), f"cut at {cut[-60:]!r}: content {reply.content[-80:]!r}"
            assert is_begun(reply.reasoning, whole.reasoning), f"cut at {cut[-60:]!r}: {reply.reasoning[-80:]!r}"
        for mode in ("live", "held"):
            events, streamed = read(lect, [cut], finish, tools=BOX, arguments=mode)
            assert said(streamed) == said(reply), f"cut at {cut[-60:]!r}, {mode}"
            assert events


def fullest(lect: Lect) -> Reply:
    """As much of the reply that is cut as a lect can say: text and three calls, or less."""
    first = CUT.calls[0]
    for reply in (CUT, Reply(calls=CUT.calls), Reply(CUT.reasoning, CUT.content, (first,)), Reply(calls=(first,))):
        try:
            lect.format(reply, tools=BOX)
        except LectError:
            continue
        return reply
    raise AssertionError(f"{lect.name} can't write a call")


def is_begun(part: str, whole: str) -> bool:
    """Whether ``part`` is the beginning of ``whole``; line breaks and spaces at its end may be layout."""
    return whole.startswith(part.rstrip())


assert set(PIECES) <= set(case_names())
