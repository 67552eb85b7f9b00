"""The lines of a record: what ran, each reply, each result, and how it ended. One JSON value a line.

A file may hold several records, and those of runs that went on at the same time stand in it mixed: every line names its
run. What was not written to its end, because the program died, is where a record is cut.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from .._errors import RecordError
from .._json import decode_json, encode_json, json_fault, shown
from ._values import RunState, StopReason, ToolResult, Usage

VERSION = 1
"""Of the format; raised when a reader of the old one would misread the new one."""
Source: TypeAlias = "str | os.PathLike[str] | Iterable[str | bytes]"


class Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="type", omit_defaults=True):
    """What all lines have: the name of their run, unlike any other."""

    run: str


class RunLine(Line, frozen=True, kw_only=True, tag="run"):
    """A run begins.

    Attributes:
        version: of the format.
        lect: the name of the tongue.
        inputs: what the run was started with.
        started: when, as ISO 8601 with the zone.
        model: what the model is called.
        tools: in OpenAI form, with ``"return_direct": true`` beside ``"type"`` where it is so.
        settings: the agent's, as far as they are plain.
        policies: choices other than the lect's own.
        stop: the stop strings.
        prompt: ``template``, ``partials``, ``defaults`` and ``prefix`` of a :class:`polylect.Prompt`.
        left_out: what the agent had besides, and JSON can't hold: by name.
        state: where a run stood that was taken up again.
    """

    version: int
    lect: str
    inputs: dict[str, Any]
    started: str = ""
    model: str = ""
    tools: list[dict[str, Any]] | None = None
    settings: dict[str, Any] = {}
    policies: dict[str, str] = {}
    stop: list[str] = []
    prompt: dict[str, Any] | None = None
    left_out: list[str] = []
    state: RunState | None = None


class ModelLine(Line, frozen=True, kw_only=True, tag="model"):
    """The model has answered.

    Attributes:
        turn: counts from 1.
        last: whether it was asked for the answer of early stopping.
        at: seconds into the run when it was asked.
        output: text or message, as it came; of what is no JSON, how Python shows it.
        odd: the class of such an output.
        usage, seconds, finish_reason: as in :class:`polylect.ModelResult`.
        prefix: what the prompt had already written of the reply.
        prompt_size: characters that it was sent.
    """

    turn: int
    at: float
    output: Any
    odd: str | None = None
    last: bool = False
    usage: Usage = Usage()
    seconds: float = 0.0
    finish_reason: str | None = None
    prefix: str = ""
    prompt_size: int = 0


class CutLine(Line, frozen=True, kw_only=True, tag="cut"):
    """The run was stopped while the model wrote; ``output`` is what had come by then, the rest as in ModelLine."""

    turn: int
    at: float
    stopping: StopReason
    output: Any = None
    last: bool = False
    seconds: float = 0.0
    prompt_size: int = 0


class ToolLine(Line, frozen=True, kw_only=True, tag="tool"):
    """A call has ended.

    Attributes:
        turn: the turn of the call.
        place: which of the turn's actions it is, from 0.
        tool, tool_input, id: the action.
        result: what came of it.
        stopping: why the run was stopped by then, if it was.
    """

    turn: int
    place: int
    tool: str
    tool_input: Any
    result: ToolResult
    id: str | None = None
    stopping: StopReason | None = None


class EndLine(Line, frozen=True, kw_only=True, tag="end"):
    """The run is over. A :class:`polylect.RunResult` without what the lines before it say: the turns and steps."""

    output: Any
    stop_reason: StopReason
    return_values: dict[str, Any] = {}
    iterations: int = 0
    usage: Usage = Usage()
    seconds: float = 0.0


class ErrorLine(Line, frozen=True, kw_only=True, tag="error"):
    """The run failed, or nobody wanted the rest of it (GeneratorExit: a stream was closed)."""

    error: str
    message: str = ""


AnyLine: TypeAlias = RunLine | ModelLine | CutLine | ToolLine | EndLine | ErrorLine


def encoded(line: Line) -> bytes:
    """A line as it is written, its end included. What is no JSON is its ``str``, as in a written RunState."""
    try:
        text = encode_json(line)
    except Exception:  # a stranger's __str__, a circle, nesting too deep
        fields = {name: getattr(line, name) for name in line.__struct_fields__}
        text = encode_json(type(line)(**{name: _harmless(value) for name, value in fields.items()}))
    return text.encode() + b"\n"


def _harmless(value: Any) -> Any:
    """What can be written, whatever it is."""
    try:
        encode_json(value)
    except Exception:
        if isinstance(value, ToolResult):
            return msgspec.structs.replace(value, observation=shown(value.observation))
        if isinstance(value, RunState):
            return None
        return {key: _harmless(x) for key, x in value.items()} if isinstance(value, dict) else shown(value)
    return value


# --- reading ----------------------------------------------------------------------------------------------------------


class Record(msgspec.Struct):
    """One run of a file.

    Attributes:
        where: the name of the file.
        lines: the lines of the run, each with its number in the file.
    """

    where: str
    lines: list[tuple[int, AnyLine]]

    def place(self, number: int) -> str:
        """A line's name, for errors."""
        return f"{self.where}, line {number}"


