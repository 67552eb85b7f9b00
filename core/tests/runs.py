"""Runs to look at: written down by hand, as an agent would have left them; and such as Hypothesis can think of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from polylect import EXCEPTION_TOOL, AgentAction, AgentStep, Call, Reply, tutorial
from polylect.agent import STOP_REASONS, RunResult, StopReason, ToolResult, TurnRecord, Usage

CORRECTION = "Your reply had no action and no final answer. Write one of them."


def run(
    question: str, turns: Iterable[TurnRecord], output: Any, stop: StopReason = "finished", **more: Any
) -> RunResult:
    """A run, with the steps that its turns have."""
    turns = tuple(turns)
    steps = (AgentStep(a, r.observation) for turn in turns for a, r in zip(turn.actions, turn.results, strict=False))
    known = {"lect": "react_bracket", "inputs": {"input": question}, "iterations": len(turns), **more}
    return RunResult(output, stop, tuple(steps), turns, **known)


def turn(number: int, thought: str, *calls: tuple[str, Any, Any], **more: Any) -> TurnRecord:
    """A turn with its calls: tool, input, and observation or result (None: there is none)."""
    actions = tuple(AgentAction(tool, given, thought, None, at) for at, (tool, given, _) in enumerate(calls))
    results = tuple(
        seen if isinstance(seen, ToolResult) else ToolResult(seen) for _, _, seen in calls if seen is not None
    )
    reply = Reply(reasoning=thought, calls=tuple(Call(tool, given) for tool, given, _ in calls))
    return TurnRecord(number, reply, thought, actions, results, **more)


def golden(**more: Any) -> RunResult:
    """The tutorial's run: four turns, three steps."""
    turns = []
    for number, reply in enumerate(tutorial.REPLIES, 1):
        actions = tuple(AgentAction(call.name, call.arguments or "", reply.reasoning) for call in reply.calls)
        results = tuple(ToolResult(tutorial.search(str(action.tool_input))) for action in actions)
        size = 700 + 100 * number
        turns.append(TurnRecord(number, reply, reply.reasoning, actions, results, prompt_size=size))
    return run(tutorial.QUESTION, turns, "54,583", **more)


def troubled() -> RunResult:
    """Several calls in a turn, of all kinds; a reply that could not be read; and no time left."""
    calls: tuple[tuple[str, Any, Any], ...] = (
        ("weather", {"city": "Oslo"}, ToolResult("4 °C", seconds=0.25)),
        ("weather", {"city": "Atlantis"}, ToolResult("LookupError: no such city", "error", 0.5)),
        ("teleport", {"to": "Oslo"}, ToolResult("There is no tool 'teleport'.", "unknown")),
        ("weather", {"town": "Oslo"}, ToolResult("'city' is missing", "invalid")),
        ("delete", {}, ToolResult("Nobody approved of it.", "refused")),
    )
    first = turn(1, "All at once.", *calls, seconds=1.5, usage=Usage(300, 40))
    bad = AgentAction(EXCEPTION_TOOL, "The arguments are cut off.", "x", None, 5)
    reply = first.reply
    assert reply is not None
    cut = Call("weather", None, '{"city": "Ber', status="truncated", error="The arguments are cut off.")
    reply = Reply(reasoning=reply.reasoning, calls=(*reply.calls, cut))
    told = ToolResult("The arguments are cut off.", "invalid")
    first = TurnRecord(1, reply, "", (*first.actions, bad), (*first.results, told), None, first.usage, first.seconds)
    action = AgentAction(EXCEPTION_TOOL, CORRECTION, "Well, maybe.")
    second = TurnRecord(2, None, "Well, maybe.", (action,), (ToolResult(CORRECTION, "invalid"),), "There is no action.")
    slow = ToolResult("The call was not finished.", "timeout", 10.0)
    third = turn(3, "", ("weather", "Bergen", slow), ("weather", "Bodø", None))
    return run(
        "Where is it warm?", [first, second, third], "The agent stopped.", "time", seconds=12.25, usage=Usage(300, 40)
    )


def long_run(turns: int, size: int = 200) -> RunResult:
    """Many turns of long texts."""
    text = "Lorem ipsum dolor sit amet. " * (size // 28)
    return run(
        "How long?", [turn(at, text, ("read", text, text), prompt_size=at * size) for at in range(1, turns + 1)],
        "Enough.", "iterations",
    )  # fmt: skip


# Texts as models and tools write them at their worst: markup of all kinds, controls, what turns text around, wide and
# narrow, long without a space.
PIECES = (
    "]]>", "<script>alert(1)</script>", "<a href='https://example.org'>", "&lt;", "&#0;", "<!--", "<![CDATA[", '"', "'",
    "--> x", "%%{init: {}}%%", "$$x$$", "fa:fa-car", "#quot;", "`", "\\", "\x1b[31m", "\x00", "\x9b", "\r", "\r\n",
    "\n", "\t", "\u202e", "\u2066", "\u2028", "\ud800", "\udfff", "\ufffe", "\uffff", "\u0301" * 9,
    "漢字、", "한국어",
    "👩\u200d💻", "ﷺ", "\U000e0041", "end", "click a b", "subgraph", "  ", "a" * 60, "Turn 9", "1. a", "- a",
)  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=6).map("".join)
anything = (
    st.none()
    | st.integers()
    | st.floats()
    | texts
    | st.lists(texts, max_size=2)
    | st.dictionaries(texts, texts, max_size=2)
)
numbers = st.integers(-3, 10**19) | st.just(10**5000)
seconds = st.floats(-1, 1e18) | st.sampled_from([float("nan"), float("inf")])
results = st.builds(
    ToolResult,
    anything,
    st.sampled_from(["ok", "error", "unknown", "invalid", "refused", "timeout", "cancelled"]),
    seconds,
)
actions = st.builds(
    AgentAction,
    texts | st.just(EXCEPTION_TOOL),
    texts | st.dictionaries(texts, anything, max_size=2),
    texts,
    st.none(),
    st.integers(-1, 3),
)
calls = st.builds(Call, texts, texts | st.none() | st.dictionaries(texts, anything, max_size=1), texts)
replies = st.builds(
    Reply, reasoning=texts, content=texts, calls=st.lists(calls, max_size=3).map(tuple), answer=st.none() | texts
)
usages = st.builds(Usage, numbers, numbers)
turns = st.builds(
    TurnRecord, numbers, st.none() | replies, anything, st.lists(actions, max_size=12).map(tuple),
    st.lists(results, max_size=12).map(tuple), st.none() | texts, usages, seconds, numbers,
)  # fmt: skip
runs = st.builds(
    RunResult, anything, st.sampled_from(STOP_REASONS),
    turns=st.tuples(st.lists(turns, max_size=4).map(tuple), st.sampled_from([1, 1, 8])).map(lambda x: x[0] * x[1]),
    steps=st.lists(st.builds(AgentStep, actions, anything), max_size=3).map(tuple),
    inputs=st.dictionaries(texts | st.just("input"), anything, max_size=2),
    iterations=numbers, usage=usages, seconds=seconds, lect=texts,
)  # fmt: skip
