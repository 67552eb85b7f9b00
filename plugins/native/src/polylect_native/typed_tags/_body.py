"""Calls whose arguments stand between markers one by one, with their types where the tongue has a place for them."""

from __future__ import annotations

from typing import Any

from polylect import Call, LectError, Policies, Tool, Toolbox
from polylect.plugin import MISSING, Member, decode, fitted

from ..tags._body import Tags

TYPES = ("null", "boolean", "integer", "number", "array", "object")
"""What an argument may say of its type, texts apart."""


class Pairs(Tags):
    """A tongue of keys and values between markers, typed by the tool's schema."""

    strict_calls = True


class Elements(Tags):
    """A tongue whose arguments are elements that are not written alike."""

    strict_calls = True

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The name and the arguments between their markers."""
        if not isinstance(call.arguments, dict):
            raise LectError(f"{self.name} can't express the call of {call.name!r}: its arguments are no object.")
        return self.write_element(call.name, [self.write_member(*member) for member in call.arguments.items()])

    def write_element(self, name: str, members: list[str]) -> str:
        """A call with its arguments as :meth:`write_member` wrote them."""
        raise NotImplementedError

    def write_member(self, key: str, value: Any) -> str:
        """One argument."""
        raise NotImplementedError


class Typed(Tags):
    """A tongue whose arguments may say of what type they are, by the words of JSON Schema."""

    def is_text(self, key: str, kind: str | None, tool: Tool | None, policies: Policies) -> bool:
        """Whether the argument says that it is a string; one that says nothing is typed by the schema."""
        said = None if kind is None else kind.strip().lower()
        return said == "string" or (said not in TYPES and super().is_text(key, kind, tool, policies))

    def read_member(self, key: str, kind: str | None, text: str, tool: Tool | None, policies: Policies) -> Member:
        """A value of the type that the argument says; what is none is JSON, or else typed by the schema."""
        said = None if kind is None else kind.strip().lower()
        if said not in TYPES:
            return super().read_member(key, kind, text, tool, policies)
        value = fitted(text, {"type": said}, {})
        if value is not MISSING:
            return value, None
        return unlike(super().read_member(key, kind, text, tool, policies), key, f"no {said}", text)


def unlike(typed: Member, key: str, what: str, text: str) -> Member:
    """The value of an argument that is not what the tongue says, from what its schema made of it."""
    value, problem = decode(text)
    if problem is None:
        return value, None
    value, fault = typed
    if isinstance(value, str):
        fault = f"The argument {key!r:.80} is {what}: {problem}; it was left a text."
    return value, fault
