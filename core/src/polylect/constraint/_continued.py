"""Rules with what follows them written at their ends, where the last of their lexemes end by what follows."""

from __future__ import annotations

from .._errors import ConstraintError
from ._extension import nullable
from ._items import Item, Many, Term, Way, tied
from ._tree import Ref

MOST = 100
"""So often is a rule written out that is repeated and has an end to that."""


class Continued:
    """Rules whose ends need what follows them.

    Args:
        ways: by rule, what it may be; it is changed.
        ends: the rules in question.

    Every rule is written once for all that may follow it, so that there are not as many as there are paths.
    """

    def __init__(self, ways: dict[str, list[Way]], ends: set[str]) -> None:
        self._ways = ways
        self._known: dict[tuple[Ref | Many, Way], str] = {}
        users: dict[str, set[str]] = {}
        for user, some in ways.items():
            for way in some:
                if way and isinstance(way[-1], Ref | Many):
                    users.setdefault(way[-1].name, set()).add(user)
        todo = list(ends)
        for name in todo:
            todo += users.get(name, set()) - set(todo)
        self._ends = set(todo)
        self._empty: set[str] = set()
        before = -1
        while before < len(self._empty):
            before = len(self._empty)
            self._empty |= {
                name for name, some in ways.items() if any(all(map(self._may_be_empty, way)) for way in some)
            }

    def write(self) -> None:
        """Write them, and refer to them."""
        for user, ways in list(self._ways.items()):
            self._ways[user] = [self._referring(way) for way in ways]

    def _referring(self, way: Way) -> Way:
        """A way in which rules in question have what follows them, as far as it must be there."""
        for at, item in enumerate(way):
            if isinstance(item, Ref | Many) and item.name in self._ends:
                size = at + 1
                while size < len(way) and self._may_be_empty(way[size]):
                    size += 1
                needed, behind = way[at + 1 : size + 1], self._referring(way[size + 1 :])
                if needed or (isinstance(item, Many) and item.most != 1):
                    return (*way[:at], self._with(item, needed), *behind)
                return way
        return way

    def _may_be_empty(self, item: Item) -> bool:
        if isinstance(item, Ref | Many):
            return item.name in self._empty or (isinstance(item, Many) and not item.least)
        return isinstance(item, Term) and nullable(item.whole)

    def _with(self, item: Ref | Many, rest: Way) -> Ref:
        """A rule with this behind it."""
        if (item, rest) not in self._known:
            number = len(self._known) + 1
            while f"{item.name}-then-{number}" in self._ways:
                number += 1
            name = self._known[item, rest] = f"{item.name}-then-{number}"
            self._ways[name] = []
            self._ways[name] = self._many(item, rest) if isinstance(item, Many) else self._rule(item, rest)
        return Ref(self._known[item, rest])

    def _rule(self, item: Ref, rest: Way) -> list[Way]:
        return [tied(self._referring((*way, *rest))) for way in self._ways[item.name]]

    def _many(self, item: Many, rest: Way) -> list[Way]:
        if (item.most or item.least) > MOST:
            raise ConstraintError(f"The rule {item.name!r} repeats, and ends in a lexeme that may go on.")
        if item.most == 0:
            return [rest]
        most = None if item.most is None else item.most - 1
        again = self._with(Many(item.name, max(item.least - 1, 0), most), rest)
        return [(self._with(Ref(item.name), (again,)),), *([rest] if not item.least else [])]


__all__ = ["Continued"]
