"""Which spans there are, what they say, and who makes them."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

import polylect
from polylect import Agent, ModelResult, RunError, Scripted, Usage
from polylect_otel import Tracing, _tracing

from .traces import (
    ANSWER,
    CALL,
    DRIVERS,
    Spans,
    build,
    calls,
    fault,
    run,
    said,
    search,
)

# --- which spans there are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_run_is_a_span_with_those_of_its_calls(driver: str, spans: Spans) -> None:
    run(driver, build(spans, CALL, ANSWER))
    assert spans.names() == ["invoke_agent", "chat scripted", "execute_tool search", "chat scripted"]
    whole, asked, used, _ = spans.all
    assert [span.kind for span in spans.all[:3]] == [SpanKind.INTERNAL, SpanKind.CLIENT, SpanKind.INTERNAL]
    assert {spans.parent(span) for span in spans.all[1:]} == {whole}
    assert whole.parent is None
    assert all(span.status.status_code is StatusCode.UNSET for span in spans.all)
    assert said(whole) == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "polylect",
        "gen_ai.request.model": "scripted",
        "polylect.lect": "react",
        "polylect.stop_reason": "finished",
        "polylect.iterations": 2,
    }
    assert said(asked) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "polylect",
        "gen_ai.request.model": "scripted",
        "gen_ai.request.stop_sequences": ("\nObservation",),
        "polylect.turn": 1,
    }
    assert said(used) == {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "search",
        "gen_ai.tool.type": "function",
        "gen_ai.tool.description": "Look it up.",
        "polylect.turn": 1,
        "polylect.tool.status": "ok",
    }
    assert whole.instrumentation_scope is not None
    assert (whole.instrumentation_scope.name, whole.instrumentation_scope.version) == ("polylect", polylect.__version__)
    times = [(span.start_time or 0, span.end_time or 0) for span in spans.all]
    assert all(times[0][0] <= begin <= end <= times[0][1] for begin, end in times)


def test_an_agent_has_a_name(spans: Spans) -> None:
    build(spans, ANSWER, name="Tutor").run("q")
    assert said(spans.one("invoke_agent Tutor"))["gen_ai.agent.name"] == "Tutor"


@pytest.mark.parametrize(
    ("name", "api", "operation", "provider", "model"),
    [
        ("openai:gpt-5", "chat", "chat gpt-5", "openai", "gpt-5"),
        ("openai:davinci", "completions", "text_completion davinci", "openai", "davinci"),
        ("anthropic:claude", None, "chat claude", "anthropic", "claude"),
        ("mine", None, "chat mine", "polylect", "mine"),
        (None, None, "chat", "polylect", None),
    ],
)
def test_the_model_is_named(name: str, api: str, operation: str, provider: str, model: str, spans: Spans) -> None:
    class Model:
        def __call__(self, prompt: str) -> dict[str, Any]:
            usage = {"prompt_tokens": 30, "completion_tokens": 4}
            return {"choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}], "usage": usage}

    asked = Model()
    asked.name, asked.api = name, api  # type: ignore[attr-defined]
    Agent("react", asked, hooks=[Tracing(tracer_provider=spans.provider)]).run("q")
    found = said(spans.one(operation))
    assert (found["gen_ai.provider.name"], found.get("gen_ai.request.model")) == (provider, model)
    assert found["gen_ai.operation.name"] == operation.split()[0]
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    tokens = {"gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 4}
    assert tokens.items() <= found.items()
    assert tokens.items() <= said(spans.one("invoke_agent")).items()


def test_calls_have_their_ids(spans: Spans) -> None:
    function = {"name": "search", "arguments": '{"query": "Oslo"}'}
    turn = {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    build(spans, turn, {"role": "assistant", "content": "42"}, lect="tool_calls").run("q")
    assert said(spans.one("execute_tool search"))["gen_ai.tool.call.id"] == "call_1"


# --- who traces -------------------------------------------------------------------------------------------------------


def test_of_two_the_last_one_traces(spans: Spans) -> None:
    other = Spans()
    first, last = Tracing(tracer_provider=spans.provider), Tracing(tracer_provider=other.provider, content=True)
    agent = Agent("react", Scripted([CALL, ANSWER]), [search], hooks=[first, last])
    agent.run("q")
    assert not spans.all
    assert len(other.all) == 4
    other.provider.shutdown()


def test_one_may_say_that_nobody_traces(spans: Spans) -> None:
    nobody = Tracing(tracer_provider=trace.NoOpTracerProvider())
    build(spans, CALL, ANSWER, hooks=[nobody]).run("q")
    assert not spans.all


def test_a_run_that_is_taken_up_again_is_a_run_of_its_own(spans: Spans) -> None:
    agent = build(spans, CALL, ConnectionError(), ANSWER)
    with pytest.raises(RunError) as failed:
        agent.run("q")
    assert agent.run(failed.value.state).output == "42"
    assert len(spans.named("invoke_agent")) == 2


def test_a_retry_is_within_the_span(spans: Spans) -> None:
    class Retries:
        def polylect_wrap_model_call(self, call: Any) -> Any:
            try:
                return (yield call)
            except ConnectionError:
                return (yield call)

    build(spans, ConnectionError(), ANSWER, hooks=[Retries()]).run("q")
    assert fault(spans.one("chat scripted")) == (None, StatusCode.UNSET, [])


def test_a_result_of_a_cache_is_told(spans: Spans) -> None:
    class Cache:
        def polylect_wrap_model_call(self, call: Any) -> Any:
            yield from ()
            return ModelResult(ANSWER, Usage(3, 4))

    build(spans, hooks=[Cache()]).run("q")
    assert said(spans.one("chat scripted"))["gen_ai.usage.output_tokens"] == 4


def test_without_a_provider_nothing_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(_tracing, "Run", made.append)
    agent = Agent("react", Scripted([CALL, ANSWER]), [search], hooks=[Tracing()])
    assert agent.run("q").output == "42"
    assert not made


def test_many_threads(spans: Spans) -> None:
    agents = [build(spans, calls("a", "b", "c"), ANSWER, name=f"agent{n}") for n in range(8)]
    threads = [threading.Thread(target=agent.run, args=("q",)) for agent in agents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(spans.all) == 8 * 6
    for number in range(8):
        whole = spans.one(f"invoke_agent agent{number}")
        assert sum(spans.parent(span) == whole for span in spans.all) == 5


INSTALLED = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
import polylect
from polylect_otel import Tracing

def search(query: str) -> str:
    return "found"

def run(*hooks):
    replies = ["Action: search\\nAction Input: Oslo", "Final Answer: 42"]
    return polylect.Agent("react", polylect.Scripted(replies), [search], hooks=hooks).run("q")

run()
exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
run()
names = [span.name for span in exporter.get_finished_spans()]
assert names == ["chat scripted", "execute_tool search", "chat scripted", "invoke_agent"], names
exporter.clear()
run(Tracing(content=True, name="mine"))
spans = exporter.get_finished_spans()
assert [span.name for span in spans][-1] == "invoke_agent mine", spans
assert len(spans) == 4
assert "gen_ai.tool.call.arguments" in spans[1].attributes
"""


def test_installed_it_traces_all_agents() -> None:
    done = subprocess.run([sys.executable, "-c", INSTALLED], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
