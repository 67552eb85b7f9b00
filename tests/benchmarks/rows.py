"""What a benchmark reports, and how a group of candidates becomes rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import thread_time_ns

from .timing import BUDGET_S, Candidate, Clock, Timings, measure


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the report.

    ``value`` is what the bar is about: by default ours over the peer's. Without a bar the row informs only. A row
    with a bar and no value has failed, and ``note`` says why.
    """

    what: str
    peer: str
    ours: float | None = None
    theirs: float | None = None
    value: float | None = None
    bar: float | None = None
    unit: str = "µs"
    value_unit: str = "x"
    at_least: bool = False
    note: str = ""

    @property
    def holds(self) -> bool:
        """Whether the bar, if there is one, holds."""
        if self.bar is None:
            return True
        if self.value is None:
            return False
        return self.value >= self.bar if self.at_least else self.value <= self.bar

    @property
    def verdict(self) -> str:
        """``ok``, ``FAIL``, or ``info`` for a row without a bar."""
        if self.bar is None:
            return "info"
        return "ok" if self.holds else "FAIL"


@dataclass(frozen=True, slots=True)
class Section:
    """A headed table of rows, with a paragraph on what is compared."""

    name: str
    title: str
    text: str
    rows: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Pair:
    """A row to be made of two candidates of one group."""

    what: str
    ours: str
    peer: str
    bar: float | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """Candidates that were tried once, checked, and timed together; ``faults`` are those that failed."""

    timings: Timings
    faults: dict[str, str]

    def row(self, pair: Pair) -> Row:
        """The row of one pair."""
        samples = self.timings.samples
        ours = self.timings.median(pair.ours) if pair.ours in samples else None
        theirs = self.timings.median(pair.peer) if pair.peer in samples else None
        value = None if ours is None or theirs is None else self.timings.ratio(pair.ours, pair.peer)
        note = "; ".join(self.faults[name] for name in (pair.ours, pair.peer) if name in self.faults)
        if not note and value is not None:
            note = self.timings.caution
        return Row(pair.what, pair.peer, ours, theirs, value, pair.bar, note=note)


def tried(candidate: Candidate) -> str | None:
    """Run one job and check what it returns: what is wrong with it, or None."""
    try:
        result = candidate.prepare()()
        return candidate.check(result) if candidate.check else None
    except Exception as error:
        # A candidate that raises is a failed row, not the end of the run.
        return f"{type(error).__name__}: {error}".splitlines()[0][:160]


def timed_group(candidates: dict[str, Candidate], budget_s: float = BUDGET_S, clock: Clock = thread_time_ns) -> Group:
    """Try every candidate, then time together those that work."""
    faults = {name: fault for name, candidate in candidates.items() if (fault := tried(candidate))}
    sound = {name: candidate for name, candidate in candidates.items() if name not in faults}
    return Group(measure(sound, budget_s=budget_s, clock=clock) if sound else Timings({}), faults)


def compared(candidates: dict[str, Candidate], pairs: Sequence[Pair], budget_s: float = BUDGET_S) -> Iterator[Row]:
    """Time one group and yield the rows of its pairs."""
    group = timed_group(candidates, budget_s)
    for pair in pairs:
        yield group.row(pair)


Bench = Callable[[bool], Iterator[Row]]
"""A section's measurement: it is told whether polylect takes part (else only the peers are timed)."""
