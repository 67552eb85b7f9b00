"""``polylect parse``: whole messages to replies and decisions."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

import polylect

from .._auto import unknown
from .._detect import Detected
from .._errors import LectError, ParseError, PluginError
from .._tools import Toolbox
from .._values import Reply
from ._feed import Inputs
from ._options import (
    AUTO,
    INPUT,
    LectName,
    finish_option,
    is_terminal,
    jobs_option,
    json_option,
    load_plugins,
    plugin_paths,
    policy_option,
    tools_option,
    wants_json,
    write,
)
from ._paint import Paint, safe
from ._pool import Item, Result, run
from ._progress import Progress
from ._records import (
    BadRecord,
    FinishReason,
    Message,
    content_of,
    decode_record,
    decode_text,
    each_line,
    failure,
    json_line,
    message_of,
    overlong,
)
from ._render import Decision, heading, show_decision, show_error, show_reply

if TYPE_CHECKING:
    from .._lect import Lect

MESSAGES = "tool_calls"
"""The lect of a provider's messages, when none is named and their text is in no other."""


@dataclass
class Parse:
    """Parses items. Plain values, so that it can be sent to another process; lects are loaded there."""

    lect_name: str
    tools: Toolbox | None
    policies: dict[str, Any]
    finish_reason: FinishReason | None
    strict: bool
    as_json: bool
    color: bool
    plugins: tuple[str, ...] = ()
    lects: dict[str, Lect] = field(default_factory=dict)

    def prepare(self) -> None:
        """Load the plugins and the lect."""
        load_plugins(self.plugins)
        self.lects = {}
        if self.lect_name != AUTO:
            self._lect(self.lect_name)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "lects": {}}

    def __call__(self, item: Item) -> Result:
        """The output for one message or one batch of records."""
        if item.kind == "overlong":
            text, _ = self._fail(overlong(item), item.name, item.line)
            return Result(f"{text}\n".encode(), 1, 1, item.size)
        if item.kind == "text":
            text, bad = self._whole(item)
            return Result(f"{text}\n".encode(), 1, int(bad), item.size)
        return each_line(item, lambda line, number: self._record(line, item.name, number))

    def _whole(self, item: Item) -> tuple[str, bool]:
        given: Any = ""
        try:
            given = decode_text(item.data)
            return self._message(Message(given, "string", {}), item.name, None)
        except Exception as error:
            return self._fail(error, item.name, None, given)

    def _record(self, line: bytes, name: str, number: int) -> tuple[str, bool]:
        given: Any = ""
        try:
            message = message_of(decode_record(line, exact=True))
            given = message.value
            return self._message(message, name, number)
        except Exception as error:
            return self._fail(error, name, number, given)

    def _fail(self, error: Exception, name: str, line: int | None, given: Any = "") -> tuple[str, bool]:
        where = {"file": name} if line is None else {"file": name, "line": line}
        record = failure(error, given, **where)
        if self.as_json:
            return json_line(record), True
        paint = Paint(self.color)
        return heading(_title(name, line), paint("not parsed", "red"), paint) + show_error(record, paint), True

    def _message(self, message: Message, name: str, line: int | None) -> tuple[str, bool]:
        lect, given, detected = self._choose(message)
        reason = self.finish_reason or message.finish_reason
        decision: Decision
        if lect is None:
            reply, decision = unknown(str(given)), None
        else:
            prefix = {"prefix": detected.prefix} if detected is not None and detected.prefix else {}
            reply = lect.parse(given, tools=self.tools, finish_reason=reason, **prefix, **self.policies)
            try:
                decision = lect.decide(reply, **self.policies)
            except ParseError as error:
                decision = error
        bad = self.strict and (decision is None or isinstance(decision, ParseError))
        spoken = lect.name if lect else None
        if self.as_json:
            return _line(reply, decision, {"file": name, "line": line, "lect": spoken}, detected), bad
        paint = Paint(self.color)
        tongue = paint(spoken, "cyan") if spoken else paint("no lect", "yellow")
        note = paint(f" (detected: {safe(detected.told)})", dim=True) if detected else ""
        top = heading(_title(name, line), tongue + note, paint)
        return top + show_reply(reply, paint) + show_decision(decision, paint), bad

    def _choose(self, message: Message) -> tuple[Lect | None, str | dict[str, Any], Detected | None]:
        """The lect of a message, what it is to parse, and how the lect was detected."""
        value = message.value
        name = self.lect_name if self.lect_name != AUTO else message.record.get("lect")
        if isinstance(name, str):
            lect = self._named(name, message)
            return lect, content_of(value) if isinstance(value, dict) and not lect.messages else value, None
        if isinstance(value, dict) and (value.get("tool_calls") or value.get("function_call")):
            return self._named(MESSAGES, message), value, Detected(MESSAGES, 1.0, "it is a message with calls")
        text = content_of(value) if isinstance(value, dict) else value
        found = polylect.detect(text, tools=self.tools)
        if found:
            return self._lect(found[0].lect), text, found[0]
        if isinstance(value, dict) and any(x.name == MESSAGES for x in polylect.lects()):
            return self._lect(MESSAGES), value, Detected(MESSAGES, 0.5, "it is a message, and its text is in no tongue")
        return None, text, None

    def _named(self, name: str, message: Message) -> Lect:
        try:
            return self._lect(name)
        except (LectError, PluginError) as error:
            raise BadRecord("no_lect", str(error), message.record) from None

    def _lect(self, name: str) -> Lect:
        found = self.lects.get(name)
        if found is None:
            found = self.lects[name] = polylect.lect(name)
        return found


