"""What a server with OpenAI's API says, and the model ``openai`` over it."""

from __future__ import annotations

from typing import Any

import polylect

from .replay import Answer, Replay, refusal, sse, stream

PATIENCE = 20.0
"""Seconds that a test waits for what is to happen at once."""


def model_at(server: Replay, **options: Any) -> Any:
    return polylect.model("openai:tiny", base_url=f"{server.url}/v1", **{"max_retries": 0, **options})


def chunk(delta: Any, reason: str | None = None, **more: Any) -> dict[str, Any]:
    choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "tiny", "choices": choices, **more}


def words(*texts: str, reason: str | None = "stop") -> bytes:
    """A stream that says these texts, and why it ends."""
    ended = [chunk({}, reason), "[DONE]"] if reason else []
    return sse(*(chunk({"content": text}) for text in texts), *ended)


USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
COUNTED = {**chunk({}), "choices": [], "usage": USAGE}
HELLO = stream(
    sse(chunk({"role": "assistant", "content": None}), chunk({"content": "Hel"})),
    sse(chunk({"content": "lo"}), chunk({}, "stop"), COUNTED, "[DONE]"),
)
FORECAST = {
    "type": "function",
    "function": {
        "name": "forecast",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}

SEARCH = {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}


def refuses(field: str, status: int = 400) -> Answer:
    told = f"Unsupported parameter: '{field}' is not supported with this model."
    return refusal(status, {"error": {"message": told, "type": "invalid_request_error", "param": field, "code": "x"}})
