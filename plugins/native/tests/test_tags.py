"""Tongues of tags: the layouts of whole turns, values as they are, types by schemas, calls that are not closed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import polylect
from polylect import AgentAction, AgentStep, ArgumentsDelta, Call, LectError, Reply, TextLect
from polylect.plugin import MISSING
from polylect_native._literals import read_literal

NAMES = (
    "qwen3_coder_xml", "seed_oss", "mimo", "claude_style_xml", "minimax_m2", "dots", "minicpm5", "step3", "muse_atem",
)  # fmt: skip
WEATHER = {"city": 'Pa"r\nis</x>', "days": 3, "opt": {"k": [1, True, None]}}
CALLS = (Call("get_weather", WEATHER), Call("now", {}))
STEPS = [
    AgentStep(AgentAction(call.name, call.arguments, index=number), result)  # type: ignore[arg-type]
    for number, (call, result) in enumerate(zip(CALLS, ("T1", "T2"), strict=True))
]
TOOL = {
    "type": "function",
    "function": {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "count": {"type": "integer"},
                "size": {"type": "number"},
                "flag": {"type": "boolean"},
                "list": {"type": "array"},
                "map": {"type": "object"},
                "maybe": {"type": ["string", "null"]},
                "mode": {"$ref": "#/$defs/Mode"},
                "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            },
            "$defs": {"Mode": {"enum": ["1", "2"]}},
        },
    },
}


def text_lect(name: str) -> TextLect:
    lect = polylect.lect(name)
    assert isinstance(lect, TextLect)
    return lect


def one_call(name: str, key: str, value: str) -> str:
    """A call of ``f`` with one argument, as the model would write it."""
    lect: Any = polylect.lect(name)
    before, between, behind = lect.member_tags
    call = f"{lect.call_tags[0]}f{lect.call_tags[1]}{before}{key}{between}{value}{behind}{lect.call_tags[2]}"
    return f"<|start|>assistant to=f<|message|>{call}" if name == "muse_atem" else lect.opener + call + lect.closer


# --- layouts ----------------------------------------------------------------------------------------------------------

INVOKES = """\
<invoke name="get_weather">
<parameter name="city">Pa"r
is</x></parameter>
<parameter name="days">3</parameter>
<parameter name="opt">{"k": [1, true, null]}</parameter>
</invoke>
<invoke name="now">
</invoke>"""
FUNCTIONS = """\
<tool_call>
<function=get_weather>
<parameter=city>
Pa"r
is</x>
</parameter>
<parameter=days>
3
</parameter>
<parameter=opt>
{"k": [1, true, null]}
</parameter>
</function>
</tool_call>
<tool_call>
<function=now>
</function>
</tool_call>"""
TIGHT = """\
<function=get_weather>
<parameter=city>Pa"r
is</x></parameter>
<parameter=days>3</parameter>
<parameter=opt>{"k": [1, true, null]}</parameter>
</function>
"""
RESPONSES = (
    "<|im_end|>\n<|im_start|>user\n<tool_response>\nT1\n</tool_response>\n<tool_response>\nT2\n</tool_response>"
    "<|im_end|>\n<|im_start|>assistant\n"
)
STEP = "<｜tool_call_begin｜>function<｜tool_sep｜>"
LAYOUTS = {
    "qwen3_coder_xml": (f"<think>\nR1\n</think>\n\nPRE\n\n{FUNCTIONS}", RESPONSES),
    "seed_oss": (
        f"<seed:think>R1</seed:think>\nPRE\n\n<seed:tool_call>\n{TIGHT}</seed:tool_call>\n<seed:tool_call>\n"
        "<function=now>\n</function>\n</seed:tool_call>",
        "<seed:eos><seed:bos>tool\nT1<seed:eos><seed:bos>tool\nT2<seed:eos><seed:bos>assistant\n",
    ),
    "mimo": (
        f"<think>R1</think>PRE\n<tool_call>\n{TIGHT}</tool_call>\n<tool_call>\n<function=now>\n</function>\n</tool_call>",
        RESPONSES,
    ),
    "claude_style_xml": (
        f"<thinking>\nR1\n</thinking>\n\nPRE\n\n<function_calls>\n{INVOKES}\n</function_calls>",
        "\n<function_results>\n<result>\n<tool_name>get_weather</tool_name>\n<stdout>T1</stdout>\n</result>\n"
        "<result>\n<tool_name>now</tool_name>\n<stdout>T2</stdout>\n</result>\n</function_results>\n\n",
    ),
    "minimax_m2": (
        f"<think>\nR1\n</think>\n\nPRE\n<minimax:tool_call>\n{INVOKES}\n</minimax:tool_call>",
        "[e~[\n]~b]tool\n<response>T1</response>\n<response>T2</response>[e~[\n]~b]ai\n",
    ),
    "dots": (
        f"<think>\nR1\n</think>\n\nPRE\n<dots_function_call>\n{INVOKES}\n</dots_function_call>",
        "\n\n<function_results>\n<result>T1</result>\n<result>T2</result>\n</function_results>\n\n",
    ),
    "minicpm5": (
        '<think>\nR1\n</think>\n\nPRE\n<function name="get_weather"><param name="city"><![CDATA[Pa"r\nis</x>]]></param>'
        '<param name="days">3</param><param name="opt">{"k": [1, true, null]}</param></function>\n'
        '<function name="now"></function>',
        RESPONSES,
    ),
    "step3": (
        f'<think>R1</think>PRE\n<｜tool_calls_begin｜>\n{STEP}<steptml:invoke name="get_weather">'
        '<steptml:parameter name="city">Pa"r\nis</x></steptml:parameter><steptml:parameter name="days">3'
        '</steptml:parameter><steptml:parameter name="opt">{"k": [1, true, null]}</steptml:parameter></steptml:invoke>'
        f'<｜tool_call_end｜>\n<｜tool_sep｜>\n{STEP}<steptml:invoke name="now"></steptml:invoke>'
        "<｜tool_call_end｜>\n<｜tool_calls_end｜>",
        "<|EOT|><|BOT|>tool_response\n<tool_response>T1</tool_response><tool_response>T2</tool_response><|EOT|><|BOT|>"
        "assistant\n",
    ),
    "muse_atem": (
        "<|start|>assistant to=self<|message|>R1<|eom|><|start|>assistant to=user<|message|>PRE<|eom|><|start|>"
        'assistant to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
        '<atem:parameter name="city">Pa"r\nis</x></atem:parameter>\n<atem:parameter name="days">3</atem:parameter>\n'
        '<atem:parameter name="opt">{"k": [1, true, null]}</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
        '<|eom|><|start|>assistant to=now<|message|><atem:function_calls>\n<atem:invoke name="now">\n</atem:invoke>\n'
        "</atem:function_calls>",
        '<|eot|><|start|>tool get_weather<|message|><tool_output name="get_weather">\nT1\n</tool_output><|eot|>'
        '<|start|>tool now<|message|><tool_output name="now">\nT2\n</tool_output><|eot|><|start|>assistant',
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_layout_of_a_turn(name: str) -> None:
    lect = text_lect(name)
    reply = Reply("R1", "PRE", CALLS)
    assert lect.format(reply) == LAYOUTS[name][0]
    assert lect.parse(LAYOUTS[name][0]) == reply


@pytest.mark.parametrize("name", NAMES)
def test_the_layout_of_results(name: str) -> None:
    lect = text_lect(name)
    written = lect.format_steps(STEPS)
    assert written == lect.format(Reply(calls=CALLS)) + LAYOUTS[name][1]
    again = lect.transcript(written)
    assert again.calls == CALLS
    assert [again.text[start:end] for start, end in again.spans("observation")] == ["T1", "T2"]


@pytest.mark.parametrize(
    ("name", "turn"),
    [
        ("qwen3_coder_xml", "<|im_end|>\n<|im_start|>user\n<tool_response>\nT1\n</tool_response>\n<|im_end|>\n"
         "<|im_start|>assistant\n"),
        ("qwen3_coder_xml", "<|im_end|>\n<|im_start|>tool_response\n<tool_response>T1</tool_response><|im_end|>\n"
         "<|im_start|>assistant\n"),
    ],
)  # fmt: skip
def test_other_layouts_of_results_are_read(name: str, turn: str) -> None:
    lect = text_lect(name)
    again = lect.transcript(lect.format(Reply(calls=CALLS)) + turn + "Done.")
    assert again.content == "Done."
    assert [again.text[start:end] for start, end in again.spans("observation")] == ["T1"]


# --- values as they are -----------------------------------------------------------------------------------------------

FUNCTION_ENDS = (
    r"</parameter>\s*(<parameter=|</function>\s*(</?(seed:)?tool_call>|<function=|<\||<seed:eos>|\Z))|\n<parameter=[^<>\n]+>\n"
    r"|</function>\s*(</?(seed:)?tool_call>|<function=|<\||<seed:eos>|\Z)|</parameter>\Z|</function>\Z"
)
INVOKE_ENDS = (
    r"</P>\s*(<Q name=|</I>\s*(</[a-z_:]+>|<J name=|<\||\[e~\[|<｜|<[/a-z]*\Z|\Z))|</I>\s*(</[a-z_:]+>|<J name=|<\||<｜"
    r"|\[e~\[|<[/a-z]*\Z|\Z)"
)


def ends(prefix: str) -> str:
    return (
        INVOKE_ENDS.replace("</P>", f"</{prefix}parameter>")
        .replace("<Q ", f"<{prefix}parameter ")
        .replace("</I>", f"</{prefix}invoke>")
        .replace("<J ", f"<{prefix}invoke ")
    )


LEGAL = {
    **dict.fromkeys(("qwen3_coder_xml", "seed_oss", "mimo"), FUNCTION_ENDS),
    **dict.fromkeys(("claude_style_xml", "minimax_m2", "dots"), ends("")),
    "step3": ends("steptml:"),
    "muse_atem": ends("atem:"),
    "minicpm5": r"\]\]>\s*</param>\s*(<param name=|</function>|\Z)",
}
"""What no value may hold: the end of a value with all that makes it one. With the value's own end behind it, too."""


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_every_text_without_a_complete_end_goes_there_and_back(name: str, data: st.DataObject) -> None:
    lect = text_lect(name)
    marks = [*lect.special, "\n", "\n\n", " ", "x", '"', "\\", "{", "a=b>", ">", "</", "<", "&amp;", "]]>", "é☔"]  # type: ignore[attr-defined]
    text = data.draw(st.lists(st.sampled_from(marks) | st.text(max_size=4), max_size=8).map("".join))
    assume(not re.search(LEGAL[name], text) and not any(stop in text for stop in lect.stops))
    reply = Reply(calls=(Call("f", {"text": text}), Call("f", {"text": text + "\n"})))
    written = lect.format(reply, tools=[TOOL])
    assert lect.parse(written, tools=[TOOL]).calls == reply.calls
    streamed = feed(lect, written, data.draw(st.integers(1, 5)))
    assert streamed.calls == reply.calls


