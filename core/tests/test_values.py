"""The values: made by position, frozen, compared by what they say, and one stable JSON form each."""

from __future__ import annotations

import copy
import json
import operator
import pickle
import re
from pathlib import PurePosixPath
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import (
    AgentAction,
    AgentFinish,
    AgentStep,
    AnswerDelta,
    ArgumentsDelta,
    Call,
    CallEnd,
    CallStart,
    ContentDelta,
    Diagnostic,
    Event,
    ReasoningDelta,
    Reply,
    ReplyEnd,
)

Value = AgentAction | AgentFinish | AgentStep | Diagnostic | Call | Reply | Event

CALL = Call("search", {"query": "Oslo", "near": [62.5, None]}, '{"query": …}', "c1", 3, 9, "repaired", None)
BAD_CALL = Call("search", None, "{", None, 9, 10, "invalid", "Send it again.")
REPLY = Reply(
    "hm",
    "Hello.",
    (CALL, BAD_CALL),
    {"sure": True},
    (Diagnostic("repaired", "Mended.", 3, 9),),
    False,
    (("reasoning", 0, 2), ("call", 3, 9)),
    "hm {…}{",
    {"role": "assistant"},
)
ACTION = AgentAction("search", {"query": "Oslo"}, "the text", "c1", 1, {"role": "assistant"})

EXAMPLES: list[tuple[Value, str]] = [
    (
        ACTION,
        '{"type":"AgentAction","tool":"search","tool_input":{"query":"Oslo"},"log":"the text","id":"c1","index":1,'
        '"message":{"role":"assistant"}}',
    ),
    (
        AgentAction("search", "Oslo"),
        '{"type":"AgentAction","tool":"search","tool_input":"Oslo","log":"","id":null,"index":0,"message":null}',
    ),
    (
        AgentFinish({"output": "42"}, "Final Answer: 42"),
        '{"type":"AgentFinish","return_values":{"output":"42"},"log":"Final Answer: 42"}',
    ),
    (
        AgentStep(AgentAction("now", ""), ["noon", 12]),
        '{"type":"AgentStep","action":{"type":"AgentAction","tool":"now","tool_input":"","log":"","id":null,"index":0,'
        '"message":null},"observation":["noon",12]}',
    ),
    (
        Diagnostic("skipped", "Passed over.", 1, 2),
        '{"type":"Diagnostic","code":"skipped","message":"Passed over.","start":1,"end":2}',
    ),
    (
        CALL,
        '{"type":"Call","name":"search","arguments":{"query":"Oslo","near":[62.5,null]},"raw":"{\\"query\\": …}",'
        '"id":"c1","start":3,"end":9,"status":"repaired","error":null}',
    ),
    (
        BAD_CALL,
        '{"type":"Call","name":"search","arguments":null,"raw":"{","id":null,"start":9,"end":10,"status":"invalid",'
        '"error":"Send it again."}',
    ),
    (
        REPLY,
        f'{{"type":"Reply","reasoning":"hm","content":"Hello.","calls":[{CALL.to_json()},{BAD_CALL.to_json()}],'
        '"answer":{"sure":true},"diagnostics":[{"type":"Diagnostic","code":"repaired","message":"Mended.","start":3,'
        '"end":9}],"complete":false,"parts":[["reasoning",0,2],["call",3,9]],"text":"hm {…}{","message":'
        '{"role":"assistant"}}',
    ),
    (
        Reply(),
        '{"type":"Reply","reasoning":"","content":"","calls":[],"answer":null,"diagnostics":[],"complete":true,'
        '"parts":[],"text":"","message":null}',
    ),
    (ReasoningDelta(0, 4, "hm"), '{"type":"ReasoningDelta","start":0,"end":4,"text":"hm"}'),
    (ContentDelta(4, 6, "Hi"), '{"type":"ContentDelta","start":4,"end":6,"text":"Hi"}'),
    (AnswerDelta(6, 8, "42"), '{"type":"AnswerDelta","start":6,"end":8,"text":"42"}'),
    (CallStart(8, 9, 0, "c1", "now"), '{"type":"CallStart","start":8,"end":9,"index":0,"id":"c1","name":"now"}'),
    (ArgumentsDelta(9, 10, 0, "{}"), '{"type":"ArgumentsDelta","start":9,"end":10,"index":0,"text":"{}"}'),
    (CallEnd(10, 11, 0, CALL), '{"type":"CallEnd","start":10,"end":11,"index":0,"call":' + CALL.to_json() + "}"),
    (ReplyEnd(11, 11, Reply()), '{"type":"ReplyEnd","start":11,"end":11,"reply":' + Reply().to_json() + "}"),
]
IDS = [type(value).__name__ for value, _ in EXAMPLES]


