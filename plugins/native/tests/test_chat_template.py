"""Conversations written by a model's own chat template."""

from __future__ import annotations

import json
import struct
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import LectError
from polylect_native import ChatTemplate

LECT: Any = polylect.lect("hermes")
TOOLS = [{"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}}}}]
SOURCE = """\
{%- if tools %}<|im_start|>system
Tools: {{ tools | tojson }}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
{% if message.reasoning_content %}<think>
{{ message.reasoning_content }}
</think>

{% endif %}
{{- message.content or "" }}
{%- for call in message.tool_calls or [] %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% if enable_thinking %}<think>
{% endif %}{% endif %}"""


def call(arguments: Any) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": None,
        "reasoning": "Hm.",
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": arguments}}],
    }


@pytest.mark.parametrize("arguments", ['{"a": "é<"}', {"a": "é<"}])
def test_arguments_are_never_encoded_twice(arguments: Any) -> None:
    given = call(arguments)
    found = LECT.format_messages([{"role": "user", "content": "Go."}, given], chat_template=SOURCE, tools=TOOLS)
    assert found.arguments == "object"
    assert found.text == (
        '<|im_start|>system\nTools: [{"type": "function", "function": {"name": "now", "parameters": '
        '{"type": "object", "properties": {}}}}]<|im_end|>\n<|im_start|>user\nGo.<|im_end|>\n<|im_start|>assistant\n'
        '<think>\nHm.\n</think>\n\n<tool_call>\n{"name": "f", "arguments": {"a": "é<"}}\n</tool_call><|im_end|>\n'
        "<|im_start|>assistant\n"
    )
    assert given == call(arguments)
    turn = found.text.partition("assistant\n")[2].partition("<|im_end|>")[0]
    assert LECT.parse(turn).calls[0].arguments == {"a": "é<"}


def test_a_template_that_wants_texts_is_given_texts() -> None:
    source = (
        "{% for m in messages %}{% for c in m.tool_calls %}{{ 'call ' + c.function.arguments }}{% endfor %}{% endfor %}"
    )
    found = LECT.format_messages([call({"a": 1})], chat_template=source)
    assert (found.text, found.arguments) == ('call {"a": 1}', "text")


def test_a_content_that_is_none_is_given_as_a_text_where_that_is_needed() -> None:
    assert ChatTemplate.load("{{ '<' + messages[0].content + '>' }}").render([call({})]).text == "<>"


@pytest.mark.parametrize(
    ("end", "prefix"),
    [
        ("<think>\n", "<think>\n"),
        ("<think>\n\n</think>\n\n", "<think>\n\n</think>\n\n"),
        ("", ""),
        ("<think>\nHm.", ""),
        ("</think>", ""),
    ],
)
def test_the_prefix_is_what_the_prompt_began(end: str, prefix: str) -> None:
    found = LECT.format_messages([{"role": "user", "content": "<think>"}], chat_template="x{{ end }}", end=end)
    assert found.prefix == prefix
    LECT.parse("a\n</think>\n\nb", prefix=found.prefix)


def test_the_prompt_that_opens_the_reasoning_and_what_the_model_adds_make_a_message() -> None:
    found = LECT.format_messages([{"role": "user", "content": "Go."}], chat_template=SOURCE, enable_thinking=True)
    reply = LECT.parse("I see.\n</think>\n\nDone.", prefix=found.prefix)
    assert (reply.reasoning, reply.content) == ("I see.", "Done.")


def test_the_tools_are_told_by_the_template() -> None:
    told = LECT.format_tools(TOOLS, chat_template=SOURCE)
    assert told.startswith("system\nTools: ")
    assert '"name": "now"' in told
    assert "?" not in told
    assert '"now"' not in LECT.format_tools(TOOLS, chat_template="{{ messages[0].content }}")
    assert "now" in LECT.format_tools(TOOLS)


# --- where templates come from ----------------------------------------------------------------------------------------


def test_a_tokenizer_config_has_one_template_or_several(tmp_path: Path) -> None:
    one = {"chat_template": "{{ bos_token }}one", "bos_token": {"content": "<s>"}, "eos_token": "</s>", "x_token": None}
    path = tmp_path / "tokenizer_config.json"
    path.write_text(json.dumps(one), "utf-8")
    assert ChatTemplate.load(path).render([]).text == ChatTemplate.load(one).render([]).text == "<s>one"
    several = ChatTemplate.load(
        {"chat_template": [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]}
    )
    assert several.render([]).text == "plain"
    assert several.render([], tools=TOOLS).text == "tools"
    assert several.render([], name="tool_use").text == "tools"
    with pytest.raises(LectError, match="no chat template 'rag'; there are default, tool_use"):
        several.render([], name="rag")


def gguf(entries: dict[str, Any], version: int = 3, magic: bytes = b"GGUF") -> bytes:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    out = [magic, struct.pack("<IQQ", version, 0, len(entries))]
    for key, value in entries.items():
        out.append(text(key))
        if isinstance(value, str):
            out.append(struct.pack("<I", 8) + text(value))
        elif isinstance(value, int):
            out.append(struct.pack("<II", 4, value))
        elif isinstance(value[0], str):
            out.append(struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(text, value)))
        else:
            out.append(struct.pack("<IIQ", 9, 6, len(value)) + struct.pack(f"<{len(value)}f", *value))
    return b"".join(out)


