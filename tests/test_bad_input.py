"""Bad input to every bundled lect: a clear error of the right side, nothing lost, nothing hung.

Left to others: any input at all (law 7 of ``tests/laws``), grammars (``core/tests/test_bad_grammars.py``), plugins
(``core/tests/installed``).
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentFinish, AgentStep, Lect, LectError, ParseError, PolylectError, Reply, ToolError

TEXT_LECTS = (
    *("react", "react_bracket", "conversational", "self_ask"),
    *("json_blob", "react_json", "json_chat", "xml_tags"),
)
LECTS = (*TEXT_LECTS, "tool_calls", "openai_functions")
CALL_HEADS = {
    "react": "Thought: x\nAction: a\nAction Input: ",
    "react_bracket": "Thought: x\nAction: a[",
    "conversational": "Thought: x\nAction: a\nAction Input: ",
    "self_ask": "Follow up: ",
    "json_blob": '{"action": "a", "action_input": ',
    "react_json": 'Thought: x\nAction: {"action": "a", "action_input": ',
    "json_chat": '{"action": "a", "action_input": ',
    "xml_tags": "<tool>a</tool><tool_input>",
}
TOOL = {"name": "a", "parameters": {"type": "object", "properties": {"x": {}, "y": {}}, "required": ["x"]}}
HUNG = 60
"""Seconds after which a test shows where it hangs, and the run ends."""


@pytest.fixture(autouse=True)
def _nothing_hangs() -> Iterator[None]:
    faulthandler.dump_traceback_later(HUNG, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(params=LECTS)
def lect(request: pytest.FixtureRequest) -> Lect:
    return polylect.lect(request.param)


def said(lect: Lect, text: str) -> Any:
    """A message of which ``text`` is all that the model said."""
    return {"role": "assistant", "content": text} if lect.messages else text


def asked(lect: Lect, raw: str) -> Any:
    """A message with one call, whose arguments begin with ``raw`` and go on to the end."""
    if not lect.messages:
        return CALL_HEADS[lect.name] + raw
    entry = {"id": "c1", "type": "function", "function": {"name": "a", "arguments": raw}}
    return {"role": "assistant", "content": None, "tool_calls": [entry]}


def called(lect: Lect, *arguments: dict[str, Any]) -> Any:
    """A message with a whole call for each of the arguments."""
    texts = [elements(x) if lect.name == "xml_tags" else json.dumps(x) for x in arguments]
    if lect.messages:
        entries = [{"id": f"c{n}", "function": {"name": "a", "arguments": text}} for n, text in enumerate(texts)]
        return {"role": "assistant", "content": None, "tool_calls": entries}
    ends = {"react_bracket": "]", "json_blob": "}", "react_json": "}", "json_chat": "}", "xml_tags": "</tool_input>"}
    return "\n".join(CALL_HEADS[lect.name] + text + ends.get(lect.name, "") for text in texts)


def elements(value: Any) -> str:
    """A value as elements in XML."""
    if isinstance(value, dict):
        return "".join(f"<{key}>{elements(inner)}</{key}>" for key, inner in value.items())
    if isinstance(value, list):
        return "".join(f"<item>{elements(inner)}</item>" for inner in value)
    return str(value)


def streamed(lect: Lect, message: Any, size: int = 65_536, **options: Any) -> Reply:
    """The reply of a stream of pieces of that size; no event is lost or out of place."""
    parser = lect.parser(**options)
    at = 0
    for chunk in lect.chunks(message, (size,)):
        for event in parser.feed(chunk):
            assert event.start == at
            at = event.end
    for event in parser.close():
        assert event.start == at
        at = event.end
    assert at == len(parser.reply.text)
    return parser.reply


def is_refused(use: Callable[[], Any], kind: type[PolylectError]) -> str:
    """What is said where ``use`` raises an error of that kind."""
    with pytest.raises(kind) as caught:
        use()
    assert type(caught.value) is kind
    told = str(caught.value)
    assert told.endswith((".", ")", "'")) or "\n" in told
    return told


# --- what is no message -------------------------------------------------------------------------------------------

NO_TEXTS = [None, b"x", bytearray(b"x"), memoryview(b"x"), 7, 1.5, True, ["a"], ("a",), {"a"}]


@pytest.mark.parametrize("given", NO_TEXTS, ids=lambda value: type(value).__name__)
def test_what_is_no_message_is_the_models_error_whole_and_streamed(lect: Lect, given: Any) -> None:
    parser = lect.parser()
    for use in (lambda: parser.feed(given), lambda: lect.parse(given)):
        with pytest.raises(ParseError) as caught:
            use()
        error = caught.value
        assert error.reason == "not_text"
        assert ("nothing (None)" if given is None else type(given).__name__) in error.message
        assert error.expected
        assert error.correction
    assert ("decode('utf-8')" in error.message) is isinstance(given, (bytes, bytearray))


@pytest.mark.parametrize("given", [None, b"x", 7, ["a"]], ids=lambda value: type(value).__name__)
def test_a_chunk_that_is_no_text_does_not_spoil_the_stream(lect: Lect, given: Any) -> None:
    message = lect.examples[0]
    parser = lect.parser()
    for chunk in lect.chunks(message, (5,)):
        with pytest.raises(ParseError):
            parser.feed(given)
        parser.feed(chunk)
    parser.close()
    assert parser.reply.to_json() == lect.parse(message).to_json()


class Text(str):
    """A string of a class of its own."""

    __slots__ = ()

    def __str__(self) -> str:
        return "something else"

    def __len__(self) -> int:
        return 3


@pytest.mark.parametrize("name", TEXT_LECTS)
def test_a_string_of_another_class_is_a_string(name: str) -> None:
    lect = polylect.lect(name)
    for example in lect.examples:
        wanted = lect.parse(example).to_json()
        assert lect.parse(Text(example)).to_json() == wanted
        parser = lect.parser()
        parser.feed(Text(example))
        parser.close()
        assert parser.reply.to_json() == wanted
        assert type(parser.reply.text) is str


NO_REPLIES: list[Any] = [None, "Final Answer: 7", b"x", 7, {}, [], object(), AgentFinish({"output": "x"})]


def test_what_is_no_reply_is_the_callers_error(lect: Lect) -> None:
    for given in NO_REPLIES:
        for use in (partial(lect.decide, given), partial(lect.format, given)):
            assert "Reply" in is_refused(use, LectError)


ACTION = AgentAction("a", "b")
NO_STEPS: list[Any] = [None, 7, "text", b"x", [None], [(ACTION, "seen")], [ACTION], AgentStep(ACTION, "c")]


def test_what_are_no_steps_is_the_callers_error(lect: Lect) -> None:
    for given in NO_STEPS:
        assert "AgentStep" in is_refused(partial(lect.format_steps, given), LectError)


NO_TOOLS: list[Any] = ["search", b"x", 7, {"name": "a"}, [None], ["a"], [7], [{}], [{"name": "a"}] * 2]


def test_what_are_no_tools_is_the_callers_error(lect: Lect) -> None:
    message = lect.examples[0]
    reply = lect.parse(message)
    for given in NO_TOOLS:
        is_refused(partial(lect.format_tools, given), ToolError)
        is_refused(partial(lect.parse, message, tools=given), ToolError)
        is_refused(partial(lect.parser, tools=given), ToolError)
        is_refused(partial(lect.format, reply, tools=given), ToolError)


# --- odd characters -----------------------------------------------------------------------------------------------

ODD = ["\ud800", "\udc00 x", "a\0b", "\0", "\x1b;31m", "\u2028\u2029\x85", "\ufeffx", "\u202ex", "\r\r\n", "\U0010ffff"]


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_characters_are_kept_wherever_they_stand(lect: Lect, odd: str) -> None:
    for message in (said(lect, odd), said(lect, f"Well{odd}.\n{odd}Yes"), asked(lect, odd), called(lect, {"x": odd})):
        reply = lect.parse(message)
        assert streamed(lect, message, 1).to_json() == reply.to_json()
        if not lect.messages:
            assert reply.text == message
        assert Reply.from_json(reply.to_json()) == reply
    assert odd.strip() in lect.parse(said(lect, f"Well{odd}.")).content
    (call,) = lect.parse(called(lect, {"x": odd})).calls
    assert call.arguments == {"x": odd}


@pytest.mark.parametrize("odd", ODD, ids=ascii)
def test_odd_characters_are_written_and_read_back(lect: Lect, odd: str) -> None:
    inputs: tuple[Any, ...] = ({"text": odd}, f"x{odd}y")
    for arguments in inputs:
        reply = Reply(calls=(polylect.Call("search", arguments),))
        assert lect.parse(lect.format(reply)) == reply
    written = lect.format_steps([AgentStep(AgentAction("search", f"x{odd}y"), f"x{odd}y")])
    if isinstance(written, str):
        text_lect: Any = lect
        ((start, end),) = text_lect.transcript(written).spans("observation")
        assert text_lect.unescape(written[start:end]).strip() == f"x{odd}y"


# --- much and deep ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def noise() -> str:
    """Ten million characters that mean nothing, in any order, with all that lects look for."""
    words = [
        *"abc \n\"'{}[]<>:,\\/`*#\u00e9\u2028\0\ud800\U0001f600",
        "Action",
        "<tool",
        '{"action',
        "\nThought",
        "Final",
    ]
    return "".join(random.Random(11).choices(words, k=800_000))[:1_000_000] * 10


def test_ten_megabytes_of_noise_are_read_whole_and_in_pieces(lect: Lect, noise: str) -> None:
    message = said(lect, noise)
    reply = lect.parse(message)
    assert reply.text == noise
    again = streamed(lect, message)
    assert again == reply
    assert again.parts == reply.parts
    assert len(reply.diagnostics) == len(again.diagnostics)


DEEP = {
    "lists": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "whole lists": "[" * 100_000 + "]" * 100_000,
    "whole objects": '{"a":' * 100_000 + "1" + "}" * 100_000,
    "tags": "<a>" * 100_000,
    "whole tags": "<a>" * 100_000 + "</a>" * 100_000,
}


@pytest.mark.parametrize("what", DEEP)
def test_a_hundred_thousand_nested_brackets_are_read(lect: Lect, what: str) -> None:
    for message in (said(lect, DEEP[what]), asked(lect, DEEP[what])):
        reply = lect.parse(message)
        if not lect.messages:
            assert reply.text == message
        assert streamed(lect, message, 4_096).to_json() == reply.to_json()
        for call in reply.calls:
            assert call.status in ("complete", "invalid", "truncated")
            assert (call.error is None) is call.runnable
        with contextlib.suppress(ParseError):
            lect.decide(reply)
    assert polylect.detect(DEEP[what]) == []


def test_an_error_about_much_is_short(lect: Lect) -> None:
    for message in (asked(lect, DEEP["lists"]), asked(lect, DEEP["objects"]), said(lect, DEEP["tags"])):
        with pytest.raises(ParseError) as caught:
            lect.decide(lect.parse(message, tools=[TOOL], truncated="flag"), text="error")
        assert len(caught.value.correction) < 1_000
        assert len(str(caught.value)) < 2_000


# --- the protocol -------------------------------------------------------------------------------------------------


def test_a_closed_parser_takes_nothing_more_and_keeps_its_reply(lect: Lect) -> None:
    chunks = lect.chunks(lect.examples[0], (7,))
    parser = lect.parser()
    is_refused(lambda: parser.reply, LectError)
    for chunk in chunks:
        parser.feed(chunk)
        is_refused(lambda: parser.reply, LectError)
    parser.close()
    reply = parser.reply
    for _ in range(2):
        is_refused(partial(parser.feed, chunks[0]), LectError)
        is_refused(parser.close, LectError)
    assert parser.reply is reply


def test_a_close_that_raises_leaves_the_reply_to_be_seen(lect: Lect) -> None:
    parser = lect.parser(truncated="raise")
    for chunk in lect.chunks(asked(lect, '{"x": "y"'), (7,)):
        parser.feed(chunk)
    with pytest.raises(ParseError) as caught:
        parser.close("length")
    assert caught.value.reason == "truncated"
    assert not parser.reply.complete
    is_refused(parser.close, LectError)


def test_sizes_of_pieces_are_positive(lect: Lect) -> None:
    for sizes in ((), (0,), (3, 0), (-1,)):
        is_refused(partial(lect.chunks, lect.examples[0], sizes), LectError)


def test_a_prefix_is_a_text(lect: Lect) -> None:
    for prefix in (7, b"Thought:", ["x"]):
        wrong: dict[str, Any] = {"prefix": prefix}
        is_refused(partial(lect.parse, lect.examples[0], **wrong), LectError)
        is_refused(partial(lect.parser, **wrong), LectError)


@pytest.mark.parametrize("finish_reason", [None, "", "stop", "tool_calls", "content_filter", "\ud800", "end_turn"])
def test_any_finish_reason_but_length_is_an_end(lect: Lect, finish_reason: Any) -> None:
    message = lect.examples[0]
    reply = lect.parse(message, finish_reason=finish_reason)
    assert reply.complete
    parser = lect.parser()
    for chunk in lect.chunks(message, (7,)):
        parser.feed(chunk)
    parser.close(finish_reason)
    assert parser.reply.to_json() == reply.to_json()


# --- limits -------------------------------------------------------------------------------------------------------

NESTED: dict[str, Any] = {"x": [[[{"y": [1]}]]]}
OFFERED: list[dict[str, Any]] = [{}, {"tools": [TOOL]}]


def limited(lect: Lect, message: Any, **limits: Any) -> list[tuple[Any, list[str], str]]:
    """Statuses, codes and the first error: whole and in pieces of one character, with and without tools."""
    found = []
    for options in OFFERED:
        for reply in (lect.parse(message, **options, **limits), streamed(lect, message, 1, **options, **limits)):
            statuses = tuple(call.status for call in reply.calls)
            codes = [x.code for x in reply.diagnostics if x.code != "id"]
            error = next((call.error for call in reply.calls if call.error), "")
            found.append((statuses, codes, error))
    return found


def test_a_call_that_is_nested_too_deeply_is_invalid(lect: Lect) -> None:
    for statuses, codes, error in limited(lect, called(lect, NESTED), max_nesting=3):
        assert (statuses, codes) == (("invalid",), ["limit"])
        assert "nested too deeply" in error
    for found in limited(lect, called(lect, NESTED), max_nesting=9):
        assert found == (("complete",), [], "")


def test_a_call_that_is_too_long_is_invalid(lect: Lect) -> None:
    message = called(lect, {"x": "y" * 91})
    for statuses, codes, error in limited(lect, message, max_call_size=90):
        assert (statuses, codes) == (("invalid",), ["limit"])
        assert "longer than 90 characters" in error
    for found in limited(lect, message, max_call_size=100):
        assert found == (("complete",), [], "")


def test_calls_beyond_the_limit_are_invalid_and_reported(lect: Lect) -> None:
    message = called(lect, *({"x": n} for n in range(5)))
    for statuses, codes, error in limited(lect, message, max_calls=3):
        assert statuses == ("complete",) * 3 + ("invalid",) * 2
        assert "limit" in codes
        assert "3" in error
    for found in limited(lect, message, max_calls=5):
        assert found == (("complete",) * 5, [], "")


def test_the_usual_limits_hold_without_being_asked_for(lect: Lect) -> None:
    many = lect.parse(called(lect, *({"x": n} for n in range(300))))
    assert [call.runnable for call in many.calls] == [True] * 256 + [False] * 44
    assert "limit" in [x.code for x in many.diagnostics]
    deep: dict[str, Any] = {}
    for _ in range(250):
        deep = {"x": deep}
    assert [call.runnable for call in lect.parse(called(lect, deep)).calls] == [False]
