"""Agents over models on a server, to the end and when the server fails."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

import polylect

from .replay import Answer, Hang, Replay, refusal, sse, stream

PATIENCE = 20.0
"""Seconds that a test waits for what is to happen at once."""


def search(query: str) -> str:
    """Look something up."""
    return f"{query}: yes"


def chunks(*deltas: dict[str, Any], reason: str) -> Answer:
    found = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    last = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
    return stream(sse(*found, last, "[DONE]"))


CALL = {
    "index": 0, "id": "call_1", "type": "function",
    "function": {"name": "search", "arguments": '{"query": "Oslo"}'},
}  # fmt: skip
TURNS = {
    "tool_calls": (
        chunks({"role": "assistant", "content": None, "tool_calls": [CALL]}, reason="tool_calls"),
        chunks({"role": "assistant", "content": "It is "}, {"content": "so."}, reason="stop"),
    ),
    "react": (
        chunks({"content": " look\nAction: sear"}, {"content": "ch\nAction Input: Oslo"}, reason="stop"),
        chunks({"content": " I know.\nFinal Answer: It is "}, {"content": "so."}, reason="stop"),
    ),
}


def run(agent: polylect.Agent, way: str, **inputs: Any) -> polylect.RunResult:
    """A run of an agent, synchronously or in an event loop."""
    if way == "sync":
        return agent.run(**inputs)

    async def result() -> polylect.RunResult:
        return await agent.arun(**inputs)

    return anyio.run(result, backend=way)


@pytest.mark.parametrize("lect", TURNS)
def test_an_agent_runs_over_it(server: Replay, way: str, lect: str) -> None:
    server.answer(*TURNS[lect])
    with polylect.model("openai:tiny", base_url=f"{server.url}/v1", max_retries=0) as model:
        result = run(polylect.Agent(lect, model, [search]), way, input="Is Oslo there?")
    assert (result.output, result.stop_reason) == ("It is so.", "finished")
    assert [step.observation for step in result.steps] == ["Oslo: yes"]
    assert (result.usage.input_tokens, result.usage.output_tokens) == (20, 10)
    second = server.asked[1].body
    if lect == "tool_calls":
        assert second["messages"][-2]["tool_calls"][0]["id"] == second["messages"][-1]["tool_call_id"] == "call_1"


def test_a_run_ends_in_time_though_the_server_is_silent(server: Replay, backend: str) -> None:
    server.answer(stream(Hang()))
    with polylect.model("openai:tiny", base_url=f"{server.url}/v1", max_retries=0) as model:
        result = run(polylect.Agent("react", model, [search], max_execution_time=0.5), backend, input="Hello?")
    assert result.stop_reason == "time"
    assert server.left.wait(PATIENCE)


def test_a_server_that_fails_ends_the_run_with_what_was_done(server: Replay, way: str) -> None:
    server.answer(TURNS["react"][0], refusal(503, {"error": {"message": "Overloaded"}}), TURNS["react"][1])
    with polylect.model("openai:tiny", base_url=f"{server.url}/v1", max_retries=0) as model:
        agent = polylect.Agent("react", model, [search])
        with pytest.raises(polylect.RunError, match="Overloaded") as caught:
            run(agent, way, input="Is Oslo there?")
        assert isinstance(caught.value.__cause__, polylect.ModelError)
        assert caught.value.__cause__.status == 503
        assert [step.observation for step in caught.value.steps] == ["Oslo: yes"]
        assert agent.run(caught.value.state).output == "It is so."
