"""A run as a table of what was thought, done and seen."""

from __future__ import annotations

from typing import Any

from .._json import shown
from .._values import EXCEPTION_TOOL
from ._values import RunResult
from ._view import row, rows

RAN = frozenset({"ok", "error"})
"""How a call ended whose tool was there and was called."""


def trajectory(result: RunResult) -> list[dict[str, str]]:
    """See :meth:`RunResult.trajectory`."""
    found: list[dict[str, str]] = []
    for turn in rows(result):
        seen = row(result, turn)
        if isinstance(turn, int):
            step = result.steps[turn]
            calls = [] if step.action.tool == EXCEPTION_TOOL else [(step.action, step.observation)]
        else:
            pairs = zip(turn.actions, turn.results, strict=False)
            calls = [(action, end.observation) for action, end in pairs if end.status in RAN]
        thought = seen.said if seen.thought else ""
        found += (
            {
                "thought": thought,
                "action": f"{action.tool}[{shown(_only_text(action.tool_input))}]",
                "observation": shown(observation),
            }
            for action, observation in calls
        )
    return found


def _only_text(tool_input: Any) -> Any:
    """The text of an input that has one argument, and that a text: some tongues have no inputs but objects."""
    if isinstance(tool_input, dict) and len(tool_input) == 1:
        (value,) = tool_input.values()
        return value if isinstance(value, str) else tool_input
    return tool_input
