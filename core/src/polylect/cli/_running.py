"""Running an agent for the command line: what is shown while it runs and at its end, and its exit code."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from .._errors import PolylectError, RunError
from .._json import shown
from .._values import AgentAction, AnswerDelta, ArgumentsDelta, CallStart, ContentDelta, ReasoningDelta
from ..agent._calling import told
from ..agent._report import LIMIT, Report
from ..agent._values import (
    AgentEvent,
    CallTools,
    Finish,
    ModelDelta,
    ModelStart,
    RunResult,
    RunState,
    ToolEnd,
    ToolResult,
    ToolStart,
)
from ..agent._view import row
from ._options import is_terminal
from ._paint import Paint, safe
from ._records import json_line, place_of
from ._ticker import Ticker, width_of_terminal
from ._watch import Watch

if TYPE_CHECKING:
    from ..agent._agent import Agent

INTERRUPTED = 130
GIVEN_UP = "The call was not finished when the run was interrupted."


@dataclass(frozen=True)
class Shape:
    """What is written where.

    ``form``: ``report``, ``json`` (the result) or ``events`` (JSON Lines); ``live``: with the report, show what happens
    while it does; ``pictures``: files by how they are drawn, ``svg`` or ``mermaid``.
    """

    form: str
    live: bool
    pictures: dict[str, str]


class Starts:
    """A hook that tells of calls at the moment when they begin: the event comes when a call that is alone is over."""

    def __init__(self) -> None:
        self.tell: Callable[[AgentAction], None] = lambda action: None

    def polylect_before_tool(self, action: AgentAction) -> None:
        """A call begins."""
        self.tell(action)


def run_agent(agent: Agent, state: RunState, shape: Shape, starts: Starts) -> int:
    """Run, and tell of it; gives the exit code: 0 for an answer, 1 for a run that was stopped or failed, 130.

    Args:
        agent: whose hooks have ``starts``.
        state: the run at its beginning.
        shape: what to write.
        starts: tells of calls that begin.
    """
    show = _Show(_report(), state, shape, sys.stdout.buffer)
    starts.tell = show.started
    begun = time.monotonic()
    with show.ticker:
        try:
            with _prints_aside(show.ticker):
                result = show.events(agent.stream(state))
        except KeyboardInterrupt:
            state.seconds = time.monotonic() - begun
            result = interrupted(agent, state)
            show.ended(result)
            show.end(result)
            return INTERRUPTED
        except _Failed as failure:
            show.ticker.say("")
            show.failed(failure.message, state)
            return 1
        show.end(result)
    return 0 if result.finished else 1


def replay_record(path: str, question: str | None, shape: Shape) -> int:
    """Tell a recorded run again; gives the exit code, which is that of the run.

    Raises:
        RecordError, LectError: it can't be replayed.
        click.UsageError: it is of another question.
    """
    from ..agent._replay import replay, replay_events

    show = _Show(_report(), RunState({}), Shape(shape.form, False, shape.pictures), sys.stdout.buffer)
    failure = result = None
    try:
        result = replay(path)
        inputs = result.inputs
    except RunError as error:
        failure, inputs = error, error.state.inputs
    if question is not None and question != inputs.get("input"):
        raise click.UsageError(f"The record is of another question: {safe(shown(inputs.get('input'))):.300}")
    if shape.form == "events":
        with contextlib.suppress(RunError):
            for event in replay_events(path):
                show.write(f"{event.to_json()}\n")
    if result is None:
        assert failure is not None
        show.failed(failure.message, failure.state)
        return 1
    show.end(result)
    return 0 if result.finished else 1


def _report() -> Report:
    """For standard output as it is."""
    width = width_of_terminal(sys.stdout) if is_terminal(sys.stdout) else None
    return Report(width, LIMIT, Paint.for_stream())


def interrupted(agent: Agent, state: RunState) -> RunResult:
    """The result of a run that goes no further: what was finished is in it."""
    if state.finish is None:
        state.stopping = "cancelled"
    want = agent.next(state)
    if isinstance(want, CallTools):
        agent.advance(state, [ToolResult(GIVEN_UP, "cancelled") for _ in want.actions])
        want = agent.next(state)
    assert isinstance(want, RunResult)  # nothing else is wanted of a run that was cancelled
    return want


class _Failed(Exception):
    """The run can't go on: the model, a tool, a reply under the policy ``raise``, or a hook."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class _Show:
    """Where the events of a run go."""

    def __init__(self, report: Report, state: RunState, shape: Shape, out: Any) -> None:
        self.report, self.state, self.shape, self.out = report, state, shape, out
        self.ticker = Ticker()
        self.watch = Watch(state, report) if shape.live and shape.form == "report" else None
        self._running: list[str] = []
        self._written = 0

    def write(self, text: str, *, mid_line: bool = False) -> None:
        """To standard output, at once."""
        if text:
            self.ticker.write(self.out, text.encode(errors="backslashreplace"), mid_line=mid_line)

    # --- while it runs ------------------------------------------------------------------------------------------------

    def events(self, events: Iterator[AgentEvent]) -> RunResult:
        """All events, shown; gives the result.

        Raises:
            _Failed: the run can't go on.
            PolylectError: it could not even begin.
        """
        try:
            while True:
                try:
                    event = next(events)
                except RunError as error:
                    raise _Failed(str(error)) from error
                except PolylectError as error:
                    if not self.state.turns:
                        raise
                    raise _Failed(str(error)) from error
                except StopIteration:
                    raise AssertionError("a run ends with its result") from None
                except Exception as error:  # a hook's, which is a stranger's code
                    raise _Failed(f"The run failed: {told(error)}{place_of(error)}") from error
                self._tell(event)
                if self.shape.form == "events":
                    self.write(f"{event.to_json()}\n")
                elif self.watch is not None:
                    text = self.watch.show(event)
                    self.write(text, mid_line=self.watch.mid_line)
                if isinstance(event, Finish):
                    return event.result
        finally:
            close = getattr(events, "close", None)
            if callable(close):
                close()

    def started(self, action: AgentAction) -> None:
        """A call begins."""
        turn = self.state.iterations
        self._running.append(action.tool)
        self.ticker.say(f"turn {turn}: running {', '.join(self._running):.200}")
        if self.watch is not None:
            self.write(self.watch.show(ToolStart(turn, action)))

    def _tell(self, event: AgentEvent) -> None:
        """What is going on, for the line that tells it."""
        say, turn = self.ticker.say, self.state.iterations + 1
        if isinstance(event, ModelStart):
            self._written = 0
            say(f"turn {event.turn}: waiting for the model")
        elif isinstance(event, (ReasoningDelta, ContentDelta, AnswerDelta, ArgumentsDelta, ModelDelta)):
            if not self._written:
                say(f"turn {turn}: the model writes")
            self._written += 1
        elif isinstance(event, CallStart):
            say(f"turn {turn}: the model calls {event.name:.60}")
        elif isinstance(event, ToolEnd):
            with contextlib.suppress(ValueError):
                self._running.remove(event.action.tool)
            if self._running:
                say(f"turn {event.turn}: running {', '.join(self._running):.200}")
        elif isinstance(event, Finish):
            say("")

    # --- at the end --------------------------------------------------------------------------------------------------

    def ended(self, result: RunResult) -> None:
        """The run was interrupted: what a terminal shows of it comes to an end."""
        self.ticker.say("")
        if self.watch is not None:
            self.write(self.watch.show(Finish(result.iterations, result)))
        elif self.shape.form == "events":
            self.write(f"{Finish(result.iterations, result).to_json()}\n")

    def end(self, result: RunResult) -> None:
        """The report, or the result as JSON, and the pictures."""
        if self.shape.form == "json":
            self.write(f"{result.to_json()}\n")
        elif self.shape.form == "report":
            if self.watch is not None:
                self.write("\n" + "".join(f"{line}\n" for line in self.report.summary(result)))
            else:
                self.write("".join(f"{line}\n" for line in self.report.lines(result)))
        for drawn, path in self.shape.pictures.items():
            put(path, result.to_svg() if drawn == "svg" else result.to_mermaid())

    def failed(self, message: str, state: RunState) -> None:
        """The turns so far, if they are not shown yet, and what went wrong."""
        if self.shape.form == "report":
            self.write(self.watch.close() if self.watch is not None else self._turns(state))
        else:
            self.write(f"{json_line({'type': 'error', 'message': message, 'state': state})}\n")
        click.echo(f"Error: {safe(message)}", err=True)
        if self.shape.pictures:
            click.echo(f"Not written: {', '.join(self.shape.pictures.values())}", err=True)

    def _turns(self, state: RunState) -> str:
        so_far = RunResult(None, "cancelled", turns=tuple(state.turns))
        lines = [line for turn in state.turns for line in (*self.report.turn(row(so_far, turn)), "")]
        return "".join(f"{line}\n" for line in lines)


# --- files and streams ------------------------------------------------------------------------------------------------


def put(path: str, text: str) -> None:
    """Write a file whole or not at all: under another name first.

    Raises:
        OSError: it can't be written.
    """
    real = os.path.realpath(path)  # a link stays one
    beside = f"{real}.{os.getpid()}.part"
    try:
        with open(beside, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            file.write(text)
        os.replace(beside, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


class _Aside:
    """Standard output as tools see it: what they print goes to standard error, out of the way of what is ours."""

    def __init__(self, ticker: Ticker) -> None:
        self._ticker = ticker

    def write(self, text: str) -> int:
        """Print, out of the way of the line that tells what is going on."""
        with self._ticker.aside():
            return sys.stderr.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(sys.stderr, name)


def _prints_aside(ticker: Ticker) -> contextlib.AbstractContextManager[Any]:
    aside: Any = _Aside(ticker)
    return contextlib.redirect_stdout(aside)