def read_record(source: Source, run: int = -1) -> Record:
    """One of the runs in a file, or in its lines: the last one, by default.

    Raises:
        RecordError: there is no such run, or a line is malformed.
    """
    where, lines = _lines_of(source)
    found: dict[str, list[tuple[int, AnyLine]]] = {}
    order: list[list[tuple[int, AnyLine]]] = []
    broken: RecordError | None = None
    ended = True
    for number, text in lines:
        if not text.strip():
            continue
        try:
            line = _read(text, f"{where}, line {number}", number)
        except RecordError as error:
            if broken is not None:
                raise broken from None
            broken, ended = error, text.endswith(b"\n")
            continue
        if isinstance(line, RunLine):
            if line.version > VERSION:
                raise RecordError(f"{where}, line {number}: {_newer(line.version)}.", number)
            found[line.run] = [(number, line)]
            order.append(found[line.run])
        elif broken is not None:
            raise broken
        elif line.run not in found:
            raise RecordError(f"{where}, line {number}: the first line of the run {line.run!r:.80} is missing.", number)
        else:
            found[line.run].append((number, line))
        broken = None  # a program died while it wrote that line, and another one has gone on behind it
    if broken is not None and (ended or not order):
        raise broken
    try:
        return Record(where, order[run])
    except IndexError:
        told = f"has {len(order)} runs, and none of number {run}" if order else "holds no run"
        raise RecordError(f"{where} {told}.", 0) from None


def _read(text: bytes, where: str, number: int) -> AnyLine:
    kind: Any = AnyLine
    try:
        line: AnyLine = decode_json(text, kind)
    except ValueError as error:
        raise RecordError(f"{where}: {_told(text, error)}.", number) from None
    return line


def _told(text: bytes, error: ValueError) -> str:
    """What is wrong with a line that can't be read."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as fault:
        return f"this is not JSON: {json_fault(fault)}"
    if isinstance(fields, dict) and fields.get("type") == "run":
        version = fields.get("version")
        if isinstance(version, int) and version > VERSION:
            return _newer(version)
    return f"this is no line of a record: {error}"


def _newer(version: int) -> str:
    return f"this record has the format {version}, and this version of polylect reads up to {VERSION}"


def _lines_of(source: Any) -> tuple[str, Iterator[tuple[int, bytes]]]:
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            data = path.read_bytes()
        except OSError as error:
            told = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror or str(error)
            raise RecordError(f"The record {str(path)!r} can't be read: {told}.", 0) from error
        return path.name, enumerate(data.splitlines(keepends=True), 1)
    if isinstance(source, (bytes, dict)) or not isinstance(source, Iterable):
        raise RecordError(f"A record is a path, an open file or its lines, not {type(source).__name__}.", 0)
    return "the record", enumerate(map(_bytes, source), 1)


def _bytes(line: Any) -> bytes:
    if isinstance(line, str):
        return line.encode("utf-8", "surrogatepass")
    if isinstance(line, (bytes, bytearray)):
        return bytes(line)
    raise RecordError(f"A line of a record is text or bytes, not {type(line).__name__}.", 0)
