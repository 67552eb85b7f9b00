"""Agents: a run of two turns against LangChain's, and what a turn costs in a run of a thousand."""

from __future__ import annotations

import importlib
import itertools
import statistics
from collections.abc import Callable, Iterator
from time import process_time_ns, thread_time_ns
from typing import Any

from . import peers_agents, samples_agents
from .rows import Row, timed_group
from .timing import Candidate, repeatable

EXECUTOR_BAR, GRAPH_BAR = 30.0, 15.0
"""How many times faster than AgentExecutor, and than create_agent."""
TURNS = 1_000
EACH = 100
"""Turns at either end of a long run that are compared."""
RUNS = 5
FLAT_BAR = 1.25
"""The last turns of a long run over the first: what a busy machine may add to 1."""
KEPT = 10
"""Steps that the prompt of a trimmed run shows."""

PEERS: dict[str, list[tuple[str, Callable[[], Callable[[], Any]], float]]] = {
    "react": [("LangChain AgentExecutor, create_react_agent", peers_agents.react_executor, EXECUTOR_BAR)],
    "tool_calls": [
        ("LangChain AgentExecutor, create_tool_calling_agent", peers_agents.tool_calling_executor, EXECUTOR_BAR),
        ("LangChain create_agent", peers_agents.graph, GRAPH_BAR),
    ],
}


def note(text: str) -> str:
    """Keep a text."""
    return text


def _agent(lect: str, replies: Iterator[Any], prompt: Any, **settings: Any) -> Any:
    """An agent of ours, over a model that has its replies ready."""

    def ready(prompt: Any, *, stop: Any = None, tools: Any = None) -> Any:
        return next(replies)

    return importlib.import_module("polylect").Agent(lect, ready, [note], prompt=prompt, **settings)


def _answered(output: object) -> str | None:
    return None if output == "42" else f"expected the answer 42, got {str(output)[:80]}"


def our_run(lect: str) -> Candidate:
    """Our agent's run, checked."""
    if lect == "react":
        agent = _agent(lect, itertools.cycle(samples_agents.REACT_RUN), samples_agents.REACT_PROMPT)
    else:
        prompt = [("system", samples_agents.SYSTEM), ("user", "{input}"), "{agent_scratchpad}"]
        agent = _agent(lect, itertools.cycle(samples_agents.TOOL_CALLS_RUN), prompt)

    def check(output: object) -> str | None:
        steps = [(step.action.tool, step.observation) for step in agent.run(samples_agents.QUESTION).steps]
        return _answered(output) if steps == [(samples_agents.NOTE, "hi")] else f"expected one step, got {steps}"

    return repeatable(lambda: agent.run(samples_agents.QUESTION).output, check)


def short_runs(with_ours: bool) -> Iterator[Row]:
    """One turn with a tool that does nothing, and the answer."""
    for lect, peers in PEERS.items():
        ours = f"polylect {lect}"
        candidates = {title: repeatable(make(), _answered) for title, make, _ in peers}
        if with_ours:
            candidates = {ours: our_run(lect)} | candidates
        group = timed_group(candidates, clock=process_time_ns)
        for title, _, bar in peers:
            found = group.timings.samples
            both = ours in found and title in found
            yield Row(
                f"`{lect}`, a tool and the answer",
                title,
                group.timings.median(ours) if ours in found else None,
                group.timings.median(title) if title in found else None,
                group.timings.ratio(title, ours) if both else None,
                bar,
                value_unit="x faster",
                at_least=True,
                note="; ".join(group.faults[name] for name in (ours, title) if name in group.faults),
            )


def _size(prompt: Any) -> int:
    """Characters of what a model is sent."""
    if isinstance(prompt, str):
        return len(prompt)
    return sum(
        len(message.get("content") or "")
        + sum(len(call["function"]["arguments"]) for call in message.get("tool_calls", ()))
        for message in prompt
    )


def _long_run(lect: str, trim: int | None) -> tuple[list[float], list[int]]:
    """Microseconds of each turn of a long run, without the model, and the characters that the turn's end was sent."""
    begun: list[int] = []
    ended: list[int] = []
    sizes: list[int] = []

    def model(prompt: Any, *, stop: Any = None, tools: Any = None) -> Any:
        ended.append(thread_time_ns())
        sizes.append(_size(prompt))
        number = len(begun)
        reply = samples_agents.long_turn(lect, number if number < TURNS else None)
        begun.append(thread_time_ns())
        return reply

    agent = importlib.import_module("polylect").Agent(lect, model, [note], trim=trim, max_iterations=None)
    result = agent.run(samples_agents.QUESTION)
    if result.output != "42" or len(result.steps) != TURNS:
        raise ValueError(f"expected {TURNS} steps and the answer, got {len(result.steps)} and {result.output!r:.80}")
    times = [(end - begin) / 1e3 for begin, end in zip(begun[:-1], ended[1:], strict=True)]
    return times, sizes[1:]


def _ends(values: list[float], first: int) -> tuple[float, float]:
    """The medians of the turns from ``first`` on, and of the last ones."""
    return statistics.median(values[first : first + EACH]), statistics.median(values[-EACH:])


def _row(what: str, peer: str, pairs: list[tuple[float, float]], unit: str) -> Row:
    ratio = statistics.median(late / early for early, late in pairs)
    early, late = (statistics.median(column) for column in zip(*pairs, strict=True))
    return Row(what, peer, late, early, ratio, FLAT_BAR, unit)


def long_runs(with_ours: bool) -> Iterator[Row]:
    """A run of a thousand turns: with trimming, what a turn costs; without, what it costs for what is sent."""
    if not with_ours:
        return
    for lect in PEERS:
        trimmed = [_ends(_long_run(lect, KEPT)[0], KEPT) for _ in range(RUNS)]
        yield _row(f"`{lect}`, a turn, {KEPT} steps kept", "the first turns", trimmed, "µs")
        whole = []
        for _ in range(RUNS):
            times, sizes = _long_run(lect, None)
            whole.append(_ends([time / size * 1e3 for time, size in zip(times, sizes, strict=True)], EACH))
        yield _row(f"`{lect}`, per 1,000 characters sent, all steps kept", f"turns {EACH} to {2 * EACH}", whole, "µs")
