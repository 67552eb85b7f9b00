"""A tree in the Lark dialect of OpenAI's custom tools: lexemes as plain regular expressions, JSON as rules."""

from __future__ import annotations

from .._errors import ConstraintError
from ._engines import WHOLE
from ._lexemes import Lexemes, split, with_less_text
from ._llguidance import Printer, quoted
from ._printed import WIDER, Options, Printed, Reasons
from ._regex import Texts, source_of
from ._tree import Lit, Node, Tree

ROW = 8
"""See :class:`~._lexemes.Lexemes`; more of them take too long."""


def openai_custom_tool(tree: Tree, options: Options) -> Printed:
    """The tree for the format of a custom tool. Tokens are text there, so ``options`` change nothing.

    Raises:
        ConstraintError: its lexer can't tell where a text ends, or the grammar is too long.
    """
    found = _printed(tree, Reasons())
    if len(found.text) > WHOLE and (less := with_less_text(tree)) != tree:
        reasons = Reasons()
        reasons.add(WIDER)
        found = _printed(less, reasons)
    if len(found.text) > WHOLE:
        raise ConstraintError(
            f"The grammar would have {len(found.text):,} characters, and OpenAI refuses long ones; offer fewer tools."
        )
    return found


def _printed(tree: Tree, reasons: Reasons) -> Printed:
    printer = _Printer(split(tree, lambda value: False, reasons, row=ROW))
    return reasons.printed(printer.texts.filled(printer.text(), WHOLE, reasons))


class _Printer(Printer):
    """Has no intersections, complements or attributes, and counts with ``~``, as Lark does."""

    def __init__(self, lexemes: Lexemes) -> None:
        super().__init__(lexemes)
        self.texts = Texts()

    def body(self, node: Node) -> str:
        return quoted(node.text) if isinstance(node, Lit) else f"/{source_of(node, self.texts.place)}/"

    def times(self, least: int, most: int | None) -> str:
        if most is None:
            return "*" if not least else "+" if least == 1 else f"~{least}"
        return "?" if (least, most) == (0, 1) else "" if least == most == 1 else f"~{least}..{most}"


__all__ = ["openai_custom_tool"]
