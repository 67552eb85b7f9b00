"""Calls whose arguments are a notation that says the types of its values itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from polylect import AgentStep, Call, LectError, Policies, Tool, Toolbox
from polylect.plugin import MISSING, Member, fitted, kind_of, kinds, member, takes_only_text

from .._gemma import read_value, write_key, write_value
from .._literals import read_literal
from .._native import NativeLect

_WORD = re.compile(r"[^\W\d]\w*").fullmatch
_NUMBER = re.compile(r"[+-]?[0-9][0-9_.]*(?:[eE][+-]?[0-9]+)?").fullmatch
STRING = "string"
"""The kind of a member that the notation says to be a text."""


class Notation(NativeLect):
    """A tongue whose values are typed by how they are written.

    The tool's schema has a word all the same: a text is taken for the value that it spells where the schema allows no
    texts, and a number for its text where the schema allows nothing else (``02134``). Values that can't be read make
    the call invalid.
    """

    typed_members = strict_calls = True

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether a text may stay one: the schema does not rule it out."""
        if kind != STRING:
            return False
        if policies.types == "as_written" or tool is None:
            return True
        allowed = kinds(member(tool.parameters, key, tool.parameters), tool.parameters)
        return not allowed or STRING in allowed

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """The value as it is written; MISSING where it can't be read."""
        root: Mapping[str, Any] = {} if tool is None else tool.parameters
        schema = None if tool is None else member(root, key, root)
        if kind != STRING:
            if policies.types == "coerce" and _NUMBER(text) and schema is not None and takes_only_text(schema, root):
                return text, None
            value = self.value(text, policies.max_nesting)
            if not isinstance(value, str) or not self.bare_texts:
                return value, None
            text = value
        return self.fitting(key, text, schema, root, policies)

    bare_texts: ClassVar[bool] = False
    """Whether :meth:`value` gives texts for what is written without quotes, which the schema may know better."""

    def fitting(self, key: str, text: str, schema: Any, root: Mapping[str, Any], policies: Policies) -> Member:
        """A text as the schema knows it."""
        allowed = kinds(schema, root)
        if not allowed or STRING in allowed or policies.types != "coerce":
            return text, None
        value = fitted(text, schema, root)
        if value is MISSING:
            value = read_literal(text, policies.max_nesting, wide=True)
            value = value if value is not MISSING and kind_of(value) in allowed else MISSING
        if value is not MISSING:
            return value, None
        return text, f"The argument {key!r:.80} is no {' or '.join(sorted(allowed))}; it was left a text."

    def value(self, text: str, nesting: int) -> Any:
        """A value as it is written; MISSING where it can't be read."""
        raise NotImplementedError

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The call, by :meth:`write_arguments`."""
        if not isinstance(call.arguments, dict):
            raise LectError(f"{self.name} can't express the call of {call.name!r}: its arguments are no object.")
        return self.write_arguments(call.name, call.arguments, None if tools is None else tools.get(call.name))

    def write_arguments(self, name: str, arguments: dict[str, Any], tool: Tool | None) -> str:
        """A call of the tool ``name``."""
        raise NotImplementedError


class PythonCalls(Notation):
    """A tongue whose calls are Python's, with keywords.

    Keys that are no words of Python stand in a dict behind two stars.
    """

    def value(self, text: str, nesting: int) -> Any:
        """A literal of Python."""
        return read_literal(text, nesting, wide=True)

    def write_arguments(self, name: str, arguments: dict[str, Any], tool: Tool | None) -> str:
        """``name(key=value, …)``."""
        written = []
        rest = dict(arguments)
        for key, value in arguments.items():
            if not isinstance(key, str) or not _WORD(key):
                written.append(f"**{rest!r}")
                break
            written.append(f"{key}={value!r}")
            del rest[key]
        return f"{name}({', '.join(written)})"


class TokenObjects(Notation):
    """A tongue whose calls are objects with bare keys, and with strings between tokens.

    Attributes:
        around: what is written before and behind each call.
        quote: the token.
        response: what is written before a result, with the place of the tool's name.
    """

    bare_texts = True
    around: ClassVar[tuple[str, str]]
    quote: ClassVar[str]
    response: ClassVar[str]

    def value(self, text: str, nesting: int) -> Any:
        """A value in Gemma's notation, or a literal of Python where the model wrote one in brackets."""
        value = read_value(text, self.quote, nesting)
        return read_literal(text, nesting) if value is MISSING else value

    def write_arguments(self, name: str, arguments: dict[str, Any], tool: Tool | None) -> str:
        """``call:name{key:value,…}``."""
        written = [f"{write_key(key, self.quote)}:{write_value(value, self.quote)}" for key, value in arguments.items()]
        return f"{self.around[0]}call:{name}{{{','.join(written)}}}{self.around[1]}"

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The result of a tool names it."""
        name = step.action.tool
        if re.fullmatch(r"[^{}\n]{1,128}", name) is None:
            raise LectError(
                f"{self.name} can't write a result of the tool {name!r:.80}: of such a name none can be read."
            )
        return self.response.format(self.escape(name))
