"""A run as those see it who look at it: what each turn thought, did and saw, and how it all ended.

The report, the picture and the flowchart are drawn from this. Texts are as they came: who shows them cuts them and
makes them harmless.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from .._json import shown
from .._values import EXCEPTION_TOOL, AgentAction, Reply
from ._values import RunResult, ToolResult, TurnRecord, Usage

SEEN = {
    "ok": "Observation",
    "error": "Failed",
    "unknown": "Unknown tool",
    "invalid": "Bad input",
    "refused": "Refused",
    "timeout": "Timed out",
    "cancelled": "Cancelled",
    "": "Not run",
}
"""What stands beside an observation, by the status of its call; "" for a call without a result."""
REASONS = {
    "iterations": "its limit of turns was reached (max_iterations)",
    "time": "its time was up (max_execution_time)",
    "cancelled": "it was cancelled",
    "loop": "the model made no progress",
}
LARGEST = 10**15
"""No count is shown beyond it."""


class Doing(NamedTuple):
    """One call: the tool, what it was given, and what came of it. ``text`` is False for a text that was to be JSON."""

    tool: str
    given: Any
    seen: str
    observation: Any
    seconds: float = 0.0
    text: bool = True

    @property
    def ok(self) -> bool:
        """Whether the observation is the tool's own."""
        return self.seen == SEEN["ok"]

    @property
    def input(self) -> str:
        """What the tool was given, as text."""
        return shown(self.given)

    @property
    def result(self) -> str:
        """The observation as text; "" for none."""
        return "" if self.observation is None and not self.ok else shown(self.observation)

    @property
    def called(self) -> str:
        """The call on a line: text in brackets, JSON as it is."""
        return (
            f"{self.tool}[{self.given}]" if self.text and isinstance(self.given, str) else f"{self.tool} {self.input}"
        )


class Row(NamedTuple):
    """One turn. ``thought`` tells whether ``said`` is the model's reasoning and remarks, and not its whole reply.

    ``fault`` says why the reply could not be read, and ``told`` what the model was told about it.
    """

    number: int
    said: str
    thought: bool
    doings: tuple[Doing, ...]
    fault: str | None = None
    told: str | None = None
    record: TurnRecord | None = None

    @property
    def unfinished(self) -> bool:
        """Whether the reply was cut off by the end of the run: then nothing was done about it."""
        return self.fault is not None and self.record is not None and not self.record.actions

    @property
    def title(self) -> str:
        """What ``said`` is, when it is no thought."""
        return "Reply" if self.fault is None else "Unfinished reply" if self.unfinished else "Unreadable reply"

    @property
    def fault_title(self) -> str:
        """What ``fault`` is."""
        return "Cut off" if self.unfinished else "Fault"

    @property
    def idle(self) -> bool:
        """Whether it called nothing, and was understood: the model answered, or was stopped before it could."""
        return not self.doings and self.fault is None


def rows(result: RunResult) -> Sequence[TurnRecord | int]:
    """The turns of a run; for a result that has only steps, the number of each step."""
    return result.turns or range(len(result.steps))


def row(result: RunResult, turn: TurnRecord | int) -> Row:
    """One of :func:`rows`, as it is looked at."""
    if isinstance(turn, int):
        step = result.steps[turn]
        known = ToolResult(step.observation)
        return Row(turn + 1, step.action.log, False, (_doing(step.action, known, None),))
    said, thought = _said(turn)
    if turn is result.turns[-1] and not turn.actions and result.output is not None and said == shown(result.output):
        said = ""  # it is shown as the answer
    if turn.error is not None:
        first = turn.results[0].observation if turn.results else turn.actions[0].tool_input if turn.actions else None
        return Row(turn.number, said, False, (), turn.error, None if first is None else shown(first), turn)
    pairs = zip_longest(turn.actions, turn.results[: len(turn.actions)])
    doings = tuple(_doing(action, found, turn.reply) for action, found in pairs)
    return Row(turn.number, said, thought, doings, record=turn)


def _said(turn: TurnRecord) -> tuple[str, bool]:
    """What the model wrote beside its calls and its answer, and whether that was told apart from them."""
    reply = turn.reply
    if reply is None or turn.error is not None:
        log = turn.actions[0].log if turn.actions else ""
        text = reply.text if reply is not None else ""
        return text or ("" if turn.output is None else _written(turn.output)) or log, False
    answered = reply.answer is None and not turn.actions  # then the content is the answer
    told = [reply.reasoning, "" if answered else reply.content]
    return "\n".join(text.strip() for text in told if text.strip()), True


def _written(output: Any) -> str:
    if isinstance(output, dict) and isinstance(output.get("content"), str) and output["content"].strip():
        return str(output["content"])
    return shown(output)


