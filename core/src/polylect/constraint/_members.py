"""The arguments of a call that stand one by one, as rules: each argument, and behind it those that may follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from .._errors import ConstraintError
from .._tools import Tool
from ._probes import KEYS
from ._rules import Rules, alt, followed, seq
from ._template import MemberCall
from ._tree import EMPTY, Alt, Lit, Node

Value: TypeAlias = Callable[[str, frozenset[str]], Node | None]
"""The values of one of these types of the argument with this key; None where it has none that the lect can write."""


class Members:
    """The arguments of one tool's calls, in the order of its schema.

    Args:
        tool: the tool.
        template: how the lect writes its calls.
        value: gives the values of an argument.
        rules: where rules are made.
        keys: the arguments that the lect can write.
    """

    def __init__(self, tool: Tool, template: MemberCall, value: Value, rules: Rules, keys: Sequence[str]) -> None:
        self._tool, self._template, self._value, self._rules = tool, template, value, rules
        self._keys = keys
        self._made: dict[tuple[str, frozenset[str]], Node | None] = {}
        plain = "".join(char if char.isascii() and char.isalnum() else "-" for char in tool.name.lower())
        self._name = f"call-{plain}"

    def node(self, *, none: bool) -> Node:
        """Some of the arguments, all that must be there among them, and the end of the call; ``none``: or just that.

        Raises:
            ConstraintError: an argument has no value that the lect can write.
        """
        any_number = none or bool(self._tool.required)
        return self._others(0) if any_number and not self._template.between else self._first(0, none=none)

    def _first(self, at: int, *, none: bool) -> Node:
        """The arguments from one on, where none stands before them."""
        if at == len(self._keys):
            return Lit(self._template.end)
        ways = [seq(self._member(at, ""), self._behind(at))]
        if not self._is_required(at) and (none or at + 1 < len(self._keys)):
            later = self._rules.once(
                ("members", self._tool.name, at + 1, False),
                f"{self._name}-{at + 1}-first",
                lambda: self._first(at + 1, none=none),
            )
            ways.append(later)
        return Alt(tuple(ways)) if len(ways) > 1 else ways[0]

    def _others(self, at: int) -> Node:
        """The arguments from one on, where another one stands before them or none need be."""
        if at == len(self._keys):
            return Lit(self._template.end)
        member = self._member(at, self._template.between)
        if not self._is_required(at):
            member = Alt((*(member.options if isinstance(member, Alt) else (member,)), EMPTY))
        return seq(member, self._behind(at))

    def _behind(self, at: int) -> Node:
        """What may stand behind an argument."""
        key = "members", self._tool.name, at + 1, True
        return self._rules.once(key, f"{self._name}-{at + 1}", lambda: self._others(at + 1))

    def _is_required(self, at: int) -> bool:
        return self._keys[at] in self._tool.required

    def _member(self, at: int, before: str) -> Node:
        """An argument, by the types that are announced alike."""
        key = self._keys[at]
        kinds: dict[str, set[str]] = {}
        for kind, text in self._template.members.items():
            kinds.setdefault(before + text.replace(KEYS[0], key), set()).add(kind)
        close = self._template.close.replace(KEYS[0], key)
        found = [
            seq(Lit(begin), followed(value, close))
            for begin, some in kinds.items()
            if (value := self._values(key, frozenset(some))) is not None
        ]
        made = alt(found)
        if made is None:
            where = f"{self._tool.name}.{key}"
            raise ConstraintError(f"The argument {where!r} has no value that this lect can write.")
        return made

    def _values(self, key: str, kinds: frozenset[str]) -> Node | None:
        if (key, kinds) not in self._made:
            self._made[key, kinds] = self._value(key, kinds)
        return self._made[key, kinds]


__all__ = ["Members"]
