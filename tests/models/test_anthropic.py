"""The model ``anthropic`` against a server that replays what Anthropic's API says."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import AgentStep, ModelError, PromptError

from .drive import ask, ask_and_leave, content, last_reason
from .replay import Asked, Drop, Hang, Replay, refusal, response, sse, stream

PATIENCE = 20.0
"""Seconds that a test waits for what is to happen at once."""


def model_at(server: Replay, **options: Any) -> Any:
    return polylect.model("anthropic:claude-tiny", base_url=server.url, **{"max_retries": 0, **options})


def events(*data: dict[str, Any]) -> bytes:
    """Events of a stream, each named by its type."""
    return b"".join(sse(x, event=x["type"]) for x in data)


def begun(**usage: int) -> dict[str, Any]:
    message: dict[str, Any] = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-tiny", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 20, "output_tokens": 1, **usage},
    }  # fmt: skip
    return {"type": "message_start", "message": message}


def block(index: int, start: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of one block."""
    found: list[dict[str, Any]] = [{"type": "content_block_start", "index": index, "content_block": start}]
    found += ({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas)
    return [*found, {"type": "content_block_stop", "index": index}]


def text(index: int, *pieces: str) -> list[dict[str, Any]]:
    return block(index, {"type": "text", "text": ""}, *({"type": "text_delta", "text": x} for x in pieces))


def call(index: int, identifier: str, name: str, *pieces: str) -> list[dict[str, Any]]:
    start = {"type": "tool_use", "id": identifier, "name": name, "input": {}}
    return block(index, start, *({"type": "input_json_delta", "partial_json": x} for x in pieces))


def ended(reason: str, **usage: int) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 9, **usage}}, {"type": "message_stop"}]


