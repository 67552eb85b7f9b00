"""The JSON scanner in streams: it follows what models write, cut anywhere, and decodes it once."""

from __future__ import annotations

import json
import random
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polylect import AnswerDelta, ArgumentsDelta, CallEnd, CallStart, Reply, TextLect
from polylect.grammar import MISSING

from .streams import alike, cut, cut_anywhere, feed, hold, joined, only_call
from .tongues import ARGUMENTS, ARRAY, BLOCK, NAMED, OWN

PIECES = (
    "plain", r"\"", r"\\", r"\/", r"\b\f\n\r\t", r"\u0041", r"\u00e9", r"\ud83d\ude00", r"\uD83D\uDE00", r"\u005c",
    r"\u0022", r"\\\\", r"\\\"", *" é😀{}[],:'\u2028\x7f", "</tool_call>",
)  # fmt: skip


class Answers(TextLect):
    """block.lark with an answer among its calls."""

    name = "answers"
    grammar_file = OWN / "block.lark"
    answer_names = frozenset({"final"})


ANSWERS = Answers()


def block(body: str) -> str:
    return f"<tool_call>{body}</tool_call>"


def all_cuts(lect: TextLect, text: str, **options: Any) -> Reply:
    """The reply to ``text``: whole, by one character, in two at every place, and at random: all the same."""
    choose = random.Random(len(text))
    step = max(1, len(text) // 80)
    cuts = [[text[:at], text[at:]] for at in range(0, len(text), step)]
    ways = (cut(text, 1), cut(text, 2), *cuts, *(cut_anywhere(text, choose) for _ in range(4)))
    return alike(lect, text, ways, **options)


def test_strings_with_every_escape() -> None:
    body = "".join(PIECES)
    for text in (body, *PIECES, *(piece * 3 for piece in PIECES)):
        raw = f'{{"k": "{text}", "{text}": ["{text}"]}}'
        call = only_call(all_cuts(BLOCK.lect, block(f'{{"name": "a", "arguments": {raw}}}')))
        assert (call.status, call.raw, call.arguments) == ("complete", raw, json.loads(raw))
        assert only_call(NAMED.lect.parse(f"[CALL]a[ARGS]{raw}tail")).arguments == json.loads(raw)


ODD_PIECES = (*PIECES, r"\ud83d", r"\ude00", r"\x", r"\u12", r"\u", "\n", "\0", "\ud800", "n", "u00e9")


@given(st.lists(st.sampled_from(ODD_PIECES), max_size=12).map("".join), st.integers(0, 99))
@settings(max_examples=300, deadline=None, derandomize=True, database=None)
def test_an_answer_is_decoded_as_it_comes(body: str, seed: int) -> None:
    text = block(f'{{"name": "final", "arguments": "{body}"}}')
    whole = ANSWERS.parse(text)
    try:
        assert whole.answer == json.loads(f'"{body}"', strict=False)
    except json.JSONDecodeError:
        assert isinstance(whole.answer, str)
    choose = random.Random(seed)
    alike(ANSWERS, text, [cut(text, 1), cut(text, 4), *(cut_anywhere(text, choose) for _ in range(3))])


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        (["null"], None),
        (["null", '"x"'], "x"),
        (['"x"', "null"], "x"),
        (["null", "null"], None),
        (["null", "7"], 7),
        (['""', "null"], ""),
        (["nope"], "nope"),
    ],
)
def test_an_answer_of_null_is_none(said: list[str], answer: Any) -> None:
    text = "".join(block(f'{{"name": "final", "arguments": {value}}}') for value in said)
    assert all_cuts(ANSWERS, text).answer == answer