@pytest.mark.parametrize(("value", "text"), EXAMPLES, ids=IDS)
def test_the_json_of_a_value_is_stable(value: Value, text: str) -> None:
    assert value.to_json() == text
    assert json.loads(text)["type"] == type(value).__name__


@pytest.mark.parametrize(("value", "text"), EXAMPLES, ids=IDS)
def test_a_value_reads_back_from_its_json_as_text_and_as_bytes(value: Value, text: str) -> None:
    for data in (text, text.encode()):
        again = type(value).from_json(data)
        assert type(again) is type(value)
        assert msgspec.structs.astuple(again) == msgspec.structs.astuple(value)
        assert again.to_json() == text


@pytest.mark.parametrize(("value", "text"), EXAMPLES, ids=IDS)
def test_a_value_survives_pickle_and_copy(value: Value, text: str) -> None:
    copies = [copy.copy(value), copy.deepcopy(value)]
    copies += [pickle.loads(pickle.dumps(value, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)]
    for again in copies:
        assert type(again) is type(value)
        assert again == value
        assert again.to_json() == text


@pytest.mark.parametrize(("value", "text"), EXAMPLES, ids=IDS)
def test_a_value_is_frozen(value: Any, text: str) -> None:
    for field in value.__struct_fields__:
        with pytest.raises(AttributeError):
            setattr(value, field, None)
    with pytest.raises(AttributeError):
        value.more = 1


def test_every_public_value_has_an_example_here() -> None:
    classes = {getattr(polylect, name) for name in polylect.__all__}
    values = {x for x in classes if isinstance(x, type) and x.__module__ == Call.__module__}
    assert values - {Event} == {type(value) for value, _ in EXAMPLES}


def test_spans_are_start_and_end() -> None:
    assert CALL.span == (3, 9)
    assert Diagnostic("x", "y", 1, 2).span == (1, 2)
    assert ContentDelta(4, 6, "Hi").span == (4, 6)
    assert REPLY.spans("call") == ((3, 9),)
    assert REPLY.spans("answer") == ()


@pytest.mark.parametrize(("status", "may_run"), [("complete", 1), ("repaired", 1), ("invalid", 0), ("truncated", 0)])
def test_only_complete_and_repaired_calls_may_run(status: Any, may_run: int) -> None:
    assert Call("a", {}, status=status).runnable is bool(may_run)


# --- what is equal ------------------------------------------------------------------------------------------------

OTHER_WORDS: list[dict[str, Any]] = [{"raw": "x"}, {"id": "x"}, {"start": 7}, {"end": 7}, {"error": "x"}]
OTHER_CALLS: list[dict[str, Any]] = [{"name": "x"}, {"arguments": {}}, {"arguments": None}, {"status": "invalid"}]
BESIDE: list[dict[str, Any]] = [{"diagnostics": ()}, {"parts": ()}, {"text": "x"}, {"message": None}]
SAID: list[dict[str, Any]] = [
    *({"reasoning": "x"}, {"content": "x"}, {"calls": ()}, {"calls": (BAD_CALL, CALL)}),
    *({"answer": None}, {"answer": "x"}, {"complete": True}),
]


@pytest.mark.parametrize("change", OTHER_WORDS)
def test_calls_that_say_the_same_are_equal(change: dict[str, Any]) -> None:
    other = msgspec.structs.replace(CALL, **change)
    assert other == CALL
    assert not operator.ne(other, CALL)
    assert hash(other) == hash(CALL)


@pytest.mark.parametrize("change", OTHER_CALLS)
def test_calls_that_say_something_else_differ(change: dict[str, Any]) -> None:
    other = msgspec.structs.replace(CALL, **change)
    assert other != CALL
    assert not operator.eq(other, CALL)


@pytest.mark.parametrize("change", BESIDE)
def test_replies_that_say_the_same_are_equal(change: dict[str, Any]) -> None:
    moved = tuple(msgspec.structs.replace(call, start=50, end=60, id=None, raw="") for call in REPLY.calls)
    other = msgspec.structs.replace(REPLY, calls=moved, **change)
    assert other == REPLY
    assert not operator.ne(other, REPLY)
    assert hash(other) == hash(REPLY)


@pytest.mark.parametrize("change", SAID)
def test_replies_that_say_something_else_differ(change: dict[str, Any]) -> None:
    other = msgspec.structs.replace(REPLY, **change)
    assert other != REPLY
    assert not operator.eq(other, REPLY)


def test_values_equal_nothing_else() -> None:
    anything: tuple[Any, ...] = (None, "search", 0, (), {}, REPLY.to_json(), AgentFinish({}))
    for value in (CALL, REPLY):
        for other in anything:
            assert value != other
            assert not operator.eq(value, other)
    events: list[Event] = [ContentDelta(0, 1, "a"), ReasoningDelta(0, 1, "a"), ContentDelta(0, 2, "a")]
    assert [events.index(event) for event in events] == [0, 1, 2]


def test_calls_and_replies_may_be_in_a_set_though_their_arguments_are_dicts() -> None:
    assert len({CALL, msgspec.structs.replace(CALL, id=None), BAD_CALL}) == 2
    assert len({REPLY, msgspec.structs.replace(REPLY, text=""), Reply()}) == 2


# --- what JSON lacks ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["\ud800", "\udfff \ud83d", "\0", "a\0b\u2028\u2029\x7f", "\U0001f600", '"\\\n\t'])
def test_any_text_survives(text: str) -> None:
    call = Call(text, {text: [text]}, text, text, error=text)
    assert msgspec.structs.astuple(Call.from_json(call.to_json())) == msgspec.structs.astuple(call)
    call.to_json().encode()  # always text that a file can hold
    reply = Reply(text, text, (call,), {text: text}, (Diagnostic("x", text),), True, (), text, {text: text})
    assert msgspec.structs.astuple(Reply.from_json(reply.to_json())) == msgspec.structs.astuple(reply)


@pytest.mark.parametrize("number", [10**40, -(2**64), 2**63, 0.1, 1e300, -0.0])
def test_any_number_survives(number: float) -> None:
    again = Call.from_json(Call("a", {"n": number}).to_json()).arguments
    assert again == {"n": number}
    assert isinstance(again, dict)
    assert type(again["n"]) is type(number)


@pytest.mark.parametrize("beside", ["", "\ud800"])
def test_numbers_that_json_lacks_are_null(beside: str) -> None:
    numbers = [float("nan"), float("inf"), -float("inf")]
    step = AgentStep(AgentAction("a", beside), numbers)
    assert json.loads(step.to_json(), parse_constant=pytest.fail)["observation"] == [None, None, None]


@pytest.mark.parametrize("beside", ["", "\ud800"])
@pytest.mark.parametrize(
    ("observation", "read"),
    [
        (PurePosixPath("a/b"), "a/b"),
        (ValueError("no such city"), "no such city"),
        ([1 + 2j], ["(1+2j)"]),
        ((1, 2), [1, 2]),
        ({"a": {1: "b"}}, {"a": {"1": "b"}}),
        ({(1, 2): "b"}, {"(1, 2)": "b"}),
        (b"bytes", "Ynl0ZXM="),
    ],
)
def test_observations_of_any_kind_have_a_json_form(observation: Any, read: Any, beside: str) -> None:
    step = AgentStep(AgentAction("a", beside), observation)
    assert AgentStep.from_json(step.to_json()).observation == read


class Mute:
    """Says nothing about itself, and raises when it is asked."""

    def __str__(self) -> str:
        raise OSError

    __repr__ = __str__


def circle() -> list[Any]:
    found: list[Any] = [1]
    found.append({"again": found})
    return found


def deep(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


UNWRITABLE: dict[str, tuple[Any, Any]] = {
    "mute": (Mute(), "(Mute that can't be shown)"),
    "circle": (circle(), [1, {"again": "[1, {'again': [...]}]"}]),
    "long number": (10**6_000, "(int that can't be shown)"),
    "odd keys": ({(1, 2): 3, None: [Mute]}, {"(1, 2)": 3, "None": [str(Mute)]}),
    "a set": ({"\ud800"}, ["\ud800"]),
}


@pytest.mark.parametrize("name", UNWRITABLE)
def test_what_is_no_json_takes_nothing_beside_it_along(name: str) -> None:
    odd, read = UNWRITABLE[name]
    step = AgentStep(AgentAction("a", {"kept": ["x", 1.5, None]}), {"odd": odd, "kept": [True, float("nan")]})
    again = AgentStep.from_json(step.to_json())
    assert again.action == step.action
    assert again.observation == {"odd": read, "kept": [True, None]}


@pytest.mark.parametrize("levels", [900, 100_000])
def test_what_is_nested_too_deeply_is_written_as_far_as_it_can_be_read(levels: int) -> None:
    step = AgentStep(AgentAction("a", "x"), deep(levels))
    again = AgentStep.from_json(step.to_json())
    assert again.action == step.action
    assert isinstance(again.observation, list)


atoms = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=()))
strange = st.sampled_from(sorted(UNWRITABLE)).map(lambda name: UNWRITABLE[name][0])
keys = st.text(max_size=3) | st.integers() | st.none() | st.tuples(st.integers()) | st.just("\ud800")


