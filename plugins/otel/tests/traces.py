"""What the tests of tracing share: spans as they were exported, agents that are traced, and all ways to run them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import anyio
import trio
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import polylect
from polylect import Agent, RunResult, Scripted
from polylect_otel import Tracing

DRIVERS = ("run", "stream", "asyncio", "trio")
CALL = "Thought: look\nAction: search\nAction Input: Oslo"
ANSWER = "Final Answer: 42"
SECRET = "Oslo"


class Spans:
    """What was exported."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracer = self.provider.get_tracer("test")

    @property
    def all(self) -> list[ReadableSpan]:
        """All spans, by their beginning."""
        return sorted(self.exporter.get_finished_spans(), key=lambda span: span.start_time or 0)

    def names(self) -> list[str]:
        """Their names."""
        return [span.name for span in self.all]

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of a name."""
        return [span for span in self.all if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        """The one of a name."""
        (span,) = self.named(name)
        return span

    def parent(self, span: ReadableSpan) -> ReadableSpan | None:
        """The span around a span."""
        return next((x for x in self.all if span.parent and _id(x) == span.parent.span_id), None)


def _id(span: ReadableSpan) -> int:
    assert span.context is not None
    number: int = span.context.span_id
    return number


def said(span: ReadableSpan) -> dict[str, Any]:
    """The attributes of a span."""
    return dict(span.attributes or {})


def search(query: str) -> str:
    """Look it up."""
    return f"found {query}"


def broken(query: str) -> str:
    """It never works."""
    raise KeyError(query)


def build(spans: Spans, *replies: Any, tools: Any = (search, broken), lect: str = "react", **options: Any) -> Agent:
    """An agent that is traced."""
    about = {x: options.pop(x) for x in ("content", "name") if x in options}
    tracing = Tracing(tracer_provider=spans.provider, **about)
    return Agent(lect, Scripted(replies, lect=lect), tools, hooks=[tracing, *options.pop("hooks", ())], **options)


def run(driver: str, agent: Agent, start: Any = "q", **more: Any) -> RunResult:
    """Run it, in a driver."""
    if driver == "run":
        return agent.run(start, **more)
    if driver == "stream":
        *_, last = agent.stream(start, **more)
        assert isinstance(last, polylect.Finish)
        return last.result

    async def main() -> RunResult:
        return await agent.arun(start, **more)

    result: RunResult = in_loop(driver, main)
    return result


def in_loop(driver: str, main: Callable[[], Any]) -> Any:
    """Run a coroutine function on asyncio or trio."""
    return asyncio.run(main()) if driver == "asyncio" else trio.run(main)


def calls(*queries: str, tool: str = "search") -> str:
    """A turn with several calls."""
    return "\n".join(f"Action: {tool}\nAction Input: {query}" for query in queries)


def fault(span: ReadableSpan) -> tuple[Any, Any, list[Any]]:
    """(the error's type, the status, the exceptions)."""
    events = [event.attributes["exception.type"] for event in span.events if event.attributes]
    return said(span).get("error.type"), span.status.status_code, events


def dump(spans: Spans) -> str:
    """All that was exported."""
    return "".join(span.to_json() for span in spans.all)


async def waits(query: str) -> str:
    """It waits."""
    await anyio.sleep(30)
    return query
