"""Constraints in the engines' own matchers: what an engine accepts, the parser reads, with arguments that are valid.

Ten lects of all kinds, 4,000 damaged turns each, the same for every target; and 60 random walks, in which any token
that the engine allows may come next: tokens of a real model, and characters in llama.cpp. What an engine refuses though
it is valid is another spelling of what it accepts: the same reply as the formatter writes it, every text as it is, is
one of the constraint's. ``in_xgrammar.py`` does the same with xgrammar, where that is installed.
"""

from __future__ import annotations

import functools
import random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import polylect
from polylect import LectError, ParseError, Reply

from ..damage import damaged
from .engines import Gbnf, Guidance, Regex

LECTS = (
    *("react", "json_blob", "xml_tags", "hermes", "qwen3_coder_xml"),
    *("llama3_json", "mistral_v11_args", "kimi_k2", "glm47", "pythonic"),
)
ENGINES: dict[str, Any] = {"llguidance": Guidance, "gbnf": Gbnf, "regex": Regex, "openai_custom_tool": Guidance}
LONG = ("json_blob", "qwen3_coder_xml", "llama3_json")
LESS = {
    "llguidance": ("qwen3_coder_xml", "llama3_json"),
    "regex": LONG,
    "openai_custom_tool": (*LONG, "react", "pythonic"),
}
"""Lects of which a target has less, and says so: its texts would make it too slow, or too long."""
MUTANTS, WALKS, STEPS = 4_000, 60, 3_000
SEARCH: dict[str, Any] = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 1, "maximum": 50}},
    "required": ["query"],
}
CALC: dict[str, Any] = {
    "type": "object",
    "properties": {
        "expression": {"type": "string"},
        "mode": {"enum": ["fast", "slow"]},
        "terms": {"type": "array", "items": {"type": "number"}},
        "exact": {"type": "boolean"},
        "unit": {"type": ["string", "null"]},
    },
    "required": ["expression"],
}
NOW: dict[str, Any] = {"type": "object", "properties": {}}
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "", "parameters": schema}}
    for name, schema in (("search", SEARCH), ("calc", CALC), ("now", NOW))
]
BOX: Any = polylect.toolbox(TOOLS)
VALID = {name: Draft202012Validator(tool.parameters) for name, tool in BOX.items()}
PIECES = (
    *"\n\\\"'{}[]<>,: ",
    "\n\n",
    "null",
    "12",
    "-3.5",
    "true",
    ", ",
    ": ",
    "é",
    "Action: ",
    "\nThought: ",
    "<think>",
)


def fault(lect: polylect.Lect, text: str) -> str:
    """Why a turn is no good: it is not read whole, a call can't run, or nothing can be made of it; "" if it is."""
    reply = lect.parse(text, tools=BOX)
    if not reply.complete:
        return "cut"
    for call in reply.calls:
        if call.status != "complete" or call.name not in VALID or not VALID[call.name].is_valid(call.arguments):
            return f"{call.name}: {call.arguments!r}"
    try:
        lect.decide(reply)
    except ParseError as error:
        return error.reason
    return ""


@functools.lru_cache(maxsize=1)
def corpus(name: str) -> list[tuple[str, str]]:
    """Turns that are allowed, and damaged ones, each with what is wrong with it."""
    lect: Any = polylect.lect(name)
    rng = random.Random(name)
    made = lect.constraint(BOX, target="gbnf")
    good = [made.sample(seed) for seed in range(200)]
    marks = [*PIECES, *getattr(lect, "special", ()), *lect.stops]
    texts = good + [damaged(rng.choice(good), good, marks, PIECES, rng) for _ in range(MUTANTS)]
    return [(text, fault(lect, text)) for text in texts]


@functools.lru_cache(maxsize=2)
def engine(name: str, target: str) -> tuple[Any, Any]:
    """A constraint, and the engine that has it."""
    made = polylect.lect(name).constraint(BOX, target=target)
    made.check()
    real = ENGINES[target] is Guidance  # by the tokens of a real model: they end where no lexeme does
    return made, Guidance(made.text, real=True) if real else ENGINES[target](made.text)


EVERY = [
    pytest.param(name, target, marks=pytest.mark.xdist_group(f"constraint-{name}"))
    for name in LECTS
    for target in ENGINES
]


@pytest.mark.parametrize(("name", "target"), EVERY)
def test_what_an_engine_accepts_is_read(name: str, target: str) -> None:
    _, found = engine(name, target)
    accepted = 0
    for text, wrong in corpus(name):
        if found.accepts(text):
            accepted += 1
            assert not wrong, text
    assert accepted > 20


@pytest.mark.parametrize(("name", "target"), EVERY)
def test_what_an_engine_refuses_is_another_spelling(name: str, target: str) -> None:
    made, found = engine(name, target)
    lect = polylect.lect(name)
    other: list[str] = []
    for text, wrong in corpus(name):
        if not wrong and not found.accepts(text):
            written = usual(lect, text)
            if written is not None and not found.accepts(written) and not found.accepts(unescaped(written)):
                other.append(text)
    less = name in LESS.get(target, ())
    assert made.report.exactness == ("subset" if less else "exact"), made.report.reasons
    assert less or not other, other[:3]


def usual(lect: polylect.Lect, text: str) -> str | None:
    """The same turn as the formatter writes it; None where it does not."""
    reply = lect.parse(text, tools=BOX)
    if reply.calls and reply.answer is not None:
        return None  # one of them does not count
    calls = tuple(polylect.Call(call.name, ordered(call)) for call in reply.calls)
    try:
        return str(lect.format(Reply(reply.reasoning, reply.content, calls, short(reply.answer)), tools=BOX))
    except LectError:
        return None


def unescaped(text: str) -> str:
    """A turn without escapes that JSON does not need: llguidance's own JSON has none."""
    return text.replace("\\u003c", "<").replace("\\u005b", "[").replace("\\/", "/")


def ordered(call: polylect.Call) -> dict[str, Any]:
    """The arguments that the schema names, in its order, with numbers that need no exponent."""
    given = call.arguments if isinstance(call.arguments, dict) else {"query": ""}
    return {key: short(given[key]) for key in BOX[call.name].properties if key in given}


def short(value: Any) -> Any:
    """A value with numbers that need no exponent."""
    if isinstance(value, dict):
        return {key: short(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [short(inner) for inner in value]
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (isinstance(value, int) and abs(value) < 100):
        return value
    return 0.5 if value % 1 else 1


@pytest.mark.parametrize(("name", "target"), [pair for pair in EVERY if pair.values[1] != "regex"])
def test_random_walks_are_read(name: str, target: str) -> None:
    lect = polylect.lect(name)
    made = lect.constraint(BOX, target=target, max_chars=12, max_calls=2)
    found = Gbnf(made.text) if target == "gbnf" else Guidance(made.text, real=True)
    for seed in range(WALKS):
        text = found.walk(random.Random(seed), STEPS)
        assert text is not None
        assert not fault(lect, text), text
