"""Spans stand inside those of the calls that they belong to, in every driver."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest
from opentelemetry import trace

from polylect import Agent, Scripted
from polylect_otel import Tracing

from .traces import (
    ANSWER,
    CALL,
    DRIVERS,
    Spans,
    build,
    calls,
    in_loop,
    run,
    said,
    search,
)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_spans_of_tools_are_nested_in_those_of_their_calls(asynchronous: bool, driver: str, spans: Spans) -> None:
    def look(query: str) -> str:
        with spans.tracer.start_as_current_span(f"look {query}"):
            time.sleep(0.02)
        return query

    async def alook(query: str) -> str:
        with spans.tracer.start_as_current_span(f"look {query}"):
            await anyio.sleep(0.02)
        return query

    alook.__name__ = "look"
    agent = build(
        spans, calls("a", "b", "c", tool="look"), ANSWER, tools=[alook if asynchronous else look], content=True
    )
    run(driver, agent)
    for query in "abc":
        around = spans.parent(spans.one(f"look {query}"))
        assert around is not None
        assert said(around)["gen_ai.tool.call.arguments"] == query
        assert spans.parent(around) == spans.one("invoke_agent")


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_run_is_nested_in_the_span_around_it_and_leaves_it_alone(driver: str, spans: Spans) -> None:
    agent = build(spans, CALL, ANSWER)
    if driver == "stream":
        with spans.tracer.start_as_current_span("outside") as outside:
            for _ in agent.stream("q"):
                assert trace.get_current_span() is outside
    elif driver == "run":
        with spans.tracer.start_as_current_span("outside"):
            agent.run("q")
    else:

        async def main() -> None:
            with spans.tracer.start_as_current_span("outside") as outside:
                async for _ in agent.astream("q"):
                    assert trace.get_current_span() is outside

        in_loop(driver, main)
    assert spans.parent(spans.one("invoke_agent")) == spans.one("outside")
    assert spans.parent(spans.one("execute_tool search")) == spans.one("invoke_agent")


@pytest.mark.parametrize("driver", DRIVERS)
def test_an_agent_that_is_a_tool_is_nested_in_its_call(driver: str, spans: Spans) -> None:
    inner = build(spans, CALL, ANSWER, name="inner")

    def ask(query: str) -> Any:
        return inner.run(query).output

    run(driver, build(spans, calls("q", tool="ask"), ANSWER, tools=[ask], name="outer"))
    assert spans.parent(spans.one("invoke_agent inner")) == spans.one("execute_tool ask")
    assert spans.parent(spans.one("execute_tool search")) == spans.one("invoke_agent inner")
    assert len({span.context.trace_id for span in spans.all if span.context}) == 1


@pytest.mark.parametrize("driver", ["asyncio", "trio"])
def test_runs_at_the_same_time_are_kept_apart(driver: str, spans: Spans) -> None:
    ready: list[int] = []

    async def meet(query: str) -> str:
        ready.append(1)
        while len(ready) < 4:
            await anyio.sleep(0.001)
        with spans.tracer.start_as_current_span(f"inside {query}"):
            await anyio.sleep(0.001)
        return query

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for number in range(4):
                agent = build(spans, calls(str(number), tool="meet"), ANSWER, tools=[meet], name=f"agent{number}")
                group.start_soon(agent.arun, "q")

    in_loop(driver, main)
    for number in range(4):
        call = spans.parent(spans.one(f"inside {number}"))
        assert call is not None
        assert spans.parent(call) == spans.one(f"invoke_agent agent{number}")
    assert len({span.context.trace_id for span in spans.all if span.context}) == 4


@pytest.mark.parametrize("driver", DRIVERS)
def test_spans_of_a_model_are_nested_in_that_of_its_call(driver: str, spans: Spans) -> None:
    class Model:
        def __call__(self, prompt: str) -> Iterator[str]:
            with spans.tracer.start_as_current_span("request"):
                pass
            return self.chunks()

        def chunks(self) -> Iterator[str]:
            """In pieces."""
            for piece in (ANSWER[:5], ANSWER[5:]):
                with spans.tracer.start_as_current_span("chunk"):
                    yield_now = piece
                yield yield_now

        async def acall(self, prompt: str) -> AsyncIterator[str]:
            """The same."""
            with spans.tracer.start_as_current_span("request"):
                await anyio.sleep(0.001)
            for piece in self.chunks():
                yield piece

    run(driver, Agent("react", Model(), hooks=[Tracing(tracer_provider=spans.provider)]))
    inside = [*spans.named("request"), *spans.named("chunk")]
    assert len(inside) == 3
    assert {spans.parent(span) for span in inside} == {spans.one("chat")}


def test_a_wrappers_span_around_a_call_stays_around_it(spans: Spans) -> None:
    class Around:
        def polylect_wrap_tool_call(self, action: Any) -> Any:
            with spans.tracer.start_as_current_span("around"):
                return (yield action)

    Agent("react", Scripted([CALL, ANSWER]), [search], hooks=[Around(), Tracing(tracer_provider=spans.provider)]).run(
        "q"
    )
    assert spans.parent(spans.one("execute_tool search")) == spans.one("around")
