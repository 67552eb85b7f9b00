"""Calls whose arguments stand between markers one by one, each with its key, and with its type where the tongue has it."""

from __future__ import annotations

from typing import Any, ClassVar

from polylect import Call, LectError, Policies, Tool, Toolbox
from polylect.plugin import MISSING, Member, decode, dumps, fitted

from .._native import NativeLect

TYPES = ("null", "boolean", "integer", "number", "array", "object")
"""What an argument may say of its type, texts apart."""


class Members(NativeLect):
    """A tongue whose arguments stand between markers one by one."""

    typed_members = True

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The name and the arguments between their markers."""
        if not isinstance(call.arguments, dict):
            raise LectError(f"{self.name} needs the arguments of {call.name!r} as an object.")
        members = [self.write_member(key, value) for key, value in call.arguments.items()]
        return self.around_members(call.name, "".join(members))

    def around_members(self, name: str, members: str) -> str:
        """A call with its arguments as :meth:`write_member` wrote them."""
        raise NotImplementedError

    def write_member(self, key: str, value: Any) -> str:
        """One argument."""
        raise NotImplementedError

    def wire(self, value: Any) -> str:
        """A value as it stands between the markers: texts as they are, others as JSON."""
        return value if isinstance(value, str) else dumps(value)


class Typed(Members):
    """A tongue whose arguments may say of what type they are, by the words of JSON Schema."""

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether the argument says that it is a string; one that says nothing is typed by the schema."""
        said = None if kind is None else kind.strip().lower()
        return said == "string" or (said not in TYPES and super().is_text(key, kind, tool, policies))

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """A value of the type that the argument says; what is none is typed by the schema."""
        said = None if kind is None else kind.strip().lower()
        if said not in TYPES:
            return super().read_member(key, kind, text, tool, policies)
        value = fitted(text, {"type": said}, {})
        if value is MISSING:
            value, problem = decode(text)
            if problem is not None:
                value, fault = super().read_member(key, kind, text, tool, policies)
                if isinstance(value, str):
                    fault = f"The argument {key!r:.80} is no {said}: {problem}; it was left a text."
                return value, fault
        return value, None


class Pairs(Members):
    """A tongue of keys and values between markers, typed by the tool's schema.

    Attributes:
        call: what stands before the name, behind it, and behind the arguments.
        key: what is written before and behind a key.
        value: what is written before and behind a value.
    """

    call: ClassVar[tuple[str, str, str]] = ("<tool_call>", "", "</tool_call>")
    key: ClassVar[tuple[str, str]] = ("<arg_key>", "</arg_key>")
    value: ClassVar[tuple[str, str]] = ("<arg_value>", "</arg_value>")

    def around_members(self, name: str, members: str) -> str:
        """The pairs between the markers of the call."""
        before, behind, close = self.call
        return f"{before}{name}{behind}{members}{close}"

    def write_member(self, key: str, value: Any) -> str:
        """A key and a value, each between its markers."""
        return f"{self.key[0]}{key}{self.key[1]}{self.value[0]}{self.wire(value)}{self.value[1]}"
