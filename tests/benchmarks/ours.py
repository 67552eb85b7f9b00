"""polylect's side: parsers, and checks that what is timed is also right."""

from __future__ import annotations

import importlib
import importlib.util
import json
from collections.abc import Callable, Collection, Sequence
from typing import Any

from .peers import INSTALL, Missing
from .samples import TOOL, WRITER, Long, Stream, cut, message_deltas
from .timing import Candidate


def require() -> None:
    """Raise Missing if polylect is not installed."""
    if importlib.util.find_spec("polylect") is None:
        raise Missing(f"polylect is not installed. It comes with: {INSTALL} (or time the peers alone: --peers-only)")


def lect(name: str) -> Any:
    """The lect of this name."""
    return importlib.import_module("polylect").lect(name)


def text_lects(native: Collection[str] = ()) -> list[str]:
    """The names of all installed lects that speak text; of the native ones only these."""
    infos = importlib.import_module("polylect").lects()
    names = [info.name for info in infos if info.family != "native" or info.name in native]
    return [name for name in names if not lect(name).messages]


def drive(parser: Any, deltas: Sequence[Any]) -> Any:
    """Feed all deltas and close: what the stream benchmarks time."""
    feed = parser.feed
    for delta in deltas:
        feed(delta)
    parser.close()
    return parser


def streamed(name: str, deltas: Sequence[Any], check: Callable[[object], str | None]) -> Candidate:
    """A candidate that drives a fresh parser through ``deltas``; making the parser is not timed."""
    tongue = lect(name)

    def prepare() -> Callable[[], Any]:
        parser = tongue.parser()
        return lambda: drive(parser, deltas)

    return Candidate(prepare, units=len(deltas), check=check)


def called(reply: Any) -> str | None:
    """Check of a reply: one complete call of the sample's tool."""
    calls = [(call.name, call.status) for call in reply.calls]
    return None if calls == [(TOOL, "complete")] else f"expected one complete call of {TOOL}, got {calls}"


def answered(reply: Any) -> str | None:
    """Check of a reply: an answer, or content where the tongue marks no answers, and no call."""
    right = not reply.calls and (reply.answer or reply.content)
    return None if right else f"expected an answer, got {str(reply)[:80]}"


def wrote(reply: Any) -> str | None:
    """Check of a reply: one complete call of the sample tool that writes, with arguments."""
    calls = [(call.name, call.status) for call in reply.calls]
    right = calls == [(WRITER, "complete")] and reply.calls[0].arguments
    return None if right else f"expected one complete call of {WRITER}, got {calls}"


def of_reply(check: Callable[[Any], str | None]) -> Callable[[object], str | None]:
    """The same check for what ``drive`` returns."""

    def checked(parser: Any) -> str | None:
        return check(parser.reply)

    return checked


def _kept(message: Long, reply: Any) -> str | None:
    """Whether the reply holds the long payload of its message."""
    if message.field == "arguments":
        found = bool(reply.calls) and reply.calls[0].arguments == json.loads(message.payload)["action_input"]
    elif message.field == "value":
        found = bool(reply.calls) and message.payload in reply.calls[0].raw
    else:
        found = message.payload in reply.reasoning + reply.content
    return None if found else f"the {message.field} of the reply is not what was sent"


def long_stream(stream: Stream, size: int, step: int) -> Candidate:
    """A long message in deltas of ``step`` characters.

    The check also sees that the payload arrived live, in typed events whose spans tile the message: a parser that
    kept everything until ``close`` would be fast for nothing.
    """
    message = stream.message(size)
    deltas = cut(message.text, step)

    def check(parser: Any) -> str | None:
        if fault := _kept(message, parser.reply):
            return fault
        again = lect(stream.lect).parser()
        events = [event for delta in deltas for event in again.feed(delta)]
        live = sum(hasattr(event, "text") for event in events)
        if live < 0.9 * len(message.payload) / step:
            return f"only {live} events with text came while {len(deltas)} deltas were fed"
        events += again.close()
        ends = [0] + [event.end for event in events]
        starts = [event.start for event in events]
        if starts != ends[:-1] or ends[-1] != len(message.text):
            return "the spans of the events do not tile the message"
        return None

    return streamed(stream.lect, deltas, check)


def message_stream(arguments: str, step: int) -> Candidate:
    """A provider message with one long call, its argument text in deltas of ``step`` characters."""
    deltas = message_deltas(arguments, step)

    def check(parser: Any) -> str | None:
        right = bool(parser.reply.calls) and parser.reply.calls[0].arguments == json.loads(arguments)
        return None if right else "the arguments of the reply are not what was sent"

    return streamed("tool_calls", deltas, check)


def parse_error() -> type[Exception]:
    """The error that says that the model's output is wrong."""
    error: type[Exception] = importlib.import_module("polylect").ParseError
    return error
