"""Models that raise anything, give anything, and never end: an error with the state, or a reply that can't be read."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import AsyncIterator, Iterator
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

import polylect
from polylect import Agent, Cancel, ModelError, ParseError, Recorder, RunError, RunState, Usage, replay

from .scenes import ASYNC, DRIVERS, LECTS, agent, answer, call, echo, in_loop, observations, run

ENDS = (GeneratorExit("a"), asyncio.CancelledError("a"), SystemExit("a"))
"""What would end a generator, a task or the program, if it came through."""
FAULTS = (StopIteration("a"), StopAsyncIteration("a"), ParseError("a"), RunError("a", RunState({})), MemoryError("a"))


class Raising:
    """A model that raises: at once, in its stream, in its iterator, or when it is closed."""

    def __init__(self, place: str, error: BaseException) -> None:
        self.place, self.error, self.count = place, error, 0

    def __call__(self, prompt: Any, *, tools: Any = None) -> Any:
        if "said hi" not in str(prompt):
            return call("react")
        if self.error is None:
            return answer("react")
        if self.place == "at once":
            raise self.error
        return self.stream() if self.place == "stream" else iter(self)

    def stream(self) -> Iterator[str]:
        yield "Thought: hm"
        raise self.error

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self.count += 1
        if self.count == 1:
            return "Thought: hm"
        if self.place == "close":
            raise StopIteration
        raise self.error

    def close(self) -> None:
        if self.place == "close":
            raise self.error


class RaisingThere(Raising):
    """The same, asynchronous."""

    async def acall(self, prompt: Any, *, tools: Any = None) -> Any:
        if "said hi" not in str(prompt):
            return call("react")
        if self.error is None:
            return answer("react")
        if self.place == "at once":
            raise self.error
        return self.astream()

    async def astream(self) -> AsyncIterator[str]:
        yield "Thought: hm"
        raise self.error


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("place", ["at once", "stream", "iterator", "close"])
@pytest.mark.parametrize("error", [*ENDS, *FAULTS], ids=lambda error: type(error).__name__)
def test_a_model_may_raise_anything_anywhere(error: BaseException, place: str, driver: str) -> None:
    if (place, type(error)) == ("iterator", StopIteration):
        return  # this is how an iterator ends
    model: Any = Raising(place, error)
    _fails_and_goes_on(driver, model, error)


@pytest.mark.parametrize("driver", ASYNC)
@pytest.mark.parametrize("place", ["at once", "stream"])
@pytest.mark.parametrize("error", [*ENDS[1:], *FAULTS], ids=lambda error: type(error).__name__)
def test_an_asynchronous_model_may_raise_anything_anywhere(error: BaseException, place: str, driver: str) -> None:
    model: Any = RaisingThere(place, error)
    _fails_and_goes_on(driver, model, error)


def _fails_and_goes_on(driver: str, model: Any, error: BaseException) -> None:
    built = Agent("react", model, [echo])
    start = built.start("q")
    with pytest.raises(RunError, match="failed in turn 2") as caught:
        run(driver, built, start)
    assert caught.value.state is start  # of this run, and no other
    assert [step.observation for step in caught.value.steps] == ["said hi"]
    assert type(error).__name__ in str(caught.value)
    model.error = None
    assert run(driver, built, RunState.from_json(start.to_json())).output == "42"


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_wrapper_may_ask_again_whatever_the_model_raised(driver: str) -> None:
    class Again:
        def polylect_wrap_model_call(self, call: Any) -> Any:
            try:
                return (yield call)
            except ModelError as error:
                told.append(str(error))
                model.error = None
                return (yield call)

    told: list[str] = []
    for error in ENDS:
        model: Any = Raising("stream", error)
        assert run(driver, Agent("react", model, [echo], hooks=[Again()])).output == "42"
    assert [type(error).__name__ in said for error, said in zip(ENDS, told, strict=True)] == [True] * 3


def test_a_task_that_is_cancelled_is_cancelled() -> None:
    begun = asyncio.Event()

    async def model(prompt: Any) -> str:
        begun.set()
        await asyncio.sleep(60)
        return "late"

    async def main() -> None:
        task = asyncio.ensure_future(Agent("react", model, [echo]).arun("q"))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())


@pytest.mark.parametrize("driver", ASYNC)
def test_a_function_may_promise_a_reply(driver: str) -> None:
    async def reply() -> str:
        text: str = answer("react")
        return text

    assert run(driver, Agent("react", lambda prompt: reply(), [echo])).output == "42"


# --- what they give ---------------------------------------------------------------------------------------------------


class Odd:
    """Nothing that anybody knows; it can't even be shown."""

    def __repr__(self) -> str:
        raise ValueError("no name")


