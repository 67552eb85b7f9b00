"""A run while it goes on, in the layout of the report: thoughts, actions, observations and the answer as they come."""

from __future__ import annotations

from collections.abc import Iterable

from .._values import AgentAction, AnswerDelta, CallStart, ContentDelta, ReasoningDelta
from ..agent._report import LABEL, Report
from ..agent._values import (
    AgentEvent,
    Finish,
    ModelStart,
    NoAnswer,
    RunResult,
    RunState,
    StepEnd,
    ToolEnd,
    ToolStart,
    TurnRecord,
)
from ..agent._view import Doing, Row, many, row
from ._flow import Flow


class Watch:
    """Turns the events of a run into text for a terminal.

    Args:
        state: the run that is watched; it has what the events do not tell.
        report: how fields look.
    """

    def __init__(self, state: RunState, report: Report) -> None:
        self._state, self._report = state, report
        self._flow: Flow | None = None
        self._role = self._label = ""
        self._begun = False
        self._acted: set[int] = set()
        self._seen: set[int] = set()
        self._steps = 0
        self._spoke = False

    @property
    def mid_line(self) -> bool:
        """Whether the cursor stands behind a text that may go on."""
        return self._flow is not None and self._flow.begun

    def show(self, event: AgentEvent) -> str:
        """What to print for an event."""
        if isinstance(event, ReasoningDelta):
            return self._text("reasoning", "Thought", event.text)
        if isinstance(event, ContentDelta):
            return self._text("content", "Thought", event.text)
        if isinstance(event, AnswerDelta):
            return self._text("answer", "Answer" if self._state.stopping is None else "Output", event.text)
        if isinstance(event, ModelStart):
            return self._turn(event.turn)
        if isinstance(event, NoAnswer):
            return self.close() + self._field("", "(This was no answer: a call follows.)", None)
        if isinstance(event, CallStart):
            return self.close()
        if isinstance(event, ToolStart):
            return self._action(event.action)
        if isinstance(event, ToolEnd):
            return self.close() + self._observation(event.action, event)
        if isinstance(event, StepEnd):
            return self.close() + self._step()
        if isinstance(event, Finish):
            return self.close() + self._last(event.result)
        return ""

    def close(self) -> str:
        """The end of the line, where a text was going on."""
        text = "" if self._flow is None else self._flow.close()
        self._flow, self._role = None, ""
        return text

    # --- texts --------------------------------------------------------------------------------------------------------

    def _text(self, role: str, label: str, text: str) -> str:
        before = ""
        if self._flow is None or label != self._label:
            before = self.close()
            color, dim = (None, True) if label == "Thought" else ("green" if label == "Answer" else "yellow", False)
            shown = self._report.paint(label, color, dim=dim) + " " * (LABEL - len(label))
            self._flow = Flow(shown, self._report.room, self._report.limit)
            self._label = label
        elif role != self._role:
            before = self._flow.feed("\n")
        self._role = role
        self._spoke = self._spoke or not text.isspace()
        return before + self._flow.feed(text)

    def _turn(self, number: int) -> str:
        gap = "\n" if self._begun else ""
        self._begun, self._spoke, self._steps = True, False, 0
        self._acted.clear()
        self._seen.clear()
        return self.close() + gap + self._report.paint(f"Turn {many(number)}", bold=True) + "\n"

    def _field(self, label: str, text: str, color: str | None) -> str:
        return self._lines(self._report.field(label, text, color))

    @staticmethod
    def _lines(lines: Iterable[str]) -> str:
        return "".join(f"{line}\n" for line in lines)

    # --- actions ------------------------------------------------------------------------------------------------------

    def _record(self) -> TurnRecord:
        return self._state.turns[-1]

    def _looked_at(self, record: TurnRecord) -> Row:
        return row(RunResult(None, "cancelled", turns=(record,)), record)

    def _place(self, action: AgentAction) -> int:
        """Which one of its turn an action is; hooks have only seen it, so it is the same object."""
        return next((place for place, x in enumerate(self._record().actions) if x is action), 0)

    def _count(self, place: int) -> str:
        return f" {place + 1}" if len(self._record().actions) > 1 else ""

    def _action(self, action: AgentAction) -> str:
        place = self._place(action)
        if place in self._acted:  # it was told before
            return ""
        self._acted.add(place)
        doing = self._looked_at(self._record()).doings[place]
        return self.close() + self._field(f"Action{self._count(place)}", doing.called, "cyan")

    def _observation(self, action: AgentAction, event: ToolEnd) -> str:
        place = self._place(action)
        self._seen.add(place)
        record = self._record()
        actions = record.actions[place : place + 1]
        alone = TurnRecord(record.number, record.reply, record.output, actions, (event.result,))
        return self._result(self._looked_at(alone).doings[0], place)

    def _result(self, doing: Doing, place: int) -> str:
        label = f"{doing.seen}{self._count(place)}"
        if len(label) >= LABEL:
            label = f"Result{self._count(place)}"
        if doing.observation is None and not doing.ok:
            return self._field(label, "(no observation)", "yellow")
        return self._field(label, doing.result, None if doing.ok else "red")

    def _step(self) -> str:
        """An action and its observation are noted: both are shown now, if they were not before."""
        place, self._steps = self._steps, self._steps + 1
        record = self._record()
        if record.error is not None:
            return self._fault(record)
        if place in self._seen or place >= len(record.actions):
            return ""
        doing = self._looked_at(record).doings[place]
        text = "" if place in self._acted else self._field(f"Action{self._count(place)}", doing.called, "cyan")
        return text + self._result(doing, place)

    def _fault(self, record: TurnRecord) -> str:
        """A reply that could not be read; of its text, what was not shown yet."""
        self._seen.add(-1)
        found = self._looked_at(record)
        said = "" if self._spoke or not found.said.strip() else self._field("Reply", found.said, None)
        told = "" if found.told is None else self._field("Told", found.told, None)
        return said + self._field(found.fault_title, found.fault or "", "red") + told

    def _last(self, result: RunResult) -> str:
        """What the last turn came to without its events: it was interrupted."""
        record = result.turns[-1] if result.turns else None
        if record is None or -1 in self._seen:
            return ""
        if record.error is not None:
            return self._fault(record)
        return "".join(self._step() for _ in range(self._steps, len(record.results)))
