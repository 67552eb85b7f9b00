"""A real model: in this process, and on llama.cpp's own server."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import ModelError

from .drive import WAYS, ask, ask_and_leave, content, last_reason
from .llama_server import LlamaServer

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("local")]

SEARCH = {
    "type": "function",
    "function": {
        "name": "search",
        "description": "Search",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
    },
}
CALCULATE = {
    "type": "function",
    "function": {
        "name": "calculate",
        "description": "Calculate",
        "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
    },
}
TOOLS = [SEARCH, CALCULATE]
QUESTION = [{"role": "user", "content": "Search for the capital of Norway."}]


def searched(city: str) -> list[dict[str, Any]]:
    """A search as it should be: examples from which even a very small model learns."""
    call = {"name": "search", "arguments": json.dumps({"query": city})}
    return [
        {"role": "user", "content": f"Search for {city}."},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": call}]},
        {"role": "tool", "tool_call_id": "c", "content": f"{city} is a city."},
        {"role": "assistant", "content": f"{city} is a city."},
    ]


CITIES = [message for city in ("Oslo", "Bergen", "Malmö", "Rome") for message in searched(city)]
PARIS = [*CITIES, {"role": "user", "content": "Search for Paris."}]


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    """The model in this process."""
    with polylect.model("local", threads=1, max_tokens=60) as model:
        yield model


@pytest.fixture(scope="module")
def llama() -> Iterator[LlamaServer]:
    """llama.cpp's server."""
    with LlamaServer() as running:
        yield running


def reply_of(chunks: list[Any]) -> polylect.Reply:
    parser = polylect.lect("tool_calls").parser(tools=TOOLS)
    for chunk in chunks:
        parser.feed(chunk)
    parser.close(last_reason(chunks))
    return parser.reply


# --- in this process --------------------------------------------------------------------------------------------------


def test_a_text_is_continued_alike_in_all_ways(local: Any) -> None:
    said = [ask(local, "Question: 1+1\nAnswer:", way, stop=["\n"]) for way in WAYS]
    texts = {content(chunks) for chunks in said}
    assert len(texts) == 1
    assert texts.pop().strip()
    for chunks in said:
        assert last_reason(chunks) == "stop"
        assert "\n" not in content(chunks)
        (usage,) = [chunk["usage"] for chunk in chunks if chunk["usage"]]
        assert usage["completion_tokens"] > 0


def test_messages_are_answered(local: Any) -> None:
    chunks = ask(local, [{"role": "system", "content": "Be short."}, {"role": "user", "content": "Say hello."}])
    assert content(chunks)
    assert [chunk["usage"]["prompt_tokens"] for chunk in chunks if chunk["usage"]]


def test_a_reply_may_be_cut(local: Any) -> None:
    with polylect.model("local", threads=1, max_tokens=3) as model:
        assert last_reason(ask(model, "One, two, three, four,")) == "length"


def test_it_calls_tools_as_the_lect_tool_calls_reads_them(local: Any) -> None:
    reply = reply_of(ask(local, PARIS, tools=TOOLS, tool_choice="auto"))
    assert [(call.name, call.arguments) for call in reply.calls] == [("search", {"query": "Paris"})]


@pytest.mark.parametrize(("choice", "names"), [("required", {"search", "calculate"}), ("calculate", {"calculate"})])
def test_the_choice_of_tools_is_enforced(local: Any, choice: str, names: set[str]) -> None:
    chunks = ask(local, QUESTION, tools=TOOLS, tool_choice=choice)
    (call,) = reply_of(chunks).calls
    assert call.name in names
    assert isinstance(call.arguments, dict)
    assert last_reason(chunks) == "tool_calls"
    with pytest.raises(polylect.PromptError, match="no such tool"):
        ask(local, QUESTION, tools=TOOLS, tool_choice="sing")


def shown(city: str, country: str) -> str:
    """A question with its answer, in the tongue ``react``."""
    return (
        f"Question: What is the capital of {country}?\nThought: I look it up.\nAction: search\n"
        f"Action Input: capital of {country}\nObservation: {city} is the capital of {country}.\n"
        f"Thought: I know it now.\nFinal Answer: {city}\n\n"
    )


