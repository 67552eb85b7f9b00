"""Policies, limits, and errors that a model can act on."""

from __future__ import annotations

import pickle

import pytest

import polylect
from polylect import EXCEPTION_TOOL, AgentAction, AgentFinish, LectError, ParseError

from .react_cases import REACT, error_of

BRACKET = polylect.lect("react_bracket")
TURN = "Thought: hm\nAction: search\nAction Input: Voss"


def test_a_turn_with_one_good_call_answers_the_bad_one_too() -> None:
    decision = REACT.decide(REACT.parse("Action: broken\nAction: search\nAction Input: Voss"))
    assert isinstance(decision, list)
    assert [(x.tool, x.index) for x in decision] == [(EXCEPTION_TOOL, 0), ("search", 1)]
    assert str(decision[0].tool_input).startswith("The action 'broken' has no 'Action Input:' line.")


def test_which_of_action_and_answer_counts() -> None:
    reply = REACT.parse("Final Answer: 12\nAction: search\nAction Input: Voss")
    assert isinstance(REACT.decide(reply), list)
    assert isinstance(REACT.decide(reply, both="action"), list)
    assert isinstance(REACT.decide(reply, both="final"), AgentFinish)
    with pytest.raises(ParseError, match="both an action and a final answer"):
        REACT.decide(reply, both="error")


def test_text_where_an_action_was_due() -> None:
    for lect in (REACT, BRACKET):
        error = error_of("It is dry in Voss.", lect)
        assert (error.reason, error.span) == ("no_action", (18, 18))
        decision = lect.decide(lect.parse("It is dry in Voss."), text="final")
        assert isinstance(decision, AgentFinish)
        assert decision.return_values == {"output": "It is dry in Voss."}


def test_observations_by_policy() -> None:
    written = TURN + "\nObservation: dry\nThought: so it is"
    assert [x.code for x in REACT.parse(written).diagnostics] == ["observation"]
    with pytest.raises(ParseError) as caught:
        REACT.parse(written, observation="error")
    assert caught.value.reason == "observation"
    assert written[slice(*caught.value.span)].startswith("\nObservation: dry")
    parser = REACT.parser(observation="error")
    parser.feed(written)
    with pytest.raises(ParseError, match="invented an observation"):
        parser.close()
    assert REACT.parse(TURN + "\nObservation", observation="error").calls, "the stop string itself is no invention"


def test_cut_calls_by_policy() -> None:
    dropped = REACT.parse(TURN, finish_reason="length")
    assert (dropped.calls, dropped.complete, [x.code for x in dropped.diagnostics]) == ((), False, ["truncated"])
    assert error_of("Action: search[Vo", BRACKET).reason == "truncated"
    (kept,) = REACT.parse(TURN, finish_reason="length", truncated="flag").calls
    assert (kept.status, kept.runnable, kept.raw, kept.arguments) == ("truncated", False, "Voss", None)
    assert "was cut off in the middle of a call" in (kept.error or "")
    with pytest.raises(ParseError) as caught:
        REACT.parse(TURN, finish_reason="length", truncated="raise")
    assert (caught.value.reason, "shorter" in caught.value.correction) == ("truncated", True)


def test_held_arguments_leave_no_trace_of_a_cut_call() -> None:
    live, held = REACT.parser(), REACT.parser(arguments="held")
    names = [type(e).__name__ for e in [*live.feed(TURN), *live.close("length")]]
    assert "ArgumentsDelta" in names
    names = [type(e).__name__ for e in [*held.feed(TURN), *held.close("length")]]
    assert "CallStart" not in names
    assert "ArgumentsDelta" not in names


def test_an_answer_cut_by_the_limit_is_kept_and_marked() -> None:
    reply = REACT.parse("Final Answer: It is dry in V", finish_reason="length")
    assert (reply.answer, reply.complete) == ("It is dry in V", False)


def test_the_size_of_one_call_is_limited() -> None:
    (call,) = REACT.parse(TURN, max_call_size=3).calls
    assert (call.status, call.arguments) == ("invalid", None)
    assert call.error == "The arguments of 'search' are longer than 3 characters. Send less."


def test_an_unknown_policy_is_the_callers_error() -> None:
    with pytest.raises(LectError, match="There is no policy 'bot'"):
        REACT.parse(TURN, bot="action")
    with pytest.raises(LectError, match="both='x' is no choice"):
        REACT.decide(REACT.parse(TURN), both="x")


@pytest.mark.parametrize("given", [None, b"Action: x", 7, ["Action: x"], {"content": "x"}])
def test_what_is_no_text(given: object) -> None:
    for lect in (REACT, BRACKET):
        with pytest.raises(ParseError) as caught:
            lect.parse(given)
        assert caught.value.reason == "not_text"
        with pytest.raises(ParseError):
            lect.parser().feed(given)


ERRORS = [
    ("", "empty", "empty"),
    ("I dunno", "no_action", "no action and no final answer"),
    ("Thought: hm", "no_action", "no action and no final answer"),
    ("Action: search", "missing_arguments", "has no 'Action Input:' line"),
    ("Action:\nAction Input: x", "missing_name", "names no tool"),
    ("<think>hm", "truncated", "was cut off"),
]


@pytest.mark.parametrize(("text", "reason", "told"), ERRORS)
def test_a_correction_says_what_is_wrong_and_what_to_write(text: str, reason: str, told: str) -> None:
    error = error_of(text)
    assert (error.reason, error.text) == (reason, text)
    assert told in error.correction
    assert REACT.hint in error.correction
    assert error.expected


def test_the_caret_stands_under_the_place() -> None:
    lines = str(error_of("Sure.\nI will look.")).splitlines()
    assert lines[0] == "The reply has no action and no final answer."
    assert lines[1:] == ["I will look.", " " * 12 + "^"]


def test_errors_travel_between_processes() -> None:
    error = error_of("I dunno")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.correction, again.span, again.reason) == (
        str(error),
        error.correction,
        error.span,
        error.reason,
    )


@pytest.mark.parametrize("noise", ["\0", "\ud800", "\u2028", "\ufeff", "\x85", "\u202e", "\U0001f327"])
def test_odd_characters_are_text(noise: str) -> None:
    reply = REACT.parse(f"Thought: a{noise}b\nAction: f\nAction Input: c{noise}d")
    assert reply.reasoning == f"a{noise}b"
    assert reply.calls[0].arguments == f"c{noise}d"
    assert polylect.Reply.from_json(reply.to_json()) == reply


def test_logs_are_the_text_up_to_an_invented_observation() -> None:
    (action,) = REACT.decide(REACT.parse(TURN + "\nObservation: dry"))  # type: ignore[misc]
    assert action == AgentAction("search", "Voss", TURN)
