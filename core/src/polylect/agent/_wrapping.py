"""Wrappers around a call, nested: what is left of them is a generator that asks for the innermost calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator
from typing import Any

from .._errors import PluginError
from ._hooks import Hook, begun


def wrapped(
    hooks: tuple[Hook, ...], arguments: Callable[[Any], tuple[Any, ...]], wanted: Any, kind: type
) -> Generator[Any, Any, Any] | None:
    """Yields what is to be called (or awaited), is sent what came of it, and returns the result of the outermost.

    None if there is no wrapper, or none has anything to do. ``arguments`` makes the arguments of a hook of what is to
    be called; ``kind`` is the class of results.

    Raises:
        PluginError: a hook is no generator, or returns something else than a result.
    """
    for at, hook in enumerate(hooks):
        wrapper = begun(hook, arguments(wanted))
        if wrapper is not None:
            return _within(wrapper, hooks[at:], arguments, type(wanted), kind)
    return None


def _within(
    wrapper: Generator[Any, Any, Any],
    hooks: tuple[Hook, ...],
    arguments: Callable[[Any], tuple[Any, ...]],
    kind_wanted: type,
    kind: type,
) -> Generator[Any, Any, Any]:
    """What is within the first of the hooks, which has begun."""
    try:
        asked = next(wrapper)
        while True:
            try:
                if inspect.isawaitable(asked):
                    result = yield asked
                elif isinstance(asked, kind_wanted):
                    inner = wrapped(hooks[1:], arguments, asked, kind)
                    result = (yield asked) if inner is None else (yield from inner)
                else:
                    raise PluginError(
                        f"The hook {_name(hooks[0])!r} yields a {kind_wanted.__name__}, not {type(asked).__name__}."
                    )
            except GeneratorExit:
                raise
            except BaseException as error:
                asked = wrapper.throw(error)
            else:
                asked = wrapper.send(result)
    except StopIteration as end:
        if not isinstance(end.value, kind):
            raise PluginError(
                f"The hook {_name(hooks[0])!r} returns a {kind.__name__}, not {type(end.value).__name__}."
            ) from None
        return end.value
    finally:
        wrapper.close()


def _name(hook: Hook) -> str:
    return getattr(hook, "__name__", type(hook).__name__)
