"""Notations that tell texts by what stands around them: JSON, Python, and texts between tokens."""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar

from .._errors import ConstraintError
from ._notation import Bracketed, Notation
from ._ranges import Ranges, common
from ._rules import ANY_CHAR, Site, alt, of, rep, seq, without
from ._tree import EMPTY, Alt, Chars, Layout, Lit, Node, Range, Text

PLAIN = Layout()
MAX_INDENTS = 24
"""Levels of a value on several lines; one that refers to itself would have rules without end."""
# --- JSON -------------------------------------------------------------------------------------------------------------

_SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}
ESCAPED = {code: _SHORT.get(code, f"\\u{code:04x}") for code in (*range(32), 34, 92)}
"""The characters that have an escape in JSON, and only that."""
_CONTROL = tuple((code, code) for code in ESCAPED)


class JsonText(Bracketed):
    """JSON as ``json.dumps(…, ensure_ascii=False)`` writes it.

    Args:
        layout: its white space.
        banned: characters that no text holds, because something else would take them for its own.
        escapes: whether texts may hold characters that are written with a backslash; ``banned`` alone rules them out.
    """

    def __init__(self, layout: Layout = PLAIN, banned: str = "", *, escapes: bool | None = None) -> None:
        self.layout, self.banned = layout, banned
        self.escapes = not banned if escapes is None else escapes
        self.key = ("json", layout, banned, self.escapes)
        self.item, self.colon, self.indent, self.base = layout.item, layout.key, layout.indent, layout.base
        self._raw = without(ANY_CHAR, (*_CONTROL, *of(banned)))

    def inner(self) -> Notation:
        """The same, one level deeper."""
        if not self.indent:
            return self
        if len(self.base) > MAX_INDENTS * len(self.indent):
            raise ConstraintError("A schema that refers to itself can't be written on several lines.")
        return JsonText(self.layout._replace(base=self.base + self.indent), self.banned, escapes=self.escapes)

    def literal(self, value: Any) -> Node:
        """The value's JSON."""
        indent = self.indent or None
        text = json.dumps(value, ensure_ascii=False, indent=indent, separators=(self.item, self.colon))
        if any(char in text for char in self.banned) or ("\\" in text and not self.escapes):
            raise ConstraintError(f"{value!r:.80} holds characters that can't be written here")
        return Lit(text.replace("\n", "\n" + self.base) if indent else text)

    def written_key(self, key: str) -> str:
        """A key in quotes."""
        found = self.literal(key)
        assert isinstance(found, Lit)
        return found.text

    def takes_key(self, key: str) -> bool:
        """Whether none of its characters is ruled out."""
        if self.banned and any(char in key for char in self.banned):
            return False
        return self.escapes or not any(ord(char) in ESCAPED for char in key)

    def _name(self, name: str) -> str:
        return f"json-{name}" if not self.banned else f"narrow-{name}"

    def _needed(self, site: Site) -> Node:
        """What stands behind a backslash for a character that has no other spelling."""
        return site.rules.once(("json escape",), "json-escape", lambda: Alt((
            Chars(of('"\\bfnrt')),
            seq(Lit("u00"), Alt((
                seq(Lit("0"), Chars(of("01234567be"))), Lit("0f"), seq(Lit("1"), Chars(of("0123456789abcdef"))),
            ))),
        )))  # fmt: skip

    def _escape(self, site: Site) -> Node:
        """What stands behind a backslash, also where the lect writes it to keep a marker out of a text."""
        spelled = (Lit(f"u{ord(char):04x}") for char in site.rules.spelled if char not in self.banned)
        return site.rules.once(
            ("json spelling", self.banned), self._name("spelling"),
            lambda: Alt((self._needed(site), *(() if "/" in self.banned else (Lit("/"),)), *spelled)),
        )  # fmt: skip

    def _any(self, site: Site) -> Node:
        """One character, raw or escaped."""
        if not self.escapes:
            return Chars(self._raw)
        return site.rules.once(
            ("json char", self.banned, self.escapes), self._name("char"),
            lambda: Alt((Chars(self._raw), seq(Lit("\\"), self._escape(site)))),
        )  # fmt: skip

    def plain(self, least: int, most: int | None, site: Site) -> Node:
        """A text in quotes. Without an end to its length it is right-recursive, its closing quote inside."""
        if self.banned:
            left_out = " ".join(self.banned) + ("" if self.escapes else " and no escapes")
            site.reason(f"texts are written without {left_out}")

        def rest() -> Node:
            ways: list[Node] = [Lit('"'), seq(Chars(self._raw), again)]
            return Alt((*ways, seq(Lit("\\"), self._escape(site), again)) if self.escapes else tuple(ways))

        kind = ("json text", self.banned, self.escapes)
        if most is not None:
            return site.rules.once(
                (*kind, least, most), self._name(f"text-{least}-{most}"),
                lambda: seq(Lit('"'), rep(self._any(site), least, most), Lit('"')),
            )  # fmt: skip
        again: Node = EMPTY
        rules = site.rules
        # the rule is made within itself: it must know its own name first
        again = rules.once((*kind, "rest"), self._name("text-rest"), lambda: EMPTY)
        if rules.rules[again.name] == EMPTY:
            rules.rules[again.name] = rest()
        if not least:
            return rules.once((*kind, 0, None), self._name("text"), lambda: seq(Lit('"'), again))
        return rules.once(
            (*kind, least, None), self._name(f"text-{least}"),
            lambda: seq(Lit('"'), rep(self._any(site), least, least), again),
        )  # fmt: skip

    def character(self, ranges: Ranges, site: Site) -> Node | None:
        """A character, raw or by its escape."""
        raw = common(ranges, self._raw)
        if common(ranges, of(self.banned)):
            site.reason(f"texts are written without {' '.join(self.banned)}")
        escaped = [code for code in ESCAPED if self.escapes and any(low <= code <= high for low, high in ranges)]
        if len(escaped) == len(ESCAPED):
            return alt([*([Chars(raw)] if raw else []), seq(Lit("\\"), self._needed(site))])
        return alt([*([Chars(raw)] if raw else []), *(Lit(ESCAPED[code]) for code in escaped)])

    def quoted(self, body: Node) -> Node:
        """The body in quotes."""
        return seq(Lit('"'), body, Lit('"'))


