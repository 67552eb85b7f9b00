"""``malformed="repair"``: what is mended, how much of it, and that no mender's error comes out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polylect
from polylect import Call, LectError, Reply, TextLect
from polylect.plugin import MISSING, Mender

TEXT = [x.name for x in polylect.lects() if not polylect.lect(x.name).messages]
SMALL, LARGE = 8_192, 16_384
"""Characters that are mended of one text, and in one message."""
DEEP = '<tool_call>\n{"name": "f", "arguments": {"' + '{"a":' * 400 + '": 1}}\n</tool_call>'
PIECES = (
    '{"a":',
    "[",
    "]",
    "}",
    '"',
    "'",
    ",",
    ":",
    '"a"',
    'a"b',
    '<|end_of_text|>"',
    "\\",
    "\n",
    "1",
    "NaN",
    "None",
    "/*",
)


def hermes(*sizes: int) -> str:
    """Calls whose arguments have a comma too many, and these sizes."""
    texts = ['{"a": "' + "x" * (size - 10) + '",}' for size in sizes]
    return "\n".join(f'<tool_call>\n{{"name": "f", "arguments": {text}}}\n</tool_call>' for text in texts)


@pytest.mark.parametrize(
    ("sizes", "statuses"),
    [
        ((100,), ["repaired"]),
        ((SMALL,), ["repaired"]),
        ((SMALL + 1,), ["invalid"]),
        ((1024 * 1024,), ["invalid"]),
        ((SMALL, SMALL), ["repaired", "repaired"]),
        ((SMALL, SMALL, 100), ["repaired", "repaired", "invalid"]),
        ((SMALL + 1, SMALL, SMALL), ["invalid", "repaired", "repaired"]),
        ((100,) * 200, ["repaired"] * 163 + ["invalid"] * 37),
    ],
)
def test_only_so_much_is_mended(sizes: tuple[int, ...], statuses: list[str]) -> None:
    lect = polylect.lect("hermes")
    text = hermes(*sizes)
    reply = lect.parse(text, malformed="repair")
    assert [call.status for call in reply.calls] == statuses
    parser = lect.parser(malformed="repair")
    for at in range(0, len(text), 997):
        parser.feed(text[at : at + 997])
    parser.close()
    assert parser.reply == reply
    assert [call.status for call in lect.parse(text).calls] == ["invalid"] * len(sizes)


def test_each_message_is_mended_anew() -> None:
    class Mending(type(polylect.lect("hermes"))):  # type: ignore[misc]
        name = "hermes_mending"
        policies = polylect.Policies(text="final", malformed="repair")

    lect = Mending()
    for _ in range(5):
        assert [call.status for call in lect.parse(hermes(SMALL, SMALL)).calls] == ["repaired", "repaired"]


@pytest.mark.parametrize("name", TEXT)
def test_a_text_that_is_nested_too_deeply_is_not_mended(name: str) -> None:
    lect: Any = polylect.lect(name)
    text = lect.examples[0] if isinstance(lect.examples[0], str) else ""
    for message in (DEEP, *(text.replace(piece, piece * 400) for piece in ("{", "[", ": "))):
        reply = lect.parse(message, malformed="repair")
        assert not [call for call in reply.calls if call.status == "repaired" and "{" * 300 in call.raw]


@pytest.mark.parametrize("name", TEXT)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@settings(max_examples=40, deadline=None)
def test_no_error_of_a_mender_comes_out(name: str, soup: str) -> None:
    lect: Any = polylect.lect(name)
    assert isinstance(lect, TextLect)
    try:
        text = lect.format(Reply(calls=(Call("f", {"a": "HERE"}),)))
    except LectError:
        text = '<tool_call>\n{"name": "f", "arguments": {"a": "HERE"}}\n</tool_call>'
    for message in (text.replace("HERE", soup), text.replace('"HERE"', soup), text.replace('{"', '{"' + soup, 1)):
        for call in lect.parse(message, malformed="repair").calls:
            if call.status == "repaired":
                json.dumps(call.arguments, allow_nan=False)


@pytest.mark.parametrize("error", [ValueError, RecursionError, IndexError, KeyError, TypeError, AttributeError])
def test_a_mender_that_fails_has_mended_nothing(error: type[Exception]) -> None:
    def fails(raw: str) -> Any:
        raise error(raw)

    assert Mender().mend("{", fails, 200, []) is MISSING
    assert Mender().mend("{", lambda raw: {"a": [[[1]]]}, 3, []) is MISSING
    assert Mender().mend("{", lambda raw: {"a": [1]}, 3, []) == {"a": [1]}
    assert Mender().mend("{", lambda raw: float("nan"), 3, []) is not None


def test_arguments_of_messages_are_mended_up_to_the_same_sizes() -> None:
    def message(*sizes: int) -> dict[str, Any]:
        texts = ['{"a": "' + "x" * (size - 10) + '",}' for size in sizes]
        calls = [{"id": f"c{n}", "function": {"name": "f", "arguments": text}} for n, text in enumerate(texts)]
        return {"role": "assistant", "tool_calls": calls}

    lect = polylect.lect("tool_calls")
    for sizes, statuses in (
        ((SMALL, SMALL, 100), ["repaired", "repaired", "invalid"]),
        ((SMALL + 1, 100), ["invalid", "repaired"]),
    ):
        reply = lect.parse(message(*sizes), malformed="repair")
        assert [call.status for call in reply.calls] == statuses
