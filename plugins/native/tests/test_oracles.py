"""What openai-harmony and mistral-common write and read, without a network, beside what we do.

Their vocabularies don't matter here, but both insist on one. Mistral's is made up (one token a byte). That of Harmony
is checked by a digest; it is put together from the copy that the package quicktok-v1 carries.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from importlib import resources
from typing import Any, TypeAlias

import openai_harmony as harmony
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mistral_common.protocol.instruct.chunk import TextChunk, ThinkChunk
from mistral_common.protocol.instruct.messages import AssistantMessage, ToolMessage, UserMessage
from mistral_common.protocol.instruct.request import ChatCompletionRequest
from mistral_common.protocol.instruct.tool_calls import FunctionCall, ToolCall
from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy, SpecialTokens
from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

import polylect
from polylect import AgentAction, AgentStep, Call, Reply

Tokenizer: TypeAlias = "MistralTokenizer[Any, Any, Any, Any, Any]"
TEXTS = st.text(st.sampled_from('ab {}[]"\\\n<|>:,é東'), max_size=12)
ARGUMENTS = st.dictionaries(
    st.sampled_from(("city", "days", "name")), st.one_of(TEXTS, st.integers(), st.none(), st.lists(TEXTS)), max_size=3
)
CALLS = st.lists(st.tuples(st.sampled_from(("get_weather", "now")), ARGUMENTS), min_size=1, max_size=3)
WORDS = st.text(st.sampled_from("ab .\né東"), min_size=1, max_size=12).filter(str.strip)


# --- Harmony ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def encoding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[harmony.HarmonyEncoding]:
    folder = tmp_path_factory.mktemp("vocabulary")
    (folder / "o200k_base.tiktoken").write_bytes(vocabulary())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_ENCODINGS_BASE", str(folder))
        yield harmony.load_harmony_encoding(harmony.HarmonyEncodingName.HARMONY_GPT_OSS)


def vocabulary() -> bytes:
    """The file o200k_base.tiktoken: a line for each token, in the order of the ranks."""
    data = resources.files("quicktok").joinpath("data", "o200k.vocab").read_bytes()
    found: dict[int, bytes] = {}
    at = 4
    for _ in range(int.from_bytes(data[:4], "little")):
        size = int.from_bytes(data[at : at + 2], "little")
        token = data[at + 2 : at + 2 + size]
        at += 2 + size
        found[int.from_bytes(data[at : at + 4], "little")] = token
        at += 4
    return b"".join(base64.b64encode(found[rank]) + b" %d\n" % rank for rank in sorted(found))


def assistant(text: str, channel: str, recipient: str = "") -> harmony.Message:
    message = harmony.Message.from_role_and_content(harmony.Role.ASSISTANT, text).with_channel(channel)
    return message.with_recipient(recipient).with_content_type("<|constrain|>json") if recipient else message


@settings(deadline=None)
@given(WORDS, WORDS, CALLS)
def test_what_harmony_writes_is_read(
    encoding: harmony.HarmonyEncoding, thought: str, said: str, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    messages = [assistant(thought, "analysis"), assistant(said, "commentary")]
    messages += [assistant(json.dumps(given), "commentary", f"functions.{name}") for name, given in calls]
    text = "".join(encoding.decode(encoding.render(message)) for message in messages)
    reply = polylect.lect("gpt_oss_harmony").parse(text)
    assert (reply.reasoning, reply.content, reply.diagnostics) == (thought, said, ())
    assert [(call.name, call.arguments) for call in reply.calls] == calls


@settings(deadline=None)
@given(WORDS, WORDS, CALLS)
def test_harmony_reads_what_is_written(
    encoding: harmony.HarmonyEncoding, thought: str, said: str, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    reply = Reply(reasoning=thought, content=said, calls=tuple(Call(name, given) for name, given in calls))
    text = polylect.lect("gpt_oss_harmony").format(reply)
    tokens = encoding.encode(text, allowed_special="all")
    read = encoding.parse_messages_from_completion_tokens(tokens, harmony.Role.ASSISTANT)
    told = [(each.channel, each.recipient, each.content[0].to_dict()["text"]) for each in read]
    assert told[:2] == [("analysis", None, thought), ("commentary", None, said)]
    assert [(to, json.loads(given)) for _, to, given in told[2:]] == [(f"functions.{name}", x) for name, x in calls]


def test_harmony_reads_an_answer(encoding: harmony.HarmonyEncoding) -> None:
    text = polylect.lect("gpt_oss_harmony").format(Reply(reasoning="Hm.", content="It rains."))
    read = encoding.parse_messages_from_completion_tokens(
        encoding.encode(text, allowed_special="all"), harmony.Role.ASSISTANT
    )
    assert [(each.channel, each.content[0].to_dict()["text"]) for each in read] == [
        ("analysis", "Hm."),
        ("final", "It rains."),
    ]


def test_results_are_those_of_harmony(encoding: harmony.HarmonyEncoding) -> None:
    author = harmony.Author.new(harmony.Role.TOOL, "functions.now")
    message = harmony.Message.from_author_and_content(author, "12:30").with_channel("commentary")
    wanted = encoding.decode(encoding.render(message.with_recipient("assistant")))
    written = polylect.lect("gpt_oss_harmony").format_steps([AgentStep(AgentAction("now", {}), "12:30")])
    assert written.endswith(f"<|call|>{wanted}<|start|>assistant")


# --- Mistral ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["v11", "v13"])
def tokenizer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    special = [
        {"rank": rank, "token_str": token.value, "is_control": True}
        for rank, token in enumerate(SpecialTokens)
        if request.param != "v11" or token.value not in ("[MODEL_SETTINGS]", "[/MODEL_SETTINGS]")
    ]
    path = tmp_path_factory.mktemp(request.param) / "tekken.json"
    path.write_text(json.dumps(made_up(request.param, special)), encoding="utf-8")
    return MistralTokenizer.from_file(str(path))


def made_up(version: str, special: list[dict[str, Any]]) -> dict[str, Any]:
    """A tokenizer's file with one token for each byte."""
    return {
        "config": {
            "pattern": r"[\s\S]",
            "num_vocab_tokens": 256,
            "default_vocab_size": 256 + len(special),
            "default_num_special_tokens": len(special),
            "version": version,
        },
        "vocab": [
            {"rank": byte, "token_bytes": base64.b64encode(bytes([byte])).decode(), "token_str": None}
            for byte in range(256)
        ],
        "special_tokens": special,
    }