def about(found: Detected) -> dict[str, Any]:
    """How a lect was detected, for JSON."""
    return {key: value for key, value in found._asdict().items() if key != "lect"}


def _line(reply: Reply, decision: Decision, where: dict[str, Any], detected: Detected | None) -> str:
    """The reply's JSON with where it is from before it, and the decision and how its lect was detected after it."""
    head = {key: value for key, value in where.items() if key != "line" or value is not None}
    tail: dict[str, Any] = {"decision": decision}
    if decision is None or isinstance(decision, ParseError):
        error = failure(decision or BadRecord("no_lect", "No lect is known for this text."))
        tail = {"decision": None, "undecided": {key: error[key] for key in ("reason", "message", "span", "correction")}}
    if detected is not None:
        tail["detected"] = about(detected)
    return f"{json_line(head)[:-1]},{reply.to_json()[1:-1]},{json_line(tail)[1:]}"


def _title(name: str, line: int | None) -> str:
    title = "standard input" if name == "-" else name
    return title if line is None else f"{title}, line {line}"


@click.command(short_help="Parse whole messages: files, or records of JSON Lines.")
@click.argument("files", nargs=-1, required=True, type=INPUT)
@click.option(
    "--lect",
    "lect_name",
    type=LectName(),
    default=AUTO,
    show_default=True,
    help='The lect of the messages, or auto: a record\'s own "lect", or detected.',
)
@tools_option
@policy_option
@finish_option
@click.option(
    "--input", "kind", type=click.Choice(["text", "json", "lines"]), help="How to read all files, whatever their names."
)
@click.option("--strict", is_flag=True, help="Count messages that leave the agent without a decision as failures.")
@json_option
@jobs_option
@click.pass_context
def parse(
    context: click.Context,
    files: tuple[str, ...],
    lect_name: str,
    tools: Toolbox | None,
    policies: tuple[tuple[str, Any], ...],
    finish_reason: FinishReason | None,
    kind: str | None,
    strict: bool,
    as_json: bool | None,
    jobs: int,
) -> int:
    """Parse whole messages and say what the agent does next.

    FILES ending in .jsonl hold one record a line: a JSON string, {"text": …}, {"message": …} or an assistant's message
    with its role; .json holds one such record; any other file is one message as text. - is standard input, read as text
    unless --input says otherwise.

    Each message gives one line of JSON: the reply with "file", "line", "lect" and "decision" (null when there is none:
    then "undecided" says why, with the correction for the model). A record that fails gives {"type": "error", "file",
    "line", "reason", "message", "span", "correction", "text"}, in its place.

    Exit code 1 when a message could not be parsed: not text, not JSON, or refused by a policy that raises. A broken
    message that was parsed, with diagnostics, is no failure; --strict makes a missing decision one.

    \b
    Examples:
      polylect parse docs/examples/*.txt
      polylect parse --lect react --tools tools.json --jobs 2 replies.jsonl > parsed.jsonl
    """
    lines = wants_json(as_json)
    paint = Paint.for_stream()
    work = Parse(lect_name, tools, dict(policies), finish_reason, strict, lines, paint.on, plugin_paths(context))
    feed = Inputs(files, kind)
    with Progress("parsed", feed.total(), shown=lines and not is_terminal(sys.stdout)) as progress:
        for result in run(work, feed, jobs):
            write(result.data)
            progress.add(result)
    return 1 if progress.failed else 0