@pytest.mark.parametrize(
    ("spelt", "name"),
    [
        ("search", "search"),
        ("s\\u0065arch\\n", "search"),
        ("\\ud83d\\ude00", "😀"),
        ("a\\ud83d", "a\ud83d"),
        ('\\"q\\" \\\\ \\/', '"q" \\ /'),
        ("a\\xb\\u12g4", "a\\xb\\u12g4"),
        ("raw\nbreak\t", "raw\nbreak"),
        ("", ""),
        ("n" * 1000, "n" * 1000),
        ("\\u006e" * 300, "n" * 300),
    ],
)
def test_names_are_decoded_however_they_are_spelt(spelt: str, name: str) -> None:
    call = only_call(all_cuts(BLOCK.lect, block(f'{{"name": "{spelt}", "arguments": {{"k": 1}}}}')))
    assert (call.name, call.raw) == (name, '{"k": 1}')
    assert call.runnable == bool(name)


@pytest.mark.parametrize("order", list(permutations(("name", "arguments", "id", "more"))), ids="-".join)
def test_keys_in_any_order(order: tuple[str, ...]) -> None:
    words = {
        "name": '"name": "a"', "arguments": '"arguments" : {"name": "no", "k": [1, {}]}', "id": '"id":"i"',
        "more": '"more": {"name": "no", "arguments": "]"}',
    }  # fmt: skip
    text = "[TOOL_CALLS][{ " + " , ".join(words[key] for key in order) + "\n}]"
    call = only_call(all_cuts(ARRAY.lect, text))
    assert (call.name, call.id, call.raw) == ("a", "i", '{"name": "no", "k": [1, {}]}')
    assert call.arguments == {"name": "no", "k": [1, {}]}


def test_arguments_before_the_name_wait_for_it() -> None:
    text = block('{"arguments": {"k": "v"}, "name": "a"}')
    parser = BLOCK.lect.parser()
    before = parser.feed(text[: text.index('"a"') + 2])
    assert before == []
    start, delta = parser.feed('"')
    assert isinstance(start, CallStart)
    assert isinstance(delta, ArgumentsDelta)
    assert (start.name, delta.text) == ("a", '{"k": "v"}')


@pytest.mark.parametrize(
    ("body", "name", "raw"),
    [
        ('{"name": "a", "name": "b", "arguments": {}}', "a", "{}"),
        ('{"name": 5, "name": "b", "arguments": {}}', "b", "{}"),
        ('{"name": null, "arguments": {}, "name": "b"}', "b", "{}"),
        ('{"name": {"name": "x"}, "arguments": {}, "name": "b"}', "b", "{}"),
        ('{"name": "a", "arguments": {"k": 1}, "arguments": {"k": 2}}', "a", '{"k": 1}'),
        ('{"Name": "a", "ARGUMENTS": {"k": 1}}', "a", '{"k": 1}'),
        ('{"n\\u0061me": "a", "argument\\u0073": {"k": 1}}', "a", '{"k": 1}'),
        ('{"name" \n: \n"a" ,\t"arguments"\r\n:\n{ "k" :1 } \n}', "a", '{ "k" :1 }'),
        ('{"' + "x" * 700 + '": 1, "name": "a", "arguments": {"k": 1}}', "a", '{"k": 1}'),
        ('{"name": "a", "arguments": {"k": 1, "k": 2}}', "a", '{"k": 1, "k": 2}'),
        ('{"name": "a", "arguments": {"k": "raw\nbreak\tand \x01"}}', "a", '{"k": "raw\nbreak\tand \x01"}'),
        ('{"name": "a", "arguments": {"k": "\\ud83d"}}', "a", '{"k": "\\ud83d"}'),
        ('{"name": "a", "arguments": {"k": 1e300, "l": 123456789012345678901234567890}}', "a", None),
    ],
)  # fmt: skip
def test_what_models_write_for_an_object(body: str, name: str, raw: str | None) -> None:
    call = only_call(all_cuts(BLOCK.lect, block(body)))
    assert (call.name, call.status) == (name, "complete")
    if raw is not None:
        assert call.raw == raw
        assert call.arguments == json.loads(raw, strict=False)