THOUGHT = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "Two cities"},
    {"type": "thinking_delta", "thinking": ", two calls."},
    {"type": "signature_delta", "signature": "c2ln"},
)
HIDDEN = block(1, {"type": "redacted_thinking", "data": "aGlk"})
HELLO = stream(events(begun(), {"type": "ping"}, *text(0, "Hel", "lo"), *ended("end_turn")))
CALLS = stream(
    events(
        begun(cache_read_input_tokens=100, cache_creation_input_tokens=3), *THOUGHT, *HIDDEN, *text(2, "I look."),
        *call(3, "toolu_1", "forecast", "", '{"city": "', 'Ålesund"}'), *call(4, "toolu_2", "now", ""),
        *ended("tool_use"),
    )
)  # fmt: skip
USAGE = {
    "prompt_tokens": 123, "completion_tokens": 9, "total_tokens": 132, "prompt_tokens_details": {"cached_tokens": 100},
}  # fmt: skip
KEPT = [
    {"type": "thinking", "thinking": "Two cities, two calls.", "signature": "c2ln"},
    {"type": "redacted_thinking", "data": "aGlk"},
]
FORECAST = {
    "type": "function",
    "function": {
        "name": "forecast",
        "description": "The weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
NOW = {"type": "function", "function": {"name": "now"}}


def key_of(asked: Asked) -> str:
    """The key that was sent: where it stands has changed between versions of the SDK."""
    return asked.headers.get("x-api-key") or asked.headers["authorization"].removeprefix("Bearer ")


def test_what_is_replayed_is_what_the_sdk_knows() -> None:
    from anthropic.types import RawMessageStreamEvent
    from pydantic import TypeAdapter

    known: TypeAdapter[Any] = TypeAdapter(RawMessageStreamEvent)
    for event in [
        begun(),
        *THOUGHT,
        *HIDDEN,
        *text(2, "I look."),
        *call(3, "toolu_1", "now", "{}"),
        *ended("end_turn"),
    ]:
        assert known.validate_python(event).type == event["type"]


def test_a_text_is_streamed(server: Replay, way: str) -> None:
    server.answer(HELLO)
    with model_at(server, temperature=0.5) as model:
        chunks = ask(model, "Hi", way, stop=["\nObservation", "\n\n"])
    assert content(chunks) == "Hello"
    assert last_reason(chunks) == "stop"
    assert chunks[-1]["usage"]["total_tokens"] == 29
    assert {one["id"] for one in chunks} == {"msg_1"}
    (asked,) = server.asked
    assert asked.path == "/v1/messages"
    assert key_of(asked)
    assert asked.body == {
        "model": "claude-tiny",
        "max_tokens": 4096,
        "temperature": 0.5,
        "messages": [{"role": "user", "content": "Hi"}],
        "stop_sequences": ["\nObservation"],
        "stream": True,
    }


def test_stop_sequences_of_white_space_are_looked_for_here(server: Replay, way: str) -> None:
    server.answer(stream(events(begun(), *text(0, "Act\n", "\nand more")), Hang()))
    with model_at(server) as model:
        chunks = ask(model, "Hi", way, stop=["\n\n"])
        assert server.left.wait(PATIENCE)
    assert content(chunks) == "Act"
    assert last_reason(chunks) == "stop"
    assert "stop_sequences" not in server.asked[0].body


def read(chunks: list[Any]) -> polylect.Reply:
    """The reply as the lect ``tool_calls`` reads it, with policies that keep what was cut."""
    parser = polylect.lect("tool_calls").parser(tools=[FORECAST, NOW], truncated="flag")
    for one in chunks:
        parser.feed(one)
    parser.close(last_reason(chunks))
    return parser.reply


def test_a_turn_with_thinking_and_calls_is_read_and_sent_back(server: Replay, way: str) -> None:
    server.answer(CALLS, HELLO)
    lect = polylect.lect("tool_calls")
    prompt = [{"role": "user", "content": "Rain?"}]
    with model_at(server, thinking={"type": "enabled", "budget_tokens": 1024}) as model:
        chunks = ask(model, prompt, way, tools=[FORECAST, NOW])
        reply = read(chunks)
        assert (reply.reasoning, reply.content) == ("Two cities, two calls.", "I look.")
        assert [(x.name, x.arguments, x.id) for x in reply.calls] == [
            ("forecast", {"city": "Ålesund"}, "toolu_1"),
            ("now", {}, "toolu_2"),
        ]
        assert last_reason(chunks) == "tool_calls"
        assert chunks[-1]["usage"] == USAGE
        assert reply.message is not None
        assert reply.message["thinking_blocks"] == KEPT
        actions = lect.decide(reply)
        assert isinstance(actions, list)
        steps = [AgentStep(x, seen) for x, seen in zip(actions, ("Rain.", "Noon."), strict=True)]
        ask(model, [*prompt, *lect.format_steps(steps)], way, tools=[FORECAST, NOW])
    first, second = server.asked
    assert first.body["tools"] == [
        {
            "name": "forecast",
            "description": "The weather.",
            "input_schema": FORECAST["function"]["parameters"],  # type: ignore[index]
        },
        {"name": "now", "input_schema": {"type": "object"}},
    ]
    assert second.body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Rain?"}]},
        {
            "role": "assistant",
            "content": [
                *KEPT,
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "toolu_1", "name": "forecast", "input": {"city": "Ålesund"}},
                {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Rain."},
                {"type": "tool_result", "tool_use_id": "toolu_2", "content": "Noon."},
            ],
        },
    ]


def test_a_response_without_streaming_says_the_same(server: Replay, way: str) -> None:
    body = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-tiny", "stop_reason": "tool_use",
        "content": [
            *KEPT, {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "forecast", "input": {"city": "Ålesund"}},
            {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
        ],
        "usage": {
            "input_tokens": 20, "output_tokens": 9, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 3,
        },
    }  # fmt: skip
    server.answer(CALLS, response(body))
    with model_at(server) as model:
        streamed = read(ask(model, "Rain?", way))
    with model_at(server, stream=False) as model:
        (found,) = ask(model, "Rain?", way)
    whole = polylect.lect("tool_calls").parse(found, tools=[FORECAST, NOW])
    assert whole == streamed
    assert whole.message is not None
    assert streamed.message is not None
    assert whole.message["thinking_blocks"] == streamed.message["thinking_blocks"]
    assert (found["usage"], found["choices"][0]["finish_reason"]) == (USAGE, "tool_calls")


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("max_tokens", "length"),
        ("refusal", "content_filter"),
        ("news", "news"),
    ],
)
def test_why_the_model_stopped(server: Replay, said: str, read: str) -> None:
    server.answer(stream(events(begun(), *text(0, "Hello"), *ended(said))))
    with model_at(server) as model:
        assert last_reason(ask(model, "Hi")) == read


def test_a_call_that_was_cut_is_truncated(server: Replay, way: str) -> None:
    cut = call(0, "toolu_1", "forecast", '{"city": "Os')
    server.answer(stream(events(begun(), *cut, *ended("max_tokens"))))
    with model_at(server) as model:
        (found,) = read(ask(model, "Rain?", way)).calls
    assert found.status == "truncated"


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        (None, None),
        ("auto", {"type": "auto"}),
        ("required", {"type": "any"}),
        ("none", {"type": "none"}),
        ("forecast", {"type": "tool", "name": "forecast"}),
    ],
)
def test_the_choice_of_tools(server: Replay, given: str | None, sent: Any) -> None:
    server.answer(HELLO, HELLO)
    with model_at(server) as model:
        ask(model, "Hi", tools=[FORECAST], tool_choice=given)
        ask(model, "Hi", tool_choice=given)
    with_tools, without = server.asked
    assert with_tools.body.get("tool_choice") == sent
    assert "tool_choice" not in without.body


