"""Cancelling a run, from wherever; and what is left of one that nobody wants to the end."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import anyio
import pytest

from polylect import Agent, Cancel, ToolStart

from .endless import LONG, anever, never, no_threads, quick
from .scenes import ASYNC, DRIVERS, agent, answer, call, calls, in_loop, run


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_tool_may_cancel_the_run(driver: str) -> None:
    cancel = Cancel()

    def stop(text: str) -> str:
        cancel.cancel()
        return "stopping"

    built, model = agent("react", call("react", "stop"), answer("react"), tools=(stop,))
    result = run(driver, built, cancel=cancel)
    assert result.stop_reason == "cancelled"
    assert len(model.asked) == 1
    assert len(result.steps) == 1


@pytest.mark.parametrize("driver", DRIVERS)
def test_cancelling_ends_tools_that_run(driver: str) -> None:
    cancel = Cancel()
    begun = threading.Barrier(2)

    def wait(text: str) -> str:
        begun.wait(5)
        return never(text)

    def pull() -> None:
        begun.wait(5)
        cancel.cancel()

    built, _ = agent("react", calls("react", ("wait", "a"), ("quick", "b")), tools=(wait, quick))
    puller = threading.Thread(target=pull)
    puller.start()
    result = run(driver, built, cancel=cancel)
    puller.join()
    assert result.stop_reason == "cancelled"
    assert result.turns[0].results[0].status == "cancelled"
    assert no_threads()


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_was_cancelled_before_it_began_asks_nobody(driver: str) -> None:
    cancel = Cancel()
    cancel.cancel()
    built, model = agent("react", answer("react"))
    assert run(driver, built, cancel=cancel).stop_reason == "cancelled"
    assert model.asked == []


@pytest.mark.parametrize("driver", ASYNC)
def test_cancelling_ends_the_model(driver: str) -> None:
    cancel = Cancel()

    async def model(prompt: Any) -> str:
        cancel.cancel()
        await anyio.sleep(LONG)
        return "never"

    assert run(driver, Agent("react", model, [quick]), cancel=cancel).stop_reason == "cancelled"


def test_a_cancelled_run_generates_nothing() -> None:
    cancel = Cancel()
    cancel.cancel()
    built, model = agent("react", answer("react"), early_stopping="generate")
    assert built.run("q", cancel=cancel).stop_reason == "cancelled"
    assert model.asked == []


@pytest.mark.parametrize("driver", ASYNC)
def test_a_task_that_is_cancelled_from_outside_leaves_nothing_behind(driver: str) -> None:
    state = None

    async def main() -> None:
        nonlocal state
        built, _ = agent("react", calls("react", ("anever", "a"), ("never", "b")), tools=(anever, never))
        state = built.start("q")
        with anyio.move_on_after(0.1):
            await built.arun(state)
            raise AssertionError

    in_loop(driver, main)
    assert no_threads()
    assert state is not None
    assert len(state.waiting) == 2


def test_closing_a_stream_leaves_nothing_behind() -> None:
    built, _ = agent("react", calls("react", ("never", "a"), ("never", "b")), tools=(never,))
    stream = built.stream("q")
    for event in stream:
        if isinstance(event, ToolStart):
            break
    stream.close()  # type: ignore[attr-defined]
    assert no_threads()


@pytest.mark.parametrize("driver", ASYNC)
def test_closing_an_asynchronous_stream_leaves_nothing_behind(driver: str) -> None:
    async def main() -> None:
        built, _ = agent("react", calls("react", ("anever", "a"), ("never", "b")), tools=(anever, never))
        stream = built.astream("q")
        async for event in stream:
            if isinstance(event, ToolStart):
                break
        await stream.aclose()  # type: ignore[attr-defined]

    in_loop(driver, main)
    assert no_threads()


def test_a_stream_that_is_left_to_the_collector_ends_quietly() -> None:
    async def main() -> None:
        built, _ = agent("react", calls("react", ("anever", "a"), ("never", "b")), tools=(anever, never))
        async for event in built.astream("q"):
            if isinstance(event, ToolStart):
                break
        await asyncio.sleep(0)

    asyncio.run(main())
    assert no_threads()
