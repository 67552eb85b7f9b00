"""The time grows with the text and no faster, whatever the text is and however it comes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import sleep, thread_time

import pytest

from polylect import TextLect

from .streams import cut
from .tongues import (
    ARRAY,
    BLOB,
    BLOCK,
    BRACKET,
    CHANNELS,
    ELEMENTS,
    NAMED,
    OBJECT,
    PAIRS,
    PARAMETERS,
    PYTHON,
    REACT,
    TAGS,
    Tongue,
)

SIZE = 12_000
TIMES = 4
RATIO = 6
"""At most, for ``TIMES`` the text: linear time gives 4 and quadratic time 16; what a busy machine adds lies between."""
SLACK = 0.002
"""Seconds: what a scheduler may add to a run of a few milliseconds."""
TRIES = 12


def whole(lect: TextLect, text: str) -> None:
    lect.parse(text)


def one_feed(lect: TextLect, text: str) -> None:
    stream(lect, [text])


def deltas(lect: TextLect, text: str) -> None:
    stream(lect, cut(text, 4))


def chunks(lect: TextLect, text: str) -> None:
    stream(lect, cut(text, 300))


def stream(lect: TextLect, pieces: list[str]) -> None:
    parser = lect.parser()
    for piece in pieces:
        parser.feed(piece)
    parser.close()


Reading = Callable[[TextLect, str], None]


def seconds(read: Reading, lect: TextLect, text: str) -> float:
    gc.disable()
    try:
        start = thread_time()
        read(lect, text)
        return thread_time() - start
    finally:
        gc.enable()


def stays_linear(read: Reading, lect: TextLect, text: Callable[[int], str], size: int = SIZE) -> None:
    """Compare the best of a few runs at two sizes; a busy machine gets more tries, farther and farther apart."""
    read(lect, text(256))
    small = large = float("inf")
    for number in range(TRIES):
        sleep(0.02 * number)
        small = min(small, seconds(read, lect, text(size)))
        large = min(large, seconds(read, lect, text(TIMES * size)))
        if large <= RATIO * small + SLACK:
            return
    raise AssertionError(f"{small * 1000:.1f} ms for {size} characters, {large * 1000:.1f} ms for {TIMES} times that")


def repeated(unit: str, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + unit * (size // len(unit)) + after


CALL = '<tool_call>{"name": "a", "arguments": {"k": "v"}}</tool_call>\n'
ELEMENT = ']<]minimax[>[<tool_call>]<]minimax[>[<invoke name="f">'
HOSTILE: list[tuple[Tongue, str, str]] = [
    (REACT, "", "Action: x "),
    (REACT, "", "\nAction: x"),
    (REACT, "", "\n"),
    (REACT, "", "\n \t"),
    (REACT, "", "\n***"),
    (REACT, "Final Answer: ", "\nFinal Answer"),
    (REACT, "Action: a", " Action Inpu"),
    (REACT, "", "<think>\n"),
    (BRACKET, "Action: a", "["),
    (BRACKET, "Action: a[b]", " \n"),
    (BLOB, "", "{"),
    (BLOB, "", '{"action": '),
    (BLOB, "", '[ {"acti'),
    (BLOB, "", "````"),
    (BLOB, "", "```json \n "),
    (TAGS, "", "<tool>"),
    (TAGS, "<tool>a</tool><tool_input>", "</tool_inpu"),
    (TAGS, "", "< "),
    (BLOCK, '<tool_call>{"name": "a", "arguments": "', '\\"'),
    (BLOCK, '<tool_call>{"name": "a", "arguments": "', "\\\\\\u0041"),
    (BLOCK, '<tool_call>{"name": "', "x\\"),
    (BLOCK, '<tool_call>{"', "x"),
    (BLOCK, "<tool_call>{", '"k": 1, '),
    (BLOCK, "<tool_call>{", " "),
    (BLOCK, "<tool_call>", "[{"),
    (BLOCK, "<tool_call>", " \n"),
    (BLOCK, "", "<tool_call>{}"),
    (BLOCK, "", '"\\'),
    (CHANNELS, "", "<|channel|>"),
    (CHANNELS, "", "<|start|>assistan"),
    (ARRAY, "[TOOL_CALLS][", '{"id": "1"},'),
    (ARRAY, "[TOOL_CALLS][", ","),
    (NAMED, "[CALL]", "x"),
    (NAMED, "[CALL]a[ARGS]{}", "]"),
    (PAIRS, "<call>a", "<key>k</key><value>v</value>"),
    (PAIRS, "<call>a<key>k</key><value>", "\n\x01"),
    (PARAMETERS, "<tool_call><function=a><parameter=k>", "</parameter>"),
    (PARAMETERS, "<tool_call><function=a><parameter=k>", "</parameter> \n\n "),
    (PARAMETERS, "", "<tool_call>"),
    (PYTHON, "", "[f("),
    (PYTHON, "[f(a=", "["),
    (PYTHON, "[f(a=", "[{("),
    (PYTHON, "[f(a=", "'a' "),
    (PYTHON, "[f(a='", "\\'"),
    (PYTHON, "[f(a='", "\\ud83d"),
    (PYTHON, '[f(a="""', '"" '),
    (PYTHON, "[f(a=1 ", "\\'"),
    (PYTHON, "[", "f(),"),
    (PYTHON, "[f(", "a"),
    (PYTHON, "[f(a=1", " "),
    (OBJECT, "<|tool_call>call:f{a:", "["),
    (OBJECT, "<|tool_call>call:f{a:", "{a:"),
    (OBJECT, "<|tool_call>call:f{a:", ", b"),
    (OBJECT, "<|tool_call>call:f{a:", "<|"),
    (OBJECT, '<|tool_call>call:f{a:<|"|>', '<|"|>'),
    (OBJECT, '<|tool_call>call:f{a:<|"|>', '<|"|>, b'),
    (OBJECT, '<|tool_call>call:f{a:<|"|>', '<|"|>}'),
    (OBJECT, '<|tool_call>call:f{a:[<|"|>', '<|"|> '),
    (OBJECT, "<|tool_call>call:f{a:{", "\"b\":'c',"),
    (OBJECT, "<|tool_call>call:f{", "a"),
    (ELEMENTS, ELEMENT, "]<]minimax[>[<a>"),
    (ELEMENTS, ELEMENT + "]<]minimax[>[<a>", "]<]minimax[>["),
    (ELEMENTS, ELEMENT + "]<]minimax[>[<a>", "]<]mini"),
    (ELEMENTS, ELEMENT + "]<]minimax[>[<a>", "]<]minimax[>[</b>"),
    (ELEMENTS, ELEMENT, "]<]minimax[>[<a>]<]minimax[>[</a> "),
]


