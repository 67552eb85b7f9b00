"""Random texts of a tree, for tests and for a look at what a constraint allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._dfa import Dfa, dfa_of
from ._ranges import Ranges, common
from ._tree import Alt, Chars, Json, Lit, Node, Ref, Rep, Seq, Text, Tree

if TYPE_CHECKING:
    import random

_LIKELY: Ranges = ((9, 10), (32, 126))
_ODD: Ranges = ((0xE9, 0xE9), (0x4E2D, 0x4E2D), (0x1F600, 0x1F600))
_NEVER = 1 << 30


class Sampler:
    """Writes texts of one tree."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._least: dict[str, int] = dict.fromkeys(tree.rules, _NEVER)
        self._options: dict[int, tuple[list[Node], Node]] = {}  # by a choice's id; the tree keeps it alive
        changed = True
        while changed:
            changed = False
            for name, node in reversed(tree.rules.items()):  # who is referred to mostly stands behind who refers to it
                size = self._size(node)
                if size < self._least[name]:
                    self._least[name], changed = size, True

    def sample(self, rng: random.Random, size: int = 40) -> str:
        """A text; behind ``size`` characters the shortest way to the end is taken.

        Args:
            rng: where chance comes from.
            size: roughly how many characters are free.
        """
        out: list[str] = []
        room = size
        todo: list[Node] = [Ref(self._tree.start)]
        while todo:
            node = todo.pop()
            if isinstance(node, Lit):
                out.append(node.text)
            elif isinstance(node, Chars):
                out.append(_char(rng, node.ranges))
                room -= 1
            elif isinstance(node, Seq):
                todo += reversed(node.parts)
            elif isinstance(node, Alt):
                options, shortest = self._living(node)
                todo.append(rng.choice(options if room > 0 else [shortest]))
            elif isinstance(node, Rep):
                free = 3 if node.most is None else min(node.most - node.least, 3)
                todo += [node.part] * (node.least + (rng.randint(0, free) if room > 0 else 0))
            elif isinstance(node, Text):
                written = _text(rng, node, max(room, 0))
                out.append(written)
                room -= len(written)
            elif isinstance(node, Json):
                todo.append(node.node)
            else:
                room -= 1
                todo.append(self._tree.rules[node.name])
        return "".join(out)

    def _living(self, node: Alt) -> tuple[list[Node], Node]:
        """The options of which a text ends, and the shortest of them."""
        found = self._options.get(id(node))
        if found is None:
            living = [option for option in node.options if self._size(option) < _NEVER]
            found = self._options[id(node)] = living, min(node.options, key=self._size)
        return found

    def _size(self, node: Node) -> int:
        """The fewest characters and rules that the node takes."""
        if isinstance(node, Lit):
            return len(node.text)
        if isinstance(node, Chars):
            return 1
        if isinstance(node, Seq):
            return min(sum(map(self._size, node.parts)), _NEVER)
        if isinstance(node, Alt):
            return min(map(self._size, node.options), default=_NEVER)
        if isinstance(node, Rep):
            return min(self._size(node.part) * node.least, _NEVER)
        if isinstance(node, Text):
            return node.least
        if isinstance(node, Json):
            return self._size(node.node)
        return min(self._least[node.name] + 1, _NEVER)


def _text(rng: random.Random, text: Text, room: int) -> str:
    dfa = dfa_of(text)
    most = max(room, text.least) if text.most is None else min(max(room, text.least), text.most)
    wanted = rng.randint(text.least, max(text.least, min(most, text.least + 12)))
    out: list[str] = []
    state = 0
    while len(out) < wanted or state not in dfa.ends:
        left = None if text.most is None else text.most - len(out) - 1
        out_char = _step(rng, dfa, state, left, home=len(out) >= wanted)
        if out_char is None:
            break
        out.append(out_char)
        state = dfa.step(state, ord(out_char))
    return "".join(out)


def _step(rng: random.Random, dfa: Dfa, state: int, left: int | None, *, home: bool) -> str | None:
    """A character that leaves a way to an end of at most ``left`` characters."""
    arcs = [(ranges, dfa.far[to]) for ranges, to in dfa.rows[state] if dfa.far[to] >= 0]
    if left is not None:
        arcs = [(ranges, far) for ranges, far in arcs if far <= left]
    if home:
        near = min((far for _, far in arcs), default=0)
        arcs = [(ranges, far) for ranges, far in arcs if far == near]
    return _char(rng, rng.choice(arcs)[0]) if arcs else None


def _char(rng: random.Random, ranges: Ranges) -> str:
    some = common(ranges, _ODD if rng.random() < 0.1 else _LIKELY) or ranges
    low, high = rng.choice(some)
    code = rng.randint(low, high)
    return chr(code if not 0xD800 <= code <= 0xDFFF else low)


__all__ = ["Sampler"]
