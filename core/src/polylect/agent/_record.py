"""Writing down a run while it goes on: a hook, which writes a line for each thing that happens."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from .._prompt import Prompt
from .._stages import FormatSteps, ReadReply
from .._tools import Tool
from .._values import AgentAction
from ._lines import VERSION, CutLine, EndLine, ErrorLine, Line, ModelLine, RunLine, ToolLine, encoded
from ._observations import observation_of
from ._reading import places, prompt_size, spelt
from ._settings import SETTINGS
from ._trim import TokenBudget, count_roughly
from ._values import CallModel, ModelResult, RunResult, RunState, StopReason, ToolResult, TurnRecord

if TYPE_CHECKING:
    from ._agent import Agent


class Recorder:
    """Writes runs down as they go on, for :func:`polylect.replay`: ``Agent(…, hooks=[Recorder("run.jsonl")])``.

    A file grows by a line for each reply and each result at the moment it is there, so that the record of a program
    that died holds all that was finished. One recorder may serve many runs, also at the same time; each is a record of
    its own in the file. What is there already stays.

    Args:
        file: the path of a file; or a file, open for text or for bytes, which is left open.

    Raises:
        OSError: the file can't be written.
    """

    def __init__(self, file: str | os.PathLike[str] | Any) -> None:
        self._path: Path | None = None
        self._file: Any = None
        if isinstance(file, (str, os.PathLike)):
            self._path = Path(file).absolute()
            _begin(self._path)
        elif callable(getattr(file, "write", None)):
            self._file = file
        else:
            raise TypeError(f"A recorder writes to a path or an open file, not to {type(file).__name__}.")
        self._lock = threading.Lock()
        self._runs: dict[int, _Run] = {}

    def __repr__(self) -> str:
        return f"<recorder to {self._path or self._file!s:.100}>"

    # --- the hooks ------------------------------------------------------------------------------------------------

    def polylect_before_run(self, state: RunState, agent: Agent | None = None) -> None:
        """The first line."""
        run = self._runs[id(state)] = _Run(state, agent)
        self._write(run.first())

    def polylect_before_model(self, state: RunState, call: CallModel) -> None:
        """The turn before is over."""
        run = self._run(state)
        if run is not None:
            self._write(*run.settled())
            run.asked = call, state.seconds

    def polylect_after_model(self, state: RunState, call: CallModel, result: ModelResult) -> None:
        """A line for the reply."""
        run = self._run(state)
        if run is not None:
            self._write(run.reply(call, result))

    def polylect_after_tool(self, state: RunState, action: AgentAction, result: ToolResult) -> None:
        """A line for the result."""
        run = self._run(state)
        if run is not None:
            self._write(*run.result(action, result))

    def polylect_after_run(self, state: RunState, result: RunResult) -> None:
        """The last line."""
        run = self._runs.pop(id(state), None)
        if run is not None:
            self._write(*run.settled(), run.end(result))

    def polylect_run_failed(self, state: RunState, error: BaseException) -> None:
        """The last line of a run that fails, or that nobody wants to the end."""
        run = self._runs.pop(id(state), None)
        if run is not None:
            told = ErrorLine(run=run.name, error=type(error).__name__, message=_words(error))
            self._write(*run.settled(), told)

    def _run(self, state: RunState) -> _Run | None:
        return self._runs.get(id(state))

    def _write(self, *lines: Line) -> None:
        data = b"".join(map(encoded, lines))
        if not data:
            return
        with self._lock:
            if self._path is not None:
                with open(self._path, "ab", buffering=0) as file:
                    file.write(data)
                return
            self._file.write(data if isinstance(self._file, _BYTES) else data.decode())
            flush = getattr(self._file, "flush", None)
            if callable(flush):
                flush()


_BYTES = (io.RawIOBase, io.BufferedIOBase)
_PLAIN = (str, dict, list, int, float, type(None))


def _begin(path: Path) -> None:
    """See that the file can be written, and that what comes begins on a line of its own."""
    with open(path, "ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                file.write(b"\n")


class _Run:
    """What has been written of a run.

    ``turns`` of the state's turns are written to their end; of the next one the ``places`` are.
    """

    def __init__(self, state: RunState, agent: Agent | None) -> None:
        self.name = uuid4().hex[:16]
        self.state, self.agent = state, agent
        self.limit = None if agent is None else agent.settings.max_observation
        self.asked: tuple[CallModel, float] | None = None
        self.turns = len(state.turns) - bool(state.waiting)
        self.answered = bool(state.waiting)
        self.places: set[int] = set()
        self._waiting: tuple[AgentAction, ...] = ()
        self._places: dict[int, list[int]] = {}
        if state.waiting:
            known = places(state.turns[-1].actions, state.waiting)
            self.places = {known[place] for place in state.done}

    def first(self) -> RunLine:
        """The first line."""
        state = self.state
        fresh = not (state.turns or state.steps or state.stopping or state.finish or state.iterations)
        about = {} if self.agent is None else described(self.agent)
        return RunLine(
            run=self.name,
            version=VERSION,
            lect=state.lect,
            inputs=state.inputs,
            started=datetime.now().astimezone().isoformat(timespec="milliseconds"),
            state=None if fresh else state,
            **about,
        )

    def reply(self, call: CallModel, result: ModelResult) -> ModelLine:
        """The line of a reply."""
        self.answered = True
        plain = isinstance(result.output, _PLAIN)
        return ModelLine(
            run=self.name,
            turn=call.turn,
            last=call.last,
            at=self._at(),
            output=result.output if plain else spelt(result.output),
            odd=None if plain else type(result.output).__name__,
            usage=result.usage,
            seconds=result.seconds,
            finish_reason=result.finish_reason,
            prefix=call.request.prefix,
            prompt_size=prompt_size(call.request),
        )

    def result(self, action: AgentAction, result: ToolResult) -> list[ToolLine]:
        """The line of a call that has ended."""
        state = self.state
        if self._waiting is not state.waiting:
            self._waiting, self._places = state.waiting, {}
            if state.waiting:
                known = zip(state.waiting, places(state.turns[-1].actions, state.waiting), strict=True)
                for waiting, place in known:
                    if place not in self.places:
                        self._places.setdefault(id(waiting), []).append(place)
        found = self._places.get(id(action))
        if not found:
            return []
        kept = observation_of(result.observation, self.limit)
        return [self._line(state.turns[-1], found.pop(0), ToolResult(kept, result.status, result.seconds))]

    def settled(self) -> list[Line]:
        """The lines of what ended and was not told: calls that never ran, replies that were cut short."""
        lines: list[Line] = []
        for turn in self.state.turns[self.turns :]:
            if not self.answered:
                lines.append(self._cut(turn))
            elif len(turn.results) < len(turn.actions):
                break
            lines += [self._line(turn, place, x) for place, x in enumerate(turn.results) if place not in self.places]
            self.turns += 1
            self.answered = False
            self.places = set()
        return lines

    def end(self, result: RunResult) -> EndLine:
        """The last line."""
        values = {name: value for name, value in result.return_values.items() if name != "intermediate_steps"}
        return EndLine(
            run=self.name,
            output=result.output,
            stop_reason=result.stop_reason,
            return_values=values,
            iterations=result.iterations,
            usage=result.usage,
            seconds=result.seconds,
        )

    def _line(self, turn: TurnRecord, place: int, result: ToolResult) -> ToolLine:
        self.places.add(place)
        action = turn.actions[place]
        return ToolLine(
            run=self.name,
            turn=turn.number,
            place=place,
            tool=action.tool,
            tool_input=action.tool_input,
            id=action.id,
            result=result,
            stopping=self._stopped(),
        )

    def _cut(self, turn: TurnRecord) -> CutLine:
        call = self.asked[0] if self.asked is not None else None
        return CutLine(
            run=self.name,
            turn=turn.number,
            at=self._at(),
            stopping=self._stopped() or "cancelled",
            output=turn.output,
            last=call is not None and call.last,
            seconds=turn.seconds,
            prompt_size=turn.prompt_size,
        )

    def _at(self) -> float:
        return self.state.seconds if self.asked is None else self.asked[1]

    def _stopped(self) -> StopReason | None:
        """Why somebody stopped the run from outside; the loop's own reasons come again by themselves."""
        return self.state.stopping if self.state.stopping in ("time", "cancelled") else None


