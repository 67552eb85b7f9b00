"""What SDKs, frameworks and files hand over, as plain dicts and pieces: one reading of every known shape.

Nothing here is imported from an SDK: an object is what it dumps (``model_dump``) or has as attributes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, NoReturn, TypeAlias

from polylect import ParseError
from polylect.plugin import decode, dumps

Fields: TypeAlias = dict[str, Any]
Piece: TypeAlias = tuple[str, Any]
"""("reasoning_content" | "reasoning" | "content" | "refusal", text), or ("block", something that is no text)."""

REASONING_KEYS = ("reasoning_content", "reasoning")
"""DeepSeek's key, which most servers took over, and OpenRouter's. Some servers send both, with the same text."""
TEXT_KEYS = (*REASONING_KEYS, "content", "refusal")
CALL_KEYS = ("tool_calls", "function_call", "invalid_tool_calls", "tool_call_chunks")
MESSAGE_KEYS = frozenset({"role", *TEXT_KEYS, *CALL_KEYS, "additional_kwargs"})
_KNOWN = MESSAGE_KEYS | {"choices", "message", "delta", "finish_reason"}
FRAMEWORK = "additional_kwargs"
"""The key that only LangChain's messages have; their other keys are the framework's and not the provider's."""

_ATTRIBUTES = (
    "choices", "message", "delta", "finish_reason", *MESSAGE_KEYS, "response_metadata",
    "id", "index", "type", "function", "custom", "name", "arguments", "args", "input", "text",
    "thinking",
)  # fmt: skip
_MODELS = frozenset({"assistant", "ai", "model", "AIMessage", "AIMessageChunk", ""})
_TEXT_BLOCKS = frozenset({"text", "output_text", "input_text"})
_REASONING_BLOCKS = frozenset({"reasoning", "thinking"})
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "invalid_tool_call", "tool_call_chunk",
                          "input_json_delta"})  # fmt: skip
"""Blocks which repeat a call that stands in ``tool_calls`` as well."""
_CALL_FIELDS = frozenset({"index", "id", "type", "function", "custom", "name", "args", "arguments", "error"})
_PLAIN = (str, bytes, bytearray, int, float, complex, list, tuple, set, frozenset)


def refuse(message: str, text: str = "") -> NoReturn:
    """Raise the ParseError for something that is no message."""
    raise ParseError(
        message,
        text=text,
        expected=("an assistant message: a dict, an SDK object, or its JSON text",),
        reason="not_text",
        correction="Your reply could not be read. Answer again.",
    )


def as_fields(value: Any) -> Fields | None:
    """A dict as it is, an object as a dict; None for what is neither."""
    if type(value) is dict:
        return value
    if value is None or isinstance(value, _PLAIN):
        return None
    for read in (_dumped, _attributes):
        try:
            found = read(value)
        except Exception:  # whatever a stranger's object does when it is read
            continue
        if found:
            return found
    return None


def _dumped(value: Any) -> Fields | None:
    if isinstance(value, Mapping):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    found = dump() if callable(dump) else None
    return found if type(found) is dict else None


def _attributes(value: Any) -> Fields:
    named = ((name, getattr(value, name, None)) for name in _ATTRIBUTES)
    return {name: x for name, x in named if x is not None and not callable(x)}


def is_nothing(value: Any) -> bool:
    """Whether a field says nothing: None, 0, or an empty text, list or object."""
    return value is None or (isinstance(value, (*_PLAIN, dict)) and not value)


def from_json(text: str) -> Fields:
    """The object that JSON text stands for.

    Raises:
        ParseError: it is not JSON, or no object; ``reason`` is ``"not_text"``.
    """
    value, problem = decode(text)
    if problem is not None:
        refuse(f"This text is not the JSON of an assistant message: {problem}.", str.__str__(text))
    if not isinstance(value, dict):
        refuse("This JSON is no object, so it is no assistant message.", str.__str__(text))
    return value


class Opened(NamedTuple):
    """A whole message: its fields, why it ended (None: not said), and the number of choices that were left out."""

    fields: Fields
    finish_reason: str | None = None
    others: int = 0