def giving(output: Any, chunks: list[Any] | None = None) -> Any:
    """A model that gives this, whole or in chunks."""

    def model(prompt: Any, *, tools: Any = None, stop: Any = None) -> Any:
        return output if chunks is None else iter(chunks)

    return model


OUTPUTS: tuple[Any, ...] = (
    None,
    3,
    b"\xff",
    [],
    [1, None],
    (None,),
    {},
    {"choices": "abc"},
    {"choices": [None]},
    Odd(),
    object(),
    range(3),
)


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", ["react", "tool_calls"])
@pytest.mark.parametrize("form", ["whole", "chunk", "middle"])
def test_what_nobody_can_read_is_told_and_replays(form: str, lect: str, driver: str) -> None:
    for output in OUTPUTS:
        chunks = {"chunk": [output], "middle": ["Final ", output, "Answer: 3"]}.get(form)
        file = io.BytesIO()
        built = Agent(lect, giving(output, chunks), [echo], max_retries=1, hooks=[Recorder(file)])
        result = run(driver, built)
        again = replay(file.getvalue().splitlines())
        assert (again.output, again.stop_reason, again.steps) == (result.output, result.stop_reason, result.steps)
        if lect == "react" and result.stop_reason == "loop":
            assert all(turn.error for turn in result.turns)


def thing(**fields: Any) -> Any:
    return SimpleNamespace(**fields)


