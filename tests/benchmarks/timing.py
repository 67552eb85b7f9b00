"""CPU time of several candidates, interleaved in one process.

Every round times one slice of each candidate, in alternating order, so that a change of the clock speed or a busy
neighbour falls on all of them alike. What counts is the ratio within a round; absolute times are not comparable.
"""

from __future__ import annotations

import gc
import statistics
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from time import thread_time_ns
from typing import TypeAlias

Job: TypeAlias = Callable[[], object]
Clock: TypeAlias = Callable[[], int]
"""Nanoseconds of CPU: of this thread, or of all of the process, for work that is done in threads of its own."""

ROUNDS = 11
"""Rounds per comparison; odd, so that the median is one of them."""
FEWEST_ROUNDS = 3
"""What remains of them when one round takes so long that the budget is spent."""
SLICE_MS = 4.0
"""CPU milliseconds of one candidate in one round: long against the clock's resolution, short against its drift."""
BUDGET_S = 40.0
"""CPU seconds that one comparison may take before it does with fewer rounds."""
MOST_JOBS = 20_000
"""Jobs prepared ahead for one slice: bounds the memory, and a slice of them is long enough for the cheapest job."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something to be timed.

    ``prepare`` makes one fresh job and is not timed (a parser is made there); ``units`` is how many pieces of work,
    deltas say, one job does; ``check`` is given what the first job returned and says what is wrong with it, or None.
    """

    prepare: Callable[[], Job]
    units: int = 1
    check: Callable[[object], str | None] | None = None


def repeatable(job: Job, check: Callable[[object], str | None] | None = None) -> Candidate:
    """A candidate whose one job can be run again and again."""
    return Candidate(lambda: job, check=check)


@dataclass(frozen=True, slots=True)
class Timings:
    """Microseconds of CPU per unit, one for every round, of every candidate."""

    samples: Mapping[str, list[float]]

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return min(len(sample) for sample in self.samples.values())

    @property
    def caution(self) -> str:
        """How many rounds there were if there were fewer than usual, else nothing."""
        return f"{self.rounds} rounds" if self.rounds < ROUNDS else ""

    def median(self, name: str) -> float:
        """Microseconds per unit."""
        return statistics.median(self.samples[name])

    def ratio(self, name: str, base: str) -> float:
        """The median over the rounds of ``name`` divided by ``base``."""
        pairs = zip(self.samples[name], self.samples[base], strict=True)
        return statistics.median(one / other for one, other in pairs)


@contextmanager
def settled_collector() -> Iterator[None]:
    """Leave the collector on, as it is in real use, but hide from it what the peers' imports left on the heap."""
    frozen = gc.get_freeze_count() > 0  # as the tests are
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        if not frozen:
            gc.unfreeze()


def timed(candidate: Candidate, count: int, clock: Clock = thread_time_ns) -> int:
    """Nanoseconds of CPU that ``count`` jobs take."""
    jobs = [candidate.prepare() for _ in range(count)]
    start = clock()
    for job in jobs:
        job()
    return clock() - start


def calibrated(candidate: Candidate, slice_ns: float, clock: Clock = thread_time_ns) -> tuple[int, float]:
    """How many jobs fill a slice, and the nanoseconds that one job takes."""
    timed(candidate, 1, clock)
    count = 1
    while True:
        elapsed = timed(candidate, count, clock)
        if elapsed >= slice_ns / 3 or count == MOST_JOBS:
            cost = max(elapsed / count, 1.0)
            return min(max(1, round(slice_ns / cost)), MOST_JOBS), cost
        count = min(count * 3, MOST_JOBS)


def measure(
    candidates: Mapping[str, Candidate],
    *,
    rounds: int = ROUNDS,
    slice_ms: float = SLICE_MS,
    budget_s: float = BUDGET_S,
    clock: Clock = thread_time_ns,
) -> Timings:
    """Time all candidates, interleaved."""
    slice_ns = slice_ms * 1e6
    with settled_collector():
        plan = {name: calibrated(candidate, slice_ns, clock) for name, candidate in candidates.items()}
        round_ns = sum(count * cost for count, cost in plan.values())
        rounds = min(rounds, max(FEWEST_ROUNDS, int(budget_s * 1e9 / round_ns)))
        samples: dict[str, list[float]] = {name: [] for name in candidates}
        names = list(candidates)
        for _ in range(rounds):
            for name in names:
                count = plan[name][0]
                spent = timed(candidates[name], count, clock)
                samples[name].append(spent / count / candidates[name].units / 1e3)
            names.reverse()
    return Timings(samples)
