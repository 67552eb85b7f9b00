"""Whole messages, in every shape in which SDKs, frameworks and files hand them over."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

import polylect
from polylect import Call, ParseError, Reply

from .call_messages import codes, entry, message

LECT = polylect.lect("tool_calls")


ONE = message(entry("add", '{"a": 3, "b": 5}'))
ADD = Call("add", {"a": 3, "b": 5})


def test_one_call() -> None:
    reply = LECT.parse(ONE)
    assert reply == Reply(calls=(ADD,))
    (call,) = reply.calls
    assert (call.id, call.raw, call.status, call.span) == ("c1", '{"a": 3, "b": 5}', "complete", (0, 19))
    assert (reply.text, reply.parts, reply.complete) == ('add{"a": 3, "b": 5}', (("call", 0, 19),), True)
    assert reply.message == ONE
    assert reply.diagnostics == ()


def test_content_beside_a_call_is_kept() -> None:
    reply = LECT.parse(message(entry("add", '{"a": 3}'), content="let me add"))
    assert (reply.content, reply.calls) == ("let me add", (Call("add", {"a": 3}),))
    assert reply.parts == (("content", 0, 10), ("call", 10, 21))


def test_several_calls() -> None:
    reply = LECT.parse(message(entry("add", '{"a": 1}'), entry("mul", '{"b": 2}', "c2")))
    assert [(x.name, x.arguments, x.id) for x in reply.calls] == [("add", {"a": 1}, "c1"), ("mul", {"b": 2}, "c2")]
    assert [reply.text[x.start : x.end] for x in reply.calls] == ['add{"a": 1}', 'mul{"b": 2}']


def test_any_script_and_nested_arguments() -> None:
    arguments = {"问": "北京 🌧", "x": {"y": [1, {"z": None}]}}
    reply = LECT.parse(message(entry("搜索", json.dumps(arguments, ensure_ascii=False)), content="好"))
    assert reply == Reply(content="好", calls=(Call("搜索", arguments),))


def test_an_answer_is_content() -> None:
    reply = LECT.parse({"role": "assistant", "content": "The answer is 8"})
    assert reply == Reply(content="The answer is 8")
    assert (reply.answer, reply.text, reply.parts) == (None, "The answer is 8", (("content", 0, 15),))


@pytest.mark.parametrize(
    "odd",
    [
        {"content": "8"},
        {"role": "assistant", "content": "8", "tool_calls": None, "function_call": None, "refusal": None},
        {"role": "assistant", "content": "8", "tool_calls": [], "annotations": [], "audio": None},
        {"role": "assistant", "content": [{"type": "text", "text": "8"}]},
        {"role": "model", "content": "8"},
        {"content": "8", "type": "ai", "additional_kwargs": {}, "response_metadata": {"finish_reason": "stop"}},
        {"message": {"role": "assistant", "content": "8"}, "finish_reason": "stop"},
        {"choices": [{"index": 0, "message": {"content": "8"}, "finish_reason": "stop"}], "usage": {"total_tokens": 1}},
    ],
)
def test_the_same_answer_in_other_shapes(odd: dict[str, Any]) -> None:
    for given in (odd, json.dumps(odd), f"\n {json.dumps(odd)} \n"):
        reply = LECT.parse(given)
        assert reply.to_json() == LECT.parse({"role": "assistant", "content": "8"}).to_json()


def test_reasoning_under_either_key() -> None:
    for key in ("reasoning_content", "reasoning"):
        reply = LECT.parse({"role": "assistant", "content": "8", key: "3 + 5"})
        assert reply == Reply(reasoning="3 + 5", content="8")
        assert (reply.text, reply.parts) == ("3 + 58", (("reasoning", 0, 5), ("content", 5, 6)))
        assert reply.message is not None
        assert reply.message[key] == "3 + 5"


def test_reasoning_that_a_server_sends_twice_counts_once() -> None:
    reply = LECT.parse({"role": "assistant", "content": "8", "reasoning": "hm", "reasoning_content": "hm"})
    assert reply.reasoning == "hm"


def test_content_blocks() -> None:
    blocks = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "thinking", "thinking": [{"type": "text", "text": ", "}, {"type": "text", "text": "well"}]},
        {"type": "text", "text": "hi"},
        "!",
        {"type": "tool_use", "name": "add"},
        {"type": "image_url", "image_url": {"url": "x"}},
    ]
    reply = LECT.parse({"role": "assistant", "content": blocks})
    assert (reply.reasoning, reply.content) == ("hm, well", "hi!")
    assert codes(reply) == ["skipped"]
    assert "image_url" in reply.diagnostics[0].message


@pytest.mark.parametrize("content", [7, {"a": 1}, [7], [None], [{"type": 3}], [{"type": "text", "text": 5}]])
def test_content_that_is_no_text_is_reported(content: Any) -> None:
    reply = LECT.parse({"role": "assistant", "content": content})
    assert (reply.content, codes(reply)) == ("", ["skipped"])


def test_a_refusal_is_content_and_is_reported() -> None:
    reply = LECT.parse({"role": "assistant", "content": None, "refusal": "I can't help with that."})
    assert (reply.content, codes(reply)) == ("I can't help with that.", ["refusal"])
    assert reply.diagnostics[0].span == (0, 23)
    assert reply.message == {"role": "assistant", "content": "", "refusal": "I can't help with that."}


@pytest.mark.parametrize("wrapped", [False, True])
def test_the_legacy_function_call(wrapped: bool) -> None:
    legacy = {"function_call": {"name": "add", "arguments": '{"a": 1}'}}
    given = {"content": "hm", "additional_kwargs": legacy} if wrapped else {"content": "hm", **legacy}
    reply = LECT.parse(given)
    assert reply == Reply(content="hm", calls=(Call("add", {"a": 1}),))
    assert (reply.calls[0].id, reply.diagnostics) == (None, ())
    assert reply.message == {"role": "assistant", "content": "hm", **legacy}


def test_a_frameworks_calls_are_decoded_already() -> None:
    given = {
        "content": "",
        "additional_kwargs": {},
        "tool_calls": [{"name": "add", "args": {"a": "{1}", "b": [5]}, "id": "c1", "type": "tool_call"}],
        "invalid_tool_calls": [{"name": "mul", "args": "{", "id": "c9", "error": None, "type": "invalid_tool_call"}],
    }
    add, mul = LECT.parse(given).calls
    assert (add.arguments, add.raw, add.status, add.id) == (
        {"a": "{1}", "b": [5]},
        '{"a": "{1}", "b": [5]}',
        "complete",
        "c1",
    )
    assert (mul.name, mul.arguments, mul.raw, mul.status, mul.id) == ("mul", None, "{", "invalid", "c9")


def test_a_frameworks_raw_calls() -> None:
    raw = {"tool_calls": [entry("add", '{"a": 1}'), entry("mul", "{bad", "c2")]}
    add, mul = LECT.parse({"content": "", "additional_kwargs": raw}).calls
    assert (add.arguments, mul.status, mul.id) == ({"a": 1}, "invalid", "c2")


def test_json_that_a_framework_completed_is_read_from_its_pieces() -> None:
    given = {
        "content": "",
        "additional_kwargs": {},
        "tool_calls": [{"name": "rm", "args": {"path": "/tmp/x"}, "id": "c1"}],
        "tool_call_chunks": [{"name": "rm", "args": '{"path": "/tmp/x', "id": "c1", "index": 0}],
    }
    reply = LECT.parse(given, truncated="flag")
    assert [(x.name, x.arguments, x.status) for x in reply.calls] == [("rm", None, "truncated")]


def test_a_custom_tool_takes_text() -> None:
    custom = {"id": "c1", "type": "custom", "custom": {"name": "python", "input": "print(1)"}}
    reply = LECT.parse(message(custom))
    assert reply == Reply(calls=(Call("python", "print(1)"),))
    assert reply.message == message(custom)


def test_what_only_the_provider_understands_goes_back_to_it() -> None:
    signed = {**entry("add", "{}"), "extra_content": {"google": {"thought_signature": "xyz"}}}
    given = message(signed, reasoning_details=[{"type": "reasoning.encrypted", "data": "x"}], content=None)
    assert LECT.parse(given).message == given


@dataclass
class Function:
    name: str
    arguments: str


@dataclass
class ToolCall:
    id: str
    function: Function
    type: str = "function"


@dataclass
class Message:
    content: str | None = None
    tool_calls: list[ToolCall] | None = None
    role: str = "assistant"


class Dumped:
    """As pydantic's models: they dump themselves."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def model_dump(self) -> dict[str, Any]:
        return self._fields


