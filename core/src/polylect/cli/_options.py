"""What several commands share: arguments, options, and how their values are read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.shell_completion import CompletionItem

import polylect

from .._errors import LectError
from .._policies import CHOICES, check
from .._tools import Toolbox, toolbox
from ._records import BadRecord, decode_record

F = TypeVar("F", bound=Callable[..., Any])
AUTO = "auto"


class LectName(click.ParamType[str]):
    """The name of a lect, completed by the shell; whether it exists is found out when it is loaded."""

    name = "lect"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """All installed lects, and those of the ``--plugin`` files before."""
        load_plugins(ctx.find_root().params.get("plugin") or ())
        return [CompletionItem(x.name, help=x.title) for x in polylect.lects() if x.name.startswith(incomplete)]


class PolicyChoice(click.ParamType[tuple[str, Any]]):
    """``name=choice``."""

    name = "name=choice"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """The policy's name and its choice, checked."""
        if isinstance(value, tuple):
            return value[0], value[1]
        name, equals, text = str(value).partition("=")
        name = name.strip().replace("-", "_")
        choice: Any = text.strip()
        if not equals:
            self.fail(f"Write a policy as name=choice, not {value!r}. The policies: {', '.join(CHOICES)}.", param, ctx)
        if CHOICES.get(name, ()) is None and choice.isdecimal():
            choice = int(choice)
        try:
            check(name, choice)
        except LectError as error:
            self.fail(str(error), param, ctx)
        return name, choice

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names, and the choices of each."""
        every = [f"{name}={choice}" for name, choices in CHOICES.items() for choice in choices or ("",)]
        return [CompletionItem(x) for x in every if x.startswith(incomplete)]


class ToolsFile(click.Path):
    """A JSON file with a list of tools."""

    name = "file"

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The tools themselves.

        Raises:
            ToolError: a tool is wrong.
        """
        if isinstance(value, Toolbox):
            return value
        path = os.fsdecode(super().convert(value, param, ctx))
        with open(path, "rb") as file:
            data = file.read()
        try:
            found = decode_record(data)
        except BadRecord as error:
            self.fail(f"{path}: {error}", param, ctx)
        if isinstance(found, dict) and "tools" in found:
            found = found["tools"]
        if not isinstance(found, list):
            self.fail(f'{path} must hold a list of tools in OpenAI form, or {{"tools": […]}}.', param, ctx)
        return toolbox(found)


INPUT = click.Path(exists=True, dir_okay=False, allow_dash=True)

lect_option = click.option("--lect", "lect_name", type=LectName(), required=True, help="The lect: a name or an alias.")
tools_option = click.option(
    "--tools", type=ToolsFile(), help="A JSON file with the tools that were offered to the model, in OpenAI form."
)
policy_option = click.option(
    "--policy",
    "policies",
    type=PolicyChoice(),
    multiple=True,
    help="Change a policy of the lect, such as malformed=repair; repeat for more.",
)
finish_option = click.option(
    "--finish-reason",
    type=click.Choice(["stop", "length"]),
    help="Why the model stopped; length means that its limit cut the message.  [default: stop]",
)
prefix_option = click.option(
    "--prefix",
    default="",
    callback=lambda _c, _p, value: unescape(value),
    metavar="TEXT",
    help=r"How the prompt began the model's message, such as '<think>\n'; \n, \t and \\ are read as in Python.",
)
json_option = click.option(
    "--json/--no-json",
    "as_json",
    default=None,
    help="JSON Lines, or readable text.  [default: text on a terminal, JSON Lines in a pipe]",
)
jobs_option = click.option(
    "--jobs", type=click.IntRange(1, 256), default=1, show_default=True, metavar="N", help="How many processes to use."
)


def unescape(text: str) -> str:
    r"""Read ``\n``, ``\t`` and ``\\``; a shell passes them on as they are."""
    parts = text.split("\\\\")
    return "\\".join(part.replace("\\n", "\n").replace("\\t", "\t") for part in parts)


def load_plugins(paths: tuple[str, ...]) -> None:
    """Load plugin files, each once in a process.

    Raises:
        PluginError: a file does not load.
    """
    for path in paths:
        real = os.path.realpath(path)
        if real not in _loaded:
            polylect.load_plugin_file(path)
            _loaded.add(real)


_loaded: set[str] = set()


def plugin_paths(context: click.Context) -> tuple[str, ...]:
    """The ``--plugin`` files of this run, for the processes it starts."""
    return tuple(context.find_root().params.get("plugin") or ())


def wants_json(as_json: bool | None) -> bool:
    """Whether to write JSON Lines: as told, or when nobody reads along."""
    return not is_terminal(sys.stdout) if as_json is None else as_json


def is_terminal(stream: Any) -> bool:
    """Whether a person reads this stream."""
    try:
        return bool(stream.isatty())
    except (AttributeError, ValueError):
        return False


def write(data: bytes) -> None:
    """Write to standard output and let it go at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
