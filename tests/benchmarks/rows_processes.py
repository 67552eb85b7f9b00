"""What only fresh processes show: the cost of the import, and ``polylect translate`` over many records."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from . import processes
from .rows import Row
from .samples import TOOL, prose
from .timing import ROUNDS

IMPORT_BAR_MS = 60.0
HEAVY = ("lark", "lxml", "jsonschema")

FEW, MANY = 20_000, 200_000
GROWTH_BAR = 1.1
"""Peak memory over ``MANY`` records against ``FEW``. Keeping 40 bytes of each record would already break it."""
SPEED_UP_BAR = 1.7
REPEATS = 3
"""Runs per number of processes, alternating; the fastest counts, since neighbours only ever make one slower."""

SOURCE, TARGET = "json_blob", "tool_calls"


def import_cost(with_ours: bool) -> Iterator[Row]:
    """CPU time of ``import polylect`` over bare Python, and what it must not load."""
    statements = {"bare": "pass"} | ({"import": "import polylect"} if with_ours else {})
    spent: dict[str, list[float]] = {name: [] for name in statements}
    for number in range(ROUNDS + 1):
        for name, statement in statements.items():
            usage = processes.run([sys.executable, "-c", statement])
            if usage.code:
                yield Row("`import polylect`", "bare Python", bar=IMPORT_BAR_MS, note="the import fails")
                return
            if number:
                # The first round writes the byte code and fills the disk cache.
                spent[name].append(usage.cpu * 1e3)
    bare = statistics.median(spent["bare"])
    if not with_ours:
        yield Row("`import polylect`", "bare Python", theirs=bare, bar=IMPORT_BAR_MS, unit="ms", value_unit=" ms more")
        return
    ours = statistics.median(spent["import"])
    over = statistics.median(one - other for one, other in zip(spent["import"], spent["bare"], strict=True))
    yield Row("`import polylect`", "bare Python", ours, bare, over, bar=IMPORT_BAR_MS, unit="ms", value_unit=" ms more")
    probe = f"import sys, polylect; print(*sorted(set({HEAVY!r}) & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    loaded = done.stdout.split()
    what = f"modules among {', '.join(HEAVY)} that it loads"
    yield Row(what, "none", value=float(len(loaded)), bar=0.0, value_unit="", note=", ".join(loaded))


def write_records(path: Path, count: int) -> None:
    """Write ``count`` JSON Lines records, each with a message under ``"text"``; every one differs a little."""
    thoughts = prose(40_000, lines=False)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            at = number * 37 % (len(thoughts) - 200)
            call = {"action": TOOL, "action_input": {"port": "Stavanger", "hour": number % 24, "number": number}}
            text = f"{thoughts[at : at + 60 + number % 120]}\n```json\n{json.dumps(call)}\n```"
            file.write(json.dumps({"id": number, "text": text}) + "\n")


def translate_command(records: Path, jobs: int) -> list[str]:
    """The command line that translates ``records`` to stdout."""
    beside = Path(sys.executable).with_name("polylect")
    script = str(beside) if beside.exists() else shutil.which("polylect")
    start = [script] if script else [sys.executable, "-m", "polylect.cli"]
    return [*start, "translate", "--from", SOURCE, "--to", TARGET, "--jobs", str(jobs), str(records)]


@dataclass(frozen=True, slots=True)
class Translator:
    """Runs ``polylect translate`` over records in one folder."""

    folder: Path

    def run(self, count: int, jobs: int) -> processes.Usage:
        """Translate ``count`` records.

        Raises:
            RuntimeError: the command failed, or did not write one record for each that it read.
        """
        records, written = self.folder / f"{count}.jsonl", self.folder / "out.jsonl"
        if not records.exists():
            write_records(records, count)
        with written.open("wb") as out:
            usage = processes.run(translate_command(records, jobs), stdout=out, watch=True)
        with written.open("rb") as back:
            lines = sum(1 for _ in back)
        if usage.code or lines != count:
            raise RuntimeError(f"polylect translate ended with code {usage.code} after {lines:,} of {count:,} records")
        return usage


def translate(with_ours: bool) -> Iterator[Row]:
    """Memory and wall time of ``polylect translate``, in one process and in two."""
    if not with_ours:
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield from _translated(Translator(Path(folder)))
        except RuntimeError as error:
            yield Row("`polylect translate`", "itself", bar=SPEED_UP_BAR, at_least=True, note=str(error))


def _translated(translator: Translator) -> Iterator[Row]:
    few = {jobs: translator.run(FEW, jobs) for jobs in (1, 2)}
    many: dict[int, list[processes.Usage]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for jobs, usages in many.items():
            usages.append(translator.run(MANY, jobs))
    for jobs, usages in many.items():
        peak, before = max(usage.peak for usage in usages) / 1e6, few[jobs].peak / 1e6
        what = f"peak memory over {MANY:,} records, --jobs {jobs}"
        yield Row(what, f"over {FEW:,}", peak, before, peak / before, GROWTH_BAR, unit="MB")
    one, two = (min(usage.wall for usage in many[jobs]) for jobs in (1, 2))
    what, note = f"wall time over {MANY:,} records, --jobs 2", f"{MANY / one:,.0f} and {MANY / two:,.0f} records/s"
    if (os.cpu_count() or 1) < 2:
        yield Row(what, "--jobs 1", two, one, one / two, unit="s", value_unit="x faster", note="needs two cores")
        return
    yield Row(
        what, "--jobs 1", two, one, one / two, SPEED_UP_BAR, unit="s", value_unit="x faster", at_least=True, note=note
    )
