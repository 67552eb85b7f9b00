"""What users of LangChain's structured chat agents complained about, and the faults that were found beside it.

The numbers are those of the project's list of complaints; each test has the value that people asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

import polylect
from polylect import AgentFinish, AnswerDelta, ParseError
from polylect.testing import Case, run_case
from polylect.testing._law_8_linear import superlinear

LECT = polylect.lect("json_blob")


def reads(text: str, *calls: tuple[str, Any], **said: Any) -> None:
    given = [{"name": name, "arguments": arguments} for name, arguments in calls]
    run_case(Case(0, text, (text, json.dumps({"calls": given, **said}))), LECT)


def error_of(written: str, **policies: Any) -> ParseError:
    with pytest.raises(ParseError) as caught:
        LECT.decide(LECT.parse(written), **policies)
    return caught.value


def test_complaint_6_prose_is_the_answer_by_policy_and_an_error_without_it() -> None:
    prose = "I need no tool: it is dry."
    assert error_of(prose).reason == "no_action"
    assert LECT.decide(LECT.parse(prose), text="final") == AgentFinish({"output": prose}, prose)


def test_complaint_15_all_actions_of_a_reply_run() -> None:
    blobs = [json.dumps({"action": "f", "action_input": {"n": n}}) for n in range(4)]
    for text in [
        "\n".join(blobs),
        f"[{', '.join(blobs)}]",
        "\n".join(f"```json\n{blob}\n```" for blob in blobs),
        "```json\n" + "\n".join(blobs) + "\n```",
        "\n".join(f"Action:\n```\n{blob}\n```" for blob in blobs),
    ]:
        reads(text, *[("f", {"n": n}) for n in range(4)], decision=[["f", {"n": n}] for n in range(4)])


@pytest.mark.parametrize("fence", ["```", "```json", "```JSON", "~~~json", "``"])
@pytest.mark.parametrize("code", ["```py\nprint(1)\n```", "~~~\nx\n~~~", "``x``", "```", "`````"])
def test_complaint_16_a_fence_inside_a_string_is_text(fence: str, code: str) -> None:
    blob = json.dumps({"action": "write", "action_input": {"text": code}})
    end = fence[:3] if fence != "``" else fence
    reads(f"{fence}\n{blob}\n{end}", ("write", {"text": code}), decision=[["write", {"text": code}]])
    reads(blob, ("write", {"text": code}))


@pytest.mark.parametrize(
    "text",
    [
        '{"action": "search", "action_input": "Voss"}',
        '```json\n{"action": "search", "action_input": "Voss"}\n',
        'Thought: hm\n{"action": "search", "action_input": "Voss"}\nThat is it.',
        '```JSON\n{"action": "search", "action_input": "Voss"}\n```',
    ],
)
def test_complaint_17_a_tool_is_called_and_the_run_does_not_end_before(text: str) -> None:
    decision = LECT.decide(LECT.parse(text))
    assert not isinstance(decision, AgentFinish)
    assert [(x.tool, x.tool_input) for x in decision] == [("search", "Voss")]


def test_complaint_18_two_back_ticks_with_prose_on_both_sides() -> None:
    reads(
        'I use it.\n``\n{"action": "search", "action_input": "Voss"}\n``\nNow I wait.',
        ("search", "Voss"),
        content="I use it.\nNow I wait.",
    )


def test_complaint_25_and_26_only_the_answer_streams_as_it_comes() -> None:
    text = '```json\n{"action": "Final Answer", "action_input": "Dry in \\"Voss\\" \\u2014 all day."}\n```'
    parser = LECT.parser()
    shown = [e.text for char in text for e in parser.feed(char) if isinstance(e, AnswerDelta)]
    parser.close()
    assert "".join(shown) == parser.reply.answer == 'Dry in "Voss" — all day.'
    assert len(shown) > 20
    parser = LECT.parser()
    events = [e for char in '{"action": "f", "action_input": "Dry"}' for e in parser.feed(char)]
    assert not any(isinstance(e, AnswerDelta) for e in events)


def test_complaint_42_cut_arguments_are_no_empty_arguments() -> None:
    for text in ['{"action": "pay", "action_input": {', '{"action": "pay", "action_input"', '{"action": "pay"']:
        reads(text, complete=False, diagnostics=["truncated"], decision="truncated")


def test_complaint_45_a_think_block_is_no_blob() -> None:
    inner = '{"action": "pay", "action_input": {"all": true}}'
    reads(
        f'<think>\n{inner}\n</think>\n\n{{"action": "search", "action_input": "Voss"}}',
        ("search", "Voss"),
        reasoning=inner,
    )
    reads(f"<think>\n{inner}\n</think>", reasoning=inner, decision="no_action")
    (call,) = LECT.parse(f"<think>\n{inner}\n</think>", reasoning_calls="accept").calls
    assert (call.name, call.arguments) == ("pay", {"all": True})


# --- the faults -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "search", "tool_input": "x"}',
        '```json\n{"act": "search"}\n```',
        "```\nsearch(x)\n```",
        "It is dry.",
        '```json\n{"action": "search", "action_input": {"q": "Vo',
        '{"action": "search", "action_input": {"q": "x",}}',
    ],
)
def test_defect_5_what_is_no_blob_is_an_error_and_no_answer(text: str) -> None:
    assert error_of(text).correction


def test_defect_6_an_action_beside_an_answer_does_not_vanish() -> None:
    text = '{"action": "f", "action_input": "x"}\n{"action": "Final Answer", "action_input": "dry"}'
    reads(text, ("f", "x"), answer="dry", decision=[["f", "x"]])
    assert error_of(text, both="error").reason == "both"
    decision = LECT.decide(LECT.parse(text), both="final")
    assert isinstance(decision, AgentFinish)
    labelled = '```json\n{"action": "f", "action_input": "x"}\n```\nFinal Answer: dry'
    reads(labelled, ("f", "x"), content="Final Answer: dry", decision=[["f", "x"]])


def test_defect_7_nothing_behind_an_observation_reaches_a_tool() -> None:
    blob = '{"action": "f", "action_input": "x"}'
    for text in [f"```\n{blob}\n```\nObservation: dry\n{blob}", f"{blob}\nObservation: dry\nAction:\n{blob}"]:
        reads(text, ("f", "x"), diagnostics=["observation"], decision=[["f", "x"]])
        with pytest.raises(ParseError) as caught:
            LECT.parse(text, observation="error")
        assert caught.value.reason == "observation"


def test_defect_18_a_correction_shows_the_form_and_no_address() -> None:
    for text in [
        "",
        "prose",
        '{"action": "f", "action_input": [1]}',
        '{"action_input": "x"}',
        '{"action": "f",}',
        "{'action': 1}",
    ]:
        error = error_of(text)
        assert '"action"' in error.correction or "action_input" in error.correction
        assert "http" not in str(error) + error.correction
        if text:
            assert "^" in str(error)


def parsing(unit: str, size: int) -> Callable[[], object]:
    text = unit * (size // len(unit))
    return lambda: LECT.parse(text)


def test_defect_23_cut_and_hostile_input_costs_linear_time() -> None:
    for unit in [
        '{"action": ',
        "{",
        '{"action": "',
        "```json\n",
        '{"action": "f", "action_input": {"a": "',
        '[{"action":',
    ]:
        assert superlinear(partial(parsing, unit)) is None, unit


def test_nesting_is_limited_and_deep_brackets_hurt_nobody() -> None:
    deep = '{"action": "f", "action_input": ' + '{"a": ' * 5 + "1" + "}" * 5 + "}"
    assert LECT.parse(deep).calls[0].status == "complete"
    (call,) = LECT.parse(deep, max_nesting=3).calls
    assert (call.status, call.error) == (
        "invalid",
        "The arguments of 'f' are nested too deeply. Send a flatter object.",
    )
    for text in [
        '{"action": "f", "action_input": ' + "[" * 100_000,
        '{"action": "f", "action_input": ' + "[" * 50_000 + "]" * 50_000 + "}",
    ]:
        assert not any(call.runnable for call in LECT.parse(text).calls)
        assert not any(call.runnable for call in LECT.parse(text, malformed="repair").calls)
