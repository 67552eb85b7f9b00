"""The model ``openai`` over servers that refuse, break off or fall silent."""

from __future__ import annotations

import contextlib
from typing import Any

import anyio
import pytest

import polylect
from polylect import ModelError

from .drive import ask, ask_and_leave, content
from .openai_api import PATIENCE, USAGE, chunk, model_at, words
from .replay import Answer, Drop, Hang, Replay, refusal, response, sse, stream


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
def test_an_error_of_the_server_tells_its_status_and_message(server: Replay, way: str, status: int) -> None:
    server.answer(refusal(status, {"error": {"message": "Such is life", "type": "t", "code": None}}))
    with model_at(server) as model, pytest.raises(ModelError) as caught:
        ask(model, "Hi", way)
    assert str(caught.value) == f"The model openai:tiny answered with status {status}: Such is life."
    assert (caught.value.status, caught.value.partial) == (status, "")
    assert type(caught.value.__cause__).__module__.startswith("openai")


def test_an_error_in_html_is_told_as_well(server: Replay, way: str) -> None:
    server.answer(Answer((b"<html>Bad gateway</html>",), 502, "text/html"))
    with model_at(server) as model, pytest.raises(ModelError, match="Bad gateway") as caught:
        ask(model, "Hi", way)
    assert caught.value.status == 502


def test_a_server_that_is_not_there(way: str) -> None:
    with Replay() as gone:
        server = gone.url.partition("//")[2]
    model = polylect.model("openai:tiny", base_url=f"http://kim:secret@{server}/v1", max_retries=0)
    with contextlib.closing(model), pytest.raises(ModelError, match=r"openai:tiny failed: Connection error") as caught:
        ask(model, "Hi", way)
    assert caught.value.status is None
    assert str(caught.value).endswith(f" at {server}.")
    assert "secret" not in str(caught.value)


BROKEN = {
    "nothing": ((), "", "before|without a finish_reason"),
    "only_a_role": ((sse(chunk({"role": "assistant"})),), "", "finish_reason"),
    "no_finish_reason": ((words("Hel", "lo", reason=None), sse("[DONE]")), "Hello", "without a finish_reason"),
    "half_a_character": (
        (words("Hel", reason=None), 'data: {"choices": "å'.encode()[:-1]),
        "Hel",
        "JSON|finish_reason",
    ),
    "half_a_chunk": ((words("Hel", reason=None), b'data: {"choices": ['), "Hel", "no JSON"),
    "a_drop": ((words("Hel", "lo", reason=None), Drop()), "Hello", "broke off: "),
    "a_drop_in_a_chunk": ((words("Hel", reason=None), b'data: {"choi', Drop()), "Hel", "broke off: "),
    "an_error": ((words("Hel", reason=None), sse({"error": {"message": "out of memory"}})), "Hel", "out of memory"),
    "a_text_error": ((words("Hel", reason=None), sse({"error": "overloaded"})), "Hel", "overloaded"),
    "an_error_event": ((words("Hel", reason=None), sse({"message": "gone"}, event="error")), "Hel", "gone"),
    "no_json": ((words("Hel", reason=None), sse("oops")), "Hel", "no JSON object .*'oops'"),
    "no_object": ((words("Hel", reason=None), sse("[1]")), "Hel", "no JSON object"),
    "html": ((b"<html>\n\nHello\n</html>\n",), "", "finish_reason"),
}


@pytest.mark.usefixtures("_broken_on_purpose")
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream_is_an_error_with_what_had_arrived(server: Replay, way: str, name: str) -> None:
    pieces, partial, told = BROKEN[name]
    server.answer(stream(*pieces))
    seen: list[Any] = []
    with model_at(server) as model, pytest.raises(ModelError, match=told) as caught:
        ask(model, "Hi", way, into=seen)
    assert caught.value.partial == partial
    assert content(seen) == partial
    assert "openai:tiny" in str(caught.value)


@pytest.mark.usefixtures("_broken_on_purpose")
def test_a_connection_that_breaks_before_the_answer(server: Replay, way: str) -> None:
    server.answer(stream(Drop()))
    with model_at(server) as model, pytest.raises(ModelError, match="broke off") as caught:
        ask(model, "Hi", way)
    assert caught.value.partial == ""


def test_bytes_that_are_no_utf_8_are_replaced(server: Replay, way: str) -> None:
    spoilt = words("Hel@lo").replace(b"@", b"\xff")
    server.answer(stream(spoilt))
    with model_at(server) as model:
        assert content(ask(model, "Hi", way)) == "Hel\N{REPLACEMENT CHARACTER}lo"


@pytest.mark.parametrize("size", [1, 7])
def test_a_stream_may_be_cut_anywhere(server: Replay, way: str, size: int) -> None:
    whole = words("Åle", "sund \N{SNOWMAN}", "\n\r\n") + sse(": a comment")
    whole = whole.replace(b"\n\n", b"\r\n\r\n", 1)
    server.answer(stream(*(whole[at : at + size] for at in range(0, len(whole), size))))
    with model_at(server) as model:
        assert content(ask(model, "Hi", way)) == "Ålesund \N{SNOWMAN}\n\r\n"


def test_a_server_that_does_not_stream_though_it_was_asked_to(server: Replay, way: str) -> None:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello"}}
    server.answer(response({"choices": [choice], "usage": USAGE}))
    with model_at(server) as model:
        (found,) = ask(model, "Hi", way)
    assert (found["choices"], found["usage"]) == ([choice], USAGE)


@pytest.mark.parametrize("body", [{"error": {"message": "no credit"}}, {"choices": []}, {"choices": None}, [], "text"])
def test_a_response_that_is_none(server: Replay, way: str, body: Any) -> None:
    server.answer(response(body))
    with model_at(server, stream=False) as model, pytest.raises(ModelError, match="openai:tiny"):
        ask(model, "Hi", way)


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("begun", [False, True])
def test_a_server_that_falls_silent_is_not_waited_for(server: Replay, way: str, begun: bool) -> None:
    server.answer(stream(*([words("Hel", reason=None)] if begun else []), Hang()))
    with model_at(server) as model, pytest.raises(ModelError, match=r"took longer than 0\.5 s") as caught:
        ask(model, "Hi", way, timeout=0.5)
    assert caught.value.partial == ("Hel" if begun else "")
    assert server.left.wait(PATIENCE)


def test_time_may_be_over_already(server: Replay, way: str) -> None:
    with model_at(server) as model, pytest.raises(ModelError, match="took longer than 0 s"):
        ask(model, "Hi", way, timeout=0)
    assert server.asked == []


@pytest.mark.parametrize("begun", [False, True])
def test_a_task_that_is_cancelled_leaves_the_server(server: Replay, backend: str, begun: bool) -> None:
    server.answer(stream(*([words("Hel", reason=None)] if begun else []), Hang()))

    async def cancelled() -> None:
        with anyio.move_on_after(0.5) as scope:
            async with contextlib.aclosing(model_at(server).acall("Hi")) as chunks:
                async for _ in chunks:
                    pass
        assert scope.cancelled_caught

    anyio.run(cancelled, backend=backend)
    assert server.left.wait(PATIENCE)


def test_closing_early_closes_the_connection(server: Replay, way: str) -> None:
    server.answer(stream(words("Hel", reason=None), Hang()))
    with model_at(server) as model:
        chunks = ask_and_leave(model, "Hi", way, lambda chunk: True)
        assert content(chunks) == "Hel"
        assert server.left.wait(PATIENCE)