def feed(lect: TextLect, text: str, size: int, **options: Any) -> Reply:
    """The reply of a stream; the argument text that it emitted is that of the calls."""
    parser = lect.parser(tools=[TOOL], **options)
    events = [event for at in range(0, len(text), size) for event in parser.feed(text[at : at + size])]
    events += parser.close()
    said: dict[int, str] = {}
    for event in events:
        if isinstance(event, ArgumentsDelta):
            said[event.index] = said.get(event.index, "") + event.text
    assert [said.get(index, "") for index in range(len(parser.reply.calls))] == [x.raw for x in parser.reply.calls]
    for call in parser.reply.calls:
        assert json.loads(call.raw) == call.arguments
    return parser.reply


@pytest.mark.parametrize("name", NAMES)
def test_a_text_arrives_while_it_is_written(name: str) -> None:
    lect = text_lect(name)
    text = 'line "one"\n' * 20
    value = f"<![CDATA[{text}]]>" if name == "minicpm5" else text
    message = one_call(name, "text", value)
    parser = lect.parser(tools=[TOOL])
    end = message.index("line") + len(text) - 11
    events = [event for at in range(0, end, 3) for event in parser.feed(message[at : min(at + 3, end)])]
    deltas = "".join(event.text for event in events if isinstance(event, ArgumentsDelta))
    assert deltas.startswith('{"text": "')
    said = json.loads(deltas + '"}')["text"]
    assert text.startswith(said)
    assert len(said) > len(text) - 25


