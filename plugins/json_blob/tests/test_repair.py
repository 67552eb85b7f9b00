"""Malformed JSON: an error by default; mended and reported by policy; cut JSON is completed by neither."""

from __future__ import annotations

import json
from typing import Any

import pytest

import polylect
from polylect import Tool
from polylect.testing import Case, run_case

LECT = polylect.lect("json_blob")
REPAIR = {"malformed": "repair"}


def reads(text: str, *calls: tuple[str, Any, str], **said: Any) -> None:
    given = [{"name": name, "arguments": arguments, "status": status} for name, arguments, status in calls]
    run_case(Case(0, text, (text, json.dumps({"calls": given, **said}))), LECT)


MENDED: list[tuple[str, Any]] = [
    ("{'action': 'f', 'action_input': 'x'}", "x"),
    ("{'action': 'f', 'action_input': {'q': 'it\\'s'}}", {"q": "it's"}),
    ('{action: "f", action_input: "x"}', "x"),
    ("{“action”: “f”, “action_input”: “x”}", "x"),
    ('{"action": "f", "action_input": {"a": 1,}}', {"a": 1}),
    ('{"action": "f", "action_input": {\'a\': 1}}', {"a": 1}),
    ('{"action": "f", "action_input": {a: 1}}', {"a": 1}),
    ('{"action": "f", "action_input": {"a": True, "b": None}}', {"a": True, "b": None}),
    ('{"action": "f", "action_input": {"a": .5}}', {"a": 0.5}),
    ('{"action": "f", "action_input": {"a": 1 /* one */}}', {"a": 1}),
    ('{"action": "f", "action_input": {"a": [1 2]}}', {"a": [1, 2]}),
    ('{"action": "f", "action_input": "C:\\pics"}', "C:\\pics"),
    ('{"action": "f", "action_input": {"a": 1},}', {"a": 1}),
]


@pytest.mark.parametrize(("text", "arguments"), MENDED, ids=range(len(MENDED)))
def test_malformed_json_is_an_error_and_mended_by_policy(text: str, arguments: Any) -> None:
    (bad,) = LECT.parse(text).calls
    assert (bad.status, bad.arguments) == ("invalid", None)
    assert "not valid JSON" in (bad.error or "")
    (mended,) = LECT.parse(text, malformed="repair").calls
    assert (mended.name, mended.arguments, mended.runnable) == ("f", arguments, True)
    for fenced in [text, f"```json\n{text}\n```"]:
        reads(
            fenced,
            ("f", arguments, mended.status),
            diagnostics=["repaired"],
            decision=[["f", arguments]],
            **{"with": REPAIR},
        )


def test_each_repair_is_reported_in_its_place() -> None:
    one, two = '{"action": "f", "action_input": {"a": 1,}}', '{"action": "g", "action_input": {b: 2}}'
    reply = LECT.parse(f"[{one}, {two}]", malformed="repair")
    assert [(call.name, call.arguments, call.status) for call in reply.calls] == [
        ("f", {"a": 1}, "repaired"),
        ("g", {"b": 2}, "repaired"),
    ]
    assert [x.code for x in reply.diagnostics] == ["repaired", "repaired"]
    assert [reply.text[slice(*x.span)] for x in reply.diagnostics] == [one, two]
    assert "'f'" in reply.diagnostics[0].message


BEYOND = [
    '{"action": "f", "action_input": {"n": NaN}}',
    '{"action": "f", "action_input": {"n": [-Infinity]}}',
    '{"action": "f", "action_input": undefined}',
    '{"action": "f", "action_input": [1,]}',
]


@pytest.mark.parametrize("text", BEYOND)
def test_what_is_no_json_value_is_not_made_one(text: str) -> None:
    (call,) = LECT.parse(text, malformed="repair").calls
    assert (call.status, call.arguments, call.runnable) == ("invalid", None, False)
    assert call.error


CUT = [
    '{"action": "f", "action_input": {"q": "Vo',
    '{"action": "f", "action_input": {"q": "Voss"',
    '{"action": "f", "action_input": "Vo',
    '{"action": "f", "action_inp',
    '```json\n{"action": "f", "action_input": {"q": [1, 2',
    '[{"action": "f", "action_input": {"q": "Vo',
    '{"action": "f", "action_input": {"a": 1,} ',
    "{'action': 'f', 'action_input': {'q': 'Vo",
]


@pytest.mark.parametrize("text", CUT)
@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_defect_4_cut_json_is_never_completed(text: str, finish_reason: str) -> None:
    for malformed in ("error", "repair"):
        reply = LECT.parse(text, finish_reason=finish_reason, malformed=malformed)
        assert (reply.calls, reply.complete) == ((), False)
        assert [x.code for x in reply.diagnostics] == ["truncated"]
        with pytest.raises(polylect.ParseError) as caught:
            LECT.decide(reply)
        assert caught.value.reason == "truncated"
        assert "cut off" in caught.value.correction


def test_mended_arguments_are_checked_like_others() -> None:
    tools = [Tool("f", "", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})]
    (good,) = LECT.parse('{"action": "f", "action_input": {n: 1}}', tools=tools, malformed="repair").calls
    (bad,) = LECT.parse('{"action": "f", "action_input": {n: "1"}}', tools=tools, malformed="repair").calls
    assert (good.status, good.arguments) == ("repaired", {"n": 1})
    assert bad.status == "invalid"
    assert "at $.n" in (bad.error or "")


def test_valid_json_is_left_alone() -> None:
    text = '{"action": "f", "action_input": {"a": "it\'s // no comment, {b: 1,}"}}'
    reply = LECT.parse(text, malformed="repair")
    assert reply.calls[0].arguments == {"a": "it's // no comment, {b: 1,}"}
    assert reply.diagnostics == ()
