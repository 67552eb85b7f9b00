"""A compiled grammar with its two interpreters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from .._values import Reply
from ._cache import load_tables
from ._draft import Sink
from ._driver import Driver
from ._runtime import Runtime
from ._source import Source, read_source
from ._stream import Reader
from ._tables import CONTENT, Tables
from ._whole import Whole

HEAD = 512
"""Characters at the beginning of a message: longer than any marker."""


class Grammar:
    """A grammar, compiled when it is first used.

    ``grammar`` is lark source (anything with a line break), a path, a package resource, or the name of a file of
    ``polylect_grammars``; ``replace`` gives other definitions to some of its terminals.

    Raises:
        GrammarError: on first use, when the grammar can't be read or compiled.
    """

    def __init__(self, grammar: str | Path | Traversable, replace: Mapping[str, str] | None = None) -> None:
        self._grammar, self._replace = grammar, dict(replace or {})

    @cached_property
    def source(self) -> Source:
        """The text, with its replacements made."""
        return read_source(self._grammar, self._replace)

    @cached_property
    def tables(self) -> Tables:
        """The compiled tables."""
        return load_tables(self.source)

    @cached_property
    def runtime(self) -> Runtime:
        """The tables, ready to run."""
        return Runtime(self.tables)

    @cached_property
    def whole(self) -> Whole:
        """The interpreter for well-formed whole messages."""
        return Whole(self.runtime, self.tables.starts["start"])

    @cached_property
    def _opening(self) -> tuple[Any, Any] | None:
        """``match`` for the markers that may begin a message, ``search`` for what ends its text; None if more may."""
        state = self.runtime.state(self.tables.starts["start"])
        if state.payloads or state.blank >= 0 or len(state.texts) != 1:
            return None
        text = state.texts[0]
        if text.role != CONTENT or text.guard is not None:
            return None
        return state.markers.plain, text.plain

    def begins_with_content(self, text: str, lead: str = "") -> bool:
        """Whether the first thing in a message is content for sure, as its beginning tells."""
        opening = self._opening
        if opening is None or not text:
            return False
        marker, delimiter = opening
        head = lead + text[:HEAD]
        if marker(head) is not None:
            return False
        found = delimiter(head)
        return found is None or found.start() > 0

    def reader(self, sink: Sink, prefix: str = "", *, start: str = "start", length_cut: bool = False) -> Reader:
        """The interpreter for streams, from the state that ``prefix`` leaves it in."""
        return Reader(self.runtime, sink, prefix, self.tables.starts[start], length_cut)

    def read(self, text: str, sink: Sink, prefix: str = "", *, start: str = "start", length_cut: bool = False) -> Reply:
        """Any text, by the stream interpreter in one piece."""
        reader = self.reader(sink, prefix, start=start, length_cut=length_cut)
        driver = Driver(reader.run())
        if text:
            driver.step(text)
        driver.step(None)
        assert reader.reply is not None
        return reader.reply
