"""``polylect stream``: events come while the message does."""

from __future__ import annotations

import json
import os
import select
from collections.abc import Callable
from typing import Any

import pytest

from polylect.cli._chunks import DeltaChunks, TextChunks
from polylect.cli._records import BadRecord

Lines = Callable[[bytes], list[Any]]


def read_line(process: Any, timeout: float = 20) -> Any:
    """The next line of a process that is still running, or a failure."""
    found = b""
    while not found.endswith(b"\n"):
        ready, _, _ = select.select([process.stdout], [], [], timeout)
        assert ready, f"no event came; so far {found!r}"
        piece = os.read(process.stdout.fileno(), 1)
        assert piece, process.stderr.read()
        found += piece
    return json.loads(found)


def test_events_arrive_before_the_input_ends(start: Any) -> None:
    process = start("stream", "--lect", "toy")
    for text in ("Hel", "lo", " you"):
        process.stdin.write(text.encode())
        process.stdin.flush()
        assert read_line(process)["text"] == text
    process.stdin.close()
    end = read_line(process)
    assert (end["type"], end["reply"]["content"]) == ("ReplyEnd", "Hello you")
    assert process.wait(20) == 0


def test_half_characters_wait_for_their_other_half(start: Any) -> None:
    process = start("stream", "--lect", "toy", "-")
    for character in "aé→🦜":
        *first, last = (bytes([x]) for x in character.encode())
        for byte in first:
            process.stdin.write(byte)
            process.stdin.flush()
            assert select.select([process.stdout], [], [], 0.02)[0] == []
        process.stdin.write(last)
        process.stdin.flush()
        assert read_line(process)["text"] == character
    process.stdin.close()
    assert read_line(process)["reply"]["content"] == "aé→🦜"


@pytest.mark.parametrize(
    ("data", "text", "byte"),
    [
        (b"\xef\xbb\xbfa\xffb", "a", "Byte 4 (0xff)"),
        (b"a\xc3", "a", "Byte 1 (0xc3)"),
        (b"\xff", "", "Byte 0 (0xff)"),
        ("a→".encode() + b"\xe2\x82b", "a→", "Byte 4 (0xe2)"),
    ],
)
def test_a_byte_that_is_not_utf_8_is_an_error_behind_the_events_before_it(
    run: Any, lines: Lines, data: bytes, text: str, byte: str
) -> None:
    done = run("stream", "--lect", "toy", stdin=data)
    *events, error = lines(done.stdout)
    assert done.returncode == 1
    assert "".join(event["text"] for event in events) == text
    assert (error["type"], error["reason"], error["correction"]) == ("error", "not_text", None)
    assert error["message"].startswith(byte)
    (parsed,) = lines(run("parse", "--lect", "toy", "--json", "-", stdin=data).stdout)
    assert (parsed["reason"], parsed["message"]) == (error["reason"], error["message"])


@pytest.mark.parametrize("tail", [b"", b"\xffx", b"\xe2\x82", b"\xe2\x82x"])
def test_text_in_blocks_of_every_size_is_the_same(tail: bytes) -> None:
    text = "aé→🦜\x00\n"
    data = f"\ufeff{text}".encode() + tail
    for size in range(1, len(data) + 1):
        chunks, found, told = TextChunks(), list[str](), ""
        try:
            for i in range(0, len(data), size):
                found.extend(chunks.feed(data[i : i + size]))
            found.extend(chunks.close())
        except BadRecord as error:
            told = str(error)
        assert "".join(found) == text
        assert told == (
            f"Byte {len(data) - len(tail)} (0x{tail[0]:02x}) is not UTF-8 text. Convert the input to UTF-8."
            if tail
            else ""
        )


SSE = b"""\
: a comment
event: message
id: 7

data: {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}

data:{"choices":[{"index":0,"delta":{"content":"=fo"}}]}\r
data: {"choices": [{"index": 1, "delta": {"content": "another choice"}}]}
data: {"choices": [{"index": 0, "delta": {"content": "ur"}, "finish_reason": null}]}
data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
data: {"choices": [], "usage": {"total_tokens": 7}}
data: [DONE]
data: not read any more
"""


def test_server_sent_events_give_the_first_choices_deltas() -> None:
    for size in (1, 7, 10_000):
        chunks = DeltaChunks()
        found = [x for i in range(0, len(SSE), size) for x in chunks.feed(SSE[i : i + size])]
        found += chunks.close()
        assert "".join(x.get("content", "") for x in found) == "=four"
        assert found[0] == {"role": "assistant", "content": ""}
        assert chunks.finish_reason == "stop"


@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (b'{"choices": [{"delta": {"content": "x"}, "finish_reason": "length"}]}', "length"),
        (b'{"choices": [{"delta": {"content": "x"}, "finish_reason": "tool_calls"}]}', "stop"),
        (b'{"choices": [{"delta": {"content": "x"}}]}\ndata: [DONE]', "stop"),
        (b'{"choices": [{"delta": {"content": "x"}}]}', "length"),
        (b'{"content": "x"}', "stop"),
    ],
)
def test_why_a_stream_of_deltas_ended(stream: bytes, reason: str) -> None:
    chunks = DeltaChunks()
    assert [*chunks.feed(stream), *chunks.close()] == [{"content": "x"}]
    assert chunks.finish_reason == reason


@pytest.mark.parametrize("line", [b"{", b"[1]", b'"text"', b'{"error": {"message": "overloaded"}}', b"\xff"])
def test_a_line_that_is_no_chunk_is_reported_with_its_number(line: bytes) -> None:
    with pytest.raises(BadRecord, match=r"Line 2: "):
        list(DeltaChunks().feed(b"\n" + line + b"\n"))


