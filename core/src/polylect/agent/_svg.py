"""Drawing SVG: texts, boxes and arrows. No script, no link, no font, and no id that could be another's too."""

from __future__ import annotations

import re
import unicodedata

from .._harmless import safe

MARKS = 4
"""Marks that may stand on one letter; more of them would be painted over what stands above and below."""
_NOT_XML = re.compile("[\ufffe\uffff]")
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})

Number = float | int


def clean(text: str) -> str:
    """Text that any XML may hold, without controls, direction overrides and tabs, and with few marks on its letters."""
    text = safe(text.replace("\r\n", "\n").replace("\t", "    "))
    if text.isascii():
        return text
    text = _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
    kept, marks = [], 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= MARKS:
            kept.append(char)
    return "".join(kept)


def escape(text: str) -> str:
    """Clean text as the content of an element."""
    return text.translate(_ENTITIES)


def px(value: Number) -> str:
    """A length, as short as it can be written."""
    return f"{value:.1f}".removesuffix(".0")


class Canvas:
    """Collects elements; positions are in pixels, from the upper left corner. Texts must be :func:`clean`."""

    def __init__(self) -> None:
        self.elements: list[str] = []

    def box(self, x: Number, y: Number, width: Number, height: Number, kind: str, radius: int = 8) -> None:
        """A rectangle with round corners."""
        self.elements.append(
            f'<rect class="{kind}" x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}" rx="{radius}"/>'
        )

    def text(self, x: Number, y: Number, text: str, kind: str) -> None:
        """One line; ``y`` is its base line. Nothing for none."""
        if text:
            self.elements.append(f'<text class="{kind}" x="{px(x)}" y="{px(y)}">{escape(text)}</text>')

    def line(self, points: str, kind: str, width: Number | None = None) -> None:
        """A path."""
        thick = "" if width is None else f' stroke-width="{px(width)}"'
        self.elements.append(f'<path class="{kind}" d="{points}"{thick}/>')

    def right(self, x: Number, y: Number) -> None:
        """The head of an arrow that ends at a point and comes from the left."""
        self.line(f"M{px(x)} {px(y)}l-8 -4.5v9z", "pl-head")

    def down(self, x: Number, y: Number) -> None:
        """The head of an arrow that ends at a point and comes from above."""
        self.line(f"M{px(x)} {px(y)}l-4.5 -8h9z", "pl-head")

    def open(self, x: Number, y: Number, width: Number, height: Number, more: str = "") -> None:
        """Begin a window with a tooltip: what is drawn in it is placed from its corner, and cut at its edges."""
        size = f'x="{px(x)}" y="{px(y)}" width="{px(width)}" height="{px(height)}"'
        self.elements.append(f"<svg {size}>" + (f"<title>{escape(more)}</title>" if more else ""))

    def close(self) -> None:
        """End a window."""
        self.elements.append("</svg>")

    def drawn(self, width: Number, height: Number, title: str, description: str, style: str) -> str:
        """The whole picture."""
        size = f'width="{px(width)}" height="{px(height)}" viewBox="0 0 {px(width)} {px(height)}"'
        paper = f'<rect class="pl-paper" width="{px(width)}" height="{px(height)}"/>'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="polylect" role="img" {size} xml:space="preserve">'
        told = f"<title>{escape(title)}</title><desc>{escape(description)}</desc><style>{style}</style>"
        return "\n".join([head, told, paper, *self.elements, "</svg>"]) + "\n"
