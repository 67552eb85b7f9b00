"""What the scenarios of the observed facts are put together of: tools, models and hooks, by their names in the file."""

from __future__ import annotations

import datetime
import itertools
import json
import threading
from collections.abc import Callable, Generator
from typing import Any

import anyio

import polylect
from polylect import (
    AgentAction,
    AgentFinish,
    CallModel,
    ModelResult,
    PolylectError,
    RunState,
    Scripted,
    Tool,
    ToolResult,
)
from polylect.plugin import Asked

# --- tools ------------------------------------------------------------------------------------------------------------


def echo(x: str) -> str:
    """Echo."""
    return f"<{x}>"


def two(a: int, b: int) -> int:
    """Add."""
    return a + b


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def boom(x: str) -> str:
    """Fail."""
    raise RuntimeError("kaput")


def soft(x: str) -> str:
    """Fail, as one may."""
    raise ValueError("soft fail")


def mapping(x: str) -> dict[str, Any]:
    """Dict result."""
    return {"k": x, "n": 1}


async def later(x: str) -> str:
    """Not at once."""
    await anyio.sleep(0)
    return f"later {x}"


def ask(x: str) -> str:
    """Ask a person, who is not here."""
    raise RuntimeError("nobody is here")


class Together:
    """A tool that returns when three calls of it are going on at once; alone it gives up and says so."""

    __name__ = "slow"

    def __init__(self) -> None:
        self._all_here = threading.Barrier(3)

    def __call__(self, x: str) -> str:
        """Be slow."""
        try:
            self._all_here.wait(timeout=20)
        except threading.BrokenBarrierError:
            return f"alone {x}"
        return f"slow {x}"


def weather(temp: float, sky: str) -> dict[str, Any]:
    """The answer."""
    return {"temp": temp, "sky": sky}


