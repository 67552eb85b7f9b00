"""What users of LangChain's XML agent complained about, and the faults that were found beside it.

The numbers are those of the project's list of complaints; each test has the value that people asked for.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

import polylect
from polylect import EXCEPTION_TOOL, AgentFinish, AnswerDelta, LectError, ParseError
from polylect.testing import Case, run_case

LECT = polylect.lect("xml_tags")
CALL = "<tool>search</tool><tool_input>Voss</tool_input>"


def reads(text: str, *calls: tuple[str, Any], **said: Any) -> None:
    given = [{"name": name, "arguments": arguments} for name, arguments in calls]
    run_case(Case(0, text, (text, json.dumps({"calls": given, **said}))), LECT)


def error_of(written: str, **policies: Any) -> ParseError:
    with pytest.raises(ParseError) as caught:
        LECT.decide(LECT.parse(written), **policies)
    return caught.value


def test_defect_1_the_default_stop_string_cuts_before_the_closing_tag() -> None:
    assert LECT.stops == ("</tool_input>",)
    for stop in LECT.stops:
        cut = CALL.split(stop)[0]
        reads(cut, ("search", "Voss"), diagnostics=[], decision=[["search", "Voss"]])
    reads("<tool>f</tool><tool_input><a>1</a>", ("f", {"a": 1}))


def test_defect_2_every_error_is_a_parse_error() -> None:
    for text in [
        "prose",
        "",
        "<tool>",
        "<tool></tool>",
        "<tool_input>x</tool_input>",
        "</final_answer>",
        "<observation>x",
    ]:
        error = error_of(text)
        assert isinstance(error, ValueError)
        assert error.correction


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("prose", "no_action"),
        ("", "empty"),
        ("<tool>sear", "truncated"),
        ("<tool></tool><tool_input>x</tool_input>", "missing_name"),
        ('<tool name="f"/><tool_input>x</tool_input>', "no_action"),
    ],
)
def test_complaint_19_an_error_says_what_is_wrong_and_what_to_write(text: str, reason: str) -> None:
    error = error_of(text)
    assert error.reason == reason
    assert "<tool>name</tool><tool_input>input</tool_input>" in error.correction
    assert "<final_answer>answer</final_answer>" in error.correction
    assert "http" not in str(error) + error.correction
    if text:
        assert "^" in str(error)


def test_complaint_20_more_than_one_tool_is_more_than_one_call() -> None:
    text = "".join(f"<tool>f</tool><tool_input>{n}</tool_input>\n" for n in range(5))
    reads(text, *[("f", str(n)) for n in range(5)], content="\n", decision=[["f", str(n)] for n in range(5)])


@pytest.mark.parametrize("tail", ["</tool_input>", "</tool_input", "</tool", "</t", "</", ""])
def test_complaint_21_no_closing_tag_is_left_in_the_input(tail: str) -> None:
    if tail == "</":  # two characters may be the text's own
        assert LECT.parse(f"<tool>search</tool><tool_input>Voss{tail}").calls[0].arguments == "Voss</"
        return
    reads(f"<tool>search</tool><tool_input>Voss{tail}", ("search", "Voss"), decision=[["search", "Voss"]])


def test_complaint_25_the_answer_streams() -> None:
    text = "<final_answer>It is dry in Voss, a < b.</final_answer>"
    parser = LECT.parser()
    shown = [e.text for char in text for e in parser.feed(char) if isinstance(e, AnswerDelta)]
    parser.close()
    assert "".join(shown) == parser.reply.answer == "It is dry in Voss, a < b."
    assert len(shown) > 20


def test_complaint_42_a_call_cut_by_the_limit_never_runs() -> None:
    cut = {
        "with": {"finish_reason": "length"},
        "complete": False,
        "diagnostics": ["truncated"],
        "decision": "truncated",
    }
    for text in ["<tool>pay</tool><tool_input>al", "<tool>pay</tool><tool_input>", "<tool>pay", "<tool>pay</tool>"]:
        reads(text, **cut)
    (kept,) = LECT.parse("<tool>pay</tool><tool_input>al", finish_reason="length", truncated="flag").calls
    assert (kept.status, kept.arguments, kept.raw) == ("truncated", None, "al")


def test_complaint_45_tags_in_a_think_block_are_no_calls() -> None:
    reads(f"<think>\n<tool>pay</tool>\n</think>\n{CALL}", ("search", "Voss"), reasoning="<tool>pay</tool>")
    (call,) = LECT.parse(f"<think>{CALL}</think>", reasoning_calls="accept").calls
    assert (call.name, call.arguments) == ("search", "Voss")


def test_defect_7_nothing_behind_an_observation_reaches_a_tool() -> None:
    for text in [f"{CALL}<observation>dry</observation>{CALL}", f"{CALL}\n<observation>dry", CALL + "<observation>"]:
        reads(text, ("search", "Voss"), diagnostics=["observation"], decision=[["search", "Voss"]])
        with pytest.raises(ParseError) as caught:
            LECT.parse(text, observation="error")
        assert caught.value.reason == "observation"
    opened = "<tool>search</tool><tool_input>Voss<observation>dry</observation><final_answer>dry</final_answer>"
    reads(opened, ("search", "Voss"), diagnostics=["observation"], decision=[["search", "Voss"]])


def test_which_of_call_and_answer_counts() -> None:
    text = f"{CALL}<final_answer>dry</final_answer>"
    assert isinstance(LECT.decide(LECT.parse(text)), list)
    decision = LECT.decide(LECT.parse(text), both="final")
    assert isinstance(decision, AgentFinish)
    assert decision.return_values == {"output": "dry"}
    assert error_of(text, both="error").reason == "both"


def test_prose_by_policy() -> None:
    decision = LECT.decide(LECT.parse("It is dry."), text="final")
    assert isinstance(decision, AgentFinish)
    assert decision.return_values == {"output": "It is dry."}


def test_a_good_call_runs_beside_a_bad_one() -> None:
    decision = LECT.decide(LECT.parse(f"<tool></tool><tool_input>x</tool_input>{CALL}"))
    assert isinstance(decision, list)
    assert [x.tool for x in decision] == [EXCEPTION_TOOL, "search"]
    assert str(decision[0].tool_input).startswith("<tool> is empty. Write <tool>name</tool>")


def test_limits_and_unknown_policies() -> None:
    (call,) = LECT.parse(CALL, max_call_size=3).calls
    assert (call.status, call.error) == (
        "invalid",
        "The arguments of 'search' are longer than 3 characters. Send less.",
    )
    with pytest.raises(LectError, match="There is no policy"):
        LECT.parse(CALL, tags="x")


@pytest.mark.parametrize("given", [None, CALL.encode(), 7, {"content": CALL}])
def test_what_is_no_text(given: object) -> None:
    with pytest.raises(ParseError) as caught:
        LECT.parse(given)
    assert caught.value.reason == "not_text"
