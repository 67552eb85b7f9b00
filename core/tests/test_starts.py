"""Where a delimiter may begin: no place that one begins at is passed over, whatever stands before and behind it."""

from __future__ import annotations

import itertools
import re

import pytest

import polylect
from polylect.grammar import _alternatives as alternatives
from polylect.grammar import _patterns as patterns

PATTERNS = (
    (r"[ \t\r]{0,8}[,\n][ \t\r\n]{0,8}(?=\w)", r"[ \t\r\n]{0,8}<"),
    (r"\n?<b>", r"[ \t\r\n]{0,8}<\/a>"),
    (r"[\n,]b", r"[ \n]{0,2}<"),
    (r"\r?\n<", r"[ \r]{1,3}\n?a"),
)
TEXTS = ["".join(chars) for size in (1, 2, 3, 4, 5) for chars in itertools.product(" \r\n,<a", repeat=size)]


@pytest.mark.parametrize("sources", PATTERNS)
def test_no_place_is_passed_over(sources: tuple[str, ...]) -> None:
    wanted = [(patterns.parse(source), number) for number, source in enumerate(sources)]
    live = re.compile(alternatives.live(wanted)[0]).match
    source = alternatives.starts([tree for tree, _ in wanted])
    assert source is not None
    begins = re.compile(source).match
    for text in TEXTS:
        for at in range(len(text)):
            assert live(text, at) is None or begins(text, at), (text, at)


def test_a_line_break_before_a_line_break_ends_white_space() -> None:
    text = "<function_calls>e)\r\nGoo(a=1)</function_calls>"
    lect = polylect.lect("olmo3")

    def read(*cuts: str) -> str:
        parser = lect.parser()
        for cut in cuts:
            parser.feed(cut)
        parser.close()
        return str(parser.reply.to_json())

    first = read(text[:19], text[19:])
    assert read(*text) == first
    assert read(text[:19], text[19:]) == first == lect.parse(text).to_json()
