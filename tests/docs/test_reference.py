"""What the pages list is what there is: tables, names, files, links."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import polylect
import polylect.plugin
from polylect import _errors, _known, _lect
from polylect.agent._settings import Settings
from polylect.cli import _main
from polylect.testing import LAWS

from . import formats
from .blocks import read_blocks
from .checkout import ROOT
from .tables import TABLES, filled

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), DOCS / "examples" / "README.md"]
PAGES += sorted((DOCS / "formats").glob("*.md"))
WRITE = "run: python tests/docs/formats.py"
KERNEL = ROOT / "core/src/polylect"
PLUGIN = ROOT / "tests" / "thirdparty" / "polylect_done"
SOURCES = [*(ROOT / "core/src").rglob("*.py"), *(ROOT / "plugins").glob("*/src/**/*.py")]


def section(page: str, heading: str) -> str:
    """The text below a heading of a page, up to the next heading of its level or above."""
    text = (ROOT / page).read_text("utf-8")
    found = re.search(rf"^(#+) {re.escape(heading)}$\n(.*?)(?=^#{{1,2}} |\Z)", text, re.M | re.S)
    assert found, f"{page} has no heading {heading!r}"
    return found[2]


def rows(text: str) -> list[list[str]]:
    """The cells of all tables in a text, their heads left out."""
    found = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in text.split("\n") if line.startswith("| ")]
    return [row for at, row in enumerate(found) if row[0] != "---" and [*found[at + 1 : at + 2], [""]][0][0] != "---"]


def names(text: str) -> set[str]:
    """What stands in code font in the first cells of the tables in a text."""
    return {name for row in rows(text) for name in re.findall(r"`([^`]+)`", row[0])}


@pytest.mark.parametrize("page", TABLES)
def test_tables_are_as_the_code_has_them(page: str) -> None:
    assert (DOCS / page).read_text("utf-8") == filled(DOCS / page), "run: python tests/docs/tables.py"


def test_every_public_name_is_told_once() -> None:
    text = page_text("docs/names.md")
    told = [row[0].strip("`").removesuffix("()") for row in rows(text)]
    assert sorted(told) == sorted([*polylect.__all__, *polylect.plugin.__all__])


def codes() -> Iterator[str]:
    """The first arguments of all diagnostics in the sources."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or "testing" in path.parts:
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("Diagnostic", "note"):
                for part in ast.walk(node.args[0]):
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        yield part.value


def test_every_diagnostic_code_is_told() -> None:
    assert names(section("docs/policies.md", "Diagnostics")) == {*codes(), *_errors.CALL_FAULTS}


def test_every_reason_is_told() -> None:
    told = [row[0].strip("`") for row in rows(section("docs/policies.md", "Errors"))]
    assert [name for name in told if name in _errors.REASONS] == list(_errors.REASONS)


def test_every_feature_and_law_is_told() -> None:
    assert names(section("docs/writing-a-lect.md", "Features")) == set(_lect.FEATURES)
    told = [row[0] for row in rows(section("docs/writing-a-lect.md", "3. The laws"))]
    assert told == [f"{law.number}. {law.title}" for law in LAWS]


def test_every_lint_is_told() -> None:
    source = (KERNEL / "grammar/_lint.py").read_text("utf-8")
    rules = re.findall(r"_lint\(\s*\"(?:error|warning)\", \"([a-z ]+)\"", source)
    assert rules
    assert names(section("docs/grammars.md", "What the lints say")) == set(rules)


def test_the_hooks_are_those_of_a_text_lect() -> None:
    for name in names(section("docs/writing-a-lect.md", "Hooks")):
        called = re.fullmatch(r"(\w+)(?:\((.*)\))?", name)
        assert called, name
        hook = getattr(polylect.TextLect, called[1])
        if called[2] is not None:
            assert [x for x in inspect.signature(hook).parameters if x != "self"] == re.findall(r"\w+", called[2])


@pytest.mark.parametrize("heading", ["Reply", "Call"])
def test_the_fields_of_values_are_told(heading: str) -> None:
    kind = getattr(polylect, heading)
    told = {field for row in rows(section("docs/values.md", heading)) for field in re.findall(r"`(\w+)`", row[0])}
    assert set(kind.__struct_fields__) <= told
    assert all(hasattr(kind, field) for field in told)


