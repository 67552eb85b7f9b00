"""A folder of distributions, and a Python that finds them before its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import polylect

INSTALLED = [info.name for info in polylect.lects()]
"""The bundled lects, and whatever else is installed beside them."""
LECT = """
import polylect


class Own(polylect.TextLect):
    name = {name!r}
    title = "A tongue of one's own"
    grammar_file = "start: content?\\ncontent: TEXT\\nTEXT: /[\\\\s\\\\S]+/\\n"


@polylect.hookimpl
def polylect_lects():
    return [polylect.LectSpec({name!r}, Own.title, "own", "{module}:Own", {aliases!r})]
"""
"""A module with a lect that takes everything for content."""
REPORT = """
import json, sys, warnings

sys.path.insert(0, sys.argv[1])
seen = []
warnings.showwarning = lambda message, *more: seen.append(str(message))
import polylect

def answer(ask):
    try:
        return ask()
    except polylect.PolylectError as error:
        return f"{{type(error).__name__}}: {{error}}"

{code}
print(json.dumps(found, default=repr))
"""


def lect_source(name: str, module: str, returned: str = "") -> str:
    """A module with a lect of that name; ``returned`` is what its hook returns instead of the right thing."""
    source = LECT.format(name=name, module=module, aliases=())
    return f"{source.partition('    return ')[0]}    return {returned}\n" if returned else source


class Site:
    """Distributions in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def install(self, name: str, version: str, points: dict[str, str], **modules: str) -> None:
        """Install a distribution: its entry points in the group ``polylect``, and the source of its modules."""
        info = self.folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        lines = "".join(f"{point} = {target}\n" for point, target in points.items())
        (info / "entry_points.txt").write_text(f"[polylect]\n{lines}")
        for module, source in modules.items():
            (self.folder / f"{module}.py").write_text(textwrap.dedent(source))

    def install_lect(self, name: str, version: str, point: str, lect: str = "", aliases: tuple[str, ...] = ()) -> None:
        """Install a distribution that brings one sound lect."""
        module = f"{name.replace('-', '_')}_module"
        source = LECT.format(name=lect or point, module=module, aliases=aliases)
        self.install(name, version, {point: module}, **{module: source})

    def run(self, code: str, *options: str) -> dict[str, Any]:
        """What a new Python finds: ``code`` puts it into the dict ``found``; ``seen`` are the warnings."""
        program = REPORT.format(code=textwrap.dedent(code))
        command = [sys.executable, *options, "-c", program, str(self.folder)]
        environment = os.environ | {"PYTHONFAULTHANDLER": "1"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        result: dict[str, Any] = json.loads(done.stdout)
        return result

    def look(self, *names: str) -> dict[str, Any]:
        """The plugins (by name and distribution), the lects, the warnings, and what ``polylect.lect`` says of names."""
        return self.run(
            f"""
            found = {{
                "plugins": {{f"{{x.name}} of {{x.distribution}} {{x.version}}": x.error for x in polylect.plugins()}},
                "brings": {{x.name: list(x.lects) for x in polylect.plugins() if x.error is None}},
                "lects": [x.name for x in polylect.lects()],
                "lect": {{name: answer(lambda: polylect.lect(name)) for name in {names!r}}},
                "warnings": seen,
            }}
            """
        )
