"""The interpreter for whole messages: the same tables, printed as one Python function per grammar.

The function knows positions only, emits no events, and reads well-formed messages. At anything else (a cut, disorder, a
malformed payload, an invented observation) it gives up with None, and the stream interpreter reads the text from the
start: so there is one definition of every irregular case, and a message costs at most two passes.

Printed rather than interpreted because a short message is all overhead: the printed function takes half the time of a
loop over the tables (see ``docs/benchmarks.md``). The printer puts nothing of the grammar's text into the source but
state numbers and flags; patterns are passed in compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeAlias

from .._values import Reply
from ._draft import Sink
from ._printer import Printer
from ._runtime import Runtime

Parse: TypeAlias = Callable[[str, int, str, Sink], Reply | None]


class Whole:
    """A compiled grammar's reader of whole messages, from one start state."""

    def __init__(self, runtime: Runtime, start: int) -> None:
        self.runtime, self.start = runtime, start

    def printed(self, off: int | None = None) -> tuple[str, dict[str, Any]]:
        """The source of the function and the names it uses; ``off``: the length of the lead, when it is known."""
        return Printer(self.runtime, self.start, off).function()

    def compiled(self, off: int | None = None) -> Parse:
        """``parse(lead + text, len(lead), text, sink)``: the reply, or None when the text is not well-formed.

        With ``off`` the function is for a lead of that length that no marker but the first one touches, and faster.
        """
        source, names = self.printed(off)
        exec(compile(source, f"<polylect {self.runtime.tables.name}>", "exec"), names)
        found: Parse = names["parse"]
        return found

    @cached_property
    def parse(self) -> Parse:
        """The function for a lead of any length."""
        return self.compiled()
