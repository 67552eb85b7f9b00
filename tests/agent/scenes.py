"""What the tests of agents share: replies in any lect, models that have them ready, and all ways to run an agent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import trio

import polylect
from polylect import Agent, AgentEvent, Call, Finish, Lect, Reply, RunResult, RunState, Scripted

DRIVERS = ("run", "stream", "asyncio", "trio")
ASYNC = ("asyncio", "trio")
NATIVE = ("hermes", "qwen3_coder_xml")
"""Of the tongues that models were trained on, two: an agent sees nothing of the others but more of the same."""
LECTS = [
    info.name
    for info in polylect.lects()
    if info.distribution.startswith("polylect-") and (info.family != "native" or info.name in NATIVE)
]
SEVERAL = [name for name in LECTS if "several_calls" in polylect.lect(name).features and name != "self_ask"]
"""Lects whose turns hold several calls, of several tools."""


def echo(text: str) -> str:
    """Say it again."""
    return f"said {text}"


def call(lect: str | Lect, tool: str = "echo", given: Any = "hi", *, thought: str = "") -> Any:
    """A turn with one call, as the lect writes it."""
    return calls(lect, (tool, given), thought=thought)


def calls(lect: str | Lect, *wanted: tuple[str, Any], thought: str = "") -> Any:
    """A turn with several calls."""
    spoken = polylect.lect(lect) if isinstance(lect, str) else lect
    made = tuple(Call(tool, _given(spoken, given), id=f"id{n}") for n, (tool, given) in enumerate(wanted))
    reasoning = thought if "reasoning" in spoken.features else ""
    names = {tool for tool, _ in wanted}
    only = [polylect.Tool(names.pop(), parameters={})] if len(names) == 1 else None  # a tongue may name no tool
    return spoken.format(Reply(reasoning=reasoning, calls=made), tools=only)


def _given(lect: Lect, given: Any) -> Any:
    """An input in the form that the lect can write."""
    if isinstance(given, str) and "text_input" not in lect.features:
        return {"text": given}
    return given


def nonsense(lect: str | Lect) -> Any:
    """A turn that says nothing an agent could do: where text alone is the answer, that is an empty one."""
    spoken = polylect.lect(lect) if isinstance(lect, str) else lect
    if spoken.messages:
        return {"role": "assistant", "content": ""}
    return "I wonder." if spoken.policies.text == "error" else ""


def answer(lect: str | Lect, text: str = "42") -> Any:
    """A turn with the answer."""
    spoken = polylect.lect(lect) if isinstance(lect, str) else lect
    if "answer" in spoken.features:
        return spoken.format(Reply(answer=text))
    return spoken.format(Reply(content=text))


def agent(lect: str | Lect, *replies: Any, tools: Any = (echo,), **options: Any) -> tuple[Agent, Scripted]:
    """An agent over a model that has these replies ready; and the model."""
    model = Scripted(list(replies), lect=lect)
    return Agent(lect, model, tools, **options), model


def run(driver: str, built: Agent, start: str | RunState | None = "q", **inputs: Any) -> RunResult:
    """Run an agent by one of the :data:`DRIVERS`."""
    if driver == "run":
        return built.run(start, **inputs)
    if driver == "stream":
        return _result(list(built.stream(start, **inputs)))

    async def main() -> RunResult:
        return await built.arun(start, **inputs)

    return asyncio.run(main()) if driver == "asyncio" else trio.run(main)


def events(driver: str, built: Agent, start: str | RunState | None = "q", **inputs: Any) -> list[AgentEvent]:
    """The events of a run."""
    if driver in ("run", "stream"):
        return list(built.stream(start, **inputs))

    async def main() -> list[AgentEvent]:
        return [event async for event in built.astream(start, **inputs)]

    return asyncio.run(main()) if driver == "asyncio" else trio.run(main)


def _result(told: list[AgentEvent]) -> RunResult:
    last = told[-1]
    assert isinstance(last, Finish)
    return last.result


def in_loop(driver: str, main: Callable[[], Any]) -> Any:
    """Run a coroutine function on asyncio or trio."""
    return asyncio.run(main()) if driver == "asyncio" else trio.run(main)


def observations(result: RunResult) -> list[Any]:
    """What the tools gave back."""
    return [step.observation for step in result.steps]


class Chunks:
    """A model that gives its replies in pieces, and tells where it is."""

    def __init__(self, *replies: str, size: int = 3) -> None:
        self.replies, self.size = list(replies), size
        self.sent = 0
        self.closed = 0

    def __call__(self, prompt: Any, *, tools: Any = None) -> Iterator[str]:
        reply = self.replies.pop(0)
        try:
            for at in range(0, len(reply), self.size):
                self.sent += 1
                yield reply[at : at + self.size]
        finally:
            self.closed += 1


class AsyncChunks(Chunks):
    """The same, asynchronous."""

    async def acall(self, prompt: Any, *, tools: Any = None) -> AsyncIterator[str]:
        """The pieces."""
        for piece in self(prompt):
            yield piece
