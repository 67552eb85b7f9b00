"""Stream deltas: cut anywhere, interleaved, without index, with one index for all, as dicts and SDK objects."""

from __future__ import annotations

import json
import random
from types import SimpleNamespace
from typing import Any

import pytest

import polylect
from polylect import ArgumentsDelta, Call, CallEnd, CallStart, ContentDelta, Event, LectError, ParseError, ReplyEnd

LECT = polylect.lect("tool_calls")


def piece(index: int | None, name: str | None = None, arguments: Any = None, identifier: str | None = None) -> Any:
    function = {key: x for key, x in (("name", name), ("arguments", arguments)) if x is not None}
    entry = {key: x for key, x in (("index", index), ("id", identifier)) if x is not None}
    return {"tool_calls": [{**entry, "function": function}]}


def run(*deltas: Any, finish_reason: str = "stop", **options: Any) -> tuple[list[Event], polylect.Reply]:
    parser = LECT.parser(**options)
    events = [event for delta in deltas for event in parser.feed(delta)]
    events += parser.close(finish_reason)
    assert events[-1] == ReplyEnd(events[-1].start, events[-1].end, parser.reply)
    at = 0
    for event in events:
        assert event.start == at
        at = event.end
    assert at == len(parser.reply.text)
    return events, parser.reply


def said(reply: polylect.Reply) -> list[tuple[Any, ...]]:
    return [(x.name, x.arguments, x.id, x.status) for x in reply.calls]


MESSAGES: tuple[Any, ...] = (
    *LECT.examples,
    {"role": "assistant", "content": ""},
    {"role": "assistant", "content": None, "refusal": "I can't."},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, "a", {"type": "odd"}, 7, "b"]},
    {"content": "", "reasoning": "hm", "tool_calls": [{"name": "f", "args": {"a": [1, "é"]}, "id": None}]},
    {"content": "x", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "py", "input": "print(1)"}}]},
    {"content": "x", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}, "more": {"sign": "x"}}]},
    {"content": "x", "tool_calls": [7, None, {"id": "c", "function": {"name": "f", "arguments": '{"a": '}}]},
    {"content": "x", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}] * 3},
    {"content": "x", "tool_calls": [], "invalid_tool_calls": [{"name": "f", "args": "{", "id": "c", "error": None}]},
    {"content": "x", "additional_kwargs": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": ""}}]}},
    {"content": "x", "details": [{"a": 1}], "function_call": {"name": "f"}},
)


@pytest.mark.parametrize("options", [{}, {"arguments": "held"}, {"truncated": "flag"}, {"finish_reason": "length"}])
@pytest.mark.parametrize("given", MESSAGES, ids=range(len(MESSAGES)))
def test_any_cut_says_what_the_whole_says(given: Any, options: dict[str, Any]) -> None:
    whole = LECT.parse(given, **options)
    draw = random.Random(7)
    for sizes in ([10**9], [1], *([draw.randint(1, 9) for _ in range(5)] for _ in range(10))):
        deltas = LECT.chunks(given, sizes)
        _, reply = run(*deltas, **options)
        assert reply.to_json() == whole.to_json()
        assert run(*[json.dumps(x) for x in deltas], **options)[1].to_json() == whole.to_json()


def test_events_come_as_soon_as_they_are_certain() -> None:
    parser = LECT.parser()
    assert parser.feed({"role": "assistant"}) == []
    assert parser.feed({"role": "assistant", "content": ""}) == []
    assert parser.feed({"content": "So"}) == [ContentDelta(0, 2, "So")]
    assert parser.feed(piece(0, "add", "", "c1")) == []
    assert parser.feed(piece(0, None, '{"a"')) == [CallStart(2, 5, 0, "c1", "add"), ArgumentsDelta(5, 9, 0, '{"a"')]
    assert parser.feed(piece(0, None, ": 1}")) == [ArgumentsDelta(9, 13, 0, ": 1}")]
    add = Call("add", {"a": 1}, '{"a": 1}', "c1", 2, 13)
    (end,) = parser.feed(piece(1, "now", "", "c2"))
    assert isinstance(end, CallEnd)
    assert (end.index, end.call.to_json()) == (0, add.to_json())
    start, end, last = parser.close()
    assert isinstance(start, CallStart)
    assert isinstance(end, CallEnd)
    assert isinstance(last, ReplyEnd)
    assert ((start.index, start.name), (end.index, end.call)) == ((1, "now"), (1, Call("now", {})))