def test_a_pipeline_of_text_runs_over_it(local: Any) -> None:
    examples = shown("Stockholm", "Sweden") + shown("Rome", "Italy") + shown("Paris", "France")
    text = f"{{tools}} ({{tool_names}})\n\n{examples}Question: {{input}}\nThought:{{agent_scratchpad}}"
    pipeline = polylect.Pipeline("react", local, [{"name": "search"}], prompt=text)
    first = pipeline.plan(input="What is the capital of Norway?")
    assert isinstance(first, list)
    assert [action.tool for action in first] == ["search"]
    steps = [polylect.AgentStep(first[0], "Oslo is the capital of Norway.")]
    last = pipeline.plan(steps, input="What is the capital of Norway?")
    assert isinstance(last, polylect.AgentFinish)
    assert last.return_values["output"] == "Oslo"


def test_a_prompt_that_is_too_long_is_an_error(local: Any) -> None:
    with pytest.raises(ModelError, match="exceeds the available context size") as caught:
        ask(local, "x " * 6000)
    assert caught.value.status == 400


def test_text_that_no_utf_8_can_hold_is_replaced(local: Any) -> None:
    assert ask(local, "a \ud83d b", stop=["\n"])


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "polylect-local"]


@pytest.mark.parametrize("way", WAYS)
def test_closing_early_ends_the_reply(way: str) -> None:
    with polylect.model("local", threads=1, max_tokens=4000) as model:
        assert ask_and_leave(model, "One, two, three,", way, lambda chunk: True)
    assert threads() == []


@pytest.mark.parametrize("way", WAYS)
def test_time_may_run_out(way: str) -> None:
    with polylect.model("local", threads=1, max_tokens=4000) as model:
        ask(model, "Hi", stop=[" "])
        with pytest.raises(ModelError, match=r"took longer than 0\.5 s"):
            ask(model, "one two three four " * 100, way, timeout=0.5)
    assert threads() == []


def test_a_model_that_was_closed_is_loaded_again(local: Any) -> None:
    before = content(ask(local, "One, two,", stop=[" four"]))
    local.close()
    assert content(ask(local, "One, two,", stop=[" four"])) == before


def test_nobody_can_reach_it_and_interrupts_are_pythons_own(local: Any) -> None:
    ask(local, "Hi", stop=[" "])
    address = local.engine.server().listening_address
    if os.name != "nt":
        assert address.startswith("unix://")
        assert not Path(address.removeprefix("unix://")).exists()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_file_that_is_no_model_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + bytes(100))
    model = polylect.model("local", str(tmp_path / "broken.gguf"))
    with contextlib.closing(model), pytest.raises(ModelError, match="can't load"):
        ask(model, "Hi")


# --- on llama.cpp's own server ----------------------------------------------------------------------------------------
# With the SDK's usual retries: one time in a hundred this server closes a connection that it has just kept open.


@pytest.mark.parametrize("way", WAYS)
def test_chat_completions_of_a_real_server(llama: LlamaServer, way: str) -> None:
    options = {"temperature": 0, "max_tokens": 40}
    with polylect.model("openai:any", base_url=f"{llama.url}/v1", **options) as model:
        chunks = ask(model, PARIS, way, tools=TOOLS)
        assert [(call.name, call.arguments) for call in reply_of(chunks).calls] == [("search", {"query": "Paris"})]
        assert chunks[-1]["usage"]["completion_tokens"] > 0
        with pytest.raises(ModelError, match="context size") as caught:
            ask(model, "x " * 6000, way)
    assert caught.value.status == 400


@pytest.mark.parametrize("way", WAYS)
def test_text_completions_of_a_real_server(llama: LlamaServer, local: Any, way: str) -> None:
    options = {"temperature": 0, "max_tokens": 60, "api": "completions"}
    with polylect.model("openai:any", base_url=f"{llama.url}/v1", **options) as model:
        chunks = ask(model, "One, two,", way, stop=["\n"])
    assert content(chunks) == content(ask(local, "One, two,", stop=["\n"]))
    assert last_reason(chunks) == "stop"


@pytest.mark.parametrize("way", WAYS)
def test_messages_of_a_real_server_that_speaks_anthropics_api(llama: LlamaServer, way: str) -> None:
    options = {"temperature": 0, "max_tokens": 40}
    with polylect.model("anthropic:any", base_url=llama.url, **options) as model:
        chunks = ask(model, PARIS, way, tools=TOOLS)
    assert [(call.name, call.arguments) for call in reply_of(chunks).calls] == [("search", {"query": "Paris"})]
    assert last_reason(chunks) == "tool_calls"
    assert chunks[-1]["usage"]["total_tokens"] > 0
