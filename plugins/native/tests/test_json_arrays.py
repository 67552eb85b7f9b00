"""Tongues whose calls stand in one JSON array: the layouts of whole turns, ids, and what is peculiar to one of them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import AgentAction, AgentFinish, AgentStep, Call, LectError, Reply, TextLect

WEATHER = {"city": 'Pa"r\nis</x>', "days": 3, "opt": {"k": [1, True, None]}}
CALLS = (Call("get_weather", WEATHER, id="callaaaa1"), Call("now", {}, id="callaaaa2"))
STEPS = [
    AgentStep(AgentAction(call.name, call.arguments, id=call.id, index=number), result)  # type: ignore[arg-type]
    for number, (call, result) in enumerate(zip(CALLS, ("T1", "T2"), strict=True))
]
ARGUMENTS = r'{"city": "Pa\"r\nis</x>", "days": 3, "opt": {"k": [1, true, null]}}'
ENTRIES = f'{{"name": "get_weather", "arguments": {ARGUMENTS}}}, {{"name": "now", "arguments": {{}}}}'
WITH_IDS = (
    f'{{"name": "get_weather", "arguments": {ARGUMENTS}, "id": "callaaaa1"}}, '
    '{"name": "now", "arguments": {}, "id": "callaaaa2"}'
)
NAMES = (
    "mistral_v3_array", "granite3", "jamba", "hunyuan_a13b", "phi4_mini_functools", "xlam", "nemotron_v2", "apertus",
    "cohere_command", "command_r_plus", "apriel",
)  # fmt: skip


def text_lect(name: str) -> TextLect:
    lect = polylect.lect(name)
    assert isinstance(lect, TextLect)
    return lect


# --- layouts ----------------------------------------------------------------------------------------------------------

TRANSCRIPTS = {
    "mistral_v3_array": (
        f"[TOOL_CALLS] [{WITH_IDS}]</s>"
        '[TOOL_RESULTS] {"content": "T1", "call_id": "callaaaa1"}[/TOOL_RESULTS]'
        '[TOOL_RESULTS] {"content": "T2", "call_id": "callaaaa2"}[/TOOL_RESULTS]'
    ),
    "granite3": (
        f"<|tool_call|>[{ENTRIES}]<|end_of_text|>\n"
        "<|start_of_role|>tool_response<|end_of_role|>T1<|end_of_text|>\n"
        "<|start_of_role|>tool_response<|end_of_role|>T2<|end_of_text|>\n"
        "<|start_of_role|>assistant<|end_of_role|>"
    ),
    "hunyuan_a13b": (
        f"<tool_calls>[{ENTRIES}]</tool_calls><|eos|>"
        "<tool_response>T1</tool_response><|extra_0|><tool_response>T2</tool_response><|extra_0|>"
    ),
    "phi4_mini_functools": f"functools[{ENTRIES}]<|end|><|tool|>T1<|end|><|tool|>T2<|end|><|assistant|>",
    "xlam": (
        f"[{ENTRIES}]<|eot_id|>"
        "<|start_header_id|>ipython<|end_header_id|>\n\nT1<|eot_id|>"
        "<|start_header_id|>ipython<|end_header_id|>\n\nT2<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n"
    ),
    "cohere_command": (
        "<|START_ACTION|>[\n"
        f'    {{"tool_call_id": "callaaaa1", "tool_name": "get_weather", "parameters": {ARGUMENTS}}},\n'
        '    {"tool_call_id": "callaaaa2", "tool_name": "now", "parameters": {}}\n'
        "]<|END_ACTION|><|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|><|START_TOOL_RESULT|>[\n"
        '    {\n        "tool_call_id": "callaaaa1",\n        "results": {\n            "0": "T1"\n        },\n'
        '        "is_error": null\n    },\n'
        '    {\n        "tool_call_id": "callaaaa2",\n        "results": {\n            "0": "T2"\n        },\n'
        '        "is_error": null\n    }\n'
        "]<|END_TOOL_RESULT|><|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    ),
    "apriel": (
        f"<tool_calls>[{WITH_IDS}]</tool_calls>\n<|end|>\n"
        "<|tool_result|>\nT1\n<|end|>\n<|tool_result|>\nT2\n<|end|>\n<|assistant|>\n"
    ),
}
"""Two calls and their results, as the models' own templates lay them out."""


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_calls_and_results_have_the_layout_of_the_template(name: str) -> None:
    assert polylect.lect(name).format_steps(STEPS) == TRANSCRIPTS[name]


