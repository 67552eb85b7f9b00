"""Names and values of attributes.

Source: OpenTelemetry's semantic conventions for generative AI, agent spans and client spans, in development (2026).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from polylect import RunError

if TYPE_CHECKING:
    from polylect import Agent, ModelResult, Request, Usage

Attributes = dict[str, Any]

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
MODEL: Final = "gen_ai.request.model"
STOPS: Final = "gen_ai.request.stop_sequences"
AGENT: Final = "gen_ai.agent.name"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
TOOL: Final = "gen_ai.tool.name"
TOOL_DESCRIPTION: Final = "gen_ai.tool.description"
TOOL_TYPE: Final = "gen_ai.tool.type"
CALL_ID: Final = "gen_ai.tool.call.id"
ERROR: Final = "error.type"

INPUT: Final = "gen_ai.input.messages"
OUTPUT: Final = "gen_ai.output.messages"
DEFINITIONS: Final = "gen_ai.tool.definitions"
ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"

LECT: Final = "polylect.lect"
TURN: Final = "polylect.turn"
ITERATIONS: Final = "polylect.iterations"
STOP_REASON: Final = "polylect.stop_reason"
STATUS: Final = "polylect.tool.status"
INTERRUPTED: Final = "polylect.interrupted"

HERE: Final = "polylect"
"""The provider of a model of which nothing is known."""
MAX_NAME: Final = 256
"""Characters of a name or an id, which models write."""

MAX_CONTENT: Final = 100_000
"""Characters of one text."""


def about_model(agent: Agent) -> tuple[str, Attributes]:
    """(the name of the operation, what is known of the model)."""
    bound = agent.pipeline.bound_model
    model = None if bound is None else bound.model
    name = getattr(model, "name", None)
    if not isinstance(name, str) or not name:
        return "chat", {PROVIDER: HERE}
    provider, colon, rest = name.partition(":")
    completes = getattr(model, "api", None) == "completions"
    operation = "text_completion" if completes else "chat"
    if colon and provider and rest:
        return operation, {PROVIDER: provider, MODEL: rest}
    return operation, {PROVIDER: HERE, MODEL: name}


def tokens(usage: Usage) -> Attributes:
    """The tokens, if anybody counted them."""
    return {INPUT_TOKENS: usage.input_tokens, OUTPUT_TOKENS: usage.output_tokens} if usage.total else {}


def cause_of(error: Exception) -> BaseException:
    """What went wrong: of a run's error, what caused it."""
    return error.__cause__ if isinstance(error, RunError) and error.__cause__ is not None else error


def type_of(error: BaseException) -> str:
    """The class of an error, with its module."""
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


# --- content ----------------------------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """A text that any exporter can write."""
    return text.encode(errors="replace").decode()


def as_json(value: Any) -> str:
    """A value as JSON text, whatever it is."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except Exception:  # a stranger's __str__, a circle, odd keys
        text = json.dumps(f"({type(value).__name__} that can't be shown)")
    return clean(text)


def told(value: Any) -> str:
    """A value: text as it is, anything else as JSON; what is too long is cut."""
    return clean(value[:MAX_CONTENT]) if isinstance(value, str) else as_json(value)[:MAX_CONTENT]


def asked(request: Request) -> Attributes:
    """What a model is sent."""
    prompt = request.prompt
    messages = [user(prompt)] if isinstance(prompt, str) else [message(x) for x in prompt]
    found = {INPUT: as_json(messages)}
    if request.tools:
        found[DEFINITIONS] = as_json(request.tools)
    return found


def answered(result: ModelResult) -> Attributes:
    """What a model wrote."""
    output = result.output
    if isinstance(output, Mapping):
        choices = output.get("choices")
        first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], Mapping) else output
        inner = first.get("message", first)
        made = message(inner if isinstance(inner, Mapping) else {"content": inner})
    else:
        made = {"parts": [] if output is None else [_text(output)]}
    reason = "tool_call" if result.finish_reason in ("tool_calls", "tool_use") else result.finish_reason or "stop"
    return {OUTPUT: as_json([{**made, "role": "assistant", "finish_reason": reason}])}


def inputs(given: Mapping[str, Any]) -> Attributes:
    """What a run was started with."""
    value = given["input"] if list(given) == ["input"] else dict(given)
    return {INPUT: as_json([user(value)])}


def output(value: Any) -> Attributes:
    """What a run ended with."""
    return {OUTPUT: as_json([{"role": "assistant", "parts": [_text(value)], "finish_reason": "stop"}])}


def user(value: Any) -> Attributes:
    """Something that a user says."""
    return {"role": "user", "parts": [_text(value)]}


def message(given: Mapping[str, Any]) -> Attributes:
    """A chat message in OpenAI's form, in that of the conventions."""
    role, content = given.get("role"), given.get("content")
    if role == "tool":
        return {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": given.get("tool_call_id"), "response": content}],
        }
    parts: list[Attributes] = []
    if isinstance(given.get("reasoning_content"), str):
        parts.append({"type": "reasoning", "content": given["reasoning_content"]})
    parts += _parts(content)
    calls = given.get("tool_calls")
    for call in calls if isinstance(calls, list) else [{"function": given.get("function_call")}]:
        function = call.get("function") if isinstance(call, Mapping) else None
        if isinstance(function, Mapping):
            given_to, name = _object(function.get("arguments")), function.get("name")
            parts.append({"type": "tool_call", "id": call.get("id"), "name": name, "arguments": given_to})
    return {"role": role, "parts": parts}


def _parts(content: Any) -> Iterable[Attributes]:
    if content is None or content == "":
        return
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, Mapping) and not (part.get("type") == "text" and isinstance(part.get("text"), str)):
            yield {"type": "unknown", **part}
        else:
            yield _text(part["text"] if isinstance(part, Mapping) else part)


def _text(value: Any) -> Attributes:
    return {"type": "text", "content": told(value)}


def _object(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
