"""A recorded run once more, without model and tools: what is written down goes through the same loop."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from .._errors import LectError, PolylectError, RecordError, RunError
from .._json import encode_json
from .._outputs import ended
from .._pipeline import Pipeline
from .._prompt import Prompt
from .._stages import PromptStage
from .._tools import Tool, as_tool
from .._values import EXCEPTION_TOOL, AgentAction, AgentStep
from ._lines import CutLine, EndLine, ErrorLine, ModelLine, Record, RunLine, Source, ToolLine, read_record
from ._loop import Loop
from ._reading import places
from ._replies import IncomingReply
from ._settings import Settings
from ._trim import TokenBudget
from ._values import (
    AgentEvent,
    CallModel,
    CallTools,
    Finish,
    ModelEnd,
    ModelResult,
    ModelStart,
    RunResult,
    RunState,
    StepEnd,
    ToolEnd,
    ToolResult,
    ToolStart,
)

if TYPE_CHECKING:
    from ._agent import Agent


def replay(record: Source, agent: Agent | None = None, *, run: int = -1) -> RunResult:
    """Run once more what a :class:`polylect.Recorder` wrote down; neither the model nor the tools are asked.

    The loop that ran is run: what it wants must be what the record holds.

    Args:
        record: the path of a record, an open file, or its lines.
        agent: whose tongue, tools and settings count; None: those that the record tells of.
        run: which of the file's runs; by default the last one.

    Raises:
        RecordError: a line is malformed; or the agent wants something else than the record holds: with the number of
            the first such line.
        RunError: the run failed, or the record was cut; ``agent.run(error.state)`` takes it up where it stands.
        LectError: there is no such lect as the record tells of.
    """
    events = _Replay(read_record(record, run), agent, live=False).events()
    while True:
        try:
            next(events)
        except StopIteration as end:
            result: RunResult = end.value
            return result


def replay_events(record: Source, agent: Agent | None = None, *, run: int = -1) -> Iterator[AgentEvent]:
    """:func:`replay`, told as :meth:`polylect.Agent.stream` tells it; each reply comes in one piece.

    Arguments and errors as for :func:`replay`; those of the loop come when it is there.
    """
    return _Replay(read_record(record, run), agent, live=True).events()


class _Replay:
    """One run on its way through the loop again."""

    def __init__(self, record: Record, agent: Agent | None, *, live: bool) -> None:
        self._record, self._live, self._own = record, live, agent is None
        number, first = record.lines[0]
        assert isinstance(first, RunLine)
        self._first, self._number, self._next_line = first, number, 1
        if agent is None:
            pipeline, settings = rebuilt(first, record.place(number), number, prompts=live)
            if "parsing_errors" in first.left_out:
                settings = msgspec.structs.replace(settings, parsing_errors=self._sentence)
        else:
            pipeline, settings = agent.pipeline, agent.settings
            if pipeline.lect.name != first.lect:
                raise self._error(f"the run is in {first.lect!r}, and the agent speaks {pipeline.lect.name!r}")
        self._loop = Loop(pipeline, settings)
        self.state = first.state or RunState(dict(first.inputs), lect=first.lect)
        self._due = self._places()
        self._results: dict[int, ToolResult] = {}

    def events(self) -> Generator[AgentEvent, None, RunResult]:
        """Line by line."""
        state, lines = self.state, self._record.lines
        if self._live and state.waiting:
            yield from (ToolStart(state.iterations, state.turns[-1].actions[place]) for place in self._due)
        while self._next_line < len(lines):
            self._number, line = lines[self._next_line]
            self._next_line += 1
            match line:
                case ModelLine():
                    yield from self._reply(line)
                case ToolLine():
                    yield from self._result(line)
                case CutLine():
                    self._cut(line)
                case EndLine():
                    result = self._end(line)
                    if self._live:
                        yield Finish(state.iterations, result)
                    return result
                case ErrorLine():
                    raise self._failed(f"The recorded run failed: {line.error}: {line.message}".rstrip(": "))
        told = f"The record ends before its run does, at line {self._number} of {self._record.where}."
        raise self._failed(f"{told} To take the run up: agent.run(error.state).")

    # --- the lines ------------------------------------------------------------------------------------------------

    def _reply(self, line: ModelLine) -> Generator[AgentEvent, None, None]:
        state, loop = self.state, self._loop
        call = self._call(line)
        call = msgspec.structs.replace(call, request=msgspec.structs.replace(call.request, prefix=line.prefix))
        output = line.output if line.odd is None else _stand_in(line.odd, str(line.output))
        result = ModelResult(output, line.usage, line.seconds, line.finish_reason)
        if self._live:
            yield ModelStart(call.turn, call.request)
            incoming = IncomingReply(loop, call, live=True)
            yield from incoming.whole(ended(output, line.finish_reason))
            yield from incoming.close()[0]
            yield ModelEnd(call.turn, result)
        steps = len(state.steps)
        loop.take_model(state, call, result, loop.read(call, output, line.finish_reason))
        self._size(line.prompt_size)
        self._due = self._places()
        if not self._live:
            return
        yield from (StepEnd(call.turn, step) for step in state.steps[steps:])
        yield from (ToolStart(call.turn, action) for action in state.waiting)

    def _result(self, line: ToolLine) -> Generator[AgentEvent, None, None]:
        state = self.state
        turn = state.turns[-1] if state.turns else None
        if turn is None or turn.number != line.turn or not 0 <= line.place < len(turn.actions):
            raise self._error(
                f"the record has a call of {line.tool!r} in turn {line.turn}, and the agent {self._wants()}"
            )
        action = turn.actions[line.place]
        if (action.tool, action.id) != (line.tool, line.id) or not _same(action.tool_input, line.tool_input):
            raise self._error(
                f"the record has a call of {line.tool!r} with {line.tool_input!r:.200}, and the agent calls "
                f"{action.tool!r} with {action.tool_input!r:.200}"
            )
        if turn.results:
            self._compare(action, turn.results[line.place], line.result)
            return
        self._results[line.place] = line.result
        if line.stopping is not None:
            self._loop.stop(state, line.stopping)
        if line.place not in self._due:
            return
        del self._due[line.place]
        if self._live:
            yield ToolEnd(line.turn, action, line.result)
        if self._due:
            return
        given, self._results = self._results, {}
        steps = self._loop.take_tools(state, [given.pop(place) for place in self._places()])
        for place, result in given.items():
            self._compare(turn.actions[place], state.turns[-1].results[place], result)
        if self._live:
            yield from (StepEnd(line.turn, step) for step in steps)

    def _compare(self, action: AgentAction, mine: ToolResult, recorded: ToolResult) -> None:
        """The result of a call that the loop itself refuses."""
        if mine.status != recorded.status or not _same(mine.observation, recorded.observation):
            raise self._error(
                f"the observation of {action.tool!r} is {recorded.observation!r:.200} in the record, and the agent "
                f"says {mine.observation!r:.200}"
            )

    def _cut(self, line: CutLine) -> None:
        call = self._call(line)
        self._loop.stop(self.state, line.stopping)
        self._loop.interrupted(self.state, call, line.output, line.seconds)
        self._size(line.prompt_size)

    def _size(self, size: int) -> None:
        """What the model was sent is known from the record: the agent may have another prompt."""
        self.state.turns[-1] = msgspec.structs.replace(self.state.turns[-1], prompt_size=size)

    def _end(self, line: EndLine) -> RunResult:
        state = self.state
        state.seconds = line.seconds
        want = self._next()
        if not isinstance(want, RunResult) and line.stop_reason in ("time", "cancelled"):
            self._loop.stop(state, line.stop_reason)
            want = self._next()
        if not isinstance(want, RunResult):
            raise self._error(f"the run ends here, and the agent {self._wants()}")
        for name in ("stop_reason", "iterations", "output"):
            mine, recorded = getattr(want, name), getattr(line, name)
            if not _same(mine, recorded):
                raise self._error(f"the run ended with {name}={recorded!r:.200}, and the agent ends with {mine!r:.200}")
        return want

    # --- the loop -------------------------------------------------------------------------------------------------

    def _call(self, line: ModelLine | CutLine) -> CallModel:
        """The call of the model that the loop wants, which must be that of the line."""
        self.state.seconds = line.at
        want = self._next()
        if not isinstance(want, CallModel) or (want.turn, want.last) != (line.turn, line.last):
            raise self._error(f"the record has a reply of the model in turn {line.turn}, and the agent {self._wants()}")
        return want

    def _next(self) -> CallModel | CallTools | RunResult:
        try:
            return self._loop.next(self.state)
        except RunError:
            raise
        except PolylectError as error:
            raise self._error(f"the prompt can't be made: {error}") from error

    def _wants(self) -> str:
        want = self._next()
        if isinstance(want, CallModel):
            return f"asks the model in turn {want.turn}"
        if isinstance(want, CallTools):
            return f"waits for {', '.join(repr(action.tool) for action in want.actions)} in turn {want.turn}"
        return f"has ended ({want.stop_reason})"

    def _places(self) -> dict[int, None]:
        """The places of the turn's actions whose results the loop waits for; a dict, to remove from it in no time."""
        state = self.state
        if not state.waiting:
            return {}
        known = places(state.turns[-1].actions, state.waiting)
        return {place: None for at, place in enumerate(known) if at not in state.done}

    def _sentence(self, error: Any) -> str:
        """What the model was told of an unreadable reply, where a callable of the caller's made it."""
        for _, line in self._record.lines[self._next_line : self._next_line + 1]:
            if isinstance(line, ToolLine) and line.tool == EXCEPTION_TOOL:
                return str(line.tool_input)
        return str(error.correction)

    def _failed(self, told: str) -> RunError:
        if self._results:
            self._loop.keep(self.state, [self._results.get(place) for place in self._places()])
        return RunError(told, self.state)

    def _error(self, told: str) -> RecordError:
        hint = ""
        if self._own and self._first.left_out:
            hint = f" The agent that ran had of its own: {', '.join(self._first.left_out)}. Give it: replay(…, agent)."
        return RecordError(f"{self._record.place(self._number)}: {told}.{hint}", self._number)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON."""
    if one is other:
        return True
    try:
        return encode_json(one) == encode_json(other)
    except Exception:  # nesting too deep, or a stranger's __str__
        return False


def _stand_in(kind: str, shown: str) -> Any:
    """For an output that was no JSON: an object of a class of the same name, which nobody can read either."""
    base = {"bytes": bytes, "bytearray": bytearray}.get(kind, object)
    return type(kind, (base,), {"__repr__": lambda self: shown})()


# --- an agent, from the first line ------------------------------------------------------------------------------------


def rebuilt(line: RunLine, where: str, number: int, *, prompts: bool) -> tuple[Pipeline, Settings]:
    """The pipeline and the settings that a record tells of.

    Without ``prompts`` it makes none, which nobody would see: long prompts are most of the work of a run.

    Raises:
        RecordError: they are none.
        LectError: there is no such lect.
    """
    try:
        tools = None if line.tools is None else [_tool(tool) for tool in line.tools]
        options: dict[str, Any] = {"prompt": _prompt(line), "stop": line.stop, **line.policies}
        if not prompts:
            options |= {"prompt": _scratchpad_alone, "format_scratchpad": _empty}
        pipeline = Pipeline(line.lect, None, tools, **options)
        settings = dict(line.settings)
        if isinstance(settings.get("trim"), dict):
            settings["trim"] = TokenBudget(**settings["trim"])
        return pipeline, Settings(**settings)
    except LectError:
        raise
    except (PolylectError, TypeError) as error:
        raise RecordError(f"{where}: no agent can be made of it: {error}", number) from error


def _tool(given: dict[str, Any]) -> Tool:
    return msgspec.structs.replace(as_tool(given), return_direct=given.get("return_direct") is True)


def _prompt(line: RunLine) -> Prompt | PromptStage | None:
    """The prompt; where it was a stage of the caller's, what stands in for it: the reply's prefix is recorded."""
    if {"prompt", "format_scratchpad"}.intersection(line.left_out):
        return _scratchpad_alone
    if line.prompt is None:
        return None
    return Prompt(**line.prompt)


def _empty(steps: Sequence[AgentStep], /) -> list[dict[str, Any]]:
    return []


def _scratchpad_alone(values: Mapping[str, Any], /) -> Any:
    return values["agent_scratchpad"]
