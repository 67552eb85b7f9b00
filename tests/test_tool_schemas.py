"""Tools whose schemas are of every form, in every bundled lect: no input is lost in silence, no broken one is taken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import Call, Lect, Reply, Tool, ToolError

TEXT_LECTS = ("react", "react_bracket", "conversational", "self_ask", "json_blob", "xml_tags")
LECTS = (*TEXT_LECTS, "tool_calls")
TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
BOTH = {"type": "object", "properties": {"x": TEXT, "n": NUMBER}, "required": ["x"]}
GIVEN: dict[str, Any] = {"x": "1", "n": 2}
NODE = {**BOTH, "properties": {"x": TEXT, "n": NUMBER, "up": {"$ref": "#/$defs/N"}}}
WRAPPED: dict[str, dict[str, Any]] = {
    "$ref": {"$ref": "#/$defs/M", "$defs": {"M": BOTH}},
    "allOf": {"type": "object", "allOf": [BOTH]},
    "anyOf": {"anyOf": [{"type": "object", "properties": {"x": TEXT}}, {"properties": {"n": NUMBER}}]},
    "oneOf": {"oneOf": [BOTH, {"type": "object", "properties": {"q": TEXT}, "required": ["q"]}]},
    "node": {"$ref": "#/$defs/N", "$defs": {"N": NODE}},
}
OPEN: dict[str, dict[str, Any]] = {
    "empty": {},
    "object": {"type": "object"},
    "others": {"type": "object", "additionalProperties": True},
    "others of a kind": {"additionalProperties": {"type": ["string", "integer"]}},
    "patterns": {"patternProperties": {"^x": TEXT}},
    "any": {"anyOf": [{"type": "object"}, {"type": "object", "properties": {}}]},
}
CLOSED: dict[str, dict[str, Any] | None] = {
    "none": None,
    "no properties": {"type": "object", "properties": {}},
    "no others": {"type": "object", "additionalProperties": False},
}


def asked(lect: Lect, raw: str) -> Any:
    """A message with one call of the tool ``a``."""
    if lect.messages:
        return {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "a", "arguments": raw}}]}
    heads = {
        "react": ("Action: a\nAction Input: ", ""),
        "react_bracket": ("Action: a[", "]"),
        "conversational": ("Action: a\nAction Input: ", ""),
        "self_ask": ("Follow up: ", ""),
        "json_blob": ('{"action": "a", "action_input": ', "}"),
        "xml_tags": ("<tool>a</tool><tool_input>", "</tool_input>"),
    }
    return raw.join(heads[lect.name])


def an_object(lect: Lect) -> Any:
    return asked(lect, "<x>1</x><n>2</n>" if lect.name == "xml_tags" else json.dumps(GIVEN))


def a_text(lect: Lect, text: str) -> Any:
    return asked(lect, json.dumps(text) if lect.name in ("json_blob", "tool_calls") else text)


def read(lect: Lect, message: Any, schema: Any) -> tuple[Call, list[str]]:
    """The call that is read, whole and in a stream, and the codes of its diagnostics."""
    tools = [{"name": "a"} if schema is None else {"name": "a", "parameters": schema}]
    reply = lect.parse(message, tools=tools)
    parser = lect.parser(tools=tools)
    for chunk in lect.chunks(message, (3,)):
        parser.feed(chunk)
    parser.close()
    assert parser.reply == reply
    (call,) = reply.calls
    assert call.runnable == (call.error is None)
    return call, [x.code for x in reply.diagnostics]


@pytest.fixture(params=LECTS)
def lect(request: pytest.FixtureRequest) -> Lect:
    return polylect.lect(request.param)


@pytest.fixture(params=TEXT_LECTS)
def text_lect(request: pytest.FixtureRequest) -> Lect:
    return polylect.lect(request.param)


@pytest.mark.parametrize("form", WRAPPED)
def test_the_arguments_of_a_wrapped_schema_are_read_and_told(lect: Lect, form: str) -> None:
    call, codes = read(lect, an_object(lect), WRAPPED[form])
    assert (call.arguments, call.status, codes) == (GIVEN, "complete", [])
    told = str(lect.format_tools([Tool("a", parameters=WRAPPED[form])]))
    assert "string" in told
    assert "integer" in told


@pytest.mark.parametrize("form", OPEN)
def test_a_schema_that_names_nothing_keeps_the_input(text_lect: Lect, form: str) -> None:
    call, codes = read(text_lect, an_object(text_lect), OPEN[form])
    if text_lect.name == "xml_tags":
        assert call.arguments in (GIVEN, {"x": 1, "n": 2})  # no type is known
    else:
        assert call.arguments == GIVEN
    assert (call.status, codes) == ("complete", [])
    call, codes = read(text_lect, a_text(text_lect, "hello there"), OPEN[form])
    assert call.arguments == "hello there"
    if text_lect.name == "json_blob" and form in ("object", "others", "any"):
        assert (call.status, codes) == ("invalid", ["invalid_arguments"])  # it holds the schema against the input
        assert call.error == "The tool 'a' takes an object, not a text. Send the call again."
    else:
        assert (call.status, codes) == ("complete", [])
    told = text_lect.format_tools([Tool("a", parameters=OPEN[form])])
    assert told == ("a\n    arguments: any" if text_lect.name == "json_blob" else "a(…)")


@pytest.mark.parametrize("form", [*OPEN, *CLOSED])
def test_no_input_is_no_arguments(text_lect: Lect, form: str) -> None:
    for text in ("", "None", "{}", "no input"):
        call, codes = read(text_lect, a_text(text_lect, text), {**OPEN, **CLOSED}[form])
        assert (call.arguments, call.status, codes) == ({}, "complete", [])


@pytest.mark.parametrize("form", CLOSED)
def test_a_tool_that_takes_nothing_says_what_it_passed_over(text_lect: Lect, form: str) -> None:
    tools = [{"name": "a"} if CLOSED[form] is None else {"name": "a", "parameters": CLOSED[form]}]
    call, codes = read(text_lect, a_text(text_lect, "hello there"), CLOSED[form])
    assert (call.arguments, call.status, codes) == ({}, "complete", ["skipped"])
    assert "hello there" in call.raw
    (found,) = text_lect.parse(a_text(text_lect, "hello there"), tools=tools).diagnostics
    assert found.message == "The input of 'a' was passed over: the tool takes none."
    call, _ = read(text_lect, an_object(text_lect), CLOSED[form])
    assert set(call.arguments or ()) == {"x", "n"}
    told = text_lect.format_tools(tools)
    assert told == ("a\n    arguments: {}" if text_lect.name == "json_blob" else "a()")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(TEXT_LECTS),
    st.sampled_from([*OPEN.values(), *CLOSED.values(), *WRAPPED.values()]),
    st.text("ab1 {}\":'", max_size=12).map(str.strip),
)
def test_an_input_is_kept_or_told(name: str, schema: dict[str, Any] | None, text: str) -> None:
    lect = polylect.lect(name)
    reply = lect.parse(
        a_text(lect, text), tools=[{"name": "a"} if schema is None else {"name": "a", "parameters": schema}]
    )
    for call in reply.calls:
        assert call.arguments or call.error or reply.diagnostics or not set(text) - set("{} '\"")


@pytest.mark.parametrize("form", OPEN)
def test_a_text_for_an_open_tool_is_written_and_read_again(text_lect: Lect, form: str) -> None:
    if text_lect.name == "json_blob" and form != "empty":
        return  # a text is no object there
    tools = [Tool("a", parameters=OPEN[form])]
    for arguments in ("hello there", " hello ", "7", {"x": "y", "z": [1]}):
        if arguments == " hello " and text_lect.name == "json_blob":
            continue
        reply = Reply(calls=(Call("a", arguments),))
        assert text_lect.parse(text_lect.format(reply, tools=tools), tools=tools) == reply


BROKEN = {
    "nowhere": ({"properties": {"x": {"$ref": "#/$defs/M"}}}, r"'#/\$defs/M' leads nowhere - at \$\.properties\.x"),
    "itself": ({"properties": {"x": {"$ref": "#/properties/x"}}}, "only leads back to itself"),
    "remote": ({"$ref": "http://example.com/x"}, r"nothing is fetched: put that schema into \$defs"),
    "pattern": ({"properties": {"x": {"pattern": "("}}}, r"'\(' is not a 'regex' - at \$\.properties\.x\.pattern"),
}


@pytest.mark.parametrize("form", BROKEN)
def test_a_broken_schema_is_told_by_every_lect_and_every_entrance(lect: Lect, form: str) -> None:
    schema, told = BROKEN[form]
    tools = [{"name": "a", "parameters": schema}]
    reply = lect.parse(an_object(lect))
    for use in (
        lambda: lect.parse(an_object(lect), tools=tools),
        lambda: lect.parser(tools=tools),
        lambda: lect.format_tools(tools),
        lambda: lect.format(reply, tools=tools),
    ):
        with pytest.raises(ToolError, match=told) as caught:
            use()
        assert str(caught.value).startswith("The schema of tool 'a' is broken: ")
