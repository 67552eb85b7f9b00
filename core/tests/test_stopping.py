"""Stop strings on our side, and server-sent events: the same whatever pieces they come in."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polylect import ModelError, _sse
from polylect.plugin import Stopper, StreamStopper

LETTERS = "ab\n"
TEXTS = st.text(LETTERS, max_size=24)
STOPS = st.lists(st.text(LETTERS, min_size=1, max_size=5), max_size=4)
CUTS = st.lists(st.integers(1, 4), min_size=1, max_size=8)


def pieces(text: Any, sizes: list[int]) -> list[Any]:
    """A text, or bytes, in pieces of these sizes, used in turn."""
    found, at, turn = [], 0, 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        found.append(text[at : at + size])
        at, turn = at + size, turn + 1
    return found


def ended_first(text: str, stops: list[str]) -> str:
    """The text up to the stop string that ends first, found the plain way."""
    for end in range(len(text) + 1):
        found = [stop for stop in stops if text[:end].endswith(stop)]
        if found:
            return text[: end - max(map(len, found))]
    return text


@given(TEXTS, STOPS, CUTS)
def test_a_text_is_cut_at_the_stop_string_that_ends_first(text: str, stops: list[str], sizes: list[int]) -> None:
    stopper = Stopper(stops)
    said = ""
    for piece in pieces(text, sizes):
        said += stopper.feed(piece)
        assert text.startswith(said)
    said += stopper.close()
    assert said == ended_first(text, stops)
    assert (stopper.found is not None) == (said != text)


@given(TEXTS, STOPS, CUTS)
def test_chunks_are_cut_as_texts_are(text: str, stops: list[str], sizes: list[int]) -> None:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        return {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None}

    stopper = StreamStopper(stops)
    given = [chunk({"role": "assistant"}), *(chunk({"content": x}) for x in pieces(text, sizes)), chunk({}, "length")]
    through = [x for one in given for x in stopper.feed(one)]
    assert stopper.close() == []
    assert "".join(x["choices"][0]["delta"].get("content", "") for x in through) == ended_first(text, stops)
    cut = ended_first(text, stops) != text
    reasons = [x["choices"][0]["finish_reason"] for x in through if x["choices"][0]["finish_reason"]]
    assert reasons[0] == ("stop" if cut else "length")


def test_what_has_no_content_comes_through_as_it_is() -> None:
    stopper = StreamStopper(["x"])
    odd: list[Any] = [
        {"choices": []},
        {"choices": [{"message": {}}]},
        {"usage": {}},
        None,
        {"choices": [{"delta": None}]},
    ]
    for chunk in odd:
        assert stopper.feed(chunk) == [chunk]
    calls = {"choices": [{"index": 0, "delta": {"tool_calls": [{}]}, "finish_reason": None}]}
    assert stopper.feed(calls) == [calls]


EVENTS = st.lists(
    st.tuples(st.sampled_from(["", "ping"]), st.text("aå\N{SNOWMAN}: ", min_size=1, max_size=8)), max_size=5
)


@given(EVENTS, st.sampled_from(["\n", "\r\n", "\r"]), CUTS)
def test_events_may_be_cut_anywhere(events: list[tuple[str, str]], end: str, sizes: list[int]) -> None:
    lines = [
        line
        for name, data in events
        for line in (*([f"event: {name}"] if name else []), ": a comment", f"data: {data}", "")
    ]
    reader = _sse.EventReader()
    written = "".join(f"{line}{end}" for line in lines).encode()
    found = [event for piece in pieces(written, sizes) for event in reader.feed(piece)]
    assert found + reader.close() == events


def test_events_as_the_standard_has_them() -> None:
    reader = _sse.EventReader()
    assert reader.feed(b"data: a\ndata:b\ndata\nid: 7\nretry: 3\n\n") == [("", "a\nb\n")]
    assert reader.feed(b"event: x\n\n\r\n\rdata:  two\n\n") == [("", " two")]
    assert reader.feed(b"data: without an end") == []
    assert reader.close() == [("", "without an end")]
    assert _sse.EventReader().close() == []


def test_half_a_character_is_replaced() -> None:
    reader = _sse.EventReader()
    assert reader.feed("data: å".encode()[:-1]) == []
    assert reader.close() == [("", "\N{REPLACEMENT CHARACTER}")]


def test_an_event_without_an_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sse, "MAX_EVENT", 1000)
    reader = _sse.EventReader()
    for _ in range(3):
        reader.feed(b"data: " + b"x" * 400 + b"\n\n")
    for _ in range(10):
        assert reader.feed(b"data: " + b"x" * 94) == []
    with pytest.raises(ModelError, match="more than 1,000 bytes"):
        reader.feed(b"x")
