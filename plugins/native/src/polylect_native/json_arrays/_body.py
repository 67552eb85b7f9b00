"""Calls that are the entries of one JSON array, with the name and the arguments under keys."""

from __future__ import annotations

from typing import Any, ClassVar

from polylect import Call, Toolbox
from polylect.plugin import dumps

from .._native import NativeLect


class JsonArray(NativeLect):
    """A tongue whose calls are the entries of one JSON array.

    Attributes:
        keys: the keys of the name and of the arguments.
        id_key: the key of a call's id, where the tongue has ids.
        id_first: whether the id stands before the name.
    """

    opener = "["
    joint = ", "
    closer = "]"
    keys: ClassVar[tuple[str, str]] = ("name", "arguments")
    id_key: ClassVar[str] = ""
    id_first: ClassVar[bool] = False

    def entry(self, call: Call) -> dict[str, Any]:
        """A call as the object that stands in the array."""
        name, arguments = self.keys
        entry = {name: call.name, arguments: call.arguments}
        told = self.call_id(call) if self.id_key else None
        if told is None:
            return entry
        return {self.id_key: told, **entry} if self.id_first else {**entry, self.id_key: told}

    def call_id(self, call: Call) -> str | None:
        """The id of a call as the tongue writes it; None where it writes none."""
        return call.id

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The object of one call."""
        return dumps(self.entry(call))
