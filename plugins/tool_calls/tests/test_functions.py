"""The lect ``openai_functions``: messages with one ``function_call``, and results of the role ``function``."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import polylect
from polylect import (
    EXCEPTION_TOOL,
    AgentAction,
    AgentFinish,
    AgentStep,
    ArgumentsDelta,
    Call,
    CallStart,
    LectError,
    ParseError,
    Pipeline,
    Reply,
    Tool,
    ToolError,
)

from .call_messages import codes, entry, message

LECT = polylect.lect("openai_functions")
TOOLS = polylect.lect("tool_calls")
Messages = list[dict[str, Any]]


def function(name: str, arguments: Any = "{}", content: Any = None, **more: Any) -> dict[str, Any]:
    """A message with a call of the older form."""
    return {"role": "assistant", "content": content, **more, "function_call": {"name": name, "arguments": arguments}}


def result(name: str, content: str) -> dict[str, Any]:
    return {"role": "function", "name": name, "content": content}


def actions(given: Any, **options: Any) -> list[AgentAction]:
    decision = LECT.decide(LECT.parse(given, **options))
    assert not isinstance(decision, AgentFinish)
    return decision


def steps(given: Any, *observations: Any) -> list[AgentStep]:
    return [AgentStep(x, o) for x, o in zip(actions(given), observations, strict=True)]


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (function("add", '{"a": 1}'), ("add", {"a": 1})),
        (function("add", '{"a": 1}', "hm"), ("add", {"a": 1})),
        (function("now", "  "), ("now", {})),
        (function("now", None), ("now", {})),
        ({"content": "", "function_call": {"name": "now"}}, ("now", {})),
        (function("note", '{"__arg1": "x"}'), ("note", "x")),
        (function("add", '{"a": "x\ny"}'), ("add", {"a": "x\ny"})),
        ({"content": "", "additional_kwargs": {"function_call": {"name": "f", "arguments": "{}"}}}, ("f", {})),
        (message(entry("f", '{"a": 1}')), ("f", {"a": 1})),
        (json.dumps(function("f")), ("f", {})),
        ({"choices": [{"message": function("f"), "finish_reason": "function_call"}]}, ("f", {})),
    ],
)
def test_a_call(given: Any, wanted: tuple[str, Any]) -> None:
    (action,) = actions(given)
    assert (action.tool, action.tool_input, action.id or "c1") == (*wanted, "c1")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (function("f", "{bad"), "malformed_arguments"),
        (function("f", "print(1)"), "malformed_arguments"),
        (function("f", "[1]"), "invalid_arguments"),
        (function("f", "7"), "invalid_arguments"),
        (function(""), "missing_name"),
        ({"content": ""}, "empty"),
        (function("f", '{"a": '), "truncated"),
    ],
)
def test_a_broken_call_never_ends_a_run_in_silence(given: Any, reason: str) -> None:
    with pytest.raises(ParseError) as caught:
        LECT.decide(LECT.parse(given))
    assert caught.value.reason == reason


def test_a_call_needs_no_id() -> None:
    assert codes(LECT.parse(function("f"))) == []


def test_a_message_without_a_call_is_the_answer() -> None:
    decision = LECT.decide(LECT.parse({"role": "assistant", "content": "It is dry."}))
    assert decision == AgentFinish({"output": "It is dry."}, "It is dry.")


def test_a_stream() -> None:
    parser = LECT.parser()
    deltas: list[Any] = [
        {"role": "assistant", "content": None, "function_call": {"name": "search", "arguments": ""}},
        {"choices": [{"delta": {"function_call": {"arguments": '{"query"'}}}]},
        {"choices": [{"delta": {"function_call": {"arguments": ': "Voss"}'}}}]},
        {"choices": [{"delta": {}, "finish_reason": "function_call"}]},
    ]
    events = [parser.feed(delta) for delta in deltas]
    assert [[type(event) for event in found] for found in events] == [
        [],
        [CallStart, ArgumentsDelta],
        [ArgumentsDelta],
        [],
    ]
    parser.close()
    assert parser.reply.calls == (Call("search", {"query": "Voss"}),)
    assert parser.reply.message == function("search", '{"query": "Voss"}')


@pytest.mark.parametrize("given", LECT.examples, ids=range(len(LECT.examples)))
def test_chunks_say_what_the_message_says(given: Any) -> None:
    parser = LECT.parser()
    chunks = LECT.chunks(given, [1])
    assert all("tool_calls" not in chunk for chunk in chunks)
    for chunk in chunks:
        parser.feed(chunk)
    parser.close()
    assert parser.reply.to_json() == LECT.parse(given).to_json()
    assert parser.reply.message == given


# --- writing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "written"),
    [
        (Reply(calls=(Call("f", {"a": "ü"}),)), function("f", '{"a": "ü"}')),
        (Reply(calls=(Call("f", {}, id="c1"),)), function("f")),
        (Reply(calls=(Call("f", "x"),)), function("f", '{"__arg1": "x"}')),
        (Reply(content="hm", calls=(Call("f", {}),)), function("f", content="hm")),
        (Reply(reasoning="so", calls=(Call("f", {}),)), function("f", reasoning_content="so")),
        (Reply(content="dry"), {"role": "assistant", "content": "dry"}),
    ],
)
def test_a_turn(reply: Reply, written: dict[str, Any]) -> None:
    assert LECT.format(reply) == written
    assert LECT.parse(written) == reply
    assert TOOLS.parse(written) == reply


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            Reply(calls=(Call("f", {}), Call("g", {}))),
            "openai_functions has no place for several calls: one a message.",
        ),
        (Reply(answer="x"), "openai_functions has no place for an answer: here the content is the answer."),
        (Reply(calls=(Call("f", None, status="invalid"),)), "is invalid; only whole calls can be written"),
        (Reply(calls=(Call("", {}),)), "'' is no name of a tool."),
        (Reply(calls=(Call("f", {"__arg1": "x"}),)), "Give the text itself."),
    ],
)
def test_what_cannot_be_said_is_refused_with_the_reason(reply: Reply, told: str) -> None:
    with pytest.raises(LectError, match=re.escape(told)):
        LECT.format(reply)


def test_tools_are_told_as_functions() -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string", "title": "Q"}}, "required": ["q"]}
    plain = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    assert LECT.format_tools([Tool("look up", "Look.", schema), Tool("now")]) == [
        {"name": "look_up", "description": "Look.", "parameters": plain},
        {"name": "now", "parameters": {"type": "object", "properties": {}}},
    ]
    with pytest.raises(ToolError):
        LECT.format_tools([Tool("a"), Tool("a")])


def test_names_that_the_api_rejects_find_their_way_back() -> None:
    tools = [Tool("look up", "", {"type": "object", "properties": {"q": {"type": "string"}}})]
    reply = Reply(calls=(Call("look up", {"q": "x"}),))
    written = LECT.format(reply, tools=tools)
    assert written["function_call"]["name"] == "look_up"
    assert LECT.parse(written, tools=tools) == reply
    (taken,) = actions(written, tools=tools)
    assert taken.tool == "look up"
    assert LECT.format_steps([AgentStep(taken, "y")], tools=tools) == [written, result("look_up", "y")]
    by_hand = AgentStep(AgentAction("look up", {"q": "x"}), "y")
    assert LECT.format_steps([by_hand], tools=tools) == [written, result("look_up", "y")]


# --- scratchpads ------------------------------------------------------------------------------------------------------


def test_a_step_is_the_models_message_and_the_functions() -> None:
    assert LECT.format_steps([]) == []
    given = function("search", '{"query": "Voss"}', "hm", reasoning_content="so")
    assert LECT.format_steps(steps(given, "dry") * 2) == [given, result("search", "dry")] * 2


@pytest.mark.parametrize(
    ("observation", "text"),
    [
        ("a\nb\n", "a\nb\n"),
        ({"sky": "多云"}, '{"sky": "多云"}'),
        ([1, "a"], '[1, "a"]'),
        (None, "null"),
        (5, "5"),
        ("", ""),
    ],
)
def test_an_observation_is_text_or_json(observation: Any, text: str) -> None:
    assert LECT.format_steps(steps(function("f"), observation))[1] == result("f", text)


def test_calls_of_the_newer_form_become_messages_one_after_another() -> None:
    custom = {"id": "c3", "type": "custom", "custom": {"name": "py", "input": "print(1)"}}
    given = message(entry("a", '{"x": 1}'), entry("b", identifier="c2"), custom, content="all", reasoning_content="hm")
    assert LECT.format_steps(steps(given, "x", "y", "z")) == [
        function("a", '{"x": 1}', "all", reasoning_content="hm"),
        result("a", "x"),
        function("b"),
        result("b", "y"),
        function("py", '{"__arg1": "print(1)"}'),
        result("py", "z"),
    ]
    both = {**message(entry("a")), "function_call": {"name": "b", "arguments": "{}"}}
    assert LECT.format_steps(steps(both, "x", "y")) == [
        function("a"),
        result("a", "x"),
        function("b"),
        result("b", "y"),
    ]


def test_actions_without_messages_are_written_as_calls() -> None:
    one = AgentStep(AgentAction("f", "x", id="c1"), "a")
    two = AgentStep(AgentAction("g", {"n": 1}, index=1), "b")
    assert LECT.format_steps([one, two]) == [
        *(function("f", '{"__arg1": "x"}'), result("f", "a"), function("g", '{"n": 1}'), result("g", "b"))
    ]


def test_defect_19_a_parse_error_reaches_the_model() -> None:
    failed = AgentAction(EXCEPTION_TOOL, "Your reply was empty.", "Hm.")
    assert LECT.format_steps([AgentStep(failed, failed.tool_input)]) == [
        {"role": "assistant", "content": "Hm."},
        {"role": "user", "content": "Your reply was empty."},
    ]


def test_what_was_written_is_read_again() -> None:
    for example in LECT.examples[:1] + LECT.examples[2:]:
        taken = steps(example, "Final Answer: x")
        first, second = LECT.format_steps(taken)
        assert LECT.parse(first) == LECT.parse(example)
        assert second["content"] == "Final Answer: x"


class Script:
    """A model that has its replies ready, and keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies, self.asked = list(replies), list[Any]()

    def __call__(self, prompt: Any, *, tools: Any = None) -> Any:
        self.asked.append((prompt, tools))
        return self.replies.pop(0)


