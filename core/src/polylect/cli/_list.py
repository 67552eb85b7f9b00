"""``polylect lects`` and ``polylect plugins``: what is installed."""

from __future__ import annotations

import warnings
from typing import Any

import click

import polylect

from ._options import json_option, wants_json, write
from ._paint import Paint, safe, table
from ._records import json_line


@click.command(short_help="List the installed lects.")
@json_option
def lects(as_json: bool | None) -> int:
    """List the installed lects, without loading them.

    \b
    Example:
      polylect lects
    """
    found = polylect.lects()
    fields = ("name", "title", "family", "distribution", "aliases")
    if wants_json(as_json):
        write("".join(json_line({key: getattr(x, key) for key in fields}) + "\n" for x in found).encode())
        return 0
    paint = Paint.for_stream()
    if not found:
        click.echo("No lects are installed. Install some: pip install polylect-react")
        return 0
    rows = [["LECT", "FAMILY", "DISTRIBUTION", "TITLE"]]
    rows += [[paint(x.name, "cyan"), x.family, x.distribution or "-", x.title] for x in found]
    write(table(rows, paint).encode())
    return 0


@click.command(short_help="List the installed plugins, broken ones too.")
@json_option
def plugins(as_json: bool | None) -> int:
    """List the installed plugins: distribution, version, what each brings, and what went wrong while loading.

    A plugin brings lects, models, and hooks around the runs of agents.

    A broken plugin is shown, and is no failure of this command.

    \b
    Example:
      polylect plugins
    """
    with warnings.catch_warnings(action="ignore"):  # what is broken is in the list
        found = polylect.plugins()
    if wants_json(as_json):
        write("".join(json_line(_plain(x)) + "\n" for x in found).encode())
        return 0
    paint = Paint.for_stream()
    if not found:
        click.echo("No plugins are installed. Install one: pip install polylect-react")
        return 0
    rows = [["PLUGIN", "DISTRIBUTION", "VERSION", "BRINGS"]]
    for x in found:
        hooks = ["hooks around runs"] if x.hooks else []
        brings = ", ".join([*x.lects, *(f"model {name}" for name in x.models), *hooks])
        state = paint("broken", "red") if x.error and not brings else brings
        rows.append([paint(x.name, "red" if x.error else "cyan"), x.distribution or "-", x.version or "-", state])
    text = table(rows, paint)
    for x in found:
        if x.error:
            text += f"\n{paint(f'{x.name}: {safe(str(x.error))}', 'red')}\n"
    write(text.encode(errors="backslashreplace"))
    return 0


def _plain(info: Any) -> dict[str, Any]:
    return {
        "name": info.name,
        "distribution": info.distribution,
        "version": info.version,
        "lects": list(info.lects),
        "models": list(info.models),
        "hooks": list(info.hooks),
        "error": None if info.error is None else str(info.error),
    }