def whole_reply(text: str) -> list[Any]:
    """A reply in all forms that a whole reply may have."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    message = {"role": "assistant", "content": text}
    kind = thing(role="assistant", content=text, tool_calls=None)
    return [
        text,
        message,
        kind,
        thing(content=[{"type": "text", "text": text}], usage=thing(input_tokens=7, output_tokens=3)),
        {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage},
        thing(choices=[thing(message=kind, finish_reason="stop")], usage=thing(**usage)),
    ]


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("lect", ["react", "tool_calls"])
def test_a_reply_in_any_form_is_read_alike_and_replays(lect: str, driver: str) -> None:
    said = "I know.\nFinal Answer: 42 STOP and more" if lect == "react" else "42"
    stop = ["STOP"] if lect == "react" else True
    for output in whole_reply(said):
        file = io.BytesIO()
        result = run(driver, Agent(lect, giving(output), [echo], stop=stop, hooks=[Recorder(file)]))
        assert result.output == "42", output
        assert replay(file.getvalue().splitlines()) == result


LIES: tuple[tuple[Any, Usage], ...] = (
    ({"prompt_tokens": -5, "completion_tokens": 10**30}, Usage(0, 10**30)),
    ({"prompt_tokens": "7", "completion_tokens": None}, Usage()),
    ({"prompt_tokens": 7, "completion_tokens": 2.5}, Usage(7, 0)),
    ("many", Usage()),
    ([], Usage()),
    (Odd(), Usage()),
)


@pytest.mark.parametrize(("told", "counted"), LIES)
def test_what_a_model_says_of_its_cost_may_be_anything(told: Any, counted: Usage) -> None:
    reply = {"choices": [{"message": {"content": answer("react")}}], "usage": told}
    result = Agent("react", lambda prompt: reply, [echo]).run("q")
    assert (result.output, result.usage) == ("42", counted)
    assert polylect.RunResult.from_json(result.to_json()) == result


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_reply_that_was_cut_calls_nothing_whoever_reads_it(driver: str) -> None:
    def parse(text: str) -> Any:
        name, _, rest = text.partition(" ")
        return polylect.AgentAction(name, rest) if rest else polylect.AgentFinish({"output": text})

    ran: list[str] = []

    def remove(path: str) -> str:
        ran.append(path)
        return "removed"

    def cut(text: str) -> dict[str, Any]:
        return {"choices": [{"message": {"content": text}, "finish_reason": "length"}]}

    def delta(text: str, reason: str | None) -> dict[str, Any]:
        return {"choices": [{"delta": {"content": text}, "finish_reason": reason}]}

    whole = cut("remove /home/me/o")
    pieces = [delta("remove /home", None), delta("/me/o", None), delta("", "length")]
    built, _ = agent("react", whole, pieces, "remove /home/me/old", "done", tools=(remove,), parse=parse, stop=False)
    result = run(driver, built)
    assert (ran, result.output) == (["/home/me/old"], "done")
    assert observations(result)[0] == observations(result)[1]
    assert "cut off" in observations(result)[0]


# --- how much they give -----------------------------------------------------------------------------------------------


def _seconds(driver: str, lect: str, size: int) -> float:
    text = "ab c" * (size // 4)
    reply = answer(lect, text)
    chunks = list(reply) if isinstance(reply, str) else [{"content": character} for character in text]
    built = Agent(lect, giving(None, chunks), [echo])
    best = float("inf")
    for _ in range(3):
        begun = time.thread_time()
        result = run(driver, built)
        best = min(best, time.thread_time() - begun)
    assert len(result.output) == len(text.strip())
    return best


@pytest.mark.parametrize("lect", ["react", "tool_calls"])
@pytest.mark.parametrize("driver", ["run", "stream"])
def test_a_stream_of_single_characters_takes_linear_time(driver: str, lect: str) -> None:
    assert _seconds(driver, lect, 48_000) < 12 * _seconds(driver, lect, 8_000)


async def ever() -> AsyncIterator[str]:
    """Chunks that are there at once, always: nothing else in the event loop has its turn while one asks for more."""
    while True:
        yield "word "


@pytest.mark.parametrize("driver", ASYNC)
def test_a_stream_that_never_waits_ends_with_the_time(driver: str) -> None:
    result = run(driver, Agent("react", lambda prompt: ever(), [echo], max_execution_time=0.05))
    assert result.stop_reason == "time"


@pytest.mark.parametrize("driver", ASYNC)
def test_a_stream_that_never_waits_lets_others_have_their_turn(driver: str) -> None:
    cancel = Cancel()
    agent = Agent("react", lambda prompt: ever(), [echo], max_execution_time=20)

    async def pull() -> None:
        await anyio.sleep(0.01)
        cancel.cancel()

    async def main() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(pull)
            result = await agent.arun("q", cancel=cancel)
        assert result.stop_reason == "cancelled"

    in_loop(driver, main)


@pytest.mark.parametrize("lect", LECTS)
@pytest.mark.parametrize("driver", DRIVERS)
def test_a_stream_without_an_end_ends_with_the_time(driver: str, lect: str) -> None:
    closed: list[bool] = []

    def endless(prompt: Any, tools: Any = None) -> Iterator[Any]:
        try:
            while True:
                yield "word " if not polylect.lect(lect).messages else {"content": "word "}
        finally:
            closed.append(True)

    result = run(driver, Agent(lect, endless, [echo], max_execution_time=0.05))
    assert result.stop_reason == "time"
    for _ in range(2_000):
        if closed:
            break
        time.sleep(0.001)
    assert closed == [True]