def rendered(tokenizer: Tokenizer, messages: list[Any]) -> str:
    """The text of messages, behind the user's first one."""
    request: Any = ChatCompletionRequest(messages=[UserMessage(content="?"), *messages])
    tokens = tokenizer.encode_chat_completion(request).tokens
    text = tokenizer.decode(tokens, special_token_policy=SpecialTokenPolicy.KEEP)
    return text.partition("[/INST]")[2]


def called(number: int, name: str, given: dict[str, Any]) -> ToolCall:
    return ToolCall(id=f"call{number:05}", function=FunctionCall(name=name, arguments=json.dumps(given)))


@settings(deadline=None)
@given(CALLS)
def test_what_mistral_writes_is_read(tokenizer: Tokenizer, calls: list[tuple[str, dict[str, Any]]]) -> None:
    made = [called(number, *call) for number, call in enumerate(calls)]
    results = [ToolMessage(content="T", tool_call_id=call.id, name=call.function.name) for call in made]
    text = rendered(tokenizer, [AssistantMessage(tool_calls=made), *results])
    reply = polylect.lect("mistral_v11_args").transcript(text)  # type: ignore[attr-defined]
    assert [(call.name, call.arguments) for call in reply.calls] == calls
    assert [text[start:end] for start, end in reply.spans("observation")] == ["T"] * len(calls)
    assert not reply.content
    assert not [x for x in reply.diagnostics if x.code != "observation"]


@settings(deadline=None)
@given(CALLS)
def test_calls_and_results_are_those_of_mistral(tokenizer: Tokenizer, calls: list[tuple[str, dict[str, Any]]]) -> None:
    made = [called(number, *call) for number, call in enumerate(calls)]
    results = [ToolMessage(content="T", tool_call_id=call.id, name=call.function.name) for call in made]
    wanted = rendered(tokenizer, [AssistantMessage(tool_calls=made), *results])
    ids = [call.id if "[CALL_ID]" in wanted or "[TOOL_CONTENT]" in wanted else None for call in made]
    steps = [
        AgentStep(AgentAction(name, given, id=one, index=index), "T")
        for index, ((name, given), one) in enumerate(zip(calls, ids, strict=True))
    ]
    assert polylect.lect("mistral_v11_args").format_steps(steps) == wanted


def test_reasoning_is_that_of_mistral(tokenizer: Tokenizer) -> None:
    if tokenizer.version.value == "v11":  # had no such tokens; reasoning was text
        said: list[Any] = [TextChunk(text="<think>\nHm.\n</think>\n\nIt rains.")]
    else:
        said = [ThinkChunk(thinking="Hm."), TextChunk(text="It rains.")]
    text = rendered(tokenizer, [AssistantMessage(content=said), UserMessage(content="?")]).partition("</s>")[0]
    reply = polylect.lect("mistral_v11_args").parse(text)
    assert (reply.reasoning, reply.content) == ("Hm.", "It rains.")


def test_the_vocabulary_is_whole() -> None:
    assert vocabulary().count(b"\n") == 199_998
