"""A tree as a structural tag, the JSON document that xgrammar reads, and vLLM and SGLang with it.

Loops are the formats ``star``, ``plus`` and ``repeat``, which older releases of xgrammar refuse. Written for 0.2.9.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, TypeAlias

from ._delimiters import characters, ways
from ._eliminate import children, groups, refs, solve
from ._gbnf import xgrammar
from ._printed import Options, Printed, Reasons
from ._ranges import others
from ._tree import EMPTY, Alt, Chars, Json, Lit, Node, Ref, Rep, Seq, Text, Tree

Format: TypeAlias = dict[str, Any]

SHORTEST = 2
"""A delimiter's beginning of fewer characters is too common to be kept out of texts."""
_KEYWORDS = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "default", "definitions", "description", "enum",
    "examples", "items", "maxItems", "minItems", "prefixItems", "properties", "required", "title", "type",
}  # fmt: skip
"""What xgrammar reads in a schema as JSON schema does. It passes over others, and anchors patterns."""


def structural_tag(tree: Tree, options: Options) -> Printed:
    """The tree as a structural tag; special tokens are read by their text, so ``options`` change nothing.

    Raises:
        ConstraintError: a rule with free text refers to itself from within.
    """
    printer = _Printer(tree)
    return printer.reasons.printed({"type": "structural_tag", "format": printer.whole()})


class _Printer:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.reasons = Reasons()
        self._known: dict[int, tuple[Node, bool]] = {}
        graph = {name: refs(node) for name, node in tree.rules.items()}
        self._plain: set[str] = set()
        for group in groups(graph, [tree.start]):
            outside = {name for one in group for name in graph[one]} - set(group)
            if outside <= self._plain and not any(self._rich(tree.rules[name]) for name in group):
                self._plain |= set(group)

    def whole(self) -> Format:
        rules = {name: node for name, node in self._tree.rules.items() if name not in self._plain}
        if self._tree.start in self._plain:
            return self._grammar(Ref(self._tree.start))
        return self._of(solve(rules, [self._tree.start], lambda node: None)[self._tree.start])

    def _of(self, node: Node) -> Format:
        if isinstance(node, Lit):
            return {"type": "const_string", "value": node.text}
        if isinstance(node, Text):
            return self._text(node)
        if isinstance(node, Json):
            return self._json(node)
        if not self._rich(node) and node != EMPTY:
            return self._grammar(node)
        if isinstance(node, Seq):
            return _several("sequence", [self._of(part) for part in self._runs(node.parts)])
        if isinstance(node, Alt):
            return _several("or", [self._of(option) for option in _gathered(node.options)])
        assert isinstance(node, Rep)
        inner = self._of(node.part)
        if (node.least, node.most) == (0, 1):
            return _several("or", [inner, {"type": "const_string", "value": ""}])
        if node.most is None and node.least < 2:
            return {"type": "plus" if node.least else "star", "content": inner}
        return {"type": "repeat", "min": node.least, "max": -1 if node.most is None else node.most, "content": inner}

    def _runs(self, parts: tuple[Node, ...]) -> list[Node]:
        """The parts, those together that one grammar can say."""
        out: list[Node] = []
        for part in parts:
            last = out[-1] if out else None
            if last is not None and not self._rich(part) and not self._rich(last):
                before = last.parts if isinstance(last, Seq) else (last,)
                out[-1] = Seq((*before, part))
            else:
                out.append(part)
        return out

    def _grammar(self, node: Node) -> Format:
        """What has no JSON and no free text, as rules of characters."""
        name = "part"
        while name in self._tree.rules:
            name += "-"
        printed = xgrammar(Tree({name: node, **self._tree.rules}, name), Options())
        for reason in printed.reasons:
            self.reasons.add(reason)
        return {"type": "grammar", "grammar": printed.text}

    def _json(self, value: Json) -> Format:
        if value.layout.indent or not _understood(value.schema):
            return self._grammar(value.node)
        return {"type": "json_schema", "json_schema": value.schema, "max_whitespace_cnt": 1}  # or blanks without end

    def _text(self, text: Text) -> Format:
        found = None if text.heads or text.most is not None or text.least > 1 else _literals(text.delimiters)
        if found is None:
            return self._grammar(text)
        kept_out = list(found[0])
        for reason in found[1]:
            self.reasons.add(reason)
        anything = {"type": "any_text", "excludes": kept_out}
        if not text.least:
            return anything
        firsts = others([(ord(word[0]), ord(word[0])) for word in kept_out])
        begun = sorted({word[0] for word in kept_out})
        self.reasons.add(f"a text does not begin with {' or '.join(map(repr, begun))}")
        return {"type": "sequence", "elements": [self._grammar(Chars(firsts)), anything]}

    def _rich(self, node: Node) -> bool:
        """Whether a node holds free text or JSON."""
        if isinstance(node, Lit | Chars | Ref):
            return False
        if isinstance(node, Text | Json):
            return True
        known = self._known.get(id(node))
        if known is None:  # the node is kept with what is known of it: its number is its own as long as it lives
            known = self._known[id(node)] = node, any(map(self._rich, children(node)))
        return known[1]


