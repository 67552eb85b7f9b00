"""The values of the options of ``polylect run``."""

from __future__ import annotations

import os
from typing import Any

import click
import msgspec
from click.shell_completion import CompletionItem

import polylect

from .._prompt import Prompt
from ._lines import Source
from ._options import load_plugins
from ._records import BadRecord, decode_record, decode_text

TOKENS = "tokens:"


class ModelName(click.ParamType[str]):
    """``name`` or ``name:argument``; the names are completed by the shell."""

    name = "model"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """All installed models, and those of the ``--plugin`` files before."""
        load_plugins(ctx.find_root().params.get("plugin") or ())
        return [CompletionItem(x.name, help=x.title) for x in polylect.models() if x.name.startswith(incomplete)]


class Assignment(click.ParamType[tuple[str, Any]]):
    """``key=value``: the value is JSON, or the text as it is where it is none."""

    name = "key=value"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, Any]:
        """The key and the value."""
        if isinstance(value, tuple):
            return value[0], value[1]
        key, equals, text = str(value).partition("=")
        key = key.strip()
        if not equals or not key.isidentifier():
            self.fail(f"Write {self.name}, not {value!r}.", param, ctx)
        return key, self.read(text)

    def read(self, text: str) -> Any:
        """The value that a text means."""
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return text


class Input(Assignment):
    """``name=value`` for a variable of the prompt: text, or a list of messages as JSON."""

    name = "name=value"

    def read(self, text: str) -> Any:
        """Numbers and the like are the text that they are written as."""
        value = super().read(text)
        return value if isinstance(value, (list, dict)) else text


class Trim(click.ParamType["int | polylect.TokenBudget"]):
    """A number of steps, or ``tokens:number``."""

    name = "steps|tokens:n"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, or a TokenBudget."""
        if not isinstance(value, str):
            return value
        budget = value.startswith(TOKENS)
        text = value.removeprefix(TOKENS)
        if not text.isdecimal() or not text.isascii() or len(text) > 9 or not int(text):
            self.fail(f"Write a number of steps, or {TOKENS}2000, not {value!r}.", param, ctx)
        return polylect.TokenBudget(int(text)) if budget else int(text)


class Output(click.Path):
    """A file to be written at the end: whether it can be is seen at once."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, allow_dash=False)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path."""
        path = os.fsdecode(super().convert(value, param, ctx))
        folder = os.path.dirname(os.path.realpath(path))
        if not os.path.isdir(folder):
            self.fail(f"There is no folder {folder!r}.", param, ctx)
        if not os.access(folder, os.W_OK):
            self.fail(f"No file can be written in {folder!r}.", param, ctx)
        return path


def question_of(given: str) -> str:
    """The question; ``-`` is standard input.

    Raises:
        click.UsageError: it is no text, or there is none.
    """
    text = given
    if given == "-":
        try:
            with Source("-") as source:
                text = decode_text(source.read_all()).rstrip("\r\n")
        except BadRecord as error:
            raise click.UsageError(f"Standard input is no question: {error}") from None
    if not text.strip():
        raise click.UsageError(f"The question {'from standard input ' if given == '-' else ''}is empty.")
    return text


def prompt_of(lect_name: str, file: str | None, system: str | None) -> Prompt | None:
    """The prompt of a file, or the lect's own, with what the system says before it; None for the lect's own.

    Raises:
        PromptError, LectError: it is none, or there is no such lect.
        click.UsageError: the file is no text, or no JSON.
    """
    if file is None and system is None:
        return None
    from .._building import own_prompt

    prompt = own_prompt(polylect.lect(lect_name)) if file is None else Prompt(_template(file))
    if system is None:
        return prompt
    said = Prompt.literal(_text_of(system))
    template: Any = prompt.template
    template = f"{said}\n\n{template}" if isinstance(template, str) else _with_system(list(template), said)
    return Prompt(template, partials=prompt.partials, defaults=prompt.defaults, prefix=prompt.prefix)


def _with_system(messages: list[Any], said: str) -> list[Any]:
    """Messages whose system says this first."""
    first = messages[0] if messages else None
    role, text = (first.get("role"), first.get("content")) if isinstance(first, dict) else (None, None)
    if isinstance(first, (tuple, list)) and len(first) == 2:
        role, text = first
    if role != "system":
        return [("system", said), *messages]
    return [("system", f"{said}\n\n{text}"), *messages[1:]]


def _text_of(system: str) -> str:
    """What the system says: the text itself, or with @ before it that of a file."""
    return _read(system[1:]) if system.startswith("@") else system


def _template(file: str) -> Any:
    if not file.casefold().endswith(".json"):
        return _read(file)
    try:
        with open(file, "rb") as source:
            return decode_record(source.read())
    except BadRecord as error:
        raise click.UsageError(f"{file}: {error}") from None


def _read(file: str) -> str:
    try:
        with open(file, "rb") as source:
            return decode_text(source.read())
    except BadRecord as error:
        raise click.UsageError(f"{file}: {error}") from None