ONE_RESULT = {
    "nemotron_v2": (
        f'<TOOLCALL>[{{"name": "get_weather", "arguments": {ARGUMENTS}}}]</TOOLCALL>\n<SPECIAL_12>\n'
        "<SPECIAL_11>User\n<TOOL_RESPONSE>[T1]</TOOL_RESPONSE><SPECIAL_11>Assistant\n"
    ),
    "apertus": f'<|tools_prefix|>[{{"get_weather": {ARGUMENTS}}}]<|tools_suffix|>[T1]<|assistant_start|>',
}
"""Where the template joins results so that nothing parts them, ours agrees with it on one."""


@pytest.mark.parametrize("name", ONE_RESULT)
def test_one_call_and_its_result_have_the_layout_of_the_template(name: str) -> None:
    assert polylect.lect(name).format_steps(STEPS[:1]) == ONE_RESULT[name]


def test_an_array_of_many_lines_in_a_fence() -> None:
    reply = Reply(calls=(Call("get_weather", {"city": "Paris", "opt": {"k": [1]}}), Call("now", {})))
    assert polylect.lect("command_r_plus").format(reply) == (
        'Action: ```json\n[\n    {\n        "tool_name": "get_weather",\n        "parameters": {\n            '
        '"city": "Paris",\n            "opt": {\n                "k": [\n                    1\n                ]\n'
        '            }\n        }\n    },\n    {\n        "tool_name": "now",\n        "parameters": {}\n    }\n]```'
    )


TEXT_AND_CALL = {
    "mistral_v3_array": "PRE[TOOL_CALLS] [",
    "hunyuan_a13b": "PRE<tool_calls>[",
    "phi4_mini_functools": "PRE functools[",
    "nemotron_v2": "PRE\n<TOOLCALL>[",
    "apertus": "PRE<|tools_prefix|>[",
    "apriel": "PRE\n<tool_calls>[",
}


@pytest.mark.parametrize("name", TEXT_AND_CALL)
def test_text_before_a_call_has_the_layout_of_the_template(name: str) -> None:
    assert polylect.lect(name).format(Reply(content="PRE", calls=(Call("now", {}),))).startswith(TEXT_AND_CALL[name])


@pytest.mark.parametrize("name", NAMES)
def test_a_transcript_has_the_results_of_its_calls(name: str) -> None:
    lect = text_lect(name)
    hostile = [
        f'a, "b"]\n{mark}, }}' for mark in (lect.observation_prefix, lect.model_prefix, "]\n[", "\n\nDocument: 1\n")
    ]
    steps = [
        AgentStep(AgentAction("now", {}, id=f"{number}", index=number % 2), result)
        for number, result in enumerate(hostile)
    ]
    reply = lect.transcript(lect.format_steps(steps))
    assert [call.name for call in reply.calls] == ["now"] * 4
    assert [lect.unescape(reply.text[start:end]) for start, end in reply.spans("observation")] == hostile


RESULTS = {
    "T1": '"T1"',
    '{"a": [1]}': '{"a": [1]}',
    "12": "12",
    'say "hi"\nC:\\': r'"say \"hi\"\nC:\\"',
    '"T"': r'"\"T\""',
    "": '""',
}


@pytest.mark.parametrize(("result", "written"), RESULTS.items())
def test_results_of_mistral_are_json(result: str, written: str) -> None:
    lect = text_lect("mistral_v3_array")
    text = lect.format_steps([AgentStep(AgentAction("now", {}, id="abcdefgh1"), result)])
    assert text.endswith(f'</s>[TOOL_RESULTS] {{"content": {written}, "call_id": "abcdefgh1"}}[/TOOL_RESULTS]')
    ((start, end),) = lect.transcript(text).spans("observation")
    assert lect.unescape(text[start:end]) == result


def test_mistral_writes_what_its_own_encoder_writes() -> None:
    from mistral_common.protocol.instruct.messages import AssistantMessage, ToolMessage, UserMessage
    from mistral_common.protocol.instruct.request import ChatCompletionRequest
    from mistral_common.protocol.instruct.tool_calls import FunctionCall, ToolCall
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    results = ('say "hi"\n', '{"a": [1, null]}')
    called = [
        ToolCall(id=str(call.id), function=FunctionCall(name=call.name, arguments=json.dumps(call.arguments)))
        for call in CALLS
    ]
    answers = [ToolMessage(content=result, tool_call_id=call.id) for call, result in zip(CALLS, results, strict=True)]
    messages = [UserMessage(content="U1"), AssistantMessage(content=None, tool_calls=called), *answers]
    request: Any = ChatCompletionRequest(messages=messages)
    encoder = MistralTokenizer.v3(is_tekken=True)
    tokens = encoder.encode_chat_completion(request).tokens
    encoded = encoder.decode(tokens, special_token_policy=SpecialTokenPolicy.KEEP)
    steps = [AgentStep(step.action, result) for step, result in zip(STEPS, results, strict=True)]
    written = polylect.lect("mistral_v3_array").format_steps(steps)
    # the encoder of the newer vocabulary leaves the space behind a marker out
    written = written.replace("[TOOL_CALLS] ", "[TOOL_CALLS]").replace("[TOOL_RESULTS] ", "[TOOL_RESULTS]")
    assert encoded.endswith(f"[/INST]{written}")


