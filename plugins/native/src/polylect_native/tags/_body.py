"""Calls whose arguments are raw text in tags, typed by the tool's schema."""

from __future__ import annotations

from typing import Any

from polylect import Call, LectError, Toolbox
from polylect.plugin import MISSING, dumps, kind_of, kinds

from .._literals import read_literal
from .._native import NativeLect


class Tags(NativeLect):
    """A tongue whose calls have a tag for each argument, which holds its text as it is.

    Texts are written verbatim, other values as compact JSON. Values that are no JSON of their type, but Python's
    spelling of one, are read as that.

    Attributes:
        call_tags: what is written before a call's name, behind it, and at the call's end.
        member_tags: what is written before a member's key, between key and value, and behind the value.
        opener, closer, joint, before: see :class:`NativeLect`.
    """

    typed_members = True
    call_tags: tuple[str, str, str]
    member_tags: tuple[str, str, str]

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The call's tags, with one element for each argument."""
        if not isinstance(call.arguments, dict):
            raise LectError(f"{self.name} can't express the call of {call.name!r}: its arguments are no object.")
        before, between, behind = self.member_tags
        written = [f"{before}{key}{between}{self.write_value(value)}{behind}" for key, value in call.arguments.items()]
        return f"{self.call_tags[0]}{call.name}{self.call_tags[1]}{''.join(written)}{self.call_tags[2]}"

    def write_value(self, value: Any) -> str:
        """An argument: a text as it is, anything else as JSON."""
        return value if isinstance(value, str) else dumps(value)

    def mended(self, text: str, schema: Any, root: Any) -> Any:
        """A value in Python's spelling, if it is of a type that the schema allows."""
        value = read_literal(text.strip())
        return value if value is not MISSING and kind_of(value) in kinds(schema, root) else MISSING
