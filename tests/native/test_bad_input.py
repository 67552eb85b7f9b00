"""The table of ``docs/native-bad-input.md``: each row, for every native lect that it concerns."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import Call, Lect, LectError, ParseError, Reply

from .bug_rows import TOOLS
from .cutting import grouped
from .matrix import native
from .streams import boxed, differences

NAMES = native()
BOX = boxed(TOOLS)
CALL = Call("forecast", {"place": "Graz"})
EVERY = pytest.mark.parametrize("name", NAMES)


def written(lect: Lect, *calls: Call, content: str = "", reasoning: str = "") -> str:
    """A turn in the lect's tongue."""
    return str(lect.format(Reply(reasoning, content, calls), tools=BOX))


def read(lect: Lect, text: str, finish: str = "stop", **options: Any) -> Reply:
    """The reply to a text, which is the same in all ways to cut it; never an exception."""
    cuttings = {
        "one delta": [text],
        "characters": list(text),
        "uneven": list(grouped(text, 9, 1)),
        "even": list(grouped(text, 4, 2)),
    }
    assert not differences(lect, text, cuttings, finish, tools=BOX, **options)
    return lect.parse(text, tools=BOX, finish_reason=finish, **options)


def runs(reply: Reply) -> list[tuple[str, Any]]:
    """The calls that may run."""
    return [(call.name, call.arguments) for call in reply.calls if call.runnable]


CALLS_OF_THEIR_OWN = {"functionary_v31": {"<|python_tag|>"}}
"""Markers behind which any text is a call: code for an interpreter."""


def every_mark(lect: Any) -> list[str]:
    """All markers of a lect, stops too."""
    return sorted({*lect.special, *lect.stops})


def marks(lect: Any) -> list[str]:
    """Those that are no call by themselves."""
    return sorted(set(every_mark(lect)) - CALLS_OF_THEIR_OWN.get(lect.name, set()))


# --- cut -------------------------------------------------------------------------------------------------------------


@EVERY
def test_a_call_that_was_cut_is_left_out_and_told(name: str) -> None:
    lect = polylect.lect(name)
    text = written(lect, CALL)
    at = text.index("Graz") + 2
    for finish in ("length", "stop"):
        reply = read(lect, text[:at], finish)
        assert (reply.calls, reply.content, reply.complete) == ((), "", False)
        assert "truncated" in [note.code for note in reply.diagnostics]
        flagged = read(lect, text[:at], finish, truncated="flag")
        assert [(call.name, call.status) for call in flagged.calls] == [("forecast", "truncated")]
        with pytest.raises(ParseError):
            lect.parse(text[:at], tools=BOX, finish_reason=finish, truncated="raise")


