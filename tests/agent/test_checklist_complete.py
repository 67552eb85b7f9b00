"""The checklist of what agents do: each item, from 1 to 60, has a test that bears its number."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
FILES = [*sorted(HERE.glob("test_checklist_*.py")), HERE / "test_builders.py"]
NUMBERED = re.compile(r"^def test_(\d+)_", re.MULTILINE)


def test_every_item_has_a_test() -> None:
    found = {int(number) for file in FILES for number in NUMBERED.findall(file.read_text(encoding="utf-8"))}
    assert sorted(found) == list(range(1, 61))
