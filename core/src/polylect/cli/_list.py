"""``polylect lects`` and ``polylect plugins``: what is installed."""

from __future__ import annotations

import warnings
from typing import Any

import click

import polylect

from .._model_names import unknown_model
from .._registry import registry
from ._options import json_option, wants_json, write
from ._paint import Paint, safe, table
from ._records import json_line


@click.command(short_help="List the installed lects, or find that of a model.")
@click.option("--model", metavar="NAME", help="Tell which lect the model of that name speaks, and why.")
@json_option
def lects(model: str | None, as_json: bool | None) -> int:
    """List the installed lects, without loading them; or tell which one a model speaks.

    A model's name is compared word by word, its maker's left out, with how the names begin that the lects list: the
    longest such beginning decides.

    \b
    Examples:
      polylect lects
      polylect lects --model Qwen/Qwen3-Coder-30B-A3B-Instruct
    """
    if model is not None:
        return _of_model(model, as_json)
    found = polylect.lects()
    fields = ("name", "title", "family", "distribution", "aliases", "models")
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


def _of_model(name: str, as_json: bool | None) -> int:
    """Tell the lect of one model.

    Raises:
        LectError: no lect claims it, or two distributions do.
    """
    found = registry.find_model(name)
    if found is None:
        raise unknown_model(name, registry.claims())
    info = next(x for x in polylect.lects() if x.name == found.lect)
    if wants_json(as_json):
        about = {"model": name, "lect": found.lect, "title": info.title, "distribution": info.distribution}
        write(f"{json_line({**about, 'beginning': found.beginning, 'others': found.others})}\n".encode())
        return 0
    paint = Paint.for_stream()
    text = f"{paint(found.lect, 'cyan')}  {info.title}\n"
    text += f"The name has the beginning {found.beginning!r}, which {info.distribution} lists for this lect.\n"
    if found.others:
        text += f"Listed for it as well: {', '.join(found.others)}. Which one it is depends on the model's template.\n"
    write(text.encode())
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
