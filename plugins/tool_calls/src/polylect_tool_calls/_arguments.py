"""From the fields of one call to a :class:`polylect.Call`: arguments decoded, limits kept, faults explained."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from polylect import Arguments, Call, Diagnostic, Policies, TextLect, Toolbox
from polylect.plugin import (
    DECODER,
    Mender,
    Reason,
    decode,
    is_mended,
    malformed,
    nesting_beyond,
    resolve_name,
    unknown_tool,
)

TEXT_KEY = "__arg1"
"""The one argument of a tool that takes a text, as LangChain's agents have always named it."""
GRAMMAR = "tool_calls.lark"
HINT = "Call a tool with its name and a JSON object of arguments, or answer in plain text."
REPAIR_HINT = "To repair such arguments, install json-repair (pip install 'polylect-tool-calls[repair]')."
LONGEST_NAME = 256
"""Characters of a name for which the nearest tool is looked up: no API allows more than 128."""
_CUT_ERROR = "Your message was cut off in the middle of a call, so the call did not run. Send it again, shorter."
_KINDS = {list: "a list", bool: "true or false", int: "a number", float: "a number", str: "a text"}
_UNFINISHED = re.compile(
    r'(?:[-+.eE0-9]*+|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|\\?u[0-9a-fA-F]{0,4}|"[^"\\]*+(?:\\.[^"\\]*+)*+\\?)\s*\Z',
    re.S,
).match
"""The rest of a JSON text, from the place of its fault on, that may be nothing but the beginning of something."""


