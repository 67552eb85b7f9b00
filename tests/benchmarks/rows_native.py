"""The native tongues, one for each notation: a long argument whole and streamed, and input that is hostile to it."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import ours, samples
from .rows import Pair, Row, compared
from .rows_streams import floor as floor_of
from .timing import Candidate, repeatable

SIZE = 64 * samples.KIB
STEP = 4
JSON_WHOLE_BAR, TEXT_WHOLE_BAR = 1.3, 2.0
JSON_STREAM_BAR, TEXT_STREAM_BAR = 2.0, 3.0
FLAT_BAR = 1.2
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}}
TOOLS = [{"type": "function", "function": {"name": samples.WRITER, "parameters": SCHEMA}}]


@dataclass(frozen=True, slots=True)
class Body:
    """A notation: what it is called, a lect that has it, and what stands behind a long text in it."""

    title: str
    lect: str
    marker: str
    json: bool = False


BODIES = (
    Body("a JSON object", "hermes", "</tool_call>", json=True),
    Body("a JSON array", "mistral_v3_array", '"}}]', json=True),
    Body("a name, JSON arguments", "kimi_k2", "<|tool_call_end|>", json=True),
    Body("channels, JSON arguments", "gpt_oss_harmony", "<|call|>", json=True),
    Body("raw text in tags", "qwen3_coder_xml", "\n</parameter>"),
    Body("tags that tell their types", "deepseek_dsml_v4", "</｜DSML｜parameter>"),
    Body("pairs of keys and values", "glm47", "</arg_value>"),
    Body("Python calls", "pythonic", "')]"),
    Body("Gemma's objects", "gemma4", '<|"|>'),
    Body("elements named as arguments", "minimax_m3", "]<]minimax[>[</text>"),
)


def written(body: Body, text: str) -> str:
    """A call that writes ``text``, in this notation."""
    polylect = importlib.import_module("polylect")
    call = polylect.Call(samples.WRITER, {"path": "logbook.txt", "text": text})
    message: str = ours.lect(body.lect).format(polylect.Reply(calls=(call,)), tools=TOOLS)
    return message


def _kept(text: str) -> Callable[[Any], str | None]:
    def check(reply: Any) -> str | None:
        right = len(reply.calls) == 1 and reply.calls[0].status == "complete"
        if right and reply.calls[0].arguments == {"path": "logbook.txt", "text": text}:
            return None
        return "the arguments of the reply are not what was sent"

    return check


def _arguments(message: str, text: str, marker: str) -> str:
    """The least that text takes: find where it begins and what ends it, and copy it."""
    at = message.find(text[:16])
    return message[at : message.find(marker, at)]


def whole(with_ours: bool) -> Iterator[Row]:
    """A call with a text of 64 KiB."""
    text = samples.prose(SIZE)
    for body in BODIES:
        message = written(body, text)
        if body.json:
            value = json.dumps({"path": "logbook.txt", "text": text}, ensure_ascii=False)
            peer, floor = "json.loads", repeatable(partial(json.loads, value))
        else:
            peer, floor = "find and copy", repeatable(partial(_arguments, message, text, body.marker))
        candidates = {peer: floor}
        if with_ours:
            tools = importlib.import_module("polylect").toolbox(TOOLS)
            parse = partial(ours.lect(body.lect).parse, message, tools=tools)
            candidates = {"parse": repeatable(parse, _kept(text))} | candidates
        bar = JSON_WHOLE_BAR if body.json else TEXT_WHOLE_BAR
        yield from compared(candidates, [Pair(f"{body.title}: `{body.lect}`", "parse", peer, bar)])


def _streamed(body: Body, size: int) -> Candidate:
    text = samples.prose(size)
    deltas = samples.cut(written(body, text), STEP)
    tongue = ours.lect(body.lect)

    def prepare() -> Callable[[], Any]:
        parser = tongue.parser(tools=TOOLS)
        return lambda: ours.drive(parser, deltas)

    return Candidate(prepare, units=len(deltas), check=ours.of_reply(_kept(text)))


def streams(with_ours: bool) -> Iterator[Row]:
    """The same in 4-character deltas, and whether a delta costs the same in a longer text."""
    for body in BODIES:
        deltas = samples.cut(written(body, samples.prose(SIZE)), STEP)
        floor, short, long = "floor loop", "16 KiB", "1 MiB"
        candidates = {floor: floor_of(deltas, body.marker)}
        what = f"{body.title}: `{body.lect}`"
        pairs = [Pair(what, "ours", floor, JSON_STREAM_BAR if body.json else TEXT_STREAM_BAR)]
        if with_ours:
            candidates |= {
                "ours": _streamed(body, SIZE),
                short: _streamed(body, 16 * samples.KIB),
                long: _streamed(body, 1024 * samples.KIB),
            }
            pairs.append(Pair(f"{what}, 1 MiB against 16 KiB", long, short, FLAT_BAR))
        yield from compared(candidates, pairs)


LECTS = frozenset(body.lect for body in BODIES)
