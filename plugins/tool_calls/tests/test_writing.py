"""Messages and tools, written; and how a text is known to be such a message."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest

import polylect
from polylect import Call, LectError, Reply, Tool, ToolError

LECT = polylect.lect("tool_calls")


def test_examples_come_back() -> None:
    for given in LECT.examples:
        reply = LECT.parse(given)
        assert reply.diagnostics == ()
        assert LECT.parse(LECT.format(reply)) == reply


def test_a_reply_as_a_message() -> None:
    reply = Reply(
        "hm", "both", (Call("a", {"x": "é"}, id="c1"), Call("b", "oslo"), Call("c", {}, id="call_0"), Call("d", None))
    )
    with pytest.raises(LectError, match="would read back"):
        LECT.format(reply)
    reply = Reply("hm", "both", reply.calls[:3])
    message = LECT.format(reply)
    assert message == {
        "role": "assistant",
        "content": "both",
        "reasoning_content": "hm",
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "a", "arguments": '{"x": "é"}'}},
            {"id": "call_1", "type": "function", "function": {"name": "b", "arguments": '{"__arg1": "oslo"}'}},
            {"id": "call_0", "type": "function", "function": {"name": "c", "arguments": "{}"}},
        ],
    }
    assert LECT.parse(message) == reply
    assert LECT.format(Reply(content="8")) == {"role": "assistant", "content": "8"}
    assert LECT.format(Reply()) == {"role": "assistant", "content": ""}


@pytest.mark.parametrize(
    "reply",
    [
        Reply(answer="8"),
        Reply(content="8", complete=False),
        Reply(calls=(Call("a", None, "{", status="truncated"),)),
        Reply(calls=(Call("a", None, "{bad", status="invalid"),)),
        Reply(calls=(Call("", {}),)),
        Reply(calls=(Call(" a", {}),)),
        Reply(calls=(Call("a", {"__arg1": "x"}),)),
        Reply(calls=(Call("a", {"x": float("nan")}),)),
        Reply(calls=(Call("a", {"x": object()}),)),
        Reply(calls=(Call("a", {"x": (1, 2)}),)),
        Reply(calls=(Call("a", {1: 2}),)),  # type: ignore[dict-item]
    ],
    ids=range(11),
)
def test_what_cannot_be_said_is_refused(reply: Reply) -> None:
    with pytest.raises(LectError):
        LECT.format(reply)


def test_a_name_that_means_another_tool_is_refused() -> None:
    reply = Reply(calls=(Call("Search", {}),))
    assert LECT.format(reply)
    with pytest.raises(LectError, match="would read back"):
        LECT.format(reply, tools=[Tool("search")])


def test_a_message_from_text_and_back() -> None:
    text = 'Thought: look\nAction: search\nAction Input: {"query": "Oslo"}'
    react = polylect.lect("react")
    message = polylect.translate(text, source="react", target="tool_calls")
    assert polylect.translate(message, source="tool_calls", target="react") == react.format(react.parse(text))


def nested(inner: dict[str, list[int]], unit: Literal["c", "f"] = "c", n: int | None = None) -> str:
    """Nested arguments."""
    return f"{inner}{unit}{n}"


def test_tools_in_openai_form() -> None:
    search = {
        "name": "search",
        "description": "Search the web.",
        "parameters": {
            "title": "Search",
            "type": "object",
            "properties": {
                "query": {"title": "Query", "type": "string"},
                "title": {"title": "Title", "type": "string"},
                "near": {"$ref": "#/$defs/Place"},
            },
            "required": ["query"],
            "$defs": {"Place": {"title": "Place", "type": "object", "properties": {"x": {"type": "number"}}}},
        },
    }
    wanted = {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "title": {"type": "string"},
            "near": {"type": "object", "properties": {"x": {"type": "number"}}},
        },
        "required": ["query"],
    }
    anthropic = {"name": "f", "description": "d", "input_schema": {"type": "object", "properties": {}}}
    one, two, three, four = LECT.format_tools([search, anthropic, Tool("now"), nested])
    assert one == {
        "type": "function",
        "function": {"name": "search", "description": "Search the web.", "parameters": wanted},
    }
    empty = {"type": "object", "properties": {}}
    assert two == {"type": "function", "function": {"name": "f", "description": "d", "parameters": empty}}
    assert three == {"type": "function", "function": {"name": "now", "parameters": empty}}
    assert four["function"]["parameters"]["required"] == ["inner"]
    assert four["function"]["parameters"]["properties"]["unit"] == {
        "type": "string",
        "enum": ["c", "f"],
        "default": "c",
    }
    assert LECT.format_tools([]) == []


def test_broken_tools_are_refused() -> None:
    for tools in ([{"type": "object", "properties": {}}], [Tool("a"), Tool("a")], [7]):
        with pytest.raises(ToolError):
            LECT.format_tools(tools)  # type: ignore[arg-type]
    deep: dict[str, Any] = {}
    for _ in range(5_000):
        deep = {"properties": {"a": deep}}
    with pytest.raises(ToolError, match="nested too deeply"):
        LECT.format_tools([Tool("a", parameters={"type": "object", **deep})])


def test_a_recursive_schema_ends() -> None:
    tree = {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}}
    (tool,) = LECT.format_tools([Tool("grow", parameters=tree)])
    assert len(json.dumps(tool)) < 10_000


def test_detection() -> None:
    for given in LECT.examples:
        assert LECT.detect(json.dumps(given)) == 0.95
    assert LECT.detect(json.dumps({"choices": [{"message": LECT.examples[0]}]})) == 0.95
    assert LECT.detect('\n{"content": "x", "tool_calls": [{"id": "c1"}]}') == 0.95
    for text in (
        *("", "plain", "{", '{"action": "search", "action_input": "x"}', '{"role": "user", "content": "assistant"}'),
        *('["tool_calls"]', '{"tool_calls": ', '"assistant"', '{"tool_calls": []}', '{"assistant": 1}', "\ud800{"),
    ):
        assert LECT.detect(text) == 0.0


def test_a_text_is_a_message_as_it_is() -> None:
    text = '{"role": "assistant"}<tool_call>\\'
    assert polylect.lect("openai").escape(text) == text
    assert polylect.lect("chat_completions").unescape(text) == text


def test_listing_the_family_loads_nothing_of_it() -> None:
    import subprocess
    import sys

    code = "import sys, polylect; polylect.lects(); print([x for x in sys.modules if 'tool_calls._' in x])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_readme_runs() -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", readme, re.S)
    names: dict[str, Any] = {}
    exec("\n".join(blocks), names)
    assert len(blocks) == 2
    assert [x["role"] for x in names["history"]] == ["assistant", "tool"]