class Rules:
    """How calls are read: the tools that were offered, the policies, and the grammar of arguments."""

    __slots__ = ("mender", "policies", "tools")

    def __init__(self, tools: Toolbox | None, policies: Policies) -> None:
        self.tools, self.policies = tools, policies
        self.mender = Mender()

    def name(self, raw: str, start: int, end: int, diagnostics: list[Diagnostic]) -> str:
        """The tool that a model's spelling of a name means."""
        name = raw.strip()
        tools = self.tools
        if tools is not None and name not in tools:
            name = resolve_name(name, tools, tolerant=False)
            if name not in tools and self.policies.unknown_tool == "nearest" and len(name) <= LONGEST_NAME:
                import difflib

                name = next(iter(difflib.get_close_matches(name, list(tools), n=1, cutoff=0.6)), name)
        if name != raw:
            note = f"The tool name {raw[:80]!r} was read as {name[:80]!r}."
            diagnostics.append(Diagnostic("tool_name", note, start, end))
        return name

    def call(
        self,
        name: str,
        raw: str,
        identifier: str | None,
        start: int,
        end: int,
        diagnostics: list[Diagnostic],
        *,
        custom: bool = False,
        last: bool = False,
        length: bool = False,
        beyond: bool = False,
    ) -> Call:
        """The finished call, with whatever is wrong with it as its status, its error and a diagnostic.

        Args:
            name: the tool, resolved.
            raw: the arguments as they came.
            identifier: the provider's id.
            start: where the call begins in the reading text.
            end: where it ends.
            diagnostics: where to report what is wrong.
            custom: the input is text, not JSON.
            last: nothing came after it, so it may have been cut.
            length: the server said that the model was cut.
            beyond: the reply has had as many calls as the policy allows.
        """
        if beyond:
            error: str | None = f"Your turn had more than {self.policies.max_calls} calls. Send fewer at a time."
            return Call(name, None, raw, identifier, start, end, "invalid", error)
        hints: list[str] = []
        arguments, status, error = self._arguments(name, raw, custom, last, length, hints, diagnostics)
        if status == "truncated":
            diagnostics.append(Diagnostic("truncated", "The message ends in the middle of a call.", start, end))
            return Call(name, None, raw, identifier, start, end, "truncated", _CUT_ERROR)
        if error is None:
            error = self._fault(name)
            if error is not None:
                status = "invalid"
        if status == "repaired":
            diagnostics.append(Diagnostic("repaired", f"The arguments of {name[:80]!r} were repaired.", start, end))
        elif error is not None:
            fault = self._kind_of_fault(name, raw, arguments)
            diagnostics.append(Diagnostic(fault, " ".join([error, *hints]), start, end))
        return Call(name, arguments, raw, identifier, start, end, status, error)

    def _kind_of_fault(self, name: str, raw: str, arguments: Any) -> Reason:
        policies = self.policies
        if len(raw) > policies.max_call_size or nesting_beyond(raw, policies.max_nesting):
            return "limit"
        if arguments is None:
            return "malformed_arguments" if decode(raw)[1] else "invalid_arguments"
        return "unknown_tool" if name else "missing_name"

    def _fault(self, name: str) -> str | None:
        if not name:
            return f"The call names no tool. {HINT}"
        if self.tools is not None and name not in self.tools and self.policies.unknown_tool == "reject":
            return unknown_tool(name, self.tools)
        return None

    def _arguments(
        self,
        name: str,
        raw: str,
        custom: bool,
        last: bool,
        length: bool,
        hints: list[str],
        diagnostics: list[Diagnostic],
    ) -> Arguments:
        policies = self.policies
        if len(raw) > policies.max_call_size:
            return None, "invalid", f"The arguments of {name!r} are longer than {policies.max_call_size} characters."
        if custom:
            return (raw, "truncated", None) if last and length else (raw, "complete", None)
        if not raw or raw.isspace():
            return ({}, "truncated", None) if last and length else ({}, "complete", None)
        if nesting_beyond(raw, policies.max_nesting):
            if last and ends_inside(raw, length):
                return None, "truncated", None
            return None, "invalid", f"The arguments of {name!r} are nested too deeply. Send a flatter object."
        value, problem = decode(raw)
        if problem is None:
            return self._value(name, value)
        if last and ends_inside(raw, length):
            return None, "truncated", None
        if policies.malformed == "repair" and not ends_inside(raw, True):  # what is cut is never made whole
            mended = self._mended(raw, hints, diagnostics)
            if mended is not None:
                return unwrapped(mended), "repaired", None
        return None, "invalid", malformed(name, problem)

    def _mended(self, raw: str, hints: list[str], diagnostics: list[Diagnostic]) -> dict[str, Any] | None:
        """The object that ``json-repair`` makes of malformed arguments, or None."""
        loads = _repairer()
        if loads is None:
            hints.append(REPAIR_HINT)
            return None
        value = self.mender.mend(raw, loads, self.policies.max_nesting, diagnostics)
        return value if type(value) is dict and is_mended(value, raw) else None

    def _value(self, name: str, value: Any) -> Arguments:
        if type(value) is dict:
            return unwrapped(value), "complete", None
        if value is None:
            return {}, "complete", None
        if type(value) is str and not nesting_beyond(value, self.policies.max_nesting):
            inner = decode(value)[0]
            if type(inner) is dict:
                return unwrapped(inner), "repaired", None
        kind = _KINDS.get(type(value), type(value).__name__)
        error = f"The arguments of {name!r} must be a JSON object, not {kind}. Send the call again with an object."
        return None, "invalid", error


def unwrapped(arguments: dict[str, Any]) -> dict[str, Any] | str:
    """The text of ``{"__arg1": text}``; every other object as it is, ``__arg1`` beside other keys included."""
    if len(arguments) == 1:
        text = arguments.get(TEXT_KEY)
        if type(text) is str:
            return text
    return arguments


class _ArgumentsText(TextLect):
    """The arguments of one call as a tongue of their own, for the engine to follow."""

    name = "tool_call_arguments"
    grammar_file = GRAMMAR


@cache
def arguments_text() -> TextLect:
    """The tongue of arguments; its grammar is compiled when the first arguments arrive that are not JSON."""
    return _ArgumentsText()


def ends_inside(raw: str, length: bool) -> bool:
    """Whether arguments that are not JSON are the beginning of a JSON value, and not malformed.

    The grammar says whether their strings and brackets are still open at the end. Then they were cut if the server
    says so, or if there is no fault before the end.
    """
    if arguments_text().parse(raw).complete:
        return False
    if length:
        return True
    try:
        DECODER.raw_decode(raw.lstrip(" \t\r\n"))
    except RecursionError:
        return True
    except ValueError as error:
        place = getattr(error, "pos", None)
        return place is not None and _UNFINISHED(raw.lstrip(" \t\r\n"), place) is not None
    return False


@cache
def _repairer() -> Any:
    try:
        import json_repair
    except ImportError:
        return None
    return json_repair.loads
