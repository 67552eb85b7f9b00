"""Hostile input: doubling its size at most doubles the time, whole and streamed, in every text lect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from . import ours, samples
from .rows import Row
from .rows_native import LECTS
from .timing import Candidate, measure, timed

SIZE = 40_000
BAR = 2.3
STEP = 4
BUDGET_S = 12.0
"""CPU seconds per lect, input and mode: linear ones need a tenth, the others may not hold up the run."""
ATTEMPTS = 3
"""The quickest inputs take microseconds, where the system's memory may spoil one measurement; a fault always fails."""
HOPELESS_S = 1.5
"""CPU seconds for ``SIZE`` characters, 37 µs for each, after which an input is not timed again but has failed."""


def _tolerant(job: Callable[[], object]) -> Callable[[], object]:
    """The same job, to which polylect's own error is an answer like any other."""
    error: type[Exception] = ours.parse_error()

    def run() -> object:
        try:
            return job()
        except error as refusal:
            return refusal

    return run


def whole(tongue: Any, text: str) -> Candidate:
    """Parse ``text`` in one piece."""
    run = _tolerant(lambda: tongue.parse(text))
    return Candidate(lambda: run)


def streamed(tongue: Any, text: str) -> Candidate:
    """Parse ``text`` in small deltas."""
    deltas = samples.cut(text, STEP)

    def prepare() -> Callable[[], object]:
        parser = tongue.parser()
        return _tolerant(lambda: ours.drive(parser, deltas))

    return Candidate(prepare)


MODES = {"whole": whole, "4-char deltas": streamed}


def doubled(lect: str, mode: str, name: str) -> Row:
    """The row of one lect, one mode and one input."""
    what = f"`{lect}`, {mode}"
    tongue = ours.lect(lect)
    piece = samples.HOSTILE[name]
    once, twice = (MODES[mode](tongue, samples.hostile(piece, size)) for size in (SIZE, 2 * SIZE))
    try:
        if (first := timed(once, 1)) > HOPELESS_S * 1e9:
            return Row(what, name, bar=BAR, note=f"{first / 1e9:.1f} s for {SIZE:,} characters")
        for _ in range(ATTEMPTS):
            timings = measure({"once": once, "twice": twice}, budget_s=BUDGET_S)
            if timings.ratio("twice", "once") <= BAR:
                break
    except Exception as error:
        # Anything but a ParseError is a fault of its own, and must not end the run.
        return Row(what, name, bar=BAR, note=f"{type(error).__name__}: {error}"[:160])
    twice_us, once_us, ratio = timings.median("twice"), timings.median("once"), timings.ratio("twice", "once")
    return Row(what, name, twice_us, once_us, ratio, BAR, note=timings.caution)


def hostile(with_ours: bool) -> Iterator[Row]:
    """Per lect and mode the worst input, and every other one that fails."""
    if not with_ours:
        return
    for lect in ours.text_lects(LECTS):
        for mode in MODES:
            rows = [doubled(lect, mode, name) for name in samples.HOSTILE]
            rows.sort(key=lambda row: row.value if row.value is not None else float("inf"), reverse=True)
            worst, *others = rows
            yield worst
            yield from (row for row in others if not row.holds)
