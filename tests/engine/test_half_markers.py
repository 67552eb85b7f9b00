"""Where the model was cut within a marker, the half of it is no text; in a whole message it is what it says."""

from __future__ import annotations

from itertools import chain

import pytest

from .streams import cut, feed, hold
from .tongues import BLOCK, REACT, TAGS, TONGUES, Tongue

ENDS = (
    (BLOCK, "I look.\n", "<tool_c"),
    (BLOCK, "I look.", "\n<"),
    (BLOCK, "", "<tool_call"),
    (TAGS, "One.", "<tool"),
    (REACT, "Thought: I look.", "\nAction"),
)


@pytest.mark.parametrize(("tongue", "text", "half"), ENDS)
def test_half_a_marker_is_dropped_where_the_model_was_cut(tongue: Tongue, text: str, half: str) -> None:
    message = text + half
    whole = tongue.lect.parse(message, finish_reason="length")
    said = tongue.lect.parse(text.rstrip("\n"), finish_reason="length")
    assert (whole.content.rstrip(), whole.reasoning.rstrip()) == (said.content, said.reasoning)
    assert [note.code for note in whole.diagnostics] == ["truncated"]
    assert whole.diagnostics[0].end == len(message)
    for sizes in ((1,), (2,), (3, 1), (7,), (len(message),)):
        events, reply = feed(tongue.lect, cut(message, *sizes), finish_reason="length")
        hold(events, message, reply)
        assert reply.to_json() == whole.to_json()


@pytest.mark.parametrize(("tongue", "text", "half"), ENDS)
def test_it_is_text_where_the_message_is_whole(tongue: Tongue, text: str, half: str) -> None:
    reply = tongue.lect.parse(text + half)
    assert (reply.content or reply.reasoning).endswith(half.lstrip())


@pytest.mark.parametrize("tongue", TONGUES, ids=str)
def test_every_example_cut_anywhere_reads_alike(tongue: Tongue) -> None:
    lect = tongue.lect
    for message in tongue.examples:
        for end in range(min(len(message), 200)):
            text = message[:end]
            whole = lect.parse(text, finish_reason="length")
            for chunks in ([text], cut(text, 1), cut(text, 5, 2)):
                events, reply = feed(lect, chain(chunks), finish_reason="length")
                hold(events, text, reply)
                assert reply.to_json() == whole.to_json()
