"""Reading tokens: special tokens are structure by their ids, and text that spells one is text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import LectError

SPECIAL = {1: "<tool_call>", 2: "</tool_call>", 3: "<think>", 4: "</think>", 5: "<|im_end|>"}
IDS = {text: number for number, text in SPECIAL.items()}


def hermes() -> polylect.TextLect:
    lect = polylect.lect("hermes")
    assert isinstance(lect, polylect.TextLect)
    return lect


HERMES = hermes()


def tokens(*pieces: str | int) -> list[tuple[int, str]]:
    return [(piece, SPECIAL[piece]) if isinstance(piece, int) else (99, piece) for piece in pieces]


def read(given: list[tuple[int, str]], each: int = 1, **options: Any) -> tuple[polylect.Reply, list[polylect.Event]]:
    parser = HERMES.token_parser(SPECIAL, **options)
    events = []
    for at in range(0, len(given), each):
        events += parser.feed(given[at : at + each])
    events += parser.close()
    assert isinstance(events[-1], polylect.ReplyEnd)
    assert events[-1].reply.to_json() == parser.reply.to_json()
    return parser.reply, events


CALL = '\n{"name": "now", "arguments": {"a": "b"}}\n'


def test_ids_say_what_is_structure() -> None:
    reply, _ = read(tokens("One moment.\n", 1, CALL, 2))
    assert reply.content == "One moment."
    assert [(call.name, call.arguments) for call in reply.calls] == [("now", {"a": "b"})]
    assert reply == HERMES.parse(f"One moment.\n<tool_call>{CALL}</tool_call>")


@pytest.mark.parametrize("each", [1, 2, 100])
def test_text_that_looks_like_a_special_token_is_text(each: int) -> None:
    pieces = ("Write <tool", "_call", ">", CALL, "</tool_call> to call <think>", "a</", "think>.")
    reply, events = read(tokens(*pieces), each)
    assert reply.content == "".join(pieces) == reply.text
    assert not reply.calls
    assert "".join(event.text for event in events if isinstance(event, polylect.ContentDelta)) == reply.content
    assert [event.start for event in events[1:]] == [event.end for event in events[:-1]]
    assert events[-1].end == len(reply.text)


def test_a_look_alike_in_arguments_and_in_reasoning() -> None:
    inside = '\n{"name": "now", "arguments": {"</tool_call>": ["<think>", 1]}}\n'
    reply, events = read(tokens(3, "\nIs </think> the end?\n", 4, 1, inside, 2, "<|im_", "end|>", 5))
    assert reply.reasoning == "Is </think> the end?"
    assert reply.calls[0].arguments == {"</tool_call>": ["<think>", 1]}
    assert reply.calls[0].raw == '{"</tool_call>": ["<think>", 1]}'
    assert reply.content == "<|im_end|>"
    start, end = reply.calls[0].span
    assert reply.text[start:end] == inside.strip()
    deltas = "".join(event.text for event in events if isinstance(event, polylect.ArgumentsDelta))
    assert deltas == reply.calls[0].raw


PIECES = st.lists(
    st.sampled_from(["<", "tool_call>", "</", "<tool_call>", "think>", "a", "\n", CALL, "<think>", "|im_"])
)


@given(PIECES, st.integers(1, 5))
def test_ordinary_tokens_are_content_whatever_they_spell(pieces: list[str], each: int) -> None:
    reply, events = read(tokens(*pieces), each)
    assert reply.content == reply.text == "".join(pieces)
    assert not reply.calls
    assert "".join(event.text for event in events if isinstance(event, polylect.ContentDelta)) == reply.content


@given(st.lists(st.sampled_from(["a", "\n", "b c", CALL, *SPECIAL])), st.integers(1, 5))
def test_without_look_alikes_tokens_are_the_text(pieces: list[str | int], each: int) -> None:
    reply, _ = read(tokens(*pieces), each)
    text = "".join(text for _, text in tokens(*pieces))
    assert reply.to_json() == HERMES.parse(text).to_json()


def test_the_character_that_guards_is_replaced() -> None:
    assert read(tokens("a\ufdd0b"))[0].content == "a\ufffdb"


def test_options_are_those_of_a_parser() -> None:
    reply, _ = read(tokens("I see.\n", 4, "Yes."), prefix="<think>\n")
    assert (reply.reasoning, reply.content) == ("I see.", "Yes.")
    with pytest.raises(LectError, match="no policy"):
        HERMES.token_parser(SPECIAL, polcy="x")


@pytest.mark.parametrize("given", [[1], {"<think>": 1}, {1: ""}, None])
def test_special_tokens_are_a_dict(given: Any) -> None:
    with pytest.raises(LectError, match="special_tokens is a dict"):
        HERMES.token_parser(given)
