"""The printed function for whole messages says nothing, or what the stream says."""

from __future__ import annotations

import functools
import random

import pytest

import polylect
from polylect import LectError, TextLect
from polylect._reading import CallReader
from polylect._tools import toolbox
from polylect.grammar._whole import Parse

from .mutants import mutants
from .tongues import BLOB, BLOCK, BRACKET, LONGCAT, REACT, SCRIPTS, TAGS, TONGUES, Tongue

MUTANTS = 250
NAMES = ("react", "react_bracket", "conversational", "self_ask", "json_blob", "react_json", "json_chat", "xml_tags")
TOOLS = toolbox(
    [
        {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
        {"name": "now", "parameters": {"type": "object", "properties": {}}},
    ]
)


def lects() -> list[TextLect]:
    """The bundled lects of text, with all their own ways, and the plain ones over the other grammars."""
    named = [polylect.lect(name) for name in NAMES]
    return [lect for lect in named if isinstance(lect, TextLect)]


@functools.cache
def printed(lect: TextLect) -> Parse:
    """The function for this lect's lead."""
    return lect.grammar.whole.compiled(len(lect.lead))


def agrees(lect: TextLect, sink: CallReader, text: str, prefix: str = "") -> bool:
    """Whether the printed functions read ``text``; what they say must be the stream interpreter's reply."""
    lead = lect.lead + prefix
    replies = [lect.grammar.whole.parse(lead + text, len(lead), text, sink)]
    if not prefix:
        replies.append(printed(lect)(lead + text, len(lead), text, sink))
    streamed = lect.grammar.read(text, sink, lead).to_json()
    read = [reply.to_json() for reply in replies if reply is not None]
    assert read in ([], [streamed] * len(replies))
    return bool(read)


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_plain_tongues(tongue: Tongue) -> None:
    sink = CallReader(tongue.lect, None, tongue.lect.policies)
    prefixes = (text[:size] for text in tongue.examples for size in range(0, len(text), 3))
    for text in (*tongue.examples, *prefixes, *mutants(tongue.examples, MUTANTS, seed=2)):
        agrees(tongue.lect, sink, text)


@pytest.mark.parametrize("lect", lects(), ids=lambda lect: lect.name)
def test_the_bundled_lects_with_and_without_tools(lect: TextLect) -> None:
    plain = CallReader(lect, None, lect.policies)
    tools = CallReader(lect, TOOLS, lect.policies.replace(unknown_tool="reject", max_call_size=60))
    for text in (*lect.examples, *mutants(lect.examples, MUTANTS, seed=3)):
        agrees(lect, plain, text)
        agrees(lect, tools, text)


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_behind_every_prefix(tongue: Tongue) -> None:
    sink = CallReader(tongue.lect, None, tongue.lect.policies)
    for text in tongue.examples:
        for size in range(len(text)):
            try:
                tongue.lect.parser(prefix=text[:size])
            except LectError:
                continue  # a stream starts before its first call
            agrees(tongue.lect, sink, text[size:], text[:size])


@pytest.mark.parametrize("tongue", [REACT, BRACKET, BLOB, TAGS, BLOCK, LONGCAT, SCRIPTS], ids=str)
def test_well_formed_messages_need_one_pass(tongue: Tongue) -> None:
    lect = tongue.lect
    sink = CallReader(lect, None, lect.policies)
    assert agrees(lect, sink, tongue.examples[0])


@pytest.mark.parametrize("lect", lects(), ids=lambda lect: lect.name)
def test_the_bundled_examples_need_one_pass(lect: TextLect) -> None:
    sink = CallReader(lect, None, lect.policies)
    assert all(agrees(lect, sink, text) for text in lect.examples)


def test_irregular_messages_are_left_to_the_stream() -> None:
    sink = CallReader(REACT.lect, None, REACT.lect.policies)
    for text in ("Action: a\nAction Input: b\nObservation: c", "Final Answer: a\nFinal Answer: b", "Action Input: x"):
        assert not agrees(REACT.lect, sink, text)
    sink = CallReader(BLOCK.lect, None, BLOCK.lect.policies)
    opened = '<tool_call>{"name": "a", "arguments": {"k": 1}}'
    assert not agrees(BLOCK.lect, sink, opened)
    assert not agrees(BLOCK.lect, sink, opened.replace("1", "NaN") + "</tool_call>")
    assert not agrees(BLOCK.lect, sink, '<tool_call>{"arguments": {}, "name": "a"}</tool_call>')


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_the_source_holds_nothing_of_the_grammars_text(tongue: Tongue) -> None:
    source, names = tongue.grammar.whole.printed(len(tongue.lead))
    compile(source, tongue.name, "exec")
    tables = tongue.grammar.tables
    patterns = [*tables.markers.values(), *(x for text in tables.texts.values() for x in text.delimiters)]
    assert not [pattern for pattern in patterns if len(pattern) > 3 and pattern in source]
    assert {"Reply", "Call"} <= names.keys()


def test_random_soup() -> None:
    choose = random.Random(4)
    for tongue in TONGUES:
        sink = CallReader(tongue.lect, None, tongue.lect.policies)
        pieces = [piece for text in tongue.examples for piece in (text[:9], text[9:30], text[-12:], "\n", " ")]
        for _ in range(60):
            agrees(tongue.lect, sink, "".join(choose.choices(pieces, k=choose.randint(1, 7))))
