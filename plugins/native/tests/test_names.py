"""Names that can't be names: where no tools are known, a call of such a name is no call that may run."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentStep, Call, LectError, Reply, Tool

NAMES = [x.name for x in polylect.lects() if x.family == "native"]
EVERY = pytest.mark.parametrize("name", NAMES)
PLAIN = ("now", "get_weather", "files.read", "web-search", "mcp/files:read", "\u5929\u6c17", "a[b]")
ODD = ("web search", "a\tb", "a\u2028b", "a\x07b", "{a", "a}", "<a", "a>", "a|b", 'say "a"', "a\nb")
NAMED_RESULTS = {"gpt_oss_harmony", "kimi_k2", "solar_open"}
"""They write a tool's name into the header of its result, where no white space may stand."""
PLAIN_PARTS = {"a"}
"""What some tongues read of an odd name: the markup ends it."""
ARGUMENTS = {"city": "Paris"}


def written(lect: Any, name: str) -> str | None:
    """A call of a tool that is known by this name, if the lect can write it."""
    try:
        return str(lect.format(Reply(calls=(Call(name, ARGUMENTS),)), tools=[Tool(name)]))
    except LectError:
        return None


def streamed(lect: Any, text: str, **options: Any) -> Reply:
    """The reply to a text that comes character by character."""
    parser = lect.parser(**options)
    for char in text:
        parser.feed(char)
    parser.close()
    return parser.reply  # type: ignore[no-any-return]


@EVERY
def test_a_call_whose_name_is_none_does_not_run(name: str) -> None:
    """Nor does it for the lect's own markers; where the tools are known, who runs them knows the names, too."""
    lect: Any = polylect.lect(name)
    for odd in (*ODD, *(mark for mark in (*lect.special, *lect.stops) if len(mark.strip()) > 2)):
        text = written(lect, odd)
        if text is None:
            continue
        for reply in (lect.parse(text), streamed(lect, text)):
            assert all(call.name in PLAIN_PARTS for call in reply.calls if call.runnable), odd
            if [call.name.strip() for call in reply.calls] == [odd.strip()]:
                assert [call.status for call in reply.calls] == ["invalid"]
                assert "missing_name" in [note.code for note in reply.diagnostics]
                assert "can't be a name" in str(reply.calls[0].error)
        known = lect.parse(text, tools=[Tool(odd)])
        assert [(call.name.strip(), call.runnable) for call in known.calls] == [(odd.strip(), True)]
        with pytest.raises(LectError, match="can't be a tool's name"):
            lect.format(Reply(calls=(Call(odd, ARGUMENTS),)))


@EVERY
def test_a_plain_name_is_one(name: str) -> None:
    lect = polylect.lect(name)
    told = 0
    for plain in PLAIN:
        text = written(lect, plain)
        if text is not None:
            told += 1
            assert lect.format(Reply(calls=(Call(plain, ARGUMENTS),))) == text
            assert [call.name for call in lect.parse(text).calls if call.runnable] == [plain]
    assert told > 2


@EVERY
def test_a_step_of_a_tool_with_an_odd_name_is_written_where_the_tools_are_known(name: str) -> None:
    lect = polylect.lect(name)
    if written(lect, "web search") is None:
        return
    step = AgentStep(AgentAction("web search", ARGUMENTS), "Sun.")
    if name in NAMED_RESULTS:
        with pytest.raises(LectError, match="in a result"):
            lect.format_steps([step], tools=[Tool("web search")])
        return
    assert "web search" in lect.format_steps([step], tools=[Tool("web search")])
    with pytest.raises(LectError, match="can't be a tool's name"):
        lect.format_steps([step])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("glm47", "<tool_call><|user|></tool_call>"),
        ("glm47", '<tool_call>\n{"name": "f", "arguments": {"a": 1}\n</tool_call>'),
        ("glm47", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</tool_call>"),
        ("qwen3_coder_xml", "<tool_call><function=<|endoftext|></function>"),
        ("mimo", "<tool_call><function=<|endoftext|></function></tool_call>"),
        ("gpt_oss_harmony", " to=functions. to=functions.<|constrain|>json<|message|>{}"),
    ],
)
def test_markup_in_the_place_of_a_name_does_not_run(name: str, text: str) -> None:
    reply = polylect.lect(name).parse(text)
    assert [call.status for call in reply.calls] == ["invalid"]
    assert "missing_name" in [note.code for note in reply.diagnostics]
