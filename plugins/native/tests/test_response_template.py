"""Lects made of response templates."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import Call, LectError, Reply
from polylect.testing import check
from polylect_native import from_response_template

TEMPLATES: dict[str, dict[str, Any]] = {
    "block": {
        "start_anchor": "A",
        "fields": {
            "thinking": {"open": "<muse>", "close": "</muse>", "content": "text"},
            "tool_calls": {
                "open": "<act>",
                "close": "</act>",
                "repeats": True,
                "content": "json",
                "transform": {
                    "type": "function",
                    "function": {"name": "{content.tool}", "arguments": "{content.input}"},
                },
            },
            "content": {"close": ["<done/>", "<stop/>"]},
        },
    },
    "arr": {
        "start_anchor": "A",
        "fields": {
            "tool_calls": {
                "open": "[ACTS]",
                "close": "[/ACTS]",
                "content": "json",
                "transform_each": True,
                "transform": {"type": "function", "function": "{content}"},
            },
            "content": {"close": "</s>"},
        },
    },
    "namedj": {
        "start_anchor": "A",
        "fields": {
            "thinking": {"open": "<muse>", "close": "</muse>"},
            "tool_calls": {
                "open_pattern": r"<act of=(?P<name>[^>]+)>\s*",
                "close": "</act>",
                "repeats": True,
                "content": "json",
                "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
            },
            "content": {"close": "</s>"},
        },
    },
    "tags": {
        "start_anchor": "A",
        "fields": {
            "reasoning_content": {"open": "<muse>", "close": "</muse>"},
            "tool_calls": {
                "open_pattern": r"<act>\s*<use (?P<name>\w+)>\n",
                "close_pattern": r"</use>\s*</act>",
                "repeats": True,
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": r"<with (?P<key>[^>]+)>\n?(?P<value>.*?)\n?</with>",
                    "value_parser": {"name": "json", "args": {"allow_non_json": True}},
                },
                "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
            },
            "content": {"close": "</s>"},
        },
    },
    "kv": {
        "start_anchor": "A",
        "fields": {
            "tool_calls": {
                "open_pattern": r"<act (?P<name>\w+)>\n",
                "close": "</act>",
                "repeats": True,
                "content": "kv-lines",
                "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
            },
            "content": {"close": "</s>"},
        },
    },
    "py": {
        "start_anchor": "A",
        "fields": {
            "thinking": {"open": "<muse>", "close": "</muse>"},
            "tool_calls": {
                "open": "<acts>",
                "close": "</acts>",
                "content": "python-call-list",
                "transform_each": True,
                "transform": {"type": "function", "function": "{content}"},
            },
            "content": {"close": "</s>"},
        },
    },
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "pay",
            "parameters": {"type": "object", "properties": {"to": {"type": "string"}, "sum": {"type": "integer"}}},
        },
    }
]


@pytest.mark.parametrize("kind", [x for x in TEMPLATES if x != "kv"])
def test_the_laws_hold_for_what_is_imported(kind: str) -> None:
    report = check(from_response_template(TEMPLATES[kind], name=f"imported_{kind}"), examples=40)
    assert report.ok, str(report)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_a_call_is_typed_by_the_tools_and_written_back(kind: str) -> None:
    lect = from_response_template(TEMPLATES[kind], name=f"imported_{kind}", models=("Quill-7",))
    reply = Reply(content="One moment.", calls=(Call("pay", {"to": "02134", "sum": 5}),))
    text = lect.format(reply, tools=TOOLS)
    assert lect.parse(text, tools=TOOLS) == reply
    stop = lect.stops[0]
    assert lect.parse(text + stop, tools=TOOLS) == reply
    assert lect.models == ("Quill-7",)
    assert not lect.parse(text[: text.rindex("5")]).calls


def test_values_without_a_schema_are_texts_or_json_as_the_template_says() -> None:
    lines = from_response_template(TEMPLATES["kv"], name="imported_kv")
    (call,) = lines.parse("<act f>\na: 1\n\nb:  x: y \n</act>").calls
    assert call.arguments == {"a": "1", "b": "x: y"}
    tags = from_response_template(TEMPLATES["tags"], name="imported_tags")
    (call,) = tags.parse("<act>\n<use f>\n<with a>\n1\n</with>\n<with b>x</with>\n</use>\n</act>").calls
    assert call.arguments == {"a": 1, "b": "x"}


def test_reasoning_is_read_and_may_begin_in_the_prompt() -> None:
    lect = from_response_template(TEMPLATES["block"], name="imported_block")
    assert lect.parse("<muse>\nHm.\n</muse>\n\nYes.<done/>").reasoning == "Hm."
    assert lect.parse("Hm.</muse>Yes.", prefix="<muse>\n").reasoning == "Hm."


def test_a_tokenizer_config_may_hold_it(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps({"response_template": TEMPLATES["arr"]}), "utf-8")
    lect = from_response_template(path, name="imported_arr")
    assert [x.name for x in lect.parse('[ACTS][{"name": "a", "arguments": {}}][/ACTS]').calls] == ["a"]
    polylect.register(lect)
    try:
        assert polylect.lect("imported_arr") is lect
    finally:
        polylect.unregister("imported_arr")


def changed(kind: str, **change: Any) -> dict[str, Any]:
    spec = copy.deepcopy(TEMPLATES[kind])
    spec["fields"]["tool_calls"] |= change
    return spec


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, "a dict with the key 'fields'"),
        ("nowhere.json", "can't be read"),
        ({**TEMPLATES["arr"], "version": 2}, "the version 2"),
        ({**TEMPLATES["arr"], "more": 1}, "the key 'more'"),
        ({"fields": {"content": {}}}, "no field tool_calls"),
        ({"fields": {**TEMPLATES["arr"]["fields"], "mood": {"open": "x"}}}, "the field 'mood'"),
        (changed("arr", content="text"), "the content 'text' of the calls"),
        (changed("arr", content_args={"unquoted_keys": True}), "the argument 'unquoted_keys'"),
        (changed("arr", transform={"function": {"name": "x"}}), "the transform of the calls"),
        (changed("tags", open_pattern=r"<act.*?(?P<name>\w+)>"), "may be of any length"),
        (changed("tags", open_pattern=r"<act (?P<id>\d)(?P<name>\w+)>"), "only the name, and a key and a value"),
        (changed("tags", close_pattern=None), "one that closes them"),
        (changed("namedj", open_pattern=r"<act (?P<name>.+?)"), "nothing says where it ends"),
        (changed("kv", content_args={"value_parser": {"name": "int"}}), "values read by 'int'"),
        (changed("py", close=None), "it needs a marker behind it"),
    ],
)
def test_what_a_lect_has_no_place_for_is_refused(spec: Any, told: str) -> None:
    with pytest.raises(LectError, match=told):
        from_response_template(spec, name="imported")
