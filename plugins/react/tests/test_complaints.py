"""What users of LangChain's ReAct agents complained about, and the faults that were found beside it.

The numbers are those of the project's list of complaints; each test has the value that people asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentFinish, ParseError
from polylect.testing import Case, run_case
from polylect.testing._law_8_linear import superlinear

from .react_cases import error_of

LECT = polylect.lect("react")


def reads(text: str, **said: Any) -> None:
    run_case(Case(0, text, (text, json.dumps(said))), LECT)


ONE = [{"name": "forecast", "arguments": "Voss"}]
INVENTED = "Action: forecast\nAction Input: Voss\nObservation: 12 degrees\nThought: so\nFinal Answer: 12"


def test_complaint_1_an_invented_observation_is_dropped_and_the_action_runs() -> None:
    reads(INVENTED, calls=ONE, diagnostics=["observation"], decision=[["forecast", "Voss"]])


def test_complaint_2_an_invented_transcript_is_no_crash() -> None:
    text = f"Thought: one\n{INVENTED}\n\nQuestion: again?\n{INVENTED}"
    reads(text, reasoning="one", calls=ONE, diagnostics=["observation"], decision=[["forecast", "Voss"]])


def test_complaint_3_the_opposite_wish_is_a_policy() -> None:
    with pytest.raises(ParseError) as caught:
        LECT.parse(INVENTED, observation="error")
    assert caught.value.reason == "observation"
    assert "Do not write observations yourself" in caught.value.correction
    reads(INVENTED, error="observation", **{"with": {"observation": "error"}})


BOTH = "Thought: sum\nAction: add\nAction Input: 1+1\nFinal Answer: 2"


def test_complaint_4_action_and_answer_are_no_crash() -> None:
    reads(BOTH, reasoning="sum", calls=[{"name": "add", "arguments": "1+1"}], answer="2", decision=[["add", "1+1"]])


def test_complaint_5_the_answer_can_be_chosen() -> None:
    decision = LECT.decide(LECT.parse(BOTH), both="final")
    assert isinstance(decision, AgentFinish)
    assert decision.return_values == {"output": "2"}
    refused = error_of(BOTH, both="error")
    assert (refused.reason, refused.text[slice(*refused.span)].strip()) == ("both", "Final Answer: 2")


def test_complaint_6_prose_is_the_answer_by_policy_and_an_error_without_it() -> None:
    prose = "The capital of Norway is Oslo."
    decision = LECT.decide(LECT.parse(prose), text="final")
    assert decision == AgentFinish({"output": prose}, prose)
    assert error_of(prose).text == prose
    assert error_of("  \n", text="final").reason == "empty"


def test_complaint_9_numbered_labels() -> None:
    reads(
        "Thought 1: hm\nAction 1: forecast\nAction 1 Input: Voss\nObservation 1: dry",
        reasoning="hm",
        calls=ONE,
        diagnostics=["observation"],
    )


def test_complaint_29_the_correction_says_what_to_write() -> None:
    for text in ["I dunno", "", "Thought: hm", "Action: forecast", "Action:\nAction Input: x"]:
        error = error_of(text)
        assert "Write 'Action:' with the tool's name and 'Action Input:' with its input" in error.correction
        assert "Final Answer:" in error.correction


@pytest.mark.parametrize("tail", ["\nObservation", "\nObservation:", "\nObservation: ", "\nObserv", "\nObserva"])
def test_complaint_37_the_stop_string_is_honoured_on_our_side(tail: str) -> None:
    text = "Action: forecast\nAction Input: Voss" + tail
    reads(text, calls=ONE, decision=[["forecast", "Voss"]])


def test_complaint_40_an_empty_list_of_tools() -> None:
    (call,) = LECT.parse("Action: forecast\nAction Input: Voss", tools=[]).calls
    assert (call.name, call.arguments, call.status) == ("forecast", "Voss", "complete")
    assert LECT.format_tools([]) == ""


def test_complaint_41_an_input_of_newlines_that_was_cut_is_reported() -> None:
    text = "Action: jot\nAction Input: a\n\n\n\n\n\n\n\n"
    reads(
        text, complete=False, diagnostics=["truncated"], decision="truncated", **{"with": {"finish_reason": "length"}}
    )


def test_complaint_42_a_cut_call_never_runs() -> None:
    text = 'Action: jot\nAction Input: {"title": "a'
    reads(
        text, complete=False, diagnostics=["truncated"], decision="truncated", **{"with": {"finish_reason": "length"}}
    )
    flagged = LECT.parse(text, finish_reason="length", truncated="flag")
    assert [(c.status, c.arguments, c.runnable) for c in flagged.calls] == [("truncated", None, False)]
    with pytest.raises(ParseError) as caught:
        LECT.parse(text, finish_reason="length", truncated="raise")
    assert caught.value.reason == "truncated"


def test_complaint_45_think_blocks_are_no_steps() -> None:
    text = "<think>\nAction: pay\nAction Input: all\nFinal Answer: 1\n</think>\nAction: forecast\nAction Input: Voss"
    reads(
        text,
        reasoning="Action: pay\nAction Input: all\nFinal Answer: 1",
        calls=ONE,
        decision=[["forecast", "Voss"]],
    )
    opened = text.removeprefix("<think>\n")  # the template wrote the tag
    reads(
        opened,
        reasoning="Action: pay\nAction Input: all\nFinal Answer: 1",
        calls=ONE,
        **{"with": {"prefix": "<think>\n"}},
    )


def test_calls_in_think_blocks_by_policy() -> None:
    text = "<think>\nAction: forecast\nAction Input: Voss\n</think>"
    reads(text, reasoning="Action: forecast\nAction Input: Voss", decision="no_action")
    accepted = LECT.parse(text, reasoning_calls="accept")
    (call,) = accepted.calls
    assert (call.name, call.arguments, text[slice(*call.span)]) == (
        "forecast",
        "Voss",
        "Action: forecast\nAction Input: Voss",
    )


# --- the faults -------------------------------------------------------------------------------------------------------


def test_defect_7_no_invented_text_reaches_the_tool() -> None:
    (action,) = LECT.decide(LECT.parse(INVENTED))  # type: ignore[misc]
    assert isinstance(action, AgentAction)
    assert action.tool_input == "Voss"
    assert "12 degrees" not in action.log


@pytest.mark.parametrize(
    "text",
    [
        "Thought: my Action: is to look\nAction: forecast\nAction Input: Voss",
        "Thought: no Final Answer: yet\nAction: forecast\nAction Input: Voss",
        "I could say Final Answer: no.\nAction: forecast\nAction Input: Voss",
        "<think>Final Answer: no</think>\nAction: forecast\nAction Input: Voss",
    ],
)
def test_defect_8_only_a_label_at_the_start_of_a_line_counts(text: str) -> None:
    reply = LECT.parse(text)
    assert [(call.name, call.arguments) for call in reply.calls] == [("forecast", "Voss")]
    assert reply.answer is None


def test_defect_9_all_actions_of_a_turn_run() -> None:
    text = "".join(f"Action: f\nAction Input: {n}\n" for n in range(9))
    decision = LECT.decide(LECT.parse(text))
    assert isinstance(decision, list)
    assert [(x.tool, x.tool_input, x.index) for x in decision] == [("f", str(n), n) for n in range(9)]
    assert "".join(x.log for x in decision) == text


def test_defect_18_errors_have_a_place_a_reason_and_no_address() -> None:
    error = error_of("Thought: hm\nAction: forecast\nInput: Voss")
    assert error.reason == "missing_arguments"
    assert error.text[slice(*error.span)].startswith("\nAction: forecast")
    assert "^" in str(error)
    for text in [str(error), error.correction]:
        assert "http" not in text
        assert "langchain" not in text.lower()


def test_defect_22_the_answer_streams() -> None:
    parser = LECT.parser()
    shown = []
    for chunk in ["Thought: done\nFinal", " Answer: It rai", "ns in ", "Voss."]:
        shown.append("".join(getattr(e, "text", "") for e in parser.feed(chunk) if type(e).__name__ == "AnswerDelta"))
    parser.close()
    assert shown == ["", "It rai", "ns in ", "Voss."]


def parsing(unit: str, size: int) -> Callable[[], object]:
    text = unit * (size // len(unit))
    return lambda: LECT.parse(text)


def test_defect_23_hostile_inputs_cost_linear_time() -> None:
    for unit in [
        "Action: x ",
        "\nAction: x",
        "\nFinal Answer: x",
        "\nAction: f\nAction Input: x",
        "\nThought: <think>",
    ]:
        assert superlinear(partial(parsing, unit)) is None, unit


def test_defect_25_case_and_spelling_of_labels_and_names() -> None:
    (call,) = LECT.parse("action: Use Echo\naction input: hi", tools=[{"name": "echo"}]).calls
    assert (call.name, call.status) == ("echo", "complete")
