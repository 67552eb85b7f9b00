"""Every bundled lect is held to every law, one test each."""

from __future__ import annotations

import os

import pytest

import polylect
from polylect.testing import LAWS, Law

EXAMPLES = int(os.environ.get("POLYLECT_EXAMPLES") or 1000)
LECTS = ("react", "react_bracket", "json_blob", "xml_tags", "tool_calls")


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"law_{law.number}")
@pytest.mark.parametrize("name", LECTS)
def test_a_law_holds(name: str, law: Law) -> None:
    law.check(name, examples=EXAMPLES)


def test_every_bundled_lect_is_held_to_the_laws() -> None:
    bundled = {info.name for info in polylect.lects() if info.distribution.startswith("polylect-")}
    assert bundled == set(LECTS)


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
