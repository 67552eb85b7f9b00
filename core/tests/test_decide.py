"""From a reply to what the agent does: actions, the finish, or an error with a correction."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import polylect
from polylect import EXCEPTION_TOOL, AgentAction, AgentFinish, Call, Lect, LectError, ParseError, Reply

REACT, BRACKET, BLOB = polylect.lect("react"), polylect.lect("react_bracket"), polylect.lect("json_blob")
XML, NATIVE = polylect.lect("xml_tags"), polylect.lect("tool_calls")
DOCSTORE, MRKL, CHAT = polylect.lect("docstore"), polylect.lect("mrkl"), polylect.lect("conversational")
SELF_ASK: Any = type(polylect.lect("self_ask"))
ASK: Lect = SELF_ASK(tool="a")
TEXT_LECTS = (REACT, BRACKET, DOCSTORE, MRKL, CHAT, ASK, BLOB, XML)
NUMBER = {"name": "one", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}}
TWO = {"name": "two", "parameters": {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]}}
BOTH = [NUMBER, TWO]


def decided(lect: Lect, message: Any, *, choices: dict[str, Any] | None = None, **options: Any) -> Any:
    return lect.decide(lect.parse(message, **options), **(choices or {}))


def fault(lect: Lect, message: Any, *, choices: dict[str, Any] | None = None, **options: Any) -> ParseError:
    with pytest.raises(ParseError) as caught:
        decided(lect, message, choices=choices, **options)
    return caught.value


# --- actions ------------------------------------------------------------------------------------------------------

TURN = "Thought: two.\nAction: a\nAction Input: b\nAction: c\nAction Input: d"


def test_calls_become_actions_in_order_and_their_logs_are_the_text() -> None:
    first = "Thought: two.\nAction: a\nAction Input: b"
    assert decided(REACT, TURN) == [
        AgentAction("a", "b", first, None, 0),
        AgentAction("c", "d", TURN.removeprefix(first), None, 1),
    ]


TURNS: list[tuple[Lect, str, str]] = [
    (REACT, TURN, ""),
    (REACT, f"Well.\n{TURN}\nThought: and then", ""),
    (REACT, TURN, "\nObservation: rain\nAction: x\nAction Input: y"),
    (REACT, f"  {TURN}  ", "\n\n**Observation:** rain"),
    (BRACKET, "Thought: x\nAction: a[b]\nAction: c[d]", ""),
    (BRACKET, "Thought: x\nAction: a[b]\nand so on\n", "Observation: rain"),
    (BLOB, '```json\n{"action": "a", "action_input": "b"}\n```\n```json\n{"action": "c", "action_input": {}}\n```', ""),
    (BLOB, 'So:\n[{"action": "a", "action_input": "b"}, {"action": "c", "action_input": {}}] done', ""),
    (BLOB, '{"action": "a", "action_input": "b"}', "\nObservation: rain"),
    (XML, "x <tool>a</tool><tool_input>b</tool_input> y <tool>c</tool><tool_input>d</tool_input> z", ""),
    (XML, "<tool>a</tool><tool_input>b</tool_input>", "<observation>rain</observation> z"),
    (XML, "<tool>a</tool><tool_input>b", ""),
]


@pytest.mark.parametrize(("lect", "text", "invented"), TURNS)
def test_the_logs_of_a_turn_are_its_text_up_to_an_invented_observation(lect: Lect, text: str, invented: str) -> None:
    actions = decided(lect, text + invented)
    logs = "".join(action.log for action in actions)
    assert (text + invented).startswith(logs)
    assert logs.strip() == text.strip()
    assert [action.index for action in actions] == list(range(len(actions)))


def test_ids_and_the_message_come_with_the_actions_of_a_message() -> None:
    message = NATIVE.examples[2]
    actions = decided(NATIVE, message)
    assert [action.id for action in actions] == ["call_a2", "call_a3"]
    assert all(action.message == NATIVE.parse(message).message for action in actions)


def test_a_call_without_arguments_gets_an_empty_input() -> None:
    assert REACT.decide(Reply(calls=(Call("now"),))) == [AgentAction("now", "")]


# --- both, text ---------------------------------------------------------------------------------------------------

BOTH_TEXTS: list[tuple[Lect, str]] = [
    (REACT, "Action: a\nAction Input: b\nFinal Answer: 42"),
    (REACT, "Final Answer: 42\nAction: a\nAction Input: b"),
    (BRACKET, "Action: a[b]\nAction: finish[42]"),
    (DOCSTORE, "Action 1: a[b]\nAction 2: Finish[42]"),
    (MRKL, "Action: a\nAction Input: b\nFinal Answer: 42"),
    (CHAT, "Action: a\nAction Input: b\nAI: 42"),
    (ASK, "Follow up: b\nSo the final answer is: 42"),
    (BLOB, '{"action": "a", "action_input": "b"}\n{"action": "Final Answer", "action_input": "42"}'),
    (XML, "<tool>a</tool><tool_input>b</tool_input><final_answer>42</final_answer>"),
]


@pytest.mark.parametrize(("lect", "text"), BOTH_TEXTS)
def test_an_action_and_an_answer_by_policy(lect: Lect, text: str) -> None:
    for choices in ({}, {"both": "action"}):
        actions = decided(lect, text, choices=choices)
        assert [(action.tool, action.tool_input) for action in actions] == [("a", "b")]
    assert decided(lect, text, choices={"both": "final"}) == AgentFinish({"output": "42"}, text)
    error = fault(lect, text, choices={"both": "error"})
    assert error.reason == "both"
    assert "42" in text[slice(*error.span)]
    assert error.correction == "Your reply had both an action and a final answer. Send one of them."


@pytest.mark.parametrize("lect", TEXT_LECTS, ids=lambda lect: lect.name)
def test_text_where_an_action_was_due_by_policy(lect: Lect) -> None:
    text = "  It rains.\n"
    assert decided(lect, text, choices={"text": "final"}) == AgentFinish({"output": "It rains."}, text)
    for choices in ({}, {"text": "error"}):
        error = fault(lect, text, choices=choices)
        assert error.reason == "no_action"
        assert error.span == (len(text), len(text))
        assert error.correction.endswith(lect.hint)


def test_only_a_thought_is_text_as_well() -> None:
    assert decided(REACT, "Thought: It rains.", choices={"text": "final"}).return_values == {"output": "It rains."}
    assert fault(REACT, "Thought: It rains.").reason == "no_action"


@pytest.mark.parametrize("lect", TEXT_LECTS, ids=lambda lect: lect.name)
@pytest.mark.parametrize("text", ["", " \n\t "])
@pytest.mark.parametrize("choices", [{}, {"text": "final"}, {"both": "error"}])
def test_an_empty_reply_is_an_error_whatever_the_policy(lect: Lect, text: str, choices: dict[str, Any]) -> None:
    error = fault(lect, text, choices=choices)
    assert (error.reason, error.span) == ("empty", (0, 0))
    assert error.correction.startswith("Your reply was empty.")


# --- answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lect", "text", "answer"),
    [
        (REACT, "Final Answer:  42 \n", "42"),
        (REACT, "Thought: so\nFinal Answer: It rains,\n\nand how.\n", "It rains,\n\nand how."),
        (REACT, 'Final Answer: "42"', '"42"'),
        (BRACKET, "Action: finish[ 42 ]", "42"),
        (BLOB, '{"action": "Final Answer", "action_input": "  42\\n"}', "42"),
        (XML, "<final_answer>\n42\n</final_answer>", "42"),
    ],
)
def test_answers_are_stripped_and_the_log_is_not(lect: Lect, text: str, answer: str) -> None:
    assert decided(lect, text) == AgentFinish({"output": answer}, text)


@pytest.mark.parametrize("value", ['{"rain": [1]}', "[1, 2]", "42", "false", "0"])
def test_an_answer_of_json_is_its_value(value: str) -> None:
    finish = decided(BLOB, f'{{"action": "Final Answer", "action_input": {value}}}')
    assert repr(finish.return_values["output"]) in (value.replace('"', "'"), "False")


@pytest.mark.parametrize(
    ("lect", "text"),
    [
        (REACT, "Final Answer: 42\nObservation"),
        (REACT, "Final Answer: 42\nObserv"),
        (REACT, "Final Answer: 42\nObse"),
        (REACT, "Final Answer: 42\nObservation: rain"),
        (BLOB, '{"action": "Final Answer", "action_input": "42"}\nObserv'),
        (XML, "<final_answer>42</final_answer>"),
        (XML, "<final_answer>42</final_ans"),
        (XML, "<final_answer>42"),
    ],
)
def test_a_piece_of_a_stop_string_is_no_part_of_an_answer(lect: Lect, text: str) -> None:
    assert decided(lect, text).return_values == {"output": "42"}


@pytest.mark.parametrize("piece", ["\nObservation", "\nObservatio", " \n\nObserv", "\nObse "])
def test_a_piece_of_a_stop_string_behind_an_empty_answer_is_no_answer(piece: str) -> None:
    assert decided(REACT, f"Final Answer:{piece}").return_values == {"output": ""}
    assert decided(REACT, "Final Answer: Observatio").return_values == {"output": "Observatio"}


def test_a_piece_that_may_be_the_texts_own_stays() -> None:
    assert decided(REACT, "Final Answer: 42\nOb").return_values == {"output": "42\nOb"}
    assert decided(REACT, "It rains.\nObserv", choices={"text": "final"}).return_values == {"output": "It rains."}


CUT = {
    "react": "Action: a\nAction Input: b",
    "react_bracket": "Thought: b",
    "docstore": "Thought 1: b",
    "conversational": "Action: a\nAction Input: b",
    "self_ask": "Follow up: b",
    "json_blob": "b",
    "xml_tags": "<tool>a</tool><tool_input>b",
    "tool_calls": {"role": "assistant", "content": "b"},
}


@pytest.mark.parametrize("name", CUT)
@pytest.mark.parametrize("reason", ["length", "max_tokens"])
def test_the_servers_words_for_a_cut_are_alike_in_all_lects(name: str, reason: str) -> None:
    lect, message = polylect.lect(name), CUT[name]
    parser = lect.parser()
    for chunk in lect.chunks(message, [3]):
        parser.feed(chunk)
    parser.close(reason)
    for reply in (lect.parse(message, finish_reason=reason), parser.reply):
        assert not reply.complete
        assert [x.code for x in reply.diagnostics if x.code != "id"] == ["truncated"]
        whole = lect.parse(message, finish_reason="end_turn")
        assert whole.complete
        with pytest.raises(LectError, match="cut short"):
            lect.format(msgspec.structs.replace(whole, complete=False))


# --- calls that cannot run ----------------------------------------------------------------------------------------


def test_an_invalid_call_beside_a_valid_one_is_corrected_in_its_place() -> None:
    text = 'Action: two\nAction Input: no\nAction: two\nAction Input: {"a": 1}'
    wrong, right = decided(REACT, text, tools=BOTH)
    assert (wrong.tool, right.tool) == (EXCEPTION_TOOL, "two")
    assert wrong.tool_input.startswith("The tool 'two' takes several arguments (a, b).")
    assert right.tool_input == {"a": 1}
    assert (wrong.index, right.index) == (0, 1)
    assert wrong.log + right.log == text


def test_a_flagged_cut_call_beside_a_whole_one_does_not_run() -> None:
    text = '{"action": "a", "action_input": "b"}\n{"action": "c", "action_input": {"d'
    whole, cut = decided(BLOB, text, truncated="flag")
    assert (whole.tool, cut.tool) == ("a", EXCEPTION_TOOL)
    assert "cut off" in cut.tool_input
    assert [action.tool for action in decided(BLOB, text)] == ["a"]


FAULTS: list[tuple[Lect, Any, dict[str, Any], str]] = [
    (REACT, "Action: one\nAction Input: x", {"tools": BOTH}, "invalid_arguments"),
    (BRACKET, "Action: one[x]", {"tools": BOTH}, "invalid_arguments"),
    (BLOB, '{"action": "one", "action_input": {"n": "x"}}', {"tools": BOTH}, "invalid_arguments"),
    (XML, "<tool>two</tool><tool_input>x</tool_input>", {"tools": BOTH}, "invalid_arguments"),
    (REACT, "Action:\nAction Input: x", {}, "missing_name"),
    (BRACKET, "Action:", {}, "missing_name"),
    (BLOB, '{"action_input": {}, "action": ""}', {}, "missing_name"),
    (XML, "<tool></tool><tool_input>x</tool_input>", {}, "missing_name"),
    (REACT, "Action: one", {"tools": BOTH}, "missing_arguments"),
    (BRACKET, "Action: one", {"tools": BOTH}, "missing_arguments"),
    (BLOB, '{"action": "one"}', {"tools": BOTH}, "missing_arguments"),
    (XML, "<tool>one</tool>", {"tools": BOTH}, "missing_arguments"),
    (BLOB, '{"action": "one", "action_input": {"n": }}', {}, "malformed_arguments"),
    (REACT, 'Action: two\nAction Input: {"a": }', {"tools": BOTH}, "malformed_arguments"),
    (NATIVE, {"tool_calls": [{"function": {"name": "one", "arguments": "{]}"}}]}, {}, "malformed_arguments"),
    (REACT, "Action: tree\nAction Input: 1", {"tools": BOTH, "unknown_tool": "reject"}, "unknown_tool"),
    (BLOB, '{"action": "tree", "action_input": {}}', {"tools": BOTH, "unknown_tool": "reject"}, "unknown_tool"),
    (REACT, "Action: two\nAction Input: " + "x" * 99, {"max_call_size": 9}, "limit"),
    (BLOB, '{"action": "two", "action_input": {"a": [[[[]]]]}}', {"max_nesting": 3}, "limit"),
    (REACT, "Action: two\nAction Input: x", {"finish_reason": "length"}, "truncated"),
    (REACT, "Action: two\nAction Input: x", {"finish_reason": "length", "truncated": "flag"}, "truncated"),
    (REACT, "Action: two\nAction Input: x", {"finish_reason": "length", "truncated": "raise"}, "truncated"),
    (BLOB, '{"action": "two", "action_input": {"a', {}, "truncated"),
    (XML, "<tool>tw", {}, "truncated"),
    (NATIVE, {"tool_calls": [{"function": {"name": "one", "arguments": '{"n'}}]}, {}, "truncated"),
]


@pytest.mark.parametrize(("lect", "message", "options", "reason"), FAULTS)
def test_a_reply_whose_calls_cannot_run_is_an_error_with_its_reason(
    lect: Lect, message: Any, options: dict[str, Any], reason: str
) -> None:
    error = fault(lect, message, **options)
    assert error.reason == reason
    assert error.correction
    assert error.expected
    start, end = error.span
    assert 0 <= start <= end <= len(error.text)


def test_the_error_of_several_broken_calls_is_that_of_the_first() -> None:
    text = "Action: one\nAction Input: x\nAction: two\nAction Input: y"
    error = fault(REACT, text, tools=BOTH)
    assert error.correction == "The argument 'n' of 'one' must be of type integer, as JSON. Send the call again."
    assert text[slice(*error.span)] == "Action: one\nAction Input: x"