@pytest.mark.parametrize("read", [whole, one_feed, deltas], ids=lambda read: read.__name__)
@pytest.mark.parametrize(("tongue", "before", "unit"), HOSTILE, ids=lambda value: repr(value)[:24])
def test_hostile_text(tongue: Tongue, before: str, unit: str, read: Reading) -> None:
    stays_linear(read, tongue.lect, repeated(unit, before), SIZE // 2 if read is deltas else SIZE)


@pytest.mark.parametrize(
    ("tongue", "unit"),
    [
        (BLOCK, CALL),
        (REACT, "Thought: a\nAction: b\nAction Input: c\n"),
        (TAGS, "<tool>a</tool><tool_input>b</tool_input>\n"),
        (BLOB, '```json\n{"action": "a", "action_input": {"k": 1}}\n```\n'),
        (NAMED, '[CALL]a[ID]1[ARGS]{"k": [1]}'),
        (PAIRS, "<call>a<key>k</key><value>v</value></call>\n"),
        (PARAMETERS, "<tool_call><function=a><parameter=k>v</parameter></function></tool_call>\n"),
        (BRACKET, "Action: a[b]\n"),
        (PYTHON, "[f(a='b', c=[1]), g()]\n"),
        (OBJECT, '<|tool_call>call:f{a:<|"|>b<|"|>,c:[1]}<tool_call|>'),
    ],
    ids=str,
)
def test_many_calls_in_one_chunk(tongue: Tongue, unit: str) -> None:
    for read in (one_feed, chunks):
        stays_linear(read, tongue.lect, repeated(unit), 16_384)


@pytest.mark.parametrize("read", [one_feed, deltas, chunks], ids=lambda read: read.__name__)
@pytest.mark.parametrize(
    ("tongue", "before", "unit", "after"),
    [
        (BLOCK, '<tool_call>{"name": "a", "arguments": {"k": "', 'some text and a \\"quote\\" ', '"}}</tool_call>'),
        (BLOCK, "", "prose with < and <tool and more ", CALL),
        (REACT, "Thought: ", "a thought.\n And more ", "\nFinal Answer: b"),
        (PARAMETERS, "<tool_call><function=a><parameter=k>", 'a "value" < b\n', "</parameter></function></tool_call>"),
        (PYTHON, "[f(a='", 'a "value" \\n it\\\'s\n', "')]"),
        (PYTHON, "[f(a=[", "{'b': (1, True)}, ", "])]"),
        (OBJECT, '<|tool_call>call:f{a:<|"|>', 'a "value" < b\n', '<|"|>}<tool_call|>'),
        (OBJECT, "<|tool_call>call:f{a:[", '{b:<|"|>c<|"|>,d:1},', "1]}<tool_call|>"),
        (ELEMENTS, ELEMENT + "]<]minimax[>[<a>", 'a "value" ]<] b\n', "]<]minimax[>[</a>]<]minimax[>[</invoke>"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_long_well_formed_text(tongue: Tongue, before: str, unit: str, after: str, read: Reading) -> None:
    stays_linear(read, tongue.lect, repeated(unit, before, after), 16_384)
