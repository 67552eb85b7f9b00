"""Tongues with the name outside: layouts as the models' templates have them, ids, and what only some of them do."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentStep, Call, LectError, Reply

NAMES = (
    "deepseek_v3", "deepseek_v31", "functionary_v31", "functionary_v32", "gpt_oss_harmony", "kimi_k2",
    "mistral_v11_args", "plamo3", "solar_open",
)  # fmt: skip
WEATHER = {"city": 'Pa"r\nis</x>', "days": 3, "opt": {"k": [1, True, None]}}
JSON = '{"city": "Pa\\"r\\nis</x>", "days": 3, "opt": {"k": [1, true, null]}}'
CALLS = [("get_weather", WEATHER), ("now", {})]

LAYOUTS = {
    "mistral_v11_args": f"[TOOL_CALLS]get_weather[ARGS]{JSON}[TOOL_CALLS]now[ARGS]{{}}</s>"
    "[TOOL_RESULTS]T1[/TOOL_RESULTS][TOOL_RESULTS]T2[/TOOL_RESULTS]",
    "deepseek_v3": "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n"
    f"{JSON}\n```<｜tool▁call▁end｜>\n<｜tool▁call▁begin｜>function<｜tool▁sep｜>now\n```json\n{{}}\n```"
    "<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>T1"
    "<｜tool▁output▁end｜>\n<｜tool▁output▁begin｜>T2<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
    "deepseek_v31": f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{JSON}<｜tool▁call▁end｜>"
    "<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>"
    "<｜tool▁output▁begin｜>T1<｜tool▁output▁end｜><｜tool▁output▁begin｜>T2<｜tool▁output▁end｜>",
    "kimi_k2": "<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    f"{JSON}<|tool_call_end|><|tool_call_begin|>functions.now:1<|tool_call_argument_begin|>{{}}<|tool_call_end|>"
    "<|tool_calls_section_end|><|im_end|><|im_system|>get_weather<|im_middle|>## Return of functions.get_weather:0\n"
    "T1<|im_end|><|im_system|>now<|im_middle|>## Return of functions.now:1\nT2<|im_end|><|im_assistant|>assistant"
    "<|im_middle|>",
    "gpt_oss_harmony": f"<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{JSON}<|call|>"
    "<|start|>assistant<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>"
    "<|start|>functions.get_weather to=assistant<|channel|>commentary<|message|>T1<|end|>"
    "<|start|>functions.now to=assistant<|channel|>commentary<|message|>T2<|end|><|start|>assistant",
    "functionary_v31": f"<function=get_weather>{JSON}</function><function=now>{{}}</function><|eom_id|>"
    "<|start_header_id|>ipython<|end_header_id|>\n\nT1<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\nT2"
    "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "functionary_v32": f">>>get_weather\n{JSON}>>>now\n{{}}<|eot_id|><|start_header_id|>tool<|end_header_id|>\n\nT1"
    "<|eot_id|><|start_header_id|>tool<|end_header_id|>\n\nT2<|eot_id|><|start_header_id|>assistant"
    "<|end_header_id|>\n\n"
    ">>>",
}
"""Calls and results as the templates of the models write them; that of gpt-oss by the description of its format."""


def steps(*ids: str | None) -> list[AgentStep]:
    actions = [
        AgentAction(name, given, id=one, index=n) for n, ((name, given), one) in enumerate(zip(CALLS, ids, strict=True))
    ]
    return [AgentStep(action, f"T{number}") for number, action in enumerate(actions, 1)]


def said(reply: Reply) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in reply.calls]


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_calls_and_results_are_laid_out_as_in_the_template(name: str) -> None:
    lect = polylect.lect(name)
    assert lect.format_steps(steps(None, None)) == LAYOUTS[name]


@pytest.mark.parametrize("name", sorted(LAYOUTS))
def test_the_templates_layout_is_read(name: str) -> None:
    lect = polylect.lect(name)
    reply = lect.transcript(LAYOUTS[name])  # type: ignore[attr-defined]
    assert said(reply) == CALLS
    assert [reply.text[start:end] for start, end in reply.spans("observation")] == ["T1", "T2"]


def test_small_3_2_has_ids_where_the_calls_have_them() -> None:
    lect = polylect.lect("mistral_v11_args")
    assert lect.format_steps(steps("callaaaa1", "callaaaa2")) == (
        f"[TOOL_CALLS]get_weather[CALL_ID]callaaaa1[ARGS]{JSON}[TOOL_CALLS]now[CALL_ID]callaaaa2[ARGS]{{}}</s>"
        "[TOOL_RESULTS]callaaaa1[TOOL_CONTENT]T1[/TOOL_RESULTS][TOOL_RESULTS]callaaaa2[TOOL_CONTENT]T2[/TOOL_RESULTS]"
    )
    assert "call_1" not in lect.format_steps(steps("call_1", "call_2"))


def test_the_model_of_solar_makes_up_ids() -> None:
    lect = polylect.lect("solar_open")
    text = (
        "<|tool_calls|><|tool_call:begin|>callaaaa1<|tool_call:name|>get_weather<|tool_call:args|>"
        f"{JSON}<|tool_call:end|><|tool_call:begin|>callaaaa2<|tool_call:name|>now<|tool_call:args|>{{}}"
        f"<|tool_call:end|>"
        "<|calls|><|begin|>tool<|tool_response|><|tool_response:begin|>callaaaa1<|tool_response:name|>get_weather"
        "<|tool_response:result|>T1<|tool_response:end|><|tool_response:begin|>callaaaa2<|tool_response:name|>now"
        "<|tool_response:result|>T2<|tool_response:end|><|end|><|begin|>assistant"
    )
    assert lect.format_steps(steps("callaaaa1", "callaaaa2")) == text
    made = lect.format_steps(steps(None, None))
    (one, two) = lect.transcript(made).calls  # type: ignore[attr-defined]
    assert one.id != two.id
    for call in (one, two):
        assert len(call.id) == 10
        assert call.id.isalnum()
        assert made.count(call.id) == 2  # its result names it


def test_kimis_ids_count_over_the_conversation() -> None:
    lect = polylect.lect("kimi_k2")
    first = lect.format(Reply(calls=(Call("now", {}),)))
    taken = [AgentStep(AgentAction("now", {}), "12:30"), AgentStep(AgentAction("now", {}), "12:31")]
    assert "functions.now:0" in first
    written = lect.format_steps(taken)
    assert written.count("functions.now:0") == written.count("functions.now:1") == 2
    assert [call.id for call in lect.transcript(written).calls] == [  # type: ignore[attr-defined]
        "functions.now:0",
        "functions.now:1",
    ]


def test_kimis_own_ids_are_kept() -> None:
    lect = polylect.lect("kimi_k2")
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.now:7<|tool_call_argument_begin|>{}<|tool_call_end|>"
    )
    reply = lect.parse(f"{text}<|tool_calls_section_end|>")
    assert reply.calls[0].id == "functions.now:7"
    assert lect.format(reply) == reply.text


@pytest.mark.parametrize(
    ("name", "text", "reasoning"),
    [
        ("deepseek_v3", "<think>\nhm<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>", "hm"),
        ("deepseek_v31", "<think>hm<｜tool▁call▁begin｜>now<｜tool▁sep｜>{}<｜tool▁call▁end｜>", "hm"),
        ("kimi_k2", "<think><|tool_call_begin|>now:0<|tool_call_argument_begin|>{}<|tool_call_end|>", ""),
        ("mistral_v11_args", "[THINK]hm[TOOL_CALLS]now[ARGS]{}", "hm"),
        ("gpt_oss_harmony", "<|channel|>analysis<|message|>hm<|channel|>commentary to=now<|message|>{}", "hm"),
        ("solar_open", "<|think|>hm<|tool_call:begin|>a<|tool_call:name|>now<|tool_call:args|><|tool_call:end|>", "hm"),
    ],
)  # fmt: skip
def test_a_call_ends_reasoning_that_is_never_closed_only_by_policy(name: str, text: str, reasoning: str) -> None:
    lect = polylect.lect(name)
    assert not lect.parse(text).calls
    reply = lect.parse(text, reasoning_calls="accept")
    assert (reply.reasoning, said(reply)) == (reasoning, [("now", {})])
    parser = lect.parser(reasoning_calls="accept")
    for character in text:
        parser.feed(character)
    parser.close()
    assert parser.reply == reply


@pytest.mark.parametrize("name", NAMES)
def test_stop_strings_in_arguments_are_spelt_otherwise(name: str) -> None:
    lect = polylect.lect(name)
    reply = Reply(calls=(Call("note", {"text": "".join(lect.stops)}), Call("now", {})))
    text = lect.format(reply)
    assert lect.parse(text) == reply
    assert sum(text.count(stop) for stop in lect.stops) <= len(reply.calls)


@pytest.mark.parametrize("name", ["gpt_oss_harmony", "kimi_k2", "solar_open"])
def test_a_result_names_its_tool_or_is_refused(name: str) -> None:
    step = AgentStep(AgentAction("web search", {}), "ok")
    with pytest.raises(LectError, match=r"can't name the tool 'web search' in a result"):
        polylect.lect(name).format_steps([step], tools=[polylect.Tool("web search")])


@pytest.mark.parametrize("name", ["functionary_v31", "functionary_v32"])
def test_code_is_the_only_argument_that_the_tool_has(name: str) -> None:
    tool = polylect.Tool("python", parameters={"type": "object", "properties": {"source": {"type": "string"}}})
    text = {"functionary_v31": "<|python_tag|>print(1)", "functionary_v32": ">>>python\nprint(1)"}[name]
    lect = polylect.lect(name)
    for tools, key in (([tool], "source"), (None, "code")):
        (call,) = lect.parse(text, tools=tools).calls
        assert (call.name, call.arguments, call.raw) == ("python", {key: "print(1)"}, f'{{"{key}": "print(1)"}}')
        assert not lect.parse(text, tools=tools, finish_reason="length").calls


def test_functionary_goes_on_behind_the_marker_of_the_prompt() -> None:
    lect = polylect.lect("functionary_v32")
    log = 'get_weather\n{"city": "Paris"}'
    step = AgentStep(AgentAction("get_weather", {"city": "Paris"}, log), "Rain.")
    written = lect.format_steps([step, step])
    assert written.count(f">>>{log}") == 2
    assert written.endswith("\n\n>>>")
    assert said(lect.parse(log, prefix=">>>")) == said(lect.parse(log)) == [("get_weather", {"city": "Paris"})]
