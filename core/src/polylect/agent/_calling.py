"""One call of a tool: its arguments, the call itself, and what becomes of an error."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from itertools import islice
from types import AsyncGeneratorType, GeneratorType
from typing import Any

from .._errors import RunError, ToolError
from .._tools import Tool, Toolbox
from .._values import EXCEPTION_TOOL, AgentAction
from ._arguments import ArgumentFault, bind, check, is_async
from ._reading import unknown_tool
from ._settings import Settings
from ._values import RunState, ToolResult

Prepared = Callable[[], Any]
"""A call with its arguments bound: what it returns may have to be awaited."""


class Caller:
    """Prepares calls, and makes results of what they return and raise."""

    def __init__(self, tools: Toolbox | None, settings: Settings) -> None:
        self.tools = tools or Toolbox()
        self.settings = settings
        self._async = {name: is_async(tool) for name, tool in self.tools.items()}
        if EXCEPTION_TOOL in self.tools:
            raise ToolError(f"A tool can't be named {EXCEPTION_TOOL!r}: that is the name of calls that must not run.")
        for tool in self.tools.values():
            if tool.function is not None:
                check(tool)

    def is_async(self, action: AgentAction) -> bool:
        """Whether the action's tool is asynchronous."""
        return self._async.get(action.tool, False)

    def tool(self, action: AgentAction) -> Tool | None:
        """The action's tool."""
        return self.tools.get(action.tool)

    def prepare(self, action: AgentAction) -> Prepared | ToolResult:
        """The call, or the observation that says why there can be none."""
        tool = self.tools.get(action.tool)
        if tool is None:
            return ToolResult(unknown_tool(action.tool, list(self.tools)), "unknown")
        if tool.function is None:
            return ToolResult(f"The tool {tool.name!r} can't be called here: it has no function.", "error")
        try:
            args, kwargs = bind(tool, action.tool_input)
        except ArgumentFault as fault:
            return ToolResult(fault.sentence, "invalid")
        except ToolError as error:
            return ToolResult(f"The tool {tool.name!r} can't be called: {error}", "error")
        function = tool.function
        return lambda: _collected(function(*args, **kwargs))

    def failed(self, state: RunState, action: AgentAction, error: BaseException) -> ToolResult:
        """The observation for a tool that raised.

        Raises:
            RunError: the policy ``tool_errors`` is to raise, or its callable fails.
        """
        policy = self.settings.tool_errors
        if policy == "raise":
            raise RunError(f"The tool {action.tool!r} failed: {told(error)}", state) from error
        if policy == "observe":
            return ToolResult(f"The tool {action.tool!r} failed: {told(error)}", "error")
        if isinstance(policy, str):
            return ToolResult(policy, "error")
        try:
            found = policy(error)
        except Exception as fault:
            raise RunError(f"tool_errors failed for {told(error)}: {told(fault)}", state) from fault
        if not isinstance(found, str):
            raise RunError(f"tool_errors makes a text for the model, not {type(found).__name__}.", state) from error
        return ToolResult(found, "error")


def told(error: BaseException) -> str:
    """An error in one line, for the model: its class and its words, none of Python's internals."""
    try:
        words = str(error).strip()
    except Exception:  # a stranger's __str__
        words = ""
    return f"{type(error).__name__}: {words}" if words else type(error).__name__


MOST_ITEMS = 10_000
"""Items of a generator that are taken as a tool's result: more than any observation holds."""


def _collected(value: Any) -> Any:
    """What a call returned; of a generator, what it yields, run where the call ran."""
    if isinstance(value, GeneratorType):
        try:
            return list(islice(value, MOST_ITEMS))
        finally:
            value.close()
    return _gathered(value) if isinstance(value, AsyncGeneratorType) else value


async def _gathered(items: AsyncGeneratorType[Any, Any]) -> list[Any]:
    found: list[Any] = []
    async with aclosing(items):
        async for item in items:
            found.append(item)
            if len(found) == MOST_ITEMS:
                break
    return found
