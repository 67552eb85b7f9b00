"""The calls of a lect, tool by tool: the template with its holes filled by the tool's schema."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .._errors import ConstraintError
from .._tools import Tool
from ._members import Members
from ._notations import Notation
from ._probes import NAME
from ._rules import Rules, followed, seq
from ._schema import Limits, json_node, value
from ._template import Counted, JsonCall, MemberCall, Pieces, TextCall
from ._tree import Chars, Lit, Node, Rep, Seq

if TYPE_CHECKING:
    from ._template import Template

NOTHING: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_]*").fullmatch
DIGIT = Chars(((48, 57),))
LETTER = Chars(((48, 57), (97, 122)))


def counted(piece: Counted) -> Node:
    """What a counted piece of a call may be."""
    if piece.size is None:
        return Rep(DIGIT, 1, 3)
    return Rep(DIGIT if piece.digits_only else LETTER, piece.size, piece.size)


def filled(pieces: Pieces, name: str) -> list[Node]:
    """The nodes of a text of the template, with the tool's name."""
    out: list[Node] = []
    for piece in pieces:
        if isinstance(piece, Counted):
            out.append(counted(piece))
        elif text := piece.replace(NAME, _inside(name)):
            out.append(Lit(text))
    return out


def _inside(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)[1:-1]


def _joined(pieces: Pieces) -> Pieces:
    """The same with neighbouring texts joined."""
    out: list[str | Counted] = []
    for piece in pieces:
        last = out[-1] if out else None
        if isinstance(piece, str) and isinstance(last, str):
            out[-1] = last + piece
        elif piece:
            out.append(piece)
    return tuple(out)


class CallMaker:
    """Makes the nodes of one lect's calls.

    Args:
        lect: the lect's name.
        template: how it writes a call.
        notation: how it writes values, where they are no JSON.
        rules: where rules are made.
        limits: the most of what a schema leaves open.
        alike: whether calls without arguments stand where others do.
        closing: what is written behind each call whose arguments stand one by one.
        takes_key: whether an argument of a name can be one of those.
    """

    def __init__(
        self,
        lect: str,
        template: Template,
        notation: Notation | None,
        rules: Rules,
        limits: Limits,
        *,
        alike: bool = False,
        closing: str = "",
        takes_key: Callable[[str], bool] = bool,
    ) -> None:
        if isinstance(template, MemberCall) and closing:
            none = None if template.none is None else (*template.none, closing)
            template = template._replace(end=template.end + closing, none=none)
        self._lect, self._template, self._notation = lect, template, notation
        self._rules, self._limits = rules, limits
        self._alike, self._takes_key = alike, takes_key

    def nodes(self, tool: Tool) -> dict[bool, Node]:
        """The calls of a tool: with arguments (True), and without any; both under True where they are written alike.

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
        return seq(*filled(template.before, tool.name), followed(inner, behind))

    # --- arguments one by one -------------------------------------------------------------------------------------

    def _members(self, tool: Tool, template: MemberCall) -> dict[bool, Node]:
        members = self._writable(tool)
        bare = None if template.none is None else _joined(template.none)
        alike = self._alike and bare == _joined((*template.opening, template.end))
        out: dict[bool, Node] = {}
        if not tool.required and not (members and alike):
            if template.none is not None:
                out[False] = Seq(tuple(filled(template.none, tool.name)))
            elif not members:
                raise ConstraintError(
                    f"The tool {tool.name!r} takes nothing, and a call without arguments can't be written."
                )
        if members:
            arguments = Members(tool, template, functools.partial(self._value, tool), self._rules, members)
            out[True] = seq(*filled(template.opening, tool.name), arguments.node(none=alike))
        return out

    def _writable(self, tool: Tool) -> list[str]:
        """The arguments whose names the lect writes as they are."""
        found = []
        for key in tool.properties:
            if _PLAIN(key) or self._takes_key(key):
                found.append(key)
            elif key in tool.required:
                raise ConstraintError(f"{self._lect} can't write the name of the argument {tool.name!r}.{key!r:.80}.")
            else:
                self._rules.reason(f"the tool {tool.name!r}: the argument {key!r:.60} can't be written")
        return found

    def _value(self, tool: Tool, key: str, kinds: frozenset[str]) -> Node | None:
        assert self._notation is not None
        schema, where = tool.properties[key], f"{tool.name}.{key}"
        return value(
            schema, tool.parameters, self._notation, self._rules, where=where, limits=self._limits, kinds=kinds
        )


__all__ = ["CallMaker", "counted", "filled"]
