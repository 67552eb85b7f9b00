"""Every bundled lect is held to every law, one test each.

``POLYLECT_EXAMPLES`` is the number of examples for each, 1,000 if it is not set, which is what CI has the time for; so
many are really tried, half of them for lects that are much like another, three tenths for the fifty tongues that models
were trained on, and of law 8, which takes time to measure, at most 300. They are the same in every run, unless
``POLYLECT_SEED`` is another number, or ``random``.
"""

from __future__ import annotations

import os

import pytest

import polylect
from polylect.testing import LAWS, Law

SEED = os.environ.get("POLYLECT_SEED") or "0"
EXAMPLES = int(os.environ.get("POLYLECT_EXAMPLES") or 1000)
NATIVE = tuple(info.name for info in polylect.lects() if info.family == "native")
OTHERS = ("json_blob", "tool_calls", "hermes", "qwen3_coder_xml")
"""Lects of every kind, for replies to be moved to; to try all pairs takes more time than it finds."""
DISTRIBUTIONS = ("polylect-react", "polylect-json-blob", "polylect-xml-tags", "polylect-tool-calls")
LECTS = (
    *("react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"),
    *("json_blob", "json_chat", "chat", "react_json", "xml_tags", "tool_calls", "openai_functions"),
)
ALIKE = frozenset(
    {"docstore", "mrkl", "chat", "openai_functions", "conversational", "self_ask", "json_chat", "react_json"}
)
"""Lects that are read by the grammar and the code of another one of these, or nearly; that is tried in full."""
MESSAGES = ("tool_calls", "openai_functions")
NOTHING_TO_TRY = {
    **{(name, 5): "no stop strings in a text" for name in MESSAGES},
    **{(name, 9): "the server makes the calls" for name in MESSAGES},
}
"""Where a law says nothing of a lect, and why: a tongue of messages has no stop strings, and no text to constrain."""


def others(name: str) -> list[str]:
    """The lects that replies of this one are moved to: its fellows, or some of every kind and a neighbour."""
    if name not in NATIVE:
        return [other for other in {*LECTS, *OTHERS} if other != name]
    neighbour = NATIVE[NATIVE.index(name) - 1]
    return [other for other in {*OTHERS, neighbour} if other != name]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"law_{law.number}")
@pytest.mark.parametrize("name", [pytest.param(x, marks=pytest.mark.xdist_group(x)) for x in (*LECTS, *NATIVE)])
def test_a_law_holds(name: str, law: Law) -> None:
    examples = EXAMPLES * 3 // 10 if name in NATIVE else EXAMPLES // 2 if name in ALIKE else EXAMPLES
    if law.number == 8:  # beyond these it rarely finds an input that it has not measured
        examples = min(examples, 300)
    more = {"others": sorted(others(name))} if law.number == 10 else {}
    outcome = law.check(name, examples=examples, seed=None if SEED == "random" else int(SEED), **more)
    if (name, law.number) in NOTHING_TO_TRY:
        assert outcome == (0, NOTHING_TO_TRY[name, law.number])
    else:
        assert outcome.examples >= examples


def test_every_bundled_lect_is_held_to_the_laws() -> None:
    assert {info.name for info in polylect.lects() if info.distribution in DISTRIBUTIONS} == set(LECTS)


@pytest.mark.parametrize("name", LECTS)
def test_ten_megabytes_of_noise(name: str) -> None:
    lect = polylect.lect(name)
    noise = "a \n\"'{}[]<>:,\\\u00e9\0 Action" * 550_000
    message = {"role": "assistant", "content": noise} if lect.messages else noise
    whole = lect.parse(message)
    parser = lect.parser()
    for chunk in lect.chunks(message, (65_536,)):
        parser.feed(chunk)
    parser.close()
    assert len(noise) > 10_000_000
    assert parser.reply.to_json() == whole.to_json()
