"""A tree as rules over lexemes, for engines that split a text into lexemes before they look at their rules.

Such a lexer is greedy: it goes on as long as any lexeme that may stand there can. So a free text and what ends it are
one lexeme, and so is everything around it that needs no rule. Where a lexeme could still go on behind its end, and what
follows begins like that, what follows is taken into it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from .._errors import ConstraintError
from ._ahead import endings
from ._clash import clash
from ._continued import Continued
from ._eliminate import groups, has_text, refs, retold, seq, size, solve_group
from ._head import apart
from ._items import Item, Look, Many, Place, Term, Token, Way, tied
from ._printed import WIDER, Reasons, wider
from ._ranges import Ranges, common
from ._tree import EMPTY, Alt, Json, Lit, Node, Ref, Rep, Seq, Text, Tree, children

LARGEST = 400
"""Values larger than this stay rules; see :func:`~._eliminate.size`."""
CHOICE = 100
"""The ways of a larger choice are lexemes of their own."""
ROUNDS = 200
"""So often is taken in what follows."""


class Effort(NamedTuple):
    """How long the ways of a tree are looked for."""

    growth: int
    """Until there are so many times as many ways as at first,"""
    pairs: int
    """and so many pairs of lexemes were compared,"""
    more: int
    """and so many more for each of those ways."""


LAST = Effort(8, 10_000, 100)
FIRST = Effort(4, 1_000, 20)
"""Where less text is the next try: twice what usual tools take; what takes more seldom comes to an end."""
_NUMERAL: Ranges = ((43, 43), (45, 46), (48, 57), (69, 69), (101, 101))


class Lexemes:
    """The rules of a tree over lexemes.

    Args:
        tree: the tree.
        own: whether the engine has a word for a JSON value.
        special: texts that are one token in the vocabulary.
        effort: how long it may take.
        row: so many parts that may be left out, one behind another, are lexemes that may be empty: fewer and shorter
            ones in all.

    Attributes:
        ways: by rule, what it may be.

    Raises:
        ConstraintError: a lexeme does not end where it must, whatever is taken into it.
    """

    def __init__(
        self,
        tree: Tree,
        own: Callable[[Json], bool],
        special: frozenset[str] = frozenset(),
        effort: Effort = LAST,
        row: int = 0,
    ) -> None:
        self._tree, self._speaks, self._special = tree, own, sorted(special, key=len, reverse=True)
        self._effort = effort
        self._apart = _longest_row(tree) > row
        self._opened: list[Json] = []
        self._told: dict[tuple[Term, Term, Ranges], bool] = {}
        self._pairs = 0
        self.start = tree.start
        while True:
            before = len(self._opened)
            self.ways: dict[str, list[Way]] = {}
            self._rests: dict[tuple[Way, str], str] = {}
            self._values = self._regular_rules()
            self._told_regular: dict[Node, Node | None] = {}
            self._write(tree.start)
            self._settle()
            if len(self._opened) == before:
                break

    def _own(self, json: Json) -> bool:
        return self._speaks(json) and json not in self._opened

    # --- writing ------------------------------------------------------------------------------------------------

    def _regular_rules(self) -> dict[str, Node]:
        """The rules that are values without free text, as nodes."""
        graph = {name: refs(node) for name, node in self._tree.rules.items()}
        found: dict[str, Node] = {}
        for group in groups(graph, [self._tree.start]):
            rules = {name: self._tree.rules[name] for name in group}
            outside = {name for one in group for name in graph[one]} - set(group)
            if outside <= found.keys() and not any(self._kept(node) for node in rules.values()):
                try:
                    made = solve_group(rules, group, _inside_json, found)
                except ConstraintError:
                    continue
                if all(size(made[name]) <= LARGEST for name in group):
                    found |= {name: made[name] for name in group}
        found.pop(self._tree.start, None)
        return found

    def _kept(self, node: Node) -> bool:
        """Whether a node holds what no value holds: free text, the engine's own JSON, tokens."""
        if type(node) is Json:
            return self._own(node) or self._kept(node.node)
        if type(node) is Lit:
            return any(text in node.text for text in self._special)
        return type(node) is Text or any(map(self._kept, children(node)))

    def _regular(self, node: Node) -> Node | None:
        """The node as one without references; None where it isn't regular."""
        if node not in self._told_regular:
            self._told_regular[node] = self._without_refs(node)
        return self._told_regular[node]

    def _without_refs(self, node: Node) -> Node | None:
        kind = type(node)
        if kind is Json:
            return None if self._own(cast("Json", node)) else self._regular(cast("Json", node).node)
        if kind is Ref:
            return self._values.get(cast("Ref", node).name)
        if kind is Lit:
            return None if any(text in cast("Lit", node).text for text in self._special) else node
        if not children(node):
            return node
        parts = [self._regular(part) for part in children(node)]
        told = [part for part in parts if part is not None]
        if len(told) < len(parts):
            return None
        if type(node) is Rep:
            return Rep(told[0], node.least, node.most)
        return seq(*told) if kind is Seq else Alt(tuple(told))

    def _write(self, name: str) -> None:
        if name not in self.ways:
            self.ways[name] = []
            self.ways[name] = self._ways(self._tree.rules[name], name)

    def _helper(self, node: Node, near: str) -> str:
        number = 2
        while f"{near}-{number}" in self.ways or f"{near}-{number}" in self._tree.rules:
            number += 1
        name = f"{near}-{number}"
        self.ways[name] = []
        self.ways[name] = self._options(node, name)
        return name

    def _ways(self, node: Node, near: str) -> list[Way]:
        regular = self._regular(node)
        if regular is not None and not (isinstance(node, Alt) and (has_text(node) or size(regular) > CHOICE)):
            return [() if regular in (EMPTY, Lit("")) else (Term(regular),)]
        if isinstance(node, Alt):
            return list(dict_of(way for option in node.options for way in self._ways(option, near)))
        if isinstance(node, Seq):
            items: list[Item] = []
            for part in node.parts:
                found = self._options(part, near)
                items += found[0] if len(found) == 1 else [Ref(self._helper(part, near))]
            return [tied(items)]
        if isinstance(node, Rep):
            return [(Many(self._helper(node.part, near), node.least, node.most),)]
        if isinstance(node, Lit):
            return [tuple(self._split(node.text))]
        if isinstance(node, Json):
            return [(node,)] if self._own(node) else self._ways(node.node, near)
        assert isinstance(node, Ref)
        self._write(node.name)
        return [(node,)]

    def _options(self, node: Node, near: str) -> list[Way]:
        """The ways of a part of several; in a long row, what may be left out is no lexeme that may be empty."""
        if self._apart and isinstance(node, Alt) and EMPTY in node.options:
            return list(dict_of(way for option in node.options for way in self._ways(option, near)))
        return self._ways(node, near)

    def _split(self, text: str) -> Iterator[Term]:
        while text:
            found = [(text.find(token), token) for token in self._special if token in text]
            if not found:
                yield Term(Lit(text))
                return
            at, token = min(found, key=lambda one: (one[0], -len(one[1])))
            yield Term(Lit(text[:at]) if at else EMPTY, token)
            text = text[at + len(token) :]

    # --- what stands where --------------------------------------------------------------------------------------

    def _settle(self) -> None:
        """Take what follows into lexemes until each ends where it must."""
        size = 2 + sum(map(len, self.ways.values()))
        most = self._effort.growth * size
        self._pairs = len(self._told) + self._effort.pairs + self._effort.more * size
        for _ in range(ROUNDS):
            places, values = self._clashes()
            if values:
                self._opened += values
                return
            if not places:
                return
            inner = [place for place in places if not self._is_last(place)]
            for place in sorted(inner, reverse=True):
                self._take_in(place)
                if sum(map(len, self.ways.values())) > most:
                    raise self._endless()
            if not inner:
                Continued(self.ways, {place[0] for place in places}).write()
            self._prune()
        raise self._endless()

    def _endless(self) -> ConstraintError:
        return ConstraintError(f"The rule {self.start!r} can't be split into lexemes that end where they must.")

    def _is_last(self, place: Place) -> bool:
        """Whether what follows a lexeme is not in its rule."""
        way, item = self.ways[place[0]][place[1]], self._at(place)
        return place[2] + 1 == len(way) and not (isinstance(item, Term) and item.special)

    def _prune(self) -> None:
        """Forget rules that nothing refers to."""
        todo, found = [self.start], {self.start: None}
        for name in todo:
            used = [item.name for way in self.ways[name] for item in way if isinstance(item, Ref | Many)]
            todo += [one for one in dict.fromkeys(used) if one not in found]
            found |= dict.fromkeys(used)
        self.ways = {name: ways for name, ways in self.ways.items() if name in found}

    def _clashes(self) -> tuple[list[Place], list[Json]]:
        """Lexemes that may go on where they must end, one of each way; and JSON values that may."""
        look = Look(self.ways, self.start, self._tree.rules)
        places: dict[tuple[str, int], Place] = {}
        values: dict[Json, None] = {}
        looked: list[frozenset[Place]] = []
        for context in sorted(look.contexts(), key=len, reverse=True):
            if any(context <= larger for larger in looked):
                continue
            looked.append(context)
            same: dict[Item, list[Place]] = {}
            for place in sorted(context):
                same.setdefault(self._at(place), []).append(place)
            near = look.near([some[0] for some in same.values()])
            for some in same.values():
                told: dict[Ranges, bool] = {}
                for place in some:
                    after = look.after(place)
                    if after and place[:2] not in places:
                        if after not in told:
                            told[after] = self._goes_on(look, some[0], near[some[0]], after, values)
                        if told[after]:
                            places[place[:2]] = place
        return list(places.values()), list(values)

    def _goes_on(self, look: Look, place: Place, near: list[Place], after: Ranges, values: dict[Json, None]) -> bool:
        """Whether a lexeme, or another one, may go on before these characters; JSON that may is added to ``values``."""
        item, begun = self._at(place), look.head(place)
        if isinstance(item, Json):
            if common(after, _NUMERAL) and common(look.first(place), _NUMERAL):
                values[item] = None
            return False
        assert isinstance(item, Term)
        for other in near:
            told, second = look.head(other), self._at(other)
            if begun and told and apart(begun, told):
                continue
            if isinstance(second, Json):
                if common(look.first(place), look.first(other)):
                    values[second] = None
            elif isinstance(second, Term) and self._clash(item, second, after):
                return True
        return False

    def _clash(self, one: Term, other: Term, after: Ranges) -> bool:
        key = one, other, after
        if key not in self._told:
            if len(self._told) >= self._pairs:
                raise self._endless()
            self._told[key] = clash(one.whole, other.whole, after)
        return self._told[key]

    def _at(self, place: Place) -> Item:
        return self.ways[place[0]][place[1]][place[2]]

    def _take_in(self, place: Place) -> None:
        """Write out what follows a lexeme next to it."""
        name, number, at = place
        way = self.ways[name][number]
        found = way[at]
        if isinstance(found, Term) and found.special:  # the text can't end there, the token can
            before = () if found.node == EMPTY else (Term(found.node),)
            as_text = tied((*way[:at], Term(found.whole), *way[at + 1 :]))
            self.ways[name][number : number + 1] = [as_text, (*way[:at], *before, Token(found.special), *way[at + 1 :])]
            return
        item, rest = way[at + 1], way[at + 2 :]
        told = endings(self.ways, found, way[at + 1 :])
        if told is not None:
            ways: list[Way] = [
                tied((*way[: at + 1], Term(Lit(end)), *self._rest(way[at + 1 :], end, left))) if end else way[: at + 1]
                for end, left in told.items()
            ]
        elif isinstance(item, Ref):
            ways = [tied((*way[: at + 1], *inner, *rest)) for inner in self.ways[item.name]]
        elif isinstance(item, Many):
            least, most = max(item.least - 1, 0), None if item.most is None else item.most - 1
            more: Way = () if most == 0 else (Many(item.name, least, most),)
            ways = [tied((*way[: at + 1], Ref(item.name), *more, *rest))]
            if not item.least:
                ways.append(tied((*way[: at + 1], *rest)))
        else:
            raise ConstraintError(f"In the rule {name!r}, nothing tells where {way[at]!r:.80} ends and a value begins.")
        self.ways[name][number : number + 1] = ways

    def _rest(self, way: Way, begun: str, left: list[Way]) -> Way:
        """What is left of a way behind a literal that it may begin with, as a rule that all share who need it."""
        if len(left) == 1:
            return left[0]
        key = way, begun
        if self._rests.get(key) not in self.ways:
            number = len(self._rests) + 1
            while f"rest-{number}" in self.ways:
                number += 1
            self._rests[key] = name = f"rest-{number}"
            self.ways[name] = left
        return (Ref(self._rests[key]),)