@pytest.mark.parametrize("name", NAMES)
def test_a_value_that_is_no_text_is_held_until_it_is_certain(name: str) -> None:
    lect = text_lect(name)
    message = one_call(name, "count", "12")
    parser = lect.parser(tools=[TOOL])
    end = message.index("12") + 2
    events = parser.feed(message[:end])
    assert not [event for event in events if isinstance(event, ArgumentsDelta)]
    rest = [*parser.feed(message[end:]), *parser.close()]
    assert "".join(event.text for event in rest if isinstance(event, ArgumentsDelta)) == '{"count": 12}'


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("text", "02134", "02134"),
        ("text", "true", "true"),
        ("text", "5.0", "5.0"),
        ("text", "null", "null"),
        ("text", "[1]", "[1]"),
        ("mode", "1", "1"),
        ("count", "5.0", 5),
        ("count", "123456789012345678901234567890", 123456789012345678901234567890),
        ("size", "9007199254740993", 9007199254740993),
        ("size", "0.5", 0.5),
        ("flag", "False", False),
        ("list", "[1, {\"a\": null}]", [1, {"a": None}]),
        ("list", "[1, True, 'it\\'s']", [1, True, "it's"]),
        ("map", "{'k': [1, True, None]}", {"k": [1, True, None]}),
        ("map", "{}", {}),
        ("maybe", "null", None),
        ("maybe", "None", "None"),
        ("maybe", "7", "7"),
        ("either", "null", None),
        ("either", "7", 7),
        ("unknown", "7", 7),
        ("unknown", '{"a": 1}', {"a": 1}),
        ("unknown", '"a"', '"a"'),
        ("unknown", "007", "007"),
    ],
)  # fmt: skip
def test_values_are_typed_by_the_schema(name: str, key: str, text: str, value: Any) -> None:
    lect = text_lect(name)
    message = one_call(name, key, text)
    for reply in (lect.parse(message, tools=[TOOL]), feed(lect, message, 1)):
        (call,) = reply.calls
        assert call.arguments == {key: value}
        assert type(call.arguments[key]) is type(value)
        assert call.status == "complete"
        assert not reply.diagnostics


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("key", "text"), [("count", "five"), ("flag", "yes"), ("map", "[1]"), ("either", "x")])
def test_a_value_of_another_type_stays_a_text_and_is_reported(name: str, key: str, text: str) -> None:
    lect = text_lect(name)
    reply = lect.parse(one_call(name, key, text), tools=[TOOL])
    assert reply.calls == (Call("f", {key: text}),)
    (note,) = reply.diagnostics
    assert note.code == "types"
    assert repr(key) in note.message


