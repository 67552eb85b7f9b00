"""Hooks around the calls of a run: by whom, in which order, and what they may do."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import anyio
import pytest

import polylect
from polylect import (
    AgentAction,
    CallModel,
    ModelError,
    ModelResult,
    PluginError,
    RunError,
    RunResult,
    RunState,
    Tool,
    ToolResult,
    hookimpl,
)

from .scenes import ASYNC, DRIVERS, agent, answer, call, calls, echo, events, observations, run


class Log:
    """Hooks that write down that they were called."""

    def __init__(self, name: str, told: list[str]) -> None:
        self.name, self.told = name, told

    def polylect_before_run(self, state: RunState) -> None:
        self.told.append(f"{self.name} run")

    def polylect_after_run(self, state: RunState, result: RunResult) -> None:
        self.told.append(f"{self.name} end {result.stop_reason}")

    def polylect_run_failed(self, state: RunState, error: BaseException) -> None:
        self.told.append(f"{self.name} failed {type(error).__name__}")

    def polylect_before_model(self, state: RunState, call: CallModel) -> None:
        self.told.append(f"{self.name} model {call.turn}")

    def polylect_after_model(self, state: RunState, call: CallModel, result: ModelResult) -> None:
        self.told.append(f"{self.name} replied {call.turn}")

    def polylect_before_tool(self, state: RunState, action: AgentAction, tool: Tool) -> None:
        self.told.append(f"{self.name} tool {tool.name} {action.tool_input}")

    def polylect_after_tool(self, state: RunState, action: AgentAction, tool: Tool, result: ToolResult) -> None:
        self.told.append(f"{self.name} got {result.observation}")

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[CallModel, ModelResult, Any]:
        self.told.append(f"{self.name} in")
        result = yield call
        self.told.append(f"{self.name} out")
        return result

    def polylect_wrap_tool_call(
        self, state: RunState, action: AgentAction, tool: Tool
    ) -> Generator[AgentAction, ToolResult, ToolResult]:
        self.told.append(f"{self.name} tool in")
        result = yield action
        self.told.append(f"{self.name} tool out")
        return result


@pytest.mark.parametrize("driver", DRIVERS)
def test_the_first_is_called_first_and_is_the_outermost(driver: str) -> None:
    told: list[str] = []
    built, _ = agent("react", call("react"), answer("react"), hooks=[Log("A", told), Log("B", told)])
    assert run(driver, built).output == "42"
    model = ["A in", "B in", "B out", "A out"]
    assert told == [
        "A run", "B run",
        "A model 1", "B model 1", *model, "A replied 1", "B replied 1",
        "A tool echo hi", "B tool echo hi", "A tool in", "B tool in", "B tool out", "A tool out",
        "A got said hi", "B got said hi",
        "A model 2", "B model 2", *model, "A replied 2", "B replied 2",
        "A end finished", "B end finished",
    ]  # fmt: skip


class Change:
    """Wrappers that change what is asked and what is answered."""

    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[CallModel, ModelResult, Any]:
        import msgspec

        request = msgspec.structs.replace(call.request, prompt=f"{call.request.prompt}!")
        result = yield msgspec.structs.replace(call, request=request)
        return msgspec.structs.replace(result, output=result.output.replace("hi", "ho"))

    def polylect_wrap_tool_call(
        self, state: RunState, action: AgentAction, tool: Tool
    ) -> Generator[AgentAction, ToolResult, ToolResult]:
        result = yield AgentAction("echo", f"{action.tool_input}!")
        return ToolResult(f"{result.observation}?", result.status)


@pytest.mark.parametrize("driver", DRIVERS)
def test_wrappers_may_change_both_sides(driver: str) -> None:
    built, model = agent("react", call("react"), answer("react"), hooks=[Change()])
    result = run(driver, built)
    assert observations(result) == ["said ho!?"]
    assert result.steps[0].action.tool_input == "ho"
    assert all(str(asked.prompt).endswith("!") for asked in model.asked)


class Cache:
    """A wrapper that asks once for each prompt, and each tool once for each input."""

    def __init__(self) -> None:
        self.replies: dict[str, ModelResult] = {}
        self.results: dict[str, ToolResult] = {}

    def polylect_wrap_model_call(self, call: CallModel) -> Generator[CallModel, ModelResult, ModelResult]:
        key = str(call.request.prompt)
        if key not in self.replies:
            self.replies[key] = yield call
        return self.replies[key]

    def polylect_wrap_tool_call(self, action: AgentAction) -> Generator[AgentAction, ToolResult, ToolResult]:
        key = str(action.tool_input)
        if key not in self.results:
            self.results[key] = yield action
        return self.results[key]


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_cache_asks_nobody_the_second_time(driver: str) -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        ran.append(text)
        return text

    built, model = agent("react", call("react", "note"), answer("react"), tools=(note,), hooks=[Cache()])
    first, second = run(driver, built), run(driver, built)
    assert first.output == second.output == "42"
    assert first.steps == second.steps
    assert (len(model.asked), ran) == (2, ["hi"])
    told = [type(event).__name__ for event in events(driver, built)]
    assert told.count("AnswerDelta") == 1  # what comes from a cache is told like everything else


class Retry:
    """A wrapper that asks again when the model or a tool fails."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    def polylect_wrap_model_call(self, call: CallModel) -> Generator[CallModel, ModelResult, ModelResult]:
        while True:
            try:
                return (yield call)
            except ModelError as error:
                self.failures.append(str(error))

    def polylect_wrap_tool_call(self, action: AgentAction) -> Generator[AgentAction, ToolResult, ToolResult]:
        while True:
            try:
                return (yield action)
            except ValueError as error:
                self.failures.append(str(error))


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_wrapper_may_try_again(driver: str) -> None:
    moods = [True, False, True, False]

    def moody(text: str) -> str:
        if moods.pop(0):
            raise ValueError("not now")
        return "fine"

    retry = Retry()
    script = (ModelError("down"), calls("react", ("moody", "a"), ("moody", "b")), answer("react"))
    built, _ = agent("react", *script, tools=(moody,), hooks=[retry])
    assert observations(run(driver, built)) == ["fine", "fine"]
    assert retry.failures[0] == "down"
    assert sorted(retry.failures[1:]) == ["not now"] * len(retry.failures[1:])
    assert 2 <= len(retry.failures) <= 3


