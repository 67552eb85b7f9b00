"""``polylect translate``: records of one tongue to records of another."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import click

import polylect

from .._tools import Toolbox
from .._translate import carried
from ._feed import Inputs
from ._options import (
    AUTO,
    INPUT,
    LectName,
    is_terminal,
    jobs_option,
    load_plugins,
    plugin_paths,
    policy_option,
    tools_option,
)
from ._parse import MESSAGES
from ._pool import Item, Result, run
from ._progress import Progress
from ._records import BadRecord, Message, content_of, decode_record, each_line, failure, json_line, message_of, overlong

if TYPE_CHECKING:
    from .._lect import Lect

MESSAGE_KEYS = frozenset(
    {
        "role",
        "content",
        "tool_calls",
        "function_call",
        "refusal",
        "reasoning",
        "reasoning_content",
        "annotations",
        "audio",
    }
)
"""The keys of a record that is a message itself which are the message; any other key is the record's own."""


@dataclass
class Translate:
    """Translates items. Plain values, so that it can be sent to another process; lects are loaded there."""

    source: str
    target: str
    tools: Toolbox | None
    policies: dict[str, Any]
    plugins: tuple[str, ...] = ()
    lects: tuple[Lect | None, Lect] | None = field(default=None)

    def prepare(self) -> None:
        """Load the plugins and both lects."""
        load_plugins(self.plugins)
        source = None if self.source == AUTO else polylect.lect(self.source)
        self.lects = source, polylect.lect(self.target)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "lects": None}

    def __call__(self, item: Item) -> Result:
        """The output for one batch of records."""
        if item.kind == "overlong":
            text, _ = self._fail(overlong(item), item.line)
            return Result(f"{text}\n".encode(), 1, 1, item.size)
        return each_line(item, self._record)

    def _record(self, line: bytes, number: int) -> tuple[str, bool]:
        given: Any = ""
        try:
            message = message_of(decode_record(line, exact=True))
            given = message.value
            return self._translated(message), False
        except Exception as error:
            return self._fail(error, number, given)

    def _fail(self, error: Exception, line: int, given: Any = "") -> tuple[str, bool]:
        return json_line(failure(error, given, line=line)), True

    def _translated(self, message: Message) -> str:
        assert self.lects is not None
        named, target = self.lects
        value, record = message.value, message.record
        source, prefix = (named, {}) if named is not None else self._detected(message)
        within = isinstance(value, dict) and not source.messages  # the content of a message is in the source's tongue
        given = content_of(value) if within and isinstance(value, dict) else value
        reply = source.parse(given, tools=self.tools, finish_reason=message.finish_reason, **prefix, **self.policies)
        found = target.format(carried(reply, source, target), tools=self.tools, **self.policies)
        if isinstance(found, dict):
            return json_line(_put_message(found, message))
        if within and isinstance(value, dict):
            new = {**value, "content": found}
            return json_line(new if message.place == "record" else {**record, "message": new})
        rest = {k: v for k, v in record.items() if k not in _replaced(message)}
        return json_line({"text": found, **rest})

    def _detected(self, message: Message) -> tuple[Lect, dict[str, str]]:
        """The lect that a record is in, and what its prompt had begun."""
        value = message.value
        if isinstance(value, dict) and (value.get("tool_calls") or value.get("function_call")):
            return polylect.lect(MESSAGES), {}
        found = polylect.detect(content_of(value) if isinstance(value, dict) else value, tools=self.tools)
        if found:
            return polylect.lect(found[0].lect), {"prefix": found[0].prefix} if found[0].prefix else {}
        if isinstance(value, dict):
            return polylect.lect(MESSAGES), {}
        raise BadRecord("no_lect", "No installed lect recognises this text. Name one with --from.", message.record)


def _put_message(found: dict[str, Any], message: Message) -> dict[str, Any]:
    rest = {key: value for key, value in message.record.items() if key not in _replaced(message)}
    return {**found, **rest} if message.place == "record" else {"message": found, **rest}


def _replaced(message: Message) -> frozenset[str]:
    return MESSAGE_KEYS if message.place == "record" else frozenset({message.place})


@click.command(short_help="Rewrite records of one lect as records of another.")
@click.argument("file", default="-", type=INPUT)
@click.option(
    "--from", "source", type=LectName(), required=True, help="The lect of the records, or auto: detected, each."
)
@click.option("--to", "target", type=LectName(), required=True, help="The lect to write.")
@tools_option
@policy_option
@click.option(
    "--output", type=click.Path(dir_okay=False, writable=True), help="Write to a file, not to standard output."
)
@jobs_option
@click.pass_context
def translate(
    context: click.Context,
    file: str,
    source: str,
    target: str,
    tools: Toolbox | None,
    policies: tuple[tuple[str, Any], ...],
    output: str | None,
    jobs: int,
) -> int:
    """Rewrite FILE, JSON Lines of any size, from one lect to another, in constant memory and in order.

    A record is a JSON string, {"text": …}, {"message": …}, or an assistant's message with its role; its other keys are
    kept, and "finish_reason": "length" (or "max_tokens") marks a message that was cut. The result is {"text": …}, or
    {"message": …} where the target speaks messages; a record that is a message stays one, if it can.

    A record that fails gives {"type": "error", "line", "reason", "message", "span", "correction", "text"} in its place,
    and exit code 1 in the end; the others are translated all the same. Blank lines are passed over.

    \b
    Example:
      polylect translate --from react --to tool_calls --jobs 2 replies.jsonl > messages.jsonl
    """
    if output is not None and file != "-" and os.path.exists(output) and os.path.samefile(file, output):
        raise click.UsageError("--output is the input file itself. Choose another name.")
    work = Translate(source, target, tools, dict(policies), plugin_paths(context))
    work.prepare()  # before the output is opened: a wrong name must not empty a file
    feed = Inputs((file,), "lines")
    shown = output is not None or not is_terminal(sys.stdout)
    with contextlib.ExitStack() as stack:
        out = sys.stdout.buffer if output is None else stack.enter_context(open(output, "wb"))
        progress = stack.enter_context(Progress("translated", feed.total(), shown=shown))
        for result in run(work, feed, jobs):
            out.write(result.data)
            out.flush()
            progress.add(result)
    return 1 if progress.failed else 0
