"""How much of what was done goes into the next prompt. The result of a run keeps all of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .._errors import PromptError
from .._json import shown
from .._values import AgentStep

CHARS_PER_TOKEN = 4
"""A rule of thumb for English and code, used where nobody counts better."""


def count_roughly(text: str) -> int:
    """The tokens of a text, by the rule of thumb of four characters each."""
    return -(-len(text) // CHARS_PER_TOKEN)


class TokenBudget:
    """Keeps the first turns, which say what the task is, and as many of the last ones as the budget holds.

    Whole turns stay or go, so that no call of a turn stands without its neighbours. The last turn always stays.

    Args:
        tokens: how many tokens the steps may take in the prompt.
        count: the tokens of a text; by default its characters divided by four.
        first: how many turns at the beginning stay, whatever they cost.

    Raises:
        PromptError: a number is none, or too small.
    """

    def __init__(self, tokens: int, *, count: Callable[[str], int] = count_roughly, first: int = 1) -> None:
        if type(tokens) is not int or tokens < 1:
            raise PromptError(f"A token budget is a whole number of at least 1, not {tokens!r:.80}.")
        if type(first) is not int or first < 0:
            raise PromptError(f"first is a number of turns, not {first!r:.80}.")
        if not callable(count):
            raise PromptError("count is a callable of a text that returns a number of tokens.")
        self.tokens, self.count, self.first = tokens, count, first

    def __call__(self, steps: list[AgentStep]) -> list[AgentStep]:
        """The steps that stay; looks only at those, so that a turn costs the same however long the run is."""
        head = _turns_from_start(steps, self.first)
        left = self.tokens - sum(map(self._cost, steps[:head]))
        start = len(steps)
        while start > head:
            begin = start - 1
            while begin > head and steps[begin].action.index > 0:
                begin -= 1
            left -= sum(map(self._cost, steps[begin:start]))
            if left < 0 and start < len(steps):
                break
            start = begin
        return [*steps[:head], *steps[start:]]

    def _cost(self, step: AgentStep) -> int:
        return self.count(step.action.log) + self.count(shown(step.observation))

    def __repr__(self) -> str:
        return f"TokenBudget({self.tokens}, first={self.first})"


def _turns_from_start(steps: list[AgentStep], turns: int) -> int:
    """Where the first ``turns`` turns end."""
    at = 0
    while at < len(steps) and turns:
        at += 1
        while at < len(steps) and steps[at].action.index > 0:
            at += 1
        turns -= 1
    return at


def trimmed(trim: Any, steps: list[AgentStep]) -> list[AgentStep]:
    """The steps for the prompt.

    Raises:
        PromptError: a callable of the caller's made something else than steps.
    """
    if trim is None:
        return steps
    if type(trim) is int:
        return steps[-trim:]
    found = trim(list(steps)) if not isinstance(trim, TokenBudget) else trim(steps)
    if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
        raise PromptError(f"trim makes a list of AgentStep, not {type(found).__name__}.")
    kept = list(found)
    for step in kept:
        if not isinstance(step, AgentStep):
            raise PromptError(f"trim makes a list of AgentStep, and one is {type(step).__name__}.")
    return kept
