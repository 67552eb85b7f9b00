"""What the agent does with a reply: never nothing, and never in silence."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import EXCEPTION_TOOL, AgentAction, AgentFinish, ParseError

LECT = polylect.lect("tool_calls")


def message(*calls: tuple[str, str, str | None], content: str | None = None, **more: Any) -> dict[str, Any]:
    entries = [{"id": i, "type": "function", "function": {"name": name, "arguments": raw}} for name, raw, i in calls]
    return {"role": "assistant", "content": content, "tool_calls": entries, **more}


def error(given: Any, **options: Any) -> ParseError:
    with pytest.raises(ParseError) as caught:
        LECT.decide(LECT.parse(given), **options)
    assert caught.value.correction
    assert caught.value.expected
    return caught.value


def test_calls_become_actions() -> None:
    given = message(("add", '{"a": 1}', "c1"), ("search", '{"__arg1": "oslo"}', "c2"), content="both")
    one, two = LECT.decide(LECT.parse(given))  # type: ignore[misc]
    assert one == AgentAction("add", {"a": 1}, 'bothadd{"a": 1}', "c1", 0, given)
    assert two == AgentAction("search", "oslo", 'search{"__arg1": "oslo"}', "c2", 1, given)


def test_an_answer_finishes() -> None:
    decision = LECT.decide(LECT.parse({"role": "assistant", "content": " The answer is 8\n", "reasoning": "3 + 5"}))
    assert isinstance(decision, AgentFinish)
    assert decision.return_values == {"output": "The answer is 8"}


@pytest.mark.parametrize(
    "given",
    [
        {"role": "assistant", "content": ""},
        {"role": "assistant", "content": None},
        {"role": "assistant"},
        {"role": "assistant", "content": " \n"},
        {"role": "assistant", "content": [], "tool_calls": []},
        {"role": "assistant", "content": None, "reasoning_content": "I could look it up."},
    ],
)
def test_an_empty_message_is_no_finish(given: dict[str, Any]) -> None:
    assert error(given).reason == "empty"


def test_only_broken_calls_are_an_error() -> None:
    broken = error(message(("add", "[1]", "c1"), ("mul", "{bad", "c2"), content="calling"))
    assert (broken.reason, broken.span) == ("invalid_arguments", (7, 13))
    assert "must be a JSON object, not a list" in broken.correction


def test_each_call_of_a_turn_gets_an_answer() -> None:
    decision = LECT.decide(LECT.parse(message(("add", '{"a": 1}', "c1"), ("mul", "{bad", "c9"), ("", "{}", "c10"))))
    assert isinstance(decision, list)
    assert [(x.tool, x.id, x.index) for x in decision] == [
        ("add", "c1", 0),
        (EXCEPTION_TOOL, "c9", 1),
        (EXCEPTION_TOOL, "c10", 2),
    ]
    assert "not valid JSON" in str(decision[1].tool_input)
    assert "names no tool" in str(decision[2].tool_input)


def test_a_cut_call_is_no_finish_even_with_content() -> None:
    cut = message(("add", '{"a": ', "c1"), content="Let me add.")
    assert error(cut).reason == "truncated"
    assert error(cut, text="final").reason == "truncated"


def test_cut_content_is_the_answer_as_far_as_it_goes() -> None:
    reply = LECT.parse({"role": "assistant", "content": "It rai"}, finish_reason="length")
    assert not reply.complete
    decision = LECT.decide(reply)
    assert isinstance(decision, AgentFinish)
    assert decision.return_values == {"output": "It rai"}


def test_a_message_that_was_cut_before_it_said_anything() -> None:
    for given in ({"content": ""}, {"content": None, "reasoning": "Well"}):
        with pytest.raises(ParseError) as caught:
            LECT.decide(LECT.parse(given, finish_reason="length"))
        assert caught.value.reason == "truncated"


@pytest.mark.parametrize(
    "content",
    [
        '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
        "\n<function=add>\n<parameter=a>1</parameter>\n</function>",
        '[TOOL_CALLS][{"name": "add"}]',
    ],
)
def test_a_call_written_as_text_is_no_answer(content: str) -> None:
    found = error({"role": "assistant", "content": content})
    assert (found.reason, "as text" in found.correction) == ("no_action", True)


def test_an_answer_may_speak_of_calls() -> None:
    decision = LECT.decide(LECT.parse({"role": "assistant", "content": "Hermes writes <tool_call>."}))
    assert isinstance(decision, AgentFinish)


def test_text_where_an_action_was_due() -> None:
    assert error({"role": "assistant", "content": "8"}, text="error").reason == "no_action"


def test_a_flagged_call_must_not_run() -> None:
    reply = LECT.parse(message(("add", '{"a": 1}', "c1"), ("mul", '{"a": ', "c2")), truncated="flag")
    decision = LECT.decide(reply)
    assert isinstance(decision, list)
    assert [x.tool for x in decision] == ["add", EXCEPTION_TOOL]
