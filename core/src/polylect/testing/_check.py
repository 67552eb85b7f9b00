"""All laws for one lect, as a table."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from .._errors import LectError
from .._values import Value
from ._law_1_round_trip import law_1_round_trip
from ._law_2_any_cut import law_2_any_cut
from ._law_3_finality import law_3_finality
from ._law_4_nothing_lost import law_4_nothing_lost
from ._law_5_stop_safety import law_5_stop_safety
from ._law_6_injection import law_6_injection
from ._law_7_total import law_7_total
from ._law_8_linear import law_8_linear
from ._law_9_constraint import law_9_constraint
from ._law_10_translation import law_10_translation
from ._replies import Tools
from ._run import CASE, EXAMPLES, Outcome, find

if TYPE_CHECKING:
    from .._lect import Lect


class Law(NamedTuple):
    """A law: its number, its name, and the function that tries it on a lect."""

    number: int
    title: str
    check: Callable[..., Outcome]


LAWS: tuple[Law, ...] = (
    Law(1, "Round trip", law_1_round_trip),
    Law(2, "Any cut", law_2_any_cut),
    Law(3, "Finality", law_3_finality),
    Law(4, "Nothing lost", law_4_nothing_lost),
    Law(5, "Stop safety", law_5_stop_safety),
    Law(6, "Injection", law_6_injection),
    Law(7, "Total", law_7_total),
    Law(8, "Linear", law_8_linear),
    Law(9, "Constraint", law_9_constraint),
    Law(10, "Translation", law_10_translation),
)
"""All laws in order."""


class Row(Value, frozen=True):
    """How one law fared: whether it holds, what is worth knowing (the failure, if not), for how many examples."""

    law: int
    title: str
    ok: bool
    detail: str
    examples: int
    seconds: float


class Report(Value, frozen=True):
    """How a lect fared; ``str()`` of it is a table, with the failures below."""

    lect: str
    seed: int
    rows: tuple[Row, ...]

    @property
    def ok(self) -> bool:
        """Whether every law that was tried holds."""
        return all(row.ok for row in self.rows)

    def __str__(self) -> str:
        lines = [f"{'law':>3}  {'':12}  {'examples':>8}  {'seconds':>7}"]
        for row in self.rows:
            note = row.detail if row.ok else "does not hold"
            mark = "ok" if row.ok else "BROKEN"
            lines.append(
                f"{row.law:>3}  {row.title:12}  {row.examples or '':>8}  {row.seconds:7.2f}  {mark:6}  {note}".rstrip()
            )
        held = sum(row.ok for row in self.rows)
        lines.append(f"{self.lect}: {held} of {len(self.rows)} laws hold (seed {self.seed})")
        for row in self.rows:
            if not row.ok:
                lines += ["", f"law {row.law}, {row.title.lower()}, does not hold for {self.lect}:", row.detail]
        return "\n".join(lines)


def check(
    lect: Lect | str,
    *,
    examples: int = EXAMPLES,
    seed: int | None = None,
    laws: Iterable[int] | None = None,
    tools: Tools = None,
) -> Report:
    """Try the laws on a lect.

    Args:
        lect: the lect, or its name.
        examples: how many examples for each law.
        seed: a number that makes the examples the same again; the report tells the one that was used.
        laws: the numbers of the laws to try; all of them, if nothing is said.
        tools: tools that calls shall name; the kit's own and none at all, if nothing is said.

    Raises:
        LectError: there is no such lect, or no such law.
    """
    found = find(lect)
    wanted = tuple(law.number for law in LAWS) if laws is None else tuple(laws)
    known = {law.number: law for law in LAWS}
    for number in wanted:
        if number not in known:
            raise LectError(f"There is no law {number!r} to check. The laws: {', '.join(map(str, known))}.")
    chosen = random.SystemRandom().getrandbits(32) if seed is None else seed
    offered = None if tools is None else tuple(tools)
    rows = tuple(_try(found, known[number], examples, chosen, offered) for number in wanted)
    return Report(found.name, chosen, rows)


def _try(lect: Lect, law: Law, examples: int, seed: int, tools: Tools) -> Row:
    start = time.perf_counter()
    try:
        outcome = law.check(lect, examples=examples, seed=seed, tools=tools)
    except Exception as error:  # a lect may fail in any way, and the other laws are still of interest
        detail = str(error) if isinstance(error, AssertionError) else _told(error)
        return Row(law.number, law.title, False, detail, 0, time.perf_counter() - start)
    return Row(law.number, law.title, True, outcome.detail, outcome.examples, time.perf_counter() - start)


def _told(error: Exception) -> str:
    notes = [note for note in getattr(error, "__notes__", ()) if note.startswith(CASE)]
    return "\n".join([f"{type(error).__name__}: {error}", *notes])
