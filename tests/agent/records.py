"""What the tests of records share: looking into them, and things that must not, or can't, be called."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def never(*args: Any, **kwargs: Any) -> Any:
    """What a replay must not call."""
    raise AssertionError("nothing is called in a replay")


def broken(text: str) -> str:
    """It never works."""
    raise ValueError(f"no {text}")


def lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a record."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def kinds(path: Path) -> list[str]:
    """What the lines of a record are."""
    return [line["type"] for line in lines(path)]
