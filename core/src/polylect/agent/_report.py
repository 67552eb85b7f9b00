"""The report of a run, for terminals and logs: how it ended, and turn by turn what was thought, done and seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from .._harmless import safe
from ._layout import cut, wrapped
from ._values import RunResult, TurnRecord
from ._view import Ending, Row, ending, many, question, row, rows, seconds_of, tally, tokens_of

LIMIT = 2_000
"""Characters shown of one text, where no other limit is given."""
LABEL = 14
"""Columns for what stands before a text, behind an indent of two."""
NARROWEST = LABEL + 2 + 16
"""The least width of a report."""
TAB = 4


class Painter(Protocol):
    """Colours a text, as the command line does; names of colours are those of ANSI."""

    def __call__(self, text: str, color: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """The text in a colour."""


def plain(text: str, color: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
    """A :class:`Painter` without paint."""
    return text


def report(result: RunResult, *, width: int | None = None, limit: int | None = LIMIT, paint: Painter = plain) -> str:
    """A run as text that is safe to print.

    Args:
        result: the run.
        width: the columns of the terminal; longer lines are broken between words, and wide characters count two. At
            least 32. None: lines are left as long as they are.
        limit: the characters shown of one text, with a mark for what is left out; None shows all.
        paint: colours the labels; the texts of models and tools are never coloured.
    """
    return "\n".join(Report(width, limit, paint).lines(result)) + "\n"


class Report:
    """The parts of a report, as lines. Arguments as for :func:`report`."""

    def __init__(self, width: int | None, limit: int | None, paint: Painter) -> None:
        self.room = None if width is None else max(width, NARROWEST) - LABEL - 2
        self.limit = None if limit is None else max(limit, 1)
        self.paint = paint

    def lines(self, result: RunResult) -> Iterator[str]:
        """All of it."""
        yield from self.summary(result)
        end = ending(result)
        turns = rows(result)
        for turn in turns:
            yield ""
            yield from self.turn(row(result, turn), end if turn is turns[-1] else None)

    def summary(self, result: RunResult) -> Iterator[str]:
        """What stands above the turns: how the run ended, and what it came to."""
        end = ending(result)
        turns = rows(result)
        yield from self._sentence(end.reason, "green" if end.finished else "yellow")
        yield ""
        if asked := question(result):
            yield from self.field("Question", asked)
        if end.finished or end.answer:
            yield from self.field(*_answer(end))
        yield from self.field("Steps taken", f"{many(len(turns), 'turn')}, {tally(turns)}")
        if time := seconds_of(result.seconds):
            yield from self.field("Time", time)
        if tokens := tokens_of(result.usage):
            yield from self.field("Tokens", tokens)
        if result.lect:
            yield from self.field("Lect", result.lect)

    def turn(self, found: Row, end: Ending | None = None) -> Iterator[str]:
        """One turn; ``end`` for the last one of a run that is over."""
        title = self.paint(f"Turn {many(found.number)}", bold=True)
        notes = "" if found.record is None else ", ".join(_notes(found.record))
        yield f"{title}  {self.paint(notes, dim=True)}" if notes else title
        if found.said.strip():
            yield from self.field("Thought" if found.thought else "Reply", found.said, dim=found.thought)
        if found.fault is not None:
            yield from self.field(found.fault_title, found.fault, "red")
            if found.told is not None:
                yield from self.field("Told", found.told)
        for number, doing in enumerate(found.doings, 1):
            count = f" {number}" if len(found.doings) > 1 else ""
            yield from self.field(f"Action{count}", doing.called, "cyan")
            if doing.observation is not None or doing.ok:
                yield from self.field(doing.seen, doing.result, None if doing.ok else "red")
            else:
                yield from self.field(doing.seen, "(no observation)", "yellow")
        if end is not None and found.idle and (end.finished or end.asked):
            yield from self.field(*_answer(end))

    def field(self, label: str, text: str, color: str | None = None, *, dim: bool = False) -> Iterator[str]:
        """A labelled text; further lines stand under the first."""
        shown = cut(text, self.limit)
        body = harmless(shown.text)
        if shown.left:
            body += f"… ({many(shown.left)} more characters)"
        label = self.paint(label, color, dim=dim) + " " * (LABEL - len(label))
        for line in body.split("\n") if self.room is None else wrapped(body, self.room):
            yield f"  {label}{line}".rstrip(" ")
            label = " " * LABEL

    def _sentence(self, text: str, color: str) -> Iterator[str]:
        text = harmless(text)
        lines = [text] if self.room is None else wrapped(text, self.room + LABEL + 2)
        return (self.paint(line, color, bold=True) for line in lines)


def _answer(end: Ending) -> tuple[str, str, str]:
    return ("Answer", end.answer, "green") if end.finished else ("Output", end.answer, "yellow")


def _notes(record: TurnRecord) -> Iterator[str]:
    tools = sum(result.seconds for result in record.results)
    told = {"model": seconds_of(record.seconds), "tools": seconds_of(tools), "tokens": tokens_of(record.usage)}
    return (f"{word} {text}" for word, text in told.items() if text)


def harmless(text: str) -> str:
    """Text of models and tools on lines of its own: no control characters but line feeds."""
    return safe(text.strip("\r\n").replace("\r\n", "\n").replace("\t", " " * TAB))
