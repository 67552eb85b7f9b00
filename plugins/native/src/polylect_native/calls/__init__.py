"""Tongues whose calls are a notation of their own: Python calls, Gemma's objects, elements named as the arguments."""

from __future__ import annotations

from polylect import LectSpec

LECTS: tuple[LectSpec, ...] = ()

__all__ = ["LECTS"]
