"""Streams: long payloads and short messages in small deltas, against the floor loop on the same deltas."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from . import floors, ours, peers, samples
from .rows import Pair, Row, compared, timed_group
from .timing import Candidate

SMALL, LARGE = 4, 40
"""Characters per delta: about one token, and what a server sends that batches ten."""

LARGE_DELTA_BAR = 5.0
FLAT_BAR = 1.2
REPARSE_BUDGET_S = 6.0
"""A quadratic peer needs seconds for one run, and no bar hangs on it: fewer rounds will do."""
FLOORS_PER_DELTA = 2.0
MICROSECONDS_PER_MARKER = 2.0


def floor(deltas: list[str], marker: str) -> Candidate:
    """The floor loop over these deltas."""
    return Candidate(lambda: partial(floors.floor_loop, deltas, marker), units=len(deltas))


def _stream(stream: samples.Stream, with_ours: bool) -> Iterator[Row]:
    """One kind of stream: both sizes of delta against the floor, and a long message against a short one."""
    size = 64 * samples.KIB
    text = stream.message(size).text
    small, large, short, long = "4-char deltas", "40-char deltas", "16 KiB", "1 MiB"
    floor_small, floor_large = "floor loop", "floor loop, 40"
    candidates = {
        floor_small: floor(samples.cut(text, SMALL), stream.marker),
        floor_large: floor(samples.cut(text, LARGE), stream.marker),
    }
    if with_ours:
        candidates |= {
            small: ours.long_stream(stream, size, SMALL),
            large: ours.long_stream(stream, size, LARGE),
            short: ours.long_stream(stream, 16 * samples.KIB, SMALL),
            long: ours.long_stream(stream, 1024 * samples.KIB, SMALL),
        }
    pairs = [
        Pair(f"{stream.title}, {small}", small, floor_small, stream.bar),
        Pair(f"{stream.title}, {large}", large, floor_large, LARGE_DELTA_BAR),
    ]
    if with_ours:
        pairs.append(Pair(f"{stream.title}, 1 MiB against 16 KiB", long, short, FLAT_BAR))
    yield from compared(candidates, pairs)


def long_streams(with_ours: bool) -> Iterator[Row]:
    """Long payloads in deltas."""
    for stream in samples.STREAMS:
        yield from _stream(stream, with_ours)
    yield from _provider_stream(with_ours)


def _provider_stream(with_ours: bool) -> Iterator[Row]:
    """For information: the argument text of a native call, which arrives in dicts."""
    arguments = samples.long_string(64 * samples.KIB).payload
    deltas = samples.message_deltas(arguments, SMALL)
    loop = "collecting loop"
    candidates = {loop: Candidate(lambda: partial(floors.message_floor_loop, deltas), units=len(deltas))}
    if with_ours:
        candidates["ours"] = ours.message_stream(arguments, SMALL)
    yield from compared(candidates, [Pair("`tool_calls` deltas, 4 characters each", "ours", loop)])


def short_streams(with_ours: bool) -> Iterator[Row]:
    """Short messages in 4-character deltas: the allowance counts deltas and markers."""
    for message in samples.SHORT_MESSAGES:
        what = f"`{message.lect}`, a {message.kind}: {len(message.text)} characters, {message.markers} markers"
        deltas = samples.cut(message.text, SMALL)
        marker = next(stream.marker for stream in samples.STREAMS if stream.lect == message.lect)
        candidates = {"floor": floor(deltas, marker)}
        if with_ours:
            check = ours.of_reply(ours.called if message.calls else ours.answered)
            candidates["ours"] = ours.streamed(message.lect, deltas, check)
        group = timed_group(candidates)
        allowance = FLOORS_PER_DELTA * group.timings.median("floor") * len(deltas)
        allowance += MICROSECONDS_PER_MARKER * message.markers
        if "ours" in group.timings.samples:
            spent: float | None = group.timings.median("ours") * len(deltas)
        else:
            spent = None
        value = None if spent is None else spent / allowance
        note = group.faults.get("ours", "")
        yield Row(what, "2 floors a delta + 2 µs a marker", spent, allowance, value, 1.0, note=note)


def reparse(with_ours: bool) -> Iterator[Row]:
    """For information: what it costs to parse all that has arrived again after every delta."""
    size = 16 * samples.KIB
    stream = next(stream for stream in samples.STREAMS if stream.message is samples.long_string)
    deltas = samples.cut(stream.message(size).payload, SMALL)
    candidates = {
        "jiter": Candidate(lambda: partial(peers.jiter_loop, deltas), units=len(deltas)),
        "partial-json-parser": Candidate(lambda: partial(peers.partial_json_loop, deltas), units=len(deltas)),
    }
    if with_ours:
        candidates["ours"] = ours.long_stream(stream, size, SMALL)
    what = "16 KiB JSON call, 4-char deltas"
    pairs = [Pair(what, "ours", "jiter"), Pair(what, "ours", "partial-json-parser")]
    yield from compared(candidates, pairs, REPARSE_BUDGET_S)
