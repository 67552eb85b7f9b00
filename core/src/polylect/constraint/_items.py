"""Rules over lexemes: what they are made of, and which lexemes may stand first, and next."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from ._begins import first_chars
from ._clash import meet
from ._eliminate import has_text, seq
from ._extension import nullable
from ._head import Head, all_end_alike, head, in_none
from ._ranges import Ranges, joined
from ._tree import Json, Lit, Node, Ref, Text


class Term(NamedTuple):
    """A lexeme; ``special``: a text at its end that may be one token of the vocabulary as well."""

    node: Node
    special: str = ""

    @property
    def whole(self) -> Node:
        """All that it reads."""
        return self.node if not self.special else seq(self.node, Lit(self.special))


class Token(NamedTuple):
    """A token of the vocabulary, which ends any lexeme before it."""

    name: str


class Many(NamedTuple):
    """A rule several times."""

    name: str
    least: int
    most: int | None


Item: TypeAlias = Term | Token | Json | Ref | Many
Way: TypeAlias = tuple[Item, ...]
Place: TypeAlias = tuple[str, int, int]
"""A rule, one of its ways, and an item of it."""


def tied(items: list[Item] | Way) -> Way:
    """The same items, lexemes that stand next to one another joined."""
    out: list[Item] = []
    for item in items:
        last = out[-1] if out else None
        if isinstance(item, Term) and isinstance(last, Term) and not last.special:
            out[-1] = Term(seq(last.node, item.node), item.special)
        else:
            out.append(item)
    return tuple(out)


class Look:
    """Which lexemes may stand first, and next."""

    def __init__(self, ways: dict[str, list[Way]], start: str, rules: dict[str, Node]) -> None:
        self._ways, self._start, self._rules = ways, start, rules
        self._empty: set[str] = set()
        self._firsts: dict[str, set[Place]] = {name: set() for name in ways}
        self._follow: dict[str, set[Place]] = {name: set() for name in ways}
        self._chars: dict[Place, Ranges] = {}
        self._heads: dict[Place, Head | None] = {}
        self._next: dict[Place, frozenset[Place]] = {}
        self._after: dict[frozenset[Place], Ranges] = {}
        changed = True
        while changed:
            changed = False
            for name, some in reversed(ways.items()):  # who is referred to mostly stands behind who refers to it
                for number in range(len(some)):
                    found, empty = self._from(name, number, 0)
                    if empty and name not in self._empty:
                        self._empty.add(name)
                        changed = True
                    if not found <= self._firsts[name]:
                        self._firsts[name] |= found
                        changed = True
        changed = True
        while changed:
            changed = False
            for name, some in ways.items():
                for number, way in enumerate(some):
                    for at, item in enumerate(way):
                        if isinstance(item, Ref | Many):
                            found = self._behind(name, number, at)
                            if isinstance(item, Many) and item.most != 1:
                                found = found | self._firsts[item.name]
                            if not found <= self._follow[item.name]:
                                self._follow[item.name] |= found
                                changed = True

    def _from(self, name: str, number: int, at: int) -> tuple[set[Place], bool]:
        way = self._ways[name][number]
        found: set[Place] = set()
        for place in range(at, len(way)):
            item = way[place]
            if isinstance(item, Token):
                return found, False
            if isinstance(item, Term | Json):
                found.add((name, number, place))
                if isinstance(item, Json) or not nullable(item.whole):
                    return found, False
            else:
                found |= self._firsts[item.name]
                if item.name not in self._empty and not (isinstance(item, Many) and item.least == 0):
                    return found, False
        return found, True

    def _behind(self, name: str, number: int, at: int) -> set[Place]:
        found, empty = self._from(name, number, at + 1)
        return found | self._follow[name] if empty else found

    def contexts(self) -> list[frozenset[Place]]:
        """The sets of lexemes that may stand at one place of a text.

        Where lexemes may be the same text, what may follow any of them stands there together.
        """
        found = {frozenset(self._firsts[self._start]): None}
        todo = list(found)
        for context in todo:
            for group in self._alike(context):
                made = frozenset[Place]().union(*(self._following(place) for place in group))
                if made not in found:
                    found[made] = None
                    todo.append(made)
        return todo

    def _alike(self, context: frozenset[Place]) -> list[list[Place]]:
        """The lexemes of a context, those together that may be the same text."""
        groups: list[list[Place]] = []
        begun: dict[Head | None, list[list[Place]]] = {}
        for place in context:
            same = begun.setdefault(self.head(place), [])
            found = next((group for group in same if self._at(group[0]) == self._at(place)), None)
            if found is None:
                groups.append([place])
                same.append(groups[-1])
            else:
                found.append(place)
        by_place = {group[0]: group for group in groups}
        literal = [place for place in by_place if (head := self.head(place)) and not head.text]
        for one, other in self._begun_alike(literal):
            group, before = by_place[one], by_place[other]
            if self._meet(group, before):
                group[:] = before[:] = dict.fromkeys((*group, *before))
        return groups

    def near(self, context: list[Place]) -> dict[Place, list[Place]]:
        """The lexemes of one place, each with those that are not plainly apart from it; itself among them."""
        found = {place: [place] for place in context}
        literal, free = list[Place](), list[Place]()
        ended: dict[Text, list[Place]] = {}
        for place in context:
            head = self.head(place)
            if head is None or (head.text and not head.literal):
                free.append(place)
            elif head.text:
                ended.setdefault(head.text, []).append(place)
            else:
                literal.append(place)
        groups = list(ended.items())
        for number, (text, some) in enumerate(groups):
            begun = [head.rest for place in some if (head := self.head(place))]
            alike = all_end_alike(text, begun)
            pairs = list(self._begun_alike(some) if alike else itertools.combinations(some, 2))
            pairs += ((place, other) for _, more in groups[:number] for other in more for place in some)
            pairs += (
                (place, other)
                for other in literal
                if (head := self.head(other)) and not in_none(head.rest, text, begun)
                for place in some
            )
            for one, other in pairs:
                found[one].append(other)
                found[other].append(one)
        for one, other in self._begun_alike(literal):
            found[one].append(other)
            found[other].append(one)
        for place in found.keys() - free:
            found[place] += free
        found |= dict.fromkeys(free, context)
        return found

    def _begun_alike(self, places: list[Place]) -> Iterator[tuple[Place, Place]]:
        """Two and two of which the literal that one begins with, or what ends its text, begins with the other's."""
        heads = [(head.literal, place) for place in places if (head := self.head(place))]
        before: list[tuple[str, Place]] = []
        for literal, place in sorted(heads):
            while before and not literal.startswith(before[-1][0]):
                before.pop()
            yield from ((place, other) for _, other in before)
            before.append((literal, place))

    def _meet(self, group: list[Place], other: list[Place]) -> bool:
        one, second = self._at(group[0]), self._at(other[0])
        if not isinstance(one, Term) or not isinstance(second, Term):
            return False
        return not has_text(one.node) and not has_text(second.node) and meet(one.whole, second.whole)

    def _at(self, place: Place) -> Item:
        return self._ways[place[0]][place[1]][place[2]]

    def _following(self, place: Place) -> frozenset[Place]:
        if place not in self._next:
            self._next[place] = frozenset(self._behind(*place))
        return self._next[place]

    def head(self, place: Place) -> Head | None:
        """What a lexeme begins with; None for a value that the engine reads."""
        if place not in self._heads:
            item = self._at(place)
            self._heads[place] = head(item.whole) if isinstance(item, Term) else None
        return self._heads[place]

    def first(self, place: Place) -> Ranges:
        """The characters that a lexeme may begin with."""
        if place not in self._chars:
            item = self._at(place)
            node = item.whole if isinstance(item, Term) else item
            assert isinstance(node, Node)
            self._chars[place] = first_chars(node, self._rules)
        return self._chars[place]

    def after(self, place: Place) -> Ranges:
        """The characters that may follow a lexeme."""
        following = self._following(place)
        if following not in self._after:
            self._after[following] = joined(one for other in following for one in self.first(other))
        return self._after[following]


__all__ = ["Item", "Look", "Many", "Place", "Term", "Token", "Way", "tied"]
