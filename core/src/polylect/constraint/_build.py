"""The tree of a lect's turns with some tools: its outline, and in it the calls of each tool."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from msgspec import structs

from .._errors import ConstraintError
from .._tools import Tool
from ..grammar import _patterns as patterns
from ..grammar import _tables as t
from ._after import after, living
from ._calls import LETTER, CallMaker
from ._delimiters import BLANK
from ._leads import lead
from ._notations import ElementText, JsonText, Notation, PythonText, TokenText, TypedText
from ._outline import Answer, Body, Id, Outline, Place, Step, outline
from ._probes import KEYS, ODD, VALUES, Odd, Prober
from ._residual import heads
from ._rules import Rules, before
from ._schema import Limits, json_node, value
from ._template import Finder, JsonCall, MemberCall, Template
from ._trace import Token
from ._tree import EMPTY, Alt, Layout, Lit, Node, Ref, Rep, Seq, Text, Tree

if TYPE_CHECKING:
    from .._text_lect import TextLect

STRING: dict[str, Any] = {"type": "string"}
OTHER: dict[str, Any] = {"type": ["array", "boolean", "number", "object"]}
PROBE: dict[str, Any] = {
    "type": "object",
    "properties": {KEYS[0]: {"const": VALUES[0]}},
    "required": [KEYS[0]],
    "additionalProperties": False,
}
"""A schema of just the probe's arguments."""


class Built(NamedTuple):
    """A tree, and why it allows less than the parser reads."""

    tree: Tree
    reasons: tuple[str, ...]


Then: TypeAlias = Literal["", "more", "none"]
"""What is written from a place on: anything; more than markers; nothing but markers."""


class Wanted(NamedTuple):
    """What a constraint is made for: which calls, how many, how long texts, and behind which beginning of the turn."""

    calls: bool = True
    other: bool = True
    """Whether turns without calls are allowed."""
    most: int | None = None
    """The most calls in a turn."""
    texts: bool = True
    """Whether there may be free text beside calls and answers."""
    limits: Limits = Limits()
    prefix: str = ""
    odd: frozenset[Odd] = frozenset(ODD)
    """Which turns are allowed that models rarely write."""


class Tongue:
    """What a lect writes, found once."""

    def __init__(self, lect: TextLect) -> None:
        self.lect = lect
        self._prober = Prober(lect)
        self._paths: dict[frozenset[Odd], Outline] = {}

    @cached_property
    def outline(self) -> Outline:
        """The paths of its turns."""
        return self.paths(frozenset(ODD))

    def paths(self, odd: frozenset[Odd]) -> Outline:
        """The paths of its turns, with these odd ones."""
        if odd in self._paths:
            return self._paths[odd]
        found = self._paths[odd] = outline(self._prober, odd)
        if not found.ends:
            raise ConstraintError(
                f"{self.lect.name} has no rule 'written' that its turns follow; its grammar needs one."
            )
        return found

    @cached_property
    def calls(self) -> tuple[Template, Notation | None]:
        """How its calls are written, and the values in them."""
        finder = Finder(self._prober, self.outline.bodies)
        given = self.lect.argument_notation()
        if given is not None:
            rules = Rules()
            whole = finder.whole(flat(value(PROBE, PROBE, given, rules, where="a probe"), rules))
            if whole is not None:
                return whole, given
        found = finder.template()
        if isinstance(found, JsonCall):
            return found, self._json_notation(finder)
        if found is not None:
            return found, self._typed_text(found.value, found.before_value)
        body = finder.body(("string",))
        if body is not None:
            token, before = body.holder(VALUES[0])
            notation = self._notation(token, before)
            if notation is not None:
                made = finder.members(lambda given: flat(notation.literal(given)))
                if made is not None:
                    return made, notation
        raise ConstraintError(f"The arguments of {self.lect.name}'s calls are in a notation that has no constraint.")

    def _json_notation(self, finder: Finder) -> Notation | None:
        body = finder.body(("string",))
        if body is not None and any(token.terminal == "@brackets" for token in body.tokens):
            return JsonText(Layout(), banned="[]")
        return None

    def _notation(self, token: Token, before: Token | None) -> Notation | None:
        tables = self.lect.grammar.tables
        if token.terminal == "@python_arguments":
            return PythonText()
        if token.terminal == "@token_object":
            return TokenText(tables.words[t.OBJECT_QUOTE])
        if token.terminal == "@elements":
            return ElementText(tables.words[t.ELEMENT_OPEN][:-1])
        return self._typed_text(token, before) if token.role == t.VALUE else None

    def _typed_text(self, token: Token, before: Token | None) -> Notation:
        tables = self.lect.grammar.tables
        begun: tuple[str, ...] = ()
        if before is not None and before.terminal in tables.markers:
            names = [move.terminal for move in tables.states[before.state] if move.terminal in tables.markers]
            others = {name: patterns.parse(tables.markers[name]) for name in names}
            begun = heads(others, before.terminal, before.text)
        text = tables.texts[token.terminal]
        return TypedText(text.delimiters, begun if text.guard is None else (*begun, text.guard))

    def build(self, tools: Iterable[Tool], wanted: Wanted) -> Built:
        """The tree of the turns with these tools."""
        paths = self.paths(wanted.odd)
        shape = paths.kept(calls=wanted.calls, other=wanted.other, texts=wanted.texts)
        if not shape.ends:
            what = "calls" if wanted.calls and not wanted.other else "turns without calls"
            raise ConstraintError(f"{self.lect.name} has no {what}.")
        less = [
            reason for odd, reason in ODD.items() if odd not in wanted.odd and paths != self.paths(wanted.odd | {odd})
        ]
        rules = Rules("".join(sorted({stop[0] for stop in self.lect.stops})))
        builder = _Builder(shape, rules, wanted)
        if wanted.calls:
            template, notation = self.calls
            builder.closing = shape.closing() if isinstance(template, MemberCall) else ""
            maker = CallMaker(
                self.lect.name, template, notation, rules, wanted.limits,
                alike=shape.alike(), closing=builder.closing, takes_key=self._prober.takes_key,
            )  # fmt: skip
            builder.tools = [maker.nodes(tool) for tool in tools]
        start = builder.place(shape.start, 0)
        tree = after(living(Tree(rules.rules, start.name)), shape.lead + wanted.prefix)
        return Built(tree, (*self.lect.unconstrained, *less, *rules.reasons))


