"""One call of a model, in any of the ways in which it may be called."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import anyio

WAYS = ("sync", "asyncio", "trio")
"""Synchronously, and in both event loops."""


def ask(model: Any, prompt: Any, way: str = "sync", *, into: list[Any] | None = None, **keywords: Any) -> list[Any]:
    """All chunks of a reply, also put ``into`` a list as they come; a whole reply is the only chunk."""
    found: list[Any] = [] if into is None else into
    if way == "sync":
        output = model(prompt, **keywords)
        for chunk in [output] if isinstance(output, (str, dict)) else output:
            found.append(chunk)
        return found

    async def all_chunks() -> None:
        async with contextlib.aclosing(model.acall(prompt, **keywords)) as chunks:
            async for chunk in chunks:
                found.append(chunk)

    anyio.run(all_chunks, backend=way)
    return found


def ask_and_leave(model: Any, prompt: Any, way: str, enough: Callable[[Any], bool], **keywords: Any) -> list[Any]:
    """The chunks of a reply up to the first that is ``enough``; then the iterator is closed."""
    found: list[Any] = []
    if way == "sync":
        with contextlib.closing(model(prompt, **keywords)) as chunks:
            for chunk in chunks:
                found.append(chunk)
                if enough(chunk):
                    break
        return found

    async def some_chunks() -> None:
        async with contextlib.aclosing(model.acall(prompt, **keywords)) as chunks:
            async for chunk in chunks:
                found.append(chunk)
                if enough(chunk):
                    break

    anyio.run(some_chunks, backend=way)
    return found


def content(chunks: list[Any]) -> str:
    """The text of a reply."""
    return "".join(
        choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"] if "delta" in choice
    )


def last_reason(chunks: list[Any]) -> str | None:
    """The finish reason of a reply."""
    reasons = [choice.get("finish_reason") for chunk in chunks for choice in chunk["choices"]]
    return next((reason for reason in reversed(reasons) if reason), None)
