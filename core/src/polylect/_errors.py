"""One tree of errors with two sides: the caller is wrong, or the model's output is wrong."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, get_args

Reason: TypeAlias = Literal[
    "empty",
    "no_action",
    "missing_name",
    "missing_arguments",
    "malformed_arguments",
    "invalid_arguments",
    "unknown_tool",
    "truncated",
    "both",
    "observation",
    "limit",
    "not_text",
]
"""Why a reply can't be taken as it is."""
REASONS: tuple[str, ...] = get_args(Reason)
CALL_FAULTS: frozenset[Any] = frozenset(REASONS[2:7]) | {"limit"}
"""What can be wrong with a call; also the codes of its diagnostics."""

CONTEXT = 60
"""Characters shown on each side of the fault: enough for a terminal line of 120."""
CLOSE = 0.65
"""The share of letters that a nearest name has in common: one of three may be another, half of them may not."""


class PolylectError(Exception):
    """Everything polylect raises on purpose."""


class LectError(PolylectError, LookupError):
    """Your call is wrong: an unknown lect, policy or option, or a reply that a lect cannot express."""


class GrammarError(PolylectError, ValueError):
    """Your grammar is wrong: the message names the file, the line or rule, and what to change."""


class PluginError(PolylectError):
    """A plugin could not be loaded, or two plugins claim one name."""


class PromptError(PolylectError, ValueError):
    """Your prompt or pipeline is wrong."""


class ToolError(PolylectError, ValueError):
    """A tool's description is wrong: its name, its schema, or two tools of one name."""


class ConstraintError(PolylectError, ValueError):
    """A constraint can't say what a schema, a lect or a choice asks for, or a server can't take it; names the place."""


class ModelError(PolylectError):
    """The model can't be asked, or its answer never arrived whole.

    Attributes:
        status: the HTTP status, where there was one.
        partial: what had arrived by then.
    """

    def __init__(self, message: str, *, status: int | None = None, partial: str = "") -> None:
        super().__init__(message)
        self.message, self.status, self.partial = message, status, partial

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_model_error, (self.message, self.status, self.partial)


def _rebuild_model_error(message: str, status: int | None, partial: str) -> ModelError:
    return ModelError(message, status=status, partial=partial)


class RunError(PolylectError):
    """A run of an agent could not go on; ``__cause__`` says why. Nothing that was done is lost.

    Attributes:
        state: where the run stands; ``agent.run(error.state)`` takes it up again.
    """

    def __init__(self, message: str, state: Any) -> None:
        super().__init__(message)
        self.message, self.state = message, state

    @property
    def steps(self) -> tuple[Any, ...]:
        """The steps that were done."""
        return tuple(self.state.steps)

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.state)


class RecordError(PolylectError, ValueError):
    """A record of a run can't be replayed: it is malformed, or the agent wants something else than it holds.

    Attributes:
        line: the number of the line in the file, from 1; 0 where it is about no line.
    """

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message, self.line = message, line

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.message, self.line)


class ParseError(PolylectError, ValueError):
    """The model's output is wrong.

    Attributes:
        text: what the model wrote.
        span: half-open character offsets of the fault in ``text``.
        expected: what could have stood there, in words.
        reason: one of :data:`REASONS`.
        correction: one sentence to send back to the model.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        span: tuple[int, int] = (0, 0),
        expected: Iterable[str] = (),
        reason: Reason = "no_action",
        correction: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.span = span
        self.expected = tuple(expected)
        self.reason: Reason = reason
        self.correction = correction or message

    def __str__(self) -> str:
        view = caret(self.text, *self.span)
        return f"{self.message}\n{view}" if view else self.message

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.message, self.text, self.span, self.expected, self.reason, self.correction)


def _rebuild(
    message: str, text: str, span: tuple[int, int], expected: tuple[str, ...], reason: Reason, correction: str
) -> ParseError:
    return ParseError(message, text=text, span=span, expected=expected, reason=reason, correction=correction)


def caret(text: str, start: int, end: int) -> str:
    """The line of ``text`` around ``start`` with carets under the fault; "" for empty text."""
    if not text:
        return ""
    start = min(max(start, 0), len(text))
    left = max(text.rfind("\n", 0, start) + 1, start - CONTEXT)
    right = text.find("\n", start)
    right = min(len(text) if right < 0 else right, start + CONTEXT)
    line = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[left:right])
    before, fault = line[: start - left], line[start - left : max(end, start) - left]
    return f"{line}\n{' ' * _columns(before)}{'^' * max(1, _columns(fault))}"


def _columns(text: str) -> int:
    """The columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


def nearest(name: str, names: Iterable[str]) -> str:
    """A half-sentence naming the nearest of ``names``: `` Did you mean 'react'?``, or ""."""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=CLOSE)
    return f" Did you mean {close[0]!r}?" if close else ""
