"""Rules of one tree, and nodes put together: neighbouring texts are one, a choice of one is no choice."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, TypeVar, cast

from msgspec import structs

from ._dfa import deciding
from ._ranges import LAST, Ranges, common, joined, others
from ._tree import EMPTY, Alt, Chars, Lit, Node, Range, Ref, Rep, Seq, Text, children

_NO_NAME = re.compile(r"[^a-z0-9]+")
LONGEST_NAME = 48
T = TypeVar("T")


class Rules:
    """The rules of one tree by name, and what they leave out.

    Args:
        spelled: characters that the lect writes as ``\\uXXXX`` in a JSON text, where they would begin a stop string.

    Attributes:
        rules: each rule's node.
        reasons: sentences, no two alike: what is valid and can't be written.
        notes: sentences on what a schema says and nobody checks.
    """

    def __init__(self, spelled: str = "") -> None:
        self.spelled = spelled
        self.rules: dict[str, Node] = {}
        self.reasons: list[str] = []
        self.notes: list[str] = []
        self._known: dict[Hashable, Ref] = {}
        self._numbers: dict[str, int] = {}
        self._kept: list[object] = []
        self._shared: dict[Hashable, Any] = {}

    def add(self, name: str, node: Node) -> Ref:
        """A new rule, with a number behind its name where there is another one of it."""
        made = self._name(name)
        self.rules[made] = node
        return Ref(made)

    def once(self, key: Hashable, name: str, make: Callable[[], Node]) -> Ref:
        """The rule of this key, made on first use; it is there while it is made, so that it may refer to itself."""
        found = self._known.get(key)
        if found is None:
            made = self._name(name)
            self.rules[made] = EMPTY
            self._known[key] = found = Ref(made)
            try:
                self.rules[made] = make()
            except BaseException:
                del self._known[key], self.rules[made]
                raise
        return found

    def shared(self, key: Hashable, make: Callable[[], T]) -> T:
        """An object that is made once for these rules."""
        if key not in self._shared:
            self._shared[key] = make()
        return cast("T", self._shared[key])

    def keep(self, what: object) -> None:
        """Keep an object alive whose ``id`` is part of a key."""
        self._kept.append(what)

    def reason(self, text: str) -> None:
        """Add one to the reasons."""
        if text not in self.reasons:
            self.reasons.append(text)

    def note(self, text: str) -> None:
        """Add one to the notes."""
        if text not in self.notes:
            self.notes.append(text)

    def _name(self, name: str) -> str:
        base = _NO_NAME.sub("-", name.lower()).strip("-")[:LONGEST_NAME].rstrip("-") or "rule"
        base = base if base[0].isalpha() else f"r-{base}"
        while True:
            number = self._numbers[base] = self._numbers.get(base, 0) + 1
            made = base if number == 1 else f"{base}-{number}"
            if made not in self.rules:
                return made


class Limits(NamedTuple):
    """The most of what a schema leaves open."""

    chars: int | None = None
    """Characters of a text."""
    items: int | None = None
    """Entries of a list."""


class Site(NamedTuple):
    """Where in the tools' schemas a node is made, and for which rules."""

    rules: Rules
    where: str
    limits: Limits = Limits()

    def reason(self, text: str) -> None:
        """Tell what is left out here."""
        self.rules.reason(f"{self.where}: {text}")


def seq(*parts: Node) -> Node:
    """One behind another."""
    out: list[Node] = []
    for part in _flat(parts):
        if isinstance(part, Lit) and out and isinstance(out[-1], Lit):
            out[-1] = Lit(out[-1].text + part.text)
        elif part != Lit(""):
            out.append(part)
    return out[0] if len(out) == 1 else Seq(tuple(out))


def _flat(parts: Iterable[Node]) -> Iterable[Node]:
    for part in parts:
        if isinstance(part, Seq):
            yield from part.parts
        else:
            yield part


def alt(options: Iterable[Node]) -> Node | None:
    """One of several; None where there is none."""
    found: dict[Node, None] = {}
    for option in options:
        found.update(dict.fromkeys(option.options if isinstance(option, Alt) else (option,)))
    if len(found) < 2:
        return next(iter(found), None)
    return Alt(tuple(found))


def rep(part: Node, least: int, most: int | None) -> Node:
    """The same several times."""
    if most == 0:
        return EMPTY
    return part if least == most == 1 else Rep(part, least, most)


def followed(node: Node, text: str) -> Node:
    """A node with a literal behind it that stands right behind its free text, if it ends with one."""
    if not text:
        return node
    if isinstance(node, Alt):
        found = alt(followed(option, text) for option in node.options) if _ends_free(node) else None
        return seq(node, Lit(text)) if found is None else found
    if isinstance(node, Seq) and node.parts and _ends_free(node.parts[-1]):
        return seq(*node.parts[:-1], followed(node.parts[-1], text))
    return seq(before(node, text) if isinstance(node, Text) else node, Lit(text))


def before(text: Text, following: str | None) -> Text:
    """A free text that is followed by this literal; empty: by nothing; None: it may be anything."""
    return structs.replace(text, then=deciding(text.delimiters, text.heads, following))


def _ends_free(node: Node) -> bool:
    if isinstance(node, Alt):
        return any(_ends_free(option) for option in node.options)
    if isinstance(node, Seq):
        return bool(node.parts) and _ends_free(node.parts[-1])
    return isinstance(node, Text)


def endless(rules: dict[str, Node]) -> set[str]:
    """The names of the rules of which no text ever ends: they need themselves."""
    left = dict(reversed(rules.items()))  # who is referred to mostly stands behind who refers to it
    size = -1
    while size != len(left):
        size = len(left)
        for name, node in list(left.items()):
            if _ends(node, left):
                del left[name]
    return set(left)


def _ends(node: Node, left: dict[str, Node]) -> bool:
    kind = type(node)
    if kind is Ref:
        return cast("Ref", node).name not in left
    if kind is Alt:
        return any(_ends(part, left) for part in children(node))
    return all(_ends(part, left) for part in children(node)) or (kind is Rep and cast("Rep", node).least == 0)


def is_small(node: Node) -> bool:
    """Whether it costs less to write a node again than to name it."""
    return isinstance(node, (Lit, Ref, Chars, Text)) or (isinstance(node, (Seq, Rep, Alt)) and _size(node, 12) <= 12)


def _size(node: Node, most: int) -> int:
    if isinstance(node, (Seq, Alt)):
        total = 1
        for part in node.parts if isinstance(node, Seq) else node.options:
            total += _size(part, most - total)
            if total > most:
                break
        return total
    if isinstance(node, Rep):
        return 1 + _size(node.part, most)
    if isinstance(node, Lit):
        return 1 + len(node.text) // 16
    return 1 if isinstance(node, (Ref, Chars, Text)) else most + 1


# --- characters -------------------------------------------------------------------------------------------------------


def without(ranges: Iterable[Range], taken: Iterable[Range]) -> Ranges:
    """The characters of ``ranges`` that are not among those taken."""
    return common(ranges, others(taken))


def of(characters: str) -> Ranges:
    """The ranges of these characters."""
    return joined((ord(char), ord(char)) for char in characters)


ANY_CHAR: Ranges = ((0, 0xD7FF), (0xE000, LAST))
"""All but surrogates, which no text of UTF-8 has."""
DIGIT = Chars(((0x30, 0x39),))
