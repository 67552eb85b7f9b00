"""Tongues whose values have a notation of their own: layouts of whole turns, literals, types, streams, hostile text."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import AgentAction, AgentStep, ArgumentsDelta, Call, LectError, Reply, TextLect
from polylect.plugin import MISSING, dumps
from polylect_native._gemma import read_value, write_value
from polylect_native._literals import read_literal
from polylect_native.calls._elements import TOKEN, read_elements, write_elements

PYTHON = ("pythonic", "olmo3", "lfm2")
NAMES = (*PYTHON, "gemma4", "functiongemma", "minimax_m3")
THINKING = ("olmo3", "lfm2", "gemma4", "minimax_m3")
WEATHER = {"city": 'Pa"r\nis</x>', "days": 3, "opt": {"k": [1, True, None]}}
CALLS = (Call("get_weather", WEATHER), Call("now", {}))
STEPS = [
    AgentStep(AgentAction(call.name, call.arguments, index=number), result)  # type: ignore[arg-type]
    for number, (call, result) in enumerate(zip(CALLS, ("T1", "T2"), strict=True))
]
QUOTE = '<|"|>'
TOOL = {
    "type": "function",
    "function": {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "count": {"type": "integer"},
                "flag": {"type": "boolean"},
                "list": {"type": "array", "items": {"type": "string"}},
                "map": {"type": "object", "properties": {"n": {"type": "integer"}, "s": {"type": "string"}}},
                "maybe": {"type": ["string", "null"]},
                "rows": {"type": "array", "items": {"type": "object", "properties": {"item": {"type": "integer"}}}},
            },
        },
    },
}


def text_lect(name: str) -> TextLect:
    lect = polylect.lect(name)
    assert isinstance(lect, TextLect)
    return lect


def tagged(text: str) -> str:
    """``@`` is MiniMax's token."""
    return text.replace("@", TOKEN)


def call_of(name: str, members: str) -> str:
    """A call of ``f`` as the model writes it, with its arguments as they are written."""
    return {
        "pythonic": f"[f({members})]",
        "olmo3": f"<function_calls>f({members})</function_calls>",
        "lfm2": f"<|tool_call_start|>[f({members})]<|tool_call_end|>",
        "gemma4": f"<|tool_call>call:f{{{members}}}<tool_call|>",
        "functiongemma": f"<start_function_call>call:f{{{members}}}<end_function_call>",
        "minimax_m3": tagged(f'@<tool_call>\n@<invoke name="f">{members}@</invoke>\n@</tool_call>'),
    }[name]


def only(reply: Reply) -> Call:
    (call,) = reply.calls
    return call


TURNS = {
    "pythonic": (
        "I look.\n[get_weather(city='Pa\"r\\nis</x>', days=3, opt={'k': [1, True, None]}), now()]",
        '<|eot|><|header_start|>ipython<|header_end|>\n\n"T1"<|eot|><|header_start|>ipython<|header_end|>\n\n"T2"'
        "<|eot|><|header_start|>assistant<|header_end|>\n\n",
    ),
    "olmo3": (
        "<think>\nR1\n</think>\n\nI look.\n<function_calls>get_weather(city='Pa\"r\\nis</x>', days=3, "
        "opt={'k': [1, True, None]})\nnow()</function_calls>",
        "<|im_end|>\n<|im_start|>environment\nT1<|im_end|>\n<|im_start|>environment\nT2<|im_end|>\n"
        "<|im_start|>assistant\n",
    ),
    "lfm2": (
        "<think>\nR1\n</think>\n\nI look.<|tool_call_start|>[get_weather(city='Pa\"r\\nis</x>', days=3, "
        "opt={'k': [1, True, None]}), now()]<|tool_call_end|>",
        "<|im_end|>\n<|im_start|>tool\n<|tool_response_start|>T1<|tool_response_end|><|im_end|>\n<|im_start|>tool\n"
        "<|tool_response_start|>T2<|tool_response_end|><|im_end|>\n<|im_start|>assistant\n",
    ),
    "gemma4": (
        '<|channel>thought\nR1\n<channel|>I look.<|tool_call>call:get_weather{city:<|"|>Pa"r\nis</x><|"|>,days:3,'
        "opt:{k:[1,true,null]}}<tool_call|><|tool_call>call:now{}<tool_call|>",
        '<|tool_response>response:get_weather{value:<|"|>T1<|"|>}<tool_response|><|tool_response>response:now{value:'
        '<|"|>T2<|"|>}<tool_response|>',
    ),
    "functiongemma": (
        'I look.<start_function_call>call:get_weather{city:<escape>Pa"r\nis</x><escape>,days:3,opt:{k:[1,true,null]}}'
        "<end_function_call><start_function_call>call:now{}<end_function_call>",
        "<start_function_response>response:get_weather{value:<escape>T1<escape>}<end_function_response>"
        "<start_function_response>response:now{value:<escape>T2<escape>}<end_function_response>",
    ),
    "minimax_m3": (
        tagged(
            '<mm:think>R1</mm:think>I look.@<tool_call>\n@<invoke name="get_weather">@<city>Pa"r\nis</x>@</city>'
            "@<days>3@</days>@<opt>@<k>@<item>1@</item>@<item>true@</item>@<item>null@</item>@</k>@</opt>@</invoke>\n"
            '@<invoke name="now">@</invoke>\n@</tool_call>'
        ),
        "[e~[\n]~b]tool\n<response>T1</response>\n<response>T2</response>[e~[\n]~b]ai\n",
    ),
}
"""A turn with two calls, and their results, as the models' templates write them."""


