"""The reader of whole messages and that of streams agree on golden messages that are damaged a little, in every field.

The laws draw messages that mean something; these mean it no more, which is where two readers part.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import polylect
from polylect.testing import read_cases

from ..damage import damaged

GOLDEN = Path(__file__).parents[1] / "golden"
MUTANTS = 150
PROPERTIES = {"city": {"type": "string"}, "query": {}, "days": {"type": "integer"}, "x": {"type": ["string", "null"]}}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": PROPERTIES}}}
    for name in ("search", "get_weather", "a")
]
PIECES = (*"<>\n'\"\\{}[],: -", "null", "true", "12", "1e9", "NaN", "0x", "é", "x" * 600, '{"a": 1}', "\\n", "\\u00e9")
NAMES = sorted(path.stem for path in GOLDEN.glob("*.txt") if not polylect.lect(path.stem).messages)


@pytest.mark.parametrize("name", NAMES)
def test_damaged_messages_read_alike_whole_and_in_pieces(name: str) -> None:
    lect = polylect.lect(name)
    rng = random.Random(name)
    texts = [case.fields[0] for case in read_cases(GOLDEN / f"{name}.txt")]
    tools = polylect.toolbox(TOOLS)
    for number in range(MUTANTS):
        text = damaged(rng.choice(texts), texts, PIECES, PIECES, rng)
        offered = tools if number % 2 else None
        parser = lect.parser(tools=offered)
        at = 0
        while at < len(text):
            size = rng.choice((len(text), 1, 7, 40))
            parser.feed(text[at : at + size])
            at += size
        parser.close()
        assert parser.reply.to_json() == lect.parse(text, tools=offered).to_json(), text
