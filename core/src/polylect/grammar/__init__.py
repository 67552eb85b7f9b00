"""The grammar engine: a ``.lark`` file becomes a small automaton, and two interpreters run it.

:class:`Grammar` compiles a file when it is first used (cached on disk); its ``whole`` reads well-formed messages, its
``reader`` reads anything, in chunks. Nothing here knows agents, tools or lects.
"""

from ._draft import CLOSED, CUT, MISSING, OPEN, Sink
from ._driver import Driver
from ._engine import Grammar
from ._lint import Lint, lint

__all__ = ["CLOSED", "CUT", "MISSING", "OPEN", "Driver", "Grammar", "Lint", "Sink", "lint"]
