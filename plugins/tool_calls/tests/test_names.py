"""Complaint 46: names of tools that an API rejects are told as others, and the model's calls of these are resolved."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import AgentAction, AgentStep, Call, Reply

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


# --- the scratchpad ---------------------------------------------------------------------------------------------------


def called(messages: list[dict[str, Any]]) -> list[str]:
    return [call["function"]["name"] for message in messages for call in message.get("tool_calls", ())]


def test_the_scratchpad_calls_tools_as_the_api_knows_them() -> None:
    steps = [AgentStep(AgentAction("Python REPL", {"a": "1"}, id="c"), "1")]
    assert called(LECT.format_steps(steps)) == ["Python REPL"]
    assert called(LECT.format_steps(steps, tools=named("Python REPL"))) == ["Python_REPL"]
    assert called(LECT.format_steps(steps, tools=named("Python REPL", "Python_REPL"))) == ["Python_REPL_2"]


@pytest.mark.parametrize("spelt", ["Python_REPL", "Python REPL"])
def test_a_message_of_the_model_is_written_again_under_names_that_the_api_takes(spelt: str) -> None:
    tools = named("Python REPL")
    message = LECT.format(Reply(calls=(Call("Python REPL", {"a": "1"}, id="c"),)))
    message["tool_calls"][0]["function"]["name"] = spelt
    decision = LECT.decide(LECT.parse(message, tools=tools))
    assert isinstance(decision, list)
    assert decision[0].tool == "Python REPL"
    steps = [AgentStep(action, "1") for action in decision]
    first, second = LECT.format_steps(steps, tools=tools)
    assert called([first]) == ["Python_REPL"]
    assert (second["role"], second["tool_call_id"]) == ("tool", "c")
    assert decision[0].message is not None
    assert called([decision[0].message]) == [spelt]  # the step itself is as it was


def test_a_function_call_of_old_is_renamed_with_its_result() -> None:
    message = {"role": "assistant", "content": None, "function_call": {"name": "Python REPL", "arguments": "{}"}}
    decision = LECT.decide(LECT.parse(message, tools=named("Python REPL")))
    assert isinstance(decision, list)
    written = LECT.format_steps([AgentStep(decision[0], "1")], tools=named("Python REPL"))
    assert [x.get("function_call", x)["name"] for x in written] == ["Python_REPL", "Python_REPL"]


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(NAMES, st.text(max_size=80), st.booleans())
def test_no_name_in_a_scratchpad_is_rejected(names: list[str], invented: str, fresh: bool) -> None:
    tools = named(*(name.strip() for name in dict.fromkeys(map(str.strip, names)) if name))
    name = invented.strip() or "x"
    call = {"id": "c", "type": "function", "function": {"name": invented, "arguments": "{}"}}
    message = None if fresh else {"role": "assistant", "content": None, "tool_calls": [call]}
    (found,) = called(LECT.format_steps([AgentStep(AgentAction(name, {}, id="c", message=message), "1")], tools=tools))
    assert ACCEPTED.fullmatch(found)
    if name in [tool["name"] for tool in tools]:
        assert found in [tool["function"]["name"] for tool in LECT.format_tools(tools)]


def test_broken_tools_are_told_by_the_scratchpad_too() -> None:
    for name in ("react", "xml_tags", "tool_calls"):
        with pytest.raises(polylect.ToolError):
            polylect.lect(name).format_steps([], tools=[{"name": ""}])