@pytest.mark.parametrize("name", NAMES)
def test_the_layout_of_a_turn_and_of_its_results(name: str) -> None:
    lect = text_lect(name)
    turn, results = TURNS[name]
    reply = Reply(reasoning="R1" if name in THINKING else "", content="I look.", calls=CALLS)
    assert lect.format(reply) == turn
    assert lect.parse(turn) == reply
    written = lect.format_steps(STEPS)
    assert written.endswith(results)
    read = lect.transcript(written)
    assert [call.arguments for call in read.calls] == [WEATHER, {}]
    assert [read.text[start:end] for start, end in read.spans("observation")] == ["T1", "T2"]


@pytest.mark.parametrize("name", THINKING)
def test_reasoning_that_is_never_closed(name: str) -> None:
    lect: Any = text_lect(name)
    call = lect.format(Reply(calls=(Call("now", {}),)))
    text = f"{lect.think[0]}I look it up.{call}"
    for policy, calls in (("ignore", 0), ("accept", 1)):
        reply = lect.parse(text, reasoning_calls=policy)
        parser = lect.parser(reasoning_calls=policy)
        for char in text:
            parser.feed(char)
        parser.close()
        assert parser.reply.to_json() == reply.to_json()
        assert len([call for call in reply.calls if call.runnable]) == calls
        assert reply.reasoning == ("I look it up." if calls else f"I look it up.{call}")
    prefix = lect.think[0]
    assert lect.parse(f"a{lect.think[1]}b", prefix=prefix).reasoning == "a"


@pytest.mark.parametrize("name", ["gemma4", "lfm2", "functiongemma", "minimax_m3"])
def test_a_result_that_the_model_invents_is_cut_off(name: str) -> None:
    lect = text_lect(name)
    reply = lect.parse(lect.format_steps(STEPS) + "It rains.")
    assert (len(reply.calls), reply.content) == (2, "")
    assert "observation" in {x.code for x in reply.diagnostics}


# --- values -----------------------------------------------------------------------------------------------------------

