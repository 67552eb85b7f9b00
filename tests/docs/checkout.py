"""A reader's checkout: a folder with ``docs`` in it, and a terminal in which the commands of a page are run.

The commands are the real ones, save two. ``pip install`` of what the tests run in already does nothing; in a folder
with a project of its own it builds that, and unpacks it in a place that only this page sees. ``pytest`` without a
project does nothing: it would be this very run.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT = 120
PROGRAMS = {
    "polylect": 'exec "$PYTHON" -m polylect.cli "$@"',
    "python": 'exec "$PYTHON" "$@"',
    "pytest": '[ ! -f pyproject.toml ] || exec "$PYTHON" -m pytest -p no:cacheprovider "$@"',
    "pip": (
        '[ ! -f pyproject.toml ] || { "$PYTHON" -m hatchling build --target wheel --directory "$SITE/wheel"'
        ' && "$PYTHON" -m zipfile --extract "$SITE"/wheel/*.whl "$SITE"; }'
    ),
}


class Checkout:
    """A folder to work in, and the place in it where the reader is."""

    def __init__(self, folder: Path) -> None:
        self.root = self.here = folder / "polylect"
        self.root.mkdir()
        (self.root / "docs").symlink_to(ROOT / "docs")
        self._place = folder / "place"
        self.site, programs = folder / "site", folder / "bin"
        for path in (self.site, programs):
            path.mkdir()
        for name, code in PROGRAMS.items():
            (programs / name).write_text(f"#!/bin/sh\n{code}\n")
            (programs / name).chmod(0o755)
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("POLYLECT", "PYTEST"))}
        paths = [str(self.site), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.environment = kept | {
            "COLUMNS": "120",
            "NO_COLOR": "1",
            "POLYLECT_EXAMPLES": "30",  # for the kit as tests: the laws have tests of their own
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "PYTHON": sys.executable,
            "PYTHONPATH": os.pathsep.join(paths),
            "SITE": str(self.site),
            "TERM": "xterm",
        }

    def write(self, file: str, text: str) -> None:
        """Put a file where the reader is."""
        path = self.here / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run(self, code: str) -> tuple[int, str, str]:
        """Run shell code on a terminal: its exit code, what it shows, and what it says on standard error."""
        script = f"{code}\ncode=$?\npwd > {self._place}\nexit $code\n"
        screen, terminal = pty.openpty()
        with tempfile.TemporaryFile() as messages:
            process = subprocess.Popen(
                ["bash", "-c", script],
                cwd=self.here,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=terminal,
                stderr=messages,
            )
            os.close(terminal)
            shown = _read(screen)
            os.close(screen)
            found = process.wait(TIMEOUT)
            messages.seek(0)
            said = messages.read().decode()
        if self._place.is_file():
            self.here = Path(self._place.read_text("utf-8").rstrip("\n"))
        return found, shown, said


def _read(screen: int) -> str:
    found = b""
    while select.select([screen], [], [], TIMEOUT)[0]:
        try:
            piece = os.read(screen, 65_536)
        except OSError:  # Linux's way to say that the other end is closed
            break
        if not piece:
            break
        found += piece
    return found.decode().replace("\r\n", "\n")
