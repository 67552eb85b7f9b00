"""Arguments: what is decoded, what is repaired, what is invalid or cut, and what the model is told about it."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import polylect
from polylect import Call, ParseError, Reply
from polylect_tool_calls import _arguments

from .call_messages import codes, entry, message

LECT = polylect.lect("tool_calls")


def parse(arguments: Any, *more: Any, name: str = "add", **options: Any) -> Reply:
    calls = (entry(name, x, f"c{i}") for i, x in enumerate((arguments, *more)))
    return LECT.parse(message(*calls), **options)


def one(arguments: Any, **options: Any) -> Call:
    (call,) = parse(arguments, **options).calls
    return call


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ('{"a": 1}', {"a": 1}),
        (' \n{"a": 1}\t ', {"a": 1}),
        ("", {}),
        ("  \n", {}),
        (None, {}),
        ("null", {}),
        ("{}", {}),
        ({"a": {"b": "{}"}}, {"a": {"b": "{}"}}),
        ({}, {}),
        ('{"a": "x\ny"}', {"a": "x\ny"}),
        ('{"a": 1, "a": 2}', {"a": 2}),
        ('{"a": "\\ud800"}', {"a": "\ud800"}),
        ('{"a": "\0"}', {"a": "\0"}),
        ('{"a": "{\\"b\\": 1}"}', {"a": '{"b": 1}'}),
        ('{"__arg1": "oslo"}', "oslo"),
        ('{"__arg1": ""}', ""),
        ({"__arg1": "oslo"}, "oslo"),
        ('{"__arg1": "oslo", "n": 2}', {"__arg1": "oslo", "n": 2}),
        ('{"__arg1": 5}', {"__arg1": 5}),
        ('{"__arg1": {"a": 1}}', {"__arg1": {"a": 1}}),
    ],
)
def test_whole_arguments(arguments: Any, wanted: Any) -> None:
    reply = parse(arguments)
    assert [(x.arguments, x.status, x.error) for x in reply.calls] == [(wanted, "complete", None)]
    assert reply.diagnostics == ()


def test_arguments_may_be_missing() -> None:
    reply = LECT.parse({"content": None, "function_call": {"name": "now"}})
    assert reply.calls == (Call("now", {}),)


def test_arguments_that_were_encoded_twice() -> None:
    reply = parse(json.dumps('{"a": 1}'))
    assert [(x.arguments, x.status, x.raw) for x in reply.calls] == [({"a": 1}, "repaired", '"{\\"a\\": 1}"')]
    assert codes(reply) == ["repaired"]
    assert one(json.dumps(json.dumps('{"a": 1}'))).status == "invalid"
    assert one(json.dumps('{"__arg1": "x"}')).arguments == "x"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("[1, 2]", "not a list"),
        ([1, 2], "not a list"),
        ("5", "not a number"),
        (5, "not a number"),
        ("1.5", "not a number"),
        ("true", "not true or false"),
        ('"oslo"', "not a text"),
        ("{bad", "not valid JSON: Expecting property name"),
        ("{'a': 1}", "not valid JSON"),
        ('{"a": 1,}', "not valid JSON"),
        ('{"a": 1}}', "something behind it: '}'"),
        ('{"a": 1}{"a": 2}', "something behind it"),
        ('{"a": NaN}', "NaN is not JSON"),
        ({"a": float("inf")}, "Infinity is not JSON"),
        ("print(1)", "not valid JSON: Expecting value at character 0"),
        ("}", "not valid JSON"),
        ({1: {2: object}}.items(), "not a text"),
    ],
)
def test_invalid_arguments_are_kept_and_explained(arguments: Any, told: str) -> None:
    reply = parse(arguments)
    (call,) = reply.calls
    assert (call.name, call.arguments, call.status, call.runnable) == ("add", None, "invalid", False)
    assert call.raw == (arguments if isinstance(arguments, str) else json.dumps(arguments, default=str))
    assert told in (call.error or "")
    reason = "malformed_arguments" if "JSON:" in (call.error or "") or "behind it" in told else "invalid_arguments"
    assert codes(reply) == [reason]
    assert reply.complete
    with pytest.raises(ParseError) as caught:
        LECT.decide(reply)
    assert (caught.value.reason, caught.value.correction) == (reason, call.error)


def test_a_missing_name_is_invalid() -> None:
    for function in (
        {"arguments": "{}"},
        {"name": "", "arguments": "{}"},
        {"name": None, "arguments": "{}"},
        {},
        None,
        7,
    ):
        reply = LECT.parse({"tool_calls": [{"id": "c1", "type": "function", "function": function}]})
        assert [(x.name, x.status, x.id) for x in reply.calls] == [("", "invalid", "c1")]
        with pytest.raises(ParseError, match="names no tool") as caught:
            LECT.decide(reply)
        assert caught.value.reason == "missing_name"


@pytest.mark.parametrize("calls", [[7], ["x"], [None], "x", 7, {"a": 1}, [[]], [{"id": "c1"}]])
def test_calls_that_are_none_are_invalid_and_not_forgotten(calls: Any) -> None:
    reply = LECT.parse({"role": "assistant", "content": "so", "tool_calls": calls})
    assert [x.status for x in reply.calls] == ["invalid"]
    with pytest.raises(ParseError):
        LECT.decide(reply)


def test_ids_that_pair_nothing_are_reported() -> None:
    function = {"name": "a", "arguments": "{}"}
    none = LECT.parse({"tool_calls": [{"id": None, "function": function}, {"function": function}]})
    assert ([x.id for x in none.calls], codes(none)) == ([None, None], ["id", "id"])
    same = LECT.parse({"tool_calls": [{"id": "c1", "function": function}, {"id": "c1", "function": function}]})
    assert ([x.id for x in same.calls], codes(same)) == (["c1", "c1"], ["id"])


# --- cut short --------------------------------------------------------------------------------------------------------

DOCUMENT = '{"a": [1, -2.5e+10, true, false, null], "b": {"c": "x\\"y\\u00e9\\ud83d\\ude00 z\\n"}, "d": -0, "e": ""}'


@pytest.mark.parametrize("end", range(1, len(DOCUMENT)))
def test_every_beginning_of_a_document_is_cut_and_not_malformed(end: int) -> None:
    reply = parse(DOCUMENT[:end])
    assert (reply.calls, codes(reply), reply.complete) == ((), ["truncated"], False)


def test_a_cut_call_is_dropped_flagged_or_raised() -> None:
    cut = '{"city": "Os'
    dropped = parse('{"a": 1}', cut)
    assert [x.arguments for x in dropped.calls] == [{"a": 1}]
    assert dropped.message is not None
    assert len(dropped.message["tool_calls"]) == 1
    flagged = parse('{"a": 1}', cut, truncated="flag")
    assert [(x.status, x.arguments, x.raw) for x in flagged.calls][1] == ("truncated", None, cut)
    assert flagged.message is not None
    assert len(flagged.message["tool_calls"]) == 2
    with pytest.raises(ParseError) as caught:
        parse(cut, truncated="raise")
    assert caught.value.reason == "truncated"


def test_only_the_last_call_can_be_cut() -> None:
    first, second = parse('{"a": ', '{"a": 1}').calls
    assert (first.status, second.status) == ("invalid", "complete")


def test_the_server_says_that_the_model_was_cut() -> None:
    whole = parse('{"a": 1}', finish_reason="length")
    assert ([x.status for x in whole.calls], whole.complete, codes(whole)) == (["complete"], False, ["truncated"])
    for begun in ("", " ", None, "{bad", "{'a': 'x"):
        reply = parse(begun, finish_reason="length")
        assert (reply.calls, codes(reply), reply.complete) == ((), ["truncated"], False)
    response = {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": ""}}]}}]}
    response["choices"][0]["finish_reason"] = "length"  # type: ignore[assignment]
    assert LECT.parse(response).calls == ()
    told = {"content": "It is", "additional_kwargs": {}, "response_metadata": {"finish_reason": "length"}}
    assert not LECT.parse(told).complete


def test_arguments_full_of_newlines_that_never_end_are_cut() -> None:
    reply = parse('{"a": "x",' + "\n" * 20_000, finish_reason="length")
    assert (reply.calls, codes(reply)) == ((), ["truncated"])


def test_a_cut_list_or_string_is_cut_as_well() -> None:
    for begun in ("[1, 2", '"oslo', '"{\\"a\\": 1'):
        assert codes(parse(begun)) == ["truncated"]


# --- tools and policies -----------------------------------------------------------------------------------------------

TOOLS = [polylect.Tool("add"), polylect.Tool("get_weather")]


def test_unknown_tools() -> None:
    assert one("{}", name="sub", tools=TOOLS).status == "complete"
    rejected = one("{}", name="sub", tools=TOOLS, unknown_tool="reject")
    assert (rejected.status, rejected.error) == ("invalid", "There is no tool 'sub'. The tools are: add, get_weather.")
    reply = parse("{}", name="get_wether", tools=TOOLS, unknown_tool="nearest")
    assert ([x.name for x in reply.calls], codes(reply)) == (["get_weather"], ["tool_name"])
    assert one("{}", name="z" * 10_000, tools=TOOLS, unknown_tool="nearest").name == "z" * 10_000


def test_a_name_in_another_case_is_found() -> None:
    reply = parse("{}", name="Get-Weather", tools=TOOLS)
    assert ([x.name for x in reply.calls], codes(reply)) == (["get_weather"], ["tool_name"])
    assert reply.message is not None
    assert reply.message["tool_calls"][0]["function"]["name"] == "Get-Weather"


def test_repair() -> None:
    reply = parse("{'a': 1,}", malformed="repair")
    assert [(x.arguments, x.status) for x in reply.calls] == [({"a": 1}, "repaired")]
    assert codes(reply) == ["repaired"]
    assert one("print(1)", malformed="repair").status == "invalid"
    assert one("[1,]", malformed="repair").status == "invalid"


def test_repair_never_completes_what_was_cut() -> None:
    assert [x.status for x in parse("{'a': 1", "{}", malformed="repair").calls] == ["invalid", "complete"]
    assert parse('{"a": "x', malformed="repair").calls == ()


def test_repair_without_its_library_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "json_repair", None)
    _arguments._repairer.cache_clear()
    try:
        reply = parse("{'a': 1}", malformed="repair")
    finally:
        _arguments._repairer.cache_clear()
    (call,) = reply.calls
    assert call.status == "invalid"
    assert "pip install" in reply.diagnostics[0].message
    assert "pip install" not in (call.error or "")


def test_limits() -> None:
    assert one('{"a": [[1]]}', max_nesting=3).status == "complete"
    deep = one('{"a": [[1]]}', max_nesting=2)
    assert (deep.status, "nested too deeply" in (deep.error or "")) == ("invalid", True)
    assert one(json.dumps('{"a": [[1]]}'), max_nesting=2).status == "invalid"
    long = one('{"a": "xxxxxxxxx"}', max_call_size=10)
    assert (long.status, "longer than 10 characters" in (long.error or "")) == ("invalid", True)
    reply = parse("{}", "{}", "{}", "{}", max_calls=2)
    assert [x.status for x in reply.calls] == ["complete", "complete", "invalid", "invalid"]
    assert "more than 2 calls" in (reply.calls[3].error or "")
    assert codes(reply) == ["limit"]


def test_ten_thousand_calls() -> None:
    reply = parse(*["{}"] * 10_000)
    assert [x.status for x in reply.calls] == ["complete"] * 256 + ["invalid"] * 9_744
    assert codes(reply) == ["limit"]
