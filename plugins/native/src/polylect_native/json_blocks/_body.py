"""Calls that are one JSON object each, with the name and the arguments under keys."""

from __future__ import annotations

from typing import ClassVar

from polylect import Call, Toolbox
from polylect.plugin import dumps

from .._native import NativeLect


class JsonBlock(NativeLect):
    """A tongue whose calls are JSON objects between markers.

    Attributes:
        around: what is written before and behind each object.
        keys: the keys of the name and of the arguments.
    """

    around: ClassVar[tuple[str, str]] = ("", "")
    keys: ClassVar[tuple[str, str]] = ("name", "arguments")

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The object between its markers."""
        name, arguments = self.keys
        return f"{self.around[0]}{dumps({name: call.name, arguments: call.arguments})}{self.around[1]}"

    def finished(self, log: str) -> str:
        """Without the stop token, which some servers leave in: what stands before a result begins with it."""
        kept = log.rstrip(" \n")
        return next((kept.removesuffix(stop) for stop in self.stops if kept.endswith(stop)), log)
