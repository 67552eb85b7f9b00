"""What can go wrong in a grammar without an error: text that hides a marker, patterns without a bound, dead ends.

Each finding says what to change. The rules are explained in ``docs/grammars.md``; each was found by a grammar that
failed without a sound.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, NamedTuple

from . import _patterns as patterns
from ._automaton import END
from ._runtime import BLANK, PAYLOAD_FIRST
from ._source import Source, read_source
from ._tables import MARKUP, REASONING, Move, Tables, compile_source, load_lark, no_lexer


class Lint(NamedTuple):
    """A finding: ``error`` breaks the agreement with lark or linear time, ``warning`` loses text in some replies."""

    level: Literal["error", "warning"]
    rule: str
    terminal: str
    message: str
    place: str

    def __str__(self) -> str:
        return f"{self.place}: {self.level}: {self.message} [{self.rule}]"


def lint(grammar: str | Path | Traversable, replace: Mapping[str, str] | None = None) -> list[Lint]:
    """All findings in a grammar, errors first; empty for a sound one.

    Raises:
        GrammarError: the grammar can't be compiled at all.
    """
    source = read_source(grammar, replace)
    tables = compile_source(source)
    checker = _Checker(source, tables)
    found = {(x.level, x.rule, x.terminal, x.message): x for x in checker.findings()}
    return sorted(found.values())


class _Checker:
    def __init__(self, source: Source, tables: Tables) -> None:
        self.source, self.tables = source, tables
        self.trees = {name: patterns.parse(expression) for name, expression in tables.markers.items()}
        self.samples = {name: patterns.samples(tree, 40) for name, tree in self.trees.items()}
        self.delimiters = {name: [patterns.parse(x) for x in text.delimiters] for name, text in tables.texts.items()}
        self._delimits = {
            name: re.compile("|".join(f"(?:{x})" for x in text.delimiters) or "(?!)").match
            for name, text in tables.texts.items()
        }
        self._guards = {
            name: re.compile(text.guard).match for name, text in tables.texts.items() if text.guard is not None
        }

    def findings(self) -> Iterator[Lint]:
        yield from self._bounds()
        rows = self._lenient()
        for row in rows:
            names = [move.terminal for move in row]
            yield from self._folded(names)
            yield from self._hidden(names, {move.terminal for move in row if move.role == REASONING})
            yield from self._overlaps(names)
            yield from self._order(names)
        yield from self._dead_ends(rows)
        if "written" not in self.tables.starts:
            yield self._lint(
                "warning", "written", "written",
                "there is no rule 'written', the strict form that formatted text is checked against; add one",
            )  # fmt: skip

    def _lenient(self) -> list[tuple[Move, ...]]:
        """The states of ``start``: those of ``written`` are strict on purpose."""
        order = [self.tables.starts["start"]]
        for number in order:
            order += [m.target for m in self.tables.states[number] if m.target >= 0 and m.target not in order]
        return [self.tables.states[number] for number in dict.fromkeys(order)]

    def _lint(self, level: Literal["error", "warning"], rule: str, terminal: str, message: str) -> Lint:
        return Lint(level, rule, terminal, message, self.source.place(terminal))

    def _bounds(self) -> Iterator[Lint]:
        for name, tree in self.trees.items():
            if patterns.width(tree) is None:
                yield self._lint(
                    "error", "unbounded", name,
                    f"the marker {name} has no longest match; write {{0,8}} for * and {{1,8}} for +",
                )  # fmt: skip
        for name, trees in self.delimiters.items():
            guard = self.tables.texts[name].guard
            if any(patterns.width(t) is None for t in [*trees, *([patterns.parse(guard)] if guard else [])]):
                yield self._lint(
                    "error", "unbounded", name,
                    f"a delimiter or guard of the text {name} has no longest match; write {{0,8}} for *",
                )  # fmt: skip

    @cached_property
    def _expressions(self) -> dict[str, Any]:
        return {str(t.name): t.pattern for t in load_lark(self.source, lexer=no_lexer()).terminals}

    def _folded(self, names: list[str]) -> Iterator[Lint]:
        for name in (name for name in names if name in self.tables.texts):
            match = re.compile(self._expressions[name].to_regexp()).fullmatch
            for other in (other for other in names if other in self.tables.markers):
                pattern = self._expressions[other]
                if pattern.type == "str" and match(pattern.value):
                    yield self._lint(
                        "error", "folded", other,
                        f"the text {name} can match all of the string terminal {other}, and lark then folds the two "
                        f"into one; write {other} as a regular expression",
                    )  # fmt: skip

    def _ends(self, text: str, string: str) -> bool:
        """Whether ``text`` does not go on (or begin) where ``string`` stands."""
        guard = self._guards.get(text)
        return self._delimits[text](string) is not None or (guard is not None and guard(string) is not None)

    def _closed(self, text: str, names: list[str]) -> bool:
        """Whether one of these markers ends ``text`` wherever it stands."""
        return any(name in self.trees and all(self._ends(text, s) for s in self.samples[name] if s) for name in names)

    def _hidden(self, names: list[str], thoughts: set[str]) -> Iterator[Lint]:
        for text in (name for name in names if name in self.tables.texts):
            if self.tables.texts[text].delimiters == (BLANK,):
                continue  # white space before a marker is layout, whoever takes it
            for marker in (name for name in names if name in self.trees):
                bad = next((s for s in self.samples[marker] if s and not self._ends(text, s)), None)
                if bad is not None and any(x.startswith(bad) for x in self._delimiter_samples[text]):
                    continue  # a guard on the content: what follows the marker decides
                if bad is not None and text in thoughts and self._closed(text, names):
                    continue  # what stands in reasoning is reasoning until that is closed, calls too
                if bad is not None:
                    yield self._lint(
                        "error", "hidden", text,
                        f"the text {text} hides the marker {marker}, which may stand in its place ({bad!r} would be "
                        f"text); add {marker} to what {text} excludes, or to its guard",
                    )  # fmt: skip
            for payload in (name for name in names if name.startswith("@")):
                firsts = PAYLOAD_FIRST[payload[1:]]
                starts = [patterns.first(tree) for tree in self.delimiters[text]]
                if not any(self._ends(text, c) or any(c in some for some, _, _ in starts) for c in firsts):
                    yield self._lint(
                        "error", "hidden", text,
                        f"the text {text} hides the payload {payload[1:]}, which may stand in its place; let {text} "
                        "exclude how it begins",
                    )  # fmt: skip

    def _overlaps(self, names: list[str]) -> Iterator[Lint]:
        texts = [name for name in names if name in self.tables.texts]
        for at, one in enumerate(texts):
            for other in texts[at + 1 :]:
                both = [c for c in patterns.PROBES if not self._ends(one, c) and not self._ends(other, c)]
                if both:
                    yield self._lint(
                        "error", "overlap", one,
                        f"the texts {one} and {other} may stand in one place and both begin with {both[0]!r}; give "
                        "one of them a guard",
                    )  # fmt: skip

    def _order(self, names: list[str]) -> Iterator[Lint]:
        markers = [name for name in names if name in self.trees]
        for at, one in enumerate(markers):
            match = re.compile(patterns.plain(self.trees[one])).match
            for other in markers[at + 1 :]:
                itself = re.compile(patterns.plain(self.trees[other])).match  # its lookahead may refuse a sample
                bad = next((s for s in self.samples[other] if s and match(s) and itself(s)), None)
                if bad is not None:
                    yield self._lint(
                        "error", "order", other,
                        f"the marker {one} is tried before {other} and takes {bad!r} from it; make {other} the wider "
                        "one, or let the two exclude each other",
                    )  # fmt: skip

    @cached_property
    def _delimiter_samples(self) -> dict[str, list[str]]:
        return {
            name: [s for tree in trees for s in patterns.samples(tree, 40)] for name, trees in self.delimiters.items()
        }

    def _dead_ends(self, rows: list[tuple[Move, ...]]) -> Iterator[Lint]:
        for row in rows:
            for move in row:
                if move.terminal not in self.tables.texts or move.role == MARKUP:
                    continue
                after = self.tables.states[move.target]
                for tree in self.delimiters[move.terminal]:
                    for string in patterns.samples(tree, 12):
                        if string and not self._acceptable(string, [m.terminal for m in after]):
                            yield self._lint(
                                "warning", "dead end", move.terminal,
                                f"the text {move.terminal} ends at {string!r}, but nothing that may follow begins so: "
                                "such text will be passed over",
                            )  # fmt: skip
                            break

    def _acceptable(self, string: str, names: list[str]) -> bool:
        for name in names:
            if name in self.trees and re.match(patterns.plain(self.trees[name]), string):
                return True
            if name in self.tables.texts and not self._ends(name, string):
                return True
            if name.startswith("@") and string[0] in PAYLOAD_FIRST[name[1:]]:
                return True
        return END in names and not string.strip()


__all__ = ["Lint", "lint"]
