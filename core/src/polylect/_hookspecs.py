"""The hooks that a plugin may implement. One entry-point group (``polylect``), hooks prefixed ``polylect_``."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
import pluggy

from ._lect import Lect

if TYPE_CHECKING:
    from ._tools import Tool
    from ._values import AgentAction
    from .agent._agent import Agent
    from .agent._values import CallModel, ModelResult, RunResult, RunState, ToolResult

PROJECT = "polylect"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)
"""Marks a plugin's implementation of a hook."""


class LectSpec(msgspec.Struct, frozen=True):
    """A lect as a plugin announces it: enough to list it without loading it.

    ``load`` makes the lect: a callable, or ``"module:attribute"`` naming one (or naming the lect itself). ``models``
    are the names of the models that speak it, or how they begin.
    """

    name: str
    title: str
    family: str
    load: Callable[[], Lect] | str
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


class ModelSpec(msgspec.Struct, frozen=True):
    """A model as a plugin announces it: enough to list it without loading it.

    ``load`` is a factory, or ``"module:attribute"`` naming one. It is called with the argument (a text, or None: what
    stands behind the first colon in ``polylect.model("name:argument")``) and the options as keywords, and gives the
    model: any callable as :class:`polylect.Model` tells.
    """

    name: str
    title: str
    load: Callable[..., Any] | str


class Specifications:
    """The hook specifications.

    Hooks around a run may change the :class:`polylect.RunState` only by what they return. In asynchronous drivers a
    ``before`` or ``after`` hook may be a coroutine function, and a wrapper may also yield an awaitable. The context
    variables (``contextvars``) that a wrapper sets hold inside the call that it wraps, and nowhere else.
    """

    @hookspec
    def polylect_lects(self) -> Iterable[LectSpec] | Any:
        """The lects that this plugin brings. Import nothing heavy here: ``LectSpec.load`` is for that."""

    @hookspec
    def polylect_models(self) -> Iterable[ModelSpec] | Any:
        """The models that this plugin brings. Import nothing heavy here: ``ModelSpec.load`` is for that."""

    @hookspec
    def polylect_before_run(self, state: RunState, agent: Agent) -> Any:
        """A run begins, or is taken up again."""

    @hookspec
    def polylect_after_run(self, state: RunState, result: RunResult) -> Any:
        """A run has ended, with an answer or at a limit."""

    @hookspec
    def polylect_run_failed(self, state: RunState, error: BaseException) -> Any:
        """A run could not go on, or its stream was closed before its end (GeneratorExit); called in every driver."""

    @hookspec
    def polylect_before_model(self, state: RunState, call: CallModel) -> Any:
        """The model is about to be asked."""

    @hookspec
    def polylect_after_model(self, state: RunState, call: CallModel, result: ModelResult) -> Any:
        """The model has answered."""

    @hookspec
    def polylect_before_tool(self, state: RunState, action: AgentAction, tool: Tool) -> Any:
        """A tool is about to be called; called in the driver's own thread."""

    @hookspec
    def polylect_after_tool(self, state: RunState, action: AgentAction, tool: Tool, result: ToolResult) -> Any:
        """A tool's result is there."""

    @hookspec
    def polylect_wrap_model_call(self, state: RunState, call: CallModel) -> Generator[Any, Any, ModelResult]:
        """Around each call of the model, for caching, retries, limits or tracing: a generator.

        ``result = yield call`` asks the model, with ``call`` as it is or changed, and gives a ModelResult or raises
        what the model raised; it may be done again, or not at all. ``return result`` ends it. A function that returns
        None instead of a generator wraps nothing.
        """
        raise NotImplementedError

    @hookspec
    def polylect_wrap_tool_call(
        self, state: RunState, action: AgentAction, tool: Tool
    ) -> Generator[Any, Any, ToolResult]:
        """Around each call of a tool, for approval, caching or tracing: a generator, as above, over actions.

        It is run in the driver's own thread; the call that it yields runs beside those of the same turn.
        """
        raise NotImplementedError
