"""What has been read of a message: its texts in the order of their arrival, and the message to send back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from polylect import Policies
from polylect._reading import decode, nesting_beyond
from polylect._values import Part, Role

from ._shapes import REASONING_KEYS, Fields, argument_text

if TYPE_CHECKING:
    from ._parser import OpenCall


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
        self._extra: Fields = {}
        self._parts: list[tuple[Role, OpenCall | None, list[int]]] = []

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
        return self._add("call", call, text)

    def _add(self, role: Role, call: OpenCall | None, text: str) -> int:
        self.text.append(text)
        start = self.at
        self.at = end = start + len(text)
        if self._parts:
            last = self._parts[-1]
            if last[0] == role and last[1] is call:
                last[2][1] = end
                return end
        self._parts.append((role, call, [start, end]))
        return end

    def keep(self, more: Fields) -> None:
        """Fields that only the provider understands: later texts and lists go on where earlier ones ended."""
        for key, value in more.items():
            plain = plain_json(value)
            before = self._extra.get(key)
            if isinstance(before, str) and isinstance(plain, str) or isinstance(before, list) and isinstance(plain, list):
                self._extra[key] = before + plain  # type: ignore[operator]
            elif plain is not None:
                self._extra[key] = plain

    def parts(self, dropped: set[OpenCall]) -> tuple[Part, ...]:
        """The pieces in order, save those of calls that were dropped."""
        return tuple((role, start, end) for role, call, (start, end) in self._parts if call not in dropped)

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
        return {**message, **self._extra} if self._extra else message


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
    if text is None or nesting_beyond(text, Policies.max_nesting):
        return None
    found = decode(text)[0]
    return found[0] if isinstance(found, list) and found else None
