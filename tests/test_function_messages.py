"""``openai_functions`` writes the messages that LangChain's ``format_to_openai_function_messages`` was seen to write.

Where an action has no message of the model's, LangChain loses its observation; the page of differences says so.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import EXCEPTION_TOOL, AgentAction, AgentStep

HERE = Path(__file__).parent
ROWS = [json.loads(line) for line in (HERE / "langchain_functions.jsonl").read_text(encoding="utf-8").splitlines()]
PAGE = HERE.parent / "docs" / "differences.md"


def written(row: dict[str, Any]) -> list[dict[str, Any]]:
    """What we write of the steps in a row."""
    messages = row["messages"] or [None] * len(row["steps"])
    steps = [
        AgentStep(AgentAction(tool, given, log, message=message), observation)
        for (tool, given, log, observation), message in zip(row["steps"], messages, strict=True)
    ]
    found: list[dict[str, Any]] = polylect.lect("openai_functions").format_steps(steps)
    return found


@pytest.mark.parametrize("row", ROWS, ids=range(len(ROWS)))
def test_steps_are_written_as_langchain_does_or_the_page_says_why_not(row: dict[str, Any]) -> None:
    ours = written(row)
    assert ours == row["polylect"]
    if row["messages"]:
        assert ours == row["langchain"]
        return
    assert row["langchain"] == [{"role": "assistant", "content": log} for _, _, log, _ in row["steps"]]
    assert len(ours) == 2 * len(row["steps"])
    for (tool, _, log, observation), said, result in zip(row["steps"], ours[::2], ours[1::2], strict=True):
        text = observation if isinstance(observation, str) else json.dumps(observation, ensure_ascii=False)
        if tool == EXCEPTION_TOOL:
            assert (said["content"], result) == (log, {"role": "user", "content": text})
        else:
            assert result == {"role": "function", "name": said["function_call"]["name"], "content": text}


def test_both_kinds_of_actions_were_observed() -> None:
    assert {bool(row["messages"]) for row in ROWS} == {True, False}
    assert len(ROWS) == 32
    assert "forgets the observation of an action without a message" in PAGE.read_text(encoding="utf-8")