def test_a_text_lect_runs_over_it(server: Replay) -> None:
    server.answer(stream(events(begun(), *THOUGHT, *text(1, " I look.\nAction: sea", "rch[Oslo]"), *ended("end_turn"))))
    with model_at(server) as model:
        decision = polylect.Pipeline("react_bracket", model, [{"name": "search"}]).plan(input="Where is Oslo?")
    assert isinstance(decision, list)
    assert [x.tool for x in decision] == ["search"]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500, 529])
def test_an_error_of_the_server_tells_its_status_and_message(server: Replay, way: str, status: int) -> None:
    server.answer(refusal(status, {"type": "error", "error": {"type": "t", "message": "Such is life"}}))
    with model_at(server) as model, pytest.raises(ModelError) as caught:
        ask(model, "Hi", way)
    assert str(caught.value) == f"The model anthropic:claude-tiny answered with status {status}: Such is life."
    assert caught.value.status == status
    assert type(caught.value.__cause__).__module__.startswith("anthropic")


HEAD = events(begun(), *text(0, "Hel"))
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
BROKEN = {
    "nothing": ((), "", "without a finish_reason"),
    "no_stop_reason": ((HEAD, events({"type": "message_stop"})), "Hel", "without a finish_reason"),
    "half_a_character": ((HEAD, "event: content_block_delta\ndata: å".encode()[:-1]), "Hel", "JSON|finish_reason"),
    "a_drop": ((HEAD, Drop()), "Hel", "broke off: "),
    "an_error": ((HEAD, events(OVERLOADED)), "Hel", "Overloaded"),
    "no_json": ((HEAD, sse("oops", event="ping")), "Hel", "no JSON object"),
}


@pytest.mark.usefixtures("_broken_on_purpose")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_is_an_error_with_what_had_arrived(server: Replay, way: str, name: str) -> None:
    pieces, partial, told = BROKEN[name]
    server.answer(stream(*pieces))
    with model_at(server) as model, pytest.raises(ModelError, match=told) as caught:
        ask(model, "Hi", way)
    assert caught.value.partial == partial


def test_odd_events_are_passed_over(server: Replay) -> None:
    odd: list[dict[str, Any]] = [
        {"type": "news", "index": 0},
        {"type": "content_block_delta", "index": 7, "delta": {"type": "input_json_delta", "partial_json": "{"}},
        {"type": "content_block_delta", "index": 7, "delta": None},
        {"type": "content_block_delta", "index": "7", "delta": {}},
        {"type": "content_block_start", "index": 8, "content_block": {"type": "server_tool_use", "id": "s"}},
        {"type": "content_block_start", "index": 9, "content_block": {"type": "text", "text": "Hi."}},
        {"type": "message_delta", "delta": {}, "usage": None},
    ]
    server.answer(stream(events(begun(), *odd, *text(10, " Bye."), *ended("end_turn"))))
    with model_at(server) as model:
        assert content(ask(model, "Hi")) == "Hi. Bye."


def test_a_server_that_falls_silent_is_not_waited_for(server: Replay, way: str) -> None:
    server.answer(stream(HEAD, Hang()))
    with model_at(server) as model, pytest.raises(ModelError, match=r"took longer than 0\.5 s") as caught:
        ask(model, "Hi", way, timeout=0.5)
    assert caught.value.partial == "Hel"
    assert server.left.wait(PATIENCE)


def test_closing_early_closes_the_connection(server: Replay, way: str) -> None:
    server.answer(stream(HEAD, Hang()))
    with model_at(server) as model:
        assert ask_and_leave(model, "Hi", way, lambda chunk: True)
        assert server.left.wait(PATIENCE)


@pytest.mark.parametrize("body", [{}, {"content": None}, [], {"type": "error", "error": {"message": "x"}}])
def test_a_response_that_is_none(server: Replay, body: Any) -> None:
    server.answer(response(body))
    with model_at(server, stream=False) as model, pytest.raises(ModelError, match="anthropic:claude-tiny"):
        ask(model, "Hi")


def test_a_key_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch, server: Replay) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{server.url}/env")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "from-there")
    server.answer(HELLO)
    with polylect.model("anthropic:claude-tiny", top_k=3, news=True) as model:
        ask(model, "Hi")
    (asked,) = server.asked
    assert (asked.path, key_of(asked)) == ("/env/v1/messages", "from-there")
    assert (asked.body["top_k"], asked.body["news"]) == (3, True)


def test_what_is_wrong_is_told_before_anything_is_asked(server: Replay) -> None:
    with pytest.raises(ModelError, match=r"Which model\?"):
        polylect.model("anthropic")
    for prompt in ([], [{"role": "system", "content": "Help."}], [{"role": "user", "content": " \n"}]):
        with model_at(server) as model, pytest.raises(PromptError, match="has none"):
            ask(model, prompt)
    assert server.asked == []
