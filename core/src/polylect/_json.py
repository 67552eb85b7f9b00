"""JSON in and out of the values, total over every string that Python can hold."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")
_encoder = msgspec.json.Encoder(enc_hook=str)
REAL = msgspec.json.Decoder(float).decode
"""JSON text of a number as a float; ``msgspec.ValidationError`` where it would be infinite."""
TOO_LARGE = "a number in it is larger than any that can be calculated with"
TOO_LONG = "a number in it has more digits than can be read"
NUMBER_FAULTS = (TOO_LARGE, TOO_LONG)
DEEPEST = 200
"""Levels that are written of a value which msgspec refuses; the parts below them are texts."""
_LOST_NUMBER = re.compile(r"-?(?:[0-9]{640,}|Infinity)|NaN").fullmatch
"""A text that a mender has made of a number, if it did not stand in quotes (640 digits: Python's lowest limit)."""


def refuse_constant(word: str) -> Any:
    """NaN and the infinities, which Python takes for JSON, are none."""
    raise ValueError(f"{word} is not JSON")


def json_fault(error: Exception) -> str:
    """In words, what an error of Python's JSON says of a text that was read, or of a value that was to be written."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.pos}"
    if isinstance(error, msgspec.ValidationError):
        return TOO_LARGE
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    told = str(error)
    if "int_max_str_digits" in told:
        return TOO_LONG
    if "Circular" in told:
        return "it contains itself"
    if isinstance(error, TypeError) and "keys" in told:
        return "its keys are not all texts"
    return told if isinstance(error, ValueError) else f"{type(error).__name__}: {told}"


def encode_json(value: Any) -> str:
    """``value`` as compact JSON text; floats that JSON lacks become null, unknown objects their ``str``.

    Whatever it is, it is written: parts that are no JSON at all (a circle, nesting too deep, a stranger's ``__str__``
    that fails) are what :func:`shown` says of them.
    """
    try:
        return _encoder.encode(value).decode()
    except Exception:  # a part that msgspec can't spell: a lone surrogate, an odd key, whatever strangers raise
        return _spelt(value, ())


def _spelt(value: Any, above: tuple[int, ...]) -> str:
    """``value`` as msgspec would write it, but for texts, which are in ASCII, and for parts that it can't write.

    ``above`` are the ids of what it stands in.
    """
    if isinstance(value, str):
        return json.dumps(value)
    if not isinstance(value, (dict, list, tuple, msgspec.Struct)):
        return _leaf(value)
    if id(value) in above or len(above) >= DEEPEST:
        return json.dumps(shown(value))
    above = (*above, id(value))
    if isinstance(value, (list, tuple)):
        return f"[{','.join([_spelt(x, above) for x in value])}]"
    items = list(value.items()) if isinstance(value, dict) else _fields(value)
    return f"{{{','.join([f'{json.dumps(_key(key))}:{_spelt(x, above)}' for key, x in items])}}}"


def _fields(value: msgspec.Struct) -> list[tuple[str, Any]]:
    config = value.__struct_config__
    tag = [] if config.tag_field is None else [(config.tag_field, config.tag)]
    names = zip(value.__struct_encode_fields__, value.__struct_fields__, strict=True)
    return [*tag, *((spelling, getattr(value, name)) for spelling, name in names)]


def _leaf(value: Any) -> str:
    try:
        return _encoder.encode(value).decode()
    except UnicodeEncodeError:  # within a stranger's value, or in its str
        with contextlib.suppress(Exception):
            plain = msgspec.to_builtins(value, enc_hook=str)
            if isinstance(plain, (str, dict, list)):
                return _spelt(plain, ())
    except Exception:
        pass
    return json.dumps(shown(value))


def _key(key: Any) -> str:
    if isinstance(key, str):
        return key
    try:
        return str(json.loads(_encoder.encode({key: 0})).popitem()[0])
    except Exception:
        return shown(key)


def decode_json(data: str | bytes, cls: type[T]) -> T:
    """Read ``cls`` from JSON text; raises ValueError with the path of the fault."""
    try:
        return msgspec.json.decode(data, type=cls)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as first:
        try:
            value = json.loads(data, parse_float=REAL, parse_constant=refuse_constant)
        except json.JSONDecodeError as error:
            raise ValueError(str(error)) from error
        except (ValueError, RecursionError) as error:
            raise ValueError(f"This JSON can't be read: {json_fault(error)}.") from None
        try:
            return msgspec.convert(value, type=cls)
        except (ValueError, RecursionError) as error:
            raise ValueError(str(error)) from (None if isinstance(first, msgspec.ValidationError) else error)
    except TypeError:
        raise ValueError(f"JSON is text or bytes, not {type(data).__name__}.") from None


def dumps(value: Any) -> str:
    """``value`` as JSON text for a model to read: one line, text kept as it is, unknown objects as their ``str``."""
    return json.dumps(value, ensure_ascii=False, default=str)


def shown(value: Any) -> str:
    """``value`` for a model to read, whatever it is: text as it is, JSON, or else as Python shows it."""
    if isinstance(value, str):
        return value
    try:
        return dumps(value)
    except Exception:  # odd keys, a circle, too deep, a number too long, or a stranger's __str__
        try:
            return repr(value)
        except Exception:
            return f"({type(value).__name__} that can't be shown)"


def is_mended(value: Any, raw: str) -> bool:
    """Whether what a mender made of malformed JSON is JSON, and none of its texts was a number that can't be read."""
    try:
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError, TypeError):
        return False
    waiting = [value]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            waiting += inner.values()
        elif isinstance(inner, list):
            waiting += inner
        elif isinstance(inner, str) and _LOST_NUMBER(inner) and not _quoted(inner, raw):
            return False
    return True


def _quoted(text: str, raw: str) -> bool:
    return any(f"{quote}{text}" in raw for quote in "\"'“”")
