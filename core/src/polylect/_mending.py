"""Mending malformed JSON by the policy ``malformed="repair"``: how much of it, and never with a mender's error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._json import dumps
from .grammar._draft import MISSING

LONGEST_MENDED = 8 * 1024
"""Characters of malformed JSON that are mended at most: menders take time by the square of the length, or worse."""
MENDED_TOGETHER = 16 * 1024
"""Characters that are mended in one message, all texts together."""
FAULTS = (ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError)
"""What menders raise, which are not made for hostile text."""


class Mender:
    """Mends the malformed texts of messages, of each message only so much."""

    __slots__ = ("_spent",)

    def __init__(self) -> None:
        self._spent: tuple[object, int] = (None, 0)

    def mend(self, raw: str, repair: Callable[[str], Any], max_nesting: int, message: object) -> Any:
        """What a mender makes of malformed JSON; MISSING where the text is too long or too deep for it, or it fails.

        Args:
            raw: the malformed text; more than 8,192 characters are not mended, nor more than 16,384 in one message.
            repair: the mender: text -> a JSON value, or MISSING.
            max_nesting: brackets within brackets, of the text and of what comes of it.
            message: an object that is the message's own, such as the list of its diagnostics.
        """
        from ._reading import nesting_beyond

        owner, spent = self._spent
        spent = len(raw) + (spent if owner is message else 0)
        if len(raw) > LONGEST_MENDED or spent > MENDED_TOGETHER or nesting_beyond(raw, max_nesting):
            return MISSING
        self._spent = message, spent
        try:
            value = repair(raw)
            return MISSING if value is MISSING or nesting_beyond(dumps(value), max_nesting) else value
        except FAULTS:
            return MISSING
