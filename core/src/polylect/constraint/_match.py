"""Whether a text is one that a tree allows: the meaning of trees, which every printer is measured by."""

from __future__ import annotations

from typing import Any, TypeAlias

from ._dfa import dfa_of
from ._ranges import Ranges
from ._tree import Alt, Chars, Json, Lit, Node, Ref, Rep, Seq, Text, Tree

KEPT = 200_000
"""So many steps are remembered at the most."""
States: TypeAlias = frozenset[int]
_OVER = -1
_Cell: TypeAlias = tuple[Any, ...]
# What is still to come: (what is next, the cell behind it); of cells that are equal there is one. The end is ().
# Next is ("node", id of a node) · ("rep", id, least, most) · ("lit", text, place) · ("chars", ranges)
# · ("text", id, state, characters)


class Matcher:
    """Reads texts by a tree, character by character, all ways at once. It has no backtracking and no recursion."""

    def __init__(self, tree: Tree) -> None:
        self._rules = tree.rules
        self._nodes: dict[int, Node] = {}
        self._cells: dict[tuple[Any, int], _Cell] = {}
        self._closed: dict[int, tuple[tuple[_Cell, ...], bool]] = {}
        self._steps: dict[tuple[States, str], States] = {}
        self._by_id: dict[int, _Cell] = {}
        first = self._cell(self._told(Ref(tree.start)), ())
        leaves, over = self._close(first)
        self.start: States = frozenset(map(id, leaves)) | ({_OVER} if over else frozenset())
        self._by_id[_OVER] = ()

    def matches(self, text: str) -> bool:
        """Whether the tree allows exactly this text."""
        return self.is_end(self._run(text))

    def begins(self, text: str) -> bool:
        """Whether the tree allows a text that begins with this one."""
        return bool(self._run(text))

    def _run(self, text: str) -> States:
        states = self.start
        for char in text:
            states = self.step(states, char)
            if not states:
                break
        return states

    def is_end(self, states: States) -> bool:
        """Whether the text may be over."""
        return _OVER in states

    def next_chars(self, states: States) -> list[Ranges]:
        """The sets of characters that may come next."""
        found: dict[Ranges, None] = {}
        for number in states:
            cell = self._by_id[number]
            if cell:
                found.update(dict.fromkeys(self._read(cell[0])))
        return list(found)

    def _read(self, item: tuple[Any, ...]) -> list[Ranges]:
        """The characters that something reads next."""
        if item[0] == "lit":
            code = ord(item[1][item[2]])
            return [((code, code),)]
        if item[0] == "chars":
            return [item[1]]
        node = self._nodes[item[1]]
        assert isinstance(node, Text)
        if item[3] == node.most:
            return []
        return [ranges for ranges, _ in dfa_of(node).rows[item[2]]]

    def step(self, states: States, char: str) -> States:
        """The states behind a character; none where it can't come."""
        found = self._steps.get((states, char))
        if found is not None:
            return found
        leaves: set[int] = set()
        for number in states:
            after = self._behind(self._by_id[number], char)
            if after is not None:
                more, over = self._close(after)
                leaves.update(map(id, more))
                if over:
                    leaves.add(_OVER)
        made = frozenset(leaves)
        if len(self._steps) < KEPT:
            self._steps[states, char] = made
        return made

    def _told(self, node: Node) -> tuple[Any, ...]:
        self._nodes[id(node)] = node
        return ("node", id(node))

    def _cell(self, item: tuple[Any, ...], rest: _Cell) -> _Cell:
        cell = self._cells.get((item, id(rest)))
        if cell is None:
            made = item, rest
            self._by_id[id(made)] = made  # before another thread can come upon it
            cell = self._cells.setdefault((item, id(rest)), made)
        return cell

    def _close(self, cell: _Cell) -> tuple[tuple[_Cell, ...], bool]:
        """The cells that read a character next, and whether the text may be over."""
        known = self._closed.get(id(cell))
        if known is not None:
            return known
        leaves: dict[int, _Cell] = {}
        over, seen, todo = False, set[int](), [cell]
        while todo:
            at = todo.pop()
            if id(at) in seen:
                continue
            seen.add(id(at))
            if not at:
                over = True
                continue
            item, rest = at
            if item[0] == "node":
                todo += self._opened(self._nodes[item[1]], rest)
            elif item[0] == "rep":
                _, number, least, most = item
                if not least:
                    todo.append(rest)
                if most != 0:
                    part = self._nodes[number]
                    assert isinstance(part, Rep)
                    again = ("rep", number, max(least - 1, 0), None if most is None else most - 1)
                    todo.append(self._cell(self._told(part.part), self._cell(again, rest)))
            else:
                leaves[id(at)] = at
                if item[0] == "text" and self._may_end(item):
                    todo.append(rest)
        self._closed[id(cell)] = made = (tuple(leaves.values()), over)
        return made

    def _opened(self, node: Node, rest: _Cell) -> list[_Cell]:
        if isinstance(node, Lit):
            return [self._cell(("lit", node.text, 0), rest) if node.text else rest]
        if isinstance(node, Chars):
            return [self._cell(("chars", node.ranges), rest)]
        if isinstance(node, Seq):
            for part in reversed(node.parts):
                rest = self._cell(self._told(part), rest)
            return [rest]
        if isinstance(node, Alt):
            return [self._cell(self._told(option), rest) for option in node.options]
        if isinstance(node, Rep):
            return [self._cell(("rep", self._told(node)[1], node.least, node.most), rest)]
        if isinstance(node, Text):
            return [self._cell(("text", self._told(node)[1], 0, 0), rest)]
        inner = node.node if isinstance(node, Json) else self._rules[node.name]
        return [self._cell(self._told(inner), rest)]

    def _may_end(self, item: tuple[Any, ...]) -> bool:
        text = self._nodes[item[1]]
        assert isinstance(text, Text)
        return item[3] >= text.least and item[2] in dfa_of(text).ends

    def _behind(self, cell: _Cell, char: str) -> _Cell | None:
        if not cell:
            return None
        item, rest = cell
        if item[0] == "lit":
            text, place = item[1], item[2]
            if text[place] != char:
                return None
            return rest if place + 1 == len(text) else self._cell(("lit", text, place + 1), rest)
        if item[0] == "chars":
            return rest if any(low <= ord(char) <= high for low, high in item[1]) else None
        node = self._nodes[item[1]]
        assert isinstance(node, Text)
        if item[3] == node.most:
            return None
        state = dfa_of(node).step(item[2], ord(char))
        if state < 0:
            return None
        size = item[3] + 1 if node.most is not None else min(item[3] + 1, node.least)
        return self._cell(("text", item[1], state, size), rest)


__all__ = ["Matcher", "States"]
