"""``polylect format``: replies as JSON to the text of a tongue."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import click
import msgspec

import polylect

from .._errors import PolylectError
from .._values import AgentStep, Reply
from ._lines import BOM, Source, batches
from ._options import INPUT, is_terminal, lect_option, policy_option, write
from ._records import BadRecord, decode_record, failure, json_line


@click.command("format", short_help="Write replies (or steps) in a lect.")
@click.argument("file", default="-", type=INPUT)
@lect_option
@policy_option
@click.option("--steps", is_flag=True, help="Read the steps of an agent, and write its scratchpad.")
@click.option("--json", "as_json", is_flag=True, help='JSON Lines: {"text": …} or the message, for each reply.')
def format_(file: str, lect_name: str, policies: tuple[tuple[str, Any], ...], steps: bool, as_json: bool) -> int:
    """Write replies in a lect: the text a model of that tongue would have written, or a provider's message.

    FILE holds JSON or JSON Lines: replies as "polylect parse" or Reply.to_json() writes them. One reply gives its text
    and nothing else; several are parted by blank lines, or give one line each with --json. With --steps FILE holds
    AgentStep values, and the result is the scratchpad to go on from.

    A reply that the lect cannot express is reported on standard error (with --json: in its place), and the exit code is
    1.

    \b
    Example:
      polylect parse reply.txt | polylect format --lect xml_tags
    """
    lect = polylect.lect(lect_name)
    settings = dict(policies)
    with Source(file) as source:
        if steps:
            return _steps(lect, source, settings, as_json)
        failed = 0
        first = True
        for number, value in _values(source):
            try:
                found = lect.format(_reply(value), **settings)
            except (BadRecord, PolylectError) as error:
                failed += 1
                _report(error, number, as_json)
                continue
            if as_json or isinstance(found, dict):
                write(f"{json_line(found if isinstance(found, dict) else {'text': found})}\n".encode())
            else:
                write((("" if first else "\n\n") + found).encode(errors="surrogatepass"))
            first = False
    if not first:
        _end_line()
    return 1 if failed else 0


def _steps(lect: Any, source: Source, settings: dict[str, Any], as_json: bool) -> int:
    found = []
    for number, value in _values(source):
        if isinstance(value, BadRecord):
            _report(value, number, as_json)
            return 1
        try:
            found.append(msgspec.convert(value, AgentStep))
        except msgspec.ValidationError as error:
            _report(BadRecord("record", f"This is no AgentStep: {error}.", value), number, as_json)
            return 1
    text = lect.format_steps(found, **settings)
    if isinstance(text, str):
        write(f"{json_line({'text': text})}\n".encode() if as_json else text.encode(errors="surrogatepass"))
        _end_line()
    else:
        write("".join(f"{json_line(message)}\n" for message in text).encode())
    return 0


def _end_line() -> None:
    if is_terminal(sys.stdout):
        write(b"\n")


def _reply(value: Any) -> Reply:
    if isinstance(value, BadRecord):
        raise value
    if isinstance(value, dict) and value.get("type") == "error":
        raise BadRecord("record", f"This record failed before: {value.get('message')}", value)
    if not isinstance(value, dict) or value.get("type") != "Reply":  # every field of a Reply may be missing
        raise BadRecord("record", 'This is no Reply: it has no "type": "Reply".', value)
    try:
        return msgspec.convert(value, Reply)
    except msgspec.ValidationError as error:
        raise BadRecord("record", f"This is no Reply: {error}.", value) from None


def _report(error: Exception, number: int, as_json: bool) -> None:
    if as_json:
        write(f"{json_line(failure(error, line=number))}\n".encode())
    else:
        click.echo(f"Line {number}: {error}", err=True)


def _values(source: Source) -> Iterator[tuple[int, Any]]:
    """The JSON values of an input with their line numbers: a document, a list in a document, or JSON Lines.

    A line that is no JSON comes as the error itself. Only a document is read as a whole.
    """
    lines = _lines(source)
    head: list[bytes] = []
    for number, line in lines:
        if not line.strip():
            continue
        try:
            value = decode_record(line)
        except BadRecord as error:
            if head or number > 1 or not line.lstrip().startswith((b"{", b"[")):
                yield number, error
                continue
            head = [line, *(rest for _, rest in lines)]
            break
        yield from ((number, x) for x in value) if isinstance(value, list) else ((number, value),)
    if head:
        yield from _document(head)


def _document(lines: list[bytes]) -> Iterator[tuple[int, Any]]:
    try:
        value = decode_record(b"\n".join(lines))
    except BadRecord:
        for number, line in enumerate(lines, 1):  # JSON Lines after all, the first one broken
            if line.strip():
                try:
                    yield number, decode_record(line)
                except BadRecord as error:
                    yield number, error
        return
    yield from ((1, x) for x in value) if isinstance(value, list) else ((1, value),)


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    for first, data, overlong in batches(source.read_batch):
        if overlong:
            continue
        text = data.removeprefix(BOM) if first == 1 else data
        yield from enumerate(text.removesuffix(b"\n").split(b"\n"), first)
