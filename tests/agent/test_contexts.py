"""Context variables that a wrapper sets hold inside the call that it wraps, and nowhere else: in every driver."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Generator, Iterator
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

import polylect
from polylect import Agent, AgentAction, CallModel, ModelResult, RunResult, ToolResult

from .scenes import ASYNC, DRIVERS, in_loop

VARIABLE = ContextVar("VARIABLE", default="nobody")
Seen = list[tuple[str, str]]


class Sets:
    """Wrappers that set the variable, and find it set when the call is over."""

    def __init__(self, name: str = "") -> None:
        self.name = name

    def polylect_wrap_tool_call(self, action: AgentAction) -> Generator[AgentAction, ToolResult, ToolResult]:
        outside, mine = VARIABLE.get(), f"{VARIABLE.get()} {self.name}{action.tool_input['text']}"  # type: ignore[index]
        token = VARIABLE.set(mine)
        try:
            return (yield action)
        finally:
            assert VARIABLE.get() == mine
            VARIABLE.reset(token)
            assert VARIABLE.get() == outside

    def polylect_wrap_model_call(self, call: CallModel) -> Generator[CallModel, ModelResult, ModelResult]:
        mine = f"{VARIABLE.get()} {self.name}model"
        token = VARIABLE.set(mine)
        try:
            return (yield call)
        finally:
            assert VARIABLE.get() == mine
            VARIABLE.reset(token)


class Model:
    """A model that tells where it is asked, and where its chunks are fetched."""

    def __init__(self, seen: Seen, *replies: dict[str, Any]) -> None:
        self.seen, self.replies = seen, list(replies)

    def __call__(self, prompt: Any, *, tools: Any) -> Iterator[dict[str, Any]]:
        self.seen.append(("asked", VARIABLE.get()))
        return self.chunks()

    def chunks(self) -> Iterator[dict[str, Any]]:
        """The reply, and nothing."""
        self.seen.append(("chunk", VARIABLE.get()))
        yield {"choices": [{"index": 0, "delta": self.replies.pop(0), "finish_reason": None}]}
        self.seen.append(("chunk", VARIABLE.get()))
        yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


class AsyncModel(Model):
    """The same, asynchronous."""

    async def acall(self, prompt: Any, *, tools: Any) -> AsyncIterator[dict[str, Any]]:
        """The same chunks, with pauses."""
        self.seen.append(("asked", VARIABLE.get()))
        for chunk in self.chunks():
            await anyio.sleep(0.001)
            yield chunk


class AwaitedModel(Model):
    """The same, in one piece."""

    async def acall(self, prompt: Any, *, tools: Any) -> dict[str, Any]:
        """The reply."""
        self.seen.append(("asked", VARIABLE.get()))
        await anyio.sleep(0.001)
        self.seen.append(("chunk", VARIABLE.get()))
        return self.replies.pop(0)


def scene(kind: type[Model], count: int, *, asynchronous: bool, hooks: Any) -> tuple[Agent, Seen]:
    """An agent that calls its tool ``count`` times in one turn; the last call ends first."""
    seen: Seen = []

    def look(text: str) -> str:
        time.sleep(0.01 * (count - int(text)))
        seen.append((text, VARIABLE.get()))
        return text

    async def alook(text: str) -> str:
        await anyio.sleep(0.01 * (count - int(text)))
        seen.append((text, VARIABLE.get()))
        return text

    alook.__name__ = "look"
    function = {"name": "look", "arguments": ""}
    called = [{"index": n, "id": f"id{n}", "type": "function",
               "function": {**function, "arguments": f'{{"text": "{n}"}}'}} for n in range(count)]  # fmt: skip
    turn = {"role": "assistant", "content": None, "tool_calls": called}
    model = kind(seen, turn, {"role": "assistant", "content": "done"})
    return Agent("tool_calls", model, [alook if asynchronous else look], hooks=hooks), seen


def run(driver: str, agent: Agent) -> RunResult:
    """A run, in which we look at the variable wherever we are."""
    if driver == "run":
        return agent.run("q")
    result: list[RunResult] = []

    def note(event: Any) -> None:
        assert VARIABLE.get() == "user"
        if isinstance(event, polylect.Finish):
            result.append(event.result)

    if driver == "stream":
        for event in agent.stream("q"):
            note(event)
        return result[0]

    async def main() -> None:
        async for event in agent.astream("q"):
            note(event)

    in_loop(driver, main)
    return result[0]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("kind", [Model, AsyncModel, AwaitedModel])
@pytest.mark.parametrize("driver", DRIVERS)
def test_each_call_has_what_its_wrappers_set(driver: str, kind: type[Model], count: int, asynchronous: bool) -> None:
    agent, seen = scene(kind, count, asynchronous=asynchronous, hooks=[Sets("a"), Sets("b")])
    token = VARIABLE.set("user")
    try:
        assert run(driver, agent).output == "done"
    finally:
        VARIABLE.reset(token)
    tools = [(text, value) for text, value in seen if text.isdigit()]
    assert sorted(tools) == [(str(n), f"user a{n} b{n}") for n in range(count)]
    asked = {value for text, value in seen if not text.isdigit()}
    assert asked == {"user amodel bmodel"}


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("driver", DRIVERS)
def test_without_wrappers_each_call_has_the_callers_own(driver: str, count: int, asynchronous: bool) -> None:
    agent, seen = scene(AsyncModel, count, asynchronous=asynchronous, hooks=())
    token = VARIABLE.set("user")
    try:
        run(driver, agent)
    finally:
        VARIABLE.reset(token)
    assert {value for _, value in seen} == {"user"}


@pytest.mark.parametrize("driver", ASYNC)
def test_an_error_of_an_asynchronous_model_arrives_in_its_wrapper(driver: str) -> None:
    caught: list[str] = []

    class Broken(AwaitedModel):
        async def acall(self, prompt: Any, *, tools: Any) -> dict[str, Any]:
            await anyio.sleep(0.001)
            raise ConnectionError(VARIABLE.get())

    class Catches(Sets):
        def polylect_wrap_model_call(self, call: CallModel) -> Generator[CallModel, ModelResult, ModelResult]:
            VARIABLE.set("inside")
            try:
                return (yield call)
            except ConnectionError as error:
                caught.append(f"{error} {VARIABLE.get()}")
                return ModelResult({"role": "assistant", "content": "instead"})

    agent, _ = scene(Broken, 1, asynchronous=True, hooks=[Catches()])
    assert in_loop(driver, lambda: agent.arun("q")).output == "instead"
    assert caught == ["inside inside"]


@pytest.mark.parametrize("driver", ASYNC)
def test_a_wrapper_awaits_in_its_own_context(driver: str) -> None:
    found: list[str] = []

    async def look() -> None:
        await anyio.sleep(0.001)
        found.append(VARIABLE.get())

    class Waits:
        def polylect_wrap_model_call(self, call: CallModel) -> Generator[Any, Any, ModelResult]:
            VARIABLE.set("model")
            yield look()
            result: ModelResult = yield call
            return result

        def polylect_wrap_tool_call(self, action: AgentAction) -> Generator[Any, Any, ToolResult]:
            VARIABLE.set("tool")
            yield look()
            result: ToolResult = yield action
            return result

    agent, _ = scene(AsyncModel, 2, asynchronous=True, hooks=[Waits()])
    assert in_loop(driver, lambda: agent.arun("q")).output == "done"
    assert found == ["model", "tool", "tool", "model"]


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_wrapper_that_has_nothing_to_do_is_no_generator(driver: str, asynchronous: bool) -> None:
    class Idle:
        def polylect_wrap_model_call(self, call: CallModel) -> None:
            return None

        def polylect_wrap_tool_call(self, action: AgentAction) -> None:
            return None

    for hooks in ([Idle()], [Idle(), Sets("a")], [Sets("a"), Idle()], [Idle(), Sets("a"), Idle(), Sets("b")]):
        agent, seen = scene(AsyncModel, 2, asynchronous=asynchronous, hooks=hooks)
        token = VARIABLE.set("user")
        try:
            assert run(driver, agent).output == "done"
        finally:
            VARIABLE.reset(token)
        names = [hook.name for hook in hooks if isinstance(hook, Sets)]
        for number in range(2):
            assert (str(number), " ".join(["user", *(f"{name}{number}" for name in names)])) in seen


def test_what_is_neither_generator_nor_nothing_is_told() -> None:
    class Wrong:
        def polylect_wrap_model_call(self, call: CallModel) -> bool:
            return False

    agent, _ = scene(Model, 1, asynchronous=False, hooks=[Wrong()])
    with pytest.raises(polylect.PluginError, match="'polylect_wrap_model_call' is no generator"):
        agent.run("q")
