"""Numbers that are JSON by its grammar and that Python cannot hold: too many digits, or as good as infinite."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import ParseError, Reply
from polylect.testing import stream

LONG = "1" * 5_000
ODD = [LONG, "-" + LONG, "1e999", "-1e999", "1e400", "1" * 400 + ".5", "NaN", "Infinity", "-Infinity"]
LECTS = (
    *("react", "react_bracket", "conversational", "self_ask"),
    *("json_blob", "react_json", "xml_tags", "tool_calls", "openai_functions"),
)
INTERNALS = ("Exceeds", "sys.", "int_max", "limit (", "Error")
TOOL = {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "number"}}}}


def messages(name: str, raw: str) -> Any:
    """A message with one call of these arguments."""
    if name == "tool_calls":
        entry = {"id": "c", "type": "function", "function": {"name": "f", "arguments": raw}}
        return {"role": "assistant", "content": None, "tool_calls": [entry]}
    if name == "openai_functions":
        return {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": raw}}
    return {
        "react": f"Action: f\nAction Input: {raw}",
        "react_bracket": f"Action: f[{raw}]",
        "conversational": f"Action: f\nAction Input: {raw}",
        "self_ask": f"Follow up: {raw}",
        "json_blob": f'{{"action": "f", "action_input": {raw}}}',
        "react_json": f'Action: {{"action": "f", "action_input": {raw}}}',
        "xml_tags": f"<tool>f</tool><tool_input>{raw}</tool_input>",
    }[name]


def holds(reply: Reply) -> None:
    """A reply survives its own JSON, and says nothing of Python."""
    assert Reply.from_json(reply.to_json()) == reply
    said = [x.message for x in reply.diagnostics] + [call.error or "" for call in reply.calls]
    assert [word for text in said for word in INTERNALS if word in text] == []


@pytest.mark.parametrize("number", ODD, ids=lambda text: f"{text:.12}")
@pytest.mark.parametrize("malformed", ["error", "repair"])
@pytest.mark.parametrize("name", LECTS)
def test_a_number_that_cannot_be_held_is_no_value(name: str, malformed: str, number: str) -> None:
    lect = polylect.lect(name)
    shapes = ['{"a": %s}', '{"a": [1, {"b": %s}]}', '{"a": %s,}', "{'a': %s}", "{a: '1', b: %s}", "%s", "<a>%s</a>"]
    for shape in shapes:
        for tools in (None, [TOOL]):
            message = messages(name, shape % number)
            reply = lect.parse(message, tools=tools, malformed=malformed)
            holds(reply)
            assert stream(lect, lect.chunks(message, [997]), tools=tools, malformed=malformed).reply == reply
            if name in ("json_blob", "react_json", "tool_calls", "openai_functions"):
                assert [call.runnable for call in reply.calls] == [False]


@pytest.mark.parametrize("name", ["json_blob", "react_json", "tool_calls", "openai_functions", "react"])
def test_the_correction_tells_of_the_number(name: str) -> None:
    lect = polylect.lect(name)
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}}}]
    for number, told in ((LONG, "has more digits"), ("1e999", "is larger")):
        reply = lect.parse(messages(name, f'{{"a": {number}}}'), tools=tools)
        with pytest.raises(ParseError) as caught:
            lect.decide(reply)
        assert caught.value.reason == "malformed_arguments"
        assert told in caught.value.correction
        assert "valid JSON" not in caught.value.correction


def test_the_only_argument_of_a_tool_and_an_answer_may_be_such_numbers_too() -> None:
    react, blob = polylect.lect("react"), polylect.lect("json_blob")
    tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}]
    (call,) = react.parse(messages("react", LONG), tools=tools).calls
    assert "more digits" in (call.error or "")
    with pytest.raises(ParseError) as caught:
        blob.decide(blob.parse(f'{{"action": "Final Answer", "action_input": {LONG}}}'))
    assert "more digits" in caught.value.correction


@pytest.mark.parametrize("value", ["1e400", "NaN", LONG, "1" * 400 + ".5"], ids=lambda text: f"{text:.12}")
def test_in_elements_such_numbers_stay_text(value: str) -> None:
    lect = polylect.lect("xml_tags")
    for tools in (None, [TOOL]):
        (call,) = lect.parse(f"<tool>f</tool><tool_input><a>{value}</a></tool_input>", tools=tools).calls
        assert call.arguments == {"a": value}


@given(st.integers(-(10**60), 10**60) | st.floats(allow_nan=False, allow_infinity=False))
def test_all_other_numbers_are_what_they_were(number: float) -> None:
    for name in ("json_blob", "tool_calls"):
        lect = polylect.lect(name)
        message = messages(name, json.dumps({"a": number}))
        for reply in (lect.parse(message), stream(lect, lect.chunks(message, [7])).reply):
            assert reply.calls[0].arguments == {"a": number}
            assert type(reply.calls[0].arguments["a"]) is type(number)
            holds(reply)


def test_a_text_of_digits_may_be_mended_into_its_quotes() -> None:
    for name in ("json_blob", "tool_calls"):
        reply = polylect.lect(name).parse(messages(name, f'{{"a": "{LONG}",}}'), malformed="repair")
        assert [call.arguments for call in reply.calls] == [{"a": LONG}]


@pytest.mark.parametrize("number", [LONG, "1e999", "NaN"], ids=lambda text: f"{text:.12}")
def test_the_json_of_a_value_has_no_such_numbers(number: str) -> None:
    with pytest.raises(ValueError, match="This JSON can't be read: ") as caught:
        Reply.from_json(f'{{"type":"Reply","answer":{number}}}')
    assert [word for word in INTERNALS if word in str(caught.value)] == []
