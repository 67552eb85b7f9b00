"""Streams: where they start, what they pass over, how they end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from polylect import (
    AnswerDelta,
    ArgumentsDelta,
    CallEnd,
    CallStart,
    ContentDelta,
    LectError,
    ParseError,
    ReasoningDelta,
    Reply,
    TextLect,
)

from .streams import cut, feed, hold
from .tongues import (
    ARRAY,
    BLOB,
    BLOCK,
    BRACKET,
    CHANNELS,
    LONGCAT,
    NAMED,
    PAIRS,
    PARAMETERS,
    REACT,
    TAGS,
    TONGUES,
    Tongue,
)

CLOSED = (BRACKET, BLOB, BLOCK, LONGCAT, PARAMETERS, ARRAY, NAMED, PAIRS)
"""Tongues in which every call has an end of its own."""


def changed(tongue: Tongue, **attributes: Any) -> TextLect:
    """The tongue with other facts about it."""
    lect: TextLect = type("Changed", (type(tongue.lect),), attributes)()
    return lect


def codes(reply: Reply) -> list[str]:
    return [diagnostic.code for diagnostic in reply.diagnostics]


def spans_are_sound(reply: Reply) -> None:
    places = [x.span for x in reply.calls] + [x.span for x in reply.diagnostics] + [part[1:] for part in reply.parts]
    assert all(0 <= start <= end <= len(reply.text) for start, end in places)


# --- chunks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_events_come_as_soon_as_they_are_certain(tongue: Tongue) -> None:
    for text in tongue.examples:
        whole = tongue.lect.parse(text)
        for sizes in ((1,), (2,), (3, 1), (7,), (len(text),)):
            events, reply = feed(tongue.lect, cut(text, *sizes))
            hold(events, text, reply)
            assert reply.to_json() == whole.to_json()
        single = tongue.lect.parser()
        emitted = 0
        for char in text:
            new = [event for event in single.feed(char) if isinstance(event, (ContentDelta, ReasoningDelta))]
            emitted += sum(len(event.text) for event in new)
        assert emitted >= len(whole.content + whole.reasoning) - 40


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_every_cut_in_two(tongue: Tongue) -> None:
    for text in tongue.examples:
        whole = tongue.lect.parse(text).to_json()
        for size in range(len(text) + 1):
            assert feed(tongue.lect, ["", text[:size], "", text[size:]])[1].to_json() == whole


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_a_long_chunk_that_ends_anywhere_in_what_follows(tongue: Tongue) -> None:
    for text in tongue.examples:
        long = "prose " * 90 + "\n" + text
        whole = tongue.lect.parse(long).to_json()
        for size in range(len(long) - len(text) - 1, len(long)):
            assert feed(tongue.lect, [long[:size], long[size:]])[1].to_json() == whole


def test_what_was_learned_from_one_message_changes_no_other() -> None:
    source = (
        "start: content? (reasoning content?)*\nwritten: content?\ncontent: TEXT\nreasoning: MARK TEXT END\n"
        + r"MARK: /\n{1,9}(?i:mark):/" + "\nEND: /<end>/\n" + r"TEXT: /(?:(?!/ MARK /|/ END /)[\s\S])+/" + "\n"
    )  # fmt: skip
    lect = changed(BLOCK, grammar_file=source)
    for chunks in (["\n" * 9, "\n"], ["\n" * 9, "\n"], ["x\n\n", "\nm"]):
        feed(lect, chunks)
    for size in (1, 30, 480, 600, 2000):
        for word in ("Mark", "MARK", "mark", "mArk"):
            chunks = ["\n" * 9, "\n" * size + word, ":a", "<end>"]
            replies = [feed(lect, chunks)[1].to_json() for _ in range(3)]
            assert replies == [lect.parse("".join(chunks)).to_json()] * 3


def test_what_is_no_chunk() -> None:
    parser = BLOCK.lect.parser()
    parser.feed("a")
    chunk: Any
    for chunk in (None, b"b", 3):
        with pytest.raises(ParseError) as caught:
            parser.feed(chunk)
        assert caught.value.reason == "not_text"
    with pytest.raises(LectError, match="only after close"):
        _ = parser.reply
    parser.feed("b")
    parser.close()
    assert parser.reply.content == "ab"
    with pytest.raises(LectError, match="closed"):
        parser.feed("c")
    with pytest.raises(LectError, match="closed"):
        parser.close()
    assert parser.reply.content == "ab"


# --- a message that the prompt began --------------------------------------------------------------------------------


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_a_prefix_that_ends_anywhere_before_the_first_call(tongue: Tongue) -> None:
    for text in tongue.examples:
        whole = tongue.lect.parse(text)
        starts = [start for role, start, _ in whole.parts if role in ("call", "answer", "observation")]
        for size in range(min(starts, default=len(text)) + 1):
            rest = text[size:]
            events, reply = feed(tongue.lect, cut(rest, 3), prefix=text[:size])
            hold(events, rest, reply)
            spans_are_sound(reply)
            assert reply.calls == whole.calls
            assert reply.answer == whole.answer
            wanted = [(role, max(start - size, 0), end - size) for role, start, end in whole.parts if end > size]
            assert [part for part in reply.parts if part[2] or part[0] not in ("content", "reasoning")] == wanted
            assert tongue.lect.parse(rest, prefix=text[:size]).to_json() == reply.to_json()


def test_a_template_that_opens_the_reasoning() -> None:
    events, reply = feed(BLOCK.lect, ["so", "</thi", "nk>\n\nYes"], prefix="<think>\n")
    assert (reply.reasoning, reply.content) == ("so", "Yes")
    assert events[:2] == [ReasoningDelta(0, 2, "so"), ContentDelta(2, 15, "Yes")]
    assert reply.parts == (("reasoning", 0, 2), ("content", 12, 15))
    assert BLOCK.lect.parse("nk>so</think>", prefix="<thi").reasoning == "so"
    assert BLOCK.lect.parse("\nso", prefix="<think>").parts == (("reasoning", 1, 3),)


def test_a_cue_that_the_prompt_ends_with() -> None:
    events, reply = feed(REACT.lect, cut(" look\nAction: a\nAction Input: b", 4), prefix="Thought:")
    assert (reply.reasoning, reply.calls[0].name, reply.calls[0].arguments) == ("look", "a", " b".strip())
    assert reply.calls[0].span == (5, 31)
    hold(events, " look\nAction: a\nAction Input: b", reply)
    assert REACT.lect.parse(" 42", prefix="Final Answer:").answer == "42"
    assert REACT.lect.parse("er: 42", prefix="So.\nFinal Answ").parts == (("answer", 0, 6),)


def test_what_the_prompt_wrote_is_no_part_of_the_reply() -> None:
    reply = BLOCK.lect.parse("c", prefix="a<think>b</think>")
    assert (reply.content, reply.reasoning, reply.parts, reply.text) == ("c", "", (("content", 0, 1),), "c")
    events, _ = feed(BLOCK.lect, [], prefix="a<think>b")
    assert len(events) == 1


@pytest.mark.parametrize(
    ("tongue", "prefix"),
    [
        (TAGS, "<tool>a</tool><tool_input>b</tool_input>"),
        (BLOCK, '<tool_call>{"name": "a", "arguments": {}}</tool_call>'),
        (NAMED, "[CALL]a[ARGS]{}"),
        (TAGS, "<final_answer>a</final_answer>"),
        (CHANNELS, "<|channel|>final<|message|>a<"),
    ],
    ids=str,
)
def test_a_prefix_with_a_call_or_an_answer_in_it_is_refused_or_left_out(tongue: Tongue, prefix: str) -> None:
    text = "|return|>" if tongue is CHANNELS else "text"
    for whole in (True, False):
        try:
            if whole:
                reply = tongue.lect.parse(text, prefix=prefix)
            else:
                _, reply = feed(tongue.lect, cut(text, 2), prefix=prefix)
        except LectError:
            continue
        spans_are_sound(reply)
        assert reply.calls == ()
        assert not reply.answer


@pytest.mark.parametrize(
    ("tongue", "prefix", "text"),
    [(NAMED, "[CALL]s", "earch[ARGS]{}"), (REACT, "Action:", " a\nAction Input: b"), (BLOCK, "<tool_call>", "{}")],
    ids=str,
)
def test_a_prefix_in_the_middle_of_a_call(tongue: Tongue, prefix: str, text: str) -> None:
    with pytest.raises(LectError, match="begins a call"):
        tongue.lect.parser(prefix=prefix)
    with pytest.raises(LectError, match="begins a call"):
        tongue.lect.parse(text, prefix=prefix)


# --- disorder -------------------------------------------------------------------------------------------------------


def test_text_that_fits_nowhere_is_passed_over_and_reported() -> None:
    text = "junk<|channel|>final<|message|>a<|end|> more <|start|>x<|start|>assistant"
    text += "<|channel|>analysis<|message|>b<|end|>"
    for chunks in ([text], cut(text, 1), cut(text, 5)):
        events, reply = feed(CHANNELS.lect, chunks)
        hold(events, text, reply)
        assert (reply.answer, reply.reasoning, reply.complete) == ("a", "b", True)
        skipped = [text[x.start : x.end] for x in reply.diagnostics if x.code == "skipped"]
        assert skipped == ["junk", " more <|start|>x"]


def test_layout_that_fits_nowhere_is_not_worth_a_report() -> None:
    reply = CHANNELS.lect.parse("\n <|channel|>final<|message|>a<|end|>\n<|channel|>analysis<|message|><|end|>\n\n")
    assert (reply.answer, reply.diagnostics, reply.complete) == ("a", (), True)


def test_a_payload_that_is_none_makes_its_call_invalid_and_no_other() -> None:
    good = '<tool_call>{"name": "b", "arguments": {}}</tool_call>'
    for bad in ("nope", "", "</tool>", '"name"', "[1]", "nope {}"):
        text = f"<tool_call>{bad}</tool_call>x{good}"
        events, reply = feed(BLOCK.lect, cut(text, 3))
        hold(events, text, reply)
        first, second = reply.calls
        assert (first.status, first.start) == ("invalid", 0)
        assert (second.name, second.status, text[slice(*second.span)]) == ("b", "complete", good)
        assert reply.content == "x"
        assert reply.complete


def test_an_invented_observation_ends_the_reply() -> None:
    text = "Action: a\nAction Input: b\nObservation: c\nFinal Answer: d"
    for chunks in ([text], cut(text, 1), cut(text, 6)):
        events, reply = feed(REACT.lect, chunks)
        hold(events, text, reply)
        assert [call.name for call in reply.calls] == ["a"]
        assert (reply.answer, codes(reply), reply.complete) == (None, ["observation"], True)
        assert reply.parts[-1] == ("observation", text.index("\nObs"), len(text))
        assert text[slice(*reply.diagnostics[0].span)] == "\nObservation: c\nFinal Answer: d"
    transcript = REACT.lect.transcript(text)
    assert transcript.answer == "d"
    assert [text[start:end] for start, end in transcript.spans("observation")] == ["c"]


# --- ends -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("finish_reason", ["stop", "length"])
@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_a_message_cut_anywhere_has_no_half_call_that_runs(tongue: Tongue, finish_reason: str) -> None:
    if finish_reason == "stop" and tongue not in CLOSED:
        return  # a call that ends with the message is whole as long as the server does not say "length"
    for text in tongue.examples:
        known = {(call.start, call.name, call.raw) for call in tongue.lect.transcript(text).calls}
        for size in range(len(text)):
            _, reply = feed(tongue.lect, [text[:size]], finish_reason=finish_reason)
            assert all((call.start, call.name, call.raw) in known for call in reply.calls if call.runnable)
            assert all(call.status != "truncated" for call in reply.calls)
            assert tongue.lect.parse(text[:size], finish_reason=finish_reason).to_json() == reply.to_json()
            if finish_reason == "length" and "observation" not in codes(reply):
                assert not reply.complete
                assert "truncated" in codes(reply)


def test_what_becomes_of_a_call_that_was_cut() -> None:
    text = 'a<tool_call>{"name": "b", "arguments": {"k": '
    events, reply = feed(BLOCK.lect, cut(text, 4))
    assert (reply.calls, reply.complete, codes(reply)) == ((), False, ["truncated"])
    kinds = [type(event) for event in events]
    assert kinds[:2] == [ContentDelta, CallStart]
    assert kinds[-2] is CallEnd
    assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["truncated"]
    events, reply = feed(BLOCK.lect, cut(text, 4), arguments="held")
    assert [type(event) for event in events[:-1]] == [ContentDelta]
    _, reply = feed(BLOCK.lect, [text], truncated="flag")
    assert [(call.name, call.status, call.arguments, call.raw) for call in reply.calls] == [
        ("b", "truncated", None, '{"k": ')
    ]
    with pytest.raises(ParseError) as caught:
        feed(BLOCK.lect, [text], truncated="raise")
    assert caught.value.reason == "truncated"


def test_a_stop_string_that_the_server_took_off_completes_the_message() -> None:
    call = "<|channel|>commentary to=functions.run<|message|>"
    for body, stop in (("print(1)", "<|call|>"), ('{"a": 1}', "<|call|>"), ("", "<|call|>")):
        _, reply = feed(CHANNELS.lect, cut(call + body, 5))
        assert reply.calls == CHANNELS.lect.parse(call + body + stop).calls
        assert reply.complete
        _, reply = feed(CHANNELS.lect, cut(call + body, 5), finish_reason="length")
        assert reply.calls == ()
        assert not reply.complete
    assert CHANNELS.lect.parse("<|channel|>final<|message|>It").complete
    assert not CHANNELS.lect.parse("<|channel|>final<|message|>It", finish_reason="length").complete
    assert not CHANNELS.lect.parse("<|channel|>analysis<|message|>It").complete
    assert TAGS.lect.parse("<tool>a</tool><tool_input>b").calls[0].runnable
    assert TAGS.lect.parse("<tool>a</tool><tool_in").calls[0].raw == ""
    assert TAGS.lect.parse("<tool>a").calls == ()


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": "', "{", '{"a": [', '{"a": "\\'])
def test_a_stop_string_does_not_close_json(text: str) -> None:
    text = "<|channel|>commentary to=functions.run<|message|>" + text
    mending = changed(CHANNELS, repair=lambda self, raw: {})
    choices: list[dict[str, Any]] = [{}, {"malformed": "repair"}, {"truncated": "flag"}]
    for options in choices:
        events, reply = feed(mending, [text], **options)
        assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["truncated"]
        assert not any(call.runnable for call in reply.calls)
        assert not reply.complete


@pytest.mark.parametrize("text", ['{"a": 1', '{"a": "', "{"])
def test_json_that_is_cut_is_a_cut_call_even_where_a_call_may_go_on(text: str) -> None:
    source = (
        "start: call*\nwritten: call\ncall: CALL name ARGS arguments TAIL?\nname: NAME\narguments: json_object\n"
        + r"CALL: /<a>/" + "\n" + r"ARGS: /<b>/" + "\n" + r"TAIL: /<c>/" + "\n" + r"NAME: /[^<]+/" + "\n"
        + "%import .json (json_object)\n"
    )  # fmt: skip
    lect = changed(BLOCK, grammar_file=source)
    for chunks in (["<a>n<b>" + text], cut("<a>n<b>" + text, 1)):
        events, reply = feed(lect, chunks)
        assert [event.call.status for event in events if isinstance(event, CallEnd)] == ["truncated"]
        assert (reply.calls, reply.complete) == ((), False)
    assert lect.parse('<a>n<b>{"a": 1}').calls[0].span == (0, 15)
    assert lect.parse('<a>n<b>{"a": 1}<c><a>m<b>{}').calls[0].span == (0, 18)


def test_only_a_whole_marker_is_completed() -> None:
    text = "<call>a<key>k</key><value>v</value>"
    assert PAIRS.lect.parse(text).calls == ()
    assert changed(PAIRS, stops=("</call>",)).parse(text).calls[0].runnable
    for stop in ("</call", "</call>\n\n", "/call>", "</value>", ""):
        assert changed(PAIRS, stops=(stop,)).parse(text).calls == (), stop
    assert changed(PAIRS, stops=("</call>",)).parse(text, finish_reason="length").calls == ()
    assert changed(PAIRS, stops=("</call>",)).parse("<call>a<key>k").calls == ()


# --- limits ---------------------------------------------------------------------------------------------------------


def block(arguments: str, name: str = "a") -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>'


@pytest.mark.parametrize(
    ("limit", "size", "good", "bad"),
    [
        ("max_call_size", 12, block('{"k": 12345}'), block('{"k": 123456}')),
        ("max_nesting", 3, block('{"k": [[1], []]}'), block('{"k": [[[1]]]}')),
        ("max_nesting", 1, block('{"k": "[[[[{{{{"}'), block('{"k": []}')),
    ],
)
def test_a_call_beyond_a_limit_does_not_run(limit: str, size: int, good: str, bad: str) -> None:
    options: dict[str, Any] = {limit: size}
    for text, runnable in ((good, True), (bad, False)):
        for chunks in ([text], cut(text, 1)):
            _, reply = feed(BLOCK.lect, chunks, **options)
            assert [call.runnable for call in reply.calls] == [runnable]
            assert BLOCK.lect.parse(text, **options).to_json() == reply.to_json()


@pytest.mark.parametrize("tongue", [BLOCK, REACT], ids=str)
def test_more_calls_than_the_limit(tongue: Tongue) -> None:
    text = block("{}") * 4 if tongue is BLOCK else "\n".join(["Action: a\nAction Input: b"] * 4)
    for reply in (tongue.lect.parse(text, max_calls=3), feed(tongue.lect, cut(text, 7), max_calls=3)[1]):
        assert sum(call.runnable for call in reply.calls) == 3
        assert "limit" in codes(reply)
    assert "limit" not in codes(tongue.lect.parse(text, max_calls=4))


def test_deltas_of_one_role_never_overlap() -> None:
    kinds = (ContentDelta, ReasoningDelta, AnswerDelta, ArgumentsDelta)
    for tongue in TONGUES:
        for text in tongue.examples:
            events, _ = feed(tongue.lect, cut(text, 2))
            deltas = [event for event in events if isinstance(event, kinds)]
            assert all(one.end <= other.start or one.end == other.end for one, other in pairwise(deltas))
