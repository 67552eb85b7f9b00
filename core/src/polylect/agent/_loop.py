"""The loop, as a state machine that does no I/O: it says what it wants, is told what came of it, and knows no clock.

One definition of what an agent does serves all drivers, replay, and runs that are taken up again from a written state.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from .._errors import ConstraintError, ParseError, PromptError, RunError
from .._outputs import ended, finish_reason_of, says_length
from .._pipeline import Pipeline, Request
from .._stages import Decision, Reading, ReadReply
from .._tools import Toolbox
from .._values import EXCEPTION_TOOL, AgentAction, AgentFinish, AgentStep, Reply
from ._observations import observation_of
from ._reading import log_of, places, plain, prompt_size, same_turn, text_of, unknown_tool
from ._settings import Settings
from ._trim import trimmed
from ._values import (
    CallModel,
    CallTools,
    ModelResult,
    RunResult,
    RunState,
    StopReason,
    ToolResult,
    ToolStatus,
    TurnRecord,
)

Outcome: TypeAlias = "tuple[Reply | None, Decision | ParseError]"
"""What a model's output was read as: the reply, and what to do about it or what is wrong with it."""
Want: TypeAlias = "CallModel | CallTools | RunResult"
LAST_WORDS = "I can't use any more tools, so I give my final answer now, from what I know."
REFUSED = ToolResult("This call was refused.", "refused")
"""For a call that was refused before, by an agent that would not refuse it any more."""
LAST_REQUEST = "You can't use any more tools. Give your final answer now, from what you know."


