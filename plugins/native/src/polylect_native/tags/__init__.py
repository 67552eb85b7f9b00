"""Tongues whose arguments are raw text in tags, typed by the tool's schema."""

from __future__ import annotations

from polylect import LectSpec

LECTS: tuple[LectSpec, ...] = ()

__all__ = ["LECTS"]