def test_the_settings_are_told_with_their_defaults() -> None:
    told = {
        row[0].strip("`"): row[1].strip('`"').replace(",", "") for row in rows(section("docs/agents.md", "Settings"))
    }
    assert told.pop("hooks") == "none"
    assert told == {name: str(getattr(Settings(), name)) for name in Settings.__struct_fields__}


def test_the_events_are_told() -> None:
    for event, fields, _ in rows(section("docs/values.md", "Events")):
        kind = getattr(polylect, event.strip("`"))
        assert ["start", "end", *re.findall(r"`(\w+)`", fields)] == list(kind.__struct_fields__)


def test_exit_codes_are_told() -> None:
    told = [row[0] for row in rows(section("docs/command-line.md", "Exit codes"))]
    assert told == ["0", "1", "2", str(_main.INTERRUPTED), str(_main.BROKEN_PIPE)]
    commands = {name for line in re.findall(r"^## (polylect.*)$", page_text("docs/command-line.md"), re.M)
                for name in re.findall(r"polylect (\w+)", line)}  # fmt: skip
    assert commands == set(_main.main.commands)


def page_text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def test_the_readme_has_the_two_commands() -> None:
    shell = [block.code.strip() for block in read_blocks(ROOT / "README.md") if block.language == "sh"]
    assert shell == ["pip install . && polylect parse docs/examples/*.txt", "pip install '.[test]' && pytest"]


def test_the_readme_lists_the_lects() -> None:
    told = {(name.strip("`"), distribution) for name, _, distribution in rows(section("README.md", "polylect"))}
    told |= {(name, "polylect-native") for name in names(section("README.md", "The tongues of models"))}
    bundled = {info for info in polylect.lects() if re.fullmatch(r"polylect-[a-z-]+", info.distribution)}
    assert told == {(info.name, info.distribution) for info in bundled}


def test_the_pages_of_the_formats_are_as_the_lects_have_them() -> None:
    wanted = formats.files()
    assert {path for path, text in wanted.items() if path.read_text("utf-8") != text} == set(), WRITE
    assert {*(DOCS / "formats").glob("*.md")} == {path for path in wanted if path.parent == DOCS / "formats"}, WRITE


def test_every_lect_of_the_project_is_known_without_it() -> None:
    assert {x.name for x in polylect.lects() if x.family == "native"} == {
        name for name, distribution in _known.KNOWN.items() if distribution == "polylect-native"
    }


def test_the_page_builds_the_sample_plugin() -> None:
    built = {block.file: block.code for block in read_blocks(DOCS / "writing-a-lect.md") if block.file}
    files = [path for path in PLUGIN.rglob("*") if path.is_file() and path.suffix in (".py", ".lark", ".toml")]
    assert len(files) == 4
    for path in files:
        assert built[f"polylect-done/{path.relative_to(PLUGIN)}"] == path.read_text("utf-8")


def test_the_grammar_is_the_same_everywhere() -> None:
    grammar = (PLUGIN / "src/polylect_done/done.lark").read_text("utf-8")
    lines = [line for line in grammar.split("\n") if line and not line.startswith(("//", "written"))]
    for text in (page_text("README.md"), page_text("docs/grammars.md"), page_text("tests/thirdparty/my_format.py")):
        assert [line for line in lines if f"\n{line}\n" not in text] == []


def test_the_picture_names_the_modules() -> None:
    told = set(re.findall(r"\b_[a-z]\w*\b", re.sub(r"`polylect_\w+`", "", page_text("docs/architecture.md"))))
    folders = (KERNEL, KERNEL / "agent", KERNEL / "grammar")
    kernel, agent, engine = ({path.stem for path in folder.glob("_[a-z]*.py")} for folder in folders)
    assert told - kernel - agent - engine == set()
    assert (kernel | agent) - told == set()  # the engine's smaller parts need not be there


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if target.startswith("https://"):
            continue
        file, _, anchor = target.partition("#")
        found = page.parent / file if file else page
        assert found.exists(), f"{page.name}: {target}"
        if anchor:
            heads = re.findall(r"^#+ (.+)$", found.read_text("utf-8"), re.M)
            assert anchor in {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}, target
