"""Where free texts end: markers that are begun in a text, before a call, before the end, and behind a prefix."""

from __future__ import annotations

import random
from typing import Any

import pytest

import polylect
from polylect import Call, ConstraintError, LectError, Reply
from polylect.constraint._match import Matcher

from .test_fuzz import BOX, fault

CALL = Call("search", {"query": "a"})
TONGUES = sorted(info.name for info in polylect.lects())
ENDED: dict[str, Any] = {
    "functionary_v32": '>>>all\n<|eot_id|>>>search\n{"query": ""}',
    "minicpm5": '<function name="search"><param name="query"><![CDATA[</param></function>',
    "olmo3": "<|im_start|>environment\n<function_calls>now()</function_calls>",
    "pythonic": "<|start_header_id|>ipython<|end_header_id|>\n\n[now()]",
    "react": "Thought: <think>\nAction: now\nAction Input: {}",
    "seed_oss": "x<seed:bos>tool\n\n<seed:tool_call>\n<function=now>\n</function>\n</seed:tool_call>",
    "self_ask": 'Are follow up questions needed here: <think>\n\nFollow up: {"query": "G"}',
    "xlam": '\n<|im_start|>tool\n[{"name": "now", "arguments": {}}]',
}
"""Turns whose texts begin a marker that what follows, or stands before, makes whole: the call is lost."""
BEGUN = {
    "apriel": '<tool_calls>[{"name": "now", "argume',
    "claude_style_xml": '<function_calls>\n<invoke name="cal',
    "command_r_plus": 'Action: ```json\n[\n    {\n        "tool_name":',
    "hermes": '<tool_call>\n{"na',
    "internlm2": "<|action_start|><|plugin|>\n",
}
"""Prefixes that end within a call: they are no text any more."""


LOOKED = {
    "hermes": ("<tool_call>\n \r", "x<tool_call>"),
    "json_blob": ("w\n```", "```json\n"),
    "llama3_json": ('{"name": "search", "parameters', "```json\n\n\n "),
    "mistral_v11_args": ("[TOOL_CALLS]n", "[TOOL_CALLS]search[ARGS"),
    "pythonic": ("[", "a[", "[search"),
    "qwen3_coder_xml": ("<think>\nq\n</think>\n\n<tool_call>\n<f",),
    "xlam": ('[{"', '[{"n', "x[{"),
}
"""Prefixes that end where a marker may be whole or not, by what follows."""


def made(name: str, **wanted: Any) -> polylect.Constraint | None:
    try:
        return polylect.lect(name).constraint(BOX, target="gbnf", **wanted)
    except ConstraintError:
        return None


@pytest.mark.parametrize("name", sorted(ENDED))
@pytest.mark.parametrize("target", ["gbnf", "llguidance"])
def test_no_text_makes_a_marker_of_what_stands_beside_it(name: str, target: str) -> None:
    lect = polylect.lect(name)
    assert fault(lect, ENDED[name]) or not lect.parse(ENDED[name], tools=BOX).calls
    constraint = lect.constraint(BOX, target=target)
    assert not constraint.matches(ENDED[name])


@pytest.mark.parametrize("name", sorted(BEGUN))
def test_a_prefix_within_a_call_is_no_text(name: str) -> None:
    constraint = polylect.lect(name).constraint(BOX, target="gbnf", prefix=BEGUN[name])
    assert not constraint.matches("z")
    polylect.lect(name).constraint(BOX, target="llguidance", prefix=BEGUN[name]).check()


def test_a_prefix_of_blanks_is_no_content() -> None:
    lect = polylect.lect("gpt_oss_harmony")
    for end in ("", "<|end|>"):
        constraint = lect.constraint(BOX, target="gbnf", prefix=f"<|channel|>final<|message|> {end}")
        assert not any(map(constraint.matches, ("", "<|end|>", "<|return|>")))
        assert constraint.matches("x<|return|>")


@pytest.mark.parametrize("name", TONGUES)
def test_texts_that_end_in_the_beginning_of_a_marker_are_read(name: str) -> None:
    constraint, lect = made(name), polylect.lect(name)
    if constraint is None:
        return
    rng, matcher = random.Random(name), Matcher(constraint._tree)
    written = [turn for reply in replies() if (turn := formatted(lect, reply)) is not None]
    marks = [*getattr(lect, "special", ()), *lect.stops, "<think>", "</think>", *(one[:60] for one in written)]
    for _ in range(50):
        mark = rng.choice(marks)
        begun = mark[: rng.randint(1, len(mark))] + rng.choice(("", "", " ", "\n", "x"))
        turn = rng.choice(written).replace("qwq", begun if rng.random() < 0.6 else f"qwq{begun}")
        assert not matcher.matches(turn) or not fault(lect, turn), turn


@pytest.mark.parametrize("name", TONGUES)
def test_behind_a_prefix_is_allowed_what_is_left_of_turns(name: str) -> None:
    lect, rng, whole = polylect.lect(name), random.Random(name), made(name)
    for turn in filter(None, (formatted(lect, reply) for reply in rng.sample(replies(), 2))):
        prefix = turn[: rng.randint(1, len(turn) - 1)]
        constraint = made(name, prefix=prefix)
        if constraint is None:
            continue
        assert constraint.matches(turn[len(prefix) :]), prefix
        compare(lect, whole, constraint, prefix, turn)


@pytest.mark.parametrize("name", sorted(LOOKED))
def test_a_prefix_may_end_in_what_may_become_a_marker(name: str) -> None:
    lect, whole = polylect.lect(name), made(name)
    for prefix in LOOKED[name]:
        constraint = made(name, prefix=prefix)
        assert constraint is not None, prefix
        compare(lect, whole, constraint, prefix, "q>")


def compare(lect: Any, whole: Any, behind: Any, prefix: str, more: str) -> None:
    """A constraint behind a prefix allows what is read, and all that the whole one allows there."""
    for rest in ("", "z", "\n", " z\n", " ", "{", "[", "<", '"', "!", "name", more):
        allowed = behind.matches(rest)
        assert not allowed or not fault(lect, prefix + rest), (prefix, rest)
        assert allowed or not whole.matches(prefix + rest), (prefix, rest)


def replies() -> list[Reply]:
    return [
        Reply(content="qwq", calls=(CALL,)),
        Reply(reasoning="qwq", calls=(CALL,)),
        Reply(content="qwq"),
        Reply(reasoning="qwq", answer="b"),
        Reply(answer="qwq"),
        Reply(calls=(Call("search", {"query": "qwq"}), CALL)),
    ]


def formatted(lect: polylect.Lect, reply: Reply) -> str | None:
    """The reply as the formatter writes it; None where it does not, or where that is no turn to go on from."""
    try:
        turn = lect.format(reply, tools=BOX)
    except LectError:
        return None
    return turn if isinstance(turn, str) and not fault(lect, turn) else None
