"""The values of a run: what the loop asks for, what it is given, where it stands, and how it ended.

All are plain: they write themselves as JSON and read themselves back, so that a run can be put away and taken up again.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

import msgspec

from .._errors import PromptError
from .._json import decode_json, encode_json
from .._pipeline import Request
from .._values import AgentAction, AgentFinish, AgentStep, Event, Reply, Value

StopReason: TypeAlias = Literal["finished", "iterations", "time", "return_direct", "cancelled", "loop"]
STOP_REASONS: tuple[str, ...] = get_args(StopReason)
ToolStatus: TypeAlias = Literal["ok", "error", "unknown", "invalid", "refused", "timeout", "cancelled"]
"""How a call ended: it ran; it raised; there is no such tool; its arguments did not fit; a hook or ``tool_choice``
refused it; time ran out; the run was cancelled."""


class Usage(Value, frozen=True, gc=False):
    """Tokens, as the model's server counted them; 0 where it did not say."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)

    @property
    def total(self) -> int:
        """Both together."""
        return self.input_tokens + self.output_tokens


class CallModel(Value, frozen=True):
    """The loop wants the model to be asked.

    ``turn`` counts from 1. ``last`` marks the call of early stopping by ``generate``: its reply is taken as the answer.
    """

    request: Request
    turn: int
    last: bool = False


class CallTools(Value, frozen=True):
    """The loop wants these calls of one turn to be run, all at once if possible; results go back in the same order."""

    actions: tuple[AgentAction, ...]
    turn: int


class ModelResult(Value, frozen=True):
    """A model's whole reply: its text, or its message; and what asking for it took.

    ``finish_reason`` is the server's word where the output itself has none; ``seconds`` the time that it took.
    """

    output: Any
    usage: Usage = Usage()
    seconds: float = 0.0
    finish_reason: str | None = None


class ToolResult(Value, frozen=True):
    """What came of one call: the observation, whether it is the tool's own, and the seconds that it took."""

    observation: Any
    status: ToolStatus = "ok"
    seconds: float = 0.0


class TurnRecord(Value, frozen=True):
    """One turn, for those who look at a run.

    Attributes:
        number: counts from 1.
        reply: what the model said, read; None where nothing could be read, or a parse stage of your own read it.
        output: what the model wrote, as it came: text or message.
        actions: what the agent did about it; one action for :data:`polylect.EXCEPTION_TOOL` for an unreadable reply.
        results: what came of the actions, in their order.
        error: the fault of an unreadable reply, for people.
        usage, seconds: what the model took.
        prompt_size: characters that the model was sent.
    """

    number: int
    reply: Reply | None = None
    output: Any = None
    actions: tuple[AgentAction, ...] = ()
    results: tuple[ToolResult, ...] = ()
    error: str | None = None
    usage: Usage = Usage()
    seconds: float = 0.0
    prompt_size: int = 0


