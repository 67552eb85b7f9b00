"""The tables of the documentation that come from the code. ``python tests/docs/tables.py`` writes them anew."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Literal, get_args, get_origin

import click

import polylect
from polylect import _policies
from polylect.cli import main
from polylect.cli._records import REASONS

constraints = import_module(f"{__package__}.constraints" if __package__ else "constraints")
ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ("polylect", "parse", "stream", "translate", "format", "constraint", "run", "check", "lects")
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


PARTS: dict[str, tuple[str, ...]] = {
    "lects": ("", "_lect", "_text_lect", "_reading", "_policies", "_inputs", "_translate", "_detect"),
    "replies": ("_values",),
    "tools": ("_tools", "_openapi", "_api_tools", "_render"),
    "pipelines": ("_pipeline", "_stages", "_prompt", "_examples"),
    "models": ("_models", "_scripted"),
    "agents": ("agent._agent", "agent._builders", "agent._trim", "agent._cancel", "agent._isolated"),
    "runs": ("agent._values", "agent._record", "agent._replay"),
    "plugins": ("_hookspecs", "_registry"),
    "errors": ("_errors",),
    "constraints": ("constraint._constraint",),
}
"""The modules whose public names each table of ``names.md`` tells."""


def public(part: str) -> str:
    """The names of ``polylect`` that come from some of its modules."""
    rows = [("name", "what it is", "fields")]
    for name in polylect.__all__:
        home = _home(name)
        if home in PARTS[part]:
            rows.append(_told(import_module(f"polylect.{home}".rstrip(".")), name))
    return _table(rows if any(row[2] for row in rows[1:]) else [row[:2] for row in rows])


def for_plugins() -> str:
    """The names of ``polylect.plugin``."""
    module = import_module("polylect.plugin")
    told: dict[str, tuple[str, str]] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ImportFrom) and node.level:
            home = import_module(f"polylect.{node.module}")
            for name in node.names:
                called, what = _told(home, name.name)[:2]
                told[name.asname or name.name] = called.replace(name.name, name.asname or name.name), what
    return _table([("name", "what it is"), *(told[name] for name in module.__all__)])


def _home(name: str) -> str:
    """The module that has a public name; "" for the package itself."""
    if name in polylect._HOMES:
        return polylect._HOMES[name]
    return next((x for x in ("_values", "_errors") if hasattr(import_module(f"polylect.{x}"), name)), "")


def _told(module: ModuleType, name: str) -> tuple[str, str, str]:
    """A name, the first sentence about it, and the fields that it has as a value."""
    found = getattr(module, name)
    described = inspect.isclass(found) or inspect.isroutine(found)
    text = inspect.getdoc(found) if described else dict(_docstrings(inspect.getsource(module))).get(name)
    if not text and get_origin(found) is Literal:
        text = f"One of {', '.join(f'`{x}`' for x in get_args(found))}."
    assert text, f"{module.__name__}.{name} has no docstring"
    fields = getattr(found, "__struct_fields__", getattr(found, "_fields", ())) if inspect.isclass(found) else ()
    called = f"`{name}()`" if inspect.isroutine(found) else f"`{name}`"
    return called, _sentence(text), ", ".join(f"`{x}`" for x in fields)


def _sentence(text: str) -> str:
    """The first sentence of a docstring, in Markdown."""
    paragraph = " ".join(text.split("\n\n")[0].split()).replace("``", "`").replace("|", "\\|")
    paragraph = re.sub(r":[a-z]+:`~?([^`]+)`", r"`\1`", paragraph)
    found = re.match(r".+?[.](?=$| [A-Z])", paragraph)
    return found[0] if found else paragraph


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "constraints.md": {"lects": constraints.lects_by_target, "servers": constraints.servers},
    "policies.md": {"policies": policies, "defaults": defaults, "limits": limits},
    "names.md": {name: partial(public, name) for name in PARTS} | {"for plugins": for_plugins},
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
