"""Arguments in notations of their own: Python's, objects with strings between tokens, elements named as the keys."""

from __future__ import annotations

import ast
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polylect import ArgumentsDelta, CallEnd
from polylect.grammar._escapes import decoded_python, unescape_python

from .streams import alike, cut, feed, hold, only_call
from .tongues import ELEMENTS, OBJECT, PYTHON, Tongue

VALUES = (
    "v",
    "two words",
    "a\nbreak",
    '"quoted"',
    "it's",
    "back\\slash",
    "\t\x01\x7f",
    "é 😀 \u2028",
    "), (]",
    "",
    "\\",
)


def python(**values: str) -> str:
    return f"[f({', '.join(f'{key}={value!r}' for key, value in values.items())})]"


def objects(**values: str) -> str:
    body = ",".join(f'{key}:<|"|>{value}<|"|>' for key, value in values.items())
    return f"<|tool_call>call:f{{{body}}}<tool_call|>"


def elements(**values: str) -> str:
    body = "".join(f"@<{key}>{value}@</{key}>" for key, value in values.items())
    return f'@<tool_call>@<invoke name="f">{body}@</invoke>@</tool_call>'.replace("@", "]<]minimax[>[")


WRITERS = [(PYTHON, python), (OBJECT, objects), (ELEMENTS, elements)]


def ways(text: str) -> list[list[str]]:
    return [cut(text, 1), cut(text, 3, 2), *([text[:at], text[at:]] for at in range(len(text)))]


@pytest.mark.parametrize(("tongue", "write"), WRITERS, ids=["python", "objects", "elements"])
def test_members_are_a_json_object(tongue: Tongue, write: Any) -> None:
    for values in ({"k": "v", "l": "w", "m": "x"}, *({"k": value, "l": value} for value in VALUES)):
        call = only_call(alike(tongue.lect, write(**values), ways(write(**values))))
        assert (call.name, call.status, call.arguments) == ("f", "complete", values)
        assert json.loads(call.raw) == values


@pytest.mark.parametrize(("tongue", "write"), WRITERS[:2], ids=["python", "objects"])
def test_a_string_goes_out_while_it_comes(tongue: Tongue, write: Any) -> None:
    text = write(k="a long value", l="w")
    parser = tongue.lect.parser()
    events = parser.feed(text[: text.index("long") + 2])
    assert [event.text for event in events if isinstance(event, ArgumentsDelta)] == ['{"k": "a lo']
    assert [event.text for event in parser.feed("ng") if isinstance(event, ArgumentsDelta)] == ["ng"]
    assert [event.text for event in parser.feed(" ") if isinstance(event, ArgumentsDelta)] == [" "]


@pytest.mark.parametrize(("tongue", "write"), WRITERS, ids=["python", "objects", "elements"])
@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_what_is_cut_does_not_run(tongue: Tongue, write: Any, finish_reason: str) -> None:
    text = write(k="v", l="w")
    for size in range(text.rindex("w") + 1):
        events, reply = feed(tongue.lect, cut(text[:size], 5), finish_reason=finish_reason)
        hold(events, text[:size], reply)
        assert reply.calls == ()
        assert all(event.call.status == "truncated" for event in events if isinstance(event, CallEnd))


def test_a_list_that_is_cut_leaves_no_call() -> None:
    text = "[f(a='b'), g(c=1), h()]"
    assert len(PYTHON.lect.parse(text).calls) == 3
    for size in range(len(text)):
        for chunks in ([text[:size]], cut(text[:size], 1)):
            events, reply = feed(PYTHON.lect, chunks)
            hold(events, text[:size], reply)
            assert reply.calls == ()
    _, reply = feed(PYTHON.lect, [text[:-1]], truncated="flag")
    assert [call.status for call in reply.calls] == ["truncated"] * 3
    events, reply = feed(PYTHON.lect, cut(text, 2), arguments="held")
    hold(events, text, reply)
    assert [type(event).__name__ for event in events[:3]] == ["CallStart", "ArgumentsDelta", "CallEnd"]


@pytest.mark.parametrize(
    ("tongue", "text"),
    [
        (PYTHON, "[f(a='b' c)]"),
        (PYTHON, "[f(a='b'.c())]"),
        (PYTHON, "[f(a='b', 'c')]"),
        (PYTHON, "[f(a='b', *c)]"),
        (OBJECT, "<|tool_call>call:f{a:[1]b:2}<tool_call|>"),
        (OBJECT, '<|tool_call>call:f{a:<|"|>b<|"|>}}}<tool_call|>'),
        (OBJECT, "<|tool_call>call:f{a:[1}<tool_call|>"),
        (OBJECT, "<|tool_call>call:f{a:1<tool_call|>"),
        (ELEMENTS, elements(a="b").replace("[</a>", "[</c>")),
        (ELEMENTS, elements(a="b").replace("b", "]<]minimax[>[<c>b")),
    ],
)
def test_what_is_malformed_is_no_call_that_runs(tongue: Tongue, text: str) -> None:
    reply = alike(tongue.lect, text + " so", ways(text + " so"))
    assert only_call(reply).status == "invalid"
    assert reply.content.endswith(" so")


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('a:<|"|>he said <|"|>hi<|"|>, and left<|"|>', {"a": 'he said <|"|>hi<|"|>, and left'}),
        ('a:<|"|>{"b": <|"|>c<|"|>}<|"|>,d:<|"|>e<|"|>', {"a": '{"b": <|"|>c<|"|>}', "d": "e"}),
        ('a:b, c<|"|>,d:1', {"a": '<|"|>b, c<|"|>', "d": "1"}),
        (
            'a:[<|"|>]<|"|>,{b:<|"|>}<|"|>}],c:"}",d:\'{\'',
            {"a": '[<|"|>]<|"|>,{b:<|"|>}<|"|>}]', "c": '"}"', "d": "'{'"},
        ),
        ('"a":1,\'b\':2,<|"|>c:d<|"|>:3', {"a": "1", "b": "2", "c:d": "3"}),
    ],
)
def test_where_strings_between_tokens_end(text: str, arguments: Any) -> None:
    text = f"<|tool_call>call:f{{{text}}}<tool_call|>"
    assert only_call(alike(OBJECT.lect, text, ways(text))).arguments == arguments


BODIES = st.lists(
    st.sampled_from(
        ["a", "\\n", "\\\\", "\\'", "\\x4", "1", "\\u00e9", "\\ud83d", "\\ude00", "\\12", "\\U0001f600", "\\q"]
    )
).map("".join)


@given(BODIES, st.data())
def test_escapes_may_be_cut_anywhere(body: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(body)))
    head = body[:at]
    if (len(head) - len(head.rstrip("\\"))) % 2:  # a scanner keeps a backslash that ends the chunk
        head = head[:-1]
    text, rest = decoded_python(head)
    assert text + unescape_python(rest + body[len(head) :]) == unescape_python(body)
    assert len(rest) <= 12


@given(BODIES.filter(lambda body: not re.search(r"\\x4(?![0-9a-f])|\\q|\\ud83d\\ude00", body)))
def test_escapes_are_those_of_python(body: str) -> None:
    assert unescape_python(body) == ast.literal_eval(f"'{body}'")
