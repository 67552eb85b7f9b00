"""The cases of ``canitoolcall``, and the suite's judgement of ours."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from canitoolcall.checks import case_status, run_checks
from canitoolcall.fixtures import Family, Fixture, load_families, load_fixtures
from canitoolcall.results import CheckResult, Observation, ParseResult, Status, worst_status

from .adapter import PolylectAdapter, replayed

CONTRADICTED = {
    "gemma4/vllm-text-before-call": (
        "It expects the space before the call to be taken off the text; gemma4/sglang-text-before-call and "
        "gemma4/sglang-text-around-call expect it to stay, after the same words' end. Text is verbatim here."
    )
}
"""Cases in which other cases of the suite say the opposite: they are soft passes, by white space alone."""


@lru_cache
def fixtures() -> tuple[Fixture, ...]:
    """All cases."""
    return tuple(load_fixtures())


@lru_cache
def families() -> dict[str, Family]:
    """The families by name."""
    return load_families()


def judged(fixture: Fixture, adapter: PolylectAdapter) -> tuple[Status, Sequence[CheckResult]]:
    """The suite's status for a case, and all rows that are no strict pass (character-wise streams included)."""
    family = families()[fixture.family]
    told = replayed(adapter, fixture, family)
    seen = Observation(
        nonstream=ParseResult.from_dict(told["nonstream"]),
        streams={name: ParseResult.from_dict(stream) for name, stream in told["streams"].items()},
    )
    rows = run_checks(fixture, family, seen)
    return case_status(rows), [row for row in rows if row.status is not Status.PASS]


def strict(rows: Sequence[CheckResult]) -> Status:
    """The worst of all rows; ``PASS`` means that every single one is a strict pass."""
    return worst_status(row.status for row in rows)
