"""The picture of a run: a row of boxes for each turn, the growing context at their left, and the answer.

Its size is bounded: of a long run the first and last turns are drawn, of a turn with many calls the first ones, of a
long text the first lines, with more of it as the box's tooltip.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import NamedTuple

from .._errors import PromptError
from ._layout import cut, fitted
from ._style import (
    BOX,
    COLUMNS,
    FOLD,
    FONTS,
    GAP,
    LEFT,
    LINE,
    MARGIN,
    PAD,
    RAIL,
    ROW_GAP,
    STACK_GAP,
    THICK,
    THIN,
    WIDE,
    WIDTH,
    style,
)
from ._svg import Canvas, clean, px
from ._values import RunResult, TurnRecord
from ._view import LARGEST, Doing, Row, ending, figures, many, question, row, rows, seconds_of, tally

MAX_TURNS = 20
"""Turns drawn of a longer run, one half of them from its beginning."""
MAX_CALLS = 8
"""Calls drawn of one turn."""
MAX_LINES = 7
"""Lines of a text in a box."""
STACK_LINES = 4
"""The same where a turn has several calls."""
MAX_TITLE = 1_200
"""Characters in the tooltip of a text that was cut."""
MAX_SEEN = 4_000
"""Characters of a text that are looked at."""
MAX_REPORT = 200_000
"""Characters of the report in a notebook."""


class Body(NamedTuple):
    """What stands in a box: lines with their classes, and a tooltip with more of them."""

    lines: list[tuple[str, str]]
    more: str = ""

    @property
    def height(self) -> int:
        """The height of a box for it."""
        return 2 * PAD + LINE * max(1, len(self.lines)) - 4


class Cell(NamedTuple):
    """A box to be drawn: its text and its kind."""

    body: Body
    kind: str


class Pair(NamedTuple):
    """A call and its observation, side by side; the observation may be missing."""

    action: Cell
    seen: Cell | None = None
    seconds: float = 0.0

    @property
    def height(self) -> int:
        """The height of both."""
        return max(cell.body.height for cell in (self.action, self.seen) if cell is not None)


def picture(result: RunResult, *, max_turns: int = MAX_TURNS) -> str:
    """A run as SVG, alone and whole: to be written to a file, or put into a page.

    Args:
        result: the run.
        max_turns: how many turns are drawn; of a longer run the first and the last ones.

    Raises:
        PromptError: ``max_turns`` is no number from 2.
    """
    return _Picture(result).drawn(*halves(max_turns))


def halves(max_turns: int) -> tuple[int, int]:
    """How many turns are shown of a long run, at its beginning and at its end.

    Raises:
        PromptError: less than 2, or no number.
    """
    if not isinstance(max_turns, int) or max_turns < 2:
        raise PromptError(
            f"max_turns is a number from 2, not {max_turns!r:.80}: the first and the last turn are shown."
        )
    return max_turns - max_turns // 2, max_turns // 2


def page(result: RunResult) -> str:
    """A run as a piece of HTML: the picture, and the report folded below it."""
    from ._report import report

    told = cut(report(result, limit=MAX_TITLE), MAX_REPORT)
    more = f"… ({many(told.left)} more characters: print(result.to_text()))" if told.left else ""
    text = html.escape(clean(told.text) + more)
    text = f'<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{text}</pre>'
    fit = "<style>.polylect-run>svg{height:auto}</style>"  # apart: programs that draw SVG alone take it for no height
    return (
        f'<div class="polylect-run">{fit}\n{picture(result)}'
        f"<details><summary>Report</summary>{text}</details>\n</div>\n"
    )


class _Picture:
    def __init__(self, result: RunResult) -> None:
        self.result = result
        self.turns = rows(result)
        self.end = ending(result)
        heading = self.end.title if result.stop_reason == "finished" else self.end.reason
        kind, text = ("answer", "pl-final") if self.end.finished else ("stopped", "pl-text")
        self.ending = Cell(_set(self.end.answer, text, heading, f"pl-in-{kind}", width=WIDE), kind)
        self.largest = max((_size(turn) for turn in self.turns), default=0)
        self.canvas = Canvas()
        self.y = MARGIN
        self.rail = 0.0  # how far the line of context is drawn
        self.above: int | None = None  # from where, at self.y, an arrow leads to the next row

    def drawn(self, first: int, last: int) -> str:
        """The picture with so many turns at the beginning and at the end."""
        self._head()
        hidden = len(self.turns) - first - last
        for at, turn in enumerate(self.turns):
            if hidden <= 0 or not first <= at < first + hidden:
                self._row(row(self.result, turn), last=at == len(self.turns) - 1)
            elif at == first:
                self._fold(first, hidden)
        if not self.turns or not row(self.result, self.turns[-1]).idle:
            x = COLUMNS[1] if self.turns else MARGIN
            self._down(x + WIDE // 2)
            self._box(x, self.y, WIDE, self.ending.body.height, self.ending)
            self.y += self.ending.body.height
        title = f"Agent run: {cut(question(self.result), 300).text.strip() or self.end.title}"
        told = f"{self.end.reason} {', '.join(figures(self.result))}. {cut(self.end.answer, 300).text}"
        return self.canvas.drawn(WIDTH, self.y + MARGIN, clean(title), clean(told.strip()), style())

    # --- rows ---------------------------------------------------------------------------------------------------------

    def _head(self) -> None:
        """The question, the figures, and the titles of the columns."""
        asked = cut(question(self.result).strip(), MAX_SEEN).text or "Agent run"
        font = FONTS["pl-question"]
        for line in fitted(clean(asked), font.room(WIDTH - 2 * MARGIN), 2, font.measure)[0]:
            self.canvas.text(MARGIN, self.y + 18, line, "pl-question")
            self.y += 24
        facts = [] if self.end.finished else ["stopped"]
        facts += [self.result.lect] if self.result.lect else []
        self.canvas.text(
            MARGIN, self.y + 14, clean(cut(" · ".join([*facts, *figures(self.result)]), 160).text), "pl-note"
        )
        self.y += 50
        if self.turns:
            for x, title in zip((MARGIN, *COLUMNS), ("CONTEXT", "THOUGHT", "ACTION", "OBSERVATION"), strict=True):
                self.canvas.text(x, self.y, title, "pl-title")
        self.y += 14
        self.rail = self.y

    def _row(self, found: Row, *, last: bool) -> None:
        ends = last and found.idle
        thought = _thought(found)
        pairs = [Pair(self.ending)] if ends else list(_pairs(found))
        height = max(thought.body.height, sum(pair.height for pair in pairs) + STACK_GAP * (len(pairs) - 1))
        self._down(COLUMNS[0] + BOX // 2)
        self._label(found, height)
        self._box(COLUMNS[0], self.y, BOX, height, thought)
        y = self.y
        for pair in pairs:
            tall = height if len(pairs) == 1 else pair.height
            self._right(COLUMNS[0] + BOX, y + tall / 2)
            self._box(COLUMNS[1], y, WIDE if ends else BOX, tall, pair.action)
            if pair.seen is not None:
                self._right(COLUMNS[1] + BOX, y + tall / 2, _brief(pair.seconds))
                self._box(COLUMNS[2], y, BOX, tall, pair.seen)
            y += tall + STACK_GAP
        self.y += height
        self.above = COLUMNS[0 if not pairs else 2 if pairs[-1].seen else 1] + BOX // 2

    def _label(self, found: Row, height: int) -> None:
        """The turn's number, the size of its prompt, the model's time; and the line of context, up to here."""
        y = self.y + min(height, 44) / 2
        record = found.record
        notes = ["", ""] if record is None else [f"{_rounded(_size(record))} chars" * (_size(record) > 0)]
        notes += [] if record is None else [seconds_of(record.seconds)]
        self.canvas.text(MARGIN, y + 4, f"Turn {_rounded(found.number)}", "pl-turn")
        for at, note in enumerate(filter(None, notes), 1):
            self.canvas.text(MARGIN, y + 4 + 15 * at, note, "pl-note")
        self._context(y, record or 0)
        self.canvas.line(f"M{RAIL} {px(y)}H{LEFT - 8}", "pl-rail", THIN)
        self.canvas.right(LEFT - 1, y)

    def _fold(self, first: int, hidden: int) -> None:
        """One row for all the turns that are not drawn."""
        turns = self.turns[first : first + hidden]
        self._down(COLUMNS[0] + BOX // 2)
        self._context(self.y + FOLD / 2, turns[-1])
        cell = Cell(Body([(f"… {many(hidden, 'more turn')} …   {tally(turns)}", "pl-note pl-middle")]), "none")
        self._box(COLUMNS[0], self.y, BOX + GAP + WIDE, FOLD, cell)
        self.y += FOLD
        self.above = COLUMNS[2] + BOX // 2

    # --- lines and boxes ----------------------------------------------------------------------------------------------

    def _down(self, x: int) -> None:
        """The way from the last row to the next one, which begins at ``self.y`` then."""
        if self.above is not None:
            turn, end = self.y + ROW_GAP // 2 - 2, self.y + ROW_GAP
            self.canvas.line(f"M{self.above} {px(self.y)}V{px(turn)}H{x}V{px(end - 8)}", "pl-line", THIN)
            self.canvas.down(x, end - 1)
            self.y = end

    def _right(self, x: int, y: float, note: str = "") -> None:
        """An arrow over the gap behind a box, with a note above it."""
        self.canvas.line(f"M{x} {px(y)}h{GAP - 8}", "pl-line", THIN)
        self.canvas.right(x + GAP - 1, y)
        self.canvas.text(x + GAP / 2 - 1, y - 6, note, "pl-note pl-middle")

    def _context(self, y: float, turn: TurnRecord | int) -> None:
        """More of the line of context: the larger the turn's prompt, the thicker, squared so that the eye sees it."""
        share = (_size(turn) / self.largest) ** 2 if self.largest else 0
        self.canvas.line(f"M{RAIL} {px(self.rail)}V{px(y)}", "pl-rail", THIN + (THICK - THIN) * share)
        self.rail = y

    def _box(self, x: int, y: float, width: int, height: float, cell: Cell) -> None:
        """A box with its text in the middle of its height; nothing of it is seen beyond its edges."""
        lines = cell.body.lines
        self.canvas.box(x, y, width, height, f"pl-{cell.kind}")
        self.canvas.open(x, y, width, height, cell.body.more)
        top = (height - LINE * len(lines)) / 2 - 5
        for at, (line, kind) in enumerate(lines, 1):
            self.canvas.text(width / 2 if "pl-middle" in kind else PAD, top + LINE * at, line, kind)
        self.canvas.close()


