"""Calls of a tool that takes code, which some tongues carry as it is."""

from __future__ import annotations

from typing import Any

from polylect import Policies, Tool

from ._body import NamedJson


class WithCode(NamedJson):
    """A tongue in which the arguments of some calls are the code itself.

    It is read as the argument ``code``, or as the only one that the tool has. Such calls are written as others are.
    """

    converts = True
    features = frozenset({"content", "calls", "several_calls", "object_input", "content_with_calls"})
    think = None

    def read_text(
        self, name: str, raw: str, tool: Tool | None, policies: Policies, open_end: bool
    ) -> tuple[Any, Any, str | None]:
        """The code under the name of its argument."""
        names = [] if tool is None else list(tool.properties)
        return {names[0] if len(names) == 1 else "code": raw}, "complete", None


__all__ = ["WithCode"]
