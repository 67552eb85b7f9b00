"""The native family: the tongues that models were trained on, one lect for each of fifty formats."""

from __future__ import annotations

from polylect import LectSpec, hookimpl

from . import calls, json_arrays, json_blocks, named_json, tags, typed_tags

BODIES = (json_blocks, json_arrays, named_json, tags, typed_tags, calls)


@hookimpl
def polylect_lects() -> list[LectSpec]:
    """The lects of this family."""
    return [lect for body in BODIES for lect in body.LECTS]


__all__ = ["polylect_lects"]
