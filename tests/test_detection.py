"""Which tongue a text is in: by its markers, of whole messages and of streams."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import CallEnd, Detected, Reply, ReplyEnd
from polylect._auto import HELD, AutoParser

EQUALS = (
    {"apriel", "hunyuan_a13b", "jamba"},
    {"mimo", "qwen3_coder_xml"},  # a call without arguments
    {"mistral_v3_array", "xlam"},
)
"""Lects that write some message, or all, in the same characters."""
PROSE = (
    "It rains in Paris.",
    "",
    "See [1] and (2); a < b, {x} and `f(x)`.",
    "1. Thought is free\n2. Action speaks louder\n",
    "```python\nprint([f(x) for x in y])\n```",
)
NATIVE = [x.name for x in polylect.lects() if x.family == "native"]
CALLS = (polylect.Call("get_weather", {"city": "Paris", "days": 3}), polylect.Call("now", {}))
REPLIES = (
    Reply(calls=CALLS[:1]),
    Reply(calls=CALLS[1:]),
    Reply(calls=CALLS),
    Reply(content="One moment.", calls=CALLS[1:]),
    Reply(reasoning="I look it up.", content="One moment.", calls=CALLS[:1]),
)


def written(lect: polylect.Lect) -> Iterator[str]:
    """What a lect writes."""
    for reply in REPLIES:
        with contextlib.suppress(polylect.LectError):
            yield lect.format(reply)


@pytest.mark.parametrize("name", NATIVE)
def test_what_a_lect_writes_is_found_to_be_in_it_or_in_its_equals(name: str) -> None:
    texts = list(written(polylect.lect(name)))
    assert len(texts) > 1
    for text in texts:
        found = polylect.detect(text)
        assert found, text
        best = {found[0].lect, *found[0].equals}
        assert name in best, (text, found[:3])
        assert len(best) == 1 or any(best <= group for group in EQUALS), (text, best)
        read, meant = polylect.lect(found[0].lect).parse(text, prefix=found[0].prefix), polylect.lect(name).parse(text)
        assert [(call.name, call.arguments) for call in read.calls] == [
            (call.name, call.arguments) for call in meant.calls
        ]


@pytest.mark.parametrize("name", NATIVE)
def test_what_a_lect_reads_is_found_to_be_in_it_or_read_the_same(name: str) -> None:
    lect = polylect.lect(name)
    for text in lect.examples:
        found, reply = polylect.detect(text), lect.parse(text)
        if not found:
            assert not reply.calls
            continue
        best = found[0]
        assert name in {x.lect for x in found} or polylect.lect(best.lect).parse(text, prefix=best.prefix) == reply


@pytest.mark.parametrize("text", PROSE)
def test_prose_is_in_no_tongue(text: str) -> None:
    assert polylect.detect(text) == []


@given(st.text(max_size=200))
@settings(deadline=None)
def test_any_text_is_in_some_tongues_or_none(text: str) -> None:
    found = polylect.detect(text)
    assert all(0 <= x.confidence <= 1 and x.reason for x in found)
    assert [x.confidence for x in found] == sorted((x.confidence for x in found), reverse=True)


WHOLE = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'
BENT = (
    WHOLE.replace("}}", "}"),
    WHOLE.replace("}}", ""),
    WHOLE.replace("1}", "1,}"),
    WHOLE.replace('"', "'"),
    WHOLE.replace('"name"', "name"),
    *(WHOLE.replace("1", value) for value in ("None", "NaN", '"\\x41"', "1 // one", '"say "hi" now"')),
    WHOLE.replace('"name": "f", ', ""),
    WHOLE.replace("{", "```json\n{", 1).replace("\n</", "\n```\n</"),
    "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n</tool_call>",
    "<tool_call>\n<function=f>\n<parameter=a>\n1\n</tool_call>",
    "<tool_call><|user|></tool_call>",
)
"""Calls that a model got wrong, or nearly none."""


@pytest.mark.parametrize("text", BENT)
def test_a_bent_call_is_no_call_of_another_tongue(text: str) -> None:
    """No lect that takes any text as a name makes a call of it that can run; what is read is what was meant."""
    parser, _ = streamed(text, [5])
    for reply in (*(polylect.lect(x.lect).parse(text, prefix=x.prefix) for x in polylect.detect(text)), parser.reply):
        assert all(call.name == "f" for call in reply.calls if call.runnable)
    assert not any(x.lect.startswith("glm") for x in polylect.detect(text))


MENTIONS = (
    "Calls are written in {} tags.",
    "Use `{}` for calls.",
    "Use {} for code.",
    "Wrap it (in {}), please.",
    'Say "{}" here.',
    "Look here: {} is a marker, they say.",
    "{} is a marker, they say.",
    "`{}` is a marker, they say.",
    "Two lines:\n- {} opens a call",
    "See {}.",
)


@pytest.mark.parametrize("name", NATIVE)
def test_a_marker_that_prose_speaks_of_is_prose(name: str) -> None:
    lect: Any = polylect.lect(name)
    for mark in (mark.strip() for mark in lect.special):
        if mark.endswith(":") and mark[0] not in "<[":
            continue  # "Action:" is a label, at the beginning of a line
        for sentence in MENTIONS:
            text = sentence.format(mark)
            parser, events = streamed(text, [7])
            found = polylect.detect(text)
            replies = [polylect.lect(x.lect).parse(text, prefix=x.prefix) for x in found[:1]]
            for reply in (*replies, parser.reply):
                assert (reply.content, reply.calls, reply.complete) == (text, (), True), (text, found[:1])
            assert isinstance(events[-1], ReplyEnd)


@pytest.mark.parametrize("name", NATIVE)
def test_a_call_behind_prose_that_speaks_of_markers_is_found(name: str) -> None:
    lect = polylect.lect(name)
    for text in written(lect):
        found = polylect.detect(text)[0]
        again = polylect.detect("Between <tool_call> and </tool_call> stand calls, as in `<function=f>`.\n" + text)
        if again and "reasoning" not in lect.features:
            assert {again[0].lect, *again[0].equals} & {found.lect, *found.equals}, text


def test_prose_and_markers_in_it_cost_linear_time() -> None:
    text = "".join(f"See </a{n}> and <b{n}> here, `[C_D]`.\n" for n in range(20_000))
    assert polylect.detect(text) == []


@pytest.mark.parametrize("end", ["", "<|eom_id|>", "<|eot_id|>"])
def test_llamas_marker_before_an_object_is_llamas(end: str) -> None:
    text = f'<|python_tag|>{{"name": "get_weather", "parameters": {{"city": "Paris"}}}}{end}'
    parser, _ = streamed(text, [6])
    assert polylect.detect(text)[0].lect == "llama3_json"
    assert [(call.name, call.arguments) for call in parser.reply.calls] == [("get_weather", {"city": "Paris"})]
    assert polylect.detect("<|python_tag|>print(1 + 1)")[0].lect == "functionary_v31"


@pytest.mark.parametrize("text", ['[{"name": "Bob"}, {"name": "Al"}]', '[{"name": "Bob", "id": 7}]', '[{"id": 1}]'])
def test_a_list_of_persons_is_no_list_of_calls(text: str) -> None:
    assert polylect.detect(text) == []
    called = polylect.detect(text.replace("}", ', "arguments": {}}'))
    assert "name" not in text or called[0].lect == "xlam"


def tools(*names: str) -> list[polylect.Tool]:
    return [polylect.Tool(name) for name in names]


@pytest.mark.parametrize("name", NATIVE)
def test_calls_of_known_tools_speak_for_a_tongue_and_others_against_it(name: str) -> None:
    text = next(written(polylect.lect(name)))
    by_names = [
        {x.lect: x.confidence for x in polylect.detect(text, tools=given)}
        for given in (tools("get_weather", "now"), None, tools("other"))
    ]
    known, plain, unknown = (found.get(name, 0.0) for found in by_names)
    assert known >= plain > unknown > 0


def test_a_known_tool_tells_what_nothing_else_does() -> None:
    assert polylect.detect('[{"name": "now"}]') == []
    assert polylect.detect('[{"name": "now"}]', tools=tools("now"))[0].lect == "xlam"
    odd = '<tool_call>\n{"name": "web search", "arguments": {}}\n</tool_call>'
    assert polylect.detect(odd, tools=tools("web search"))[0].lect == "hermes"
    parser, _ = streamed(odd, [3], tools=tools("web search"))
    assert [call.runnable for call in parser.reply.calls] == [True]


STREAMS = (
    'data: {"choices":[{"index":0,"delta":{"content":"<tool_call>"}}]}\n\n'
    'data: {"choices":[{"delta":{"content":"now</tool_call>"}}]}\n\ndata: [DONE]\n\n',
    ': ping\n\nevent: message\ndata: {"choices":[{"delta":{"content":"<tool_call>now</tool_call>"}}]}\n\n',
    '{"id":"1","choices":[{"index":0,"delta":{"content":"<tool_call>now</tool_call>"}}]}\n',
)


@pytest.mark.parametrize("text", STREAMS)
def test_the_lines_of_a_stream_are_in_no_tongue_and_it_is_told_how_they_are_read(text: str) -> None:
    parser, _ = streamed(text, [11])
    assert polylect.detect(text) == []
    assert (parser.reply.content, parser.reply.calls) == (text, ())
    assert "--sse" in parser.reply.diagnostics[0].message


def test_the_reason_names_a_marker_and_the_equals() -> None:
    best = polylect.detect('<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>')[0]
    assert best[:3] == ("hermes", best.confidence, "'<tool_call>' stands in it, and a call was read")
    assert best.told == best.reason
    told = Detected("a", 0.5, "it is so", ("b", "c")).told
    assert told == "it is so; b, c fit as well"


def test_reasoning_that_the_prompt_began_is_seen_by_its_end() -> None:
    text = 'I look it up.\n</think>\n\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    best = polylect.detect(text)[0]
    assert (best.lect, best.prefix) == ("hermes", "<think>\n")
    reply = polylect.lect(best.lect).parse(text, prefix=best.prefix)
    assert (reply.reasoning, reply.content) == ("I look it up.", "")


def test_what_is_no_text_is_in_no_tongue() -> None:
    nothing: Any = None
    assert polylect.detect(nothing) == []


# --- streams ----------------------------------------------------------------------------------------------------------


def streamed(text: str, sizes: list[int], **options: Any) -> tuple[AutoParser, list[polylect.Event]]:
    parser = AutoParser(**options)
    events: list[polylect.Event] = []
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        events += parser.feed(text[at : at + size])
        at, turn = at + size, turn + 1
    return parser, [*events, *parser.close()]


@pytest.mark.parametrize("name", NATIVE)
@given(st.data())
@settings(max_examples=25, deadline=None)
def test_a_stream_is_read_as_the_named_lect_reads_it(name: str, data: st.DataObject) -> None:
    lect = polylect.lect(name)
    text = data.draw(st.sampled_from([*lect.examples, *written(lect)]))
    sizes = data.draw(st.lists(st.integers(1, 40), min_size=1, max_size=8))
    parser, events = streamed(text, sizes)
    end = events[-1]
    assert isinstance(end, ReplyEnd)
    assert parser.reply == end.reply
    assert parser.reply.text == text
    if parser.lect is None:
        assert parser.reply.content == text
        return
    assert parser.detected is not None
    wanted = parser.lect.parser(prefix=parser.detected.prefix)
    assert joined(events) == joined([*wanted.feed(text), *wanted.close()])


def joined(events: list[polylect.Event]) -> list[Any]:
    """Events with the deltas of one kind that follow each other in one."""
    out: list[Any] = []
    for event in events:
        kind, text = type(event).__name__, getattr(event, "text", None)
        if text is not None and out and out[-1][0] == kind:
            out[-1] = (kind, out[-1][1] + text)
        else:
            out.append((kind, text if text is not None else event if kind == "ReplyEnd" else None))
    return out


@pytest.mark.parametrize("name", NATIVE)
def test_the_lect_is_known_when_the_first_call_is_over(name: str) -> None:
    lect = polylect.lect(name)
    text = next(written(lect))
    following = lect.parser()
    parser = AutoParser()
    over = False
    for char in text + "\n\n":
        over |= any(isinstance(event, CallEnd) for event in following.feed(char))
        parser.feed(char)
        if over:
            break
    assert parser.decided == over
    parser.close()
    assert parser.lect is not None


def test_nothing_comes_before_the_first_call_is_over_and_then_all_of_it() -> None:
    parser = AutoParser()
    text = 'Both.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    over = text.index("}}") + 2
    for char in text[: over - 1]:
        assert parser.feed(char) == []
        assert not parser.decided
    events = parser.feed(text[over - 1 :])
    assert [type(x).__name__ for x in events] == ["ContentDelta", "CallStart", "ArgumentsDelta", "CallEnd"]
    assert [type(x).__name__ for x in parser.feed("It rains.")] == ["ContentDelta"]  # from here on as it comes
    assert parser.close()[-1].end == len(text) + 9


def test_no_more_is_held_back_than_told() -> None:
    parser = AutoParser()
    assert parser.feed("<think>\n" + "a" * (HELD - 9)) == []
    events = parser.feed("aa")
    assert "".join(x.text for x in events if isinstance(x, polylect.ReasoningDelta)) == "a" * (HELD - 7)
    assert parser.decided
    parser.close()
    plain = AutoParser()
    assert [x.end for x in plain.feed("a" * HELD)] == [HELD]
    assert plain.lect is None
    plain.close()
    assert [x.code for x in plain.reply.diagnostics] == ["no_lect"]


def test_a_message_in_no_tongue_is_content() -> None:
    parser, events = streamed("It rains.", [4])
    assert [type(x).__name__ for x in events] == ["ContentDelta", "ReplyEnd"]
    assert (parser.lect, parser.reply.content) == (None, "It rains.")
    with pytest.raises(polylect.LectError, match="closed"):
        parser.feed("x")
    with pytest.raises(polylect.LectError, match="closed"):
        parser.close()


def test_the_reply_is_known_after_the_close() -> None:
    for parser in (AutoParser(), streamed("x", [1])[0]):
        if not parser.decided:
            with pytest.raises(polylect.LectError, match=r"only after close"):
                parser.reply  # noqa: B018
    with pytest.raises(polylect.ParseError):
        AutoParser().feed(b"x")  # type: ignore[arg-type]


def test_a_stream_takes_tools_prefix_and_policies() -> None:
    tools = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]
    text = 'Hm.\n</think>\n\n<tool_call>\n{"name": "later", "arguments": {}}\n</tool_call>'
    parser, _ = streamed(text, [7], tools=tools, prefix="<think>\n", unknown_tool="reject")
    assert parser.reply.reasoning == "Hm."
    assert [x.status for x in parser.reply.calls] == ["invalid"]
    unfinished = AutoParser()
    unfinished.feed('<tool_call>\n{"name": "later", "argu')
    unfinished.close(finish_reason="length")
    assert not unfinished.reply.complete


def test_a_hostile_stream_of_calls_that_nobody_can_tell_is_not_read_for_each() -> None:
    parser = AutoParser()
    for _ in range(400):
        parser.feed('<tool_call>{"name": "a"</tool_call>')
    parser.close()
    assert parser.reply.text


def test_translate_detects_its_source() -> None:
    text = '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'
    message = polylect.translate(text, source="auto", target="tool_calls")
    assert message["tool_calls"][0]["function"] == {"name": "now", "arguments": "{}"}
    with pytest.raises(polylect.LectError, match="Name its lect as source"):
        polylect.translate("It rains.", source="auto", target="tool_calls")
