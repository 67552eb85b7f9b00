"""Hooks around the calls of a run: those of installed plugins, and those that an agent was given.

A wrapper is a generator, so that it is written once and runs in the synchronous and the asynchronous drivers: it yields
what is to be called and is sent the result, or thrown the error.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable
from typing import Any

import msgspec

from .._errors import PluginError, nearest

Hook = Callable[..., Any]


class Hooks(msgspec.Struct, frozen=True):
    """All hooks of one agent, by name; the first registered is the first called, and the outermost wrapper."""

    before_run: tuple[Hook, ...] = ()
    after_run: tuple[Hook, ...] = ()
    run_failed: tuple[Hook, ...] = ()
    before_model: tuple[Hook, ...] = ()
    after_model: tuple[Hook, ...] = ()
    before_tool: tuple[Hook, ...] = ()
    after_tool: tuple[Hook, ...] = ()
    wrap_model_call: tuple[Hook, ...] = ()
    wrap_tool_call: tuple[Hook, ...] = ()


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "polylect_before_run": ("state", "agent"),
    "polylect_after_run": ("state", "result"),
    "polylect_run_failed": ("state", "error"),
    "polylect_before_model": ("state", "call"),
    "polylect_after_model": ("state", "call", "result"),
    "polylect_before_tool": ("state", "action", "tool"),
    "polylect_after_tool": ("state", "action", "tool", "result"),
    "polylect_wrap_model_call": ("state", "call"),
    "polylect_wrap_tool_call": ("state", "action", "tool"),
}
"""What each hook is called with; as with all hooks of pluggy, one may leave out what it does not need."""


def hooks_of(plugins: Iterable[object], *, strict: bool = True) -> Hooks:
    """The hooks that these objects have.

    Raises:
        PluginError: one has none, or a hook of no known name, or one that needs what it is not given.
    """
    found: dict[str, list[Hook]] = {name: [] for name in ARGUMENTS}
    for plugin in plugins:
        names = [name for name in dir(plugin) if name.startswith("polylect_") and callable(getattr(plugin, name))]
        if strict and not names:
            raise PluginError(f"{plugin!r:.120} has no hook. The hooks around a run: {', '.join(ARGUMENTS)}.")
        for name in names:
            if name in found:
                found[name].append(_adapted(getattr(plugin, name), name))
            elif strict and name not in LISTS:
                raise PluginError(f"{plugin!r:.80} has no known hook {name!r}.{nearest(name, found)}")
    return Hooks(**{name.removeprefix("polylect_"): tuple(hooks) for name, hooks in found.items()})


LISTS = frozenset({"polylect_lects", "polylect_models"})
"""Hooks that a plugin may have besides: what it brings."""


def _adapted(hook: Hook, name: str) -> Hook:
    """The hook, to be called with all that its specification names, in that order."""
    given = ARGUMENTS[name]
    try:
        parameters = inspect.signature(hook).parameters
    except (TypeError, ValueError):
        return hook
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters.values()):
        return hook
    taken = tuple(parameters)
    if taken == given:
        return hook
    for parameter in parameters.values():
        if parameter.name not in given and parameter.default is parameter.empty:
            raise PluginError(f"The hook {name!r} asks for {parameter.name!r}. It may ask for: {', '.join(given)}.")
    places = [(x, given.index(x)) for x in taken if x in given]

    def adapted(*arguments: Any) -> Any:
        return hook(**{x: arguments[place] for x, place in places})

    adapted.__name__ = name  # errors tell it
    return adapted


def joined(one: Hooks, other: Hooks) -> Hooks:
    """Both: those of ``one`` first."""
    return Hooks(*(getattr(one, name) + getattr(other, name) for name in Hooks.__struct_fields__))


def begun(hook: Hook, arguments: tuple[Any, ...]) -> Generator[Any, Any, Any] | None:
    """A wrapper at its beginning; None if it has nothing to do.

    Raises:
        PluginError: it is no generator.
    """
    made = hook(*arguments)
    if made is not None and not isinstance(made, Generator):
        close = getattr(made, "close", None)
        if callable(close):
            close()
        name = getattr(hook, "__name__", type(hook).__name__)
        raise PluginError(f"The hook {name!r} is no generator: write `result = yield …` in it, and return the result.")
    return made
