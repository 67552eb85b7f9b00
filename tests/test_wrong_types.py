"""What callers hand over and is none of what it should be: a clear error of the right side, never Python's own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import (
    AgentAction,
    AgentStep,
    Call,
    Lect,
    LectError,
    ParseError,
    Pipeline,
    PluginError,
    PolylectError,
    Prompt,
    PromptError,
    Reply,
)

LECTS = (
    *("react", "react_bracket", "docstore", "mrkl", "conversational", "self_ask"),
    *("json_blob", "json_chat", "chat", "react_json", "xml_tags", "tool_calls", "openai_functions"),
)
REACT: Any = type(polylect.lect("react"))
BRACKET: Any = type(polylect.lect("react_bracket"))
XML: Any = type(polylect.lect("xml_tags"))


@pytest.fixture(params=LECTS)
def lect(request: pytest.FixtureRequest) -> Any:
    return polylect.lect(request.param)


def is_refused(use: Callable[[], Any], kind: type[PolylectError], told: str = "") -> None:
    with pytest.raises(kind, match=told or None) as caught:
        use()
    assert type(caught.value) is kind
    assert "sys." not in str(caught.value)


class Mute:
    """A stranger's object that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


def circle() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["a"] = found
    return found


def deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(3_000):
        found = [found]
    return found


NO_JSON: dict[str, tuple[Any, str]] = {
    "keys": ({(1, 2): 3}, "keys are not all texts"),
    "circle": (circle(), "contains itself"),
    "deep": ({"a": deep()}, "nested too deeply"),
    "long": ({"a": 10**5_000}, "more digits"),
    "mute": ({"a": Mute()}, "RuntimeError: no"),
}
ODD_VALUES = pytest.mark.parametrize("what", NO_JSON)


# --- what is no JSON ----------------------------------------------------------------------------------------------


def observed(lect: Any, observation: Any) -> str:
    """An observation, as it is written behind a call."""
    written = lect.format_steps([AgentStep(AgentAction("search", {"a": 1}), observation)])
    if lect.messages:
        return str(written[-1]["content"])
    ((start, end),) = lect.transcript(written).spans("observation")
    return str(lect.unescape(written[start:end]))


@ODD_VALUES
def test_an_observation_that_is_no_json_is_shown_in_all_lects_alike(what: str) -> None:
    value = NO_JSON[what][0]
    for observation in (value, [value], value.get("a", 10**5_000)):
        names = [name for name in LECTS if name != "json_chat"]  # which says more around it
        shown = {observed(polylect.lect(name), observation).strip() for name in names}
        assert len({text.removeprefix("Observation:").strip() for text in shown}) == 1
        assert shown != {""}


def test_an_observation_is_shown_as_python_shows_it() -> None:
    assert "{(1, 2): 3}" in observed(polylect.lect("react"), {(1, 2): 3})
    assert "{'a': {...}}" in observed(polylect.lect("json_blob"), circle())
    assert "(Mute that can't be shown)" in observed(polylect.lect("xml_tags"), Mute())


@ODD_VALUES
def test_arguments_that_are_no_json_are_refused_with_the_reason(lect: Any, what: str) -> None:
    arguments, told = NO_JSON[what]
    told = "no XML name" if (lect.name, what) == ("xml_tags", "keys") else told
    is_refused(lambda: lect.format(Reply(calls=(Call("x", arguments),))), LectError, told)
    is_refused(lambda: lect.format_steps([AgentStep(AgentAction("x", arguments), "o")]), LectError, told)


def test_keys_that_are_no_texts_do_not_read_back(lect: Any) -> None:
    is_refused(lambda: lect.format(Reply(calls=(Call("x", {1: 2}),))), LectError)  # type: ignore[dict-item]


def test_a_mistake_in_a_lect_of_ones_own_is_not_hidden() -> None:
    class Broken(REACT):  # type: ignore[misc]
        def write(self, reply: Reply, tools: Any = None) -> str:
            raise TypeError("my mistake")

    with pytest.raises(TypeError, match="my mistake"):
        Broken().format(Reply(calls=(Call("x", {"a": 1}),)))


@ODD_VALUES
def test_a_value_that_is_no_json_has_no_place_in_a_prompt(what: str) -> None:
    value, told = NO_JSON[what]
    is_refused(lambda: Prompt("{a}").format(a=value), PromptError, told)
    is_refused(lambda: Prompt("{a}", partials={"a": value}).format(), PromptError, "{a}")
    for name in LECTS:
        is_refused(partial(Pipeline(name, str).plan, input=value), PromptError, "{input}.*" + told)


# --- replies and steps --------------------------------------------------------------------------------------------

ODD_REPLIES: list[dict[str, Any]] = [
    *({"calls": None}, {"calls": 5}, {"calls": (1,)}, {"calls": (Call("x", [1]),)}),  # type: ignore[arg-type]
    *({"calls": (Call(None, "y"),)}, {"calls": (Call("x", {}, id=5),)}),  # type: ignore[arg-type]
    *({"content": None}, {"content": b"x"}, {"reasoning": None}, {"diagnostics": None}, {"text": None}, {"parts": 5}),
]


