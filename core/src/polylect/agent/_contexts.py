"""Contexts of calls: the context variables that a wrapper sets hold for the call that it wraps, and nowhere else.

A wrapper's generator is advanced inside a copy of the driver's context, and so are the calls that it yields: whatever
it sets is gone again between its steps, for calls beside it, and for whoever reads a stream. Without wrappers there is
no context, and nothing of this costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextvars import Context
from functools import partial
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def inside(context: Context | None, call: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
    """What a call returns that is made inside a context; None: where we stand."""
    return call(*args, **kwargs) if context is None else context.run(call, *args, **kwargs)


def awaited_inside(context: Context | None, awaitable: Any) -> Any:
    """Something to be awaited, each of its steps inside a context."""
    return awaitable if context is None else _Awaited(context, awaitable)


class _Awaited:
    def __init__(self, context: Context, awaitable: Any) -> None:
        self._context, self._awaitable = context, awaitable

    def __await__(self) -> Generator[Any, Any, Any]:
        context = self._context
        steps: Any = context.run(self._awaitable.__await__)
        step: Callable[[], Any] = partial(next, steps)
        try:
            while True:
                promised = context.run(step)
                try:
                    sent = yield promised
                except GeneratorExit:
                    raise
                except BaseException as error:
                    throw = getattr(steps, "throw", None)
                    if throw is None:
                        raise
                    step = partial(throw, error)
                else:
                    step = partial(next, steps) if sent is None else partial(steps.send, sent)
        except StopIteration as end:
            return end.value
        finally:
            close = getattr(steps, "close", None)
            if callable(close):
                context.run(close)
