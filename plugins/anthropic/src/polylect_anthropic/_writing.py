"""Messages and tools of OpenAI's form in Anthropic's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from polylect import PromptError
from polylect.plugin import decode

Fields = dict[str, Any]
_DATA_URL = re.compile(r"data:([\w.+/-]+);base64,").match
_NO_ID = re.compile(r"[^a-zA-Z0-9_-]").sub
SYSTEM = ("system", "developer")


def as_anthropic(prompt: str | Sequence[Fields]) -> tuple[str, list[Fields]]:
    """(the system's text, the messages) of a prompt.

    All messages of the system become one text. Messages of one role that follow each other become one, the results of
    tools first: the API wants them together, right behind the calls.

    Raises:
        PromptError: nothing is left to be answered.
    """
    if isinstance(prompt, str):
        return "", [{"role": "user", "content": prompt}]
    system = [text for message in prompt if message.get("role") in SYSTEM for text in _texts(message.get("content"))]
    messages: list[Fields] = []
    legacy = 0
    for message in prompt:
        role = message.get("role")
        if role in SYSTEM:
            continue
        if role == "assistant":
            blocks = list(_said(message, legacy))
            legacy += "function_call" in message
        elif role in ("tool", "function"):
            identifier = message.get("tool_call_id") if role == "tool" else _legacy_id(legacy - 1)
            blocks = [_result(str(identifier), message.get("content"))]
        else:
            blocks = list(_blocks(message.get("content")))
        to = "assistant" if role == "assistant" else "user"
        if not blocks:
            continue
        if messages and messages[-1]["role"] == to:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": to, "content": blocks})
    if not messages:
        raise PromptError("Anthropic's API answers a message of the user, and this prompt has none.")
    for message in messages:
        message["content"].sort(key=lambda block: block["type"] != "tool_result")  # stable: results first
    _without_space_at_the_end(messages[-1])
    return "\n\n".join(system), messages


def _said(message: Fields, legacy: int) -> Iterator[Fields]:
    """The model's own turn: thinking, text, calls."""
    for block in message.get("thinking_blocks") or ():
        if isinstance(block, dict):
            yield block
    yield from _blocks(message.get("content"))
    calls = [x for x in message.get("tool_calls") or () if isinstance(x, dict)]
    for call in calls:
        yield _call(str(call.get("id")), call.get("function") or call.get("custom") or {})
    if isinstance(message.get("function_call"), dict):
        yield _call(_legacy_id(legacy), message["function_call"])


def _call(identifier: str, function: Fields) -> Fields:
    raw = function.get("arguments", function.get("input"))
    arguments = decode(raw)[0] if isinstance(raw, str) and raw.strip() else {}
    if not isinstance(arguments, dict):  # a call that was broken: the model shall see what it wrote
        arguments = {"arguments": raw}
    return {"type": "tool_use", "id": _NO_ID("_", identifier), "name": function.get("name"), "input": arguments}


def _result(identifier: str, content: Any) -> Fields:
    found = content if isinstance(content, str) else list(_blocks(content))
    return {"type": "tool_result", "tool_use_id": _NO_ID("_", identifier), "content": found}


def _legacy_id(number: int) -> str:
    return f"function_call_{number}"


def _blocks(content: Any) -> Iterator[Fields]:
    """The blocks of a content: the API takes no text without a letter in it."""
    for part in [content] if isinstance(content, str) else content or ():
        if isinstance(part, str):
            part = {"type": "text", "text": part}
        if not isinstance(part, dict):
            continue
        kind, text = part.get("type"), part.get("text")
        if kind == "image_url":
            yield _image(part.get("image_url"))
        elif isinstance(text, str) and kind in ("text", "input_text", "output_text"):
            if text.strip():
                yield {**part, "type": "text"}
        elif isinstance(kind, str):  # a block in Anthropic's own form
            yield part


def _texts(content: Any) -> Iterator[str]:
    yield from (block["text"] for block in _blocks(content) if block["type"] == "text")


def _image(given: Any) -> Fields:
    url = str(given.get("url") if isinstance(given, dict) else given)
    data = _DATA_URL(url)
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    return {"type": "image", "source": {"type": "base64", "media_type": data[1], "data": url[data.end() :]}}


def _without_space_at_the_end(message: Fields) -> None:
    """A turn of the model's that it is to go on with: the API wants no white space at its end."""
    last = message["content"][-1]
    if message["role"] == "assistant" and last["type"] == "text":
        message["content"][-1] = {**last, "text": last["text"].rstrip()}


def tools_of(tools: Sequence[Fields]) -> list[Fields]:
    """Tools; one that is in Anthropic's form already (its own tools, say) stays as it is."""
    return [_tool(x["function"]) if isinstance(x.get("function"), dict) else x for x in tools]


def _tool(function: Fields) -> Fields:
    found = {"name": function["name"], "input_schema": function.get("parameters") or {"type": "object"}}
    return found | {key: function[key] for key in ("description", "strict") if function.get(key)}


def choice_of(choice: str) -> Fields:
    """``tool_choice``."""
    if choice in ("auto", "none"):
        return {"type": choice}
    return {"type": "any"} if choice == "required" else {"type": "tool", "name": choice}