PIECES = ('"', "\\", "n", "[TOOL_CALLS]", "[/TOOL_RESULTS]", "<|START_ACTION|>", "\n", "1", "{}", " ")


@pytest.mark.parametrize("name", ["mistral_v3_array", "cohere_command"])
@given(text=st.lists(st.sampled_from(PIECES)).map("".join))
def test_what_makes_texts_harmless_can_be_undone(name: str, text: str) -> None:
    lect = text_lect(name)
    assert lect.unescape(lect.escape(text)) == text
    steps = lect.format_steps([AgentStep(AgentAction("now", {}), text)])
    ((start, end),) = lect.transcript(steps).spans("observation")
    assert lect.unescape(steps[start:end]) == text


@pytest.mark.parametrize("name", NAMES)
def test_a_stop_string_that_the_server_left_in_is_written_once(name: str) -> None:
    lect = text_lect(name)
    text = lect.format(Reply(calls=(Call("now", {}),)))
    for stop in lect.stops:
        actions = lect.decide(lect.parse(f"{text}{stop}\n"))
        assert isinstance(actions, list)
        assert lect.format_steps([AgentStep(actions[0], "noon")]) == lect.format_steps(
            [AgentStep(AgentAction("now", actions[0].tool_input, text), "noon")]
        )


@pytest.mark.parametrize("name", NAMES)
def test_a_stop_string_in_an_argument_does_not_stop_the_server(name: str) -> None:
    lect = text_lect(name)
    reply = Reply(calls=(Call("now", {"b": f"{' '.join(lect.stops)}."}),))
    text = lect.format(reply)
    assert not any(stop in text for stop in lect.stops)
    assert lect.parse(text) == reply


# --- ids --------------------------------------------------------------------------------------------------------------

NINE = re.compile("[A-Za-z0-9]{9}").fullmatch


@given(st.text(max_size=20))
def test_mistral_has_ids_of_nine_letters_and_digits(given_id: str) -> None:
    lect = text_lect("mistral_v3_array")
    step = AgentStep(AgentAction("now", {}, id=given_id), "noon")
    written = lect.format_steps([step])
    (call,) = lect.transcript(written).calls
    assert call.id is not None
    assert NINE(call.id)
    assert call.id == given_id or not NINE(given_id)
    assert f', "call_id": "{call.id}"}}[/TOOL_RESULTS]' in written


def test_mistral_numbers_results_without_ids() -> None:
    steps = [AgentStep(AgentAction("now", {}, index=number), "noon") for number in range(2)]
    written = polylect.lect("mistral_v3_array").format_steps(steps)
    assert written.startswith('[TOOL_CALLS] [{"name": "now", "arguments": {}}, {"name": "now", "arguments": {}}]</s>')
    assert '"call_id": "000000000"}' in written
    assert '"call_id": "000000001"}' in written


def test_cohere_numbers_calls_without_ids() -> None:
    lect = text_lect("cohere_command")
    reply = lect.parse(lect.format(Reply(calls=(Call("now", {}), Call("now", {})))))
    assert [call.id for call in reply.calls] == ["0", "1"]


@pytest.mark.parametrize("call_id", ['"', "a\nb", "\\", "x" * 65])
def test_cohere_refuses_ids_that_would_break_the_layout(call_id: str) -> None:
    with pytest.raises(LectError, match="can't write the id"):
        polylect.lect("cohere_command").format_steps([AgentStep(AgentAction("now", {}, id=call_id), "noon")])


@pytest.mark.parametrize("name", ["mistral_v3_array", "apriel"])
def test_an_id_may_stand_anywhere_in_its_object(name: str) -> None:
    lect = text_lect(name)
    text = lect.format(Reply(calls=(Call("now", {"id": "no"}, id="abcdefgh2"),)))
    entry = text[text.index("{") : text.rindex("}") + 1]
    (call,) = lect.parse(text.replace(entry, '{"arguments": {"id": "no"}, "id": "abcdefgh1", "name": "now"}')).calls
    assert (call.name, call.arguments, call.id) == ("now", {"id": "no"}, "abcdefgh1")


