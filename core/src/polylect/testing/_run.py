"""How a law is tried: Hypothesis around it, and failures that say what was given and what came."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, ParamSpec, TypeVar

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed
from hypothesis.strategies import SearchStrategy

from .._errors import ParseError
from .._values import Call, Reply, Value

if TYPE_CHECKING:
    from .._lect import Lect

T = TypeVar("T")
P = ParamSpec("P")

EXAMPLES = 200
"""Examples per law when nothing else is said: some seconds for a lect. For bundled lects see ``tests/laws``."""
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
    strategy: SearchStrategy[T],
    body: Callable[[T], None],
    *,
    examples: int,
    seed: int | None,
    shrink: bool = True,
    alike: Hashable = None,
) -> int:
    """Call ``body`` with ``examples`` draws; returns how many there were (fewer if there are no more to draw).

    ``alike`` names the strategy where the next law may ask for the same draws: to make them takes longer than to look
    at them. They are drawn again where ``body`` fails, to find a small one.

    Raises:
        AssertionError: what ``body`` raised for the smallest input that breaks it (or its other exception).
    """
    chosen = random.SystemRandom().getrandbits(32) if seed is None else seed
    count = 0
    name = None if alike is None or seed is None else (alike, seed, examples)
    if name is not None and name in _drawn and _all_hold(_drawn[name], body):
        return len(_drawn[name])
    cases: list[T] = []

    @with_seed(chosen)
    @settings(
        max_examples=examples,
        database=None,
        print_blob=False,  # the seed tells more: it works outside of a decorated test, too
        deadline=None,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(strategy)
    def trial(case: T) -> None:
        nonlocal count
        count += 1
        body(case)
        if name is not None:
            cases.append(case)

    try:
        trial()
    except Exception as error:
        error.add_note(f"To see it again: seed={chosen}")
        raise
    if name is not None:
        _drawn.clear()
        _drawn[name] = cases
    return count


_drawn: dict[Hashable, list[Any]] = {}
"""The last draws that may be asked for again."""


def _all_hold(cases: list[Any], body: Callable[[Any], None]) -> bool:
    try:
        for case in cases:
            body(case)
    except Exception:  # whatever it is, it comes again
        return False
    return True


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
