"""Calls that are the entries of one JSON array, with the name and the arguments under keys; results that are JSON."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from polylect import Call, LectError, Policies, Toolbox
from polylect.plugin import MISSING, decode, dumps

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
        return self.without_stops(dumps(self.entry(call)))

    def without_stops(self, text: str) -> str:
        """JSON with its stop strings spelt in another way, or the model's server would stop inside of a text."""
        for stop in self.stops:
            if stop in text:
                text = text.replace(stop, f"\\u{ord(stop[0]):04x}{stop[1:]}")
        return text

    def finished(self, log: str) -> str:
        """Without the stop string, which some servers leave in: what stands before a result begins with it."""
        kept = log.rstrip(" \n")
        return next((kept.removesuffix(stop).rstrip("\n") for stop in self.stops if kept.endswith(stop)), log)


_QUOTED = re.compile(r"\\*(?=\")").match


class JsonResults(JsonArray):
    """A tongue whose results are JSON in an object of its own: texts in quotes, with the escapes of JSON.

    Attributes:
        json_texts: whether a text that is JSON itself, and no JSON text, stands there as the value that it is.
    """

    json_texts: ClassVar[bool] = False

    def _guarded(self, text: str, policies: Policies) -> str:
        """A result as JSON; its markers are made harmless before it becomes a JSON text."""
        marked = text if policies.escape == "raw" else super().escape(text)
        if policies.escape == "error" and marked != text:
            raise LectError(f"This text holds markers of {self.name}: {text[:80]!r}.")
        if self.json_texts:
            value, _ = decode(text)
            if value is not MISSING and not isinstance(value, str):
                return marked
        return dumps(marked)

    def escape(self, text: str) -> str:
        """A backslash behind the first character of each marker, and one before a quote that the text begins with."""
        text = super().escape(text)
        return f"\\{text}" if _QUOTED(text) else text

    def unescape(self, text: str) -> str:
        """What :meth:`escape` was given; of a result that is a JSON text, what it says."""
        if text[:1] == '"':
            value, _ = decode(text)
            return super().unescape(value if isinstance(value, str) else text)
        return super().unescape(text[1:] if text[:1] == "\\" and _QUOTED(text) else text)
