"""The input files of a command, one after the other, as items of work."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ._lines import Source, batches
from ._pool import Item

KINDS = {".jsonl": "lines", ".ndjson": "lines", ".json": "json"}
"""How a file is read, by the end of its name; any other file is one message."""


class Inputs:
    """Items from ``names``; ``kind`` (``lines``, ``text``, ``json``) overrides what the names' ends say."""

    def __init__(self, names: Sequence[str], kind: str | None = None) -> None:
        self.names = names
        self.kind = kind
        self.source: Source | None = None

    def __iter__(self) -> Iterator[Item]:
        for name in self.names:
            kind = self.kind or KINDS.get(os.path.splitext(name)[1].lower(), "text")
            with Source(name) as self.source:
                if kind == "lines":
                    for first, data, overlong in batches(self.source.read_batch):
                        yield Item("overlong" if overlong else kind, name, first, data, len(data))
                else:
                    data = self.source.read_all()
                    yield Item(kind, name, 1, data, len(data))
        self.source = None

    def ready(self) -> bool:
        """Whether the next item can be read without waiting for a pipe."""
        return self.source is None or self.source.ready()

    def waits_on(self) -> int | None:
        """The pipe's descriptor, where the next item comes from one."""
        return self.source.fd if self.source is not None else None

    def total(self) -> int | None:
        """The bytes of all files, or None where one of them is a pipe."""
        found = 0
        for name in self.names:
            if name == "-" or not os.path.isfile(name):
                return None
            found += os.path.getsize(name)
        return found