def test_lects_of_messages_take_chunks_line_by_line(start: Any) -> None:
    process = start("stream", "--lect", "toy_messages")
    for text in ("Hel", "lo"):
        process.stdin.write(json.dumps({"content": text}).encode() + b"\n")
        process.stdin.flush()
        assert read_line(process)["text"] == text
    process.stdin.close()
    assert read_line(process)["reply"]["content"] == "Hello"


def test_lects_of_text_take_a_providers_stream_on_request(run: Any, lines: Lines) -> None:
    done = run("stream", "--lect", "toy", "--sse", stdin=SSE)
    assert [x.get("text") for x in lines(done.stdout)] == ["=fo", "ur", None]
    assert lines(done.stdout)[-1]["reply"]["answer"] == "four"


def test_a_refused_message_ends_with_an_error_record(run: Any, lines: Lines) -> None:
    done = run("stream", "--lect", "toy", stdin=b"RAISE")
    assert done.returncode == 1
    assert lines(done.stdout)[-1]["reason"] == "limit"
    done = run("stream", "--lect", "toy_messages", stdin=b'{"content": "a"}\nnonsense\n')
    assert done.returncode == 1
    assert [x["type"] for x in lines(done.stdout)] == ["ContentDelta", "error"]


def test_finish_reason_and_prefix_reach_the_parser(run: Any, lines: Lines) -> None:
    done = run("stream", "--lect", "toy", "--finish-reason", "length", "--prefix", r"=a\n", stdin=b"b\\n")
    reply = lines(done.stdout)[-1]["reply"]
    assert (reply["answer"], reply["content"], reply["complete"]) == ("a", "b\\n", False)


def test_an_empty_stream_still_ends(run: Any, lines: Lines) -> None:
    for lect in ("toy", "toy_messages"):
        done = run("stream", "--lect", lect, stdin=b"")
        assert done.returncode == 0
        assert [x["type"] for x in lines(done.stdout)] == ["ReplyEnd"]


def test_readable_text_on_request(run: Any) -> None:
    done = run("stream", "--lect", "toy", "--no-json", stdin=b'Adding\x1b.\n!add {"a": 1}')
    text = done.stdout.decode()
    assert text.startswith("Adding\\x1b.\n")
    assert "decision    run add" in text


def test_the_reader_may_go_away(start: Any) -> None:
    process = start("stream", "--lect", "toy")
    process.stdin.write(b"a")
    process.stdin.flush()
    read_line(process)
    process.stdout.close()
    process.stdin.write(b"b")
    process.stdin.flush()
    assert process.wait(20) == 141
    assert process.stderr.read() == b""
    process.stdout = None


@pytest.mark.parametrize("args", [(), ("--lect", "toy", "missing")])
def test_a_wrong_command_line_is_exit_code_2(run: Any, args: tuple[str, ...]) -> None:
    done = run("stream", *args)
    assert done.returncode == 2
    assert b"Error: " in done.stderr


NATIVE = b'Both.\n<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n'


def test_a_stream_in_a_tongue_that_nobody_named_begins_with_what_it_is(run: Any, lines: Lines) -> None:
    first, *events = lines(run("stream", "--lect", "auto", stdin=NATIVE).stdout)
    assert (first["type"], first["lect"], first["prefix"]) == ("Detected", "hermes", "")
    assert first["reason"] == "'<tool_call>' stands in it, and a call was read"
    assert events == lines(run("stream", "--lect", "hermes", stdin=NATIVE).stdout)
    text = run("stream", "--lect", "auto", "--no-json", stdin=NATIVE).stdout.decode()
    assert text.startswith("hermes (detected: '<tool_call>' stands in it, and a call was read)\nBoth.\n")
    assert "run now" in text


def test_a_stream_of_prose_is_content(run: Any, lines: Lines) -> None:
    done = run("stream", "--lect", "auto", stdin=b"It rains.")
    assert [x["type"] for x in lines(done.stdout)] == ["ContentDelta", "ReplyEnd"]
    assert done.returncode == 0
    text = run("stream", "--lect", "auto", "--no-json", stdin=b"It rains.").stdout.decode()
    assert text.startswith("It rains.\n")
    assert "No installed lect recognises this text" in text


def test_a_raw_stream_is_not_guessed_at_and_told_how_it_is_read(run: Any, lines: Lines) -> None:
    raw = b'data: {"choices":[{"index":0,"delta":{"content":"<tool_call>now</tool_call>"}}]}\n\ndata: [DONE]\n\n'
    *_, end = lines(run("stream", "--lect", "auto", stdin=raw).stdout)
    assert (end["reply"]["calls"], end["reply"]["content"]) == ([], raw.decode())
    assert "--sse" in end["reply"]["diagnostics"][0]["message"]
    first, *_, last = lines(run("stream", "--lect", "auto", "--sse", stdin=raw).stdout)
    assert (first["lect"], [call["name"] for call in last["reply"]["calls"]]) == ("glm47", ["now"])


def test_the_tools_tell_which_lect_it_is(run: Any, lines: Lines, write: Any) -> None:
    tools = write("tools.json", json.dumps([{"type": "function", "function": {"name": "now"}}]))
    listed = b'[{"name": "now"}]'
    (*_, plain), (*_, told) = (
        lines(run("stream", "--lect", "auto", *more, stdin=listed).stdout) for more in ((), ("--tools", str(tools)))
    )
    assert plain["reply"]["calls"] == []
    assert [call["name"] for call in told["reply"]["calls"]] == ["now"]
    record = json.dumps(listed.decode()).encode()
    (parsed,) = lines(run("parse", "--input", "lines", "--tools", str(tools), "-", stdin=record).stdout)
    assert parsed["lect"] == "xlam"