def _thought(found: Row) -> Cell:
    if found.fault is not None:
        return Cell(_set(found.said.strip() or "(empty)", "pl-text", found.title, "pl-in-bad"), "bad")
    if not found.said.strip():
        return Cell(Body([("no thought", "pl-note pl-middle")]), "none")
    return Cell(_set(found.said, "pl-text", "" if found.thought else found.title, "pl-in-thought"), "thought")


def _pairs(found: Row) -> Iterator[Pair]:
    """The boxes of a turn beside its thought."""
    if found.fault is not None:
        fault = Cell(_set(found.fault.partition("\n")[0], "pl-text", found.fault_title, "pl-in-bad"), "bad")
        told = found.told
        yield Pair(fault, None if told is None else Cell(_set(told, "pl-text", "Told the model", "pl-in-none"), "none"))
        return
    lines = MAX_LINES if len(found.doings) == 1 else STACK_LINES
    for doing in found.doings[:MAX_CALLS]:
        action = _set(doing.input, "pl-code", doing.tool or "(no name)", "pl-in-action", lines, tool=True)
        yield Pair(Cell(action, "action"), _seen(doing, lines), doing.seconds)
    if hidden := len(found.doings) - MAX_CALLS > 0 and len(found.doings) - MAX_CALLS:
        yield Pair(Cell(Body([(f"… {many(hidden, 'more call')} …", "pl-note pl-middle")]), "none"))