def sdk_messages() -> list[Any]:
    attributes = Message(tool_calls=[ToolCall("c1", Function("add", '{"a": 3, "b": 5}'))])
    dumped = Dumped(**ONE, refusal=None, annotations=None)
    choice = SimpleNamespace(index=0, finish_reason="tool_calls", message=attributes)
    return [
        attributes,
        dumped,
        SimpleNamespace(choices=[choice]),
        Dumped(choices=[{"index": 0, "finish_reason": "tool_calls", "message": ONE}]),
        SimpleNamespace(message=dumped, text=""),
        {"choices": [choice]},
    ]


@pytest.mark.parametrize("given", sdk_messages(), ids=range(6))
def test_sdk_objects(given: Any) -> None:
    assert LECT.parse(given).to_json() == LECT.parse(ONE).to_json()


def test_the_first_choice_counts() -> None:
    choices = [{"index": 1, "message": {"content": "b"}}, {"index": 0, "message": {"content": "a"}}]
    reply = LECT.parse({"choices": choices})
    assert (reply.content, codes(reply)) == ("a", ["skipped"])


@dataclass
class Hostile:
    """An object whose every attribute raises."""

    calls: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


NO_MESSAGES: tuple[Any, ...] = (
    *(None, b"{}", bytearray(b"x"), 7, 1.5, True, [], ["a"], {"a"}, object(), Hostile(), SimpleNamespace(x=1)),
    *({}, {"a": 1}, {"choices": []}, {"choices": None}, {"choices": [{"finish_reason": "stop"}]}, {"error": "x"}),
    *({"role": "user", "content": "x"}, {"role": "tool", "content": "x", "tool_call_id": "c1"}, {"role": 7}),
    {"type": "human", "content": "x", "additional_kwargs": {}},
    *("", "plain text", "[]", "7", '"x"', "null", "{", '{"role": "assistant"} x', '{"a": 1}', "\ud800", "[" * 100_000),
)


@pytest.mark.parametrize("given", NO_MESSAGES, ids=range(len(NO_MESSAGES)))
def test_what_is_no_message(given: Any) -> None:
    with pytest.raises(ParseError) as caught:
        LECT.parse(given)
    error = caught.value
    assert (error.reason, bool(error.expected), bool(error.correction)) == ("not_text", True, True)
    assert error.text in (given, "")
    assert 0 <= error.span[0] <= error.span[1] <= len(error.text)


def test_the_fault_in_json_text_is_named() -> None:
    with pytest.raises(ParseError, match=r"not the JSON of an assistant message: .* at character 9"):
        LECT.parse('{"role": assistant}')


def test_a_prefix_is_refused() -> None:
    with pytest.raises(polylect.LectError, match="prefix"):
        LECT.parse(ONE, prefix="<think>")


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(polylect.LectError, match="malformed"):
        LECT.parse(ONE, malformd="repair")
    with pytest.raises(polylect.LectError, match="no choice"):
        LECT.parse(ONE, malformed="mend")


def test_a_broken_tool_is_the_callers_fault() -> None:
    with pytest.raises(polylect.ToolError):
        LECT.parse(ONE, tools=[{"name": "add", "parameters": []}])
