"""Arguments that are not JSON: key and value pairs, raw texts, brackets; and ids that stand outside."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polylect import ArgumentsDelta, CallEnd, CallStart, Reply, TextLect

from .streams import alike, cut, feed, hold, only_call
from .tongues import BRACKET, CHANNELS, NAMED, PAIRS, PARAMETERS, REACT, Tongue

VALUES = (
    "v",
    "two words",
    "a\nbreak",
    '"quoted"',
    "back\\slash",
    "\t\x01\x7f",
    "é 😀 \u2028",
    "< & </",
    "{}",
    "\ud800",
)


def pairs(**values: str) -> str:
    body = "".join(f"<key>{key}</key><value>{value}</value>\n" for key, value in values.items())
    return f"<call>a{body}</call>"


def parameters(**values: str) -> str:
    body = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in values.items())
    return f"<tool_call>\n<function=a>\n{body}</function>\n</tool_call>"


def all_cuts(lect: TextLect, text: str, **options: Any) -> Reply:
    """The reply to ``text``, the same for every cut in two and in small pieces."""
    ways = (cut(text, 1), cut(text, 3, 2), *([text[:at], text[at:]] for at in range(len(text))))
    return alike(lect, text, ways, **options)


@pytest.mark.parametrize(("tongue", "write"), [(PAIRS, pairs), (PARAMETERS, parameters)], ids=["pairs", "parameters"])
def test_pairs_are_a_json_object(tongue: Tongue, write: Any) -> None:
    for values in ({"k": "v"}, {"k": "v", "l": "w", "m": "x"}, *({"k": value, 'é "': value} for value in VALUES)):
        call = only_call(all_cuts(tongue.lect, write(**values)))
        assert (call.name, call.status, call.arguments) == ("a", "complete", values)
        assert json.loads(call.raw) == values
        events, _ = feed(tongue.lect, cut(write(**values), 1))
        deltas = [event.text for event in events if isinstance(event, ArgumentsDelta)]
        assert "".join(deltas) == call.raw


@pytest.mark.parametrize(("tongue", "write"), [(PAIRS, pairs), (PARAMETERS, parameters)], ids=["pairs", "parameters"])
def test_a_value_goes_out_while_it_comes(tongue: Tongue, write: Any) -> None:
    text = write(k="a long value")
    parser = tongue.lect.parser()
    events = parser.feed(text[: text.index("long") + 2])
    assert [event.text for event in events if isinstance(event, ArgumentsDelta)] == ['{"k": "a lo']
    assert isinstance(events[0], CallStart)
    (delta,) = parser.feed("ng")
    assert isinstance(delta, ArgumentsDelta)
    assert delta.text == "ng"


@pytest.mark.parametrize(("tongue", "write"), [(PAIRS, pairs), (PARAMETERS, parameters)], ids=["pairs", "parameters"])
def test_an_empty_value_is_a_value(tongue: Tongue, write: Any) -> None:
    text = write(k="", l="w").replace("\n\n", "\n")
    call = only_call(all_cuts(tongue.lect, text))
    assert call.arguments == json.loads(call.raw) == {"k": "", "l": "w"}
    assert only_call(all_cuts(tongue.lect, write(k="").replace("\n\n", "\n"))).arguments == {"k": ""}


def test_a_key_twice() -> None:
    text = "<call>a<key>k</key><value>1</value><key>k</key><value>2</value></call>"
    call = only_call(all_cuts(PAIRS.lect, text))
    assert call.arguments == json.loads(call.raw) == {"k": "2"}


def test_a_call_without_pairs_has_no_arguments() -> None:
    call = only_call(all_cuts(PAIRS.lect, "<call>a</call>"))
    assert (call.raw, call.arguments, call.status) == ("", None, "invalid")


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_pairs_that_are_cut_do_not_run(finish_reason: str) -> None:
    text = pairs(k="v", l="w")
    for size in range(len(text)):
        events, reply = feed(PAIRS.lect, [text[:size]], finish_reason=finish_reason)
        assert reply.calls == ()
        assert all(event.call.status == "truncated" for event in events if isinstance(event, CallEnd))
    events, reply = feed(PAIRS.lect, cut(text[:-3], 2), arguments="held")
    assert [type(event).__name__ for event in events] == ["ReplyEnd"]


def test_pairs_held_back() -> None:
    text = pairs(k="v", l="w")
    events, reply = feed(PAIRS.lect, cut(text, 2), arguments="held")
    hold(events, text, reply)
    assert [type(event).__name__ for event in events] == ["CallStart", "ArgumentsDelta", "CallEnd", "ReplyEnd"]
    assert only_call(reply).arguments == {"k": "v", "l": "w"}


def test_two_calls_do_not_share_their_pairs() -> None:
    reply = all_cuts(PAIRS.lect, f"{pairs(k='v')}{pairs(l='w')}<call>b</call>{pairs(m='x')}")
    assert [call.arguments for call in reply.calls] == [{"k": "v"}, {"l": "w"}, None, {"m": "x"}]


@pytest.mark.parametrize(
    "value",
    [
        "a</parameter>b",
        "</parameter>\n",
        "</function>",
        "</parameter>\n</function",
        "x</parameter> <b>",
        "<parameter=z>",
    ],
)
def test_a_close_tag_that_nothing_may_follow_is_part_of_the_value(value: str) -> None:
    reply = all_cuts(PARAMETERS.lect, parameters(k=value, l="w"))
    assert only_call(reply).arguments == {"k": value, "l": "w"}


def test_an_id_outside_of_the_arguments() -> None:
    text = "[CALL]a[ID] call_1 [ARGS]{}[CALL]b[ARGS]{}[CALL]c[ID]3[ARGS]{}"
    reply = all_cuts(NAMED.lect, text)
    assert [(call.name, call.id) for call in reply.calls] == [("a", "call_1"), ("b", None), ("c", "3")]
    events, _ = feed(NAMED.lect, cut(text, 1))
    starts = [event for event in events if isinstance(event, CallStart)]
    assert [(event.name, event.id) for event in starts] == [("a", None), ("b", None), ("c", None)]
    events, _ = feed(NAMED.lect, cut(text, 1), arguments="held")
    starts = [event for event in events if isinstance(event, CallStart)]
    assert [event.id for event in starts] == ["call_1", None, "3"]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("Action: a[]", ""),
        ("Action: a[b]", "b"),
        ("Action: a[b [c] [d[e]]]", "b [c] [d[e]]"),
        ("Action: a[two\nlines\nThought: no]", "two\nlines\nThought: no"),
        ("Action: a[b] tail [c]", "b"),
        ('Action: a["]"]', '"'),
    ],
)
def test_brackets_that_balance(text: str, raw: str) -> None:
    call = only_call(all_cuts(BRACKET.lect, text))
    assert (call.name, call.raw, call.status) == ("a", raw, "complete")


def test_brackets_that_do_not_balance_are_a_cut_call() -> None:
    for text in ("Action: a[", "Action: a[b", "Action: a[b[c]", "Action: a[b\nAction: c[d]"):
        reply = all_cuts(BRACKET.lect, text)
        assert (reply.calls, reply.complete) == ((), False)


@pytest.mark.parametrize("tongue", [REACT, CHANNELS], ids=str)
def test_raw_text_goes_out_as_it_comes(tongue: Tongue) -> None:
    opening = "Action: a\nAction Input: " if tongue is REACT else "<|channel|>commentary to=functions.a<|message|>"
    closing = "\nThought: b" if tongue is REACT else "<|call|>"
    body = "x < y |\n\nso <|cal Action\n\nx"
    events, reply = feed(tongue.lect, cut(opening + body + closing, 1))
    assert only_call(reply).raw == body
    deltas = [event for event in events if isinstance(event, ArgumentsDelta)]
    assert len(deltas) > len(body) // 2
    all_cuts(tongue.lect, opening + body + closing)
    all_cuts(tongue.lect, opening + body)