def _seen(doing: Doing, lines: int) -> Cell:
    if doing.ok:
        return Cell(_set(doing.result, "pl-code", lines=lines), "seen")
    if doing.observation is None:
        return Cell(Body([(doing.seen.lower(), "pl-note pl-middle")]), "none")
    return Cell(_set(doing.result, "pl-code", doing.seen, "pl-in-bad", lines), "bad")


def _set(
    text: str,
    kind: str,
    heading: str = "",
    color: str = "",
    lines: int = MAX_LINES,
    *,
    width: int = BOX,
    tool: bool = False,
) -> Body:
    """A text and its heading, set for a box of some width."""
    text = text.strip("\r\n")
    font, inner = FONTS[kind], width - 2 * PAD
    looked = cut(text, MAX_SEEN)
    found, whole = fitted(clean(looked.text), font.room(inner), lines, font.measure)
    if whole and looked.left:
        found[-1] += "…"
    shown = [(line, kind) for line in found if any(found)]
    if heading:
        above = "pl-tool" if tool else "pl-label"
        head = clean(cut(heading, 400).text).replace("\n", " ")
        font = FONTS[above]
        heads = fitted(head, font.room(inner), 1 if tool else 3, font.measure)[0]
        shown[:0] = [(line, f"{above} {color}") for line in heads]
    if whole and not looked.left:
        return Body(shown)
    more = cut(text, MAX_TITLE)
    return Body(shown, clean(more.text) + (f"… ({many(more.left)} more characters)" if more.left else ""))


def _size(turn: TurnRecord | int) -> int:
    return 0 if isinstance(turn, int) else min(max(turn.prompt_size, 0), LARGEST)


def _rounded(number: int) -> str:
    """A number that is no longer than "9,999k"."""
    for unit, name in ((10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= 10 * unit:
            return f"{many(number // unit)}{name}"
    return many(number)


def _brief(seconds: float) -> str:
    """A time above an arrow: "" for one that is not worth it."""
    if not 0.05 <= seconds < 99_999:
        return ""
    return f"{seconds:.1f} s" if seconds < 99.95 else f"{seconds:.0f} s"