class Approve:
    """A wrapper that refuses a call."""

    def polylect_wrap_tool_call(self, action: AgentAction) -> Generator[AgentAction, ToolResult, ToolResult]:
        if action.tool_input == "bad":
            return ToolResult("You may not do this.", "refused")
        return (yield action)


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_call_may_be_refused(driver: str) -> None:
    turn = calls("react", ("echo", "good"), ("echo", "bad"))
    built, _ = agent("react", turn, answer("react"), hooks=[Approve()])
    result = run(driver, built)
    assert observations(result) == ["said good", "You may not do this."]
    assert [x.status for x in result.turns[0].results] == ["ok", "refused"]


class Asynchronous:
    """Hooks that wait."""

    def __init__(self) -> None:
        self.told: list[str] = []

    async def polylect_before_tool(self, action: AgentAction) -> None:
        await anyio.sleep(0)
        self.told.append("before")

    async def polylect_after_model(self, result: ModelResult) -> None:
        await anyio.sleep(0)
        self.told.append("replied")

    def polylect_wrap_tool_call(self, action: AgentAction) -> Generator[Any, Any, ToolResult]:
        approved = yield self.ask(action)
        if not approved:
            return ToolResult("refused", "refused")
        result: ToolResult = yield action
        return result

    async def ask(self, action: AgentAction) -> bool:
        await anyio.sleep(0)
        return action.tool_input != "bad"


