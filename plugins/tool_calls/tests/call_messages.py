"""Messages with calls, written by hand, and what is said of a reply to them."""

from __future__ import annotations

from typing import Any

from polylect import Reply


def entry(name: str, arguments: Any = "{}", identifier: str | None = "c1") -> dict[str, Any]:
    """A call in a message."""
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def message(*calls: dict[str, Any], content: Any = None, **more: Any) -> dict[str, Any]:
    """A message with these calls."""
    return {"role": "assistant", "content": content, "tool_calls": list(calls), **more}


def codes(reply: Reply) -> list[str]:
    """What the diagnostics are about."""
    return [x.code for x in reply.diagnostics]