def open_message(value: Any) -> Opened:
    """Find the assistant message in a message, a choice, or a response.

    Raises:
        ParseError: there is none; ``reason`` is ``"not_text"``.
    """
    fields = from_json(value) if isinstance(value, str) else as_fields(value)
    if fields is None:
        kind = "nothing (None)" if value is None else type(value).__name__
        more = " Decode it first: .decode('utf-8')." if isinstance(value, (bytes, bytearray)) else ""
        refuse(f"An assistant message is a dict, an SDK object or JSON text, not {kind}.{more}")
    choice, others = first_choice(fields)
    if choice is None:
        refuse("This response has no choices, so there is no message in it.")
    reason = choice.get("finish_reason")
    inner = as_fields(choice.get("message", choice.get("delta")))
    if inner is not None and "role" not in choice and "tool_calls" not in choice:
        fields = inner
    elif choice is not fields:
        refuse("This response's choice has no message.")
    if fields.keys().isdisjoint(MESSAGE_KEYS):
        refuse("This is no assistant message: it has neither a role nor content nor calls.")
    _check_role(fields)
    if not isinstance(reason, str):
        reason = _framework_reason(fields)
    return Opened(fields, reason, others)


def first_choice(fields: Fields) -> tuple[Fields | None, int]:
    """(the first choice of a response or chunk, or the fields themselves, or None; how many others there are)."""
    if "choices" not in fields:
        return fields, 0
    found = fields["choices"]
    if type(found) is list and len(found) == 1 and type(found[0]) is dict and type(found[0].get("index", 0)) is int:
        return (None if found[0].get("index", 0) else found[0]), 0
    choices = [x for x in map(as_fields, found) if x is not None] if isinstance(found, (list, tuple)) else []
    first = next((x for x in choices if is_nothing(x.get("index"))), None)
    return first, max(len(choices) - 1, 0)


def _check_role(fields: Fields) -> None:
    role = fields.get("role")
    if role is None and FRAMEWORK in fields:
        role = fields.get("type")
    if role is None or (isinstance(role, str) and role in _MODELS):
        return
    shown = repr(str.__str__(role))[:40] if isinstance(role, str) else f"a {type(role).__name__}"
    refuse(f"Only the assistant's messages are parsed; this one's role is {shown}.")


def _framework_reason(fields: Fields) -> str | None:
    told = fields.get("response_metadata")
    if not isinstance(told, dict):
        return None
    reason = told.get("finish_reason", told.get("stop_reason"))
    return reason if isinstance(reason, str) else None


# --- texts ----------------------------------------------------------------------------------------------------------


def text_pieces(fields: Fields) -> Iterator[Piece]:
    """The texts of a message or delta, reasoning first; what is no text comes as a block."""
    seen = None
    inner = fields.get(FRAMEWORK)
    for key in REASONING_KEYS:
        for text in (fields.get(key), inner.get(key) if isinstance(inner, dict) else None):
            if text.__class__ is str and text and text != seen:
                seen = text
                yield key, text
    content = fields.get("content")
    if isinstance(content, str):
        if content:
            yield "content", str.__str__(content)
    elif isinstance(content, (list, tuple)):
        for block in content:
            yield from _block_pieces(block)
    elif content is not None:
        yield from _block_pieces(content)
    refusal = fields.get("refusal")
    if isinstance(refusal, str) and refusal:
        yield "refusal", str.__str__(refusal)


def _block_pieces(value: Any) -> Iterator[Piece]:
    if isinstance(value, str):
        if value:
            yield "content", str.__str__(value)
        return
    block = as_fields(value)
    kind = block.get("type") if block is not None else None
    if block is None or not isinstance(kind, str):
        yield "block", value
    elif kind in _TEXT_BLOCKS:
        yield from _text_of("content", block.get("text"), value)
    elif kind in _REASONING_BLOCKS:
        found = next((block[key] for key in ("reasoning", "thinking", "text") if key in block), None)
        yield from _text_of("reasoning_content", found, value)
    elif kind == "refusal":
        yield from _text_of("refusal", block.get("refusal"), value)
    elif kind not in _CALL_BLOCKS:
        yield "block", value


