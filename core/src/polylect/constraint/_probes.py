"""What a lect writes for probes: every shape of a turn, and calls with arguments that are easy to find again."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from .._errors import PolylectError
from .._tools import Toolbox, toolbox
from .._values import Call, Reply
from ._trace import Token, Tracer

if TYPE_CHECKING:
    from .._text_lect import TextLect

NAME, KEYS, VALUES = "zt7q", ("zk1q", "zk2q"), ("zv1q", "zv2q")
"""A tool's name, its keys and their texts, which no tongue has a word for."""
OTHER_KEY = "zk3q"
REASONING, CONTENT, ANSWER = "zr7q", "zc7q", "za7q"
CALLS = 3
"""Calls in one turn, as many as it takes to see what their numbers change."""
Odd: TypeAlias = Literal["breaks", "json"]
ODD: dict[Odd, str] = {
    "breaks": "no text ends in a line break where other markers follow it than elsewhere",
    "json": "an answer is a text",
}
"""Kinds of turns that models rarely write, and what is true of all others."""
OF_TYPE: dict[str, Any] = {
    "string": VALUES[0], "integer": 70417, "number": 7041.5, "boolean": True, "null": None, "array": [70417],
    "object": {"zo7q": 70417},
}  # fmt: skip


class Turn(NamedTuple):
    """A turn that a lect wrote, token by token; ``read`` are the tokens that it is read by, which may be others."""

    reply: Reply
    text: str
    tokens: list[Token]
    read: list[Token]


def tool(kinds: tuple[str, ...], name: str = NAME) -> Toolbox:
    """A tool with arguments of these types, none of them required."""
    members = {key: {"type": kind} for key, kind in zip(KEYS, kinds, strict=False)}
    schema = {"type": "object", "properties": members, "additionalProperties": False}
    box = toolbox([{"type": "function", "function": {"name": name, "description": "", "parameters": schema}}])
    assert box is not None
    return box


class Prober:
    """Has one lect write probes."""

    def __init__(self, lect: TextLect) -> None:
        self.lect = lect
        self.trace = Tracer(lect)
        self._trace_read = Tracer(lect.read_by, "start")
        self._keys: dict[str, bool] = {}

    def written(self, reply: Reply, tools: Toolbox) -> Turn | None:
        """The turn; None where the tongue has no place for it, or an agent could not go on from it."""
        try:
            text = self.lect.format(reply, tools=tools)
            self.lect.decide(self.lect.parse(text, tools=tools))
        except PolylectError:
            return None
        tokens = self.trace(text)
        return None if tokens is None else Turn(reply, text, tokens, self._trace_read(text) or [])

    def call(self, kinds: tuple[str, ...] = ("string",), name: str = NAME) -> Turn | None:
        """A call of a tool whose arguments have these types."""
        values = [OF_TYPE[kind] for kind in kinds]
        if len(values) > 1 and values[1] == VALUES[0]:
            values[1] = VALUES[1]
        made = Call(name, dict(zip(KEYS, values, strict=False)))
        return self.written(Reply(calls=(made,)), tool(kinds, name))

    def takes_key(self, key: str) -> bool:
        """Whether an argument of this name can be read that is written as those of plain names are."""
        found = self._keys.get(key)
        if found is None:
            found = self._keys[key] = bool(key) and self._reads_key(key)
        return found

    def _reads_key(self, key: str) -> bool:
        def box(*names: str) -> Toolbox | None:
            members = {name: {"type": "string"} for name in names}
            return toolbox([{"name": NAME, "parameters": {"type": "object", "properties": members}}])

        plain = {KEYS[0]: VALUES[0], OTHER_KEY: VALUES[1], KEYS[1]: VALUES[0]}
        wanted = {name.replace(OTHER_KEY, key): value for name, value in plain.items()}
        try:
            text = self.lect.format(Reply(calls=(Call(NAME, plain),)), tools=box(*plain))
            calls = self.lect.parse(text.replace(OTHER_KEY, key), tools=box(*wanted)).calls
        except PolylectError:
            return False
        return [call.arguments for call in calls if call.status == "complete"] == [wanted]

    def turns(self, odd: Collection[Odd] = ODD) -> Iterator[Turn]:
        """Turns of every shape that the tongue has; ``odd``: also those that models rarely write."""
        box = tool(("string", "string"))
        some, none = Call(NAME, {KEYS[0]: VALUES[0]}), Call(NAME, {})
        if self.written(Reply(calls=(some,)), box) is None:  # a tongue of texts
            box = tool(("string",))
            some = none = Call(NAME, VALUES[0])
        answers = (ANSWER, *([[ANSWER]] if "json" in odd else []), "")
        tails: list[dict[str, Any]] = [{}, *({"answer": answer} for answer in answers)]
        tails += [{"calls": (some,)}, {"calls": (none,)}]
        tails += [{"calls": (call,) * CALLS} for call in (some, none)]
        if self.lect.only_tool(box):  # nothing would tell where a call without arguments stands
            tails = [tail for tail in tails if none not in tail.get("calls", ())]
        ends = ("", "\n") if "breaks" in odd else ("",)
        for reasoning in ("", *(REASONING + end for end in ends)):
            for content in ("", *(CONTENT + end for end in ends)):
                for tail in tails:
                    turn = self.written(Reply(reasoning=reasoning, content=content, **tail), box)
                    if turn is not None and not (tail.get("answer") == "" and _in_payload(turn)):
                        yield turn


def _in_payload(turn: Turn) -> bool:
    """Whether a part of a turn is JSON, or in brackets: what it allows in place of a text tells of none of it, too."""
    return any(token.terminal.startswith("@") for token in turn.tokens)


__all__ = [
    *(
        "ANSWER",
        "CALLS",
        "CONTENT",
        "KEYS",
        "NAME",
        "ODD",
        "OF_TYPE",
        "REASONING",
        "VALUES",
        "Odd",
        "Prober",
        "Turn",
        "tool",
    )
]
