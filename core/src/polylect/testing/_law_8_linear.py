"""Law 8, linear: doubling the input at most doubles the time, however hostile it is, whole and streamed."""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import PolylectError
from ._draw import Draw, Maker, joined, one_of, sampled
from ._fragments import fragments, leaves, markers, replaced
from ._replies import TOOLS, Tools
from ._run import EXAMPLES, Outcome, each, examine, find, report
from ._texts import Message, pieces

if TYPE_CHECKING:
    from .._lect import Lect

SIZE = 20_000
"""Characters that are measured, against twice as many."""
QUICK = 2_500
"""Characters of the quick look, against four times as many; it is enough when it looks linear."""
RATIO = 2.3
"""What doubling may cost: 2, and some noise."""
QUICK_RATIO = 4.6
SLACK = 0.002
"""Seconds that do not count: below them a ratio is noise."""
SLOW = 1.0
"""Seconds for the longer quick look from which on smaller sizes are measured: they show enough."""
ATTEMPTS = 5
"""A busy machine may spoil a measurement; a law that does not hold fails every time."""
REPEATS = 3

UNITS = (
    *('"', "\\", '\\"', "{", "[", '{"a":', '["', "<", "</", "&", "`", "*", "```\n"),
    *(" ", "\n", " \n", "a", "a b ", "x: ", ".;"),
)


class Hostile(NamedTuple):
    """``unit`` over and over between ``head`` and ``tail``, read in one way, with tools or without.

    In tongues of messages it stands at one place of an example.
    """

    way: str
    unit: str
    head: str = ""
    tail: str = ""
    place: int = 0
    offered: bool = False

    def message(self, lect: Lect, size: int) -> Message:
        """The input with about ``size`` characters."""
        text = self.head + self.unit * (size // len(self.unit)) + self.tail
        if not lect.messages:
            return text
        places = [(example, path) for example in lect.examples for path in leaves(example)]
        if not places:
            return {"role": "assistant", "content": text}
        example, path = places[self.place % len(places)]
        changed: dict[str, Any] = replaced(example, path, text)
        return changed


WAYS = ("whole", "stream of 1", "stream of 4", "stream of 40")
OTHER_WAYS = ("detect", "escape", "transcript")


def law_8_linear(
    lect: Lect | str, *, examples: int = EXAMPLES, seed: int | None = None, tools: Tools = None
) -> Outcome:
    """Twice as long an input takes at most about twice the processor time.

    Every marker of the lect and the usual troublemakers, many times over, alone and somewhere in an example, are read
    with tools and without, whole, in a stream, and by ``detect``, ``escape`` and ``transcript``.

    Raises:
        AssertionError: an input takes more than 2.3 times as long at twice the length, five times in a row.
    """
    lect = find(lect)
    offered = TOOLS if tools is None else tuple(tools)
    known: dict[Hostile, str] = {}  # a measurement is not repeatable, so each input is measured once

    def body(case: Hostile) -> None:
        if case not in known:
            known[case] = _growth(lect, case, offered if case.offered else None)
        if known[case]:
            raise AssertionError(known[case])

    units = [*(f"{marker}x " for marker in markers(lect)[:12]), *UNITS[:6]]
    plain = [Hostile(way, unit) for unit in units for way in ("whole", "stream of 4")]
    count = each(plain[:examples], body)
    count += examine(_hostile(lect), body, examples=max(examples - count, 1), seed=seed, shrink=False)
    return Outcome(count, f"{len(known)} different inputs")


def _hostile(lect: Lect) -> Maker[Hostile]:
    ways = WAYS if lect.messages else (*WAYS, *WAYS, *OTHER_WAYS)
    table = [piece for piece in fragments(lect) if piece]
    units = one_of(sampled((*UNITS, *markers(lect))), joined(table, 3, 1))
    heads = [text for text in lect.examples if isinstance(text, str)] or ['{"a": "']
    edges = [[match.start() for match in re.finditer(r"\b", head)] or [0] for head in heads]

    def make(draw: Draw) -> Hostile:
        number = draw.below(len(heads))
        head = heads[number]
        until = draw.pick(edges[number]) if draw.flag() else draw.between(0, len(head))
        tail = draw.pick(("", head[until:], "x" + head[until:]))
        return Hostile(draw.pick(ways), units(draw), head[:until], tail, draw.between(0, 40), draw.flag())

    return make


def _growth(lect: Lect, case: Hostile, tools: Tools) -> str:
    """What breaks the law, or ""."""
    found = superlinear(lambda size: _reader(lect, case, size, tools))
    if found is None:
        return ""
    (size, once), (twice, later) = found.items()
    place = f" at place {case.place}" if lect.messages else ""
    return report(
        f"twice the length takes {later / once:.1f} times as long",
        way=case.way,
        input=f"{case.head!r} + {case.unit!r} * n + {case.tail!r}{place}",
        seconds={size: round(once, 4), twice: round(later, 4)},
    )


def superlinear(make: Callable[[int], Callable[[], object]]) -> dict[int, float] | None:
    """Seconds by size where doubling the size more than doubles the time, five times in a row; None where it does not.

    ``make`` gives what is to be measured for an input of a number of characters.
    """
    short, long = (make(QUICK * times) for times in (1, 4))
    once, later = cost(short, 1), cost(long, 1)
    if later <= QUICK_RATIO * once + SLACK:
        return None
    size = SIZE if later < SLOW else QUICK // 2
    short, long = (make(size * times) for times in (1, 2))
    for _ in range(ATTEMPTS):
        once, later = cost(short, REPEATS), cost(long, REPEATS)
        if later <= RATIO * once + SLACK:
            return None
    return {size: once, 2 * size: later}


def cost(act: Callable[[], object], repeats: int) -> float:
    """Seconds of this thread's processor time that ``act`` takes: the least of some runs."""
    least = float("inf")
    with _no_collection():
        for _ in range(repeats):
            start = time.thread_time()
            act()
            least = min(least, time.thread_time() - start)
    return least


def _reader(lect: Lect, case: Hostile, size: int, tools: Tools) -> Callable[[], object]:
    message = case.message(lect, size)
    if case.way == "whole":
        return lambda: _anyhow(lambda: lect.parse(message, tools=tools))
    if case.way in OTHER_WAYS:
        read: Callable[[Any], object] = getattr(lect, case.way)
        return lambda: _anyhow(lambda: read(message))
    chunks = pieces(lect, message, (int(case.way.rpartition(" ")[2]),))
    return lambda: _anyhow(lambda: _feed(lect, chunks, tools))


def _feed(lect: Lect, chunks: list[Any], tools: Tools) -> None:
    parser = lect.parser(tools=tools)
    feed = parser.feed
    for chunk in chunks:
        feed(chunk)
    parser.close()


def _anyhow(act: Callable[[], object]) -> None:
    """Run ``act``; that it may refuse the input is another law's matter."""
    try:
        act()
    except PolylectError:
        return


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection for a while: its turns come when they come, and spoil a measurement."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