class RunResult(Value, frozen=True):
    """How a run ended.

    Attributes:
        output: the answer; for a run that was stopped, what ``early_stopping`` made.
        stop_reason: one of :data:`STOP_REASONS`; only ``finished`` and ``return_direct`` end with an answer of the run.
        steps: all actions with their observations, whatever was trimmed from prompts.
        turns: the same run turn by turn, with the model's replies.
        inputs: what the run was started with.
        return_values: ``{"output": …}``, and ``"intermediate_steps"`` where the agent returns them.
        iterations: how many turns the model had, without the last call of early stopping.
        usage, seconds: what the whole run took.
        lect: the name of the tongue.
    """

    output: Any
    stop_reason: StopReason
    steps: tuple[AgentStep, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    inputs: dict[str, Any] = msgspec.field(default_factory=dict)
    return_values: dict[str, Any] = msgspec.field(default_factory=dict)
    iterations: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0
    lect: str = ""

    def __post_init__(self) -> None:
        if self.stop_reason not in STOP_REASONS:
            raise PromptError(f"stop_reason is one of {', '.join(STOP_REASONS)}, not {self.stop_reason!r:.80}.")

    @property
    def finished(self) -> bool:
        """Whether the run came to an answer, and was not stopped."""
        return self.stop_reason in ("finished", "return_direct")

    def trajectory(self) -> list[dict[str, str]]:
        """The run as a table: ``thought``, ``action`` (``tool[input]``) and ``observation`` of each call of a tool.

        What called nothing has no row: the answer, replies that could not be read, calls that were refused or that fit
        no tool. ``steps`` and ``turns`` have those too.
        """
        from ._trajectory import trajectory

        return trajectory(self)

    def to_text(self, *, width: int | None = None, limit: int | None = 2_000) -> str:
        """A report for terminals and logs: how the run ended, and what was thought, done and seen in each turn.

        Nothing in it is obeyed by a terminal, whatever models and tools wrote.

        Args:
            width: columns at which lines are broken, at least 32; None: nowhere.
            limit: the characters shown of one text; None: all.
        """
        from ._report import report

        return report(self, width=width, limit=limit)

    def to_svg(self, *, max_turns: int = 20) -> str:
        """A picture: a row of boxes for each turn, the growing context at their left, and the answer.

        It stands alone (no scripts, fonts, links), and is as safe as a picture whatever models and tools wrote.

        Args:
            max_turns: how many turns are drawn; of a longer run the first and the last ones. At least 2.
        """
        from ._picture import picture

        return picture(self, max_turns=max_turns)

    def to_mermaid(self, *, max_turns: int = 20) -> str:
        """A flowchart in Mermaid's language, for documents; turns as for :meth:`to_svg`."""
        from ._mermaid import flowchart

        return flowchart(self, max_turns=max_turns)

    def _repr_html_(self) -> str:
        """For notebooks: the picture, with the report folded below it."""
        from ._picture import page

        return page(self)


class RunState(msgspec.Struct, tag=True, tag_field="type"):
    """Where a run stands: a plain value, changed by the loop alone. Written down, it can be taken up again elsewhere.

    ``waiting`` are the actions whose results are due, ``done`` the results that are there already, by position;
    ``failures`` and ``repeats`` count what makes no progress; ``called`` says that a tool has run.
    """

    inputs: dict[str, Any]
    steps: list[AgentStep] = msgspec.field(default_factory=list)
    turns: list[TurnRecord] = msgspec.field(default_factory=list)
    waiting: tuple[AgentAction, ...] = ()
    done: dict[int, ToolResult] = msgspec.field(default_factory=dict)
    iterations: int = 0
    seconds: float = 0.0
    usage: Usage = Usage()
    failures: int = 0
    repeats: int = 0
    called: bool = False
    stopping: StopReason | None = None
    finish: AgentFinish | None = None
    lect: str = ""

    def to_json(self) -> str:
        """This state as JSON text. Observations that are no JSON are written as their ``str``."""
        return encode_json(self)

    @classmethod
    def from_json(cls, data: str | bytes) -> RunState:
        """Read a state from the JSON text that ``to_json`` wrote.

        Raises:
            ValueError: the text is not JSON, or no state.
        """
        return decode_json(data, cls)


# --- what is seen while it runs ---------------------------------------------------------------------------------------


class RunEvent(Value, frozen=True):
    """What happens around the model's replies; the events of the replies themselves come between these."""

    turn: int


class ModelStart(RunEvent, frozen=True):
    """The model is asked. A second one in the same turn: a wrapper asks once more, and what was told before is void."""

    request: Request


class ModelDelta(RunEvent, frozen=True):
    """More of what the model writes, as it writes it."""

    text: str


class ModelEnd(RunEvent, frozen=True):
    """The model's reply is over."""

    result: ModelResult


class NoAnswer(RunEvent, frozen=True):
    """What was told as the answer in this turn is none: a call followed it, or it was cut off, or not accepted.

    In tongues without a mark for the answer all text is told as the answer while it comes. What is told as the answer
    behind the last of these events is the run's output.
    """


class ToolStart(RunEvent, frozen=True):
    """A tool begins."""

    action: AgentAction


class ToolEnd(RunEvent, frozen=True):
    """A tool is over."""

    action: AgentAction
    result: ToolResult


class StepEnd(RunEvent, frozen=True):
    """An action and its observation are in the scratchpad now."""

    step: AgentStep


class Finish(RunEvent, frozen=True):
    """The run is over; always the last event."""

    result: RunResult


AgentEvent: TypeAlias = Event | RunEvent
"""What ``stream`` and ``astream`` yield: the events of the replies, and those around them."""
