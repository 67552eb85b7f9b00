"""What a model callable hands back: a text, a provider's message, or either of them in chunks."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ._errors import PromptError

_PLAIN = (str, bytes, bytearray, Mapping)
LENGTH = frozenset({"length", "max_tokens"})
"""The words of servers for a model that was cut: OpenAI's, and Anthropic's."""


def says_length(finish_reason: Any) -> bool:
    """Whether a finish reason says that the model was cut."""
    return isinstance(finish_reason, str) and finish_reason in LENGTH


def chunks_of(output: Any) -> Iterable[Any] | None:
    """The chunks that a model hands back one by one; None when it handed back everything at once.

    Raises:
        PromptError: it is an asynchronous model's.
    """
    if output is None or isinstance(output, _PLAIN):
        return None
    if isinstance(output, (list, tuple, Iterator)):
        return output
    if hasattr(output, "__await__") or hasattr(output, "__aiter__"):
        if inspect.iscoroutine(output):
            output.close()
        raise PromptError("This model is asynchronous: await it yourself, between request() and decide().")
    # SDK objects can be iterated over too, by field: they are messages
    is_message = hasattr(output, "model_dump") or hasattr(output, "content")
    return output if isinstance(output, Iterable) and not is_message else None


def message_of(output: Any) -> Any:
    """A reply for a lect of messages: a plain text is the content of a message."""
    return {"role": "assistant", "content": output} if isinstance(output, str) else output


def text_of(output: Any) -> tuple[Any, str | None]:
    """(the text of a reply or of a chunk, ``"length"`` if it says that the model was cut).

    Messages, choices and whole responses of chat and text completions are looked into. What is none of these comes
    back as it is: the lect says what is wrong with it.
    """
    if output is None or isinstance(output, (str, bytes, bytearray)):
        return output, None
    holder = output
    choices = _get(output, "choices")
    if isinstance(choices, (list, tuple)):
        if not choices:  # a chunk that only counts tokens
            return "", None
        holder = choices[0]
    reason = _get(holder, "finish_reason") or _get(holder, "stop_reason")
    cut = "length" if says_length(reason) else None
    inner = _get(holder, "message")
    inner = _get(holder, "delta") if inner is None else inner
    message = holder if inner is None else inner
    content = _get(message, "content")
    content = _get(message, "text") if content is None else content
    if isinstance(content, str):
        return content, cut
    if isinstance(content, (list, tuple)):
        texts = (block if isinstance(block, str) else _get(block, "text") for block in content)
        return "".join(text for text in texts if isinstance(text, str)), cut
    known = inner is not None or reason is not None or _get(message, "role") is not None
    return ("" if known else output), cut


def finish_reason_of(value: Any, before: str | None = None) -> str | None:
    """Why the model stopped, in its server's word; ``before`` where a response or a chunk does not say."""
    if value.__class__ is str:
        return before
    choices = _get(value, "choices")
    holder = choices[0] if isinstance(choices, (list, tuple)) and choices else value
    reason = _get(holder, "finish_reason") or _get(holder, "stop_reason")
    return reason if isinstance(reason, str) else before


def ended(output: Any, finish_reason: str | None) -> Any:
    """An output with the news that the model was cut, where there are such."""
    if not says_length(finish_reason) or (isinstance(output, Mapping) and "choices" in output):
        return output
    message = {"role": "assistant", "content": output} if isinstance(output, str) else output
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]}


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else getattr(value, key, None)