def _doing(action: AgentAction, result: ToolResult | None, reply: Reply | None) -> Doing:
    tool, given = action.tool, action.tool_input
    status = "" if result is None else result.status
    observation = None if result is None else result.observation
    seconds = 0.0 if result is None else result.seconds
    if tool == EXCEPTION_TOOL:  # a call beside others that could not run: its input is what the model is told
        call = reply.calls[action.index] if reply is not None and 0 <= action.index < len(reply.calls) else None
        observation = given if observation is None else observation
        if call is not None:
            unread = call.arguments is None
            return Doing(call.name, call.raw if unread else call.arguments, SEEN[""], observation, text=not unread)
        return Doing("(unreadable call)", action.log.strip(), SEEN[""], observation)
    return Doing(tool, given, SEEN.get(status, SEEN["error"]), observation, seconds)


# --- the run as a whole -----------------------------------------------------------------------------------------------


class Ending(NamedTuple):
    """How a run ended: ``title`` in a few words, ``reason`` as a sentence, and whether ``answer`` is the run's own.

    ``asked``: the run was stopped, and the answer is what the model said when it was asked for one last reply.
    """

    title: str
    reason: str
    answer: str
    finished: bool
    asked: bool = False


def ending(result: RunResult) -> Ending:
    """How a run ended, in words."""
    answer = "" if result.output is None else shown(result.output)
    last = result.turns[-1] if result.turns else None
    if result.stop_reason == "finished":
        return Ending("Final answer", "Finished: the model gave its answer.", answer, True)
    if result.stop_reason == "return_direct":
        tools = ", ".join(dict.fromkeys(f"{action.tool!r}" for action in last.actions)) if last is not None else ""
        by = f"the tool {tools}" if tools else "a tool"
        return Ending("Final answer", f"Finished: {by} gave the answer itself (return_direct).", answer, True)
    why = REASONS[result.stop_reason]
    if result.stop_reason == "loop":
        unreadable = last is not None and last.error is not None
        why += ": its replies could not be read" if unreadable else ": it did the same again and again"
    asked = last is not None and not last.actions and last.error is None and _spoke(last)
    more = " The output is what the model said when it was asked for an answer one last time." if asked else ""
    return Ending("Stopped", f"Stopped without an answer: {why}.{more}", answer, False, asked)


def _spoke(turn: TurnRecord) -> bool:
    reply = turn.reply
    if reply is None:
        return bool(turn.output)
    return reply.answer is not None or bool((reply.content or reply.reasoning).strip())


def question(result: RunResult) -> str:
    """What was asked: the input of that name, or the first that is a text."""
    asked = result.inputs.get("input")
    if asked is None:
        asked = next((value for value in result.inputs.values() if isinstance(value, str)), "")
    return shown(asked)


class Tally(NamedTuple):
    """What the calls of some turns came to."""

    calls: int = 0
    failed: int = 0
    cut: int = 0
    never: int = 0
    unreadable: int = 0
    unfinished: int = 0

    def __str__(self) -> str:
        """In words: "4 tool calls (1 failed, 1 never ran)"."""
        told = {"failed": self.failed, "cut off": self.cut, "never ran": self.never}
        notes = ", ".join(f"{many(number)} {word}" for word, number in told.items() if number)
        text = [many(self.calls, "tool call") + (f" ({notes})" if notes else "")]
        text += [many(self.unreadable, "unreadable reply", "unreadable replies")] if self.unreadable else []
        text += [many(self.unfinished, "unfinished reply", "unfinished replies")] if self.unfinished else []
        return ", ".join(text)


def tally(turns: Iterable[TurnRecord | int]) -> Tally:
    """The calls of some turns, counted."""
    found: Counter[str] = Counter()
    calls = unreadable = unfinished = 0
    for turn in turns:
        if isinstance(turn, int):
            calls += 1
        elif turn.error is not None:
            unreadable, unfinished = unreadable + bool(turn.actions), unfinished + (not turn.actions)
        else:
            calls += len(turn.actions)
            for action, result in zip_longest(turn.actions, turn.results[: len(turn.actions)]):
                found["" if result is None or action.tool == EXCEPTION_TOOL else result.status] += 1
    cut = found["timeout"] + found["cancelled"]
    never = found[""] + found["unknown"] + found["invalid"] + found["refused"]
    return Tally(calls, found["error"], cut, never, unreadable, unfinished)


def many(number: int, one: str = "", more: str = "") -> str:
    """A number, with its thing in the right form."""
    text = f"{min(max(number, 0), LARGEST):,}"
    return f"{text} {one if number == 1 else more or one + 's'}" if one else text


def seconds_of(seconds: float) -> str:
    """A time for people; "" for none, and for what is none."""
    if not 0 < seconds < LARGEST:
        return ""
    if seconds < 0.001:
        return "< 1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds:,.0f} s"


def figures(result: RunResult) -> Iterator[str]:
    """The run in numbers, as far as they are known."""
    turns = rows(result)
    yield many(len(turns), "turn")
    yield str(tally(turns))
    if time := seconds_of(result.seconds):
        yield time
    if tokens := tokens_of(result.usage):
        yield f"tokens {tokens}"


def tokens_of(usage: Usage) -> str:
    """Tokens in words; "" where they are not known."""
    told = {"in": usage.input_tokens, "out": usage.output_tokens}
    return " / ".join(f"{many(number)} {word}" for word, number in told.items() if number > 0)
