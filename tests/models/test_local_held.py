"""A very small model at a high temperature, held to the lect: it writes nothing that can't be read."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import validate

import polylect
from polylect import AgentFinish, ParseError, Pipeline, tutorial

from .drive import content, last_reason

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("local")]

QUESTIONS = (
    "What is the capital of Norway?",
    "What is 12 * 12?",
    "How old is the Eiffel Tower?",
    "Who wrote Hamlet?",
    "What is 2 + 2?",
    "How high is Mont Blanc?",
    "What is the population of Rome?",
    "What is 17 * 3 - 4?",
    "When did the first man walk on the moon?",
    "How far is it from Oslo to Bergen?",
)
TOOLS = [tutorial.search, tutorial.calculate]
LIMITS = {"max_chars": 120, "max_calls": 1}


def readable(pipeline: Pipeline, question: str) -> bool | None:
    """Whether the reply to a question has no fault, and arguments that its tool takes; None: it came to no end."""
    request = pipeline.request(input=question)
    chunks = list(pipeline.ask(request))
    stage: Any = pipeline.parse_stage
    if last_reason(chunks) == "length":
        return None
    try:
        reply = stage.read(content(chunks), request.prefix)
        decision = stage.decided(reply)
    except ParseError:
        return False
    if reply.diagnostics:
        return False
    if isinstance(decision, AgentFinish):
        return True
    tools = pipeline.tools or polylect.Toolbox()
    for action in decision:
        if action.tool not in tools:
            return False
        validate(action.tool_input, tools[action.tool].parameters)
    return True


def outcomes(constrain: Any, **options: Any) -> list[bool | None]:
    """Whether each of the ten replies can be read; None for one that came to no end."""
    with polylect.model("local", threads=2, temperature=1.3, seed=3, **options) as model:
        pipeline = Pipeline("react", model, TOOLS, constrain=constrain)
        return [readable(pipeline, question) for question in QUESTIONS]


def test_ten_of_ten_replies_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    held, free = outcomes(LIMITS, max_tokens=1200).count(True), outcomes(False, max_tokens=200).count(True)
    with capsys.disabled():
        print(f"\nSmolLM2-135M at temperature 1.3, react: {held} of 10 replies can be read with gbnf, {free} without")
    assert held == len(QUESTIONS)
    assert free < held


def test_with_llguidance_every_reply_that_ends_can_be_read() -> None:
    """Without a limit of characters, which the llguidance in llama.cpp gives up on."""
    found = outcomes({"max_calls": 1}, constraint_target="llguidance", max_tokens=200)
    assert found.count(True) > len(QUESTIONS) / 2
    assert False not in found


def test_an_agent_runs_over_it() -> None:
    options = {"temperature": 1.3, "max_tokens": 1200}
    with polylect.model("local", threads=2, **options) as model:
        agent = polylect.Agent(
            "react", model, TOOLS, constrain=LIMITS, max_iterations=3, early_stopping="generate", tool_choice="search"
        )
        result = agent.run("What is the capital of Norway?")
    assert all(turn.error is None for turn in result.turns)
    assert result.steps
    assert result.steps[0].action.tool == "search"
    assert isinstance(result.output, str)
    assert result.output
