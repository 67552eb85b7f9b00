"""Arguments whose JSON text is written when it is first read."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import msgspec
import pytest

import polylect
from polylect.grammar._spelling import LATER, Spelling, longer, spelt

MEMBERS: dict[str, Any] = {"path": 'a "b".txt', "text": "line\n" * LATER, "days": [1, "x"], "é": None}
WRITTEN = json.dumps(MEMBERS, ensure_ascii=False)


def call() -> polylect.Call:
    return polylect.Call("write", dict(MEMBERS), spelt(MEMBERS))  # type: ignore[arg-type]


def test_short_texts_are_written_at_once() -> None:
    assert spelt({"a": "b", "c": 1.5}) == '{"a": "b", "c": 1.5}'
    assert isinstance(spelt(MEMBERS), Spelling)


def test_it_is_the_text_of_the_field() -> None:
    assert call().raw == WRITTEN
    assert type(call().raw) is str
    assert repr(call()) == repr(polylect.Call("write", MEMBERS, WRITTEN))


@pytest.mark.parametrize(
    "through",
    [
        lambda value: polylect.Call.from_json(value.to_json()),
        lambda value: msgspec.json.decode(msgspec.json.encode(value), type=polylect.Call),
        lambda value: msgspec.msgpack.decode(msgspec.msgpack.encode(value), type=polylect.Call),
        lambda value: msgspec.convert(msgspec.to_builtins(value), polylect.Call),
        lambda value: pickle.loads(pickle.dumps(value)),
        copy.copy,
        copy.deepcopy,
        lambda value: msgspec.structs.replace(value, id="1"),
    ],
)
def test_it_survives_whatever_is_done_with_the_call(through: Any) -> None:
    assert through(call()).raw == WRITTEN
    assert type(through(call()).raw) is str


def test_later_changes_of_the_arguments_do_not_change_it() -> None:
    made = call()
    assert isinstance(made.arguments, dict)
    made.arguments["text"] = "other"
    made.arguments["days"].append(2)
    try:
        assert made.raw == WRITTEN
    finally:
        MEMBERS["days"].pop()


def test_lone_surrogates_are_kept() -> None:
    text = "\ud800" + "a" * LATER
    made = polylect.Call("write", {"a": text}, spelt({"a": text}))  # type: ignore[arg-type]
    assert json.loads(made.raw) == {"a": text}
    assert polylect.Call.from_json(made.to_json()).raw == made.raw


def test_its_length_is_known_without_writing_it_where_that_is_no_question() -> None:
    made = spelt(MEMBERS)
    assert isinstance(made, Spelling)
    assert not longer(made, 100 * LATER)
    assert made.text is None
    assert longer(made, 10)
    assert not longer(spelt(MEMBERS), len(WRITTEN))
    assert longer(spelt(MEMBERS), len(WRITTEN) - 1)


def test_a_call_in_a_whole_message_is_limited_by_its_json_text() -> None:
    text = '"' * 40_000
    message = f"<tool_call>write<arg_key>text</arg_key><arg_value>{text}</arg_value></tool_call>"
    lect = polylect.lect("glm47")
    assert lect.parse(message, max_call_size=90_000).calls[0].runnable
    refused = lect.parse(message, max_call_size=79_999).calls[0]
    assert refused.status == "invalid"
    assert len(refused.raw) > 79_999
