"""The metadata at the head of a GGUF file: its chat templates, and the tokens that they name."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

from polylect import LectError

MAX_ENTRIES = 65_536
"""Entries of metadata; real files have under a hundred."""
MAX_ELEMENTS = 4_000_000
"""Elements of an array; the vocabularies of models have some hundred thousand."""
MAX_TEXT = 16_777_216
"""Bytes of one text; chat templates have up to a hundred thousand."""
_SIZES = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_TEXT, _ARRAY = 8, 9
_TOKENS = "tokenizer.ggml.tokens"
TEMPLATE = "tokenizer.chat_template"


def read_gguf(path: Path) -> tuple[dict[str, str], dict[str, str]]:
    """(the chat templates by their names, the special tokens as templates call them) of a GGUF file.

    Only the head of the file is read, and nothing of it is run.

    Raises:
        LectError: it is no GGUF file of version 2 or 3, or its head is broken.
    """
    try:
        with path.open("rb") as file:
            return _told(_Head(file).entries())
    except (OSError, struct.error, UnicodeDecodeError, _Broken) as error:
        raise LectError(f"{path} is no GGUF file that can be read: {error}") from None


class _Broken(Exception):
    """The head says something that no real file says."""


class _Head:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def entries(self) -> dict[str, Any]:
        """The texts and numbers of the metadata by their keys, and the vocabulary."""
        if self._read(4) != b"GGUF":
            raise _Broken("it does not begin with GGUF")
        version = self._number("<I")
        if version not in (2, 3):
            raise _Broken(f"it is of version {version}")
        self._number("<Q")  # how many tensors
        count = self._limited(self._number("<Q"), MAX_ENTRIES, "entries")
        found = {}
        for _ in range(count):
            key = self._text()
            value = self._value(self._number("<I"), kept=key == _TOKENS)
            if value is not None:
                found[key] = value
        return found

    def _value(self, kind: int, *, kept: bool) -> Any:
        if kind == _TEXT:
            return self._text()
        if kind == _ARRAY:
            return self._array(kept)
        return self._number(self._size(kind))

    def _array(self, kept: bool) -> list[str] | None:
        kind, count = self._number("<I"), self._limited(self._number("<Q"), MAX_ELEMENTS, "elements of an array")
        if kind == _TEXT:
            texts = (self._text("replace") for _ in range(count))
            if kept:
                return list(texts)
            for _ in texts:
                pass
            return None
        self._file.seek(struct.calcsize(self._size(kind)) * count, 1)
        return None

    def _size(self, kind: int) -> str:
        if kind not in _SIZES:
            raise _Broken(f"there is no type {kind}")
        return _SIZES[kind]

    def _text(self, errors: str = "strict") -> str:
        return self._read(self._limited(self._number("<Q"), MAX_TEXT, "bytes of a text")).decode("utf-8", errors)

    def _number(self, form: str) -> Any:
        return struct.unpack(form, self._read(struct.calcsize(form)))[0]

    def _read(self, size: int) -> bytes:
        found = self._file.read(size)
        if len(found) < size:
            raise _Broken("it ends too early")
        return found

    def _limited(self, count: int, most: int, what: str) -> int:
        if count > most:
            raise _Broken(f"{count:,} {what} are more than {most:,}")
        return count


def _told(entries: dict[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    templates = {}
    for key, value in entries.items():
        if isinstance(value, str) and (key == TEMPLATE or key.startswith(f"{TEMPLATE}.")):
            templates[key[len(TEMPLATE) + 1 :] or "default"] = value
    vocabulary = entries.get(_TOKENS) or []
    tokens = {}
    for name in ("bos", "eos", "unk", "padding"):
        number = entries.get(f"tokenizer.ggml.{name}_token_id")
        if isinstance(number, int) and 0 <= number < len(vocabulary):
            tokens[f"{name.removesuffix('ding')}_token"] = vocabulary[number]
    return templates, tokens
