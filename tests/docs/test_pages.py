"""Every block of every page does what it says."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polylect

from .blocks import RUN, Block, commands, printed, read_blocks
from .checkout import ROOT, Checkout

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "formats").glob("*.md"))]
WITH_CODE = [page for page in PAGES if any(block.language in RUN for block in read_blocks(page))]
ELSEWHERE = {"benchmarks.md"}
"""Pages whose commands take minutes; tests of their own run them."""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Checkout]:
    """A checkout; what a page registers and imports from it is forgotten in the end."""
    lects, modules = {info.name for info in polylect.lects()}, set(sys.modules)
    found = Checkout(tmp_path)
    monkeypatch.syspath_prepend(str(found.site))
    monkeypatch.chdir(found.here)
    yield found
    for info in polylect.lects():
        if info.name not in lects:
            polylect.unregister(info.name)
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_runs(page: Path, checkout: Checkout) -> None:
    if page.name in ELSEWHERE:
        assert all(block.language == "sh" for block in read_blocks(page) if block.language in RUN)
        return
    names: dict[str, Any] = {"__name__": f"page_{page.stem}"}
    for block in read_blocks(page):
        if block.file is not None:
            checkout.write(block.file, block.code)
        elif block.language == "python":
            os.chdir(checkout.here)
            importlib.invalidate_caches()
            _run_python(page, block, names)
        elif block.language == "sh":
            code, shown, said = checkout.run(f"set -euo pipefail\n{block.code}")
            assert code == 0, f"{page.name}:{block.line}: exit code {code}\n{shown}\n{said}"
        elif block.language == "console":
            _run_session(page, block, checkout)


def _run_python(page: Path, block: Block, names: dict[str, Any]) -> None:
    code = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(code, names)
    except Exception as error:
        pytest.fail(f"{page.name}:{block.line}: {''.join(traceback.format_exception(error))}", pytrace=False)
    assert _even(out.getvalue()) == _even(printed(block.code)), f"{page.name}:{block.line}"


def _run_session(page: Path, block: Block, checkout: Checkout) -> None:
    for command in commands(block):
        _, shown, said = checkout.run(command.code)
        wanted, got = (_even(text, numbers=block.numbers_vary) for text in (command.shows, shown))
        same = doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)
        told = f"expected:\n{command.shows}\nshown:\n{shown}\nstandard error:\n{said}"
        assert same, f"{page.name}:{command.line}: $ {command.code}\n{told}"


def _even(text: str, *, numbers: bool = False) -> str:
    """Text without the blanks that nobody sees: at the ends of lines, and blank lines at the end.

    ``numbers``: all numbers made one, with the blanks that put them in columns.
    """
    if numbers:
        text = re.sub(r" +", " ", re.sub(r"[\d.,]*\d", "0", text))
    return re.sub(r"[ \t]+$", "", text, flags=re.M).rstrip("\n") + "\n"


def test_the_runner_sees_every_fence() -> None:
    for page in PAGES:
        blocks = read_blocks(page)
        fences, inner = (
            sum(line.startswith("```") for text in texts for line in text.split("\n"))
            for texts in ([page.read_text("utf-8")], [block.code for block in blocks])
        )
        assert fences - inner == 2 * len(blocks), page.name
