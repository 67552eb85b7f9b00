"""Moving a message from one tongue to another, and telling which tongue a text is in."""

from __future__ import annotations

from typing import Any

import msgspec

from ._errors import LectError, PolylectError
from ._json import dumps
from ._lect import Lect
from ._registry import registry
from ._tools import Tools
from ._values import Reply

SURE = 0.35
"""From this score on a text counts as being in a tongue."""


def translate(text: Any, /, *, source: str | Lect, target: str | Lect, tools: Tools = None, **policies: Any) -> Any:
    """A message of the tongue ``source`` in the tongue ``target``.

    Args:
        text: the message: text, or a provider's message.
        source: the tongue it is in: a name or a lect.
        target: the tongue to say it in.
        tools: the tools that were offered, in any form that :func:`polylect.as_tool` takes.
        policies: choices for reading, by name.

    Raises:
        ParseError: the message can't be read.
        LectError: ``target`` can't express it, or there is no such lect.
    """
    one, other = _lect(source), _lect(target)
    return other.format(carried(one.parse(text, tools=tools, **policies), one, other), tools=tools)


def _lect(given: Any) -> Lect:
    found = registry.lect(given) if isinstance(given, str) else given
    if not isinstance(found, Lect):
        raise LectError(f"A lect is given by name or as it is, not as {type(found).__name__}.")
    return found


def carried(reply: Reply, source: Lect, target: Lect) -> Reply:
    """The reply as ``target`` would say it: some tongues mark the final answer, in others plain text is the answer."""
    if reply.calls:
        return reply
    if reply.answer is not None and "answer" not in target.features and not reply.content:
        if target.policies.text == "final":
            answer = reply.answer if isinstance(reply.answer, str) else dumps(reply.answer)
            return msgspec.structs.replace(reply, content=answer, answer=None)
        return reply
    plain = source.policies.text == "final" and "answer" not in source.features
    if plain and reply.content and reply.complete and "answer" in target.features:
        return msgspec.structs.replace(reply, content="", answer=reply.content)
    return reply


def detect(text: str) -> list[tuple[str, float]]:
    """The tongues that ``text`` may be in, with how sure that is (0 to 1), the surest first; empty for plain prose."""
    found = []
    for info in registry.lects():
        try:
            score = registry.lect(info.name).detect(text)
        except PolylectError:
            continue
        if score >= SURE:
            found.append((info.name, round(min(score, 1.0), 3)))
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))
