"""The tables of the documentation that come from the code. ``python tests/docs/tables.py`` writes them anew."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import click

import polylect
from polylect import _policies
from polylect.cli import main
from polylect.cli._records import REASONS

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("polylect", "parse", "stream", "translate", "format", "run", "check", "lects")
_BETWEEN = r"(<!-- table: {} -->\n).*?(<!-- end of table -->)"


def policies() -> str:
    """Every policy with its choices, the usual one in bold, and what it is about."""
    rows = [("policy", "choices", "what it is about")]
    usual = polylect.Policies()
    told = dict(_docstrings(inspect.getsource(_policies)))
    for name, choices in _policies.CHOICES.items():
        if choices:
            shown = (f"**`{choice}`**" if choice == getattr(usual, name) else f"`{choice}`" for choice in choices)
            rows.append((f"`{name}`", " · ".join(shown), told[name]))
    return _table(rows)


def defaults() -> str:
    """The lects whose defaults are not the usual ones."""
    rows = [("lect", "its defaults, where they are not the usual ones")]
    usual = polylect.Policies()
    for info in polylect.lects():
        own = polylect.lect(info.name).policies
        other = [(name, getattr(own, name)) for name in _policies.CHOICES if getattr(own, name) != getattr(usual, name)]
        rows.append((f"`{info.name}`", ", ".join(f"`{name}={value}`" for name, value in other) or "none"))
    return _table(rows)


def limits() -> str:
    """Every limit with its value and its reason."""
    rows = [("limit", "value", "what it limits, and why")]
    usual = polylect.Policies()
    told = dict(_docstrings(inspect.getsource(_policies)))
    for name, choices in _policies.CHOICES.items():
        if choices is None:
            rows.append((f"`{name}`", f"{getattr(usual, name):,}", told[name.upper()]))
    return _table(rows)


def options(name: str) -> str:
    """The options of a command, or of the program itself, as its ``--help`` tells them."""
    command = main if name == "polylect" else main.commands[name]
    context = click.Context(command)
    rows = [("option", "meaning")]
    for parameter in command.get_params(context):
        if "--help" in parameter.opts:  # which names it has depends on how click was called before
            continue
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            rows.append((f"`{record[0]}`".replace("|", "\\|"), re.sub(r"\s+", " ", record[1]).replace("|", "\\|")))
    return _table(rows)


def reasons() -> str:
    """The reasons of error records beside those of ParseError."""
    return _table([("reason", "meaning"), *((f"`{name}`", told) for name, told in REASONS.items())])


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "policies.md": {"policies": policies, "defaults": defaults, "limits": limits},
    "command-line.md": {name: partial(options, name) for name in COMMANDS} | {"reasons": reasons},
}
"""The tables of each page."""


def filled(page: Path) -> str:
    """The page with its tables as they should be."""
    text = page.read_text("utf-8")
    for name, make in TABLES[page.name].items():
        found = re.search(_BETWEEN.format(re.escape(name)), text, re.S)
        assert found, f"{page.name} has no table {name!r}"
        text = f"{text[: found.end(1)]}\n{make()}\n{text[found.start(2) :]}"
    return text


def _docstrings(source: str) -> Iterator[tuple[str, str]]:
    """The names that have a string below them, in a module or a class, with that string on one line."""
    for outer in ast.walk(ast.parse(source)):
        for node, below in itertools.pairwise(outer.body if isinstance(outer, (ast.Module, ast.ClassDef)) else ()):
            if isinstance(node, ast.AnnAssign):
                target: ast.expr = node.target
            elif isinstance(node, ast.Assign):
                target = node.targets[0]
            else:
                continue
            if isinstance(target, ast.Name) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
                yield target.id, re.sub(r"\s+", " ", str(below.value.value)).replace("``", "`")


def _table(rows: Sequence[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n"


if __name__ == "__main__":
    for page in TABLES:
        path = ROOT / "docs" / page
        path.write_text(filled(path), encoding="utf-8")
