"""What a turn of a long run costs: as much as what is sent, counted in calls of functions and not in seconds."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from statistics import median
from typing import Any

import pytest

import polylect
from polylect import Agent, RunState

from .scenes import LECTS, answer, call, echo

TURNS = 60
every = pytest.mark.parametrize("lect", LECTS)


class Counter:
    """Counts the calls of functions, Python's and C's, between a model's calls; and the characters it is sent."""

    def __init__(self, lect: str, turns: int) -> None:
        self.calls: list[int] = []
        self.sent: list[int] = []
        self._count = 0
        self._replies = self._script(lect, turns)

    @staticmethod
    def _script(lect: str, turns: int) -> Iterator[Any]:
        for number in range(turns):
            yield call(lect, given=f"page {number:05}")
        yield answer(lect)

    def __call__(self, prompt: Any, *, stop: Any = None, tools: Any = None) -> Any:
        """The next reply."""
        sys.setprofile(None)
        self.calls.append(self._count)
        self.sent.append(len(str(prompt)))
        reply = next(self._replies)
        self._count = 0
        sys.setprofile(self._counted)
        return reply

    def _counted(self, frame: Any, event: str, argument: Any) -> None:
        self._count += event in ("call", "c_call")


def counted(lect: str, turns: int = TURNS, **settings: Any) -> Counter:
    model = Counter(lect, turns)
    agent = Agent(lect, model, [echo], max_iterations=None, **settings)
    gc.disable()  # what a collection calls is nobody's turn
    try:
        result = agent.run("q")
    finally:
        gc.enable()
        sys.setprofile(None)
    assert (result.output, len(result.steps)) == ("42", turns)
    return model


@every
def test_with_trimming_each_turn_costs_the_same(lect: str) -> None:
    model = counted(lect, trim=5)
    early, late = median(model.calls[10:30]), median(model.calls[-20:])
    assert late <= 1.05 * early, model.calls


@every
def test_a_token_budget_looks_at_what_it_keeps_and_not_at_the_whole_run(lect: str) -> None:
    model = counted(lect, trim=polylect.TokenBudget(200, first=1))
    early, late = median(model.calls[20:40]), median(model.calls[-20:])
    assert late <= 1.05 * early, model.calls


@every
def test_without_trimming_a_turn_costs_as_much_as_is_sent(lect: str) -> None:
    """Twice as many steps in the prompt are at most twice the work; what does not grow counts for both."""
    model = counted(lect)
    half, whole = median(model.calls[TURNS // 2 - 2 : TURNS // 2 + 1]), median(model.calls[TURNS - 2 :])
    assert model.sent[TURNS] > model.sent[TURNS // 2]
    assert whole <= 2.1 * half, model.calls


@every
def test_a_state_grows_by_what_was_done(lect: str) -> None:
    sizes = []
    for turns in (10, 20, 40):
        model = Counter(lect, turns)
        agent = Agent(lect, model, [echo], max_iterations=None)
        state = agent.start("q")
        try:
            agent.run(state)
        finally:
            sys.setprofile(None)
        sizes.append(len(RunState.to_json(state)))
    assert sizes[2] - sizes[1] <= 2.2 * (sizes[1] - sizes[0])
