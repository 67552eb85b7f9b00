"""Whether a reply begins anew, although the prompt had begun it: the quick look says what reading all of it says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import ParseError, TextLect
from polylect._stages import Probe, begins_anew

from .pipelines import TEXT_LECTS

PIECES = [
    "Thought:", "Action:", "Action Input:", "Final Answer:", "Observation:", "Question:", "AI:", "Human:",
    "Follow up:", "So the final answer is:", "<think>", "</think>", "<tool>", "</tool>", "<tool_input>",
    "<final_answer>", "```json\n", '{"action": ', '"x", "action_input": {}}', "search[x]", "**", "# ", "1", " ", "\n",
    "\t", "\r\n", "a", "think of it",
]  # fmt: skip


@pytest.mark.parametrize("name", TEXT_LECTS)
@settings(deadline=None)
@given(text=st.one_of(st.lists(st.sampled_from(PIECES), max_size=6).map("".join), st.text(max_size=20)))
def test_the_quick_look_says_what_reading_says(name: str, text: str) -> None:
    lect = polylect.lect(name)
    assert isinstance(lect, TextLect)
    try:
        reply = lect.parse(text)
        wanted = bool(text.strip()) and not (reply.parts and reply.parts[0][0] == "content")
    except ParseError:
        wanted = True
    assert begins_anew(lect, text) == wanted


@pytest.mark.parametrize("name", TEXT_LECTS)
@settings(deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=6).map("".join), size=st.integers(1, 9))
def test_a_stream_finds_out_the_same(name: str, text: str, size: int) -> None:
    lect = polylect.lect(name)
    probe = Probe(lect)
    found = None
    for at in range(0, len(text), size):
        found = probe.feed(text[at : at + size])
        if found is not None:
            break
    assert (probe.close() if found is None else found) == begins_anew(lect, text)
