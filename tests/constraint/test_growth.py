"""Twice as many tools take about twice the work, whatever they have in common: in calls, not in seconds."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import polylect

LECTS = (
    *("react", "json_blob", "xml_tags", "hermes", "qwen3_coder_xml"),
    *("llama3_json", "mistral_v11_args", "kimi_k2", "glm47", "pythonic"),
)
RATIO = 2.6
"""Of 40 tools to 20; to compare each with each would make it 4."""
TEXT = {"type": "string"}
KINDS: dict[str, tuple[dict[str, Any], int]] = {
    "one argument is needed": ({"query": TEXT, "limit": {"type": "integer", "minimum": 1, "maximum": 50}}, 1),
    "none of six arguments is needed": (
        {
            "near": TEXT,
            "count": {"type": "integer"},
            "exact": {"type": "boolean"},
            "least": {"type": "number"},
            "mode": {"enum": ["fast", "slow"]},
            "unit": {"type": "string", "enum": ["km", "mi"]},
        },
        0,
    ),
    "there are no arguments": ({}, 0),
    "an argument may be anything": ({"payload": {"type": "object"}}, 1),
}
_numbers = itertools.count(1)


def tools(kind: str, count: int) -> list[dict[str, Any]]:
    """Tools that were not seen before, so that nothing is remembered of them."""
    arguments, needed = KINDS[kind]
    made = []
    for number in itertools.islice(_numbers, count):
        named = {f"{name}_{number}": schema for name, schema in arguments.items()}
        schema = {"type": "object", "properties": named, "required": list(named)[:needed]}
        made.append({"name": f"tool_{number:06}", "description": "A tool.", "parameters": schema})
    return made


def calls(work: Callable[[], object]) -> int:
    """How many Python functions are called meanwhile."""
    found = 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal found
        found += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LECTS)
def test_the_work_grows_with_the_tools(name: str, kind: str) -> None:
    lect = polylect.lect(name)
    lect.constraint(tools(kind, 2), target="llguidance")
    few, many = tools(kind, 20), tools(kind, 40)
    small = calls(lambda: lect.constraint(few, target="llguidance"))
    large = calls(lambda: lect.constraint(many, target="llguidance"))
    assert large < RATIO * small, (small, large)
