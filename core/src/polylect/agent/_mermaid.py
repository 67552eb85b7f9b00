"""A run as a flowchart in Mermaid's language: a box of boxes for each turn, and the answer."""

from __future__ import annotations

from collections.abc import Iterator

from .._draw import escaped
from .._harmless import safe
from ._layout import cut
from ._picture import MAX_TURNS, halves
from ._style import LIGHT
from ._values import RunResult
from ._view import Doing, Row, ending, many, question, row, rows, tally

LIMITS = (160, 80, 40, 16)
"""Characters of one text, tried in this order until the chart is small enough."""
LARGEST_CHART = 45_000
"""Characters of a chart; Mermaid refuses more than 50,000."""
MAX_CALLS = 4
"""Calls drawn of one turn."""
KINDS = ("thought", "action", "seen", "bad", "none", "answer", "stopped")


def flowchart(result: RunResult, *, max_turns: int = MAX_TURNS) -> str:
    """A run as a Mermaid flowchart, small enough for Mermaid's own limits of text and edges.

    Args:
        result: the run.
        max_turns: how many turns are drawn; of a longer run the first and the last ones.

    Raises:
        PromptError: ``max_turns`` is no number from 2.
    """
    first, last = halves(max_turns)
    chart = ""
    for limit in LIMITS:
        chart = "\n".join(_Chart(result, limit).lines(first, last))
        if len(chart) <= LARGEST_CHART:
            break
    return chart


class _Chart:
    def __init__(self, result: RunResult, limit: int) -> None:
        self.result, self.limit = result, limit

    def lines(self, first: int, last: int) -> Iterator[str]:
        turns = rows(self.result)
        yield "flowchart TD"
        chain = ["question"]
        yield f"    question([{self.label(question(self.result) or 'the run begins')}])"
        hidden = len(turns) - first - last
        for at, turn in enumerate(turns):
            if hidden <= 0 or not first <= at < first + hidden:
                chain.append(f"turn{at + 1}")
                yield from self.turn(at + 1, row(self.result, turn))
            elif at == first:
                chain.append("more")
                left, told = many(hidden, "more turn"), tally(turns[first : first + hidden])
                yield f"    more[{self.label(str(told), f'… {left} …', whole=True)}]:::none"
        end = ending(self.result)
        kind = "answer" if end.finished else "stopped"
        title = end.title if self.result.stop_reason == "finished" else end.reason
        yield f"    {kind}([{self.label(end.answer, title, whole=True)}]):::{kind}"
        yield f"    {' --> '.join([*chain, kind])}"
        if shown := [name for name in chain if name.startswith("turn")]:
            yield f"    class {','.join(shown)} turn"
            yield f"    classDef turn fill:none,stroke:{LIGHT.none[1]}"
        for name in KINDS:
            fill, line, _ = getattr(LIGHT, name)
            yield f"    classDef {name} fill:{fill},stroke:{line},color:{LIGHT.ink}"

    def turn(self, number: int, found: Row) -> Iterator[str]:
        yield f"    subgraph turn{number}[{self.label(f'Turn {many(found.number)}')}]"
        yield "        direction LR"
        if found.fault is not None:
            told = "" if found.told is None else f" --> told{number}[{self.label(found.told, 'Told the model')}]:::none"
            reply = f"thought{number}[{self.label(found.said, found.title)}]:::bad"
            fault = self.label(found.fault.partition("\n")[0], found.fault_title)
            yield f"        {reply} --> fault{number}[{fault}]:::bad{told}"
        else:
            kind, said = ("thought", found.said) if found.said.strip() else ("none", "no thought")
            yield f"        thought{number}[{self.label(said)}]:::{kind}"
        for at, doing in enumerate(found.doings[:MAX_CALLS], 1):
            yield f"        thought{number} --> {self.call(f'{number}_{at}', doing)}"
        if len(found.doings) > MAX_CALLS:
            hidden = many(len(found.doings) - MAX_CALLS, "more call")
            yield f"        thought{number} --> more{number}[{self.label(f'… {hidden} …')}]:::none"
        yield "    end"

    def call(self, place: str, doing: Doing) -> str:
        kind = "seen" if doing.ok else "none" if doing.observation is None else "bad"
        action = f"action{place}[{self.label(doing.input, doing.tool or '(no name)')}]:::action"
        return f"{action} --> seen{place}[{self.label(doing.result, '' if doing.ok else doing.seen)}]:::{kind}"

    def label(self, text: str, title: str = "", *, whole: bool = False) -> str:
        """A quoted label: a text, with a title above it."""
        head = f"<b>{self.text(title, 200 if whole else self.limit)}</b>" if title else ""
        body = self.text(text.strip(), self.limit)
        return f'"{"<br/>".join(filter(None, (head, body))) or " "}"'

    def text(self, text: str, limit: int) -> str:
        """A text that Mermaid shows as it is."""
        found = cut(text, limit)
        lines = safe(found.text.replace("\r\n", "\n").replace("\t", " ")).split("\n")
        return "<br/>".join(map(escaped, lines)) + ("…" if found.left else "")
