"""Twice the ornament takes at most twice the time: what stands around names and inputs, in every place for it."""

from __future__ import annotations

import pytest

import polylect
from polylect.testing import TOOLS
from polylect.testing._law_8_linear import Hostile, _growth

NAMES = {
    "react": ("Action: ", "\nAction Input: y"),
    "react_bracket": ("Action: ", "[y]"),
    "conversational": ("Action: ", "\nAction Input: y"),
    "xml_tags": ("<tool>", "</tool><tool_input>y</tool_input>"),
    "json_blob": ('{"action": "', '", "action_input": {}}'),
}
INPUTS = {
    "react": ("Action: search\nAction Input: ", ""),
    "react_bracket": ("Action: search[", "]"),
    "self_ask": ("Follow up: ", ""),
}
AROUND = ("`", "*", "[", "<", "'", " ", "\t", ".", ";", ".;", "use ", "the ", " tool", "(", "[ ", "` ")


@pytest.mark.parametrize("offered", [False, True], ids=["no tools", "tools"])
@pytest.mark.parametrize("name", NAMES)
def test_ornaments_around_a_name(name: str, offered: bool) -> None:
    lect, (head, tail) = polylect.lect(name), NAMES[name]
    for unit in AROUND:
        for begins, ends in (("", "x"), ("x", "y"), ("use", "|"), ("[", "x]"), ("", "")):
            case = Hostile("whole", unit, head + begins, ends + tail, 0, offered)
            assert not _growth(lect, case, TOOLS if offered else None)


@pytest.mark.parametrize("offered", [False, True], ids=["no tools", "tools"])
@pytest.mark.parametrize("name", INPUTS)
def test_ornaments_around_an_input(name: str, offered: bool) -> None:
    lect, (head, tail) = polylect.lect(name), INPUTS[name]
    for unit in (*AROUND, "\n", "```\n"):
        for begins, ends in (("```", "x"), ("```json", "```"), ("```", "x```"), ("{", "}"), ('"', '"'), ("'", "x")):
            case = Hostile("whole", unit, head + begins, ends + tail, 0, offered)
            assert not _growth(lect, case, TOOLS if offered else None)