def schema(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def taken(**arguments: Any) -> dict[str, Any]:
    return arguments


NUMBER = schema("n", n={"type": "integer"})
WEATHER = schema("temp sky", temp={"type": "number", "minimum": -100}, sky={"type": "string"})


def tool(name: str) -> Any:
    """A tool by the name that it has in the file; those in capitals are answers with a schema."""
    made: dict[str, Callable[[], Any]] = {
        "slow": lambda: polylect.as_tool(Together()),
        "direct": lambda: Tool("direct", "", schema("x", x={"type": "string"}), lambda x: f"D:{x}", return_direct=True),
        "SECOND": lambda: Tool("echo", "", schema("x", x={"type": "string"}), lambda x: f"SECOND {x}"),
        "Intermediate Answer": lambda: Tool(name, "", schema("q", q={"type": "string"}), lambda q: f"A:{q}"),
        "W": lambda: Tool("W", "weather", WEATHER, weather, return_direct=True),
        "K": lambda: Tool("K", "", schema(), taken, return_direct=True),
    }
    if name in made:
        return made[name]()
    if len(name) == 1:
        return Tool(name, "", NUMBER, taken, return_direct=True)
    return globals()[name]


# --- models, settings, hooks ------------------------------------------------------------------------------------------


def model_of(given: dict[str, Any]) -> Any:
    """A model that gives its replies one by one, and the last one again and again."""
    replies = [_message(reply) for reply in given.get("replies", [])]
    script = Scripted(itertools.chain(replies[:-1], itertools.repeat(replies[-1])) if replies else ())
    kind = given.get("model", "")
    if kind == "deaf":
        return Deaf(script)
    if kind == "text":

        def text_model(prompt: str) -> str:
            return "42"

        return text_model
    if kind == "unbound":
        return Unbound()
    return script


class Deaf:
    """A model that takes stop strings and goes on behind them."""

    def __init__(self, script: Scripted) -> None:
        self._script = script
        self.asked: list[Asked] = []

    def __call__(self, prompt: Any, *, stop: Any = None) -> Any:
        self.asked.append(Asked(prompt, tuple(stop or ())))
        return self._script(prompt)


class Unbound:
    """A chat model whose ``bind_tools`` nobody has written."""

    def bind_tools(self, tools: Any) -> Any:
        raise NotImplementedError

    def __call__(self, prompt: Any) -> str:
        return "42"


def _message(reply: Any) -> Any:
    """A reply as a provider sends it: ``calls`` are name, arguments (or their broken text) and id."""
    if not isinstance(reply, dict) or "function_call" in reply:
        return reply
    if "fails" in reply:
        return polylect.ModelError("The line is dead.")
    message = {"role": "assistant", "content": reply.get("content", "")}
    if "calls" in reply:
        message["tool_calls"] = [
            {"id": id_, "type": "function", "function": {"name": name, "arguments": _text(arguments)}}
            for name, arguments, id_ in reply["calls"]
        ]
    return message


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _fail(error: Exception) -> Any:
    raise ZeroDivisionError("division by zero")


def two_actions(output: Any) -> Any:
    """A parse stage that acts twice, then is done."""
    if "again" in str(output):
        return [AgentAction("echo", "a"), AgentAction("echo", "b", "", None, 1)]
    return AgentFinish({"output": 1})


NAMED: dict[str, Any] = {
    "first words": lambda error: f"cb: {error}"[:12],
    "a dict": lambda error: {"a": 1},
    "a failure": _fail,
    "an error's words": lambda error: f"cb {error}",
    "the first step": lambda steps: steps[:1],
    "two actions": two_actions,
    "nothing": lambda output: None,
    "no action": lambda output: [],
    "a date": datetime.date(2026, 1, 2),
}
"""What stands as ``{"named": name}`` in the file."""


class Retries:
    """Asks the model again when it fails."""

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[Any, Any, ModelResult]:
        try:
            result: ModelResult = yield call
        except PolylectError:
            result = yield call
        return result


class NewRequest:
    """Asks for something else, and without tools."""

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[Any, Any, ModelResult]:
        prompt = [{"role": "system", "content": "new"}, *call.request.prompt[-1:]]
        request = polylect.Request(prompt)
        result: ModelResult = yield CallModel(request, call.turn)
        return result


class Catches:
    """Makes an observation of what a tool raised."""

    def polylect_wrap_tool_call(self, state: RunState, action: AgentAction) -> Generator[Any, Any, ToolResult]:
        try:
            result: ToolResult = yield action
        except RuntimeError as error:
            return ToolResult(f"caught {error}", "error")
        return result


class OneCall:
    """Lets one call run, and refuses all after it."""

    def __init__(self) -> None:
        self.left = 1

    def polylect_wrap_tool_call(self, state: RunState, action: AgentAction) -> Generator[Any, Any, ToolResult]:
        self.left -= 1
        if self.left < 0:
            return ToolResult("No more calls.", "refused")
        result: ToolResult = yield action
        return result


class Edits:
    """A person looks at each call, and puts other arguments in."""

    def polylect_wrap_tool_call(self, state: RunState, action: AgentAction) -> Generator[Any, Any, ToolResult]:
        result: ToolResult = yield AgentAction(
            action.tool, {"a": 9, "b": 9}, action.log, action.id, action.index, action.message
        )
        return ToolResult(f"A person called {action.tool} with other arguments: {result.observation}")


class Approves:
    """A person looks at each call, and lets it run."""

    def polylect_wrap_tool_call(self, state: RunState, action: AgentAction) -> Generator[Any, Any, ToolResult]:
        result: ToolResult = yield action
        return result


class Ends:
    """Gives the answer in the model's place."""

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[Any, Any, ModelResult]:
        return ModelResult({"role": "assistant", "content": "jumped"})
        yield call


class EndsAfter:
    """Gives the answer in the place of a reply that calls tools."""

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[Any, Any, ModelResult]:
        yield call
        return ModelResult({"role": "assistant", "content": "jumped"})


class AsksWhom:
    """Tells the model who is asking."""

    def __init__(self) -> None:
        self.user = "bob"

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[Any, Any, ModelResult]:
        prompt = [{"role": "system", "content": f"hello {self.user}"}, *call.request.prompt[-1:]]
        result: ModelResult = yield CallModel(polylect.Request(prompt), call.turn)
        return result


class Notes:
    """Notes when tools begin and end."""

    def __init__(self) -> None:
        self.order: list[str] = []

    def polylect_before_tool(self) -> None:
        self.order.append("before")

    def polylect_after_tool(self) -> None:
        self.order.append("after")


HOOKS: dict[str, Callable[[], Any]] = {
    "retries": Retries,
    "new request": NewRequest,
    "catches": Catches,
    "one call": OneCall,
    "edits": Edits,
    "approves": Approves,
    "ends": Ends,
    "ends after": EndsAfter,
    "asks whom": AsksWhom,
}


def value(given: Any) -> Any:
    """A value of the file; what is no JSON has a name there."""
    return NAMED[given["named"]] if isinstance(given, dict) and "named" in given else given