PYTHONS = [
    ("text='02134'", {"text": "02134"}),
    ("text=02134", {"text": "02134"}),
    ("text=5.0", {"text": "5.0"}),
    ("maybe=None", {"maybe": None}),
    ("maybe='null'", {"maybe": "null"}),
    ("count='3'", {"count": 3}),
    ("count='3' '4'", {"count": 34}),
    ("flag='true'", {"flag": True}),
    ("list='[\"a\"]'", {"list": ["a"]}),
    ("map=\"{'n': 1}\"", {"map": {"n": 1}}),
    ("count='many'", {"count": "many"}),
    ("count=123456789012345678901234567890", {"count": 123456789012345678901234567890}),
    ("other='1', more=1", {"other": "1", "more": 1}),
]
OBJECTS = [
    ('text:<|"|>02134<|"|>', {"text": "02134"}),
    ("text:02134", {"text": "02134"}),
    ("text:Paris", {"text": "Paris"}),
    ('count:<|"|>3<|"|>', {"count": 3}),
    ("count:many", {"count": "many"}),
    ('map:<|"|>{"n": 1}<|"|>', {"map": {"n": 1}}),
    ("map:<|\"|>{'n': 1, 's': None}<|\"|>", {"map": {"n": 1, "s": None}}),
    ("map:{n:1,s:x y}", {"map": {"n": 1, "s": "x y"}}),
    ('list:[\'a\', "b\\n",<|"|>c<|"|>]', {"list": ["a", "b\n", "c"]}),
    ('text:Paris, France<|"|>,count:5', {"text": "Paris, France", "count": 5}),
    ("maybe:null", {"maybe": None}),
]
ELEMENTS = [
    ("@<text>02134@</text>", {"text": "02134"}),
    ("@<text>null@</text>", {"text": "null"}),
    ("@<text>a @<b>@</b> c@</text>", {"text": f"a {TOKEN}<b>{TOKEN}</b> c"}),
    ("@<count>3@</count>", {"count": 3}),
    ("@<list>@<item>1@</item>@<item>@</item>@</list>", {"list": ["1", ""]}),
    ("@<list>@<tag>1@</tag>@<tag>2@</tag>@</list>", {"list": ["1", "2"]}),
    ("@<list>@</list>", {"list": []}),
    ('@<list>["a"]@</list>', {"list": ["a"]}),
    ("@<map>@<item>1@</item>@</map>", {"map": {"item": 1}}),
    ("@<map>\n@<n>1@</n>\n@<s>1@</s>\n@</map>", {"map": {"n": 1, "s": "1"}}),
    ("@<rows>@<item>@<item>1@</item>@</item>@</rows>", {"rows": [{"item": 1}]}),
    ("@<flag>True@</flag>\n@<maybe>null@</maybe>", {"flag": True, "maybe": None}),
    ("@<other>@<a>1@</a>@<b>x@</b>@</other>", {"other": {"a": 1, "b": "x"}}),
]
VALUES = [
    *(("lfm2", text, value) for text, value in PYTHONS),
    *(("gemma4", text, value) for text, value in OBJECTS),
    *(("functiongemma", text.replace(QUOTE, "<escape>"), value) for text, value in OBJECTS),
    *(("minimax_m3", tagged(text), value) for text, value in ELEMENTS),
]


@pytest.mark.parametrize(("name", "members", "arguments"), VALUES)
def test_values_are_typed_by_the_schema(name: str, members: str, arguments: Any) -> None:
    lect = text_lect(name)
    text = call_of(name, members)
    call = only(lect.parse(text, tools=[TOOL]))
    assert (call.status, call.arguments) == ("complete", arguments)
    for size in (1, 3, 7):
        parser = lect.parser(tools=[TOOL])
        events = [e for at in range(0, len(text), size) for e in parser.feed(text[at : at + size])]
        events += parser.close()
        assert only(parser.reply) == call
        assert "".join(e.text for e in events if isinstance(e, ArgumentsDelta)) == call.raw
    assert json.loads(call.raw) == arguments


@pytest.mark.parametrize(
    ("name", "members"),
    [
        *((name, text) for name in PYTHON for text in ("a=b", "a=", "a='b' + 'c'", "'b'", "a=[1", "a=f(1)", "a=1e999")),
        *(("gemma4", text) for text in ("a:b, c", "a:", "a", "a:[1 2", "a:{b}", "a:1 b:2,", "a:[,]")),
        *(("minimax_m3", tagged(x)) for x in ("a", "@<a>x@<b>1@</b>@</a>", "@<a>@<b>1@</c>@</a>", "@<a>1@</b>")),
    ],
)
def test_what_is_no_value_makes_the_call_invalid(name: str, members: str) -> None:
    reply = text_lect(name).parse(call_of(name, members))
    assert not any(call.runnable for call in reply.calls)
    assert reply.diagnostics or reply.content == "[f('b')]"


