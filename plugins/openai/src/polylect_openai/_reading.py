"""What servers with OpenAI's API answer, as chunks and responses of chat completions."""

from __future__ import annotations

from typing import Any

from polylect.plugin import Reader

Fields = dict[str, Any]


class ChatReader(Reader):
    """Reads chat completions: as they are."""

    def chunks(self, name: str, data: Fields) -> list[Fields]:
        """A chunk."""
        return [{**data, "choices": [{**x, "delta": _fields(x.get("delta"))} for x in _choices(data)]}]

    def whole(self, data: Fields) -> Fields:
        """A response."""
        return {**data, "choices": _choices(data)}


class CompletionsReader(Reader):
    """Reads text completions: their text is content."""

    def chunks(self, name: str, data: Fields) -> list[Fields]:
        """A chunk."""
        return [{**data, "choices": [_choice(x, "delta", {"content": x.get("text") or ""}) for x in _choices(data)]}]

    def whole(self, data: Fields) -> Fields:
        """A response."""
        said = [{"role": "assistant", "content": x.get("text") or ""} for x in _choices(data)]
        return {**data, "choices": [_choice(x, "message", y) for x, y in zip(_choices(data), said, strict=True)]}


def _choices(data: Fields) -> list[Fields]:
    found = data.get("choices")
    return [x for x in found if isinstance(x, dict)] if isinstance(found, list) else []


def _choice(choice: Fields, key: str, said: Fields) -> Fields:
    return {"index": choice.get("index", 0), key: said, "finish_reason": choice.get("finish_reason")}


def _fields(value: Any) -> Fields:
    return value if isinstance(value, dict) else {}
