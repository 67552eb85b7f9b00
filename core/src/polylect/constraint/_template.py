"""How a lect writes a call, with holes for the name, the keys and the values; found in what it wrote for probes."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple, TypeAlias

from .._values import Call, Reply
from ..grammar._decoder import DECODER
from ._outline import pieces
from ._probes import KEYS, NAME, OF_TYPE, VALUES, Prober, Turn, tool
from ._trace import Token
from ._tree import Layout

LAYOUTS = (Layout(), Layout(",", ":"), Layout(",", ": ", "    "), Layout(",", ": ", "  "))
"""How lects write JSON."""
_WORD = "[A-Za-z0-9]"


class Counted(NamedTuple):
    """Letters and digits that differ from call to call: a number of the call, or an id of ``size`` characters."""

    size: int | None
    """None: one to three digits."""
    digits_only: bool = True


Pieces: TypeAlias = tuple[str | Counted, ...]
"""A text in which the name is still the probe's."""


class JsonCall(NamedTuple):
    """The arguments stand in one text, a JSON object but where the tongue has a notation of its own."""

    before: Pieces
    layout: Layout
    after: Pieces


class MemberCall(NamedTuple):
    """The arguments stand one by one.

    A call is ``opening``, its members with ``between`` between them, and ``end``. ``members`` holds by the type of a
    value what is written before it, with the key; ``close`` is behind a value and may hold its key. The name and the
    key are the probe's.
    """

    opening: Pieces
    members: dict[str, str]
    between: str
    close: str
    end: str
    none: Pieces | None
    """The whole call, where it has no arguments."""
    value: Token
    """The token that a text value is in, or the payload."""
    before_value: Token | None
    """The marker before it."""


class TextCall(NamedTuple):
    """The argument is a text."""

    before: Pieces
    value: Token
    before_value: Token | None
    after: Pieces


Template: TypeAlias = JsonCall | MemberCall | TextCall


def layout_of(text: str, value: Any) -> Layout | None:
    """The layout in which ``text`` is the JSON of ``value``; None where it is not written in any of them."""
    base = ""
    if "\n" in text:
        base = text[text.rfind("\n") + 1 :].rstrip("}]")
    for layout in LAYOUTS:
        indent = layout.indent or None
        written = json.dumps(value, ensure_ascii=False, indent=indent, separators=(layout.item, layout.key))
        if written.replace("\n", "\n" + base) == text:
            return layout._replace(base=base)
    return None


def find_json(text: str, value: Any) -> tuple[int, int]:
    """Where the JSON object ``value`` stands in a text; (-1, -1) where it does not."""
    at = text.find("{")
    while at >= 0:
        try:
            found, end = DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            found, end = None, at
        if found == value:
            return at, end
        at = text.find("{", at + 1)
    return -1, -1


def counted(texts: list[str]) -> Pieces:
    """A call's text, of which those of later calls tell what differs from call to call."""
    first = texts[0]
    others = [text for text in texts[1:] if text != first]
    if not others:
        return (first,)
    begin = min(_common(first, other) for other in others)
    end = min(_common(first[:begin:-1] if begin else first[::-1], other[::-1]) for other in others)
    stop = len(first) - end
    while begin and re.match(_WORD, first[begin - 1]) and not _is_number(first, begin, stop):
        begin -= 1
    while stop < len(first) and re.match(_WORD, first[stop]) and not _is_number(first, begin, stop):
        stop += 1
    told = first[begin:stop]
    made = Counted(None) if told.isdigit() and len(told) < 4 else Counted(len(told), told.isdigit())
    return tuple(piece for piece in (first[:begin], made, first[stop:]) if piece)


def _is_number(text: str, begin: int, stop: int) -> bool:
    return text[begin:stop].isdigit() and stop - begin < 4


def _common(one: str, other: str) -> int:
    size = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        size += 1
    return size


class _Body(NamedTuple):
    """A call that was written for a probe, in its turn."""

    text: str
    tokens: list[Token]
    turn: list[Token]

    def holder(self, text: str) -> tuple[Token, Token | None]:
        """The token that holds ``text``, and the one before it."""
        at = next(number for number, token in enumerate(self.turn) if text in token.text)
        return self.turn[at], self.turn[at - 1] if at else None


