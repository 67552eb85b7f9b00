"""The engines' own matchers, on the CPU: what each says to a text under a constraint."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import random
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, Protocol


class Matching(Protocol):
    """A constraint in an engine."""

    def accepts(self, text: str) -> bool: ...


# --- llguidance -------------------------------------------------------------------------------------------------


class _Vocabulary:
    """Tokens as llguidance asks for them."""

    bos_token_id = None

    def __init__(self, tokens: list[bytes], special: list[int], eos: int, encode: Callable[[str], list[int]]) -> None:
        self.tokens, self.special_token_ids, self.eos_token_id, self._encode = tokens, special, eos, encode

    def __call__(self, text: str | bytes) -> list[int]:
        return self._encode(text.decode() if isinstance(text, bytes) else text)


def _bytes_of(text: str) -> list[int]:
    return list(text.encode())


@functools.cache
def byte_tokenizer() -> Any:
    """256 tokens of one byte."""
    from llguidance import LLTokenizer, TokenizerWrapper

    tokens = [bytes([number]) for number in range(256)] + [b"<|eos|>"]
    return LLTokenizer(TokenizerWrapper(_Vocabulary(tokens, [256], 256, _bytes_of)))


@functools.cache
def tekken() -> Any:
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    path = resources.files("mistral_common").joinpath("data", "tekken_240911.json")
    return Tekkenizer.from_file(str(path))


@functools.cache
def tekken_tokens() -> list[bytes]:
    """The 131,072 tokens of a Mistral model, the first 1,000 of them special."""
    real = tekken()
    special = real.num_special_tokens
    return [
        real.id_to_piece(number).encode() if number < special else real.id_to_byte_piece(number)
        for number in range(real.n_words)
    ]


@functools.cache
def tekken_tokenizer() -> Any:
    from llguidance import LLTokenizer, TokenizerWrapper

    real = tekken()
    special = list(range(real.num_special_tokens))
    vocabulary = _Vocabulary(tekken_tokens(), special, real.eos_id, encode)
    return LLTokenizer(TokenizerWrapper(vocabulary), slices=LLTokenizer.json_slices())


def encode(text: str) -> list[int]:
    found: list[int] = tekken().encode(text, bos=False, eos=False)
    return found


class Guidance:
    """A grammar in llguidance."""

    def __init__(self, grammar: str, *, real: bool = False) -> None:
        from llguidance import LLMatcher

        self._encode = encode if real else _bytes_of
        self.tokens = tekken_tokens() if real else [bytes([number]) for number in range(256)] + [b""]
        self.eos = tekken().eos_id if real else 256
        self.matcher = LLMatcher(tekken_tokenizer() if real else byte_tokenizer(), grammar, log_level=0)
        if self.matcher.is_error():
            raise ValueError(self.matcher.get_error())

    def accepts(self, text: str) -> bool:
        tokens = self._encode(text)
        self.matcher.reset()
        taken = self.matcher.try_consume_tokens(tokens)
        return bool(taken == len(tokens) and self.matcher.is_accepting())

    def walk(self, rng: random.Random, steps: int) -> str | None:
        """Any allowed token, again and again; None where the text does not end in so many steps."""
        self.matcher.reset()
        out = b""
        for _ in range(steps):
            mask = self.matcher.compute_bitmask()
            ends = mask[self.eos >> 3] >> (self.eos & 7) & 1
            token = self._drawn(mask, rng)
            if ends and (token is None or rng.random() < 0.2):
                return out.decode("utf-8", "strict")
            assert token is not None
            out += self.tokens[token]
            assert self.matcher.consume_token(token)
        return None

    def _drawn(self, mask: bytes, rng: random.Random) -> int | None:
        """One of the allowed tokens, each as likely as any other; None where there is none but the end."""
        for _ in range(64):  # most draws hit, where most is allowed
            token = rng.randrange(len(self.tokens))
            if mask[token >> 3] >> (token & 7) & 1 and token != self.eos:
                return token
        allowed = [
            8 * at + bit
            for found in _SOME.finditer(mask)
            for at in range(found.start(), found.end())
            for bit in range(8)
            if mask[at] >> bit & 1
        ]
        allowed = [number for number in allowed if number != self.eos and number < len(self.tokens)]
        return rng.choice(allowed) if allowed else None


_SOME = re.compile(rb"[^\0]+")


# --- llama.cpp --------------------------------------------------------------------------------------------------

_POINTER = ctypes.c_void_p
_LOG = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, _POINTER)
_SYMBOLS: dict[str, tuple[str, Any, tuple[Any, ...]]] = {
    "make": (
        "_Z23llama_grammar_init_implPK11llama_vocabPKcS3_bPS3_mPKim",
        _POINTER,
        (
            _POINTER,
            ctypes.c_char_p,
            ctypes.c_char_p,
            ctypes.c_bool,
            _POINTER,
            ctypes.c_size_t,
            _POINTER,
            ctypes.c_size_t,
        ),
    ),
    "free": ("_Z23llama_grammar_free_implP13llama_grammar", None, (_POINTER,)),
    "accept": ("_Z20llama_grammar_acceptP13llama_grammarj", None, (_POINTER, ctypes.c_uint32)),
    "stacks": ("_Z24llama_grammar_get_stacksP13llama_grammar", _POINTER, (_POINTER,)),
    "clone": ("_Z24llama_grammar_clone_implRK13llama_grammar", _POINTER, (_POINTER,)),
}
"""Functions of llama.cpp's grammars that xllamacpp's library exports, by their names there."""


class _Library:
    def __init__(self) -> None:
        found = importlib.util.find_spec("xllamacpp")
        assert found is not None
        assert found.submodule_search_locations is not None
        path = next(Path(found.submodule_search_locations[0]).glob("xllamacpp*.so"))
        library = ctypes.CDLL(str(path), mode=os.RTLD_LOCAL)
        self.told: list[str] = []
        self.functions: dict[str, Any] = {}
        for name, (symbol, result, arguments) in _SYMBOLS.items():
            assert hasattr(library, symbol), f"this build of xllamacpp has no {symbol}"
            function = getattr(library, symbol)
            function.restype, function.argtypes = result, arguments
            self.functions[name] = function
        self._log = _LOG(self._note)  # llama.cpp keeps it
        library.llama_log_set.argtypes = (_LOG, _POINTER)
        library.llama_log_set.restype = None
        library.llama_log_set(self._log, None)

    def _note(self, level: int, text: bytes | None, data: int | None) -> None:
        self.told.append((text or b"").decode("utf-8", "replace"))


@functools.cache
def _library() -> _Library:
    return _Library()


_SIZES = ctypes.POINTER(ctypes.c_size_t)
_KINDS = {"alternative": 6, "any": 7, "not": 4, "upper": 5}
_LIKELY = [*range(32, 127), 10, 9, 0xE9, 0x4E2D, 0x1F600]


class Gbnf:
    """A grammar in llama.cpp, which reads code points, whatever the vocabulary."""

    def __init__(self, grammar: str) -> None:
        self._library = _library()
        self._library.told.clear()
        made = self._library.functions["make"](None, grammar.encode(), b"root", False, None, 0, None, 0)
        if not made:
            raise ValueError("".join(self._library.told) or "llama.cpp refuses the grammar")
        self._grammar = made

    def __del__(self) -> None:
        if hasattr(self, "_grammar"):
            self._library.functions["free"](self._grammar)

    def accepts(self, text: str) -> bool:
        copy = self._library.functions["clone"](self._grammar)
        try:
            for char in text:
                self._library.functions["accept"](copy, ord(char))
                if not self._has_stacks(copy):
                    return False
            return any(begin == end for begin, end in self._stacks(copy))
        finally:
            self._library.functions["free"](copy)

    def _has_stacks(self, grammar: int) -> bool:
        """Whether any text is left."""
        vector = ctypes.cast(self._library.functions["stacks"](grammar), _SIZES)
        return bool(vector[0] != vector[1])

    def _stacks(self, grammar: int) -> list[tuple[int, int]]:
        """Where each stack begins and ends in memory; an empty one is a text that may be over."""
        vector = ctypes.cast(self._library.functions["stacks"](grammar), _SIZES)
        begin, end = vector[0], vector[1]
        if begin == end:
            return []
        stacks = ctypes.cast(begin, _SIZES)
        return [(stacks[3 * number], stacks[3 * number + 1]) for number in range((end - begin) // 24)]

    def walk(self, rng: random.Random, steps: int) -> str | None:
        """Any allowed character, again and again; None where the text does not end in so many steps."""
        copy = self._library.functions["clone"](self._grammar)
        try:
            out = ""
            for _ in range(steps):
                stacks = self._stacks(copy)
                tops = [self._top(end) for begin, end in stacks if begin != end]
                if len(tops) < len(stacks) and (not tops or rng.random() < 0.2):
                    return out
                negated, ranges = rng.choice(tops)
                char = _char(rng, negated, ranges)
                out += chr(char)
                self._library.functions["accept"](copy, char)
                assert self._stacks(copy)
            return None
        finally:
            self._library.functions["free"](copy)

    def _top(self, end: int) -> tuple[bool, list[tuple[int, int]]]:
        """The characters that the top of a stack reads."""
        place = ctypes.cast(end - 8, _SIZES)[0]
        elements = ctypes.cast(place, ctypes.POINTER(ctypes.c_uint32))
        kind = elements[0]
        if kind == _KINDS["any"]:
            return False, [(0, 0x10FFFF)]
        ranges: list[tuple[int, int]] = []
        at = 0
        while True:
            low = elements[2 * at + 1]
            if elements[2 * at + 2] == _KINDS["upper"]:
                ranges.append((low, elements[2 * at + 3]))
                at += 2
            else:
                ranges.append((low, low))
                at += 1
            if elements[2 * at] != _KINDS["alternative"]:
                return kind == _KINDS["not"], ranges


def _char(rng: random.Random, negated: bool, ranges: list[tuple[int, int]]) -> int:
    if negated:
        return int(rng.choice([code for code in _LIKELY if not any(low <= code <= high for low, high in ranges)]))
    low, high = rng.choice(ranges)
    return int(rng.choice([code for code in _LIKELY if low <= code <= high] or [low]))


# --- regular expressions ----------------------------------------------------------------------------------------


class Regex:
    """A regular expression, in Python."""

    def __init__(self, source: str) -> None:
        self._pattern = re.compile(source)

    def accepts(self, text: str) -> bool:
        return self._pattern.fullmatch(text) is not None


MATCHERS: dict[str, Callable[[str], Matching]] = {
    "gbnf": Gbnf,
    "llguidance": Guidance,
    "openai_custom_tool": Guidance,
    "regex": Regex,
    "xgrammar": Gbnf,  # the same rules; its own matcher needs torch
}
