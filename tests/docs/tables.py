"""The tables of the documentation that come from the code. ``python tests/docs/tables.py`` writes them anew."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

import polylect
from polylect import _policies
from polylect.cli import main
from polylect.cli._records import REASONS

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("polylect", "parse", "stream", "translate", "format", "check", "lects")
_BETWEEN = r"(<!-- table: {} -->\n).*?(<!-- end of table -->)"


def policies() -> str:
    """Every policy with its choices, the usual one in bold, and what it is about."""
    rows = [("policy", "choices", "what it is about")]
    usual = polylect.Policies()
    told = dict(_docstrings(_policies.Policies))
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
    told = dict(_docstrings(_policies))
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
        record = parameter.get_help_record(context)
        if record is not None and record[1] and record[0] != "--help":
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
        pattern = re.compile(_BETWEEN.format(re.escape(name)), re.S)
        assert pattern.search(text), f"{page.name} has no table {name!r}"
        text = pattern.sub(lambda found, table=make(): f"{found[1]}\n{table}\n{found[2]}", text)
    return text


def _docstrings(thing: object) -> Iterator[tuple[str, str]]:
    """The names of a class or a module that have a string below them, with that string."""
    found = inspect.getsource(thing)  # type: ignore[arg-type]
    tree: ast.AST = ast.parse(found)
    body = tree.body[0].body if inspect.isclass(thing) else tree.body  # type: ignore[attr-defined]
    for node, below in zip(body, body[1:], strict=False):
        target = node.target if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [None])[0]
        if isinstance(target, ast.Name) and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            yield target.id, re.sub(r"\s+", " ", str(below.value.value)).replace("``", "`")


def _table(rows: list[tuple[str, ...]]) -> str:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) + "\n"


if __name__ == "__main__":
    for page in TABLES:
        path = ROOT / "docs" / page
        path.write_text(filled(path), encoding="utf-8")
