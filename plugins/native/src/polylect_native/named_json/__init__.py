"""Tongues whose calls have a name outside and JSON arguments."""

from __future__ import annotations

from polylect import LectSpec

LECTS: tuple[LectSpec, ...] = ()

__all__ = ["LECTS"]