# --- Python -----------------------------------------------------------------------------------------------------------

_PYTHON_SHORT = {9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\"}
_UNPRINTED: Ranges = ((0, 31), (0x7F, 0xA0), (0xAD, 0xAD))
"""What ``repr`` escapes of the first 256 characters."""
_HEX: tuple[Range, ...] = ((0x30, 0x39), (0x61, 0x66))


class PythonText(Bracketed):
    """Literals of Python as ``repr`` writes them. A text may have an escape for any character that is not printable."""

    key = ("python",)
    words: ClassVar[dict[Any, str]] = {None: "None", True: "True", False: "False"}

    def literal(self, value: Any) -> Node:
        """The value's ``repr``."""
        return Lit(repr(value))

    def written_key(self, key: str) -> str:
        """A key in quotes."""
        return repr(key)

    def _escape(self, site: Site) -> Node:
        """What stands behind a backslash, quotes apart."""
        digit = Chars(_HEX)

        def make() -> Node:
            two = Alt((
                seq(Lit("0"), Chars(of("012345678bcef"))), seq(Chars(of("189")), digit),
                Lit("7f"), Lit("a0"), Lit("ad"),
            ))  # fmt: skip
            four = Alt((
                seq(Chars(((0x30, 0x39), (0x61, 0x63), (0x65, 0x66))), rep(digit, 3, 3)),
                seq(Lit("d"), Chars(((0x30, 0x37),)), rep(digit, 2, 2)),
            ))  # fmt: skip
            eight = Alt((
                seq(Lit("000"), Chars(((0x31, 0x39), (0x61, 0x66))), rep(digit, 4, 4)),
                seq(Lit("0010"), rep(digit, 4, 4)),
            ))  # fmt: skip
            return Alt((
                Chars(of("\\nrt")), seq(Lit("x"), two), seq(Lit("u"), four), seq(Lit("U"), eight),
            ))  # fmt: skip

        return site.rules.once(("python escape",), "python-escape", make)

    def _any(self, quote: str, site: Site) -> Node:
        raw = Chars(without(ANY_CHAR, (*_UNPRINTED, *of(f"\\{quote}"))))
        own: tuple[Node, ...] = (Lit("\\'"),) if quote == "'" else ()
        return site.rules.once(
            ("python char", quote), "python-char", lambda: Alt((raw, seq(Lit("\\"), self._escape(site)), *own))
        )

    def plain(self, least: int, most: int | None, site: Site) -> Node:
        """A text in single quotes, or in double ones as ``repr`` has it for texts with an apostrophe."""

        def body(quote: str) -> Node:
            return seq(Lit(quote), rep(self._any(quote, site), least, most), Lit(quote))

        def rest(quote: str) -> Node:
            name = "python-text-rest"
            again = site.rules.once(("python rest", quote), name, lambda: EMPTY)
            if site.rules.rules[again.name] == EMPTY:
                site.rules.rules[again.name] = Alt((Lit(quote), seq(self._any(quote, site), again)))
            return seq(Lit(quote), rep(self._any(quote, site), least, least), again)

        make = rest if most is None else body
        return site.rules.once(("python text", least, most), "python-text", lambda: Alt((make("'"), make('"'))))

    def character(self, ranges: Ranges, site: Site) -> Node | None:
        """A character in single quotes, raw or by its escape."""
        raw = without(ranges, (*_UNPRINTED, *of("\\'")))
        some = [code for low, high in common(ranges, (*_UNPRINTED, *of("\\'"))) for code in range(low, high + 1)]
        escaped = [_PYTHON_SHORT.get(code) or ("\\'" if code == 39 else f"\\x{code:02x}") for code in some]
        return alt([*([Chars(raw)] if raw else []), *map(Lit, escaped)])

    def quoted(self, body: Node) -> Node:
        """The body in single quotes."""
        return seq(Lit("'"), body, Lit("'"))


# --- between tokens ---------------------------------------------------------------------------------------------------


_HEAD = ((65, 90), (95, 95), (97, 122))
_WORD = ((45, 46), (48, 57), (65, 90), (95, 95), (97, 122))
"""The characters of a plain word."""


class TokenText(Bracketed):
    """Objects with bare keys, and with texts between tokens, in which nothing is escaped."""

    item, colon = ",", ":"

    def __init__(self, quote: str) -> None:
        self.quote = quote
        self.key = ("token", quote)

    def literal(self, value: Any) -> Node:
        """The value in the notation."""
        return Lit(self._written(value))

    def _written(self, value: Any) -> str:
        if isinstance(value, str):
            if self.quote in value:
                raise ConstraintError(f"{value!r:.80} holds the token that a text ends with")
            return f"{self.quote}{value}{self.quote}"
        if isinstance(value, dict):
            return f"{{{','.join(f'{self.written_key(key)}:{self._written(x)}' for key, x in value.items())}}}"
        if isinstance(value, list):
            return f"[{','.join(map(self._written, value))}]"
        return json.dumps(value)

    def written_key(self, key: str) -> str:
        """A key, between tokens where it is no plain word."""
        plain = key[:1].isascii() and (key[:1].isalpha() or key[:1] == "_") and len(key) < 62
        bare = plain and all(char.isalnum() or char in "_.-" for char in key)
        return key if bare else f"{self.quote}{key}{self.quote}"

    def keys(self, site: Site) -> Node:
        """Any key: a plain word, or a text between tokens."""
        word = seq(Chars(_HEAD), rep(Chars(_WORD), 0, 60))
        made = alt((word, self.plain(0, site.limits.chars, site)))
        assert made is not None
        return made

    def takes_key(self, key: str) -> bool:
        """Whether it holds no token."""
        return self.quote not in key

    def plain(self, least: int, most: int | None, site: Site) -> Node:
        """Text between tokens."""
        site.reason(f"texts are written without {self.quote}")
        return seq(Lit(self.quote), Text((re.escape(self.quote),), (), least, most), Lit(self.quote))

    def character(self, ranges: Ranges, site: Site) -> Node | None:
        """A character, but the first of the token."""
        if common(ranges, of(self.quote[0])):
            site.reason(f"texts with a pattern are written without {self.quote[0]}")
        raw = without(ranges, of(self.quote[0]))
        return Chars(raw) if raw else None

    def quoted(self, body: Node) -> Node:
        """The body between tokens."""
        return seq(Lit(self.quote), body, Lit(self.quote))


__all__ = ["JsonText", "PythonText", "TokenText"]
