"""The calls of a lect, tool by tool: the template with its holes filled by the tool's schema."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .._errors import ConstraintError
from .._tools import Tool
from ._notations import Notation
from ._probes import KEYS, NAME
from ._rules import Rules, followed
from ._schema import Limits, json_node, value
from ._template import Counted, JsonCall, MemberCall, Pieces, TextCall
from ._tree import EMPTY, Alt, Chars, Lit, Node, Rep, Seq

if TYPE_CHECKING:
    from ._template import Template

NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
DIGIT = Chars(((48, 57),))
LETTER = Chars(((48, 57), (97, 122)))


def counted(piece: Counted) -> Node:
    """What a counted piece of a call may be."""
    if piece.size is None:
        return Rep(DIGIT, 1, 3)
    return Rep(DIGIT if piece.digits_only else LETTER, piece.size, piece.size)


def filled(pieces: Pieces, name: str, *keys: str) -> list[Node]:
    """The nodes of a text of the template, with the tool's name and its keys."""
    out: list[Node] = []
    for piece in pieces:
        if isinstance(piece, Counted):
            out.append(counted(piece))
            continue
        text = piece.replace(NAME, _inside(name))
        for probe, key in zip(KEYS, keys, strict=False):
            text = text.replace(probe, key)
        if text:
            out.append(Lit(text))
    return out


def _inside(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)[1:-1]


def _closed(node: Node, text: str) -> tuple[Node, ...]:
    """A value and the text behind it."""
    made = followed(node, text)
    return made.parts if isinstance(made, Seq) else (made,)


class CallMaker:
    """Makes the nodes of one lect's calls."""

    def __init__(self, lect: str, template: Template, notation: Notation | None, rules: Rules, limits: Limits) -> None:
        self._lect, self._template, self._notation = lect, template, notation
        self._rules, self._limits = rules, limits

    def nodes(self, tool: Tool) -> dict[bool, Node]:
        """The calls of a tool: with arguments (True), and without any.

        Raises:
            ConstraintError: the lect has no way to write what the schema wants, or no constraint has.
        """
        template = self._template
        if isinstance(template, JsonCall):
            node = self._json(tool, template)
            return {True: node}
        if isinstance(template, TextCall):
            return {True: self._text(tool, template)}
        return self._members(tool, template)

    def _json(self, tool: Tool, template: JsonCall) -> Node:
        schema = NOTHING if tool.takes_nothing else tool.parameters
        where = f"the tool {tool.name!r}"
        inner: Node | None
        if self._notation is None:
            inner = json_node(schema, schema, template.layout, self._rules, where=where, limits=self._limits)
        else:
            inner = value(schema, schema, self._notation, self._rules, where=where, limits=self._limits)
        if inner is None:
            raise ConstraintError(f"The tool {tool.name!r} takes nothing that {self._lect} can write.")
        return Seq((*filled(template.before, tool.name), inner, *filled(template.after, tool.name)))

    def _text(self, tool: Tool, template: TextCall) -> Node:
        if len(tool.properties) != 1 or self._notation is None:
            raise ConstraintError(f"The tool {tool.name!r} has not just one argument, and its calls carry a text.")
        (schema,) = tool.properties.values()
        where = f"the tool {tool.name!r}"
        kinds = frozenset({"string"})
        inner = value(
            schema, tool.parameters, self._notation, self._rules, where=where, limits=self._limits, kinds=kinds
        )
        if inner is None:
            raise ConstraintError(f"The argument of the tool {tool.name!r} is no text, and its calls carry one.")
        behind = "".join(piece for piece in template.after if isinstance(piece, str))
        return Seq((*filled(template.before, tool.name), *_closed(inner, behind)))

    @staticmethod
    def _rule(tool: Tool) -> str:
        plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in tool.name.lower())
        return f"call-{plain}"

    # --- arguments one by one -------------------------------------------------------------------------------------

    def _members(self, tool: Tool, template: MemberCall) -> dict[bool, Node]:
        out: dict[bool, Node] = {}
        if not tool.required and template.none is not None:
            out[False] = Seq(tuple(filled(template.none, tool.name)))
        elif not tool.required and not tool.properties:
            raise ConstraintError(
                f"The tool {tool.name!r} takes nothing, and a call without arguments can't be written."
            )
        members = list(tool.properties.items())
        if members:
            out[True] = self._from(tool, template, members, 0, begun=False)
        return out

    def _from(self, tool: Tool, template: MemberCall, members: list[tuple[str, Any]], at: int, *, begun: bool) -> Node:
        """The members from one on; ``begun``: another one stands before them."""
        if at == len(members):
            return Seq(tuple(filled((template.end,), tool.name))) if begun else EMPTY
        key, schema = members[at]
        behind = self._rules.once(
            ("members", tool.name, at + 1, True),
            f"{self._rule(tool)}-{at + 1}",
            lambda: self._from(tool, template, members, at + 1, begun=True),
        )
        ways = [
            Seq((*before, *_closed(inner, template.close.replace(KEYS[0], key)), behind))
            for before, inner in self._values(tool, template, key, schema, begun=begun)
        ]
        if key not in tool.required:
            if begun:
                ways.append(Seq((behind,)))
            elif at + 1 < len(members):
                later = self._rules.once(
                    ("members", tool.name, at + 1, False),
                    f"{self._rule(tool)}-{at + 1}-first",
                    lambda: self._from(tool, template, members, at + 1, begun=False),
                )
                ways.append(Seq((later,)))
        return Alt(tuple(ways)) if len(ways) > 1 else ways[0]

    def _values(
        self, tool: Tool, template: MemberCall, key: str, schema: Any, *, begun: bool
    ) -> list[tuple[list[Node], Node]]:
        """What stands before a value and the value, by the types that are announced alike."""
        assert self._notation is not None
        before: dict[str, list[Node]] = {}
        kinds: dict[str, set[str]] = {}
        for kind in template.first:
            nodes = (
                filled((template.next[kind],), tool.name, *KEYS[:1], key)
                if begun
                else filled(template.first[kind], tool.name, key)
            )
            before[repr(nodes)] = nodes
            kinds.setdefault(repr(nodes), set()).add(kind)
        where = f"{tool.name}.{key}"
        found = []
        for told, some in kinds.items():
            inner = value(
                schema, tool.parameters, self._notation, self._rules, where=where, limits=self._limits,
                kinds=frozenset(some),
            )  # fmt: skip
            if inner is not None:
                found.append((before[told], inner))
        if not found:
            raise ConstraintError(f"The argument {where!r} has no value that this lect can write.")
        return found


__all__ = ["CallMaker", "counted", "filled"]
