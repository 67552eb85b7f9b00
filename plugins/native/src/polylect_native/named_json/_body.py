"""Calls with the name outside, and the arguments as JSON."""

from __future__ import annotations

import re
from functools import cached_property
from typing import ClassVar

from polylect import AgentStep, Call, LectError, Toolbox
from polylect.plugin import dumps

from .._native import NativeLect


class NamedJson(NativeLect):
    """A tongue whose calls are a name and a JSON object, between markers.

    Attributes:
        head: what is written before the name.
        sep: what is written between the name and the arguments.
        tail: what is written behind the arguments.
        marks: markers with variable parts, as a pattern for what comes behind their first character; ``escape`` makes
            them harmless, beside ``special``.
        first: the character that they all begin with.
    """

    head: ClassVar[str] = ""
    sep: ClassVar[str] = ""
    tail: ClassVar[str] = ""
    marks: ClassVar[str] = ""
    first: ClassVar[str] = "<"

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The name and the object between their markers."""
        return f"{self.head}{call.name}{self.sep}{self.json(call)}{self.tail}"

    def json(self, call: Call) -> str:
        """The arguments as JSON; a stop string inside of a text is spelt otherwise, or the server stops there."""
        text = dumps(call.arguments)
        for stop in self.stops:
            if stop in text:
                text = text.replace(stop, f"\\u{ord(stop[0]):04x}{stop[1:]}")
        return text

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """Where a marker would stand; see :attr:`marks`."""
        known = super()._marks
        if not self.marks:
            return known
        return re.compile(rf"{re.escape(self.first)}\\*(?={self.marks})|{known.pattern}")


PLAIN_NAME = re.compile(r"[^<>|\[\]\s]{1,128}\Z")


def header_name(lect: NamedJson, step: AgentStep) -> str:
    """The name of a step's tool, for the header of its result.

    Raises:
        LectError: the name can't stand there.
    """
    if PLAIN_NAME.match(step.action.tool) is None:
        raise LectError(f"{lect.name} can't name the tool {step.action.tool!r:.80} in a result.")
    return step.action.tool


__all__ = ["NamedJson", "header_name"]
