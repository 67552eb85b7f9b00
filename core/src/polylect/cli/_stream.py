"""``polylect stream``: the events of one message while it arrives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import click

import polylect

from .._auto import AutoParser
from .._errors import ParseError
from .._tools import Toolbox
from .._values import Event, ReplyEnd
from ._chunks import DeltaChunks, TextChunks
from ._lines import Source
from ._live import Live
from ._options import (
    AUTO,
    INPUT,
    LectName,
    finish_option,
    json_option,
    policy_option,
    prefix_option,
    tools_option,
    wants_json,
    write,
)
from ._paint import Paint, safe
from ._parse import about
from ._records import BadRecord, failure, json_line
from ._render import Decision, show_decision, show_error

BLOCK = 64 * 1024
"""The most that is read at once: what a pipe holds."""


@click.command(short_help="Print the events of a message while it arrives.")
@click.argument("file", default="-", type=INPUT)
@click.option(
    "--lect",
    "lect_name",
    type=LectName(),
    required=True,
    help="The lect: a name, an alias, a model's name, or auto: held back until it is detected.",
)
@tools_option
@prefix_option
@policy_option
@finish_option
@click.option("--sse", is_flag=True, help="The input is a provider's stream (see below), for lects of text too.")
@json_option
def stream(
    file: str,
    lect_name: str,
    tools: Toolbox | None,
    prefix: str,
    policies: tuple[tuple[str, Any], ...],
    finish_reason: Literal["stop", "length"] | None,
    sse: bool,
    as_json: bool | None,
) -> int:
    """Parse one message while it arrives from FILE or a pipe, and print each event at once.

    JSON Lines has one event a line, the last one "ReplyEnd" with the whole reply. A message that a policy refuses ends
    with {"type": "error", …} instead, and exit code 1.

    With --lect auto the beginning is held back until the first call is over (or 65,536 characters are held, or the
    message ends) and the lect is known by its markers; the first line says which one, and why. Name the lect to see the
    events as they come.

    Text is UTF-8, cut anywhere; a byte that is not ends it with an error as well. Lects of messages (tool_calls) take a
    provider's stream: a line of JSON for each chunk, a delta or a chunk with "choices", of which the first one's delta
    is read, or server-sent events (data: {…}, data: [DONE]). --sse reads the text for other lects from such a stream.

    \b
    Examples:
      my-model | polylect stream --lect auto
      my-model | polylect stream --lect Qwen3-Coder-30B
      curl -N … | polylect stream --lect tool_calls
    """
    settings = dict(policies)
    lect = None if lect_name == AUTO else polylect.lect(lect_name)
    auto = None if lect is not None else AutoParser(tools=tools, prefix=prefix, **settings)
    parser = auto if lect is None else lect.parser(tools=tools, prefix=prefix, **settings)
    assert parser is not None
    messages = lect is not None and lect.messages
    chunks: TextChunks | DeltaChunks = DeltaChunks(text=not messages) if sse or messages else TextChunks()
    lines = wants_json(as_json)
    paint = Paint.for_stream()
    live = Live(paint)

    def show(events: Iterable[Event]) -> None:
        nonlocal lect
        if auto is not None and lect is None and auto.detected is not None:
            lect, found = auto.lect, auto.detected
            line = f"{paint(found.lect, 'cyan')}{paint(f' (detected: {safe(found.told)})', dim=True)}\n"
            told = json_line({"type": "Detected", "lect": found.lect, **about(found)})
            write((f"{told}\n" if lines else line).encode())
        text = "".join(f"{event.to_json()}\n" if lines else live.show(event) for event in events)
        if text:
            write(text.encode())

    try:
        with Source(file) as source:
            while data := source.read(BLOCK):
                for chunk in chunks.feed(data):
                    show(parser.feed(chunk))
        for chunk in chunks.close():
            show(parser.feed(chunk))
        events = parser.close(finish_reason=finish_reason or chunks.finish_reason)
        show(events)
    except (ParseError, BadRecord) as error:
        record = failure(error)
        write(f"{json_line(record)}\n".encode() if lines else f"\n{show_error(record, paint)}".encode())
        return 1
    if not lines and lect is not None and events and isinstance(events[-1], ReplyEnd):
        decision: Decision
        try:
            decision = lect.decide(events[-1].reply, **settings)
        except ParseError as error:
            decision = error
        write(show_decision(decision, paint).encode())
    return 0
