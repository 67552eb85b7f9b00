"""The engine reads what stock lark reads, token for token, and everything else somehow."""

from __future__ import annotations

import random

import pytest

from polylect import Reply

from .mutants import mutants
from .reference import Pieces
from .streams import cut_anywhere, feed, hold
from .tongues import TONGUES, Tongue
from .tracer import trace

MUTANTS = 250
LONG = 40
FAULTS = ("skipped", "truncated", "observation", "limit")
"""Diagnostics of the engine's own remedies; the others are about what a call holds."""


def agree(tongue: Tongue, text: str) -> Pieces | None:
    """Stock lark's reading of ``text``, which the engine's is held to; None when lark does not accept it."""
    pieces = tongue.reference.read(text)
    traced = trace(tongue.grammar.tables, tongue.lead + text)
    if pieces is None:
        # the scanner of payloads is wider than their rules, and nothing else is wider
        assert traced is None or any(token[0][0] == "@" for token in traced.tokens)
        return None
    assert traced is not None
    assert traced.tokens == pieces.tokens
    same_pieces(tongue.lect.transcript(text), pieces)
    return pieces


def same_pieces(reply: Reply, pieces: Pieces) -> None:
    """The engine read without a remedy, and found the pieces that the rules say."""
    assert [x for x in reply.diagnostics if x.code in FAULTS] == []
    assert reply.complete
    assert sorted(reply.parts) == pieces.parts
    assert reply.answer == pieces.answer
    assert len(reply.calls) == len(pieces.calls)
    for call, wanted in zip(reply.calls, pieces.calls, strict=True):
        assert (call.start, call.end, call.name, call.id, call.raw) == tuple(wanted)


def total(tongue: Tongue, text: str, choose: random.Random) -> Reply:
    """The reply to ``text``, the same however it is cut."""
    whole = tongue.lect.parse(text)
    events, streamed = feed(tongue.lect, cut_anywhere(text, choose))
    hold(events, text, streamed)
    assert streamed.to_json() == whole.to_json()
    return whole


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_the_engine_agrees_on_every_example(tongue: Tongue) -> None:
    for text in tongue.examples:
        assert agree(tongue, text) is not None, text
        total(tongue, text, random.Random(0))


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_every_prefix_of_every_example(tongue: Tongue) -> None:
    choose = random.Random(0)
    for text in tongue.examples:
        for size in range(len(text)):
            agree(tongue, text[:size])
            total(tongue, text[:size], choose)


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_mutants(tongue: Tongue) -> None:
    choose = random.Random(0)
    accepted = 0
    for text in mutants(tongue.examples, MUTANTS, seed=1):
        accepted += agree(tongue, text) is not None
        total(tongue, text, choose)
    assert accepted > MUTANTS // 20, "so few say little"


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_long_messages(tongue: Tongue) -> None:
    choose = random.Random(5)
    for text in (*tongue.examples, *mutants(tongue.examples, LONG, seed=6)):
        piece = choose.choice(("prose ", "\n", " ", "é", '\\"', text[:7], text[-9:], text[2:4] + "x"))
        at = choose.randint(0, len(text))
        text = text[:at] + piece * (choose.choice((60, 250, 260, 510, 515, 1500)) // max(len(piece), 1)) + text[at:]
        agree(tongue, text)
        total(tongue, text, choose)
