"""Calls whose arguments stand one by one: many of them, with odd names, and prefixes that use up a text."""

from __future__ import annotations

import sys
import threading
from functools import partial
from typing import Any

import pytest

import polylect
from polylect import ConstraintError
from polylect.constraint import Constraint

from .engines import Gbnf, Guidance
from .test_growth import calls

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
MIXED = (TEXT, NUMBER, {"type": "boolean"}, {"enum": ["a", "b"]})
LECTS = (
    *("claude_style_xml", "deepseek_dsml_v32", "dots", "functiongemma", "gemma4", "glm45", "glm47", "hy_v3"),
    *("k2_horizon_ifm", "kimi_k3_xtml", "lfm2", "mimo", "minicpm5", "minimax_m2", "minimax_m3", "muse_atem", "olmo3"),
    *("pythonic", "qwen3_coder_xml", "seed_oss", "step3"),
)


def tool(arguments: dict[str, Any], *needed: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": arguments, "required": [*needed]}
    return {"name": "search", "description": "Looks up.", "parameters": schema}


def made(lect: str, arguments: dict[str, Any], *needed: str, **options: Any) -> Constraint:
    found: Constraint = polylect.lect(lect).constraint([tool(arguments, *needed)], **options)
    return found


def mixed(count: int, name: str = "p") -> dict[str, Any]:
    """Arguments of four types, a text first."""
    return {f"{name}{number}": MIXED[number % 4] for number in range(count)}


def texts(count: int, name: str = "p") -> dict[str, Any]:
    return {f"{name}{number}": TEXT for number in range(count)}


@pytest.mark.parametrize("lect", ["glm47", "deepseek_dsml_v32", "qwen3_coder_xml", "pythonic", "minicpm5", "gemma4"])
def test_many_arguments_that_may_be_left_out(lect: str) -> None:
    made(lect, {"q": TEXT}, target="llguidance")
    for arguments in (mixed, texts):
        few, many = arguments(16, "p"), arguments(32, "r")
        small = calls(partial(made, lect, few, target="llguidance"))
        large = calls(partial(made, lect, many, target="llguidance"))
        assert large < 8 * small, (small, large)


def test_a_tool_of_sixty_arguments_has_a_constraint() -> None:
    for lect in ("pythonic", "glm47"):
        Guidance(made(lect, mixed(60), target="llguidance").text)


@pytest.mark.parametrize("lect", LECTS)
def test_arguments_of_several_types(lect: str) -> None:
    arguments: dict[str, Any] = {
        "a": {"enum": ["x", "yy", "z z"]},
        "b": {"const": 5},
        "c": {"anyOf": [TEXT, NUMBER]},
        "d": {"type": ["string", "null"]},
        "e": {"enum": ["x", 1, None, True]},
        "f": {},
    }
    made(lect, {"q": TEXT}, target="llguidance")
    if lect == "minimax_m3":  # an argument of any kind has no form there
        del arguments["f"]
    assert calls(partial(made, lect, arguments, "a", "c", target="llguidance")) < 3_000_000


@pytest.mark.parametrize(
    "key", ["a b", 'q"x', "it's", "a<b", "c>d", "a-b", "class", "\u00fc", "0x", "a=b", "a:b", "", "x\ny"]
)
@pytest.mark.parametrize("lect", LECTS)
def test_names_of_arguments_are_read_back_or_refused(lect: str, key: str) -> None:
    told = ""
    try:
        held = made(lect, {"first": NUMBER, key: TEXT}, key, target="gbnf", tool_choice="required")
    except ConstraintError as error:
        told = str(error)
    if told:
        assert "can't write" in told or "no value" in told
        rest = made(lect, {"first": NUMBER, key: TEXT}, "first", target="gbnf", tool_choice="required")
        assert "can't be written" in " ".join(rest.report.reasons)
        assert key not in rest.text or len(key) < 2
        return
    box = polylect.toolbox([tool({"first": NUMBER, key: TEXT}, key)])
    for seed in range(8):
        for call in polylect.lect(lect).parse(held.sample(seed), tools=box).calls:
            assert call.status == "complete", held.sample(seed)
            assert isinstance(call.arguments, dict)
            assert {key} <= set(call.arguments) <= {"first", key}, held.sample(seed)


@pytest.mark.parametrize(
    ("lect", "prefix"),
    [
        ("seed_oss", "2<<<\n\n<seed:tool_call>\n<functi"),
        ("claude_style_xml", "2<<<\n\n<function_calls>\n<invoke"),
        ("llama3_json", '~<|~`{{<<{"name": "req", "para'),
        ("mistral_v11_args", "[THINK]Some thought.\nMore[/THINK]Hi <b> there [x][TOOL_CALLS]op"),
        ("qwen3_coder_xml", "<think>\nSome thought.\nMore\n</think>\n\nHi <b> there [x]\n\n<tool_call>\n"),
    ],
)
def test_a_prefix_may_use_up_a_text(lect: str, prefix: str) -> None:
    options: dict[str, Any] = {"prefix": prefix, "max_calls": 2, "max_chars": 30}
    held = made(lect, {"query": TEXT, "limit": NUMBER}, "query", target="gbnf", **options)
    engine = Gbnf(held.text)
    for seed in range(20):
        turn = held.sample(seed)
        assert held.matches(turn)
        assert engine.accepts(turn)


def test_a_constraint_may_be_shared_by_threads() -> None:
    held = made("gemma4", mixed(6), target="gbnf")
    turns = [held.sample(seed) for seed in range(40)]
    texts = [*turns, *(f"{turn}\0" for turn in turns), *(turn[:-1] for turn in turns)]
    told = [held.matches(text) for text in texts]
    fresh = made("gemma4", mixed(6), target="gbnf")
    faults: list[BaseException] = []

    def read() -> None:
        try:
            assert [fresh.matches(text) for text in texts] == told
            assert [fresh.sample(seed) for seed in range(40)] == turns
        except BaseException as error:
            faults.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=read) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not faults
