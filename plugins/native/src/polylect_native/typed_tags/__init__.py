"""Tongues whose arguments are tags that tell their type, or pairs of keys and values."""

from __future__ import annotations

from polylect import LectSpec

LECTS: tuple[LectSpec, ...] = ()

__all__ = ["LECTS"]
