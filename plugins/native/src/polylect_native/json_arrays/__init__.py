"""Tongues whose calls are the entries of a JSON array."""

from __future__ import annotations

from polylect import LectSpec

LECTS: tuple[LectSpec, ...] = ()

__all__ = ["LECTS"]
