"""Tongues of keys and values, and of elements that tell their type: layouts, types, streams, what others write."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import AgentAction, AgentStep, ArgumentsDelta, Call, CallStart, LectError, Reply, Tool
from polylect_native._native import NativeLect
from polylect_native.typed_tags._dsml import DsmlV4
from polylect_native.typed_tags._hy_v3 import HyV3

NAMES = (
    "glm45",
    "glm47",
    "deepseek_dsml_v32",
    "deepseek_dsml_v4",
    "kimi_k3_xtml",
    "hy_v3",
    "k2_horizon_ifm",
)
TOLD = ("deepseek_dsml_v32", "deepseek_dsml_v4", "kimi_k3_xtml")
"""Those that write the types of arguments."""
UNTOLD = tuple(name for name in NAMES if name not in TOLD)


TYPED_LOOKS = ("02134", "true", "5.0", "null", "None", '{"a": 1}', '"quoted"', "", "  x \n", "123_456")


def tool(name: str, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [
    tool(
        "get_weather",
        city={"type": "string"},
        days={"type": "integer"},
        opt={"type": "object"},
        exact={"type": "boolean"},
        zip={"anyOf": [{"type": "string"}, {"type": "null"}]},
    ),
    tool("now"),
]


def lect_of(name: str) -> NativeLect:
    found = polylect.lect(name)
    assert isinstance(found, NativeLect)
    return found


# --- the layout of a turn with two calls and of their results ---------------------------------------------------------

CITY = 'Pa"r\nis</x>'
OPT = '{"k": [1, true, null]}'
DSML_CALLS = (
    '<｜DSML｜invoke name="get_weather">\n'
    f'<｜DSML｜parameter name="city" string="true">{CITY}</｜DSML｜parameter>\n'
    '<｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>\n'
    f'<｜DSML｜parameter name="opt" string="false">{OPT}</｜DSML｜parameter>\n'
    '</｜DSML｜invoke>\n<｜DSML｜invoke name="now">\n\n</｜DSML｜invoke>\n'
)
LAYOUTS = {
    "glm45": (
        "<think>R1</think>\nPRE\n<tool_call>get_weather\n"
        f"<arg_key>city</arg_key>\n<arg_value>{CITY}</arg_value>\n"
        "<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n"
        f"<arg_key>opt</arg_key>\n<arg_value>{OPT}</arg_value>\n</tool_call>\n<tool_call>now\n</tool_call>",
        "<|observation|>\n<tool_response>\nT1\n</tool_response>\n<tool_response>\nT2\n</tool_response><|assistant|>\n",
    ),
    "glm47": (
        f"<think>R1</think>PRE<tool_call>get_weather<arg_key>city</arg_key><arg_value>{CITY}</arg_value>"
        f"<arg_key>days</arg_key><arg_value>3</arg_value><arg_key>opt</arg_key><arg_value>{OPT}</arg_value>"
        "</tool_call><tool_call>now</tool_call>",
        "<|observation|><tool_response>T1</tool_response><tool_response>T2</tool_response><|assistant|>",
    ),
    "deepseek_dsml_v32": (
        f"<think>R1</think>PRE\n\n<｜DSML｜function_calls>\n{DSML_CALLS}</｜DSML｜function_calls>",
        "<｜end▁of▁sentence｜>\n\n<function_results>\n<result>T1</result>\n<result>T2</result>\n"
        "</function_results>\n\n",
    ),
    "deepseek_dsml_v4": (
        f"<think>R1</think>PRE\n\n<｜DSML｜tool_calls>\n{DSML_CALLS}</｜DSML｜tool_calls>",
        "<｜end▁of▁sentence｜><｜User｜><tool_result>T1</tool_result>\n\n<tool_result>T2</tool_result><｜Assistant｜>",
    ),
    "kimi_k3_xtml": (
        "<|open|>think<|sep|>R1<|close|>think<|sep|><|open|>response<|sep|>PRE<|close|>response<|sep|>"
        '<|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
        f'<|open|>argument key="city" type="string"<|sep|>{CITY}<|close|>argument<|sep|>'
        '<|open|>argument key="days" type="number"<|sep|>3<|close|>argument<|sep|>'
        f'<|open|>argument key="opt" type="object"<|sep|>{OPT}<|close|>argument<|sep|><|close|>call<|sep|>'
        '<|open|>call tool="now" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
        '<|close|>message<|sep|><|end_of_msg|><|open|>message role="tool" tool="get_weather" index="1"<|sep|>T1'
        '<|close|>message<|sep|><|end_of_msg|><|open|>message role="tool" tool="now" index="2"<|sep|>T2'
        '<|close|>message<|sep|><|end_of_msg|><|open|>message role="assistant"<|sep|>',
    ),
    "hy_v3": (
        "<think:opensource>R1</think:opensource>PRE<tool_calls:opensource>\n"
        "<tool_call:opensource>get_weather<tool_sep:opensource>\n"
        f"<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>{CITY}</arg_value:opensource>\n"
        "<arg_key:opensource>days</arg_key:opensource>\n<arg_value:opensource>3</arg_value:opensource>\n"
        f"<arg_key:opensource>opt</arg_key:opensource>\n<arg_value:opensource>{OPT}</arg_value:opensource>\n"
        "</tool_call:opensource>\n<tool_call:opensource>now<tool_sep:opensource>\n</tool_call:opensource>\n"
        "</tool_calls:opensource>",
        "<｜hy_eos:opensource｜><tool_responses:opensource>\n<tool_response:opensource>\nT1\n"
        "</tool_response:opensource>\n<tool_response:opensource>\nT2\n</tool_response:opensource>\n"
        "</tool_responses:opensource><｜hy_Assistant:opensource｜>",
    ),
}
CALLS = (Call("get_weather", {"city": CITY, "days": 3, "opt": {"k": [1, True, None]}}), Call("now", {}))


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_turn_and_its_results_stand_as_the_model_knows_them(name: str) -> None:
    turn, results = LAYOUTS[name]
    lect = lect_of(name)
    assert lect.format(Reply("R1", "PRE", CALLS), tools=TOOLS) == turn
    actions = [
        AgentAction(call.name, call.arguments or {}, turn if not n else "", index=n) for n, call in enumerate(CALLS)
    ]
    written = lect.format_steps([AgentStep(actions[0], "T1"), AgentStep(actions[1], "T2")], tools=TOOLS)
    assert written == turn + results
    read = lect.transcript(written, tools=TOOLS)
    assert [read.text[start:end] for start, end in read.spans("observation")] == ["T1", "T2"]
    assert read.calls == CALLS
    assert not read.diagnostics


# --- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", UNTOLD)
@pytest.mark.parametrize(
    "text", ["02134", "true", "5.0", "null", "None", '{"a": 1}', '"quoted"', "", "  x \n", "123_456"]
)
def test_a_text_is_no_other_value_where_the_schema_says_text(name: str, text: str) -> None:
    lect = lect_of(name)
    reply = Reply(calls=(Call("get_weather", {"city": text}),))
    written = lect.format(reply, tools=TOOLS)
    (call,) = lect.parse(written, tools=TOOLS).calls
    assert call.arguments == {"city": text}


@pytest.mark.parametrize("name", UNTOLD)
@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("days", "3", 3),
        ("days", " 3\n", 3),
        ("days", "123456789012345678901234567890", 123456789012345678901234567890),
        ("exact", "True", True),
        ("opt", "{'a': None}", {"a": None}),
        ("zip", "null", None),
        ("zip", "02134", "02134"),
    ],
)
def test_the_schema_types_a_value(name: str, key: str, text: str, value: Any) -> None:
    lect = lect_of(name)
    mark = "A_MARK"
    written = lect.write(Reply(calls=(Call("get_weather", {key: mark}),))).replace(mark, text)
    reply = lect.parse(written, tools=TOOLS)
    (call,) = reply.calls
    assert call.arguments == {key: value}
    assert type(call.arguments[key]) is type(value)
    assert not reply.diagnostics


@pytest.mark.parametrize("name", UNTOLD)
def test_a_value_that_does_not_fit_stays_a_text_and_is_told(name: str) -> None:
    lect = lect_of(name)
    reply = lect.parse(lect.write(Reply(calls=(Call("get_weather", {"days": "soon"}),))), tools=TOOLS)
    assert reply.calls[0].arguments == {"days": "soon"}
    assert [x.code for x in reply.diagnostics] == ["types"]


@pytest.mark.parametrize("name", TOLD)
@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("value", ["3", "true", "null", "[]", "", 3, 1.5, True, None, [], {"a": [None]}, 2**70])
def test_what_tells_its_type_needs_no_schema(name: str, tools: Any, value: Any) -> None:
    lect = lect_of(name)
    (call,) = lect.parse(lect.format(Reply(calls=(Call("get_weather", {"zip": value}),)), tools=tools)).calls
    assert call.arguments == {"zip": value}
    assert type(call.arguments["zip"]) is type(value)


# --- streams ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_a_text_is_streamed_as_it_comes_and_other_values_when_they_end(name: str) -> None:
    lect = lect_of(name)
    for key, value, live in (("city", "x" * 200, True), ("opt", {"a": "x" * 200}, False)):
        written = lect.format(Reply(calls=(Call("get_weather", {key: value}),)), tools=TOOLS)
        parser = lect.parser(tools=TOOLS)
        middle = written.index("x" * 200) + 100
        events = parser.feed(written[:middle])
        assert [x.name for x in events if isinstance(x, CallStart)] == ["get_weather"]
        told = "".join(x.text for x in events if isinstance(x, ArgumentsDelta))
        assert told == (f'{{"{key}": "{"x" * 100}' if live else "")


@given(st.data())
@pytest.mark.parametrize("name", NAMES)
def test_a_call_that_is_cut_anywhere_does_not_run(name: str, data: st.DataObject) -> None:
    lect = lect_of(name)
    calls = (Call("get_weather", {"city": "Paris <b>", "days": 3}), Call("now", {}))
    written = lect.format(Reply(content="I look.", calls=calls), tools=TOOLS)
    whole = lect.parse(written, tools=TOOLS).calls
    cut = written[: data.draw(st.integers(0, len(written) - 1))]
    for reason in ("stop", "length"):
        assert all(call in whole for call in lect.parse(cut, tools=TOOLS, finish_reason=reason).calls)


@given(st.data())
@pytest.mark.parametrize("name", NAMES)
def test_the_markers_in_a_text_are_data_or_refused(name: str, data: st.DataObject) -> None:
    lect = lect_of(name)
    pieces = [*lect.special, *lect.stops, "\n", " ", "a", '"', ">", "tool", *lect.examples[0].split("\n")]
    text = "".join(data.draw(st.lists(st.sampled_from(pieces), max_size=5)))
    reply = Reply(calls=(Call("get_weather", {"city": text, "days": 3}), Call("now", {})))
    try:
        written = lect.format(reply, tools=TOOLS)
    except LectError:
        return
    assert lect.parse(written, tools=TOOLS) == reply


# --- what a text with one marker inside reads as: never refused -------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_one_marker_in_a_text_is_data(name: str) -> None:
    lect = lect_of(name)
    for marker in lect.special:
        if marker not in lect.stops:
            reply = Reply(calls=(Call("get_weather", {"city": f"a {marker} b"}),))
            assert lect.parse(lect.format(reply, tools=TOOLS), tools=TOOLS) == reply


# --- other writers ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dsml", "block"), [("｜DSML｜ ", "calls"), ("｜GCML｜", "tool_calls"), ("|DSML|", "tool")])
def test_dsml_is_written_by_choice(dsml: str, block: str) -> None:
    lect = DsmlV4(dsml=dsml, block=block)
    reply = Reply(content="PRE", calls=CALLS)
    written = lect.format(reply)
    assert written.startswith(
        f'PRE\n\n<{dsml}{block}>\n<{dsml}invoke name="get_weather">\n<{dsml}parameter name="city"'
    )
    assert lect_of("deepseek_dsml_v4").parse(written) == reply


def test_the_suffix_of_hy_v3_is_a_choice() -> None:
    lect = HyV3(suffix="")
    assert lect.format(Reply(calls=(Call("now", {}),))) == (
        "<tool_calls>\n<tool_call>now<tool_sep>\n</tool_call>\n</tool_calls>"
    )
    assert lect.stops == ("<｜hy_eos｜>",)


def test_names_and_keys_of_kimi_have_entities() -> None:
    lect = lect_of("kimi_k3_xtml")
    name = 'a "&quot;" &index; b'
    reply = Reply(calls=(Call(name, {'"': 1, "&amp;": '"&quot;'}),))
    written = lect.format(reply, tools=[Tool(name)])
    assert '"a &quot;&amp;quot;&quot; &amp;index; b" index="1"' in written
    assert lect.parse(written, tools=[Tool(name)]) == reply


@pytest.mark.parametrize("name", NAMES)
def test_a_call_ends_reasoning_that_is_never_closed_only_by_policy(name: str) -> None:
    lect = lect_of(name)
    written = lect.format(Reply(reasoning="I look it up.", calls=(Call("now", {}),)))
    assert lect.think is not None
    unclosed = written.replace(lect.think[1], "")
    unclosed = unclosed.replace("<|open|>response<|sep|><|close|>response<|sep|>", "")  # it would end it, too
    assert not lect.parse(unclosed).calls
    accepted = lect.parse(unclosed, reasoning_calls="accept")
    assert accepted.calls == (Call("now", {}),)
    assert accepted.reasoning.startswith("I look it up.")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("GLM-4.5-Air", "glm45"),
        ("GLM-4.7-Flash", "glm47"),
        ("GLM-5.3", "glm47"),
        ("Ling-3.0-flash", "glm45"),
        ("DeepSeek-V3.2", "deepseek_dsml_v32"),
        ("DeepSeek-V4.1-Flash", "deepseek_dsml_v4"),
        ("Kimi-K3", "kimi_k3_xtml"),
        ("Hy3", "hy_v3"),
        ("K2-Horizon", "k2_horizon_ifm"),
    ],
)
def test_the_models_find_their_tongue(model: str, name: str) -> None:
    assert polylect.lect(model).name == name
