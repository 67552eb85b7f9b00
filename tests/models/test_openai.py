"""The model ``openai`` against a server that replays what servers say."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

import polylect
from polylect import ModelError, PromptError

from .drive import ask, content, last_reason
from .openai_api import COUNTED, FORECAST, HELLO, PATIENCE, SEARCH, USAGE, chunk, model_at, refuses, words
from .replay import Hang, Replay, refusal, response, sse, stream

# --- what is asked, and what comes ------------------------------------------------------------------------------------


def test_what_is_replayed_is_what_the_sdk_knows() -> None:
    from openai.types.chat import ChatCompletionChunk

    for one in (chunk({"role": "assistant", "content": None}), chunk({"content": "Hel"}), chunk({}, "stop"), COUNTED):
        assert ChatCompletionChunk.model_validate(one, strict=True).id == "c1"


def test_a_text_is_streamed(server: Replay, way: str) -> None:
    server.answer(HELLO)
    with model_at(server) as model:
        chunks = ask(model, "Hi", way, stop=["\n"])
    assert content(chunks) == "Hello"
    assert last_reason(chunks) == "stop"
    assert chunks[-1]["usage"] == USAGE
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"].startswith("Bearer ")
    assert asked.body == {
        "model": "tiny",
        "messages": [{"role": "user", "content": "Hi"}],
        "stop": ["\n"],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_messages_and_tools_are_sent_and_calls_are_read(server: Replay, way: str) -> None:
    pieces = [{"index": 0, "function": {"arguments": text}} for text in ('{"city": "', "Åle", 'sund"}')]
    head = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "forecast", "arguments": ""}}
    deltas = [{"role": "assistant", "content": None}, *({"tool_calls": [x]} for x in (head, *pieces))]
    server.answer(stream(sse(*map(chunk, deltas), chunk({}, "tool_calls"), COUNTED, "[DONE]")))
    prompt = [{"role": "system", "content": "Help."}, {"role": "user", "content": "Rain?"}]
    with model_at(server) as model:
        chunks = ask(model, prompt, way, tools=[FORECAST], tool_choice="required")
    body = server.asked[0].body
    assert (body["messages"], body["tools"], body["tool_choice"]) == (prompt, [FORECAST], "required")
    assert "stop" not in body
    parser = polylect.lect("tool_calls").parser(tools=[FORECAST])
    for one in chunks:
        parser.feed(one)
    parser.close(last_reason(chunks))
    (call,) = parser.reply.calls
    assert (call.name, call.arguments, call.id, call.status) == ("forecast", {"city": "Ålesund"}, "call_1", "complete")


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (None, None),
        ("auto", "auto"),
        ("none", "none"),
        ("required", "required"),
        ("forecast", {"type": "function", "function": {"name": "forecast"}}),
        ("jot", {"type": "custom", "custom": {"name": "jot"}}),
    ],
)
def test_the_choice_of_tools(server: Replay, given: str | None, sent: Any) -> None:
    server.answer(HELLO, HELLO)
    with model_at(server) as model:
        ask(model, "Hi", tools=[FORECAST, {"type": "custom", "custom": {"name": "jot"}}], tool_choice=given)
        ask(model, "Hi", tool_choice=given)
    with_tools, without = server.asked
    assert with_tools.body.get("tool_choice") == sent
    assert "tool_choice" not in without.body


def test_text_completions(server: Replay, way: str) -> None:
    def piece(text: str, reason: str | None = None) -> dict[str, Any]:
        return {
            "id": "c",
            "object": "text_completion",
            "choices": [{"text": text, "index": 0, "finish_reason": reason}],
        }

    server.answer(
        stream(sse(piece(" I"), piece(" know."), piece("", "length"), {"choices": [], "usage": USAGE}, "[DONE]"))
    )
    with model_at(server, api="completions", temperature=0) as model:
        chunks = ask(model, "Thought:", way, stop=["\nObservation"], tools=[FORECAST])
    assert server.asked[0].path == "/v1/completions"
    assert server.asked[0].body == {
        "model": "tiny",
        "prompt": "Thought:",
        "temperature": 0,
        "stop": ["\nObservation"],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert content(chunks) == " I know."
    assert last_reason(chunks) == "length"
    assert chunks[-1]["usage"] == USAGE


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_without_streaming_the_response_comes_whole(server: Replay, way: str, api: str) -> None:
    said = {"message": {"role": "assistant", "content": "Hello"}} if api == "chat" else {"text": "Hello"}
    server.answer(response({"id": "r", "choices": [{"index": 0, "finish_reason": "stop", **said}], "usage": USAGE}))
    with model_at(server, api=api, stream=False) as model:
        (found,) = ask(model, "Hi", way)
    assert found["choices"][0]["message"] == {"role": "assistant", "content": "Hello"}
    assert (found["choices"][0]["finish_reason"], found["usage"]) == ("stop", USAGE)
    assert "stream" not in server.asked[0].body
    assert polylect.lect("tool_calls").parse(found).content == "Hello"


def test_options_are_the_clients_the_requests_or_the_bodys(server: Replay, way: str) -> None:
    server.answer(HELLO)
    options = {"temperature": 0.5, "grammar": "root ::= x", "default_headers": {"x-mine": "1"}, "api_key": "k"}
    with model_at(server, **options, extra_body={"top_k": 3}) as model:
        ask(model, "Hi", way)
    (asked,) = server.asked
    assert (asked.headers["x-mine"], asked.headers["authorization"]) == ("1", "Bearer k")
    assert (asked.body["temperature"], asked.body["grammar"], asked.body["top_k"]) == (0.5, "root ::= x", 3)


def test_a_pipeline_runs_over_it_in_any_lect(server: Replay) -> None:
    server.answer(stream(words(" I look.\nAction: sea", "rch\nAction Input: Oslo")))
    with model_at(server) as model:
        turn = polylect.Pipeline("react", model, [SEARCH]).stream(input="Where is Oslo?")
        assert "".join(x.text for x in turn if isinstance(x, polylect.ArgumentsDelta)) == "Oslo"
        assert isinstance(turn.decision, list)
        assert [(x.tool, x.tool_input) for x in turn.decision] == [("search", "Oslo")]
    assert server.asked[0].body["stop"] == list(polylect.lect("react").stops)


# --- stop strings -----------------------------------------------------------------------------------------------------


def test_a_server_that_refuses_stop_is_asked_without_and_stopped_here(server: Replay, way: str) -> None:
    server.answer(refuses("stop"), stream(words("Act\nObser", "vation: made up", reason=None), Hang()))
    server.answer(stream(words("Act\nObservation")))
    with model_at(server) as model:
        chunks = ask(model, "Hi", way, stop=["\nObservation"])
        assert server.left.wait(PATIENCE), "the connection is closed as soon as the stop string was there"
        assert content(chunks) == "Act"
        assert last_reason(chunks) == "stop"
        again = ask(model, "Hi", way, stop=["\nObservation"])
    assert content(again) == "Act"
    assert ["stop" in asked.body for asked in server.asked] == [True, False, False]


def test_a_piece_of_a_stop_string_is_the_texts_own_when_the_text_ends(server: Replay, way: str) -> None:
    server.answer(refuses("stop"), stream(words("Act\nObs", "er")))
    with model_at(server) as model:
        assert content(ask(model, "Hi", way, stop=["\nObservation"])) == "Act\nObser"


def test_a_whole_response_is_cut_here_as_well(server: Replay, way: str) -> None:
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": "Act\nObservation: x"}}
    server.answer(refuses("stop", 422), response({"choices": [choice]}))
    with model_at(server, stream=False) as model:
        (found,) = ask(model, "Hi", way, stop=["\nObservation"])
    assert found["choices"][0] == {
        **choice,
        "message": {"role": "assistant", "content": "Act"},
        "finish_reason": "stop",
    }


def test_more_stop_strings_than_the_api_takes_are_cut_here(server: Replay, way: str) -> None:
    stops = ["1", "2", "3", "4", "5", "6"]
    server.answer(stream(words("a", "b6", "c1")))
    with model_at(server) as model:
        assert content(ask(model, "Hi", way, stop=stops)) == "ab"
    assert server.asked[0].body["stop"] == stops[:4]


def test_a_server_that_refuses_stream_options_is_asked_without(server: Replay, way: str) -> None:
    server.answer(refuses("stream_options", 422), refuses("stop"), HELLO, HELLO)
    with model_at(server) as model:
        assert content(ask(model, "Hi", way, stop=["x"])) == "Hello"
        assert content(ask(model, "Hi", way)) == "Hello"
    assert [("stop" in x.body, "stream_options" in x.body) for x in server.asked] == [
        (True, True), (True, False), (False, False), (False, False),
    ]  # fmt: skip


def test_what_is_refused_for_another_reason_is_not_asked_again(server: Replay, way: str) -> None:
    server.answer(refusal(400, {"error": {"message": "max_tokens is too large; we stopped here", "param": None}}))
    with model_at(server) as model, pytest.raises(ModelError, match="too large") as caught:
        ask(model, "Hi", way, stop=["x"])
    assert caught.value.status == 400
    assert len(server.asked) == 1


# --- clients ----------------------------------------------------------------------------------------------------------


def test_synchronous_calls_share_a_connection_and_may_go_on_after_close(server: Replay) -> None:
    server.answer(HELLO, HELLO, HELLO)
    with model_at(server) as model:
        ask(model, "Hi")
        ask(model, "Hi")
        model.close()
        ask(model, "Hi")
    first, second, third = (asked.port for asked in server.asked)
    assert first == second != third


def test_an_entered_model_keeps_its_connections(server: Replay, backend: str) -> None:
    server.answer(HELLO, HELLO, HELLO, HELLO)

    async def calls() -> None:
        model = model_at(server)
        async with model:
            for _ in range(2):
                assert content([x async for x in model.acall("Hi")]) == "Hello"
        for _ in range(2):
            assert content([x async for x in model.acall("Hi")]) == "Hello"

    anyio.run(calls, backend=backend)
    first, second, third, fourth = (asked.port for asked in server.asked)
    assert first == second
    assert len({first, third, fourth}) == 3


def test_a_client_of_ones_own_is_used_and_left_open(server: Replay) -> None:
    import openai

    server.answer(HELLO, HELLO)
    with openai.OpenAI(base_url=f"{server.url}/mine", api_key="own") as client:
        for _ in range(2):
            with polylect.model("openai:tiny", client=client) as model:
                assert content(ask(model, "Hi")) == "Hello"
    assert {(x.path, x.headers["authorization"]) for x in server.asked} == {("/mine/chat/completions", "Bearer own")}


def test_a_key_is_needed_only_for_openais_own_server(monkeypatch: pytest.MonkeyPatch, server: Replay) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(ModelError, match="OPENAI_API_KEY"):
        polylect.model("openai:tiny")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/env")
    server.answer(HELLO)
    with polylect.model("openai:tiny") as model:
        ask(model, "Hi")
    assert server.asked[0].path == "/env/chat/completions"


def test_what_is_wrong_is_told_before_anything_is_asked() -> None:
    with pytest.raises(ModelError, match=r"Which model\?"):
        polylect.model("openai")
    with pytest.raises(ModelError, match="api is 'chat' or 'completions'"):
        polylect.model("openai:tiny", api="responses")
    with pytest.raises(PromptError, match="api='chat'"):
        polylect.model("openai:tiny", base_url="http://127.0.0.1:9", api="completions")(
            [{"role": "user", "content": ""}]
        )