@pytest.mark.parametrize("driver", ASYNC)
def test_hooks_may_wait_in_asynchronous_drivers(driver: str) -> None:
    hooks = Asynchronous()
    built, _ = agent("react", calls("react", ("echo", "a"), ("echo", "bad")), answer("react"), hooks=[hooks])
    assert observations(run(driver, built)) == ["said a", "refused"]
    assert hooks.told == ["replied", "before", "before", "replied"]


def test_the_synchronous_driver_says_that_it_can_not_wait() -> None:
    built, _ = agent("react", call("react"), answer("react"), hooks=[Asynchronous()])
    with pytest.raises(PluginError, match=r"asynchronous: use agent\.arun"):
        built.run("q")


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_failure_is_told(driver: str) -> None:
    told: list[str] = []
    built, _ = agent("react", ModelError("down"), hooks=[Log("A", told)])
    with pytest.raises(RunError):
        run(driver, built)
    assert told[-1] == "A failed RunError"


def test_closing_is_told_too() -> None:
    told: list[str] = []
    built, _ = agent("react", call("react"), answer("react"), hooks=[Log("A", told)])
    stream = built.stream("q")
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert told[-1] == "A failed GeneratorExit"


# --- wrong hooks ------------------------------------------------------------------------------------------------------


class Misspelt:
    def polylect_wrap_tol_call(self) -> None: ...


class AsksTooMuch:
    def polylect_before_model(self, call: CallModel, mood: str) -> None: ...


class NoGenerator:
    def polylect_wrap_tool_call(self, action: AgentAction) -> Any:
        return ToolResult("x")


class NoResult:
    def polylect_wrap_tool_call(self, action: AgentAction) -> Any:
        yield action


class YieldsOther:
    def polylect_wrap_tool_call(self, action: AgentAction) -> Any:
        yield "action"


@pytest.mark.parametrize(
    ("hook", "told"),
    [(Misspelt(), "Did you mean 'polylect_wrap_tool_call'"), (AsksTooMuch(), "'mood'"), (object(), "has no hook")],
)
def test_wrong_hooks_are_found_when_the_agent_is_built(hook: object, told: str) -> None:
    with pytest.raises(PluginError, match=told):
        agent("react", hooks=[hook])


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize(
    ("hook", "told"),
    [(NoGenerator(), "no generator"), (NoResult(), "returns a ToolResult, not NoneType"), (YieldsOther(), "yields a")],
)
def test_wrong_wrappers_are_named(hook: object, told: str, driver: str) -> None:
    built, _ = agent("react", call("react"), answer("react"), hooks=[hook])
    with pytest.raises(PluginError, match=told):
        run(driver, built)


@pytest.mark.parametrize("driver", DRIVERS)
def test_what_a_wrapper_raises_is_a_failure_of_the_tool(driver: str) -> None:
    class Moody:
        def polylect_wrap_tool_call(self, action: AgentAction) -> Any:
            yield action
            raise ValueError("after all")

    built, _ = agent("react", call("react"), answer("react"), hooks=[Moody()])
    assert "after all" in observations(run(driver, built))[0]


# --- plugins ----------------------------------------------------------------------------------------------------------


def test_the_hooks_of_a_plugin_file_stand_around_every_run(tmp_path: Path) -> None:
    file = tmp_path / "watch.py"
    file.write_text(
        "import polylect\n"
        "told = []\n"
        "@polylect.hookimpl\n"
        "def polylect_before_tool(action):\n"
        "    told.append(action.tool_input)\n"
    )
    module = polylect.load_plugin_file(file)
    try:
        built, _ = agent("react", call("react"), answer("react"))
        built.run("q")
        assert module.told == ["hi"]
    finally:
        from polylect._registry import registry

        registry._manager.unregister(module)


def test_a_marked_hook_works_by_itself_too() -> None:
    class Marked:
        told: list[Any]

        def __init__(self) -> None:
            self.told = []

        @hookimpl
        def polylect_before_tool(self, action: AgentAction) -> None:
            self.told.append(action.tool)

    hook = Marked()
    built, _ = agent("react", call("react"), answer("react"), tools=(echo,), hooks=[hook])
    built.run("q")
    assert hook.told == ["echo"]