# --- what is peculiar to one ------------------------------------------------------------------------------------------


def test_an_answer_that_needs_no_tool_is_a_finish() -> None:
    lect = polylect.lect("command_r_plus")
    text = 'It rains.\nAction: ```json\n[{"tool_name": "directly-answer", "parameters": {}}]```'
    decision = lect.decide(lect.parse(text))
    assert isinstance(decision, AgentFinish)
    assert (decision.return_values, decision.log) == ({"output": "It rains."}, text)


def test_an_answer_that_needs_no_tool_beside_a_call_is_none() -> None:
    lect = polylect.lect("command_r_plus")
    entries: list[dict[str, Any]] = [{"tool_name": tool, "parameters": {}} for tool in ("directly_answer", "now")]
    text = f"Action: ```json\n{json.dumps(entries)}```"
    decision = lect.decide(lect.parse(text))
    assert isinstance(decision, list)
    assert [(action.tool, action.tool_input) for action in decision] == [("now", {})]


@given(st.text(min_size=1, max_size=20))
def test_the_only_key_is_the_name_whatever_it_is(name: str) -> None:
    lect = text_lect("apertus")
    (call,) = lect.parse(f"<|tools_prefix|>[{json.dumps({name: {'a': 1}})}]<|tools_suffix|>").calls
    assert call.name == name.strip()
    assert call.arguments == {"a": 1}


def test_thoughts_begin_where_the_prompt_began_them() -> None:
    lect = polylect.lect("apriel")
    parser = lect.parser(prefix="Here are my reasoning steps:\n")
    parser.feed("It is autumn.")
    parser.feed("\n[BEGIN FINAL RESPONSE]\nIt rains.")
    parser.close()
    assert (parser.reply.reasoning, parser.reply.content) == ("It is autumn.", "It rains.")


@pytest.mark.parametrize("mark", ["<|tool_result|>", "<|begin_tool_result|>"])
def test_thoughts_in_which_a_result_would_begin_are_refused(mark: str) -> None:
    thought = polylect.Reply(reasoning=f"Is it {mark}?", content="It rains.")
    with pytest.raises(polylect.LectError, match=r"apriel can't write .* in thoughts"):
        polylect.lect("apriel").format(thought)
    polylect.lect("apriel").format(polylect.Reply(reasoning="Is it?", content="It rains."))


# --- every one of them ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in NAMES if "reasoning" in polylect.lect(name).features])
def test_a_call_ends_reasoning_that_is_never_closed_by_policy(name: str) -> None:
    lect = text_lect(name)
    thought = lect.think[0] + "hm"  # type: ignore[attr-defined]
    text = thought + lect.format(Reply(calls=(Call("now", {}),)))
    assert lect.parse(text).calls == ()
    reply = lect.parse(text, reasoning_calls="accept")
    assert (reply.reasoning, [call.name for call in reply.calls]) == ("hm", ["now"])


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_a_cut_never_runs_more_than_was_said(name: str, data: Any) -> None:
    lect = polylect.lect(name)
    calls = (Call("get_weather", WEATHER), Call("now", {}), Call("a", {"b": "]} [{"}))
    text = lect.format(Reply(content="One moment.", calls=calls))
    cut = text[: data.draw(st.integers(0, len(text)))]
    reply = lect.parse(cut, finish_reason=data.draw(st.sampled_from(["stop", "length"])))
    assert reply.calls == calls[: len(reply.calls)]


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral_v3_array"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "mistral_v3_array"),
        ("ibm-granite/granite-3.3-2b-instruct", "granite3"),
        ("ai21labs/AI21-Jamba-1.5-Mini", "jamba"),
        ("tencent/Hunyuan-A13B-Instruct", "hunyuan_a13b"),
        ("microsoft/Phi-4-mini-instruct", "phi4_mini_functools"),
        ("Salesforce/xLAM-2-3b-fc-r", "xlam"),
        ("nvidia/NVIDIA-Nemotron-Nano-9B-v2", "nemotron_v2"),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1_5", "nemotron_v2"),
        ("Llama-3.3-70B-Instruct", "llama3_json"),
        ("NousResearch/Hermes-4-70B", "hermes"),
        ("swiss-ai/Apertus-8B-Instruct-2509", "apertus"),
        ("CohereForAI/c4ai-command-r7b-12-2024", "cohere_command"),
        ("CohereForAI/c4ai-command-r-plus", "command_r_plus"),
        ("ServiceNow-AI/Apriel-1.5-15b-Thinker", "apriel"),
    ],
)
def test_a_model_has_its_lect(model: str, name: str) -> None:
    assert polylect.lect(model).name == name
