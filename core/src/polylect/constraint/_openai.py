"""A tree in the Lark dialect of OpenAI's custom tools: lexemes as plain regular expressions, JSON as rules."""

from __future__ import annotations

from .._errors import ConstraintError
from ._lexemes import Lexemes, split
from ._llguidance import Printer, quoted
from ._printed import Options, Printed, Reasons
from ._regex import LONGEST, source_of, text_source
from ._tree import Lit, Node, Text, Tree

WHOLE = 100_000
"""Characters of a grammar; longer ones are refused there."""


def openai_custom_tool(tree: Tree, options: Options) -> Printed:
    """The tree for the format of a custom tool. Tokens are text there, so ``options`` change nothing.

    Raises:
        ConstraintError: its lexer can't tell where a text ends, or the grammar is too long.
    """
    less = Reasons()
    lexemes = split(tree, lambda value: False, less)
    for longest in LONGEST:
        printer = _Printer(lexemes, longest, less)
        text = printer.text()
        if len(text) <= WHOLE:
            return printer.reasons.printed(text)
    raise ConstraintError(
        f"The grammar would have {len(text):,} characters, and OpenAI refuses long ones; offer fewer tools."
    )


class _Printer(Printer):
    """Has no intersections, complements or attributes, and counts with ``~``, as Lark does."""

    def __init__(self, lexemes: Lexemes, longest: int, less: Reasons) -> None:
        super().__init__(lexemes)
        self.reasons, self._longest = less.copy(), longest

    def body(self, node: Node) -> str:
        if isinstance(node, Lit):
            return quoted(node.text)
        return f"/{source_of(node, self._free)}/"

    def _free(self, text: Text) -> str:
        return text_source(text, self.reasons, self._longest)

    def times(self, least: int, most: int | None) -> str:
        if most is None:
            return "*" if not least else "+" if least == 1 else f"~{least}"
        return "?" if (least, most) == (0, 1) else "" if least == most == 1 else f"~{least}..{most}"


__all__ = ["openai_custom_tool"]