@pytest.mark.parametrize("name", NAMES)
def test_values_stay_texts_by_policy(name: str) -> None:
    reply = text_lect(name).parse(one_call(name, "count", "5"), tools=[TOOL], types="as_written")
    assert reply.calls == (Call("f", {"count": "5"}),)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["[" * 3000, "[" * 300 + "]" * 300, "{'a': " * 3000, "9" * 10_000, "-" * 9999])
def test_values_beyond_all_bounds_stay_texts(name: str, text: str) -> None:
    for key in ("list", "count", "unknown"):
        reply = text_lect(name).parse(one_call(name, key, text), tools=[TOOL])
        assert reply.calls == (Call("f", {key: text}),)


# --- calls that are not closed, not opened, or not meant --------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_call_ends_reasoning_that_is_never_closed_by_policy(name: str) -> None:
    lect: Any = text_lect(name)
    call = one_call(name, "count", "5")
    message = f"{lect.think[0]}I need it." if name != "muse_atem" else "<|start|>assistant to=self<|message|>I need it."
    reply = lect.parse(message + call, tools=[TOOL], reasoning_calls="accept")
    assert reply.calls == (Call("f", {"count": 5}),)
    assert reply.reasoning == "I need it."
    assert feed(lect, message + call, 2, reasoning_calls="accept") == reply