# --- what an agent is, as far as it is plain --------------------------------------------------------------------------


def described(agent: Agent) -> dict[str, Any]:
    """The fields of a RunLine that tell of the agent."""
    pipeline, left_out = agent.pipeline, list[str]()
    settings: dict[str, Any] = {}
    for name in sorted(SETTINGS):
        value = getattr(agent.settings, name)
        if isinstance(value, TokenBudget) and value.count is count_roughly:
            value = {"tokens": value.tokens, "first": value.first}
        if value is None or isinstance(value, (str, int, float, dict)):
            settings[name] = value
        else:
            left_out.append(name)
    stages = pipeline.stages
    if not isinstance(stages["format_scratchpad"], FormatSteps):
        left_out.append("format_scratchpad")
    if not isinstance(pipeline.parse_stage, ReadReply):
        left_out.append("parse")
    prompt = stages["prompt"]
    if not isinstance(prompt, Prompt):
        left_out.append("prompt")
    return {
        "model": stages["model"].name,
        "tools": None if pipeline.tools is None else [_told(tool) for tool in pipeline.tools.values()],
        "settings": settings,
        "policies": dict(pipeline._policies),
        "stop": list(pipeline.stop),
        "prompt": _template(prompt) if isinstance(prompt, Prompt) else None,
        "left_out": left_out,
    }


def _told(tool: Tool) -> dict[str, Any]:
    """A tool in OpenAI form."""
    about = {"name": tool.name, "description": tool.description}
    direct = {"return_direct": True} if tool.return_direct else {}
    if tool.custom is not None:
        return {"type": "custom", "custom": {**about, **tool.custom}, **direct}
    return {"type": "function", "function": {**about, "parameters": tool.parameters}, **direct}


def _template(prompt: Prompt) -> dict[str, Any]:
    """What a prompt was made of."""
    template = prompt.template
    return {
        "template": template if isinstance(template, str) else [_entry(x) for x in template],
        "partials": dict(prompt.partials),
        "defaults": dict(prompt.defaults),
        "prefix": prompt.prefix,
    }


def _entry(entry: Any) -> Any:
    return dict(entry) if isinstance(entry, Mapping) else entry


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a stranger's __str__
        return ""
