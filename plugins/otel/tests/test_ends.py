"""Spans of what goes wrong, and of what ends before its time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from opentelemetry.trace import StatusCode

from polylect import Agent, Cancel, RunError, ToolResult
from polylect_otel import Tracing

from .traces import (
    ANSWER,
    CALL,
    DRIVERS,
    SECRET,
    Spans,
    build,
    calls,
    dump,
    fault,
    in_loop,
    run,
    said,
    search,
    waits,
)

# --- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_tool_that_fails(driver: str, spans: Spans) -> None:
    run(driver, build(spans, calls("a", tool="broken"), ANSWER))
    span = spans.one("execute_tool broken")
    assert fault(span) == ("KeyError", StatusCode.ERROR, ["KeyError"])
    assert span.status.description == "KeyError: 'a'"
    assert fault(spans.one("invoke_agent")) == (None, StatusCode.UNSET, [])


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_tool_that_ends_the_run(driver: str, spans: Spans) -> None:
    with pytest.raises(RunError):
        run(driver, build(spans, "\n".join((calls("a"), calls("b", tool="broken"))), tool_errors="raise"))
    assert fault(spans.one("execute_tool search")) == (None, StatusCode.UNSET, [])
    assert fault(spans.one("execute_tool broken"))[0] == "KeyError"
    assert fault(spans.one("invoke_agent")) == ("KeyError", StatusCode.ERROR, ["KeyError"])


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_model_that_fails(driver: str, spans: Spans) -> None:
    with pytest.raises(RunError):
        run(driver, build(spans, CALL, ConnectionResetError("reset")))
    first, second = spans.named("chat scripted")
    assert fault(first) == (None, StatusCode.UNSET, [])
    assert fault(second) == ("ConnectionResetError", StatusCode.ERROR, ["ConnectionResetError"])
    assert fault(spans.one("invoke_agent")) == ("ConnectionResetError", StatusCode.ERROR, ["ConnectionResetError"])


def test_a_model_that_breaks_off_in_the_middle(spans: Spans) -> None:
    with pytest.raises(RunError):
        build(spans, ["Thought: the secret is Os", ConnectionResetError("reset")]).run("q")
    assert fault(spans.one("chat scripted"))[0] == "ConnectionResetError"
    assert "secret" not in dump(spans)


@pytest.mark.parametrize("content", [False, True])
def test_a_reply_that_must_be_readable_is_quoted_only_as_content(content: bool, spans: Spans) -> None:
    with pytest.raises(RunError):
        build(spans, f"About {SECRET}", parsing_errors="raise", content=content).run("q")
    kind, status, events = fault(spans.one("invoke_agent"))
    assert (kind, status, events) == ("polylect._errors.ParseError", StatusCode.ERROR, ["polylect._errors.ParseError"])
    assert (SECRET in dump(spans)) is content


def test_arguments_that_do_not_fit(spans: Spans) -> None:
    function = {"name": "search", "arguments": '{"city": "Oslo"}'}
    turn = {"role": "assistant", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]}
    build(spans, turn, {"role": "assistant", "content": "42"}, lect="tool_calls").run("q")
    span = spans.one("execute_tool search")
    assert fault(span) == ("invalid", StatusCode.ERROR, [])
    assert SECRET not in dump(spans)


def test_a_call_that_is_refused_is_no_error(spans: Spans) -> None:
    class Refuses:
        def polylect_wrap_tool_call(self, action: Any) -> Any:
            yield from ()
            return ToolResult("No.", "refused")

    build(spans, CALL, ANSWER, hooks=[Refuses()]).run("q")
    span = spans.one("execute_tool search")
    assert (fault(span), said(span)["polylect.tool.status"]) == ((None, StatusCode.UNSET, []), "refused")


def test_an_error_that_says_nothing(spans: Spans) -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    def silent(query: str) -> str:
        raise Silent

    build(spans, calls("a", tool="silent"), ANSWER, tools=[silent]).run("q")
    kind, status, events = fault(spans.one("execute_tool silent"))
    assert (str(kind).endswith("Silent"), status, len(events)) == (True, StatusCode.ERROR, 1)


# --- what ends early --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_run_out_of_time(driver: str, spans: Spans) -> None:
    turn = "\n".join((calls("a"), calls("b", tool="waits")))
    result = run(driver, build(spans, turn, tools=[search, waits], max_execution_time=0.3))
    assert result.stop_reason == "time"
    assert fault(spans.one("execute_tool search")) == (None, StatusCode.UNSET, [])
    assert fault(spans.one("execute_tool waits")) == ("timeout", StatusCode.ERROR, [])
    assert said(spans.one("invoke_agent"))["polylect.stop_reason"] == "time"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_run_that_is_cancelled(driver: str, spans: Spans) -> None:
    cancel = Cancel()

    def stop(query: str) -> str:
        cancel.cancel()
        return query

    turn = "\n".join((calls("a", tool="waits"), calls("b", tool="stop")))
    result = run(driver, build(spans, turn, tools=[stop, waits]), cancel=cancel)
    assert result.stop_reason == "cancelled"
    span = spans.one("execute_tool waits")
    assert (fault(span)[1], said(span)["polylect.interrupted"]) == (StatusCode.UNSET, "cancelled")
    assert said(spans.one("invoke_agent"))["polylect.stop_reason"] == "cancelled"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_model_that_is_cut_off(driver: str, spans: Spans) -> None:
    def model(prompt: str) -> Iterator[str]:
        for _ in range(3_000):
            time.sleep(0.01)
            yield " so"

    tracing = Tracing(tracer_provider=spans.provider)
    result = run(driver, Agent("react", model, hooks=[tracing], max_execution_time=0.2))
    assert result.stop_reason == "time"
    assert fault(spans.one("chat"))[:2] == ("timeout", StatusCode.ERROR)


@pytest.mark.parametrize("driver", ["stream", "asyncio", "trio"])
@pytest.mark.parametrize("event", ["ModelStart", "ModelDelta", "ToolStart", "StepEnd", "Finish"])
def test_a_stream_that_is_closed_early_ends_its_spans(event: str, driver: str, spans: Spans) -> None:
    agent = build(spans, list(CALL), ANSWER)
    if driver == "stream":
        told = agent.stream("q")
        while type(next(told)).__name__ != event:
            pass
        told.close()  # type: ignore[attr-defined]
    else:

        async def main() -> None:
            events = agent.astream("q")
            async for x in events:
                if type(x).__name__ == event:
                    break
            await events.aclose()  # type: ignore[attr-defined]

        in_loop(driver, main)
    span = spans.one("invoke_agent")
    assert said(span).get("polylect.interrupted") == (None if event == "Finish" else "GeneratorExit")
    assert span.status.status_code is StatusCode.UNSET
    assert all(spans.parent(x) == span for x in spans.all if x is not span)


@pytest.mark.parametrize("driver", ["asyncio", "trio"])
def test_a_task_that_is_cancelled_ends_its_spans(driver: str, spans: Spans) -> None:
    agent = build(spans, calls("a", tool="waits"), tools=[waits])

    async def main() -> None:
        with anyio.move_on_after(0.1):
            await agent.arun("q")

    in_loop(driver, main)
    assert spans.names() == ["invoke_agent", "chat scripted", "execute_tool waits"]
    assert said(spans.one("invoke_agent"))["polylect.interrupted"].startswith("Cancel")