@given(
    st.recursive(
        atoms | strange, lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(keys, inner), max_leaves=9
    )
)
def test_any_observation_is_written_as_json(observation: Any) -> None:
    step = AgentStep(AgentAction("a", "x", "log"), observation)
    assert AgentStep.from_json(step.to_json()).action == step.action


# --- what is not the JSON of a value ------------------------------------------------------------------------------

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    ("cls", "text", "told"),
    [
        (Call, '{"type":"Reply"}', "Invalid value 'Reply' - at `$.type`"),
        (Reply, CALL.to_json(), "Invalid value 'Call' - at `$.type`"),
        (Call, '{"type":"Cal","name":"a"}', "Invalid value 'Cal' - at `$.type`"),
        (
            ContentDelta,
            '{"type":"AnswerDelta","start":0,"end":1,"text":"a"}',
            "Invalid value 'AnswerDelta' - at `$.type`",
        ),
        (Call, '{"type":"Call","name":5}', "Expected `str`, got `int` - at `$.name`"),
        (Call, '{"type":"Call"}', "Object missing required field `name`"),
        (Call, '{"type":"Call","name":"a","status":"done"}', "Invalid enum value 'done' - at `$.status`"),
        (
            Call,
            '{"type":"Call","name":"a","arguments":[]}',
            "Expected `str | object | null`, got `array` - at `$.arguments`",
        ),
        (Reply, '{"type":"Reply","calls":[{"type":"Call","name":"a","end":"x"}]}', "at `$.calls[0].end`"),
        (Reply, '{"type":"Reply","calls":[{"type":"Reply"}]}', "at `$.calls[0].type`"),
        (Reply, '{"type":"Reply","parts":[["tool",0,1]]}', "at `$.parts[0][0]`"),
        (AgentStep, '{"type":"AgentStep","observation":1,"action":{"type":"AgentFinish"}}', "at `$.action.type`"),
        (Call, '{"type":"Call","name":5,"raw":"\\ud800"}', "Expected `str`, got `int` - at `$.name`"),
        (Call, "[]", "Expected `object`, got `array`"),
        (Call, "", "line 1 column 1"),
        (Call, "not JSON", "line 1 column 1"),
        (Call, '{"type":"Call",', "line 1 column"),
        (Call, b"\xff\xfe", ""),
        (AgentStep, '{"type":"AgentStep","observation":' + DEEP + "}", ""),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_what_is_not_the_json_of_a_value_is_a_value_error_with_the_path(cls: type[Value], text: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told) or None):
        cls.from_json(text)
