"""From what a model gave for a tool to what the tool's function is called with."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeAlias

from .._errors import CLOSE, ToolError
from .._functions import STARRED, Parameter, Signature, is_coroutine, plain, pydantic_for, signature_of
from .._inputs import takes_keys
from .._json import NUMBER_FAULTS
from .._policies import MAX_NESTING
from .._reading import LONGEST_NAME, NOTHING, decode, malformed, nesting_beyond, too_deep
from .._schemas import Shape, allows_others
from .._tools import Tool
from ._checking import Checker, Unreadable
from ._flat import flat
from ._observations import copied
from ._settling import Settler

Bound: TypeAlias = tuple[tuple[Any, ...], dict[str, Any]]
SHOWN = 3
"""Faults named in one sentence: enough to act on, short enough to read."""
_PLAN = "_plan"


class ArgumentFault(Exception):
    """The arguments do not fit; ``sentence`` tells the model what to correct."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


def bind(tool: Tool, given: str | dict[str, Any]) -> Bound:
    """The positional and the keyword arguments to call a tool's function with.

    Args:
        tool: a tool, with or without a function; without one all arguments are keywords.
        given: the model's arguments by name; or a text, which is the JSON of such an object, or the tool's only
            argument.

    Raises:
        ArgumentFault: they do not fit; ``sentence`` is for the model.
        ToolError: the tool is broken: its schema and its function do not belong together, or a library is missing.
    """
    plan: _Plan = tool.__dict__.get(_PLAN) or _planned(tool)
    arguments: dict[str, Any] = given if given.__class__ is dict else plan.read(given)
    rules = plan.flat
    if rules is not None:
        for key, value in arguments.items():
            rule = rules.get(key)
            if rule is None or value.__class__ not in rule.classes:
                break
            if rule.checks and (passes := rule.checks.get(value.__class__)) is not None and not passes(value):
                break
        else:
            if plan.needed <= arguments.keys():
                return plan.placed(arguments)
    return plan.placed(plan.checked(arguments))


def check(tool: Tool) -> None:
    """Look whether a tool's schema and its function belong together, before anything runs.

    Raises:
        ToolError: they do not.
    """
    _planned(tool)


def is_async(tool: Tool) -> bool:
    """Whether a tool's function is a coroutine function: its own, a partial's, or a callable object's."""
    return tool.function is not None and is_coroutine(tool.function)


def _planned(tool: Tool) -> _Plan:
    plan = tool.__dict__[_PLAN] = _Plan(tool)
    return plan