@EVERY
def test_half_a_marker_at_the_end(name: str) -> None:
    """The model was cut: it is no text, if the whole would be none. It ended by itself: it is what it says."""
    lect = polylect.lect(name)
    before = written(lect, content="So far so good.")
    for mark in every_mark(lect):
        is_text = mark in read(lect, before + mark).content
        for size in (1, len(mark) // 2, len(mark) - 1):
            half = mark[:size]
            for finish in ("stop", "length"):
                reply = read(lect, before + half, finish)
                assert reply.content.startswith("So far so good.")
                assert not reply.calls
                assert finish == "stop" or not reply.complete
                if finish == "length" and not is_text:
                    assert reply.content.rstrip() == "So far so good."
                elif finish == "stop" and before == "So far so good." and half not in every_mark(lect):
                    assert reply.content == before + half


INVALID = {"gigachat3", "gigachat31", "inkling", "lfm2", "olmo3"}
"""An opener that no call follows is an invalid call there; elsewhere it is none, or one that was cut."""

# --- markers in the wrong place --------------------------------------------------------------------------------------


@EVERY
def test_a_marker_in_prose_runs_nothing(name: str) -> None:
    """An opener that no call follows, a close without an open, any other: no call, the text before stays."""
    lect = polylect.lect(name)
    for mark in marks(lect):
        text = written(lect, content="Look here:") + f" {mark} is a marker, they say."
        reply = read(lect, text)
        assert not runs(reply)
        assert reply.content.startswith("Look here:")
        assert reply.diagnostics or " is a marker, they say." in reply.content + reply.reasoning
        assert not reply.calls or name in INVALID


@EVERY
def test_a_message_of_markers_runs_nothing(name: str) -> None:
    lect = polylect.lect(name)
    found = marks(lect)
    for text in ("".join(found), "".join(reversed(found)), *(mark * 3 for mark in found), *found):
        assert not runs(read(lect, text))


def test_what_stands_behind_the_marker_of_code_is_code() -> None:
    reply = read(polylect.lect("functionary_v31"), "Use <|python_tag|> for code.")
    assert runs(reply) == [("python", {"code": " for code."})]


# --- what is no call -------------------------------------------------------------------------------------------------


ANSWERS = (
    '{"title": "no call", "n": 1}', "[1, 2, 3]", '[{"a": 1}]', '{"x": {"name": "forecast"}}', "{}", "[]", '"text"',
    "null", '```json\n{"title": "no call"}\n```',
)  # fmt: skip


@EVERY
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_json_answer_is_an_answer(name: str, answer: str) -> None:
    lect = polylect.lect(name)
    try:
        text = written(lect, content=answer)
    except LectError:
        text = answer
    reply = read(lect, text)
    assert (reply.content, reply.calls, reply.complete) == (answer, (), True)


@EVERY
def test_nothing_is_nothing(name: str) -> None:
    reply = read(polylect.lect(name), "")
    assert (reply.content, reply.reasoning, reply.calls, reply.complete) == ("", "", (), True)


@EVERY
def test_another_tongue_is_text(name: str) -> None:
    """A call in a tongue that nobody speaks is text, all of it."""
    lect = polylect.lect(name)
    foreign = "<<call forecast>>place := Graz<</call>> and {{forecast|place=Graz}}"
    reply = read(lect, written(lect, content=foreign))
    assert (reply.content, reply.calls) == (foreign, ())


# --- calls that say too much or too little ---------------------------------------------------------------------------


@EVERY
def test_an_unknown_tool_is_the_executors_business(name: str) -> None:
    lect = polylect.lect(name)
    text = written(lect, Call("no_such_tool", {"place": "Graz"}))
    assert runs(read(lect, text)) == [("no_such_tool", {"place": "Graz"})]
    rejected = read(lect, text, unknown_tool="reject")
    assert [call.status for call in rejected.calls] == ["invalid"]
    assert "no_such_tool" in str(rejected.calls[0].error)


def bent(lect: Lect) -> tuple[str, str]:
    """Two calls, or one, of which the first has lost a bracket, and what stands behind it; empty if there is none."""
    calls = [CALL, Call("clock", {})][: 2 if "several_calls" in lect.features else 1]
    text = written(lect, *calls)
    before, found, rest = text.partition('"Graz"}')
    return (f'{before}"Graz"{rest}', rest.lstrip("} \n`")) if found else ("", "")


@pytest.mark.parametrize("name", [name for name in NAMES if bent(polylect.lect(name))[0]])
def test_a_call_that_has_lost_a_bracket_never_runs(name: str) -> None:
    lect = polylect.lect(name)
    text, behind = bent(lect)
    reply = read(lect, text)
    if name == "apertus":  # its arguments are a value by themselves, and they are whole
        assert runs(reply) == [("forecast", {"place": "Graz"})]
        return
    assert ("forecast", {"place": "Graz"}) not in runs(reply)
    assert reply.diagnostics
    if behind.startswith("<") and "several_calls" in lect.features:
        assert runs(reply) == [("clock", {})]
        assert [call.status for call in reply.calls] == ["invalid", "complete"]


@EVERY
def test_the_same_call_twice_is_two_calls(name: str) -> None:
    lect = polylect.lect(name)
    if "several_calls" not in lect.features:
        with pytest.raises(LectError, match="several calls"):
            written(lect, CALL, CALL)
        return
    text = written(lect, CALL, CALL)
    assert runs(read(lect, text)) == [("forecast", {"place": "Graz"})] * 2


@pytest.mark.parametrize("name", [name for name in NAMES if "ids" in polylect.lect(name).features])
def test_two_calls_under_one_id_are_two_calls(name: str) -> None:
    """Both run, in order; ids are what the model wrote, and what is paired by order stays paired."""
    lect: Any = polylect.lect(name)
    first = written(lect, Call("forecast", {"place": "Graz"}, id="call00001"), Call("clock", {}, id="call00002"))
    assert "call00002" in first
    reply = read(lect, first.replace("call00002", "call00001"))
    assert runs(reply) == [("forecast", {"place": "Graz"}), ("clock", {})]
    assert {call.id for call in reply.calls} == {"call00001"}


@EVERY
def test_an_argument_that_nobody_knows_is_kept(name: str) -> None:
    lect = polylect.lect(name)
    meant = {"place": "Graz", "unheard_of": "x y"}
    assert runs(read(lect, written(lect, Call("forecast", meant)))) == [("forecast", meant)]


@EVERY
def test_a_value_that_does_not_fit_is_kept(name: str) -> None:
    """A number was asked for and a word came: the word is the argument (and the tool's executor says what is wrong)."""
    lect = polylect.lect(name)
    reply = read(lect, written(lect, Call("forecast", {"hours": "many"})))
    assert runs(reply) == [("forecast", {"hours": "many"})]


@EVERY
def test_odd_characters_are_data(name: str) -> None:
    lect = polylect.lect(name)
    text = "nul \x00 bell \x07 del \x7f nel \x85 line \u2028 bom \ufeff rtl \u202e \U0010ffff"
    assert runs(read(lect, written(lect, Call("save", {"text": text})))) == [("save", {"text": text})]
    assert read(lect, written(lect, content=text)).content == text


# --- reasoning -------------------------------------------------------------------------------------------------------


THINKERS = [name for name in NAMES if "reasoning" in polylect.lect(name).features]


@pytest.mark.parametrize("name", THINKERS)
def test_reasoning_that_never_ends_is_reasoning(name: str) -> None:
    lect = polylect.lect(name)
    text = written(lect, content="Yes.", reasoning="Let me think about it")
    at = text.index("about it")
    reply = read(lect, text[:at], "length")
    assert (reply.reasoning.rstrip(), reply.content, reply.calls) == ("Let me think", "", ())
    assert not reply.complete


@pytest.mark.parametrize("name", THINKERS)
def test_markers_in_reasoning_run_nothing(name: str) -> None:
    lect: Any = polylect.lect(name)
    text = written(lect, content="Yes.", reasoning="Let me think about it")
    for mark in marks(lect):
        reply = read(lect, text.replace("about", f"about {mark} and"))
        assert not runs(reply)
        assert reply.reasoning.startswith("Let me think about")


CLOSE_THEMSELVES = {"kimi_k3_xtml": "ignore", "qwen3_coder_xml": "accept"}
"""Reasoning that is not closed ends at a call there: at the block of the answer before it; by the lect's default."""


@pytest.mark.parametrize("name", THINKERS)
def test_no_call_in_reasoning_that_never_ends_runs_but_by_policy(name: str) -> None:
    lect: Any = polylect.lect(name)
    closer = {"gpt_oss_harmony": "<|end|>", "muse_atem": "<|eom|>", "solar_open": "<|end|>"}.get(name, lect.think[1])
    text = written(lect, CALL, reasoning="Let me think")
    unclosed = text.replace(closer, "", 1)
    assert unclosed != text
    reply = read(lect, unclosed)
    assert reply.reasoning.startswith("Let me think")
    assert bool(runs(reply)) == (name in CLOSE_THEMSELVES)
    assert lect.policies.reasoning_calls == CLOSE_THEMSELVES.get(name, "ignore")
    assert runs(read(lect, unclosed, reasoning_calls="accept")) == [("forecast", {"place": "Graz"})]


# --- what is not the model's to say ----------------------------------------------------------------------------------


@EVERY
def test_an_invented_result_is_cut(name: str) -> None:
    """The call runs; what the model made up of its result, and all behind it, is dropped and told."""
    lect: Any = polylect.lect(name)
    step = polylect.AgentStep(polylect.AgentAction("forecast", {"place": "Graz"}), "sun, 30 degrees")
    text = lect.format_steps([step], tools=BOX) + "It is sunny."
    reply = read(lect, text)
    assert runs(reply) == [("forecast", {"place": "Graz"})]
    assert "sun, 30" not in reply.content
    assert "observation" in [note.code for note in reply.diagnostics]
