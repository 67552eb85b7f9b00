"""Whatever reply the formatter writes, a constraint allows: markers, their beginnings and blanks in every text."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import polylect
from polylect import Call, Reply
from polylect.constraint._match import Matcher

from .test_text_ends import TONGUES, formatted, made

REPLIES = 120
SLOTS: tuple[Callable[[str], Reply], ...] = (
    lambda text: Reply(content=text),
    lambda text: Reply(content=text, calls=(search("a"),)),
    lambda text: Reply(reasoning=text),
    lambda text: Reply(reasoning=text, content="b"),
    lambda text: Reply(reasoning=text, calls=(search("a"),)),
    lambda text: Reply(reasoning="r", content=text, calls=(search("a"),)),
    lambda text: Reply(reasoning=text, content=text, answer="b"),
    lambda text: Reply(content="b", answer=text),
    lambda text: Reply(reasoning="r", answer=text),
    lambda text: Reply(answer=[text, {text: 1, "b": None}]),
    lambda text: Reply(calls=(search(text),)),
    lambda text: Reply(calls=(search(text), search("b"))),
)
PIECES = (
    *("\n", "\n\n", " ", "\t", "[", "]", "{", "}", "(", "`" * 3, "<", ">", "&", "&amp;", '"', "'", "\\", "|", ":"),
    *("null", "true", "1", "Thought:", "Action:", "Action Input:", "Observation:", "Final Answer:", "Follow up:"),
    *(" to=foo", "<invoke name=", "<function=", "<tool_call>", "functions.", "<![CDATA[", "]]>", "finish[", "x", "é"),
)
KNOWN: dict[str, tuple[Any, ...]] = {
    "apertus": (Reply(content="\n\n", calls=(Call("search", {"query": "<|assistant_end|>"}),)),),
    "chat": (Reply(content="a\n", calls=(Call("now", {}),)), Reply(reasoning="[", answer="\nx"), Reply(answer="")),
    "cohere_command": (
        Reply(content=" \n", calls=(Call("now", {}),)),
        Reply(reasoning="<|START_ACTION|>", content="b"),
    ),
    "gpt_oss_harmony": (Reply(reasoning=" to=foo", content="b"),),
    "hermes": (
        *(Reply(reasoning=text, content="b") for text in ("<tool_call>", '<tool_call>\n{"name": "search"')),
        Reply(content=" ", calls=(Call("now", {}),)),
        Reply(reasoning="r"),
    ),
    "json_blob": (Reply(content="\n", answer={"a": [1.5, None, "\n"]}), Reply(answer=False)),
    "kimi_k2": (Reply(reasoning="<|tool_calls_section_begin|> x", calls=(Call("search", {"query": "<|im_end|>"}),)),),
    "mistral_v11_args": (Reply(reasoning="[TOOL_CALLS]", content="b"),),
    "react": (
        Reply(content="Action Input: x", calls=(Call("now", {}),)),
        Reply(calls=(Call("search", {"query": "</think>"}),)),
        Reply(answer="\n"),
    ),
    "solar_open": (Reply(content="\n\n", calls=(Call("now", {}),)),),
    "xlam": (Reply(content="[qwq", calls=(Call("now", {}),)),),
}
"""Replies that constraints refused once: each is of a kind of its own."""


def search(query: str) -> Call:
    return Call("search", {"query": query})


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_what_was_refused_is_allowed(name: str) -> None:
    constraint, lect = made(name), polylect.lect(name)
    assert constraint is not None
    for reply in KNOWN[name]:
        turn = formatted(lect, reply)
        assert turn is not None, reply
        assert constraint.matches(turn), turn


@pytest.mark.parametrize("name", TONGUES)
def test_what_is_written_is_allowed(name: str) -> None:
    constraint, lect = made(name), polylect.lect(name)
    if constraint is None or constraint.report.exactness != "exact":
        return
    rng, matcher = random.Random(name), Matcher(constraint._tree)
    turns = [turn for slot in SLOTS if (turn := formatted(lect, slot("qwq"))) is not None]
    marks = [*getattr(lect, "special", ()), *lect.stops, "<think>", "</think>", *(turn[:60] for turn in turns)]
    for _ in range(REPLIES):
        parts = []
        for _ in range(rng.randint(1, 3)):
            mark = rng.choice(marks)
            parts.append(rng.choice((mark, mark[: rng.randint(1, len(mark))], rng.choice(PIECES), rng.choice(PIECES))))
        turn = formatted(lect, rng.choice(SLOTS)(rng.choice(("", "", "\n", " ")).join(parts)))
        assert turn is None or matcher.matches(turn), turn
