"""Literals that nodes begin with, and what is left behind them."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence

from ._eliminate import has_text
from ._tree import Alt, Chars, Lit, Node, Rep, Seq, Text

ENDING = 48
"""So many characters of what follows a text are looked at."""
WAYS, PAIRS = 1_000, 10_000
"""So many literals are told that may follow a text, or a few more; beyond, less is told of each. And of so many ways
on behind so many alternatives."""
OVER = "\U0010ffff"
"""This private character stands for the end of a lexeme."""


@functools.lru_cache(maxsize=8192)
def lead(node: Node) -> str:
    """The literal that a node begins with, whichever of its alternatives it is."""
    if type(node) is Lit:
        return node.text
    if type(node) is Alt:
        return shared(list(map(lead, node.options)))
    out = ""
    for part in node.parts if type(node) is Seq else ():
        out += lead(part)
        if type(part) is not Lit:
            break
    return out


def shared(literals: list[str]) -> str:
    """What all of these begin with."""
    first, last = min(literals, default=""), max(literals, default="")
    return first[: next((at for at, char in enumerate(first) if last[at] != char), len(first))]


def behind(node: Node, size: int) -> Node:
    """What is left of a node behind so many characters of the literal that it begins with."""
    if not size:
        return node
    if isinstance(node, Lit):
        return Lit(node.text[size:])
    if isinstance(node, Alt):
        return Alt(tuple([behind(option, size) for option in node.options]))
    if not isinstance(node, Seq):
        return node
    first, rest = node.parts[0], node.parts[1:]
    if not isinstance(first, Lit) or size < len(first.text):
        return Seq((behind(first, size), *rest))
    return behind(Seq(rest), size - len(first.text))


def beginnings(node: Node, behind: tuple[str, ...], found: dict[str, None] | None = None) -> tuple[str, ...]:
    """What the node begins with, as far as that is literal, by its alternatives; ``behind``: what follows it.

    What follows free texts is added to ``found``. Of the literals, none begins another one, here and in ``behind``.
    """
    if type(node) is Lit:
        return _with(node.text, behind)
    if type(node) is Text and found is not None:
        found.update(dict.fromkeys(behind))
    if type(node) is Seq:
        parts = node.parts
        if found is None:  # nothing matters behind a part whose beginnings don't end with it
            parts = parts[: next((at for at, part in enumerate(parts, 1) if _closed(part)), len(parts))]
        for part in reversed(parts):
            behind = beginnings(part, behind, found)
        return behind
    if type(node) is Alt:
        return _options(node, behind) if found is None else _of_options(node, behind, found)
    if type(node) is Rep and has_text(node):
        again = beginnings(node.part, behind)
        begun = beginnings(node.part, _few([*behind, *again]), found)
        return _few([*begun, *(behind if not node.least else ())])
    return ("",)


@functools.lru_cache(maxsize=8192)
def _options(node: Alt, behind: tuple[str, ...]) -> tuple[str, ...]:
    """What a choice begins with: kept, as what stands behind it is often the same for many ways to it."""
    return _of_options(node, behind, None)


def _of_options(node: Alt, behind: tuple[str, ...], found: dict[str, None] | None) -> tuple[str, ...]:
    behind = behind if len(behind) * len(node.options) <= PAIRS else ("",)
    return _few([one for option in node.options for one in beginnings(option, behind, found)])


def _with(text: str, behind: tuple[str, ...]) -> tuple[str, ...]:
    """The literals with a text before them."""
    if len(text) >= ENDING:
        return (text[:ENDING],)
    made = tuple([text + rest for rest in behind])
    return made if max(map(len, made)) <= ENDING else _few(made)


@functools.lru_cache(maxsize=8192)
def _closed(node: Node) -> bool:
    """Whether what a node begins with, as far as that is literal, is told without what follows it."""
    if type(node) is Alt:
        return all(map(_closed, node.options)) or any(map(_unknown, node.options))
    return any(map(_closed, node.parts)) if type(node) is Seq else _unknown(node)


def _unknown(node: Node) -> bool:
    """Whether a node begins with no literal."""
    if type(node) is Seq:
        return bool(node.parts) and _unknown(node.parts[0])
    if type(node) is Alt:
        return any(map(_unknown, node.options))
    return type(node) in (Chars, Text) or (type(node) is Rep and not has_text(node))


def _few(literals: Sequence[str]) -> tuple[str, ...]:
    """The literals but those that begin with another one, which says less; less of each where they are many."""
    if len(literals) == 1:
        return (literals[0][:ENDING],)
    size = ENDING
    while True:
        told: list[str] = []
        for one in sorted([one[:size] for one in literals]):
            if not told or not one.startswith(told[-1]):
                told.append(one)
        if len(told) <= WAYS or size == 1:
            return tuple(told)
        size //= 2


@functools.lru_cache(maxsize=8192)
def ways(node: Node) -> tuple[str, ...]:
    """What a node that is not empty begins with, by its alternatives; empty where no literal is known."""
    found = beginnings(node.part if type(node) is Rep else node, (OVER,))
    return tuple(way.rstrip(OVER) for way in found if way != OVER)


def all_apart(literals: list[str]) -> bool:
    """Whether none of these literals begins another one."""
    told = sorted(literals)
    return not any(second.startswith(one) for one, second in itertools.pairwise(told))


__all__ = ["ENDING", "OVER", "all_apart", "beginnings", "behind", "lead", "shared", "ways"]
