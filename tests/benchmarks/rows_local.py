"""A real model on this machine: ten questions of the tutorial's kind, in `react`."""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Iterator
from typing import Any

from .rows import Row

QUESTIONS: tuple[tuple[str, str], ...] = (
    ("What is 12 multiplied by 12?", "144"),
    ("What is 330 divided by 3?", "110"),
    ("What is 7 plus 8 plus 9?", "24"),
    ("What is 1889 plus 137?", "2026"),
    ("What is the capital of France?", "Paris"),
    ("What is the population of Paris?", "2.1 million"),
    ("What is the area of Paris?", "105"),
    ("What is the height of the Eiffel Tower?", "330"),
    ("In which year was the Eiffel Tower built?", "1889"),
    ("Where is the birthplace of Ernest Hemingway?", "Oak Park"),
)
"""Each with what a right answer has in it."""
LECT = "react"


def ten_questions(with_ours: bool) -> Iterator[Row]:
    """The loop over SmolLM2-135M, unconstrained: it has to come to an end, whatever the model writes."""
    if not with_ours:
        return
    polylect: Any = importlib.import_module("polylect")
    tutorial: Any = importlib.import_module("polylect.tutorial")
    results, faults = [], []
    begun = time.perf_counter()
    with polylect.model("local") as model:
        agent = polylect.Agent(LECT, model, tutorial.TOOLS, examples=tutorial.EXAMPLES)
        for question, _ in QUESTIONS:
            try:
                results.append(agent.run(question))
            except Exception as error:
                faults.append(f"{question}: {type(error).__name__}: {error}")
    seconds = time.perf_counter() - begun
    count = len(QUESTIONS)
    yield Row(
        f"`{LECT}`, runs that end without an exception",
        f"of {count}",
        value=float(len(results)),
        bar=float(count),
        value_unit="",
        at_least=True,
        note="; ".join(faults),
    )
    if faults:
        return
    pairs = list(zip(results, QUESTIONS, strict=True))
    right = sum(wanted in str(result.output) for result, (_, wanted) in pairs if result.finished)
    tools = [result for result in results if any(x.status == "ok" for turn in result.turns for x in turn.results)]
    written = sum(result.usage.output_tokens for result in results)
    for what, value in (
        ("runs that come to an answer", sum(result.finished for result in results)),
        ("runs in which a tool is called", len(tools)),
        ("right answers", right),
    ):
        yield Row(f"`{LECT}`, {what}", f"of {count}", value=float(value), value_unit="")
    turns = statistics.mean(result.iterations for result in results)
    yield Row(f"`{LECT}`, turns for a question", "", value=turns, value_unit="")
    yield Row(f"`{LECT}`, time for a question", "", ours=seconds / count, unit="s")
    yield Row(f"`{LECT}`, tokens a second, prompts included", "", value=written / seconds, value_unit="")