class _Builder:
    """Makes the rules of the places of an outline."""

    def __init__(self, shape: Outline, rules: Rules, wanted: Wanted) -> None:
        self._shape, self._rules, self._wanted = shape, rules, wanted
        self._sure = shape.sure()
        self.tools: list[dict[bool, Node]] = []
        self.closing = ""  # stands behind each call, and is in the tools' nodes

    def place(self, place: Place, calls: int, then: Then = "") -> Ref:
        """The rule of what may be written from a place on, behind so many calls."""
        then = "" if then == "more" and place in self._sure else then
        had = f"{'c' * place.called}{'a' * place.answered}{'t' * place.said}{'m' * bool(place.begun)}"
        name = "-".join([f"s{place.state}{had}", *([str(calls)] if calls else []), *([then] if then else [])])
        return self._rules.once(("place", place, calls, then), name, lambda: self._from(place, calls, then))

    def _from(self, place: Place, calls: int, then: Then) -> Node:
        ways: list[Node] = [EMPTY] if place in self._shape.ends and then != "more" else []
        for step, target in self._shape.steps.get(place, ()):
            ways += self._ways(step, target, calls, then)
        return Alt(tuple(ways)) if len(ways) != 1 else ways[0]

    def _ways(self, step: Step, target: Place, calls: int, then: Then, *, in_text: bool = False) -> list[Seq]:
        """What a step begins; ``in_text``: behind a free text, which must know what is written next."""
        if then == "none" and not isinstance(step, Lit):
            return []
        if isinstance(step, Text):
            return self._text(structs.replace(step, most=self._wanted.limits.chars), target, calls)
        if isinstance(step, Body):
            most = self._wanted.most
            if most is not None and calls >= most:
                return []
            if self.closing:
                ((_, target),) = self._shape.steps[target]
            rest = self.place(target, calls + 1 if most is not None else 0, then)
            found = flattened([nodes[step.some] for nodes in self.tools if step.some in nodes])
            if not found:
                return []
            if in_text:
                return [Seq((*node.parts, rest)) for node in found]
            name = "calls" if step.some else "bare-calls"
            made = Alt(tuple(found)) if len(found) > 1 else found[0]
            return [Seq((self._rules.once((name,), name, lambda: made), rest))]
        if isinstance(step, Answer):
            return [Seq((Lit(step.before), self._answer(step), Lit(step.after), self.place(target, calls, then)))]
        node = Rep(LETTER, step.size, step.size) if isinstance(step, Id) else step
        return [Seq((node, self.place(target, calls, then)))]

    def _answer(self, step: Answer) -> Node:
        """What stands in the place of an answer."""
        limits = self._wanted.limits
        if step.kind == "brackets":
            self._rules.reason("an answer is written without [ ]")
            return Text((r"[\[\]]",), least=0, most=limits.chars)
        schema = STRING if step.kind == "text" else OTHER
        return json_node(schema, schema, Layout(), self._rules, where="the answer", limits=limits)

    def _text(self, text: Text, target: Place, calls: int) -> list[Seq]:
        """A free text, and what may be written behind it; it may be white space alone if that is more than markers."""
        ends = [Seq((before(text, ""),))] if target in self._shape.ends else []
        free = structs.replace(text, heads=tuple(head for head in text.heads if not head.endswith(BLANK)))
        for step, place in self._shape.steps.get(target, ()):
            ways: list[tuple[Text, Then]] = [(free, "more" if free != text else "")]
            if free != text and place not in self._sure:
                ways.append((text, "none"))
            for here, then in ways:
                for way in self._ways(step, place, calls, then, in_text=True):
                    ends.append(Seq((before(here, lead(way) or None), *way.parts)))
        return ends


def flattened(nodes: list[Node]) -> list[Seq]:
    """Nodes as sequences: those of alternatives one by one."""
    out: list[Seq] = []
    for node in nodes:
        if isinstance(node, Alt):
            out += flattened(list(node.options))
        else:
            out.append(node if isinstance(node, Seq) else Seq((node,)))
    return out


def flat(node: Node | None, rules: Rules | None = None) -> str:
    """The text of a node that allows one only."""
    if isinstance(node, Lit):
        return node.text
    if isinstance(node, Seq):
        return "".join([flat(part, rules) for part in node.parts])
    if isinstance(node, Ref) and rules is not None:
        return flat(rules.rules[node.name], rules)
    raise TypeError(f"{type(node).__name__} is no literal text")


__all__ = ["Built", "Tongue", "Wanted", "flat"]
