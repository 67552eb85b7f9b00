"""The pages of the native formats, made of what the lects know. ``python tests/docs/formats.py`` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import polylect
from polylect import AgentStep, Call, LectInfo, Reply

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "formats"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    },
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}},
]
WEATHER, NOW = Call("get_weather", {"city": "Paris", "days": 3}), Call("now", {})
BODIES = {
    "json_blocks": "A call is a JSON object with the name and the arguments in it, between markers.",
    "json_arrays": "The calls of a turn are the entries of one JSON array.",
    "named_json": "The name stands outside, between markers; the arguments are a JSON object behind it.",
    "tags": "Each argument is text between tags, typed by the tool's JSON Schema; without one, JSON is what it says.",
    "typed_tags": "Each argument is text between markers, with its key, and in some formats its type, beside it.",
    "calls": "Calls are written in a notation of their own, which is read into a JSON object.",
}
"""What is written of arguments, by the package that has the lect."""
_BETWEEN = re.compile(r"(<!-- table: native -->\n).*?(<!-- end of table -->)", re.S)


def infos() -> list[LectInfo]:
    """The lects of the family."""
    return [info for info in polylect.lects() if info.family == "native"]


def page(info: LectInfo) -> str:
    """The page of one lect."""
    lect: Any = polylect.lect(info.name)
    out = [f"# {info.name}\n", "<!-- made by tests/docs/formats.py -->\n", f"{_code(info.title)}\n"]
    if info.models:
        out.append(f"Models: {', '.join(info.models)} (what their names begin with).\n")
    body = type(lect).__module__.split(".")[1]
    out += [f"{BODIES[body]}\n", "## What the model writes\n"]
    out += ["One call:\n", _block(lect.format(Reply(calls=(WEATHER,)), tools=TOOLS))]
    if "several_calls" in lect.features:
        both = lect.format(Reply(calls=(WEATHER, NOW)), tools=TOOLS)
        out += ["Two calls, the second one without arguments:\n", _block(both)]
    else:
        both = lect.format(Reply(calls=(WEATHER,)), tools=TOOLS)
        out.append("A turn has one call at most.\n")
    out += _reasoning(lect)
    actions = lect.decide(lect.parse(both, tools=TOOLS))
    steps = [AgentStep(action, f"result {number}") for number, action in enumerate(actions, 1)]
    told = lect.format_steps(steps, tools=TOOLS)
    out += ["## Results, and where the model goes on\n", _block(told)]
    out += ["## Facts\n", _facts(lect)]
    if lect.quirks:
        out += ["## What to know\n", "".join(f"- {_escaped(quirk)}\n" for quirk in lect.quirks)]
    if lect.sources:
        out += ["## Sources\n", "".join(f"- {_link(source)}\n" for source in lect.sources)]
    return "\n".join(out)


def _reasoning(lect: Any) -> list[str]:
    if lect.think is None:
        return ["The format has no place for reasoning.\n"]
    text = lect.format(Reply(reasoning="I look it up.", content="One moment.", calls=(NOW,)), tools=TOOLS)
    return ["Reasoning, text and a call:\n", _block(text)]


def _facts(lect: Any) -> str:
    rows = [("stop strings", ", ".join(_code(stop) for stop in lect.stops) or "none")]
    rows.append(
        ("markers that are made harmless in other people's texts", ", ".join(map(_code, lect.special)) or "none")
    )
    chosen = [f"`{key}={value}`" for key, value in _policies(lect)]
    rows.append(("policies other than the usual ones", ", ".join(chosen) or "none"))
    rows.append(("grammar", f"[{lect.grammar_file}](../../grammars/polylect_grammars/{lect.grammar_file})"))
    return "".join(f"| {name} | {told} |\n" for name, told in [("fact", "value"), ("---", "---"), *rows])


def _policies(lect: Any) -> list[tuple[str, Any]]:
    usual, own = polylect.Policies(), lect.policies
    return [(key, getattr(own, key)) for key in own.__struct_fields__ if getattr(own, key) != getattr(usual, key)]


def index(infos: list[LectInfo]) -> str:
    """The table of all, for the index."""
    rows = [("lect", "models", "what they write"), ("---", "---", "---")]
    rows += [(f"[`{x.name}`]({x.name}.md)", _models(x), _code(_sample(x))) for x in infos]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def readme(infos: list[LectInfo]) -> str:
    """The table of all, for the README."""
    rows = [("lect", "models", "what they write"), ("---", "---", "---")]
    rows += [(f"[`{x.name}`](docs/formats/{x.name}.md)", _models(x, 4), _code(_sample(x))) for x in infos]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _models(info: LectInfo, most: int = 100) -> str:
    known: dict[str, str] = {}
    for model in info.models:  # the same name may be listed in several spellings
        known.setdefault(re.sub(r"\W", "", model).casefold(), model)
    named = list(known.values())
    return (", ".join(named[:most]) + (", …" if len(named) > most else "")) or "by prompt"


def _sample(info: LectInfo) -> str:
    """What a title says of the notation."""
    return info.title.partition(": ")[2] or info.title


def _code(text: str) -> str:
    """Text in code font, in a table, too."""
    shown = text.replace("\n", "↵").replace("|", "\\|")
    fence = "``" if "`" in shown else "`"
    pad = " " if fence == "``" or shown != shown.strip() else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _block(text: str) -> str:
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}text\n{text}\n{fence}\n"


def _escaped(text: str) -> str:
    """A sentence whose markers are in code font: else a page would take them for its own."""
    parts = re.split(r"(`[^`]*`)", text)
    marked = re.compile(r"<[^\s<>](?:[^<>\n]*[^\s<>])?>|\[/?[A-Z_]+\]|\{[^{}\n]*\}")
    return "".join(x if x.startswith("`") else marked.sub(lambda found: f"`{found[0]}`", x) for x in parts)


def _link(source: str) -> str:
    return f"<{source}>" if source.startswith("https://") else _escaped(source)


def filled(path: Path, table: str) -> str:
    """A page with its table of the native lects as it should be."""
    text = path.read_text("utf-8")
    found = _BETWEEN.search(text)
    assert found, f"{path.name} has no table of the native lects"
    return f"{text[: found.end(1)]}\n{table}\n{text[found.start(2) :]}"


def files() -> dict[Path, str]:
    """All files that are made here, with what they should hold."""
    every = infos()
    found = {FOLDER / f"{info.name}.md": page(info) for info in every}
    found[FOLDER / "README.md"] = filled(FOLDER / "README.md", index(every))
    found[ROOT / "README.md"] = filled(ROOT / "README.md", readme(every))
    return found


def main() -> None:
    """Write them."""
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    for stale in {*FOLDER.glob("*.md")} - {*files()}:
        stale.unlink()


if __name__ == "__main__":
    main()
