"""What a native lect can't say, with what it says instead; and how pieces of a message are joined."""

from __future__ import annotations

from collections.abc import Callable

REFUSED: dict[str, dict[str, str]] = {}
"""Cases of the matrix, each with the lects that refuse it and a part of their reason."""
PLAIN_PIECES: dict[str, Callable[[list[str]], str]] = {}
"""How texts and calls follow each other, in lects where it is not one directly behind the other."""
