"""What can be told about a callable before it is called: the keywords it takes, and a model bound to its tools."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ._errors import PromptError
from ._prompt import Message

if TYPE_CHECKING:
    from .constraint import Constraint

BESIDE_TOOLS = ("stop", "tool_choice", "timeout", "constraint")
KEYWORDS = (*BESIDE_TOOLS, "tools")
"""What a model may take beside the prompt."""
_NAMED = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def keywords(function: Callable[..., Any], names: Iterable[str]) -> frozenset[str]:
    """Which of ``names`` a callable takes as keywords, beside one positional argument; none if it does not tell."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # some functions written in C
        return frozenset()
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return frozenset(names)
    if parameters and parameters[0].kind is not inspect.Parameter.KEYWORD_ONLY:
        del parameters[0]
    return frozenset(names) & {parameter.name for parameter in parameters if parameter.kind in _NAMED}


def _required(function: Callable[..., Any]) -> frozenset[str]:
    """The parameters without a default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return frozenset()
    return frozenset(parameter.name for parameter in parameters if parameter.default is parameter.empty)


def check_call(function: Any, what: str, given: Iterable[str]) -> None:
    """Check that a callable can be called with one argument and these keywords.

    Raises:
        PromptError: it is no callable, or needs something else.
    """
    if not callable(function):
        raise PromptError(f"{what} must be callable, and {name_of(function)!r} is not.")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(None, **dict.fromkeys(given))
    except TypeError as error:
        told = ", ".join(("one argument", *(f"{name}=" for name in sorted(given))))
        raise PromptError(f"{what} is called with {told}, and {name_of(function)!r} can't be: {error}.") from None


def name_of(thing: Any) -> str:
    """What to call a callable: its ``name`` if it has one, its own name, or the name of its class."""
    if isinstance(thing, partial):
        return name_of(thing.func)
    name = getattr(thing, "name", None)
    if isinstance(name, str) and name:
        return name
    own = getattr(thing, "__qualname__", None)
    return own.rpartition("<locals>.")[2] if isinstance(own, str) else type(thing).__name__


class BoundModel:
    """A model with the keywords that it takes, as the third stage."""

    def __init__(self, given: Any, call: Callable[..., Any], taken: frozenset[str]) -> None:
        self.model, self.taken, self.name = given, taken, name_of(given)
        self._call, self._always = call, taken & _required(call)

    def given(
        self,
        stop: Sequence[str] = (),
        tools: list[Message] | None = None,
        tool_choice: str | None = None,
        timeout: float | None = None,
        constraint: Constraint | None = None,
    ) -> dict[str, Any]:
        """The keywords for one call: what there is to say, as far as the model takes it."""
        given: dict[str, Any] = {}
        if "stop" in (self.taken if stop else self._always):
            given["stop"] = list(stop)
        if "tools" in (self._always if tools is None else self.taken):
            given["tools"] = tools
        if "tool_choice" in (self._always if tool_choice is None else self.taken):
            given["tool_choice"] = tool_choice
        if "timeout" in (self._always if timeout is None else self.taken):
            given["timeout"] = timeout
        if "constraint" in (self._always if constraint is None else self.taken):
            given["constraint"] = constraint
        return given

    def __call__(self, prompt: Any, /, **keywords: Any) -> Any:
        """The model's reply: text, a message, or chunks. Keywords as for :meth:`given`."""
        return self._call(prompt, **self.given(**keywords))

    @property
    def is_async(self) -> bool:
        """Whether it can be called within an event loop: it has ``acall``, or is asynchronous itself."""
        if callable(getattr(self._call, "acall", None)):
            return True
        inner = self._call
        while isinstance(inner, partial):
            inner = inner.func
        return any(
            inspect.iscoroutinefunction(x) or inspect.isasyncgenfunction(x)
            for x in (inner, type(inner).__call__ if callable(inner) else None)
        )

    def acalled(self, prompt: Any, /, **keywords: Any) -> Any:
        """As a call, within an event loop: what comes back is to be awaited or iterated over."""
        call = getattr(self._call, "acall", None)
        return (call if callable(call) else self._call)(prompt, **self.given(**keywords))

    def __repr__(self) -> str:
        return self.name


def bind(model: Any, tools: list[Message] | None) -> BoundModel:
    """The model with its tools, which it takes by ``bind_tools`` (called here, once) or as ``tools=`` in each call.

    Raises:
        PromptError: it is not callable, or can't take the tools.
    """
    if isinstance(model, BoundModel):
        model = model.model
    name = name_of(model)
    if tools is not None and callable(getattr(model, "bind_tools", None)):
        try:
            bound = model.bind_tools(tools)
        except Exception as error:  # whatever a stranger's model raises: it can't take the tools
            raise PromptError(f"The model {name!r} can't bind tools: {type(error).__name__}: {error}") from error
        taken = keywords(bound, BESIDE_TOOLS) if callable(bound) else frozenset[str]()
        check_call(bound, "A model with its tools bound", taken)
        return BoundModel(model, bound, taken)
    taken = keywords(model, KEYWORDS) if callable(model) else frozenset[str]()
    check_call(model, "A model", taken)
    if tools is not None and "tools" not in taken:
        raise PromptError(
            f"The model {name!r} can't bind tools: it has no bind_tools() and takes no tools=. Give it one of them, or "
            "choose a lect of text, which tells the tools in the prompt."
        )
    return BoundModel(model, model, taken)
