"""JSON in and out of the values, total over every string that Python can hold."""

from __future__ import annotations

import json
import math
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_encoder = msgspec.json.Encoder(enc_hook=str)


def encode_json(value: Any) -> str:
    """``value`` as compact JSON text; floats that JSON lacks become null, unknown objects their ``str``."""
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:  # a lone surrogate: only the standard library can spell it, as an escape
        return json.dumps(_plain(msgspec.to_builtins(value, enc_hook=str)), separators=(",", ":"))


def _plain(value: Any) -> Any:
    """``value`` as msgspec would write it: keys are texts, and floats that JSON lacks are null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key if isinstance(key, str) else _key(key): _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _key(key: Any) -> str:
    text = _encoder.encode({key: 0}).decode()
    return str(json.loads(text).popitem()[0])


def decode_json(data: str | bytes, cls: type[T]) -> T:
    """Read ``cls`` from JSON text; raises ValueError with the path of the fault."""
    try:
        return msgspec.json.decode(data, type=cls)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as first:
        try:
            return msgspec.convert(json.loads(data), type=cls)
        except (ValueError, RecursionError) as error:
            raise ValueError(str(error)) from (None if isinstance(first, msgspec.ValidationError) else error)


def dumps(value: Any) -> str:
    """``value`` as JSON text for a model to read: one line, text kept as it is, unknown objects as their ``str``."""
    return json.dumps(value, ensure_ascii=False, default=str)
