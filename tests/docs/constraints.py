"""The tables of ``docs/constraints.md``: what each lect has for each target, and what each server takes."""

from __future__ import annotations

from collections.abc import Sequence

import polylect
from polylect.constraint import SERVERS, TARGETS

SEARCH = polylect.Tool(
    "search",
    "Search.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "exact": {"type": "boolean"},
        },
        "required": ["query"],
    },
)
NOW = polylect.Tool("now", "The time.", {"type": "object", "properties": {}})
NONE = "–"


def lects_by_target() -> str:
    """Each lect with its report for each target, with two tools, and below it the reasons."""
    reasons: dict[str, int] = {}
    rows = [("lect", *(f"`{target}`" for target in TARGETS))]
    for info in polylect.lects():
        lect = polylect.lect(info.name)
        rows.append((f"`{info.name}`", *(_cell(lect, target, reasons) for target in TARGETS)))
    escaped = (reason.replace("<", "\\<").replace("*", "\\*") for reason in reasons)
    told = "\n".join(f"{number}. {reason}" for number, reason in enumerate(escaped, 1))
    return f"{_table(rows)}\n{told}\n"


def _cell(lect: polylect.Lect, target: str, reasons: dict[str, int]) -> str:
    try:
        report = lect.constraint([SEARCH, NOW], target=target).report
    except polylect.ConstraintError:
        return NONE
    numbers = [str(reasons.setdefault(reason, len(reasons) + 1)) for reason in report.reasons]
    return f"{report.exactness} ({', '.join(numbers)})" if numbers else report.exactness


def servers() -> str:
    """The targets of each server, the one to use first."""
    rows = [("server", "its targets, the one to use first")]
    rows += [(f"`{name}`", ", ".join(f"`{target}`" for target in targets)) for name, targets in SERVERS.items()]
    return _table(rows)


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n"
