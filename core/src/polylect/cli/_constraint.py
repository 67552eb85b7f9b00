"""``polylect constraint``: what a model may write, in the words of an engine or as the fields of a request."""

from __future__ import annotations

import json
import os
from typing import Any

import click
from click.shell_completion import CompletionItem

import polylect

from .._tools import Tool, Toolbox, toolbox
from ._options import ToolsFile, lect_option, prefix_option, write
from ._tool_sources import ToolSource, tools_of

Sources = tuple[tuple[str, tuple[str, ...]], ...]


class AnyTools(click.ParamType["Toolbox | Sources"]):
    """A JSON file of tools, or ``module:function``."""

    name = "file|module:function"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The tools of a file; of functions their places, which are imported later."""
        if not isinstance(value, str):
            return value
        is_source = value.endswith(".py") or (":" in value and not os.path.exists(value))
        return (ToolSource() if is_source else ToolsFile()).convert(value, param, ctx)


class Word(click.ParamType[str]):
    """A word out of a list that is looked at later, by who knows it best; completed by the shell."""

    def __init__(self, name: str, which: str) -> None:
        self.name, self._which = name, which

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """All of the list."""
        from .. import constraint

        return [CompletionItem(x) for x in getattr(constraint, self._which) if x.startswith(incomplete)]


@click.command("constraint", short_help="Print what a model may write, for the engine that holds it to that.")
@lect_option
@click.option(
    "--tools",
    "given",
    type=AnyTools(),
    multiple=True,
    help="The tools: a JSON file in OpenAI form, module:one,another or file.py:function; repeat for more.",
)
@click.option(
    "--target",
    type=Word("target", "TARGETS"),
    help="The engine's language: gbnf, llguidance, xgrammar, structural_tag, regex, json_schema, openai_custom_tool.  "
    "[default: the server's, or llguidance]",
)
@click.option(
    "--server",
    type=Word("server", "SERVERS"),
    help="Print the fields of a request: vllm, sglang, llama.cpp, openai, openai_responses, ollama, anthropic.",
)
@click.option(
    "--tool-choice",
    default="auto",
    show_default=True,
    metavar="auto|required|none|NAME",
    help="Whether a tool must be called, and which.",
)
@prefix_option
@click.option("--max-calls", type=click.IntRange(1), metavar="N", help="The most calls of one turn.")
@click.option("--max-chars", type=click.IntRange(1), metavar="N", help="The most characters of each text.")
@click.option(
    "--special-token",
    "special_tokens",
    multiple=True,
    metavar="TEXT",
    help="A marker that is one token of the model's, such as '<tool_call>'; repeat for more.",
)
@click.option(
    "--report",
    is_flag=True,
    help="Say on standard error that it is exact; where it is not, that is said anyway.",
)
def constraint(
    lect_name: str,
    given: tuple[Any, ...],
    target: str | None,
    server: str | None,
    tool_choice: str,
    prefix: str,
    max_calls: int | None,
    max_chars: int | None,
    special_tokens: tuple[str, ...],
    report: bool,
) -> int:
    """Print the constraint of a lect with these tools: what it leaves open to the model is what the parser reads.

    With --server it is the JSON of fields that go into the body of a request to that server; what the server does not
    see to is said on standard error.

    Exit code 2: this lect, or a tool's schema, has no form for the target; the message names the place.

    \b
    Examples:
      polylect constraint --lect react --tools tools.json --target gbnf > react.gbnf
      polylect constraint --lect hermes --tools tools.py:search --server vllm --tool-choice required
    """
    lect = polylect.lect(lect_name)
    if target is None:
        target = _usual(lect, server)
    made = lect.constraint(
        _toolbox(given),
        target=target,
        tool_choice=tool_choice,
        prefix=prefix,
        max_calls=max_calls,
        max_chars=max_chars,
        special_tokens=special_tokens,
    )
    if server is None:
        made.check()
        _print(made.text if isinstance(made.value, str) else _json(made.value))
    else:
        fields, notes = made.request(server)
        _print(_json(fields))
        for note in notes:
            click.echo(f"Note: {note}", err=True)
    if report or made.report.exactness != "exact":
        for line in (f"Report: {made.report.exactness}", *(f"  - {reason}" for reason in made.report.reasons)):
            click.echo(line, err=True)
    return 0


def _usual(lect: polylect.Lect, server: str | None) -> str:
    """The target to use where none is named."""
    from ..constraint._requests import usual_targets

    if lect.messages:
        return "json_schema"
    return "llguidance" if server is None else usual_targets(server)[0]


def _toolbox(given: tuple[Any, ...]) -> Toolbox | None:
    if not given:
        return None
    found: list[Tool] = []
    for entry in given:
        found += list(entry.values()) if isinstance(entry, Toolbox) else tools_of(entry)
    return toolbox(found)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def _print(text: str) -> None:
    write(f"{text.removesuffix(chr(10))}\n".encode(errors="backslashreplace"))