def test_a_run() -> None:
    call = function("search", '{"query": "Voss"}')
    model = Script(call, {"role": "assistant", "content": "dry"})
    search = Tool("search", "", {"type": "object", "properties": {"query": {"type": "string"}}})
    pipeline = Pipeline("openai_functions", model, [search])
    taken = pipeline.plan((), input="How is it?")
    assert isinstance(taken, list)
    done = pipeline.plan([AgentStep(taken[0], "rain")], input="How is it?")
    assert isinstance(done, AgentFinish)
    assert done.return_values == {"output": "dry"}
    (first, tools), (second, _) = model.asked
    assert [x["name"] for x in tools] == ["search"]
    assert second == [*first, call, result("search", "rain")]


def test_detection() -> None:
    for given in LECT.examples:
        text = json.dumps(given)
        assert LECT.detect(text) == (0.9 if "function_call" in given else 0.0)
        assert polylect.detect(text)[0][:2] == ("tool_calls", 0.95)
    assert LECT.detect(json.dumps(message(entry("f")))) == 0.0
    assert LECT.detect("function_call") == 0.0
    assert LECT.answer_cue == TOOLS.answer_cue == ""


def test_it_speaks_in_its_own_name() -> None:
    with pytest.raises(LectError, match="openai_functions reads messages, and no prompt begins one"):
        LECT.parse(function("f"), prefix="x")