ENTRIES = {
    "general.architecture": "quill",
    "tokenizer.ggml.scores": [0.5, 1.5, 2.5],
    "tokenizer.ggml.merges": ["a b", "c d"],
    "tokenizer.ggml.tokens": ["<unk>", "<s>", "</s>"],
    "tokenizer.ggml.bos_token_id": 1,
    "tokenizer.ggml.eos_token_id": 99,
    "tokenizer.chat_template": "{{ bos_token }}{{ messages[0].content }}",
    "tokenizer.chat_template.tool_use": "tools",
}


def test_a_gguf_file_has_its_templates_in_its_head(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(gguf(ENTRIES) + b"\0" * 64)
    template = ChatTemplate.load(path)
    assert template.tokens == {"bos_token": "<s>"}
    assert template.render([{"role": "user", "content": "Hi"}]).text == "<s>Hi"
    assert template.render([], tools=TOOLS).text == "tools"


@given(data=st.data())
def test_a_broken_gguf_file_is_an_error(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole = bytearray(gguf(ENTRIES))
    whole = whole[: data.draw(st.integers(0, len(whole)))]
    for _ in range(data.draw(st.integers(0, 4)) if whole else 0):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    path.write_bytes(whole)
    try:
        assert ChatTemplate.load(path).templates
    except LectError:
        return


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("nowhere.jinja", "no file 'nowhere.jinja'"),
        ({"chat_template": 5}, "no chat_template"),
        ({}, "no chat_template"),
        (5, "can't be read"),
    ],
)
def test_what_is_no_template_is_told(source: Any, told: str) -> None:
    with pytest.raises(LectError, match=told):
        ChatTemplate.load(source)


# --- hostile templates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "source",
    [
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
        "{{ messages.__class__.__mro__ }}{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ raise_exception.__globals__ }}{{ raise_exception.__globals__['__builtins__'] }}",
        "{% set _ = messages.append({}) %}",
        "{{ 'a' * 99999999999 }}",
        "{{ [1] * 99999999999 }}",
        "{{ 9 ** 9999999 }}",
        "{{ '%99999999999d' % 1 }}",
        "{% for a in range(9999999) %}{% endfor %}",
        "{% for a in range(9999) %}{{ 'a' * 9999 }}{% endfor %}",
        "{{ raise_exception('no') }}",
        "{% if %}",
        "{{ messages[0].content.nothing.at_all }}",
    ],
)
def test_a_hostile_or_broken_template_is_an_error(source: str) -> None:
    with pytest.raises(LectError, match="The chat template failed: "):
        ChatTemplate.load(source).render([{"role": "user", "content": "x"}])


def test_what_templates_use_is_there() -> None:
    source = (
        "{% generation %}{{ strftime_now('%Y') }}{% endgeneration %}\n"
        "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{{ m.content }}{% break %}{% endfor %}"
        "{{ {'é': [1]} | tojson(indent=1) }}"
    )
    messages = [{"role": "user", "content": x} for x in "abc"]
    found = ChatTemplate.load(source).render(messages, now=datetime(2026, 1, 2))
    assert found.text == '2026b{\n "é": [\n  1\n ]\n}'