def test_held_arguments_come_with_the_end_of_the_call() -> None:
    parser = LECT.parser(arguments="held")
    assert parser.feed(piece(0, "add", '{"a"', "c1")) == []
    assert parser.feed(piece(0, None, ": 1}")) == []
    events = parser.feed(piece(1, "mul", "{", "c2"))
    assert [type(x) for x in events] == [CallStart, ArgumentsDelta, CallEnd]
    assert [type(x) for x in parser.close()] == [ReplyEnd]
    assert said(parser.reply) == [("add", {"a": 1}, "c1", "complete")]


def test_chunks_with_choices() -> None:
    def chunk(delta: Any, finish_reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        return {"id": "x", "object": "chat.completion.chunk", "choices": [choice]}

    other = {"choices": [{"index": 1, "delta": {"content": "other"}}]}
    deltas = [piece(0, "add", "", "c1"), piece(0, None, '{"a": '), piece(0, None, "1}")]
    ends = [chunk({}, "tool_calls"), {"choices": [], "usage": {"total_tokens": 9}}, {"usage": {"total_tokens": 9}}]
    _, reply = run(chunk({"role": "assistant", "content": None}), *map(chunk, deltas), other, *ends)
    assert said(reply) == [("add", {"a": 1}, "c1", "complete")]
    cut = run(*map(chunk, deltas[:2]), chunk({}, "length"))[1]
    assert (said(cut), cut.complete) == ([], False)
    assert run(chunk(deltas[0]), {"choices": [{"delta": {}, "finish_reason": ["odd"]}]})[1].complete


def test_sdk_chunks() -> None:
    def tool_call(**fields: Any) -> SimpleNamespace:
        return SimpleNamespace(index=0, **fields)

    def chunk(**delta: Any) -> SimpleNamespace:
        return SimpleNamespace(choices=[SimpleNamespace(index=0, delta=SimpleNamespace(**delta), finish_reason=None)])

    one = tool_call(id="c1", type="function", function=SimpleNamespace(name="add", arguments=""))
    two = tool_call(id=None, type=None, function=SimpleNamespace(name=None, arguments='{"a": 1}'))
    _, reply = run(
        chunk(role="assistant", content=None, tool_calls=None),
        chunk(content="So", reasoning_content="hm"),
        chunk(content=None, tool_calls=[one]),
        chunk(content=None, tool_calls=[two]),
        SimpleNamespace(choices=[], usage=SimpleNamespace(total_tokens=3)),
    )
    assert (reply.reasoning, reply.content, said(reply)) == ("hm", "So", [("add", {"a": 1}, "c1", "complete")])


def test_interleaved_calls() -> None:
    events, reply = run(
        piece(0, "add", "", "c1"),
        piece(1, "mul", "", "c2"),
        piece(0, None, '{"a"'),
        piece(1, None, '{"b"'),
        {"tool_calls": [*piece(0, None, ": 1}")["tool_calls"], *piece(1, None, ": 2}")["tool_calls"]]},
    )
    assert said(reply) == [("add", {"a": 1}, "c1", "complete"), ("mul", {"b": 2}, "c2", "complete")]
    assert reply.text == 'addmul{"a"{"b": 1}: 2}'
    assert [reply.text[start:end] for _, start, end in reply.parts] == ["add", "mul", '{"a"', '{"b"', ": 1}", ": 2}"]
    assert [x.index for x in events if isinstance(x, CallEnd)] == [0, 1]
    decision = LECT.decide(reply)
    assert isinstance(decision, list)
    assert [x.tool for x in decision] == ["add", "mul"]


def test_both_of_two_interleaved_calls_may_be_cut() -> None:
    deltas = [piece(0, "add", "{", "c1"), piece(1, "mul", "{", "c2"), piece(0, None, '"a"')]
    assert said(run(*deltas)[1]) == []
    statuses = [x.status for x in run(*deltas, truncated="flag")[1].calls]
    assert statuses == ["truncated", "truncated"]


def test_a_server_without_index() -> None:
    by_id = [piece(None, "a", "", "c1"), piece(None, "b", "", "c2"), piece(None, None, '{"x": 1}', "c1")]
    assert [x[:2] for x in said(run(*by_id)[1])] == [("a", {"x": 1}), ("b", {})]
    in_order = [piece(None, "a", '{"x": 1'), piece(None, None, "}"), piece(None, "a", "{}")]
    assert [x[:2] for x in said(run(*in_order)[1])] == [("a", {"x": 1}), ("a", {})]
    nameless = run(piece(None, None, "{}"))[1]
    assert said(nameless) == [("", {}, None, "invalid")]


def test_a_server_that_calls_every_index_0() -> None:
    whole = [piece(0, "a", '{"x": 1}', "c1"), piece(0, "a", '{"x": 2}', "c2"), piece(0, "b", '{"x": 3}')]
    assert [x[:3] for x in said(run(*whole)[1])] == [
        ("a", {"x": 1}, "c1"),
        ("a", {"x": 2}, "c2"),
        ("b", {"x": 3}, None),
    ]


def test_a_server_that_repeats_name_and_id() -> None:
    deltas = [piece(0, "search", "", "c1"), piece(0, "search", '{"a"', "c1"), piece(0, "search", ": 1}", "c1")]
    assert said(run(*deltas)[1]) == [("search", {"a": 1}, "c1", "complete")]


def test_a_server_that_makes_a_new_id_for_every_delta() -> None:
    deltas = [piece(0, "search", "", "c1"), piece(0, None, '{"a"', "c2"), piece(0, None, ": 1}", "c3")]
    assert said(run(*deltas)[1]) == [("search", {"a": 1}, "c1", "complete")]


def test_a_name_in_pieces() -> None:
    events, reply = run(piece(0, "get_", identifier="c1"), piece(0, "get_"), piece(0, "it"), piece(0, None, "{}"))
    assert said(reply) == [("get_get_it", {}, "c1", "complete")]
    assert events[0] == CallStart(0, 10, 0, "c1", "get_get_it")


def test_arguments_before_the_name() -> None:
    events, reply = run(piece(0, None, '{"a"'), piece(0, "add", None, "c1"), piece(0, None, ": 1}"))
    assert said(reply) == [("add", {"a": 1}, "c1", "complete")]
    assert [type(x) for x in events] == [CallStart, ArgumentsDelta, ArgumentsDelta, CallEnd, ReplyEnd]
    assert reply.calls[0].raw == '{"a": 1}'


def test_what_comes_too_late_is_kept_and_reported() -> None:
    late = [piece(0, "a", "{}", "c1"), piece(1, "b", "{}", "c2"), piece(0, None, '{"x": 1}')]
    reply = run(*late)[1]
    assert [x[:2] for x in said(reply)] == [("a", {}), ("b", {})]
    (note,) = reply.diagnostics
    assert (note.code, reply.text[note.start : note.end]) == ("skipped", '{"x": 1}')
    name = run(piece(0, "se", "", "c1"), piece(1, "b", "{}", "c2"), piece(0, "arch"))[1]
    assert [x.name for x in name.calls] == ["se", "b"]
    assert [x.code for x in name.diagnostics] == ["skipped"]


def test_content_after_a_call() -> None:
    _, reply = run({"content": "a"}, piece(0, "f", "{}", "c1"), {"content": "b"}, {"reasoning": "c"})
    assert (reply.content, reply.reasoning, reply.text) == ("ab", "c", "af{}bc")
    assert [x[0] for x in reply.parts] == ["content", "call", "content", "reasoning"]


def test_the_legacy_function_call_in_deltas() -> None:
    deltas = [{"name": "add"}, {"arguments": '{"a"'}, {"arguments": ": 1}"}]
    _, reply = run(*({"function_call": x} for x in deltas))
    assert said(reply) == [("add", {"a": 1}, None, "complete")]
    assert reply.message is not None
    assert reply.message["function_call"] == {"name": "add", "arguments": '{"a": 1}'}


def test_a_whole_message_in_one_chunk() -> None:
    for given in LECT.examples:
        for chunk in ({"choices": [{"index": 0, "message": given}]}, {"message": given, "done": True}):
            assert run(chunk)[1].to_json() == LECT.parse(given).to_json()


def test_decoded_arguments_in_a_delta() -> None:
    assert said(run(piece(0, "add", {"a": 1}, "c1"))[1]) == [("add", {"a": 1}, "c1", "complete")]


@pytest.mark.parametrize("chunk", [None, b"x", 7, [], object(), "", "data: {}", "[]", "x", "[" * 100_000])
def test_what_is_no_chunk(chunk: Any) -> None:
    parser = LECT.parser()
    with pytest.raises(ParseError) as caught:
        parser.feed(chunk)
    assert caught.value.reason == "not_text"
    assert parser.feed({"content": "on"}) == [ContentDelta(0, 2, "on")]


def test_a_closed_parser() -> None:
    parser = LECT.parser()
    with pytest.raises(LectError, match="after close"):
        _ = parser.reply
    parser.close()
    with pytest.raises(LectError, match="closed"):
        parser.feed({"content": "x"})
    with pytest.raises(LectError, match="closed"):
        parser.close()


def test_a_stream_may_raise_for_a_cut_call() -> None:
    with pytest.raises(ParseError) as caught:
        run(piece(0, "add", '{"a"', "c1"), truncated="raise")
    assert caught.value.reason == "truncated"


def test_tools_and_policies_in_a_stream() -> None:
    tools = [polylect.Tool("get_weather")]
    events, reply = run(piece(0, "Get-Weather", "{}", "c1"), tools=tools, unknown_tool="reject")
    assert events[0] == CallStart(0, 11, 0, "c1", "get_weather")
    assert said(reply) == [("get_weather", {}, "c1", "complete")]
    assert said(run(piece(0, "x", "{}", "c1"), tools=tools, unknown_tool="reject")[1])[0][3] == "invalid"
    assert [x[3] for x in said(run(*[piece(i, "x", "{}", f"c{i}") for i in range(3)], max_calls=1)[1])] == [
        "complete",
        "invalid",
        "invalid",
    ]


def test_chunks_are_cut_as_told() -> None:
    given = {"content": "abcdef", "tool_calls": [{"id": "c1", "function": {"name": "f", "arguments": '{"a": 1}'}}]}
    head = {"id": "c1", "index": 0, "type": "function", "function": {"name": "f", "arguments": ""}}
    assert LECT.chunks(given, [4, 1]) == [
        {"role": "assistant", "content": "abcd"},
        {"content": "e"},
        {"content": "f"},
        {"tool_calls": [head]},
        piece(0, None, "{"),
        piece(0, None, '"a":'),
        piece(0, None, " "),
        piece(0, None, "1}"),
    ]
    assert LECT.chunks({"content": ""}, [3]) == [{"role": "assistant"}]
    for sizes in ([], [0], [2, -1]):
        with pytest.raises(LectError):
            LECT.chunks(given, sizes)
    with pytest.raises(ParseError):
        LECT.chunks(b"x", [1])