@pytest.mark.parametrize(
    "body",
    [
        '{"name" "a", "arguments": {}}',
        '{"name": "a" "arguments": {}}',
        '{"name": "a", "arguments": {},}',
        '{"name": "a",, "arguments": {}}',
        '{,"name": "a", "arguments": {}}',
        '{name: "a", "arguments": {}}',
        "{'name': 'a', 'arguments': {}}",
        '{"name": , "arguments": {}}',
        '{"name": "a", "arguments": }',
        '{"name": "a", "arguments": {"k": }}',
        '{"name": "a", "arguments": {"k": 1]}',
        '{"name": "a", "arguments": {"k" 1}}',
        '{"name": "a", "arguments": {"k": "\\x"}}',
        '{"name": "a", "arguments": {"k": "\\u12"}}',
        '{"name": "a", "arguments": {"k": NaN}}',
        '{"name": "a", "arguments": {"k": 01}}',
        '{"name": "a", "arguments": nonsense}',
        '{"name": "a", "arguments": 5}',
        '{"name": "a", "arguments": null}',
        '{"name": "a"}',
        '{"arguments": {}}',
        "{}",
        "{]",
        '{"name": "a", "arguments": {}} more',
    ],
)
def test_a_malformed_object_is_one_call_that_does_not_run(body: str) -> None:
    good = block('{"name": "b", "arguments": {}}')
    reply = all_cuts(BLOCK.lect, f"x{block(body)}y{good}")
    first, second = reply.calls
    assert first.status == ("complete" if body.endswith("more") else "invalid")
    assert first.error is None or first.runnable or len(first.error) > 20
    assert (second.name, second.status) == ("b", "complete")
    assert reply.content == "xy"
    assert reply.complete


def test_an_id_belongs_to_its_own_call() -> None:
    last = '{"id": 7, "name": "c", "arguments": {}, "id": "3"}'
    text = '[TOOL_CALLS][{"id": "1"}, {"name": "b", "arguments": {}}, ' + last + "]"
    reply = all_cuts(ARRAY.lect, text)
    assert [(call.name, call.id) for call in reply.calls] == [("", "1"), ("b", None), ("c", "3")]
    events, _ = feed(ARRAY.lect, [text])
    assert [event.id for event in events if isinstance(event, CallStart)] == ["1", None, None]


@pytest.mark.parametrize("text", ["", " ", "{}", "[1]", '"a"', "12", "-1.5e3 ", "true\n", "null", "nonsense", "1 2"])
def test_any_value_as_arguments(text: str) -> None:
    reply = all_cuts(ARGUMENTS.lect, text)
    assert len(reply.calls) == bool(text.strip())
    for call in reply.calls:
        assert text.strip().startswith(call.raw)
        assert isinstance(call.arguments, dict) == (text == "{}")


def test_a_value_that_ends_with_the_message() -> None:
    assert all_cuts(ARGUMENTS.lect, "12").complete
    for text in ('"12', "{", '{"a": 1', "[", '{"a": "}'):
        reply = all_cuts(ARGUMENTS.lect, text)
        assert (reply.calls, reply.complete) == ((), False)


# --- answers in calls -----------------------------------------------------------------------------------------------


def test_an_answer_is_decoded_while_it_comes() -> None:
    text = "".join(PIECES)
    body = block(f'{{"name": "final", "arguments": "{text}"}}')
    reply = all_cuts(ANSWERS, body)
    assert reply.answer == json.loads(f'"{text}"')
    events, _ = feed(ANSWERS, cut(body, 1))
    deltas = [event for event in events if isinstance(event, AnswerDelta)]
    assert len(deltas) > 40
    assert not any("\ud800" <= char <= "\udfff" for event in deltas for char in event.text)
    assert not any(isinstance(event, (CallStart, CallEnd)) for event in events)


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ('{"k": ["v"]}', {"k": ["v"]}),
        ("[1, 2]", [1, 2]),
        ("42", 42),
        ('""', ""),
        ('"\\ud83d"', "\ud83d"),
        ('"\\ud83dx\\ude00"', "\ud83dx\ude00"),
        ('"\\ud83d\\u0041"', "\ud83dA"),
        ('"a\\x"', "a\\x"),
    ],
)
def test_answers_of_every_kind(value: str, answer: Any) -> None:
    for body in (f'{{"name": "final", "arguments": {value}}}', f'{{"arguments": {value}, "name": "final"}}'):
        reply = all_cuts(ANSWERS, block(body))
        assert reply.answer == answer
        assert reply.calls == ()


