"""A tree as rules of characters: GBNF for llama.cpp, and the EBNF of xgrammar, which is the same but for a few limits.

Nothing is greedy here: the engine follows all ways at once. Free text is an automaton, a rule for each of its states.
"""

from __future__ import annotations

import functools

from .._errors import ConstraintError
from ._printed import Counted, Options, Printed, Reasons, attempts, char_class, counted, number, times, without
from ._tree import EMPTY, Alt, Chars, Json, Lit, Node, Ref, Rep, Seq, Text, Tree, children

MOST = 2000
"""llama.cpp takes a greater bound of a repeat for none at all, and says nothing."""
BLOCK = 50
STATES = 60
"""A bounded text of more states is told by characters that it has not: xgrammar takes 25 ms for each."""
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


def gbnf(tree: Tree, options: Options) -> Printed:
    """The tree for llama.cpp.

    Raises:
        ConstraintError: a text has a bound that llama.cpp can't count to, or a rule allows nothing.
    """
    return _Printer(tree, options.special_tokens, MOST).printed()


def xgrammar(tree: Tree, options: Options) -> Printed:
    """The tree for xgrammar, and for servers that use it (vLLM, SGLang, TensorRT-LLM).

    It reads tokens by their text, special ones too; so ``options`` change nothing.

    Raises:
        ConstraintError: a rule allows nothing.
    """
    return _Printer(tree, frozenset(), None).printed()


class _Printer:
    def __init__(self, tree: Tree, special: frozenset[str], most: int | None) -> None:
        self._tree, self._most = tree, most
        self._special = sorted(special, key=len, reverse=True)
        self._reasons = Reasons()
        self._names = {tree.start: "root"}
        self._texts: dict[Node, str] = {}
        self._lines: list[str] = []
        self._blocks: dict[str, str] = {}

    def printed(self) -> Printed:
        todo = [self._tree.start]
        done: dict[str, None] = {}
        while todo:
            name = todo.pop()
            if name in done:
                continue
            done[name] = None
            node = self._tree.rules[name]
            at = len(self._lines)  # the rules of its texts come behind it
            self._lines.insert(at, f"{self._name(name)} ::= {self._rule(node)}")
            todo += reversed(_referred(node))
        return self._reasons.printed("\n".join([*self._lines, ""]))

    def _name(self, name: str) -> str:
        if name not in self._names:
            told = name
            while told in self._names.values() or told == "root":
                told += "-"
            self._names[name] = told
        return self._names[name]

    def _rule(self, node: Node) -> str:
        if isinstance(node, Json):
            return self._rule(node.node)
        return self._alternatives(node) if isinstance(node, Alt) else self._of(node)

    def _alternatives(self, node: Alt) -> str:
        if not node.options:
            raise ConstraintError("A rule of this constraint allows nothing.")
        return " | ".join(self._of(option) for option in node.options)

    def _of(self, node: Node) -> str:
        if isinstance(node, Lit):
            return self._literal(node.text)
        if isinstance(node, Chars):
            return char_class(node.ranges, class_char)
        if isinstance(node, Seq):
            return " ".join(self._of(part) for part in node.parts if part not in (EMPTY, Lit(""))) or '""'
        if isinstance(node, Alt):
            return f"({self._alternatives(node)})"
        if isinstance(node, Rep):
            return self._repeat(node)
        if isinstance(node, Text):
            return self._text(node)
        return self._of(node.node) if isinstance(node, Json) else self._name(node.name)

    def _literal(self, text: str) -> str:
        """A literal; what is one token of the vocabulary may come as the token."""
        for token in self._special:
            before, found, after = text.partition(token)
            if found:
                parts = [self._literal(before)] * bool(before) + [f"({quoted(token)} | {token})"]
                return " ".join([*parts, *[self._literal(after)] * bool(after)])
        return quoted(text)

    def _repeat(self, node: Rep) -> str:
        inner = self._of(node.part)
        single = isinstance(node.part, Chars | Ref | Alt) or (inner.startswith('"') and not isinstance(node.part, Seq))
        unit = inner if single else f"({inner})"
        if self._most is None or max(node.least, node.most or 0) <= self._most:
            return unit + times(node.least, node.most)
        if node.most is None or node.least > 1 or not isinstance(node.part, Chars) or node.most // BLOCK > self._most:
            raise ConstraintError(f"llama.cpp counts to {self._most}, and a part of this constraint has to come "
                f"{node.least} to {node.most} times; take smaller bounds.")  # fmt: skip
        block = self._blocks.setdefault(unit, f"block-{len(self._blocks) + 1}")
        line = f"{block} ::= {unit}{{{BLOCK}}}"
        if line not in self._lines:
            self._lines.append(line)
        most = node.most - node.least
        runs = f"{block}{times(0, most // BLOCK)} {unit}{times(0, BLOCK - 1)}"
        if most % BLOCK != BLOCK - 1:
            runs = f"({block}{times(0, most // BLOCK - 1)} {unit}{times(0, BLOCK - 1)} | {block}{{{most // BLOCK}}} "
            runs += f"{unit}{times(0, most % BLOCK)})" if most % BLOCK else '"")'
        return f"{unit} {runs}" if node.least else runs

    def _text(self, text: Text) -> str:
        if text not in self._texts:
            self._texts[text] = self._automaton(text) or self._less(text)
        return self._texts[text]

    def _automaton(self, text: Text) -> str | None:
        """The name of a text's rules; None where they would be too many."""
        for less, reach, reason in attempts(text):
            found = counted(less, reach)
            if found is not None and (text.most is None or self._most is not None or len(found.rows) <= STATES):
                self._reasons.add(reason)
                prefix = f"text-{len(self._texts) + 1}"
                self._lines += [line.replace("\0", prefix) for line in _lines(found)]
                return f"{prefix}-0"
        return None

    def _less(self, text: Text) -> str:
        """The text without what all of its delimiters have."""
        node, reason = without(text)
        self._reasons.add(reason)
        return self._of(node)


@functools.lru_cache(maxsize=256)
def _lines(found: Counted) -> tuple[str, ...]:
    """The rules of an automaton; their names begin with a character that no rule has."""
    out = []
    for state, row in enumerate(found.rows):
        ways = [f"{char_class(ranges, class_char)} \0-{to}" for ranges, to in row]
        out.append(f"\0-{state} ::= " + " | ".join([*ways, *(['""'] if state in found.ends else [])]))
    return tuple(out)


def _referred(node: Node) -> list[str]:
    if isinstance(node, Ref):
        return [node.name]
    return [name for part in ((node.node,) if isinstance(node, Json) else children(node)) for name in _referred(part)]


@functools.lru_cache(maxsize=4096)
def quoted(text: str) -> str:
    """A literal, in quotes."""
    out = ""
    for char in text:
        if char in '"\\':
            out += "\\" + char
        else:
            out += _NAMED.get(char) or (char if char.isprintable() else number(ord(char)))
    return f'"{out}"'


def class_char(code: int) -> str:
    """A character in a class."""
    char = chr(code)
    if char in "[]\\-":
        return "\\" + char
    return _NAMED.get(char) or (char if 0x20 <= code < 0x7F and char != "^" else number(code))


__all__ = ["class_char", "gbnf", "quoted", "xgrammar"]
