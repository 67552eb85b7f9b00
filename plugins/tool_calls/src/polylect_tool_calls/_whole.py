"""The usual whole messages, read without any machinery; everything else goes through the parser.

What is read here is what the parser would say, to the last character of ``to_json``: the tests hold the two equal.
"""

from __future__ import annotations

from typing import Any

from polylect import Call, Reply
from polylect.plugin import DECODER, MAX_CALL_SIZE, MAX_CALLS, MAX_NESTING, Part

from ._arguments import TEXT_KEY

_decode = DECODER.raw_decode


def quick(message: dict[str, Any]) -> Reply | None:
    """The reply that a message is which has text, or calls with whole arguments, and nothing unusual; else None."""
    size = len(message)
    content = message.get("content")
    if size == 2:
        if type(content) is not str or message.get("role") != "assistant":
            return None
        written = {"role": "assistant", "content": content}
        parts: tuple[Part, ...] = (("content", 0, len(content)),) if content else ()
        return Reply("", content, (), None, (), True, parts, content, written)
    entries = message.get("tool_calls")
    if size != 3 or type(entries) is not list or message.get("role") != "assistant" or "content" not in message:
        return None
    if content is None:
        content = ""
    elif type(content) is not str:
        return None
    return _with_calls(content, entries) if 0 < len(entries) <= MAX_CALLS else None


def _with_calls(content: str, entries: list[Any]) -> Reply | None:
    text, at = content, len(content)
    found: list[Part] = [("content", 0, at)] if content else []
    calls: list[Call] = []
    written: list[dict[str, Any]] = []
    ids: set[str] = set()
    try:
        for entry in entries:
            function, identifier = entry["function"], entry["id"]
            name, raw = function["name"], function["arguments"]
            if (
                type(raw) is not str
                or type(name) is not str
                or type(identifier) is not str
                or len(entry) != 3
                or len(function) != 2
                or entry["type"] != "function"
                or not identifier
                or identifier in ids
                or name.strip() != name
                or not name
                or len(raw) > MAX_CALL_SIZE
                or raw.count("{") + raw.count("[") > MAX_NESTING
            ):
                return None
            arguments, end = _decode(raw)
            if end != len(raw) or type(arguments) is not dict:
                return None
            start = at
            at += len(name) + end
            text = f"{text}{name}{raw}"
            if TEXT_KEY in arguments and len(arguments) == 1 and type(arguments[TEXT_KEY]) is str:
                arguments = arguments[TEXT_KEY]
            ids.add(identifier)
            calls.append(Call(name, arguments, raw, identifier, start, at))
            found.append(("call", start, at))
            written.append({"id": identifier, "type": "function", "function": {"name": name, "arguments": raw}})
    except (KeyError, TypeError, IndexError, ValueError, RecursionError, AttributeError):
        return None
    message = {"role": "assistant", "content": content or None, "tool_calls": written}
    return Reply("", content, tuple(calls), None, (), True, tuple(found), text, message)
