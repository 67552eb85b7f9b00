"""The command line: ``polylect parse|stream|format|translate|run|check|lects|plugins``."""

from __future__ import annotations

from ._main import main

__all__ = ["main"]