class _Plan:
    """What is known about the calls of one tool before there is any."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.names = tool.properties
        self.flat = flat(tool.parameters)
        signature = _signature(tool)
        parameters = {} if signature is None else signature.parameters
        others = next((x for x in parameters.values() if x.kind is inspect.Parameter.VAR_KEYWORD), None)
        self.open = (others is not None or signature is None) and (tool.takes_others or allows_others(tool.parameters))
        self.reserved = frozenset(parameters) if signature is None else frozenset(parameters) | signature.fixed
        """Names that only a schema can give away: they are the function's own."""
        if signature is not None and tool.custom is None:
            self._belong(signature, others)
        self.missed = tuple(
            x.name
            for x in parameters.values()
            if x.default is _NONE and x.name in self.names and x.name not in tool.required and x.kind not in STARRED
        )
        """Arguments that the function needs, though the schema does not say so."""
        self.needed = frozenset(tool.required).union(self.missed)
        self.first = [x for x in parameters.values() if x.kind is inspect.Parameter.POSITIONAL_ONLY]
        if tool.custom is not None:  # its one argument has no name but ours
            self.first = [Parameter(next(iter(self.names)), inspect.Parameter.POSITIONAL_ONLY, _NONE, str)]
        self.typed = {x.name: x.hint for x in parameters.values() if x.name in self.names and plain(x.hint) is None}
        self.typed_others = None if others is None or plain(others.hint) is not None else others.hint
        self.direct = not (self.first or self.typed or self.typed_others)
        self.settler = Settler(tool.parameters)
        self.shape = Shape(self.names, tuple(self.needed))

    def _belong(self, signature: Signature, others: Parameter | None) -> None:
        name, known = self.tool.name, signature.parameters
        for parameter in known.values():
            if parameter.default is _NONE and parameter.kind not in STARRED and parameter.name not in self.names:
                raise ToolError(
                    f"The function of tool {name!r} needs {parameter.name!r}, which the tool's schema does not name. "
                    "polylect.tool(function) makes a schema that does."
                )
        for argument in self.names:
            found = known.get(argument)
            if (found is None or found.kind in STARRED) and others is None:
                raise ToolError(
                    f"The schema of tool {name!r} names {argument!r}, which the tool's function does not take."
                )

    # --- texts --------------------------------------------------------------------------------------------------------

    def read(self, given: Any) -> dict[str, Any]:
        """The arguments that a text means."""
        if isinstance(given, Mapping):
            return dict(given)
        name = self.tool.name
        if not isinstance(given, str):
            raise ArgumentFault(f"The arguments of {name!r} must be a JSON object. Send the call again with one.")
        body = given.strip()
        if body[:1] == "{" and body[-1:] == "}":
            if nesting_beyond(body, MAX_NESTING):
                raise ArgumentFault(too_deep(name))
            value, problem = decode(body)
            if isinstance(value, dict) and self._are_arguments(value):
                return value
            if problem is not None and len(self.names) > 1:
                raise ArgumentFault(malformed(name, problem))
        nothing = body.casefold() in NOTHING
        if len(self.names) == 1:
            key = next(iter(self.names))
            return {} if not body and key not in self.needed else {key: self._typed(key, given)}
        if nothing and not self.needed:
            return {}
        self._no_text()

    def _are_arguments(self, value: dict[str, Any]) -> bool:
        """Whether an object is the arguments, and not the value of the tool's only one."""
        if len(self.names) != 1 or self.names.keys() >= value.keys():
            return True
        (schema,) = self.names.values()
        may_be_it = "object" in self.settler.types.of(schema)
        return takes_keys(self.tool, value) and (not may_be_it or self.open)

    def _typed(self, key: str, text: str) -> Any:
        """A text as the value of one argument: as it is, or the JSON that it reads as."""
        if "string" in self.settler.types.of(self.names[key]):
            return text
        if nesting_beyond(text, MAX_NESTING):
            raise ArgumentFault(too_deep(self.tool.name))
        value, problem = decode(text)
        if problem in NUMBER_FAULTS:
            raise ArgumentFault(malformed(self.tool.name, problem))
        return text if problem is not None else value

    def _no_text(self) -> NoReturn:
        name, known = self.tool.name, ", ".join(self.names)
        if known:
            raise ArgumentFault(
                f"The tool {name!r} takes several arguments ({known}). Send its input as one JSON object with these "
                "keys."
            )
        takes = "a JSON object, not a text" if self.open else "no arguments"
        raise ArgumentFault(f"The tool {name!r} takes {takes}. Send the call again.")

    # --- checks -------------------------------------------------------------------------------------------------------

    def checked(self, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments, if they fit: nulls for arguments that may be left out are left out."""
        size = _measured(given)
        if size is None:
            raise ArgumentFault(too_deep(self.tool.name))
        given = self.settler.members(given, self.shape)
        known = {key: value for key, value in given.items() if key in self.names or self._may_have(key)}
        unknown = [key for key in given if key not in known]
        faults = [self._unknown(key) for key in unknown[:SHOWN]]
        faults += [f"$: {name!r} is a required property" for name in self.missed if name not in known]
        count = len(faults) + len(unknown[SHOWN:])
        if not self._fits(known):
            try:
                found = self.checker.faults(known, size)
            except Unreadable as error:
                raise ArgumentFault(malformed(self.tool.name, str(error))) from None
            faults += found.told
            count += found.total
        if faults:
            self._refuse(faults, count)
        return given

    @functools.cached_property
    def checker(self) -> Checker:
        """What holds arguments against the schema."""
        return Checker(self.tool.name, self.tool.parameters)

    def _fits(self, given: dict[str, Any]) -> bool:
        """Whether they fit by hand; False when that is not known."""
        rules = self.flat
        return (
            rules is not None
            and self.needed <= given.keys() <= rules.keys()
            and all(rules[key].fits(value) for key, value in given.items())
        )

    def _may_have(self, key: Any) -> bool:
        return self.open and isinstance(key, str) and key not in self.reserved

    def _unknown(self, key: Any) -> str:
        shown = repr(key)[:LONGEST_NAME]
        if not self.names:
            return f"$: it takes no arguments, and there is {shown}"
        close: list[str] = []
        if isinstance(key, str) and len(key) <= LONGEST_NAME:
            close = difflib.get_close_matches(key, list(self.names), n=1, cutoff=CLOSE)
        told = f"did you mean {close[0]!r}" if close else f"there are: {', '.join(self.names)}"
        return f"$: there is no argument {shown} ({told[:200]})"

    def _refuse(self, faults: list[str], count: int) -> NoReturn:
        told = "; ".join(faults[:SHOWN])
        more = f"; and {count - SHOWN} more" if count > SHOWN else ""
        raise ArgumentFault(f"The arguments of {self.tool.name!r} do not fit: {told}{more}. Send the call again.")

    # --- values -------------------------------------------------------------------------------------------------------

    def placed(self, given: dict[str, Any]) -> Bound:
        """Checked arguments as the function takes them: its own, which it may change."""
        given = {key: copied(value) for key, value in given.items()}
        if self.direct:
            return (), given
        given = self._converted(given)
        args: list[Any] = []
        for at, parameter in enumerate(self.first):
            if parameter.name in given and parameter.name in self.names:
                args.append(given.pop(parameter.name))
            elif any(x.name in given for x in self.first[at + 1 :]):
                args.append(parameter.default)
            else:
                break
        return tuple(args), given

    def _converted(self, given: dict[str, Any]) -> dict[str, Any]:
        """Arguments as values of Python's, where the function has hints for such."""
        found, faults = dict(given), list[str]()
        for key, value in given.items():
            convert = self._converter(key)
            if convert is not None:
                try:
                    found[key] = convert(value)
                except ArgumentFault as fault:
                    faults.append(fault.sentence)
        if faults:
            faults = "\n".join(faults).split("\n")
            self._refuse(faults, len(faults))
        return found

    def _converter(self, key: str) -> Callable[[Any], Any] | None:
        if key in self.typed:
            found: Callable[[Any], Any] | None = self.converters[key]
            return found
        if self.typed_others is not None and key not in self.names:
            return functools.partial(_validated, self.converters[None], f"$.{key}")
        return None

    @functools.cached_property
    def converters(self) -> dict[str | None, Any]:
        """What makes values of Python's from JSON, by argument; under None for those without a name."""
        pydantic = pydantic_for(f"The function of tool {self.tool.name!r}")
        found: dict[str | None, Any] = {}
        for key, hint in self.typed.items():
            adapter = _adapter(pydantic, hint)
            found[key] = None if adapter is None else functools.partial(_validated, adapter, f"$.{key}")
        found[None] = _adapter(pydantic, self.typed_others)
        return found


_NONE = inspect.Parameter.empty


def _signature(tool: Tool) -> Signature | None:
    """The function's signature; of one that does not tell its hints, the names; None when it tells nothing."""
    if tool.function is None:
        return None
    try:
        return signature_of(tool.function)
    except ToolError:
        pass
    try:
        found = inspect.signature(tool.function).parameters.values()
    except (TypeError, ValueError):
        return None
    return Signature(tool.name, {x.name: Parameter(x.name, x.kind, x.default, Any) for x in found}, frozenset())


def _adapter(pydantic: Any, hint: Any) -> Any:
    try:
        return pydantic.TypeAdapter(hint)
    except Exception:  # a hint that nobody but the function understands
        return None


def _validated(adapter: Any, place: str, value: Any) -> Any:
    """A value as Python has it.

    Raises:
        ArgumentFault: the hint refuses it: one line for each fault.
    """
    if adapter is None:
        return value
    from pydantic import ValidationError

    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        lines = [f"{place}{_path(x['loc'])}: {_line(x['msg'])}" for x in error.errors(include_url=False)]
    except Exception as error:  # a validator of the tool's author
        lines = [f"{place}: {type(error).__name__}: {_line(str(error))}"]
    raise ArgumentFault("\n".join(lines))


def _path(place: tuple[int | str, ...]) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in place)[:200]


def _line(text: str) -> str:
    return " ".join(text.split()).rstrip(".")[:300]


def _measured(value: Any) -> int | None:
    """How many values there are inside of a value; None when they are nested too deeply."""
    found, level = 0, [value]
    for _ in range(MAX_NESTING + 1):
        inner: list[Any] = []
        for x in level:
            if isinstance(x, dict):
                inner += x.values()
            elif isinstance(x, list):
                inner += x
        if not inner:
            return found
        found += len(inner)
        level = inner
    return None
