"""The characters that a node may begin with."""

from __future__ import annotations

import functools
from collections.abc import Mapping

from ._dfa import text_dfa
from ._ranges import Ranges, joined
from ._tree import Alt, Chars, Json, Lit, Node, Rep, Seq, Text


def first_chars(node: Node, rules: Mapping[str, Node]) -> Ranges:
    """The characters that a node may begin with."""
    return joined(_first(node, rules, set())[0])


def _first(node: Node, rules: Mapping[str, Node], seen: set[str]) -> tuple[list[tuple[int, int]], bool]:
    """These characters, and whether the node may be empty."""
    if isinstance(node, Lit):
        return [(ord(node.text[0]), ord(node.text[0]))] if node.text else [], not node.text
    if isinstance(node, Chars):
        return list(node.ranges), False
    if isinstance(node, Text):
        return list(begun_by(node)), node.least == 0
    if isinstance(node, Seq):
        found: list[tuple[int, int]] = []
        for part in node.parts:
            some, empty = _first(part, rules, seen)
            found += some
            if not empty:
                return found, False
        return found, True
    if isinstance(node, Alt):
        parts = [_first(option, rules, seen) for option in node.options]
        return [one for some, _ in parts for one in some], any(empty for _, empty in parts)
    if isinstance(node, Rep):
        some, empty = _first(node.part, rules, seen)
        return some, empty or node.least == 0
    if isinstance(node, Json):
        return _first(node.node, rules, seen)
    if node.name in seen:
        return [], False
    return _first(rules[node.name], rules, seen | {node.name})


@functools.lru_cache(maxsize=1024)
def begun_by(text: Text) -> Ranges:
    return tuple(one for ranges, _ in text_dfa(text.delimiters, text.heads).rows[0] for one in ranges)


__all__ = ["begun_by", "first_chars"]