@pytest.mark.parametrize("name", NAMES)
def test_nesting_has_a_limit(name: str) -> None:
    lect = text_lect(name)
    value: Any = "x"
    for _ in range(20):
        value = {"k": value} if name == "minimax_m3" else [value]
    text = lect.format(Reply(calls=(Call("f", {"a": value}),)))
    assert only(lect.parse(text)).arguments == {"a": value}
    deep = lect.parse(text, max_nesting=10)
    assert not any(call.runnable for call in deep.calls)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_brackets_are_no_calls(name: str) -> None:
    opening = call_of(name, "a=").partition("a=")[0]
    for storm in ("[" * 136, "[f(" * 45, "{a:" * 45, "[f(a=" * 27, "[{'a':" * 23, f"{TOKEN}<a>" * 9, "'" * 136):
        for text in (storm, opening + storm, opening + "a=" + storm, opening + "a:" + storm):
            assert not any(call.runnable for call in text_lect(name).parse(text).calls)


def test_pythonic_reads_prose_as_prose() -> None:
    lect = text_lect("pythonic")
    for text in ("See [the map](https://x.example/a(b=1)).", "a[0](1)", "[f(x), g(y)]", "[1, 2]", "[]", "f(a=1)", "[f"):
        reply = lect.parse(text)
        assert (reply.content, reply.calls) == (text, ())
    assert lect.escape("[f(a=1)]") == "[\\f(a=1)]"
    assert lect.unescape("[\\f(a=1)]") == "[f(a=1)]"
    assert lect.parse(lect.escape("[f(a=1)]")).calls == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_string_streams_while_it_comes(name: str) -> None:
    lect = text_lect(name)
    text = lect.format(Reply(calls=(Call("f", {"text": "a long text of some words"}),)))
    parser = lect.parser(tools=[TOOL])
    parser.feed(text[: text.index("long")])
    events = parser.feed("long text")
    assert "".join(event.text for event in events if isinstance(event, ArgumentsDelta)).startswith("long tex")


# --- the readers of values --------------------------------------------------------------------------------------------

texts = st.text(st.sampled_from("ab'\"\\\n\t é😀[]{}(),:=<|>") | st.characters(exclude_categories=["Cs"]), max_size=6)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)


@given(values)
def test_literals_that_python_writes(value: Any) -> None:
    assert read_literal(repr(value), wide=True) == value


@given(st.text(st.sampled_from("a1'\"[](){},: \nTrue-.e0"), max_size=24))
def test_whatever_python_reads_is_read_alike(text: str) -> None:
    try:
        value = ast.literal_eval(text.strip(" \n"))
    except (ValueError, SyntaxError, MemoryError, TypeError):
        read_literal(text, wide=True)
        return
    got = read_literal(text, wide=True)
    if got is not MISSING and isinstance(value, (int, float, str)):
        assert got == value


@given(values)
def test_values_in_gemmas_notation(value: Any) -> None:
    got = read_value(write_value(value, "<q>"), "<q>", 50)
    assert got == value or "<q>" in dumps(value)


@given(st.text(st.sampled_from("a1<|\"'>[]{},: \nq")))
def test_any_text_is_read_or_is_none(text: str) -> None:
    read_value(text, QUOTE, 5)
    read_elements(text.replace("q", f"{TOKEN}<a>").replace("1", f"{TOKEN}</a>"), None, {}, 5, str)


@given(values)
def test_elements_say_what_json_says(value: Any) -> None:
    def untyped(text: str) -> Any:
        try:
            return json.loads(text)
        except ValueError:
            return text

    text = write_elements(value)
    if read_elements(text, None, {}, 50, untyped) != value:
        lect = text_lect("minimax_m3")
        try:
            reply = lect.parse(lect.format(Reply(calls=(Call("f", {"a": value}),))))
        except LectError:
            return
        assert only(reply).arguments == {"a": value}


def test_readers_of_values_take_linear_time() -> None:
    size = 200_000
    for text in ("'a' " * size, "[" * size, "[[]," * size, "a:" * size, '<|"|>' * size, "{a:" * size, "'\\" * size):
        read_literal(text)
        read_value(text, QUOTE, 200)
    read_elements(f"{TOKEN}<a>" * size, None, {}, 200, str)
    read_elements(f"{TOKEN}<a>{TOKEN}</a>" * size, None, {}, 200, str)
