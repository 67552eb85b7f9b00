"""What LangChain's agents were seen to do: ours do the same, or the page of differences says why not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .facts import DRIVEN, SCENARIOS, Fact, facts
from .scenes import DRIVERS

PAGE = (Path(__file__).parents[2] / "docs" / "differences.md").read_text(encoding="utf-8")
SECTIONS = PAGE[PAGE.index("\n## Agents\n") :]
ANY = "…"
"""In the file: some text, whose words are nobody's business there."""
FACTS = facts()
OBSERVED = {
    "AgentAction": 4, "AgentAction.messages": 1, "AgentActionMessageLog": 1, "AgentActionMessageLog.messages": 1,
    "AgentExecutor": 63, "AgentExecutor.astream": 1, "AgentExecutor.astream_log": 1, "AgentExecutor.callbacks": 1,
    "AgentExecutor.iter": 1, "AgentFinish": 1, "AgentStep": 1, "AgentStep.messages": 6,
    "ProviderStrategy.to_model_kwargs": 3, "create_agent": 23, "create_agent._supports_provider_strategy": 8,
    "create_agent.cache": 1, "create_agent.checkpointer": 1, "create_agent.context_schema": 1,
    "create_agent.interrupts": 7, "create_agent.jump_to": 8, "create_agent.middleware": 9,
    "create_agent.response_format": 36, "create_agent.store": 1, "create_react_agent": 3,
    "create_self_ask_with_search_agent": 2, "create_tool_calling_agent": 3, "langgraph.create_react_agent": 1,
}  # fmt: skip
"""How much was observed, by component: none of it may be lost."""


def tables(columns: int) -> list[list[str]]:
    """The rows of the page's tables of so many columns, without their heads."""
    lines = [line for line in SECTIONS.splitlines() if line.startswith("| ")]
    rows = [[cell.strip() for cell in line.strip().strip("|").split(" | ")] for line in lines]
    return [row for row in rows if len(row) == columns and row[0] not in ("---", "Component", "What happens")]


REASONS = [row[3] for row in tables(4)]


def outcomes(fact: Fact) -> list[tuple[str, dict[str, Any]]]:
    """What comes of it, by driver; once where no run is driven."""
    scenario = SCENARIOS[fact.scenario]
    drivers = DRIVERS if fact.scenario in DRIVEN else DRIVERS[:1]
    return [(driver, scenario(fact.input, driver)) for driver in drivers]


def matches(wanted: Any, found: Any) -> bool:
    """Whether it is what the file says."""
    if wanted == ANY:
        return isinstance(found, str) and found != ""
    if isinstance(wanted, list):
        return isinstance(found, list) and len(wanted) == len(found) and all(map(matches, wanted, found))
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(key in found and matches(x, found[key]) for key, x in wanted.items())
    return bool(wanted == found)


def different(theirs: dict[str, Any], ours: dict[str, Any]) -> set[str]:
    """The keys for which the two are not the same; all errors are one, as far as they come at the same time."""
    if "error" in theirs or "error" in ours:
        if not ("error" in theirs and "error" in ours):
            return {"error"}
        return {"at"} if theirs["at"] != ours["at"] else set()
    return {key for key, wanted in theirs.items() if key not in ours or ours[key] != wanted}


RUN = [fact for fact in FACTS if fact.scenario]
ids = pytest.mark.parametrize("fact", RUN, ids=[fact.id for fact in RUN])


@ids
def test_what_comes_of_it_is_what_the_file_says_in_every_driver(fact: Fact) -> None:
    for driver, found in outcomes(fact):
        assert matches(fact.polylect, {key: found.get(key) for key in fact.polylect}), driver


@ids
def test_it_is_what_langchain_did_or_there_is_a_reason_why_not(fact: Fact) -> None:
    assert different(fact.langchain, fact.polylect) == set(fact.why)


@pytest.mark.parametrize("fact", FACTS, ids=[fact.id for fact in FACTS])
def test_the_page_has_the_reasons(fact: Fact) -> None:
    for why in fact.why.values():
        assert any(why in reason for reason in REASONS), f"the page does not say: {why}"
    assert bool(fact.scenario) == bool(fact.polylect)
    assert fact.scenario or list(fact.why) == [""], "what is not here needs a reason"


def test_every_row_of_the_page_was_observed() -> None:
    used = {why for fact in FACTS for why in fact.why.values()}
    assert [reason for reason in REASONS if not any(why in reason for why in used)] == []
    assert len(REASONS) == len(set(REASONS)) > 40


def test_nothing_that_was_observed_is_lost() -> None:
    assert Counter(fact.component for fact in FACTS) == OBSERVED
    assert len({fact.id for fact in FACTS}) == len(FACTS)


def counted() -> dict[str, list[str]]:
    """By component: how much was observed, is the same, is otherwise, is not here."""
    found = {}
    for name in OBSERVED:
        mine = [fact for fact in FACTS if fact.component == name]
        absent = sum(not fact.scenario for fact in mine)
        otherwise = sum(bool(fact.scenario and fact.why) for fact in mine)
        found[name] = [str(x) for x in (len(mine), len(mine) - absent - otherwise, otherwise, absent)]
    return found


def test_the_page_counts_them() -> None:
    assert {row[0].strip("`"): row[1:] for row in tables(5)} == counted()
