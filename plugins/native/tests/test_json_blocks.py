"""Tongues with one JSON object a call: the layouts of whole transcripts, cuts, and what is peculiar to one of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import AgentAction, AgentFinish, AgentStep, Call, CallEnd, ContentDelta, LectError, Reply, TextLect, Tool
from polylect.grammar import lint

WEATHER = {"city": 'Pa"r\nis</x>', "days": 3, "opt": {"k": [1, True, None]}}
CALLS = (Call("get_weather", WEATHER), Call("now", {}))
ARGUMENTS = r'{"city": "Pa\"r\nis</x>", "days": 3, "opt": {"k": [1, true, null]}}'
NAMES = (
    "hermes", "llama3_json", "longcat", "minimax_m1", "internlm2", "granite_20b_fc", "gigachat3", "gigachat31",
    "inkling",
)  # fmt: skip
ONE_CALL = {"gigachat3", "gigachat31"}
"""The tongues whose turns have one call at most."""
KEYS = {"llama3_json": "parameters", "internlm2": "parameters", "inkling": "args"}


def text_lect(name: str) -> TextLect:
    lect = polylect.lect(name)
    assert isinstance(lect, TextLect)
    return lect


def calls_of(name: str) -> tuple[Call, ...]:
    return CALLS[:1] if name in ONE_CALL else CALLS


def steps_of(name: str) -> list[AgentStep]:
    return [
        AgentStep(AgentAction(call.name, call.arguments, index=number), f"T{number + 1}")  # type: ignore[arg-type]
        for number, call in enumerate(calls_of(name))
    ]


def told(reply: Reply) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in reply.calls if call.runnable]


# --- layouts ----------------------------------------------------------------------------------------------------------


def objects(key: str = "arguments") -> tuple[str, str]:
    return f'{{"name": "get_weather", "{key}": {ARGUMENTS}}}', f'{{"name": "now", "{key}": {{}}}}'


ONE, TWO = objects()
P_ONE, P_TWO = objects("parameters")
A_ONE, A_TWO = objects("args")
TRANSCRIPTS = {
    "hermes": (
        f"<tool_call>\n{ONE}\n</tool_call>\n<tool_call>\n{TWO}\n</tool_call><|im_end|>\n<|im_start|>user\n"
        "<tool_response>\nT1\n</tool_response>\n<tool_response>\nT2\n</tool_response><|im_end|>\n"
        "<|im_start|>assistant\n"
    ),
    "llama3_json": (
        f"{P_ONE}; {P_TWO}<|eot_id|><|start_header_id|>ipython<|end_header_id|>\n\nT1<|eot_id|>"
        "<|start_header_id|>ipython<|end_header_id|>\n\nT2<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    "longcat": (
        f"<longcat_tool_call>{ONE}</longcat_tool_call>\n<longcat_tool_call>{TWO}</longcat_tool_call>\n"
        "<longcat_observation>\nT1\n</longcat_observation>\n<longcat_observation>\nT2\n</longcat_observation>\n"
    ),
    "minimax_m1": (
        f"<tool_calls>\n{ONE}\n{TWO}\n</tool_calls><end_of_sentence>\n"
        "<beginning_of_sentence>tool name=tools\ntool result: T1\n\n<end_of_sentence>\n"
        "<beginning_of_sentence>tool name=tools\ntool result: T2\n\n<end_of_sentence>\n"
        "<beginning_of_sentence>ai name=assistant\n"
    ),
    "internlm2": (
        f"<|action_start|><|plugin|>\n{P_ONE}<|action_end|><|action_start|><|plugin|>\n{P_TWO}<|action_end|><|im_end|>\n"
        "<|im_start|>environment name=<|plugin|>\nT1<|im_end|>\n"
        "<|im_start|>environment name=<|plugin|>\nT2<|im_end|>\n<|im_start|>assistant\n"
    ),
    "granite_20b_fc": (
        f"<function_call> {ONE}\n<function_call> {TWO}\n<|endoftext|>\n"
        "<function_response> T1<function_response> T2\nASSISTANT: "
    ),
    "gigachat3": (
        f"function call<|role_sep|>\n{ONE}<|message_sep|>\n\nfunction result<|role_sep|>\nT1<|message_sep|>\n\n"
        "assistant<|role_sep|>\n"
    ),
    "gigachat31": (
        f"<|function_call|>{ONE}<|message_sep|>\n\nfunction result<|role_sep|>\nT1<|message_sep|>\n\n"
        "assistant<|role_sep|>\n"
    ),
    "inkling": (
        f"<|message_model|>get_weather<|content_invoke_tool_json|>{A_ONE}<|end_message|>"
        f"<|message_model|>now<|content_invoke_tool_json|>{A_TWO}<|end_message|><|content_model_end_sampling|>"
        "<|message_tool|>get_weather<|content_text|>T1<|end_message|>"
        "<|message_tool|>now<|content_text|>T2<|end_message|><|message_model|>"
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_has_the_layout_of_the_models_own_template(name: str) -> None:
    assert text_lect(name).format_steps(steps_of(name)) == TRANSCRIPTS[name]


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_reads_back(name: str) -> None:
    lect = text_lect(name)
    reply = lect.transcript(TRANSCRIPTS[name] * 2)
    assert told(reply) == [(call.name, call.arguments) for call in calls_of(name)] * 2
    results = [f"T{number + 1}" for number in range(len(calls_of(name)))]
    assert [reply.text[start:end] for start, end in reply.spans("observation")] == results * 2
    assert reply.content == reply.reasoning == ""


TURNS = {
    "hermes": f"<think>\nR\n</think>\n\nPRE\n<tool_call>\n{TWO}\n</tool_call>",
    "llama3_json": f"PRE{P_TWO}",
    "longcat": f"<longcat_think>\nR\n</longcat_think>\nPRE\n<longcat_tool_call>{TWO}</longcat_tool_call>",
    "minimax_m1": f"<think>\nR\n</think>\n\nPRE\n<tool_calls>\n{TWO}\n</tool_calls>",
    "internlm2": f"<think>\nR\n</think>\n\nPRE<|action_start|><|plugin|>\n{P_TWO}<|action_end|>",
    "granite_20b_fc": f"PRE\n<function_call> {TWO}",
    "gigachat31": f"PRE<|function_call|>{TWO}",
    "inkling": (
        "<|message_model|><|content_thinking|>R<|end_message|><|message_model|><|content_text|>PRE<|end_message|>"
        f"<|message_model|>now<|content_invoke_tool_json|>{A_TWO}<|end_message|>"
    ),
}


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_has_its_layout(name: str) -> None:
    lect = text_lect(name)
    reasoning = "R" if "reasoning" in lect.features else ""
    assert lect.format(Reply(reasoning=reasoning, content="PRE", calls=CALLS[1:])) == TURNS[name]


def test_text_and_a_call_are_two_turns_of_gigachat_3() -> None:
    lect = text_lect("gigachat3")
    with pytest.raises(LectError, match="content with calls"):
        lect.format(Reply(content="PRE", calls=CALLS[1:]))
    reply = lect.parse(f"PRE<|message_sep|>\n\nfunction call<|role_sep|>\n{TWO}<|message_sep|>\n\n")
    assert (reply.content, told(reply)) == ("PRE", [("now", {})])


def test_a_turn_of_gigachat_3_that_calls_again_is_not_the_assistants() -> None:
    step = steps_of("gigachat3")[0]
    written = text_lect("gigachat3").format_steps([step, step])
    assert "T1<|message_sep|>\n\nfunction call<|role_sep|>\n" in written
    assert written.count("assistant<|role_sep|>") == 1


@pytest.mark.parametrize(
    "turn",
    [
        "<|im_end|>\n<|im_start|>tool\n<tool_response>\nT1\n</tool_response>\n<tool_response>\nT2\n</tool_response>"
        "<|im_end|><|im_start|>assistant\n",
        "<|im_end|><|im_start|>tool\n<tool_response>\nT1\n</tool_response>\n<tool_response>\nT2\n</tool_response>"
        "<|im_end|><|im_start|>assistant\n",
        "<|end_of_text|>\n<|start_of_role|>user<|end_of_role|>\n<tool_response>\nT1\n</tool_response>\n<tool_response>\n"
        "T2\n</tool_response><|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>",
    ],
    ids=["Hermes", "Hermes, in one line", "Granite"],
)
def test_hermes_reads_the_turns_of_all_templates(turn: str) -> None:
    reply = text_lect("hermes").transcript(f"<tool_call>\n{TWO}\n</tool_call>{turn}It is noon.")
    assert [reply.text[start:end] for start, end in reply.spans("observation")] == ["T1", "T2"]
    assert (told(reply), reply.content, reply.diagnostics) == ([("now", {})], "It is noon.", ())


def test_the_result_marker_in_prose_is_text() -> None:
    text = "Results stand in <tool_response> and </tool_response>."
    assert text_lect("hermes").parse(text).content == text


@pytest.mark.parametrize("name", NAMES)
def test_a_stop_token_that_the_server_left_in_is_not_written_twice(name: str) -> None:
    lect = text_lect(name)
    (call,) = CALLS[1:]
    log = lect.format(Reply(calls=(call,)))
    step = AgentStep(AgentAction(call.name, {}, log=log), "T")
    left_in = AgentStep(AgentAction(call.name, {}, log=f"{log}{lect.stops[0]}\n"), "T")
    assert lect.format_steps([left_in]) == lect.format_steps([step])


# --- cuts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TURNS)
@pytest.mark.parametrize("finish_reason", ["stop", "length"])
def test_a_turn_that_is_cut_anywhere_runs_no_half_call(name: str, finish_reason: str) -> None:
    lect = text_lect(name)
    reasoning = "I think." if "reasoning" in lect.features else ""
    calls = calls_of(name)
    text = lect.format(Reply(reasoning=reasoning, content="Let me see.", calls=calls))
    for end in range(len(text)):
        reply = lect.parse(text[:end], finish_reason=finish_reason)
        assert told(reply) == [(call.name, call.arguments) for call in calls][: len(reply.calls)]
        assert all(call.status == "complete" for call in reply.calls)
        shown = reply.content.removeprefix("Let me see.").strip()
        assert len(shown) < max(map(len, lect.special)), shown  # type: ignore[attr-defined]
        assert not any(mark in reply.content for mark in lect.special)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", NAMES)
def test_every_value_and_marker_in_arguments_is_data(name: str) -> None:
    lect = text_lect(name)
    texts = [*lect.special, TRANSCRIPTS[name], '"}}', "\\", "\n\n"]  # type: ignore[attr-defined]
    reply = Reply(calls=(Call("echo", {text: [text, {"n": 2**70, "f": 5.0, "z": None}] for text in texts}),))
    assert lect.parse(lect.write(reply)) == reply  # format() refuses the stop strings


# --- one tongue -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {"hermes", "minimax_m1", "llama3_json"}])
@pytest.mark.parametrize("body", ["now()", "", "{", '{"name": "now", "arguments": {}'])
def test_what_is_no_object_makes_no_call_and_text_behind_it_is_read(name: str, body: str) -> None:
    lect = text_lect(name)
    opener, _, closer = lect.format(Reply(calls=CALLS[1:])).partition(objects(KEYS.get(name, "arguments"))[1])
    reply = lect.parse(f"{opener}{body}{closer}{lect.stops[0]}")
    assert not told(reply)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "type", "version", "id"]), inner),
    max_leaves=6,
)


@given(JSON, st.booleans(), st.sampled_from([None, 0, 2]))
def test_llama_takes_json_without_a_call_for_text(value: Any, named: bool, indent: int | None) -> None:
    text = json.dumps({"name": "x", "version": value} if named else value, indent=indent)
    reply = text_lect("llama3_json").parse(text)
    assert (reply.content, reply.calls, reply.diagnostics) == (text if text else "", (), ())


@given(
    st.sampled_from(["parameters", "arguments"]),
    st.sampled_from([{}, {"type": "function"}]),
    st.booleans(),
    st.sampled_from([None, 0, 4]),
    st.sampled_from(["", "<|python_tag|>", "So: "]),
)
def test_llama_finds_calls_however_they_are_spaced(
    key: str, kind: dict[str, str], last: bool, indent: int | None, before: str
) -> None:
    call = {"name": "now", **kind, key: WEATHER} if last else {**kind, "name": "now", key: WEATHER}
    reply = text_lect("llama3_json").parse(before + json.dumps(call, indent=indent))
    assert told(reply) == [("now", WEATHER)]
    assert reply.content == before.removesuffix("<|python_tag|>")


def test_llama_lets_go_of_what_can_become_no_call_any_more() -> None:
    parser = text_lect("llama3_json").parser()
    parser.feed(P_TWO)
    events = [event for char in '; {"name": "' + "x" * 1000 for event in parser.feed(char)]
    assert len("".join(event.text for event in events if isinstance(event, ContentDelta))) > 800


def test_granites_call_of_no_function_is_none() -> None:
    lect = text_lect("granite_20b_fc")
    written = '<function_call> {"name": "no_function", "arguments": {}}'
    assert lect.parse(written).calls == ()
    assert isinstance(lect.decide(lect.parse(f"I can't.\n{written}")), AgentFinish)
    with pytest.raises(LectError, match="can't express"):
        lect.format(Reply(calls=(Call("no_function", {}),)))
    assert told(lect.parse(written.replace("no_function", "no_functions"))) == [("no_functions", {})]


def test_the_pairs_of_newer_longcat_models_have_the_types_of_the_schema() -> None:
    tool = polylect.Tool(
        "f", "", {"type": "object", "properties": {"zip": {"type": "string"}, "n": {"type": "integer"}}}
    )
    text = "<longcat_tool_call>f\n" + "".join(
        f"<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>02134</longcat_arg_value>\n"
        if key == "zip"
        else f"<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>3</longcat_arg_value>\n"
        for key in ("zip", "n")
    )
    reply = text_lect("longcat").parse(f"{text}</longcat_tool_call>", tools=[tool])
    assert told(reply) == [("f", {"zip": "02134", "n": 3})]


def test_inkling_writes_no_name_that_would_break_a_head() -> None:
    lect = text_lect("inkling")
    with pytest.raises(LectError, match="head of a block"):
        lect.format(Reply(calls=(Call("a|b", {}),)), tools=[Tool("a|b")])
    step = AgentStep(AgentAction("a|b", {}, log="", index=0), "T")
    with pytest.raises(LectError, match="head of a block"):
        lect.format_steps([step], tools=[Tool("a|b")])


@pytest.mark.parametrize("name", NAMES)
def test_a_call_ends_with_its_object_in_a_stream(name: str) -> None:
    lect = text_lect(name)
    text = lect.format(Reply(calls=CALLS[1:]))
    at = text.rindex("}") + 1
    assert any(isinstance(event, CallEnd) for event in lect.parser().feed(text[:at]))


KNOWN = {("hidden", "THOUGHTS")}
"""By default a call's opener inside reasoning is reasoning."""


@pytest.mark.parametrize("name", NAMES)
def test_the_grammars_have_no_unknown_faults(name: str) -> None:
    file = text_lect(name).grammar_file
    assert {(finding.rule, finding.terminal) for finding in lint(file) if finding.level == "error"} <= KNOWN


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Qwen/Qwen3-0.6B", "hermes"),
        ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes"),
        ("meta-llama/Llama-3.3-70B-Instruct", "llama3_json"),
        ("meituan-longcat/LongCat-Flash-Chat", "longcat"),
        ("MiniMaxAI/MiniMax-M1-80k", "minimax_m1"),
        ("internlm/internlm2_5-7b-chat", "internlm2"),
        ("ibm-granite/granite-20b-functioncalling", "granite_20b_fc"),
        ("ai-sage/GigaChat3-10B-A1.8B", "gigachat3"),
        ("ai-sage/GigaChat3.1-10B-A1.8B", "gigachat31"),
        ("thinkingmachines/Inkling", "inkling"),
    ],
)
def test_a_models_name_finds_its_lect(model: str, name: str) -> None:
    assert polylect.lect(model).name == name
