"""Complaint 46: names of tools that an API rejects are told as others, and the model's calls of these are resolved."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import Call, Reply

LECT = polylect.lect("tool_calls")
SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
ACCEPTED = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def named(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "parameters": SCHEMA} for name in names]


def told(*names: str) -> list[str]:
    return [tool["function"]["name"] for tool in LECT.format_tools(named(*names))]


@pytest.mark.parametrize(
    ("names", "others"),
    [
        (("Python REPL",), ["Python_REPL"]),
        (("search", "web.search", "get-weather"), ["search", "web_search", "get-weather"]),
        (("Python REPL", "Python_REPL"), ["Python_REPL_2", "Python_REPL"]),
        (("été", "âtâ"), ["_t_", "_t__2"]),
        (("天気",), ["___2"]),
        (("x" * 80,), ["x" * 64]),
    ],
)
def test_names_that_an_api_takes(names: tuple[str, ...], others: list[str]) -> None:
    assert told(*names) == others


NAMES = st.lists(st.text("ab_- .éA天", min_size=1, max_size=5).filter(str.strip), min_size=1, max_size=6, unique=True)


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(NAMES)
def test_every_name_finds_its_way_back(names: list[str]) -> None:
    names = [name.strip() for name in names if name == name.strip()] or ["a b"]
    tools, others = named(*names), told(*names)
    assert len(set(others)) == len(names)
    for name, other in zip(names, others, strict=True):
        assert ACCEPTED.fullmatch(other)
        reply = Reply(calls=(Call(name, {"a": "x"}, id="c"),))
        message = LECT.format(reply, tools=tools)
        assert message["tool_calls"][0]["function"]["name"] == other
        assert LECT.parse(message, tools=tools) == reply