def _text_of(role: str, text: Any, block: Any) -> Iterator[Piece]:
    """The text of a block; Mistral's thinking blocks hold a list of text blocks."""
    if isinstance(text, str):
        if text:
            yield role, str.__str__(text)
    elif isinstance(text, list):
        for part in text:
            inner = part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None
            if isinstance(inner, str) and inner:
                yield role, str.__str__(inner)
    else:
        yield "block", block


# --- calls ----------------------------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """One entry of ``tool_calls``, or a piece of one: what it says of the call."""

    place: int | None
    """Its number in the stream (``index``)."""
    id: str | None
    name: str
    arguments: str
    custom: bool = False
    """Whether it is a call of a custom tool, whose input is text and not JSON."""
    broken: bool = False
    """Whether somebody has found its arguments invalid: then they were not merely cut."""
    extra: Fields | None = None
    """What the provider wants to see again with the call (a thought's signature, for instance)."""


def entries(fields: Fields) -> Iterator[Entry]:
    """All that stands where calls stand, save the legacy ``function_call``."""
    raw = fields.get("tool_call_chunks")
    if not is_nothing(raw):  # in the ``tool_calls`` beside these pieces, LangChain has made cut JSON whole
        yield from map(entry_of, as_list(raw))
        return
    found, broken, inner = fields.get("tool_calls"), fields.get("invalid_tool_calls"), fields.get(FRAMEWORK)
    if is_nothing(found) and is_nothing(broken) and isinstance(inner, dict):
        found = inner.get("tool_calls")
    yield from map(entry_of, as_list(found))
    for value in as_list(broken):
        yield entry_of(value)._replace(broken=True)


def as_list(value: Any) -> list[Any]:
    """Nothing as an empty list, one thing as a list of it."""
    if is_nothing(value):
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def legacy_call(fields: Fields) -> Entry | None:
    """The ``function_call`` of a message, or None."""
    found, inner = fields.get("function_call"), fields.get(FRAMEWORK)
    if is_nothing(found) and isinstance(inner, dict):
        found = inner.get("function_call")
    return None if is_nothing(found) else entry_of({"function": found})


def entry_of(value: Any) -> Entry:
    """An entry in OpenAI's form (``function`` or ``custom`` inside) or in LangChain's (``name`` and ``args``)."""
    fields = as_fields(value)
    if fields is None:
        return Entry(None, None, "", argument_text(value))
    index, identifier = fields.get("index"), fields.get("id")
    body, key = fields, "args" if "args" in fields else "arguments"
    custom = False
    for form, inner_key in (("function", "arguments"), ("custom", "input")):
        inner = as_fields(fields.get(form))
        if inner is not None:
            body, key, custom = inner, inner_key, form == "custom"
            break
    name = body.get("name")
    extra = {k: v for k, v in fields.items() if k not in _CALL_FIELDS and isinstance(k, str) and not is_nothing(v)}
    return Entry(
        index if index.__class__ is int else None,
        identifier if isinstance(identifier, str) and identifier else None,
        str.__str__(name) if isinstance(name, str) else "",
        argument_text(body.get(key)),
        custom,
        extra=extra or None,
    )


def argument_text(value: Any) -> str:
    """Arguments as JSON text: text as it is, nothing as ``""``, a decoded value written again."""
    if isinstance(value, str):
        return str.__str__(value)
    if value is None:
        return ""
    try:
        return dumps(value)
    except (TypeError, ValueError, RecursionError):  # odd keys, a circle, a depth that no tool needs
        return str(type(value))


def extras(fields: Fields) -> Fields:
    """The keys of a message that are none of ours and that the provider may want to see again."""
    if FRAMEWORK in fields:
        return {}
    return {k: v for k, v in fields.items() if k not in _KNOWN and isinstance(k, str) and not is_nothing(v)}
