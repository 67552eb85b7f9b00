"""How a law is tried: with how many cases, and failures that say what was given and what came."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec, TypeVar

from .._errors import ParseError
from .._values import Call, Reply, Value
from ._draw import Again, Draw, Drawn, Maker, smallest

if TYPE_CHECKING:
    from .._lect import Lect

T = TypeVar("T")
P = ParamSpec("P")

EXAMPLES = 200
"""Examples per law when nothing else is said: some seconds for a lect. For bundled lects see ``tests/laws``."""
CASE = "The case: "
"""How the note of a failure begins that shows what was given."""
MOST_DRAWS = 10
"""Draws for an example, where most of them were there before."""
SHOWN = 400
"""Characters of a value that a failure shows."""


class Outcome(NamedTuple):
    """A law held: for how many examples, and what is worth knowing beside it."""

    examples: int
    detail: str = ""


def find(lect: Lect | str) -> Lect:
    """The lect itself, by name or as given."""
    if not isinstance(lect, str):
        return lect
    from .. import lect as by_name  # late: a kit for one lect needs no registry

    return by_name(lect)


def examine(
    make: Maker[T], body: Callable[[T], object], *, examples: int, seed: int | None, shrink: bool = True
) -> int:
    """Call ``body`` with ``examples`` different draws; returns how many there were (fewer if there are no more).

    Raises:
        AssertionError: what ``body`` raised for the smallest case found that breaks it (or its other exception).
    """
    chosen = random.SystemRandom().getrandbits(32) if seed is None else seed
    draw = Drawn(chosen)
    seen: set[tuple[int, ...]] = set()
    for _ in range(MOST_DRAWS * examples):
        if len(seen) == examples:
            break
        draw.made = []
        try:
            case = make(draw)
            if (made := tuple(draw.made)) not in seen:
                seen.add(made)
                body(case)
        except Exception as error:
            broken = _smaller(make, body, draw.made, error) if shrink else error
            broken.add_note(f"To see it again: seed={chosen}")
            if broken is error:
                raise
            raise broken from None
    return len(seen)


def _smaller(make: Maker[T], body: Callable[[T], object], choices: list[int], error: Exception) -> Exception:
    """What the smallest case raises that breaks in the way of ``error``, which ``choices`` led to."""
    kind, found = type(error), error

    def fails(draw: Draw) -> bool:
        try:
            body(make(draw))
        except kind:
            return True
        except Exception:  # broken too, in another way
            return False
        return False

    try:
        case: object = "nothing yet"
        case = make(Again(smallest(choices, fails)))
        body(case)
    except kind as smaller:
        found = smaller
    found.add_note(f"{CASE}{brief(case)}")
    return found


def each(cases: Iterable[T], body: Callable[[T], None]) -> int:
    """Call ``body`` with every one of ``cases``; returns how many there were."""
    count = 0
    for case in cases:
        count += 1
        body(case)
    return count


def attempt(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | ParseError:
    """What ``read`` returns, or the ParseError that it raises."""
    try:
        return read(*args, **kwargs)
    except ParseError as error:
        return error


def fail(message: str, /, **shown: object) -> NoReturn:
    """Raise AssertionError: ``message``, then each value under its name."""
    raise AssertionError(report(message, **shown))


def report(message: str, /, **shown: object) -> str:
    """The text of a failure: ``message``, then each value under its name."""
    width = max((len(name) for name in shown), default=0)
    lines = [f"  {name.replace('_', ' '):{width}}  {brief(value)}" for name, value in shown.items()]
    return "\n".join([message, *lines])


def brief(value: object) -> str:
    """A value on one line: what is default left out, what is long shortened in the middle."""
    text = _spell(value)
    if len(text) <= SHOWN:
        return text
    half = SHOWN // 2
    return f"{text[:half]} … {text[-half:]} ({len(text):,} characters)"


def _spell(value: object) -> str:
    if isinstance(value, Call):
        status = "" if value.status == "complete" else f" [{value.status}]"
        return f"{value.name!r}({value.arguments!r}){status}"
    if isinstance(value, Reply):
        said: list[tuple[str, Any]] = [("reasoning", value.reasoning), ("content", value.content)]
        parts = [f"{name}={text!r}" for name, text in said if text]
        parts += [f"calls=[{', '.join(_spell(call) for call in value.calls)}]"] if value.calls else []
        parts += [] if value.answer is None else [f"answer={value.answer!r}"]
        parts += [] if value.complete else ["complete=False"]
        return f"Reply({', '.join(parts)})"
    if isinstance(value, ParseError):
        return f"ParseError({value.message!r}, reason={value.reason!r}, span={value.span})"
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    if isinstance(value, Value):
        return value.to_json()
    return repr(value)
