"""Our line in the suite ``canitoolcall``: ``python -m tests.native.score [FAMILY…]``.

A case counts as passed when every check passes strictly in every cutting, character-wise streams included.
``-v`` tells the cases that do not, with the first reason.
"""

from __future__ import annotations

import sys
from collections import Counter

from canitoolcall.results import Status

from .adapter import PolylectAdapter
from .suite import CONTRADICTED, families, fixtures, judged, strict


def main(arguments: list[str]) -> int:
    """Print the counts; 1 when a case does not pass."""
    loud = "-v" in arguments
    wanted = [name for name in arguments if not name.startswith("-")] or list(families())
    adapter = PolylectAdapter()
    total: Counter[str] = Counter()
    print(f"{'family':16}{'cases':>7}{'pass':>7}{'soft':>7}{'fail':>7}")
    for family in wanted:
        counts: Counter[str] = Counter()
        for fixture in fixtures():
            if fixture.family != family:
                continue
            try:
                _, rows = judged(fixture, adapter)
            except Exception as error:  # a lect that is not there, or broken: the score tells of all others
                counts["fail"] += 1
                if loud:
                    print(f"  {fixture.id}: {type(error).__name__}: {error}")
                continue
            status = strict(rows)
            kind = {Status.PASS: "pass", Status.SOFT_PASS: "soft"}.get(status, "fail")
            counts[kind] += 1
            if loud and rows:
                print(f"  {fixture.id}: {rows[0].check} {rows[0].strategy}: {rows[0].detail}")
        total += counts
        line(family, counts)
    line("all", total)
    for name, reason in CONTRADICTED.items():
        print(f"{name}: {reason}")
    return 0 if set(total) <= {"pass"} else 1


def line(name: str, counts: Counter[str]) -> None:
    """One row of the table."""
    print(f"{name:16}{counts.total():7}{counts['pass']:7}{counts['soft']:7}{counts['fail']:7}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