@pytest.mark.parametrize("name", NAMES)
def test_a_last_value_that_is_not_closed(name: str) -> None:
    lect: Any = text_lect(name)
    message = one_call(name, "count", "5").replace(lect.member_tags[2].strip(), "", 1)
    reply = lect.parse(message, tools=[TOOL])
    assert reply.calls == (Call("f", {"count": 5}),)
    assert feed(lect, message, 1) == reply


@pytest.mark.parametrize("name", NAMES)
def test_a_cut_call_never_runs_and_shows_no_markup(name: str) -> None:
    lect = text_lect(name)
    whole = Reply("", "Well.", (Call("f", {"text": "a", "count": 5, "map": {"b": [1]}}),))
    message = lect.format(whole, tools=[TOOL])
    start = lect.parse(message, tools=[TOOL]).calls[0].start
    mark = len(lect.opener.strip() or lect.call_tags[0].split("\n")[0]) + 2  # type: ignore[attr-defined]
    for end in range(start + mark, len(message)):
        reply = lect.parse(message[:end], tools=[TOOL])
        assert reply.content == "Well."
        assert reply.calls == whole.calls[: len(reply.calls)]
        assert reply.calls or not reply.complete


def test_what_cannot_be_written_is_refused() -> None:
    lect = text_lect("qwen3_coder_xml")
    with pytest.raises(LectError, match="would read back"):
        lect.format(Reply(calls=(Call("f", {"text": "a\n</parameter>\n</function>\n</tool_call>"}),)), tools=[TOOL])
    with pytest.raises(LectError, match="would read back"):
        lect.format(Reply(calls=(Call("f", {"text": "5"}),)))
    with pytest.raises(LectError, match=r"no object|text input"):
        lect.format(Reply(calls=(Call("f", "5"),)))


# --- Python's literals ------------------------------------------------------------------------------------------------

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
literals = st.recursive(
    scalars, lambda x: st.lists(x, max_size=4) | st.dictionaries(st.text(max_size=5), x, max_size=4), max_leaves=12
)


@given(literals)
def test_what_python_writes_is_read(value: Any) -> None:
    assert read_literal(repr(value)) == value
    assert read_literal(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(1, 2)", [1, 2]),
        ("(1,)", [1]),
        ("(1)", 1),
        ("()", []),
        ("[1, 2,]", [1, 2]),
        ("{'a': 1,}", {"a": 1}),
        ("'a' \"b\"", "ab"),
        ("r'\\n'", "\\n"),
        ("'''a'b'''", "a'b"),
        ("'\\x41\\u00e9\\101\\q\\\n'", "AéA\\q"),
        ("'\\ud83d\\ude00'", "\U0001f600"),
        ("'raw\nline'", "raw\nline"),
        ("[-1.5, +2, 1_000, 0x1f, 07, .5, 1.]", [-1.5, 2, 1000, 31, 7, 0.5, 1.0]),
        ("[true, null]", [True, None]),
        ("1e999", MISSING),
        ("9" * 5000, MISSING),
        ("[1", MISSING),
        ("[1 2]", MISSING),
        ("[,]", MISSING),
        ("{1: 2}", MISSING),
        ("{'a'}", MISSING),
        ("'a", MISSING),
        ("nullable", MISSING),
        ("Trueish", MISSING),
        ("1x", MISSING),
        ("__import__('os')", MISSING),
        ("[x for x in y]", MISSING),
        ("", MISSING),
        ("[" * 100_000, MISSING),
        ("'\\" * 50_000, MISSING),
    ],
)
def test_literals(text: str, value: Any) -> None:
    assert read_literal(text) == value if value is not MISSING else read_literal(text) is MISSING
