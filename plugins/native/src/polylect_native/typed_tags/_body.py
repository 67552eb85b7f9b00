"""Calls whose arguments stand between markers one by one, each with its key, and with its type where the tongue has it."""

from __future__ import annotations

from typing import Any, ClassVar

from polylect import Call, LectError, Toolbox
from polylect.plugin import dumps

from .._native import NativeLect


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
