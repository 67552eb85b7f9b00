"""The command ``polylect``: what holds for all its sub-commands."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import warnings
from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

import click

import polylect

from .._errors import PolylectError
from ._check import check
from ._constraint import constraint
from ._format import format_
from ._list import lects, plugins
from ._options import load_plugins
from ._parse import parse
from ._pool import WorkerDied
from ._run import run
from ._stream import stream
from ._translate import translate

INTERRUPTED = 130
BROKEN_PIPE = 141
"""What a shell reports for programs that SIGINT and SIGPIPE end."""

EPILOG = """\
\b
Exit codes:
  0    all went well
  1    some input did not parse, a law failed, or a run came to no answer
  2    the command line, a lect, a model, a plugin or a file that it names is wrong
  130  interrupted from the keyboard
  141  the reader of the output went away

\b
Shell completion, for bash (zsh and fish likewise), in ~/.bashrc:
  eval "$(_POLYLECT_COMPLETE=bash_source polylect)"

Colours are for terminals only; NO_COLOR=1 turns them off.
"""


class Program(click.Group):
    """A group whose commands return their exit code, and whose users never see a traceback for their own mistakes."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = "polylect",
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the command line; exits with its code unless ``standalone_mode`` is off."""
        run = super().main
        rest = {"complete_var": complete_var, "windows_expand_args": windows_expand_args, **extra}
        if not standalone_mode:
            return run(args, prog_name, standalone_mode=False, **rest)
        if sys.stdout is None:  # closed by the shell: the next file opened would take its place
            sys.exit(_failed("There is no standard output to write to.", 2))
        code = _ended(lambda: run(args, prog_name, standalone_mode=False, **rest))
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()
            code = BROKEN_PIPE
        except OSError as error:
            _drop_output()
            code = _failed(_told(error), 2) if code in (0, 1) else code
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> Any:
        """As click does, but quiet when the reader of our output has gone away."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _drop_output()
            ctx.exit(BROKEN_PIPE)


def _warn(message: Warning | str, *where: Any, **more: Any) -> None:
    click.echo(f"Warning: {message}", err=True)


def _ended(run: Callable[[], Any]) -> int:
    """The exit code of the command line; what went wrong is said."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            code = run()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except PolylectError as error:
        return _failed(str(error), 2)
    except WorkerDied as error:
        return _failed(str(error), 1)
    except OSError as error:
        return _failed(_told(error), 2)
    return code if isinstance(code, int) else 0


def _told(error: OSError) -> str:
    return f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}"


def _failed(message: str, code: int) -> int:
    click.echo(f"Error: {message}", err=True)
    return code


def _drop_output() -> None:
    """Send what is still buffered nowhere: Python would complain about it when it ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    click.echo(f"polylect {core_version()} (Python {platform.python_version()})")
    seen = {(info.distribution, info.version) for info in polylect.plugins() if info.distribution}
    for distribution, version in sorted(seen, key=str):
        click.echo(f"{distribution} {version or '(version unknown)'}")
    ctx.exit()


def core_version() -> str:
    """The installed version of the kernel."""
    try:
        return metadata.version("polylect-core")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _plugins(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    if not ctx.resilient_parsing:
        load_plugins(value)
    return value


@click.group("polylect", cls=Program, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Show the versions of polylect and its plugins.")  # fmt: skip
@click.option(
    "--plugin",
    type=click.Path(exists=True, dir_okay=False),
    multiple=True,
    callback=_plugins,
    help="Load a Python file that registers lects or models, or has hooks; repeat for more.",
)
def main(plugin: tuple[str, ...]) -> None:
    """Parse, stream, write and translate the messages of language models that call tools, and run agents on them.

    A lect is one format of such messages: react, json_blob, xml_tags, tool_calls, …

    \b
    Examples:
      polylect parse reply.txt
      polylect translate --from react --to tool_calls replies.jsonl > messages.jsonl
      polylect run --lect react_bracket --model scripted
    """


for command in (parse, stream, format_, translate, constraint, run, check, lects, plugins):
    main.add_command(command)
