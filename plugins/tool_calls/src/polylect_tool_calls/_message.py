"""What has been read of a message: its texts in the order of their arrival, and the message to send back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from polylect import Call
from polylect.plugin import MAX_NESTING, Part, Role, decode, nesting_beyond

from ._shapes import REASONING_KEYS, Entry, Fields, argument_text


class OpenCall:
    """A call that is being read."""

    __slots__ = (
        "broken", "crossed", "custom", "end", "extra", "finished", "id", "late", "legacy", "name", "name_length",
        "names", "number", "pieces", "start", "started",
    )  # fmt: skip

    def __init__(self, number: int, at: int, entry: Entry, legacy: bool) -> None:
        self.number, self.start, self.end = number, at, at
        self.id, self.custom, self.broken, self.extra = entry.id, entry.custom, entry.broken, entry.extra
        self.legacy = legacy
        self.names: list[str] = []
        self.name_length = 0
        self.pieces: list[str] = []
        self.name: str | None = None
        self.started = False
        self.finished: Call | None = None
        self.crossed = False
        """Whether a piece came after a later call had begun."""
        self.late: tuple[int, int] | None = None
        """From where to where pieces stand that came after the end."""

    def is_named(self, name: str) -> bool:
        """Whether this is the name so far."""
        return len(name) == self.name_length and name == "".join(self.names)


class _Run:
    """A stretch of the reading text that is of one role, and of one call."""

    __slots__ = ("call", "end", "role", "start")

    def __init__(self, role: Role, call: OpenCall | None, start: int) -> None:
        self.role, self.call, self.start, self.end = role, call, start, start


class MessageDraft:
    """The reading text of a message with its parts, and the fields of the message itself."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.at = 0
        self.reasoning: list[str] = []
        self.content: list[str] = []
        """With what was refused, as the reader sees it."""
        self.refusal: list[str] = []
        self.refused = (0, 0)
        self._said: list[str] = []
        self._reasoning_key = ""
        self._extra: dict[str, list[Any]] = {}
        self._runs: list[_Run] = []
        self._run = _Run("observation", None, 0)

    def say(self, key: str, text: str) -> int:
        """More reasoning, content or refusal; gives the position behind it."""
        start = self.at
        if key in REASONING_KEYS:
            self._reasoning_key = self._reasoning_key or key
            self.reasoning.append(text)
            return self._add("reasoning", None, text)
        self.content.append(text)
        end = self._add("content", None, text)
        if key == "refusal":
            self.refused = (self.refused[0] if self.refusal else start, end)
            self.refusal.append(text)
        else:
            self._said.append(text)
        return end

    def add(self, call: OpenCall, text: str) -> int:
        """More of a call: its name or its arguments; gives the position behind it."""
        if self._run.call is not call:
            return self._add("call", call, text)
        self.text.append(text)
        self.at = self._run.end = end = self.at + len(text)
        return end

    def _add(self, role: Role, call: OpenCall | None, text: str) -> int:
        self.text.append(text)
        start = self.at
        self.at = end = start + len(text)
        run = self._run
        if run.call is not call or run.role != role:
            self._run = run = _Run(role, call, start)
            self._runs.append(run)
        run.end = end
        return end

    def keep(self, more: Fields) -> None:
        """Fields that only the provider understands: later texts and lists go on where earlier ones ended."""
        for key, value in more.items():
            plain = plain_json(value)
            if plain is not None:
                self._extra.setdefault(key, []).append(plain)

    def parts(self, dropped: set[OpenCall]) -> tuple[Part, ...]:
        """The pieces in order, save those of calls that were dropped."""
        return tuple((run.role, run.start, run.end) for run in self._runs if run.call not in dropped)

    def message(self, calls: Iterable[OpenCall]) -> Fields:
        """The assistant message: what to put into the conversation before the results of its calls."""
        written = [_call_message(call) for call in calls if not call.legacy]
        legacy = [_function(call) for call in calls if call.legacy]
        content = "".join(self._said)
        message: Fields = {"role": "assistant", "content": content or (None if written or legacy else "")}
        if self.refusal:
            message["refusal"] = "".join(self.refusal)
        if self.reasoning:
            message[self._reasoning_key] = "".join(self.reasoning)
        if written:
            message["tool_calls"] = written
        if legacy:
            message["function_call"] = legacy[0]
        for key, pieces in self._extra.items():
            message[key] = _joined(pieces)
        return message


def _joined(pieces: list[Any]) -> Any:
    if all(isinstance(x, str) for x in pieces):
        return "".join(pieces)
    if all(isinstance(x, list) for x in pieces):
        return [item for x in pieces for item in x]
    return pieces[-1]


def _function(call: OpenCall) -> Fields:
    return {"name": "".join(call.names), "arguments": "".join(call.pieces) or "{}"}


def _call_message(call: OpenCall) -> Fields:
    if call.custom:
        body: Fields = {"name": "".join(call.names), "input": "".join(call.pieces)}
        found: Fields = {"id": call.id, "type": "custom", "custom": body}
    else:
        found = {"id": call.id, "type": "function", "function": _function(call)}
    for key, value in (call.extra or {}).items():
        plain = plain_json(value)
        if plain is not None:
            found[key] = plain
    return found


def plain_json(value: Any) -> Any:
    """A value as JSON would give it back, or None where JSON cannot hold it."""
    text = value if value is None else argument_text([value])
    if text is None or nesting_beyond(text, MAX_NESTING):
        return None
    found = decode(text)[0]
    return found[0] if isinstance(found, list) and found else None
