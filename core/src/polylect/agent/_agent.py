"""The agent: a pipeline, run until it has an answer."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Callable, Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from .._errors import PluginError, PromptError
from .._lect import Lect
from .._pipeline import Pipeline
from .._registry import registry
from .._tools import Tools
from ._calling import Caller
from ._cancel import Cancel
from ._driving import Drive
from ._hooks import hooks_of, joined
from ._loop import Loop, Want
from ._settings import SETTINGS, check_options, settings_of
from ._values import (
    AgentEvent,
    CallModel,
    CallTools,
    ModelResult,
    RunResult,
    RunState,
    ToolResult,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from ._async import AsyncRun


NO_TOOLS: tuple[()] = ()
"""The default, told apart from an empty list by its identity."""


class Agent:
    """Asks the model, runs the tools it calls, and asks again, until there is an answer or a limit is reached.

    >>> import polylect
    >>> def model(prompt: str) -> str:
    ...     return " I know this.\\nFinal Answer: Oslo"
    >>> polylect.Agent("react", model).run("What is the capital of Norway?").output
    'Oslo'

    Args:
        lect: the tongue, by name or as it is; or a whole :class:`polylect.Pipeline`.
        model: any callable of a prompt, see :class:`polylect.Model`; or a name: ``"openai:gpt-4o-mini"``, ``"local"``.
        tools: in any form that :func:`polylect.as_tool` takes, each with a function; by default the pipeline's.
        max_iterations: how often the model may be asked; None: no limit.
        max_execution_time: seconds for the whole run; None: no limit. Asynchronous drivers keep it during the calls of
            the model and of tools; synchronous ones between them, between a model's chunks, and during tools.
        early_stopping: what a run that reaches a limit gives: ``"force"`` a sentence that says so, ``"generate"`` what
            the model answers when it is asked once more, without tools.
        parsing_errors: for replies that can't be read: ``"observe"`` (the model is told what to correct), ``"raise"``,
            a text for the model, or a callable of the ParseError that makes one.
        tool_errors: for tools that raise: the same, with the exception.
        max_retries: how many unreadable replies may follow each other; one more stops the run with ``loop``.
        max_repeats: how often a turn may follow itself, with the same calls and the same results, before ``loop``.
        trim: which steps the prompt shows: the last n, those that a callable of the list of steps returns, or as many
            as a :class:`polylect.TokenBudget` holds. The result has them all.
        tool_choice: ``"auto"``; ``"required"`` or a tool's name: a tool must have run before there is an answer;
            ``"none"``: no tool may run.
        return_intermediate_steps: whether ``return_values`` has the steps too; ``result.steps`` always has them.
        max_observation: characters of one observation that are kept; None: all.
        hooks: objects with hooks (``polylect_wrap_tool_call``, …), beside those of installed plugins.
        pipeline: all other arguments of :class:`polylect.Pipeline`: ``prompt``, ``stop``, policies, and so on.

    Raises:
        PromptError: a setting is wrong, or the pipeline is; all that can be told beforehand is.
        LectError, ToolError, PluginError: an unknown lect or policy, a broken tool, a broken hook.
    """

    def __init__(
        self,
        lect: str | Lect | Pipeline,
        model: str | Callable[..., Any] | None = None,
        tools: Tools = NO_TOOLS,
        *,
        hooks: Iterable[object] = (),
        **options: Any,
    ) -> None:
        given = {name: options.pop(name) for name in list(options) if name in SETTINGS}
        check_options(options, model)
        if isinstance(lect, Pipeline):
            more: dict[str, Any] = {} if model is None else {"model": model}
            more |= {} if tools is NO_TOOLS else {"tools": tools}
            self.pipeline = lect.replace(**more, **options) if more or options else lect
        else:
            self.pipeline = Pipeline(lect, model, tools, **options)
        if self.pipeline.bound_model is None:
            raise PromptError("An agent needs a model: Agent(lect, model, tools).")
        self.settings = settings_of(given, list(self.pipeline.tools or ()))
        if isinstance(hooks, (str, bytes)) or not isinstance(hooks, Iterable):
            raise PluginError(f"hooks is a list of objects with hooks, not {type(hooks).__name__}. Write hooks=[…].")
        self.hooks = joined(hooks_of(registry.hook_plugins(), strict=False), hooks_of(hooks))
        self._loop = Loop(self.pipeline, self.settings)
        self._caller = Caller(self.pipeline.tools, self.settings)

    # --- the loop, without I/O ------------------------------------------------------------------------------------

    def start(self, text: str | None = None, /, **inputs: Any) -> RunState:
        """A run at its beginning.

        Args:
            text: the value of the prompt's variable ``input``.
            inputs: the values of the prompt's variables.

        Raises:
            PromptError: an input is missing, or the prompt has no place for it.
        """
        if text is not None:
            if "input" in inputs:
                raise PromptError("The input was given twice: as the first argument and by name.")
            if not isinstance(text, str):
                kind = type(text).__name__
                raise PromptError(
                    f"A run starts from a text or from inputs by name: run(input=…), and not from {kind}."
                )
            inputs["input"] = text
        self.pipeline.check_inputs(inputs)  # what is missing is told before anything runs
        return RunState(inputs, lect=self.pipeline.lect.name)

    def next(self, state: RunState) -> Want:
        """What the run needs: a :class:`CallModel`, a :class:`CallTools`, or nothing more: its :class:`RunResult`."""
        return self._loop.next(self._checked(state))

    def advance(self, state: RunState, result: ModelResult | str | Sequence[ToolResult]) -> RunState:
        """Tell the run what came of what it wanted; changes ``state``, and gives it back.

        Args:
            state: the run, which wants something.
            result: for a CallModel the model's output, for a CallTools the results in the order of its actions.

        Raises:
            PromptError: the run wants something else.
            RunError: the reply can't be read, and the policy is to raise.
        """
        want = self.next(state)
        if isinstance(want, CallModel):
            if isinstance(result, str):
                result = ModelResult(result)
            if not isinstance(result, ModelResult):
                raise PromptError(f"The run waits for a ModelResult, not for {type(result).__name__}.")
            self._loop.take_model(state, want, result, self._loop.read(want, result.output, result.finish_reason))
        elif isinstance(want, CallTools):
            if isinstance(result, (str, ModelResult)) or not all(isinstance(x, ToolResult) for x in result):
                raise PromptError("The run waits for a list of ToolResult, one for each of its actions.")
            self._loop.take_tools(state, list(result))
        else:
            raise PromptError(f"This run is over: {want.stop_reason}.")
        return state

    def _checked(self, state: RunState) -> RunState:
        if not isinstance(state, RunState):
            raise PromptError(f"A run's state is a RunState, see agent.start(), not {type(state).__name__}.")
        if state.lect != self.pipeline.lect.name:
            raise PromptError(
                f"This state is of a run in {state.lect!r}, and the agent speaks {self.pipeline.lect.name!r}."
            )
        return state

    # --- the drivers ----------------------------------------------------------------------------------------------

    def run(self, start: str | RunState | None = None, /, *, cancel: Cancel | None = None, **inputs: Any) -> RunResult:
        """Run to the end.

        Args:
            start: the value of ``input``, or the state of a run that is to be taken up again.
            cancel: stops the run from elsewhere.
            inputs: the values of the prompt's variables.

        Raises:
            RunError: the model failed, or a policy is to raise; its ``state`` takes the run up again.
            PromptError: an input is missing.
        """
        events = self._events(start, cancel, inputs, live=False)
        while True:
            try:
                next(events)
            except StopIteration as end:
                result: RunResult = end.value
                return result

    def stream(
        self, start: str | RunState | None = None, /, *, cancel: Cancel | None = None, **inputs: Any
    ) -> Iterator[AgentEvent]:
        """Run to the end, and tell what happens while it does; the last event is a :class:`Finish` with the result.

        Arguments and errors as for :meth:`run`. Closing the iterator stops the run.
        """
        return self._events(start, cancel, inputs, live=True)

    def _events(
        self, start: Any, cancel: Cancel | None, inputs: dict[str, Any], *, live: bool
    ) -> Generator[AgentEvent, None, RunResult]:
        from ._sync import drive

        return drive(Drive(self, self._loop, self._caller, self.hooks, self._state(start, inputs), cancel, live=live))

    def _state(self, start: Any, inputs: dict[str, Any]) -> RunState:
        if isinstance(start, RunState):
            if inputs:
                raise PromptError("A run that is taken up again has its inputs already.")
            return self._checked(start)
        return self.start(start, **inputs)

    async def arun(
        self, start: str | RunState | None = None, /, *, cancel: Cancel | None = None, **inputs: Any
    ) -> RunResult:
        """:meth:`run`, on asyncio or trio. Limits and ``cancel`` also end the calls that are going on."""
        drive = _asynchronous()

        state = self._state(start, inputs)
        return await drive(Drive(self, self._loop, self._caller, self.hooks, state, cancel, live=False)).result()

    def astream(
        self, start: str | RunState | None = None, /, *, cancel: Cancel | None = None, **inputs: Any
    ) -> AsyncIterator[AgentEvent]:
        """:meth:`stream`, on asyncio or trio."""
        drive = _asynchronous()

        state = self._state(start, inputs)
        events: AsyncGenerator[AgentEvent, None] = drive(
            Drive(self, self._loop, self._caller, self.hooks, state, cancel, live=True)
        ).events()
        return events

    def __repr__(self) -> str:
        return f"<agent {self.pipeline!r}>"


def _asynchronous() -> Callable[[Drive], AsyncRun]:
    """The asynchronous driver.

    Raises:
        PromptError: anyio, which it stands on, is not installed.
    """
    try:
        importlib.import_module("anyio")
    except ImportError:
        raise PromptError(
            "Asynchronous runs need anyio. Run: pip install 'polylect-core[agent]' (in a checkout: pip install "
            "'./core[agent]')."
        ) from None
    from ._async import drive

    return drive
