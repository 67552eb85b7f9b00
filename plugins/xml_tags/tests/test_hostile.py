"""Markup from outside: nothing is expanded, nothing is fetched, nothing is lost, nothing takes long."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from functools import partial
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

import polylect
from polylect import Call, ParseError, Reply
from polylect.testing._law_8_linear import superlinear

LECT = polylect.lect("xml_tags")


def given(text: str) -> Any:
    (call,) = LECT.parse(f"<tool>f</tool><tool_input>{text}</tool_input>").calls
    return call.arguments


LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
BILLION = f'<!DOCTYPE lolz [<!ENTITY l0 "lol">{LAUGHS}]><a>&l9;</a>'
ATTACKS = [
    BILLION,
    f'<?xml version="1.0"?>{BILLION}',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd"><a>&x;</a>',
    '<!ENTITY x SYSTEM "file:///etc/passwd"><a>&x;</a>',
    '<a xmlns:xi="http://www.w3.org/2001/XInclude"><xi:include href="file:///etc/passwd" parse="text"/></a>',
    "<a>&x;</a><!DOCTYPE a>",
]


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_attacks_stay_the_text_that_they_are(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("nothing may be fetched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(urllib.request, "urlopen", refuse)
    for meant in (given(text), given(text.replace("<a", "<b", 1))):
        assert isinstance(meant, str)
        assert len(meant) == len(text)
        assert "root:" not in meant
    assert given(text) == text


def test_an_entity_of_ones_own_is_text() -> None:
    assert given("<a>&x;</a>") == {"a": "&x;"}
    assert given("&x; &l9; &nbsp;") == "&x; &l9; &nbsp;"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a &lt; b &amp;&amp; c", "a < b && c"),
        ("&quot;&apos;&gt;", "\"'>"),
        ("&#65;&#x42;&#X43;", "ABC"),
        ("&#x1F327;", "\U0001f327"),
        ("&amp;lt;", "&lt;"),
        ("a & b &c d&", "a & b &c d&"),
        ("AT&T", "AT&T"),
        ("&#x110000; &#; &#xg;", "&#x110000; &#; &#xg;"),
        ("<![CDATA[a < b & c]]>", "a < b & c"),
        ("x<![CDATA[<y>]]>z<![CDATA[&amp;]]>", "x<y>z&amp;"),
        ("1 < 2", "1 < 2"),
        ("if a<b: c>d", "if a<b: c>d"),
        ("<br> &amp; <br/>", "<br> & <br/>"),
        ("a\r\nb &amp;\rc", "a\r\nb &\rc"),
    ],
)
def test_entities_and_cdata_are_decoded_and_the_rest_stays(written: str, meant: str) -> None:
    assert given(written) == meant


def test_cdata_that_holds_the_closing_tag_never_runs() -> None:
    reply = LECT.parse("<tool>f</tool><tool_input><![CDATA[a</tool_input>b]]></tool_input>")
    (call,) = reply.calls
    assert (call.status, call.arguments) == ("invalid", None)
    assert "opens CDATA and does not close it" in (call.error or "")
    with pytest.raises(ParseError) as caught:
        LECT.decide(reply)
    assert "Write &lt; for < instead" in caught.value.correction
    assert given("&lt;![CDATA[") == "<![CDATA["


@pytest.mark.parametrize("noise", ["\0", "\ud800", "\x1b", "\ufffe", "\u2028", "\x85", "\ufeff"])
def test_characters_that_xml_cannot_hold(noise: str) -> None:
    for text in (f"a{noise}b", f"a &amp; {noise}"):
        assert noise in given(text)
    reply = LECT.parse(f"{noise}<final_answer>{noise}</final_answer>")
    assert (reply.content, reply.answer) == (noise, noise)


PIECES = {
    "&amp;": "&",
    "&#x0;": "\0",
    "&#55296;": "\ud800",
    "&#11;": "\x0b",
    "&#13;": "\r",
    " & ": " & ",
    "1 < 2": "1 < 2",
}
NOISE = st.lists(st.sampled_from([*PIECES, *"\0\x0b\x1f\ud800\udfff\r\uffff\U000f0000xy \n"]), max_size=8)


@hypothesis.given(NOISE, NOISE)
def test_elements_with_characters_that_xml_cannot_hold_are_elements(pieces: list[str], kept: list[str]) -> None:
    one, other, read = "".join(pieces), "".join(kept), "".join(PIECES.get(piece, piece) for piece in pieces)
    tool = {"name": "f", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {}}}}
    body = f"<city>a{one}b</city>\n<where><name>z<![CDATA[{other}]]>{one}</name></where>"
    for tools in (None, [tool]):
        (call,) = LECT.parse(f"<tool>f</tool><tool_input>{body}</tool_input>", tools=tools).calls
        assert call.arguments == {"city": f"a{read}b", "where": {"name": f"z{other}{read}"}}
        assert call.status == "complete"


def test_every_character_that_xml_lacks_may_stand_in_one_element() -> None:
    odd = "".join(map(chr, [*range(32), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF, 0xF0000, 0x10FFFF]))
    (call,) = LECT.parse(f"<tool>f</tool><tool_input><a>x{odd}</a></tool_input>").calls
    assert call.arguments == {"a": f"x{odd}"}
    reply = Reply(calls=(Call("f", {"a": {"b": odd}, "c": [odd, "\r"]}),))
    assert LECT.parse(LECT.format(reply)) == reply


def test_elements_apart_and_codes_of_no_character() -> None:
    for between in ("\x0b", "\x1c\r\n", ""):
        (call,) = LECT.parse(f"<tool>f</tool><tool_input><a>1</a>{between}<b>&#x110000;\x0b</b></tool_input>").calls
        assert call.arguments == {"a": 1, "b": "&#x110000;\x0b"}
    (call,) = LECT.parse("<tool>f</tool><tool_input><a>1</a>\0<b>2</b></tool_input>").calls
    assert call.arguments == "<a>1</a>\0<b>2</b>"


def test_deep_nesting_ends_in_text_or_values_and_soon() -> None:
    for depth in (100, 300, 5_000, 100_000):
        assert given("<a>" * depth + "x" + "</a>" * depth)
    assert superlinear(lambda size: lambda: given("<a>" * (size // 7) + "x" + "</a>" * (size // 7))) is None


END = "</tool_input>"


def reading(read: Callable[[str], object], unit: str, before: str, after: str, size: int) -> Callable[[], object]:
    text = before + unit * (size // len(unit)) + after
    return lambda: read(text)


def test_hostile_inputs_cost_linear_time() -> None:
    for unit in [
        "<tool>",
        "<tool>a</tool>",
        "<tool_input>",
        "<![CDATA[",
        "&amp;",
        "<a>",
        "<final_answer>",
        "</tool>",
        "<think>",
    ]:
        for around in (
            ("", ""),
            ("<tool>f</tool><tool_input>", END),
            ("<tool>f</tool><tool_input><a>\0", f"</a>{END}"),
        ):
            for read in (LECT.parse, LECT.unescape):
                assert superlinear(partial(reading, read, unit, *around)) is None, (unit, around)


def test_lxml_loads_only_for_markup() -> None:
    code = (
        "import sys, polylect\n"
        "lect = polylect.lect('xml_tags')\n"
        "lect.parse('<tool>f</tool><tool_input>plain</tool_input>')\n"
        "assert not any(name.startswith('lxml') for name in sys.modules)\n"
        "lect.parse('<tool>f</tool><tool_input><a>1</a></tool_input>')\n"
        "assert 'lxml.etree' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