def test_two_answers_stand_on_two_lines() -> None:
    text = "".join(block(f'{{"name": "final", "arguments": "{word}"}}') for word in ("a", "b\\n", "c"))
    assert all_cuts(ANSWERS, text).answer == "a\nb\n\nc"


def test_an_answer_that_is_cut_is_what_came_of_it() -> None:
    reply = all_cuts(ANSWERS, '<tool_call>{"name": "final", "arguments": "so f\\u00e9')
    assert (reply.answer, reply.complete) == ("so fé", False)


# --- size and depth -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opening", ["[", "{", '{"a":', "[{", '[{"a":[', '"', '\\"', "{]"])
def test_a_hundred_thousand_brackets(opening: str) -> None:
    deep = opening * (100_000 // len(opening))
    for lect, text in (
        (BLOCK.lect, '<tool_call>{"name": "a", "arguments": ' + deep),
        (BLOCK.lect, "<tool_call>" + deep + "</tool_call>"),
        (NAMED.lect, "[CALL]a[ARGS]" + deep),
        (ANSWERS, '<tool_call>{"name": "final", "arguments": ' + deep),
    ):
        whole = lect.parse(text)
        assert not any(call.runnable for call in whole.calls)
        events, reply = feed(lect, cut(text, 4096))
        hold(events, text, reply)
        assert reply.to_json() == whole.to_json()


def test_deep_but_closed_is_refused_with_a_reason() -> None:
    deep = "[" * 50_000 + "]" * 50_000
    for finish in ("whole", "stream"):
        text = block(f'{{"name": "a", "arguments": {{"k": {deep}}}}}')
        call = only_call(BLOCK.lect.parse(text) if finish == "whole" else feed(BLOCK.lect, cut(text, 999))[1])
        assert (call.status, call.raw) == ("invalid", f'{{"k": {deep}}}')
        assert "nested too deeply" in (call.error or "")


def test_ten_megabytes_in_a_string_and_around_it() -> None:
    noise = "noise </tool_cal é { \\\\ \n" * 420_000
    assert len(noise) > 10_000_000
    text = noise + block(f'{{"name": "a", "arguments": {{"k": "{noise}"}}}}')
    events, reply = feed(BLOCK.lect, cut(text, 65_536))
    assert joined(events, ArgumentsDelta) == only_call(reply).raw
    assert only_call(reply).arguments == {"k": noise.replace("\\\\", "\\")}
    assert reply.content == noise[:-1]  # the line break before the block is the block's


def test_repair_of_a_malformed_object_is_the_lects() -> None:
    class Mending(Answers):
        def repair(self, raw: str) -> Any:
            """Takes a trailing comma off."""
            try:
                return json.loads(raw.replace(",}", "}"))
            except ValueError:
                return MISSING

    lect = Mending()
    text = block('{"name": "a", "arguments": {"k": 1},}')
    assert only_call(all_cuts(lect, text)).status == "invalid"
    for body in ('{"name": "a", "arguments": {"k": 1},}', '{"name": "a", "arguments": {"k": 1,}}'):
        call = only_call(all_cuts(lect, block(body), malformed="repair"))
        assert (call.status, call.arguments) == ("repaired", {"k": 1})
    assert all_cuts(lect, '<tool_call>{"name": "a", "arguments": {"k": 1,}', malformed="repair").calls == ()