@pytest.mark.parametrize("fields", ODD_REPLIES, ids=str)
def test_a_reply_has_fields_of_its_types(lect: Lect, fields: dict[str, Any]) -> None:
    reply = Reply(**fields)
    is_refused(lambda: lect.format(reply), LectError, " of a (Reply|Call) is |of a Reply are a tuple of Call")
    with contextlib.suppress(PolylectError):
        lect.decide(reply)


ODD_FIELDS: list[dict[str, Any]] = [
    *({"tool": None}, {"tool_input": 5}, {"tool_input": [1]}, {"tool_input": None}),
    *({"log": 5}, {"index": "a"}, {"id": 5}, {"message": 5}),
]
ODD_ACTIONS: list[Any] = [None, "x", *(AgentAction(**{"tool": "x", "tool_input": "", **odd}) for odd in ODD_FIELDS)]


@pytest.mark.parametrize("action", ODD_ACTIONS, ids=str)
def test_a_step_has_an_action_with_fields_of_its_types(lect: Lect, action: Any) -> None:
    is_refused(lambda: lect.format_steps([AgentStep(action, "o")]), LectError, "AgentAction")
    good = AgentStep(AgentAction("f", "x"), "o")
    is_refused(lambda: lect.format_steps([good, AgentStep(action, "o")]), LectError, "AgentAction")


@pytest.mark.parametrize("steps", [5, None, "x", b"x", [5]], ids=str)
def test_the_steps_of_a_turn_are_a_list(lect: Lect, steps: Any) -> None:
    is_refused(lambda: Pipeline(lect, str).plan(steps, input="x"), PromptError, "AgentStep")


@pytest.mark.parametrize("data", [None, 5, ["x"]], ids=str)
def test_json_is_text_or_bytes(data: Any) -> None:
    with pytest.raises(ValueError, match="JSON is text or bytes, not"):
        Reply.from_json(data)


# --- texts and sizes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("given", [None, b"x", 5, ["x"]], ids=str)
def test_only_text_is_escaped_read_and_cut(lect: Any, given: Any) -> None:
    is_refused(partial(lect.escape, given), LectError, "Only text")
    is_refused(partial(lect.unescape, given), LectError, "Only text")
    is_refused(partial(lect.chunks, given, [1]), ParseError)
    if not lect.messages:
        is_refused(partial(lect.transcript, given), ParseError)


@pytest.mark.parametrize("sizes", [3, None, "1", b"1", [], [0], ["a"], [1.5], [1, None], [True], {1}], ids=str)
def test_sizes_are_a_list_of_whole_numbers(lect: Lect, sizes: Any) -> None:
    is_refused(partial(lect.chunks, lect.examples[0], sizes), LectError, "sizes are whole numbers")


# --- what lects, prompts and plugins are made of ------------------------------------------------------------------

NO_WORDS: list[Any] = ["x", "", 5, ["action"], {"action": 5}, {"tool": 5}, {5: "x"}, {"action": "a" * 10_000}]


@pytest.mark.parametrize("words", NO_WORDS, ids=lambda value: f"{value!s:.20}")
def test_labels_and_tags_are_words_by_name(words: Any) -> None:
    for use in (lambda: REACT(labels=words), lambda: BRACKET(labels=words), lambda: XML(tags=words)):
        is_refused(use, LectError)


@pytest.mark.parametrize("word", ["<think>", "</think>", "a <THINK> b", "a\nb", "a\rb"])
def test_a_label_that_could_not_be_escaped_is_refused(word: str) -> None:
    for make in (REACT, BRACKET):
        is_refused(partial(make, labels={"thought": word}), LectError, "think tag")


def test_a_tag_cannot_be_switched_off() -> None:
    is_refused(lambda: XML(tags={"tool": None}), LectError, "no XML name")


PIECES = st.sampled_from(["\n", " ", "\\", "<", "think>", "/think>", "<think>", ":", "**", "1", "x", "Observation:"])
WORDS = st.text(st.sampled_from("Aa :<>/\\*#[](){}1tk.$^|?+"), min_size=1, max_size=8) | st.sampled_from(
    ["think>", "a<", "a</", "\\x", "x\\", "<thought>", "[Thought]", "## T"]
)


@settings(deadline=None)
@given(st.sampled_from([REACT, BRACKET]), WORDS, st.lists(PIECES, max_size=12), st.lists(st.booleans(), max_size=12))
def test_whatever_the_labels_are_what_is_escaped_comes_back(
    make: Any, word: str, pieces: list[str], places: list[bool]
) -> None:
    try:
        lect = make(labels={"thought": word, "observation": f"o{word}"})
    except LectError:
        return
    text = "".join(word * here + piece for piece, here in zip(pieces, [*places, *[False] * 12], strict=False))
    assert lect.unescape(lect.escape(text)) == text


@pytest.mark.parametrize("partials", [5, ["a"], "a"], ids=str)
def test_partials_are_values_by_name(partials: Any) -> None:
    is_refused(lambda: Prompt("{a}", partials=partials), PromptError, "partials")
    is_refused(lambda: Prompt("{a}", prefix=5), PromptError, "prefix")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", [5, None, b"x", ["x"], "a" * 5_000, "a\0b", "nothing.py"], ids=lambda x: f"{x!s:.9}")
def test_a_plugin_file_is_a_path(path: Any) -> None:
    is_refused(lambda: polylect.load_plugin_file(path), PluginError, "plugin file")
