"""The four drivers: tools side by side, in order; synchronous and asynchronous tools and models in all of them."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

import anyio
import pytest

from polylect import Agent, RunResult, Scripted

from .scenes import ASYNC, DRIVERS, LECTS, SEVERAL, agent, answer, call, calls, echo, in_loop, observations, run


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", LECTS)
def test_all_drivers_say_the_same(lect: str, driver: str) -> None:
    built, model = agent(lect, call(lect, thought="look"), answer(lect))
    result = run(driver, built)
    assert (result.output, result.stop_reason, result.iterations) == ("42", "finished", 2)
    assert observations(result) == ["said hi"]
    assert len(model.asked) == 2
    assert "said hi" in str(model.asked[1].prompt)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", SEVERAL)
def test_tools_of_a_turn_run_side_by_side_with_results_in_order(lect: str, driver: str) -> None:
    together = threading.Barrier(3)  # only three at once come through

    def meet(text: str) -> str:
        together.wait(10)
        return f"met {text}"

    turn = calls(lect, ("meet", "a"), ("meet", "b"), ("meet", "c"))
    built, _ = agent(lect, turn, answer(lect), tools=(meet,), stop=False)  # xml_tags stops behind its first call
    assert observations(run(driver, built)) == ["met a", "met b", "met c"]


@pytest.mark.parametrize("driver", ASYNC)
def test_asynchronous_tools_run_side_by_side_in_one_loop(driver: str) -> None:
    waiting: list[anyio.Event] = []

    async def meet(text: str) -> str:
        mine = anyio.Event()
        waiting.append(mine)
        if len(waiting) == 3:
            for event in waiting:
                event.set()
        await mine.wait()
        return f"met {text}"

    turn = calls("react", ("meet", "a"), ("meet", "b"), ("meet", "c"))
    built, _ = agent("react", turn, answer("react"), tools=(meet,))
    assert observations(run(driver, built)) == ["met a", "met b", "met c"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_results_keep_the_models_order_whoever_ends_first(driver: str) -> None:
    ended = {name: threading.Event() for name in "abc"}

    def wait(text: str) -> str:
        later = {"a": "b", "b": "c"}.get(text)
        if later is not None:
            ended[later].wait(10)
        ended[text].set()
        return text

    built, _ = agent("react", calls("react", *[("wait", x) for x in "abc"]), answer("react"), tools=(wait,))
    assert observations(run(driver, built)) == ["a", "b", "c"]


@pytest.mark.parametrize("driver", DRIVERS)
def test_asynchronous_tools_work_in_every_driver(driver: str) -> None:
    async def later(text: str) -> str:
        await anyio.sleep(0)
        return f"later {text}"

    def promised(text: str) -> Any:
        return later(text)

    turn = calls("react", ("later", "a"), ("echo", "b"), ("promised", "c"))
    for many in (turn, call("react", "later", "a"), call("react", "promised", "a")):
        built, _ = agent("react", many, answer("react"), tools=(later, echo, promised))
        assert observations(run(driver, built))[0] == "later a"


@pytest.mark.parametrize("driver", DRIVERS)
def test_tools_see_the_callers_context(driver: str) -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")

    def who(text: str) -> str:
        return user.get()

    built, _ = agent("react", calls("react", ("who", "a"), ("who", "b")), answer("react"), tools=(who,))

    def main() -> RunResult:
        user.set("somebody")
        return run(driver, built)

    assert observations(contextvars.copy_context().run(main)) == ["somebody", "somebody"]


def test_a_single_tool_runs_where_we_stand() -> None:
    threads: list[threading.Thread] = []

    def where(text: str) -> str:
        threads.append(threading.current_thread())
        return text

    built, _ = agent("react", call("react", "where"), answer("react"), tools=(where,))
    built.run("q")
    assert threads == [threading.current_thread()]


@pytest.mark.parametrize("driver", ASYNC)
def test_a_synchronous_tool_does_not_hold_up_the_loop(driver: str) -> None:
    beat = threading.Event()

    def wait(text: str) -> str:
        return "beaten" if beat.wait(10) else "alone"

    async def main() -> RunResult:
        built, _ = agent("react", call("react", "wait"), answer("react"), tools=(wait,))
        found: list[RunResult] = []

        async def work() -> None:
            found.append(await built.arun("q"))

        async with anyio.create_task_group() as group:
            group.start_soon(work)
            await anyio.sleep(0.01)
            beat.set()
        return found[0]

    assert observations(in_loop(driver, main)) == ["beaten"]


class Both:
    """A model that answers in each way that there is."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.replies = [call("react"), answer("react")]

    def __call__(self, prompt: Any, *, stop: Any = None) -> Any:
        reply = self.replies.pop(0)
        if self.kind == "chunks":
            return iter([reply[:5], reply[5:]])
        if self.kind == "list":
            return [reply[:5], reply[5:]]
        if self.kind == "message":
            return {"role": "assistant", "content": reply}
        if self.kind == "response":
            message = {"role": "assistant", "content": reply}
            usage = {"prompt_tokens": 7, "completion_tokens": 3}
            return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}
        if self.kind == "deltas":
            return self.deltas(reply)
        return reply

    def deltas(self, reply: str) -> Iterator[dict[str, Any]]:
        for piece in (reply[:9], reply[9:]):
            yield {"choices": [{"delta": {"content": piece}, "finish_reason": None}]}
        yield {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("kind", ["text", "chunks", "list", "message", "response", "deltas"])
def test_models_answer_in_any_form(kind: str, driver: str) -> None:
    result = run(driver, Agent("react", Both(kind), [echo]))
    assert (result.output, observations(result)) == ("42", ["said hi"])
    counted = kind in ("response", "deltas")
    assert result.usage.total == (20 if counted else 0)


async def coroutine(prompt: Any) -> str:
    """A reply, at once."""
    text: str = answer("react")
    return text


async def generator(prompt: Any) -> AsyncIterator[str]:
    """A reply in pieces."""
    for piece in answer("react"):
        yield piece


class Asynchronous:
    """An object whose call is asynchronous."""

    async def __call__(self, prompt: Any) -> str:
        """A reply."""
        text: str = answer("react")
        return text


def promising(prompt: Any) -> Any:
    """A function that does not say that it is asynchronous."""
    return generator(prompt)


@pytest.mark.parametrize("driver", ASYNC)
@pytest.mark.parametrize("model", [coroutine, generator, Asynchronous(), promising])
def test_asynchronous_models_of_any_kind(model: Any, driver: str) -> None:
    assert run(driver, Agent("react", model, [echo])).output == "42"


def test_many_runs_of_one_agent_at_once() -> None:
    def model(prompt: Any) -> str:
        who = prompt.rpartition("Question: ")[2].split("\n")[0]
        text: str = answer("react", f"for {who}") if "said hi" in prompt else call("react")
        return text

    built = Agent("react", model, [echo])

    async def main() -> list[RunResult]:
        return await asyncio.gather(*(built.arun(f"q{n}") for n in range(20)))

    assert [result.output for result in asyncio.run(main())] == [f"for q{n}" for n in range(20)]


@pytest.mark.parametrize("driver", ASYNC)
def test_a_run_within_a_loop_that_runs(driver: str) -> None:
    async def later(text: str) -> str:
        await asyncio.sleep(0)
        return text

    async def main() -> RunResult:
        built, _ = agent("react", call("react", "later"), answer("react"), tools=(later,))
        return built.run("q")  # as in a notebook: the synchronous driver, called where a loop runs

    assert in_loop(driver, main).output == "42"


def test_nothing_grows_from_run_to_run() -> None:
    before = threading.active_count()
    for _ in range(20):
        built, _ = agent("react", calls("react", ("echo", "a"), ("echo", "b")), answer("react"))
        run("run", built)
        run("asyncio", Agent("react", Scripted([call("react"), answer("react")]), [echo]))
    for thread in threading.enumerate():
        if thread.name.startswith("polylect"):
            thread.join(5)
    assert threading.active_count() == before
