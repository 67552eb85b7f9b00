"""The look of the picture: sizes, and colours for light and for dark surroundings.

Colours are plain rules (no variables: slide programs know none); dark ones are a second set in a media query. In a
notebook the rules hold for the whole page, so all class names begin with ``pl-``.
"""

from __future__ import annotations

from typing import NamedTuple

from ._layout import Measure, columns, sans

MARGIN = 28
GUTTER = 108
"""Room for the turn's label and the line of context, left of the boxes."""
BOX = 296
GAP = 44
"""Between boxes of a row."""
ROW_GAP = 36
STACK_GAP = 12
"""Between the calls of one turn."""
FOLD = 34
"""The height of the row that stands for turns left out."""
PAD = 13
LINE = 18
"""The height of a line of text."""
LEFT = MARGIN + GUTTER
COLUMNS = (LEFT, LEFT + BOX + GAP, LEFT + 2 * (BOX + GAP))
"""Where thoughts, actions and observations begin."""
WIDTH = COLUMNS[2] + BOX + MARGIN
RAIL = LEFT - 26
"""Where the line of context is."""
WIDE = 2 * BOX + GAP
"""The width of the answer."""
THIN, THICK = 1.5, 5.0
"""How thick the line of context is at its beginning, and where the prompt was largest."""


class Font(NamedTuple):
    """How a class of text is set: its size in pixels, and its characters' widths, in parts of the size (``unit``)."""

    size: float
    measure: Measure = sans
    unit: float = 0.01

    def room(self, width: float) -> int:
        """What fits in a width, as :data:`measure` counts it."""
        return int(width / (self.size * self.unit))


BOLD = 0.0115
"""Bold letters are wider."""
FONTS = {
    "pl-text": Font(13),
    "pl-code": Font(12, columns, 0.605),
    "pl-tool": Font(12, columns, 0.605),
    "pl-note": Font(11),
    "pl-turn": Font(12, sans, BOLD),
    "pl-label": Font(11.5, sans, BOLD),
    "pl-title": Font(11, sans, BOLD),
    "pl-final": Font(15, sans, BOLD),
    "pl-question": Font(17, sans, BOLD),
}


class Theme(NamedTuple):
    """Colours. Those of a kind of box are its fill, its line, and the headings in it."""

    paper: str
    ink: str
    muted: str
    arrow: str
    thought: tuple[str, str, str]
    action: tuple[str, str, str]
    seen: tuple[str, str, str]
    bad: tuple[str, str, str]
    none: tuple[str, str, str]
    answer: tuple[str, str, str]
    stopped: tuple[str, str, str]


LIGHT = Theme(
    "#ffffff", "#1c2430", "#5d6878", "#7b8798",
    ("#eef3fe", "#6a8be0", "#3355b0"), ("#fff6e3", "#d6982b", "#845309"), ("#eef8f1", "#4fa873", "#1f6f42"),
    ("#fdefef", "#d05656", "#a32a2a"), ("#f5f6f8", "#a3adba", "#5d6878"), ("#def3e5", "#238a4f", "#14663a"),
    ("#fdf1d8", "#b9770e", "#845309"),
)  # fmt: skip
DARK = Theme(
    "#12161c", "#e6eaf0", "#9aa5b4", "#74808f",
    ("#1b2540", "#6d8fe8", "#a9bff7"), ("#31260f", "#c98f33", "#f0c277"), ("#14291d", "#4a9f6e", "#8bd6a8"),
    ("#371b1d", "#d66565", "#f5a3a3"), ("#1b2027", "#6a7583", "#9aa5b4"), ("#143622", "#3fbf77", "#86e0ac"),
    ("#3a2b0c", "#e0a63c", "#f0c277"),
)  # fmt: skip
_SANS = 'ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,"Noto Sans",sans-serif'
_CODE = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace'


def style() -> str:
    """The style sheet."""
    rules = [
        ".polylect{max-width:100%}",
        f".polylect text{{font-family:{_SANS};white-space:pre}}",
        f".polylect .pl-code,.polylect .pl-tool{{font-family:{_CODE}}}",
        ".polylect .pl-title{letter-spacing:.08em}.polylect .pl-middle{text-anchor:middle}",
        ".pl-line,.pl-rail{fill:none}.pl-rail{stroke-dasharray:6 4;opacity:.75}.pl-none{stroke-dasharray:4 3}",
    ]
    for name, font in FONTS.items():
        bold = ";font-weight:600" if font.unit == BOLD or name == "pl-tool" else ""
        rules.append(f".polylect .{name}{{font-size:{font.size}px{bold}}}")
    return "".join([*rules, _colors(LIGHT), "@media (prefers-color-scheme:dark){", _colors(DARK), "}"])


def _colors(theme: Theme) -> str:
    rules = [
        f".pl-paper{{fill:{theme.paper}}}",
        f".polylect text{{fill:{theme.ink}}}",
        f".polylect .pl-note,.polylect .pl-title{{fill:{theme.muted}}}",
        f".pl-line,.pl-rail{{stroke:{theme.arrow}}}.pl-head{{fill:{theme.arrow}}}",
    ]
    for name in ("thought", "action", "seen", "bad", "none", "answer", "stopped"):
        fill, line, ink = getattr(theme, name)
        rules.append(f".pl-{name}{{fill:{fill};stroke:{line};stroke-width:1.5}}")
        rules.append(f".polylect .pl-in-{name}{{fill:{ink}}}")
    return "".join(rules)
