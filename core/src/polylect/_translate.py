"""Moving a message from one tongue to another."""

from __future__ import annotations

from typing import Any

import msgspec

from ._detect import detect
from ._errors import LectError
from ._json import dumps
from ._lect import Lect
from ._registry import registry
from ._tools import Tools
from ._values import Reply

AUTO = "auto"
"""The name of a source that is to be detected."""


def translate(text: Any, /, *, source: str | Lect, target: str | Lect, tools: Tools = None, **policies: Any) -> Any:
    """A message of the tongue ``source`` in the tongue ``target``.

    Args:
        text: the message: text, or a provider's message.
        source: the tongue it is in: a name or a lect, or ``"auto"`` to have it detected.
        target: the tongue to say it in.
        tools: the tools that were offered, in any form that :func:`polylect.as_tool` takes.
        policies: choices for reading, by name.

    Raises:
        ParseError: the message can't be read.
        LectError: ``target`` can't express it, there is no such lect, or none is detected.
    """
    other = _lect(target)
    if isinstance(source, str) and source == AUTO:
        found = detect(text, tools=tools)
        if not found:
            raise LectError("No installed lect recognises this text. Name its lect as source.")
        one = _lect(found[0].lect)
        if found[0].prefix:
            policies = {"prefix": found[0].prefix, **policies}
    else:
        one = _lect(source)
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