def split(
    tree: Tree, own: Callable[[Json], bool], reasons: Reasons, special: frozenset[str] = frozenset(), row: int = 0
) -> Lexemes:
    """The tree over lexemes; with less text, if it can't be split otherwise.

    Raises:
        ConstraintError: as :class:`Lexemes` does.
    """
    less = with_less_text(tree)
    if less == tree:
        return Lexemes(tree, own, special, row=row)
    try:
        return Lexemes(tree, own, special, FIRST, row)
    except ConstraintError:
        reasons.add(WIDER)
        return Lexemes(less, own, special, row=row)


def with_less_text(tree: Tree) -> Tree:
    """The tree with texts that hold nothing which would end them at the end of the message."""
    return Tree({name: retold(node, wider) for name, node in tree.rules.items()}, tree.start)


def _longest_row(tree: Tree) -> int:
    """How many rules follow one another at the most of which each has a part that may be left out."""
    rows: dict[str, int] = {}
    for name, node in reversed(tree.rules.items()):  # who is referred to mostly stands behind who refers to it
        if isinstance(node, Seq) and node.parts and isinstance(last := node.parts[-1], Ref):
            optional = any(isinstance(part, Alt) and EMPTY in part.options for part in node.parts)
            rows[name] = optional + rows.get(last.name, 0)
    return max(rows.values(), default=0)


def _inside_json(node: Node) -> Node | None:
    return node.node if type(node) is Json else None


def dict_of(ways: Iterator[Way]) -> list[Way]:
    """The same ways, none twice."""
    out: list[Way] = []
    for way in ways:
        if way not in out:
            out.append(way)
    return out


__all__ = ["Lexemes", "split", "with_less_text"]
