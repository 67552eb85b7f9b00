"""The native family: the tongues that models were trained on, one lect for each of fifty formats."""

from __future__ import annotations

from polylect import LectSpec, hookimpl

from . import json_blocks


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [*json_blocks.LECTS]


__all__ = ["polylect_lects"]
