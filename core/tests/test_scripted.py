"""The model ``scripted``: every kind of reply, whole and in chunks, synchronously and not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

import polylect
from polylect import Call, ModelError, Reply, Scripted

CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"query": "Oslo"}'}}
MESSAGE = {"role": "assistant", "content": "I look.", "reasoning_content": "Hm.", "tool_calls": [CALL], "mine": 1}
SAYS = Reply(reasoning="look", calls=(Call("search", "Oslo"),))
TEXT = "Thought: look\nAction: search\nAction Input: Oslo"


def all_of(model: Scripted, prompt: Any = "Hi", way: str = "sync", **keywords: Any) -> list[Any]:
    """The chunks of a reply; a whole one is the only chunk."""
    if way == "sync":
        output = model(prompt, **keywords)
        return [output] if isinstance(output, (str, dict)) else list(output)

    async def chunks() -> list[Any]:
        return [chunk async for chunk in model.acall(prompt, **keywords)]

    return anyio.run(chunks, backend=way)


@pytest.fixture(params=["sync", "asyncio", "trio"])
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# --- kinds of replies -------------------------------------------------------------------------------------------------


def test_a_text(way: str) -> None:
    assert all_of(Scripted([TEXT]), way=way) == [TEXT]


def test_a_message() -> None:
    assert Scripted([MESSAGE])("Hi") == MESSAGE
    (chunk,) = all_of(Scripted([MESSAGE]), way="asyncio")
    assert chunk["choices"][0]["message"] == MESSAGE
    assert polylect.lect("tool_calls").parse(chunk) == polylect.lect("tool_calls").parse(MESSAGE)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_texts_and_messages_come_in_chunks(way: str, size: int) -> None:
    assert "".join(all_of(Scripted([TEXT], chunk=size), way=way)) == TEXT
    parser = polylect.lect("tool_calls").parser()
    chunks = all_of(Scripted([MESSAGE], chunk=size), way=way)
    for chunk in chunks:
        parser.feed(chunk)
    parser.close()
    assert parser.reply == polylect.lect("tool_calls").parse(MESSAGE)
    assert parser.reply.message == MESSAGE
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_a_reply_is_written_in_the_lect() -> None:
    model = Scripted([SAYS, SAYS, Reply(answer="Oslo")], lect="react")
    assert model("Hi") == TEXT
    assert polylect.lect("react").parse(model("Hi")) == SAYS
    assert model("Hi") == "Final Answer: Oslo"


def test_an_answer_is_content_where_the_lect_marks_none() -> None:
    model = Scripted([Reply(answer="Oslo"), Reply(answer={"city": "Oslo"})], lect=polylect.lect("tool_calls"))
    assert model("Hi") == {"role": "assistant", "content": "Oslo"}
    assert json.loads(model("Hi")["content"]) == {"city": "Oslo"}  # type: ignore[index]


def test_a_reply_needs_a_lect() -> None:
    with pytest.raises(ModelError, match="lect=…"):
        Scripted([SAYS])("Hi")
    with pytest.raises(polylect.LectError, match="'recat'"):
        Scripted([SAYS], lect="recat")("Hi")


def test_chunks_are_given_as_they_are_and_may_break_off(way: str) -> None:
    chunks = ["Hel", {"choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": None}]}]
    assert all_of(Scripted([chunks]), way=way) == chunks
    for broken in (ConnectionError("gone"), ConnectionError):
        with pytest.raises(ConnectionError):
            all_of(Scripted([[*chunks, broken]]), way=way)


def test_errors_are_raised(way: str) -> None:
    model = Scripted([ModelError("Overloaded.", status=503), TimeoutError, TEXT])
    with pytest.raises(ModelError, match=r"Overloaded\."):
        all_of(model, way=way)
    with pytest.raises(TimeoutError):
        all_of(model, way=way)
    assert all_of(model, way=way) == [TEXT]


def test_a_function_is_given_the_prompt(way: str) -> None:
    model = Scripted([lambda prompt: f"You said {prompt}.", lambda prompt: [prompt, "!"], lambda prompt: KeyError])
    assert all_of(model, "a", way) == ["You said a."]
    assert all_of(model, "b", way) == ["b", "!"]
    with pytest.raises(KeyError):
        all_of(model, "c", way)


def test_replies_may_be_without_end() -> None:
    model = Scripted(str(number) for number in iter(int, 1))
    assert [model("Hi") for _ in range(3)] == ["0"] * 3


@pytest.mark.parametrize("reply", [None, 5, b"text", {"a"}, object()])
def test_what_is_no_reply_is_told(reply: Any) -> None:
    with pytest.raises(ModelError, match="A scripted reply is a text"):
        Scripted([reply])("Hi")


# --- what it was asked, and the end -----------------------------------------------------------------------------------


def test_it_records_what_it_was_asked(way: str) -> None:
    model = Scripted(["a", "b"])
    all_of(model, "Hi", way)
    tools = [{"type": "function", "function": {"name": "search"}}]
    all_of(model, [], way, stop=["x"], tools=tools, tool_choice="search", timeout=5.0)
    assert model.asked == [("Hi", (), None, None, None, None), ([], ("x",), tools, "search", 5.0, None)]
    assert model.asked[1].tool_choice == "search"
    assert repr(model) == "<scripted model, asked 2 times>"


def test_a_script_that_is_over_is_told(way: str) -> None:
    model = Scripted(["a"])
    all_of(model, way=way)
    with pytest.raises(ModelError, match="no reply left: it had 1, and this is call 2"):
        all_of(model, way=way)


# --- stop strings -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "Act\nObservation: made up",
        ["Act", "\nObser", "vation: made up", ConnectionError("never reached")],
        lambda prompt: "Act\nObservation",
    ],
)
@pytest.mark.parametrize("size", [None, 4])
def test_it_stops_as_a_server_does(way: str, reply: Any, size: int | None) -> None:
    chunks = all_of(Scripted([reply], chunk=size), way=way, stop=["\nQuestion", "\nObservation"])
    assert "".join(chunks) == "Act"


def test_messages_are_stopped_in_their_content(way: str) -> None:
    for size in (None, 2):
        chunks = all_of(Scripted([{"role": "assistant", "content": "Act\n\nmore"}], chunk=size), way=way, stop=["\n\n"])
        parser = polylect.lect("tool_calls").parser()
        for chunk in chunks:
            parser.feed(chunk)
        parser.close()
        assert parser.reply.content == "Act"


# --- time -------------------------------------------------------------------------------------------------------------


def test_a_reply_takes_its_time_and_no_more_than_is_left(way: str) -> None:
    assert all_of(Scripted([TEXT], delay=0.01), way=way, timeout=5) == [TEXT]
    assert "".join(all_of(Scripted([TEXT], delay=0.01, chunk=5), way=way, timeout=5)) == TEXT
    with pytest.raises(ModelError, match=r"took longer than 0\.01 s"):
        all_of(Scripted([TEXT], delay=60), way=way, timeout=0.01)
    with pytest.raises(ModelError, match=r"took longer than 0\.05 s") as caught:
        all_of(Scripted([["a", "b", "c", "d"]], delay=0.08), way=way, timeout=0.05)
    assert caught.value.partial == "ab"


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Scripted("text"), "are a list, not str"),
        (lambda: Scripted(5), "are a list, not int"),  # type: ignore[arg-type]
        (lambda: Scripted([], chunk=0), "1 or more, not 0"),
        (lambda: Scripted([], delay=-1), "not -1"),
        (lambda: Scripted([], delay=float("nan")), "not nan"),
    ],
)
def test_what_is_wrong_is_told_when_it_is_made(make: Callable[[], Scripted], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        make()


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_script_in_a_file(tmp_path: Path) -> None:
    reply = {"reasoning": "look", "calls": [{"name": "search", "arguments": "Oslo"}]}
    lines = [
        json.dumps(TEXT),
        json.dumps({"text": "b"}),
        "",
        json.dumps({"message": MESSAGE}),
        json.dumps({"reply": reply}),
    ]
    file = tmp_path / "replies.jsonl"
    file.write_text("\r\n".join(lines) + "\n", encoding="utf-8")
    model = polylect.model(f"scripted:{file}", lect="react")
    assert [model("Hi") for _ in range(4)] == [TEXT, "b", MESSAGE, TEXT]
    again = polylect.model("scripted", str(file), chunk=3)
    assert "".join(again("Hi")) == TEXT


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("oops", "line 2: this is not JSON"),
        ('{"a": ' * 5000, "line 2: this is not JSON"),
        ("5", "line 2: a reply is a JSON text, or an object with one of text, message, reply"),
        ('{"text": "a", "message": {}}', "line 2: a reply is"),
        ('{"txt": "a"}', "line 2: .*not 'txt'. Did you mean 'text'"),
        ('{"text": 5}', "line 2: .*not 'text'"),
        ('{"message": "a"}', "line 2: .*not 'message'"),
        ('{"reply": {"calls": 5}}', "line 2: this is no Reply: .*calls"),
    ],
)
def test_a_broken_script_is_told_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(f'"a"\n{line}\n', encoding="utf-8")
    with pytest.raises(ModelError, match=told):
        polylect.model("scripted", str(file))


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="no such file"):
        polylect.model("scripted", str(tmp_path / "gone.jsonl"))
    with pytest.raises(ModelError, match="can't be read"):
        polylect.model("scripted", str(tmp_path))
    (tmp_path / "odd.jsonl").write_bytes(b'"\xff"\n')
    with pytest.raises(ModelError, match="can't be read"):
        polylect.model("scripted", str(tmp_path / "odd.jsonl"))
    for options in ({}, {"replies": None}):
        with pytest.raises(ModelError, match="a file of replies, or a list"):
            polylect.model("scripted", **options)
    with pytest.raises(ModelError, match="a file of replies, or a list"):
        polylect.model("scripted:a.jsonl", replies=["a"])