def _gathered(options: Iterable[Node]) -> list[Node]:
    """Alternatives, those as one that begin with the same free text: each text is a grammar of its own."""
    found: dict[Text | int, list[Node]] = {}
    for number, option in enumerate(options):
        first = option.parts[0] if isinstance(option, Seq) and option.parts else None
        if isinstance(option, Seq) and isinstance(first, Text):
            found.setdefault(first, []).append(Seq(option.parts[1:]))
        else:
            found[number] = [option]
    return [
        node
        for first, rests in found.items()
        for node in (rests if isinstance(first, int) else [Seq((first, Alt(tuple(rests)) if rests[1:] else rests[0]))])
    ]


def _several(kind: str, elements: list[Format]) -> Format:
    if not elements:
        return {"type": "const_string", "value": ""}
    return elements[0] if len(elements) == 1 else {"type": kind, "elements": elements}


def _understood(schema: Any) -> bool:
    if isinstance(schema, bool):
        return True
    if not schema.keys() <= _KEYWORDS:
        return False
    inner: list[Any] = []
    for key, part in schema.items():
        if key in ("$defs", "definitions", "properties"):
            inner += part.values()
        elif key in ("anyOf", "prefixItems"):
            inner += part
        elif key in ("items", "additionalProperties"):
            inner.append(part)
    return all(map(_understood, inner))


@functools.lru_cache(maxsize=512)
def _literals(delimiters: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Words that a text without delimiters can do without, one in each delimiter, and what that takes from it.

    None if a delimiter has no such word.
    """
    found: dict[str, None] = {}
    reasons = []
    for source in delimiters:
        for way in ways(source):
            words = _words(way.body)
            if words is None:
                return None
            for word, whole in words:
                if len(word) < SHORTEST:
                    return None
                if not whole or way.ahead or way.closes:
                    reasons.append(f"a text has no {word!r}")
                found[word] = None
    return tuple(word for word in found if not any(other != word and other in word for other in found)), tuple(reasons)


def _words(seq: Any, most: int = 8) -> list[tuple[str, bool]] | None:
    """What matches begin with, and whether that is all of them; None where characters have several spellings."""
    out = [("", True)]
    for node in seq:
        if node[0] == "c":
            ranges = characters(node[1])
            if len(ranges) > 1 or ranges[0][0] != ranges[0][1]:
                return [(word, False) for word, _ in out]
            out = [(word + chr(ranges[0][0]) if whole else word, whole) for word, whole in out]
        elif node[0] == "alt":
            branches = [_words(branch) for branch in node[1]]
            found = [one for some in branches if some is not None for one in some]
            if len(out) * len(found) > most or len(found) < len(branches):
                return [(word, False) for word, _ in out]
            out = [
                (word + more if whole else word, whole and all_of_it)
                for word, whole in out
                for more, all_of_it in found
            ]
        else:
            return [(word, False) for word, _ in out]
    return out


__all__ = ["Format", "structural_tag"]
