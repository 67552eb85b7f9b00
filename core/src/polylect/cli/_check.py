"""``polylect check``: the laws, for a lect, and the lints, for a grammar file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

import polylect

from .._errors import GrammarError, PolylectError
from ._options import LectName
from ._paint import Paint, block, safe, table
from ._records import json_line

if TYPE_CHECKING:
    from ..testing import Report

HYPOTHESIS_FOLDER = "HYPOTHESIS_STORAGE_DIRECTORY"
FIELDS = ("law", "title", "ok", "detail", "examples", "seconds")


@click.command(short_help="Check the laws for a lect, or lint a grammar file.")
@click.argument("name", type=LectName())
@click.option(
    "--examples",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="How many examples for each law.",
)
@click.option("--law", "laws", type=int, multiple=True, metavar="N", help="Check this law only; repeat for more.")
@click.option("--seed", type=int, metavar="N", help="Try the same examples as a run before, which told its seed.")
@click.option("--json", "as_json", is_flag=True, help="One line of JSON for each law.")
def check(name: str, examples: int, laws: tuple[int, ...], seed: int | None, as_json: bool) -> int:
    """Check that the lect NAME keeps the laws, and print them as a table; or lint the grammar file NAME (*.lark).

    Exit code 1 when a law does not hold, or when the grammar has faults.

    \b
    Examples:
      polylect check react --examples 1000
      polylect --plugin my_format.py check my_format
      polylect check my_format.lark
    """
    if name.endswith(".lark"):
        return _grammar(name, as_json)
    lect = polylect.lect(name)
    try:
        from ..testing import check as check_laws
    except ImportError as error:  # the kit says what to install
        raise PolylectError(str(error)) from None
    with _tidy():
        report = check_laws(lect, examples=examples, laws=laws or None, seed=seed)
    if as_json:
        for row in report.rows:
            click.echo(
                json_line({"lect": report.lect, "seed": report.seed, **{key: getattr(row, key) for key in FIELDS}})
            )
    else:
        _show(report, lect.title)
    return 0 if report.ok else 1


@contextmanager
def _tidy() -> Iterator[None]:
    """Keep Hypothesis from leaving a folder where the command was run, unless it was told where to keep things."""
    if HYPOTHESIS_FOLDER in os.environ:
        yield
        return
    with TemporaryDirectory() as folder:
        os.environ[HYPOTHESIS_FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[HYPOTHESIS_FOLDER]


def _show(report: Report, title: str) -> None:
    paint = Paint.for_stream()
    cells = [["LAW", "", "", "EXAMPLES", "SECONDS", ""]]
    for row in report.rows:
        verdict = paint("holds", "green") if row.ok else paint("broken", "red")
        note = row.detail if row.ok else ""
        cells.append([f"{row.law:>3}", row.title, verdict, f"{row.examples:>8,}", f"{row.seconds:>7.2f}", safe(note)])
    click.echo(f"{paint(report.lect, 'cyan')}  {title}  {paint(f'(seed {report.seed})', dim=True)}")
    click.echo(table(cells, paint), nl=False)
    for row in report.rows:
        if not row.ok:
            click.echo(block(paint(f"law {row.law}", "red"), safe(row.detail)), nl=False)


def _grammar(path: str, as_json: bool) -> int:
    if not os.path.isfile(path):
        raise click.BadParameter(f"there is no grammar file {path!r}", param_hint="NAME")
    found = lint(path)
    if as_json:
        for message in found:
            click.echo(json_line({"grammar": path, "message": message}))
    else:
        paint = Paint.for_stream()
        for message in found:
            place = os.path.basename(path)  # a finding begins with it
            click.echo(
                paint(path, bold=True)
                + safe(message.removeprefix(place) if message.startswith(f"{place}:") else f": {message}")
            )
        if not found:
            click.echo(f"{paint(path, bold=True)}: {paint('no faults', 'green')}")
    return 1 if any(": warning: " not in line for line in found) else 0


def lint(path: str) -> list[str]:
    """The faults of a grammar file, each with what to change."""
    from .. import grammar

    lints = getattr(grammar, "lint", None)
    try:
        if lints is not None:
            return [str(x) for x in lints(Path(path))]
        runtime = grammar.Grammar(Path(path)).runtime  # compiles, or says what to change
        assert runtime is not None
    except GrammarError as error:
        return [str(error)]
    return []