class Loop:
    """The semantics of a run. Its state is all in the :class:`RunState` that its methods are given."""

    def __init__(self, pipeline: Pipeline, settings: Settings) -> None:
        self.pipeline, self.settings = pipeline, settings
        self.tools = pipeline.tools
        self._last_stage = pipeline.answering()
        self._last_cue = self._cue()

    # --- what is wanted -------------------------------------------------------------------------------------------

    def next(self, state: RunState) -> Want:
        """What the run needs next, or its result. Asking again gives the same.

        Raises:
            PromptError, LectError: the request can't be made of the inputs.
        """
        if state.finish is not None:
            return self._result(state, state.finish.return_values, state.stopping or "finished")
        if state.waiting:
            due = state.waiting
            if state.done:
                due = tuple(action for place, action in enumerate(due) if place not in state.done)
            return CallTools(due, state.iterations)
        if state.stopping is None:
            self._check_limits(state)
        if state.stopping is not None:
            if self.settings.early_stopping == "generate" and state.stopping != "cancelled":
                return CallModel(self._last_request(state), state.iterations + 1, last=True)
            return self._result(state, {"output": self.forced(state)}, state.stopping)
        request = self._request(state)
        choice = self._choice(state)
        if choice is not None:
            if request.tools is not None and self.tools is not None:
                choice = self.tools.api_names.get(choice, choice)
            request = msgspec.structs.replace(request, tool_choice=choice)
        return CallModel(request, state.iterations + 1)

    def _check_limits(self, state: RunState) -> None:
        settings = self.settings
        if settings.max_iterations is not None and state.iterations >= settings.max_iterations:
            state.stopping = "iterations"
        elif settings.max_execution_time is not None and state.seconds >= settings.max_execution_time:
            state.stopping = "time"

    def _request(self, state: RunState) -> Request:
        return self.pipeline.request(trimmed(self.settings.trim, state.steps), **state.inputs)

    def _choice(self, state: RunState) -> str | None:
        """The tool choice for the next turn: once a tool has run, the model may come to an end."""
        choice = self.settings.tool_choice
        return None if choice == "auto" or (choice != "none" and state.called) else choice

    def _last_request(self, state: RunState) -> Request:
        """The usual request, and behind it that this is the end; in tongues of text as the model's own words."""
        made = self._request(state)
        if not isinstance(made.prompt, str):
            asked = [*made.prompt, {"role": "user", "content": LAST_REQUEST}]
            return msgspec.structs.replace(made, prompt=asked, tool_choice="none", prefix="")
        cue = self._last_cue
        space = "" if not made.prompt or made.prompt[-1].isspace() else " "
        prompt = f"{made.prompt}{space}{LAST_WORDS}\n{cue}"
        choice = "none" if self.pipeline.constrains else made.tool_choice
        return msgspec.structs.replace(made, prompt=prompt, prefix=cue, tool_choice=choice)

    def _cue(self) -> str:
        """How the last call's answer is begun; a constraint, which lets through an answer alone, may have to begin it.

        Raises:
            ConstraintError: the lect's answers have no constraint.
        """
        cue, pipeline = self.pipeline.lect.answer_cue, self.pipeline
        if not pipeline.constrains or self.settings.early_stopping != "generate":
            return cue
        try:
            pipeline.constraint("none", cue)
        except ConstraintError:  # the cue ends within a value
            pipeline.constraint("none")
            return ""
        return cue

    def forced(self, state: RunState) -> str:
        """The output of a run that was stopped."""
        settings = self.settings
        why = {
            "iterations": f"it reached its limit of {_counted(settings.max_iterations)}",
            "time": f"it reached its limit of {settings.max_execution_time} seconds",
            "cancelled": "it was cancelled",
            "loop": "the model made no progress",
        }
        return f"The agent stopped before it had an answer: {why[state.stopping or 'cancelled']}."

    def _result(self, state: RunState, values: dict[str, Any], reason: StopReason) -> RunResult:
        if self.settings.return_intermediate_steps:
            values = {**values, "intermediate_steps": list(state.steps)}
        return RunResult(
            values.get("output"),
            reason,
            tuple(state.steps),
            tuple(state.turns),
            state.inputs,
            values,
            state.iterations,
            state.usage,
            state.seconds,
            self.pipeline.lect.name,
        )

    # --- the model's reply ----------------------------------------------------------------------------------------

    def reading(self, call: CallModel) -> Reading:
        """For a reply in chunks: feed it, close it, then :meth:`read_of`."""
        if call.last:
            return self._last_stage.reading(call.request.prefix)
        return self.pipeline.reading(call.request.prefix)

    def read(self, call: CallModel, output: Any, finish_reason: str | None = None) -> Outcome:
        """What a whole output says; ``finish_reason`` where it does not say so itself."""
        stage = self._last_stage if call.last else self.pipeline.parse_stage
        reply = None
        try:
            if isinstance(stage, ReadReply):
                reply = stage.read(ended(output, finish_reason), call.request.prefix)
                return reply, stage.decided(reply)
            return None, self.unless_cut(
                stage(output, prefix=call.request.prefix), finish_reason_of(output, finish_reason)
            )
        except ParseError as error:
            return reply, error

    def read_of(self, reading: Reading, finish_reason: str | None = None) -> Outcome:
        """What a closed reading says."""
        try:
            return reading.reply, self.unless_cut(reading.decide(), finish_reason)
        except ParseError as error:
            return reading.reply, error

    def unless_cut(self, decision: Decision, finish_reason: str | None) -> Decision:
        """What a parse stage of the caller's decided, if it saw the whole reply: it is not told of the end.

        Raises:
            ParseError: it decided for calls, and the model was cut.
        """
        if isinstance(self.pipeline.parse_stage, ReadReply) or isinstance(decision, AgentFinish):
            return decision
        if not says_length(finish_reason):
            return decision
        told = f"Your reply was cut off before it was complete. Send it again, shorter. {self.pipeline.lect.hint}"
        raise ParseError("The reply was cut short.", reason="truncated", correction=told.strip())

    def take_model(self, state: RunState, call: CallModel, result: ModelResult, outcome: Outcome) -> None:
        """The model has answered.

        Raises:
            RunError: the reply can't be read, and the policy is to raise.
        """
        reply, decision = outcome
        record = TurnRecord(
            call.turn,
            reply,
            plain(result.output),
            usage=result.usage,
            seconds=result.seconds,
            prompt_size=prompt_size(call.request),
        )
        if call.last:
            self._take_last(state, record, reply, decision, result)
            return
        if isinstance(decision, AgentFinish) and self._must_call(state):
            told = self._choice(state)
            which = "a tool" if told == "required" else f"the tool {told!r}"
            decision = ParseError(
                f"The model answered without calling {which}.",
                text=text_of(reply, result.output),
                reason="no_action",
                correction=f"You must use {which} before you answer. {self.pipeline.lect.hint}".strip(),
            )
        if isinstance(decision, ParseError):
            self._take_fault(state, record, reply, decision, result)
            return
        self._count(state, result)
        state.iterations += 1
        if isinstance(decision, AgentFinish):
            state.failures = 0
            state.finish = decision
            state.turns.append(record)
            return
        actions = tuple(decision)
        if all(action.tool == EXCEPTION_TOOL for action in actions):
            state.failures += 1
        else:
            state.failures = 0
        state.turns.append(msgspec.structs.replace(record, actions=actions))
        state.waiting = tuple(action for action in actions if self.refusal(state, action) is None)
        if not state.waiting:
            self._end_turn(state, [])

    def _must_call(self, state: RunState) -> bool:
        return self._choice(state) not in (None, "none")

    def _take_last(
        self, state: RunState, record: TurnRecord, reply: Reply | None, decision: Any, result: ModelResult
    ) -> None:
        """The reply of early stopping: whatever it says is the answer, but never a call."""
        self._count(state, result)
        state.turns.append(record)
        if isinstance(decision, AgentFinish):
            state.finish = decision
            return
        said = "" if reply is None else (reply.content or reply.reasoning).strip()
        state.finish = AgentFinish({"output": said or self.forced(state)}, text_of(reply, result.output))

    def _take_fault(
        self, state: RunState, record: TurnRecord, reply: Reply | None, error: ParseError, result: ModelResult
    ) -> None:
        policy = self.settings.parsing_errors
        if policy == "raise":
            raise RunError(f"The reply of turn {record.number} can't be read. {error}", state) from error
        if policy == "observe":
            sentence = error.correction
        elif isinstance(policy, str):
            sentence = policy
        else:
            sentence = _sentence(policy, error, "parsing_errors", state)
        self._count(state, result)
        state.iterations += 1
        state.failures += 1
        message = reply.message if reply is not None else None
        action = AgentAction(EXCEPTION_TOOL, sentence, log_of(reply, result.output, error), None, 0, message)
        state.turns.append(msgspec.structs.replace(record, actions=(action,), error=error.message))
        self._end_turn(state, [])

    @staticmethod
    def _count(state: RunState, result: ModelResult) -> None:
        state.usage += result.usage
        state.seconds += result.seconds

    # --- the tools' results ---------------------------------------------------------------------------------------

    def refusal(self, state: RunState, action: AgentAction) -> ToolResult | None:
        """What comes of a call that can't be run; None for one that can."""
        if action.tool == EXCEPTION_TOOL:
            return ToolResult(action.tool_input, "invalid")
        choice = self._choice(state)
        if choice == "none":
            return ToolResult("No tool may be used now. Give your final answer.", "refused")
        if choice not in (None, "required") and action.tool != choice:
            return ToolResult(f"Use the tool {choice!r} first.", "refused")
        if self.tools is None or action.tool not in self.tools:
            return ToolResult(unknown_tool(action.tool, list(self.tools or ())), "unknown")
        return None

    def take_tools(self, state: RunState, results: list[ToolResult]) -> list[AgentStep]:
        """The results of the calls that were waited for, in their order; gives the turn's steps.

        Raises:
            PromptError: there are more or fewer results than calls.
        """
        due = len(state.waiting) - len(state.done)
        if len(results) != due:
            raise PromptError(f"{due} calls are waited for, and {len(results)} results came.")
        state.seconds += max((result.seconds for result in results), default=0.0)
        if state.done:
            given = iter(results)
            results = [state.done.get(place) or next(given) for place in range(len(state.waiting))]
        return self._end_turn(state, results)

    @staticmethod
    def keep(state: RunState, results: list[ToolResult | None]) -> None:
        """Some of the results that are waited for, None for those to come: the run may be taken up again there."""
        places = [place for place in range(len(state.waiting)) if place not in state.done]
        state.done |= {place: x for place, x in zip(places, results, strict=True) if x is not None}

    def _end_turn(self, state: RunState, results: list[ToolResult]) -> list[AgentStep]:
        record = state.turns[-1]
        given = dict(zip(places(record.actions, state.waiting), results, strict=True))
        limit = self.settings.max_observation
        every: list[ToolResult] = []
        steps: list[AgentStep] = []
        for place, action in enumerate(record.actions):
            result = given.get(place) or self.refusal(state, action) or REFUSED
            kept = observation_of(result.observation, limit)
            if kept is not result.observation:
                result = msgspec.structs.replace(result, observation=kept)
            every.append(result)
            steps.append(AgentStep(action, kept))
        state.waiting, state.done = (), {}
        record = state.turns[-1] = msgspec.structs.replace(record, results=tuple(every))
        state.steps += steps
        if any(result.status == "ok" for result in every):
            state.called = True
        if state.stopping is None:
            self._check_direct(state, record)
        if state.stopping is None and state.finish is None:
            self._check_progress(state, record)
        return steps

    def _check_direct(self, state: RunState, record: TurnRecord) -> None:
        """Tools whose result is the answer: if all of a turn's are such, and all went well, the run is over."""
        tools = self.tools or Toolbox()
        for action, result in zip(record.actions, record.results, strict=True):
            tool = tools.get(action.tool)
            if tool is None or not tool.return_direct or result.status != "ok":
                return
        found = [result.observation for result in record.results]
        state.finish = AgentFinish({"output": found[0] if len(found) == 1 else found}, "")
        state.stopping = "return_direct"

    def _check_progress(self, state: RunState, record: TurnRecord) -> None:
        settings = self.settings
        if settings.max_retries is not None and state.failures > settings.max_retries:
            state.stopping = "loop"
            return
        before = state.turns[-2] if len(state.turns) > 1 else None
        state.repeats = state.repeats + 1 if before is not None and same_turn(before, record) else 0
        if settings.max_repeats is not None and state.repeats + 1 >= settings.max_repeats:
            state.stopping = "loop"

    def stop(self, state: RunState, reason: StopReason) -> None:
        """The driver's clock, or somebody, says that it is over."""
        if state.stopping is None and state.finish is None:
            state.stopping = reason

    def interrupted(self, state: RunState, call: CallModel, partial: Any, seconds: float) -> None:
        """The run was stopped while the model wrote: what it had written by then is kept for people to look at."""
        told = f"The model was still writing when {self._end(state)}."
        state.turns.append(
            TurnRecord(
                call.turn, output=partial or None, error=told, seconds=seconds, prompt_size=prompt_size(call.request)
            )
        )
        if call.last:
            state.finish = AgentFinish({"output": self.forced(state)}, "")

    def given_up(self, state: RunState, seconds: float = 0.0) -> ToolResult:
        """What comes of a call that was still running, or not yet, when the run was stopped."""
        status: ToolStatus = "cancelled" if state.stopping == "cancelled" else "timeout"
        return ToolResult(f"The call was not finished when {self._end(state)}.", status, seconds)

    def _end(self, state: RunState) -> str:
        if state.stopping == "cancelled":
            return "the run was cancelled"
        return f"the run reached its limit of {self.settings.max_execution_time} seconds"


def _counted(limit: int | None) -> str:
    return "1 iteration" if limit == 1 else f"{limit} iterations"


def _sentence(policy: Any, error: Any, name: str, state: RunState) -> str:
    """What a callable of the caller's says to the model about an error."""
    try:
        found = policy(error)
    except Exception as fault:
        raise RunError(f"{name} failed for {error!r:.200}: {type(fault).__name__}: {fault}", state) from fault
    if not isinstance(found, str):
        raise RunError(f"{name} makes a text for the model, not {type(found).__name__}.", state) from error
    return found