class Finder:
    """Finds the template of one lect's calls."""

    def __init__(self, prober: Prober, bodies: dict[bool, list[str]]) -> None:
        self._prober, self._bodies = prober, bodies

    def body(self, kinds: tuple[str, ...], name: str = NAME) -> _Body | None:
        """The call of a tool whose arguments have these types, as it is written."""
        return self._first(self._prober.call(kinds, name))

    @staticmethod
    def _first(turn: Turn | None) -> _Body | None:
        for tokens, is_body in pieces(turn.tokens) if turn is not None else ():
            if is_body:
                return _Body("".join(token.text for token in tokens), tokens, turn.tokens if turn is not None else [])
        return None

    def template(self) -> Template | None:
        """How calls are written; None where the tongue has no place for any."""
        texts = self._bodies[True]
        if not texts:
            return None
        value = {KEYS[0]: VALUES[0]}
        begin = find_json(texts[0], value)[0]
        if begin >= 0:
            layout = self._layout()
            before = counted([text[: find_json(text, value)[0]] for text in texts])
            after = counted([text[find_json(text, value)[1] :] for text in texts])
            return None if layout is None else JsonCall(before, layout, after)
        return self._text() if KEYS[0] not in texts[0] else None

    def whole(self, written: str) -> JsonCall | None:
        """The template of arguments that are one text, as the notation spells those of the usual probe."""
        texts = self._bodies[True]
        if not texts or any(written not in text for text in texts):
            return None
        before = counted([text.partition(written)[0] for text in texts])
        after = counted([text.partition(written)[2] for text in texts])
        return JsonCall(before, Layout(), after)

    def _layout(self) -> Layout | None:
        body = self.body(("string", "array"))
        value = {KEYS[0]: VALUES[0], KEYS[1]: OF_TYPE["array"]}
        if body is None:
            return None
        begin, end = find_json(body.text, value)
        return None if begin < 0 else layout_of(body.text[begin:end], value)

    def _text(self) -> TextCall | None:
        body = self._first(self._prober.written(Reply(calls=(Call(NAME, VALUES[0]),)), tool(("string",))))
        if body is None:
            return None
        before, _, after = body.text.partition(VALUES[0])
        token, marker = body.holder(VALUES[0])
        return TextCall((before,), token, marker, (after,))

    def members(self, written: Any) -> MemberCall | None:
        """The template of arguments that stand one by one; ``written(value)`` is how the notation spells a value."""
        texts = self._bodies[True]
        string = self.body(("string",))
        if string is None:
            return None
        varied = counted(texts)
        rest = behind(string.text, written(VALUES[0]))
        pair = self.body(("string", "string"))
        if rest is None or pair is None:
            return None
        between = behind(pair.text, written(VALUES[0]))
        assert between is not None
        close = between[: _common(rest, between)]
        opening = separator = None
        members: dict[str, str] = {}
        for kind, value in OF_TYPE.items():
            one, two = self.body((kind,)), self.body(("string", kind))
            if one is None or two is None:
                continue
            spelt = written(value)
            other = VALUES[1] if kind == "string" else value
            at, then = one.text.rfind(spelt), two.text.rfind(written(other))
            if at < 0 or then < 0 or one.text[at + len(spelt) :] != rest:
                continue
            begun = two.text.find(written(VALUES[0])) + len(written(VALUES[0])) + len(close)
            first, following = one.text[:at], two.text[begun:then].replace(KEYS[1], KEYS[0])
            if opening is None or separator is None:
                size = _common(first[::-1], following[::-1])
                opening, separator = first[: len(first) - size], following[: len(following) - size]
            members[kind] = first.removeprefix(opening)
            if (first, following) != (opening + members[kind], separator + members[kind]):
                return None
        if opening is None or separator is None:
            return None
        none = counted(self._bodies[False]) if self._bodies[False] else None
        begin, end = _with_count(opening, varied), rest[len(close) :]
        return MemberCall(begin, members, separator, close, end, none, *string.holder(VALUES[0]))


def behind(text: str, part: str) -> str | None:
    """What stands behind the first place of ``part``; None where it is not there."""
    _, found, rest = text.partition(part)
    return rest if found else None


def _with_count(text: str, varied: Pieces) -> Pieces:
    """A beginning of a call with what is counted in it."""
    out: list[str | Counted] = []
    for piece in varied:
        if isinstance(piece, str):
            size = _common(text, piece)
            out.append(text[:size])
            text = text[size:]
            if size < len(piece):
                break
        else:
            size = piece.size or len(text) - len(text.lstrip("0123456789"))
            out.append(piece)
            text = text[size:]
    out.append(text)
    return tuple(piece for piece in out if piece != "")


__all__ = ["Counted", "Finder", "JsonCall", "MemberCall", "Pieces", "Template", "TextCall", "behind", "counted"]
