"""What was said is in spans only when somebody wants it there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import ModelResult
from polylect_otel import _attributes, _tracing

from .traces import (
    ANSWER,
    CALL,
    SECRET,
    Spans,
    build,
    dump,
    said,
    search,
)


def test_content_is_off(spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(_tracing.VARIABLE, raising=False)
    build(spans, f"{CALL}\n", f"Final Answer: {SECRET}").run(SECRET)
    assert SECRET not in dump(spans)
    monkeypatch.setenv(_tracing.VARIABLE, "true")
    build(spans, CALL, ANSWER, content=False).run(SECRET)
    assert SECRET not in dump(spans)


@pytest.mark.parametrize("value", ["true", "True", "1", "SPAN_ONLY", "span_and_event"])
def test_content_is_on_by_the_environment(value: str, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_tracing.VARIABLE, value)
    build(spans, CALL, ANSWER).run("Where?")
    assert SECRET in dump(spans)


@pytest.mark.parametrize("value", ["", "false", "0", "NO_CONTENT", "EVENT_ONLY", "maybe"])
def test_content_is_off_by_the_environment(value: str, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(_tracing.VARIABLE, value)
    build(spans, CALL, ANSWER).run("Where?")
    assert SECRET not in dump(spans)


def test_content_of_texts(spans: Spans) -> None:
    build(spans, CALL, ANSWER, content=True).run("Where?")
    whole, asked, used, _ = spans.all
    assert json.loads(said(whole)["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Where?"}]}
    ]
    assert json.loads(said(whole)["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": "42"}], "finish_reason": "stop"}
    ]
    (prompt,) = json.loads(said(asked)["gen_ai.input.messages"])
    assert prompt["role"] == "user"
    assert "Question: Where?" in prompt["parts"][0]["content"]
    assert json.loads(said(asked)["gen_ai.output.messages"]) == [
        {"role": "assistant", "parts": [{"type": "text", "content": CALL}], "finish_reason": "stop"}
    ]
    assert said(used)["gen_ai.tool.call.arguments"] == "Oslo"
    assert said(used)["gen_ai.tool.call.result"] == "found Oslo"


def test_content_of_messages(spans: Spans) -> None:
    function = {"name": "search", "arguments": '{"query": "Oslo"}'}
    turn = {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
    }
    build(spans, turn, {"role": "assistant", "content": "42"}, lect="tool_calls", content=True).run("Where?")
    first, second = map(said, spans.named("chat scripted"))
    (made,) = json.loads(first["gen_ai.output.messages"])
    assert made["parts"] == [
        {"type": "reasoning", "content": "Hm."},
        {"type": "text", "content": "I look."},
        {"type": "tool_call", "id": "call_1", "name": "search", "arguments": {"query": "Oslo"}},
    ]
    messages = json.loads(second["gen_ai.input.messages"])
    assert [x["role"] for x in messages] == ["system", "user", "assistant", "tool"]
    assert messages[3]["parts"] == [{"type": "tool_call_response", "id": "call_1", "response": "found Oslo"}]
    assert json.loads(first["gen_ai.tool.definitions"])[0]["function"]["name"] == "search"
    assert json.loads(said(spans.one("execute_tool search"))["gen_ai.tool.call.arguments"]) == {"query": "Oslo"}


class Hostile:
    """Nothing can be said of it."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


@pytest.mark.parametrize("value", ["\ud800", b"\xff", Hostile(), {"x": Hostile()}, {1: 2}, None, 2**80, "x" * 300_000])
def test_any_result_can_be_told(value: Any, spans: Spans) -> None:
    tool = polylect.Tool("search", "", polylect.as_tool(search).parameters, lambda query: value)
    build(spans, f"{CALL} \ud800", ANSWER, tools=[tool], content=True).run("\udfff")
    found = said(spans.one("execute_tool search"))["gen_ai.tool.call.result"]
    assert isinstance(found, str)
    assert len(found) <= 100_000
    dump(spans).encode()


def test_odd_messages_can_be_told() -> None:
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {}}, "b", 7],
    }
    assert [part["type"] for part in _attributes.message(message)["parts"]] == ["text", "image_url", "text", "text"]
    odd: list[dict[str, Any]] = [{}, {"tool_calls": 7}, {"tool_calls": [7, {}]}, {"function_call": {"name": "f"}}]
    assert [len(_attributes.message(x)["parts"]) for x in odd] == [0, 0, 0, 1]
    outputs: list[Any] = [None, "x", {}, {"choices": []}, {"choices": [7]}, {"choices": [{"text": "x"}]}, [7], 7]
    for output in outputs:
        json.loads(_attributes.answered(ModelResult(output))["gen_ai.output.messages"])


def test_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", readme, re.M | re.S):
        exec(block, {})
        assert capsys.readouterr().out == "".join(f"{line[3:]}\n" for line in re.findall(r"^#>.*$", block, re.M))
