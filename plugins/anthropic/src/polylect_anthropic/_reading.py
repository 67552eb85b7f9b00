"""What Anthropic's API answers, as chunks and responses of OpenAI's form."""

from __future__ import annotations

from typing import Any

from polylect.plugin import Reader, dumps

Fields = dict[str, Any]
REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
THINKING = ("thinking", "redacted_thinking")
KEPT = ("type", "thinking", "signature", "data")


class MessageReader(Reader):
    """Reads messages: whole, or as the events of a stream."""

    def __init__(self) -> None:
        self._about: Fields = {}
        self._usage: Fields = {}
        self._calls: dict[int, int] = {}
        self._thinking: dict[int, Fields] = {}

    def chunks(self, name: str, data: Fields) -> list[Fields]:
        """An event."""
        kind = data.get("type", name)
        if kind == "message_start":
            message = _fields(data.get("message"))
            self._about = {key: message[key] for key in ("id", "model") if key in message}
            self._usage = dict(_fields(message.get("usage")))
            return [self._chunk({"role": "assistant"})]
        if kind == "message_delta":
            self._usage |= {key: x for key, x in _fields(data.get("usage")).items() if x is not None}
            reason = _fields(data.get("delta")).get("stop_reason")
            return [self._chunk({}, _reason(reason), usage_of(self._usage))] if reason else []
        index = data.get("index")
        if not isinstance(index, int):
            return []
        if kind == "content_block_start":
            return self._begun(index, _fields(data.get("content_block")))
        if kind == "content_block_delta":
            return self._more(index, _fields(data.get("delta")))
        if kind == "content_block_stop" and index in self._thinking:
            return [self._chunk({"role": "assistant", "thinking_blocks": [self._thinking.pop(index)]})]
        return []

    def _begun(self, index: int, block: Fields) -> list[Fields]:
        kind = block.get("type")
        if kind == "tool_use":
            number = self._calls[index] = len(self._calls)
            arguments = dumps(block["input"]) if block.get("input") else ""
            function = {"name": block.get("name"), "arguments": arguments}
            call = {"index": number, "id": block.get("id"), "type": "function", "function": function}
            return [self._chunk({"tool_calls": [call]})]
        if kind in THINKING:
            self._thinking[index] = {key: block[key] for key in KEPT if key in block}
            return self._said("reasoning_content", block.get("thinking"))
        return self._said("content", block.get("text")) if kind == "text" else []

    def _more(self, index: int, delta: Fields) -> list[Fields]:
        kind = delta.get("type")
        if kind == "text_delta":
            return self._said("content", delta.get("text"))
        if kind == "input_json_delta" and index in self._calls:
            function = {"arguments": str(delta.get("partial_json") or "")}
            return [self._chunk({"tool_calls": [{"index": self._calls[index], "function": function}]})]
        block = self._thinking.get(index)
        if block is None:
            return []
        if kind == "signature_delta":
            block["signature"] = f"{block.get('signature', '')}{delta.get('signature') or ''}"
        elif kind == "thinking_delta":
            block["thinking"] = f"{block.get('thinking', '')}{delta.get('thinking') or ''}"
            return self._said("reasoning_content", delta.get("thinking"))
        return []

    def _said(self, key: str, text: Any) -> list[Fields]:
        return [self._chunk({key: text})] if isinstance(text, str) and text else []

    def _chunk(self, delta: Fields, reason: str | None = None, usage: Fields | None = None) -> Fields:
        return {**self._about, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": usage}

    def whole(self, data: Fields) -> Fields:
        """A response."""
        if not isinstance(data.get("content"), list):
            return {}
        blocks = [x for x in data["content"] if isinstance(x, dict)]
        message: Fields = {"role": "assistant", "content": _joined(blocks, "text") or None}
        thinking = [{key: x[key] for key in KEPT if key in x} for x in blocks if x.get("type") in THINKING]
        if thinking:
            message |= {"reasoning_content": _joined(blocks, "thinking"), "thinking_blocks": thinking}
        calls = [
            {
                "id": x.get("id"),
                "type": "function",
                "function": {"name": x.get("name"), "arguments": dumps(x.get("input") or {})},
            }
            for x in blocks
            if x.get("type") == "tool_use"
        ]
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": _reason(data.get("stop_reason"))}
        about: Fields = {key: data[key] for key in ("id", "model") if key in data}
        return {**about, "choices": [choice], "usage": usage_of(_fields(data.get("usage")))}


def _reason(told: Any) -> str | None:
    return REASONS.get(told, told) if isinstance(told, str) else None


def _joined(blocks: list[Fields], kind: str) -> str:
    return "".join(x[kind] for x in blocks if x.get("type") == kind and isinstance(x.get(kind), str))


def usage_of(usage: Fields) -> Fields:
    """The count of tokens: Anthropic's input tokens are those that no cache had, OpenAI's prompt tokens are all."""

    def count(key: str) -> int:
        found = usage.get(key)
        return found if isinstance(found, int) else 0

    cached = count("cache_read_input_tokens")
    prompt = count("input_tokens") + count("cache_creation_input_tokens") + cached
    written = count("output_tokens")
    return {
        "prompt_tokens": prompt,
        "completion_tokens": written,
        "total_tokens": prompt + written,
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _fields(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}
