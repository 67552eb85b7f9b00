"""Messages, tools and answers between OpenAI's form and Anthropic's."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from anthropic.types import MessageParam, ToolParam
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from polylect import PromptError
from polylect_anthropic._reading import MessageReader, usage_of
from polylect_anthropic._writing import as_anthropic, choice_of, tools_of

MESSAGES: TypeAdapter[Any] = TypeAdapter(list[MessageParam])
"""What the SDK takes for messages."""


def call(identifier: str, arguments: str = '{"city": "Oslo"}', name: str = "forecast") -> dict[str, Any]:
    return {"id": identifier, "type": "function", "function": {"name": name, "arguments": arguments}}


def said(text: str | None, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {}), **more}


def told(identifier: str, text: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": identifier, "content": text}


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def written(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages as the API is sent them; the SDK's own types must agree."""
    found = as_anthropic(messages)[1]
    MESSAGES.validate_python(found)
    return found


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


# --- messages ---------------------------------------------------------------------------------------------------------


def test_a_text_is_one_message_of_the_user() -> None:
    assert as_anthropic("Hi") == ("", [{"role": "user", "content": "Hi"}])


def test_messages_of_the_system_are_joined_wherever_they_stand() -> None:
    system, messages = as_anthropic(
        [
            {"role": "system", "content": "One."},
            user("Hi"),
            {"role": "developer", "content": [{"type": "text", "text": "Two."}]},
            {"role": "system", "content": ""},
        ]
    )
    assert system == "One.\n\nTwo."
    assert messages == [{"role": "user", "content": [text("Hi")]}]


def test_results_of_a_turn_are_one_message_with_what_the_user_says_behind_them() -> None:
    turn = said("I look.", call("a"), call("b"))
    assert written(user("Rain?"), turn, told("a", "Yes."), user("Well?"), told("b", "No.")) == [
        {"role": "user", "content": [text("Rain?")]},
        {
            "role": "assistant",
            "content": [
                text("I look."),
                {"type": "tool_use", "id": "a", "name": "forecast", "input": {"city": "Oslo"}},
                {"type": "tool_use", "id": "b", "name": "forecast", "input": {"city": "Oslo"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "a", "content": "Yes."},
                {"type": "tool_result", "tool_use_id": "b", "content": "No."},
                text("Well?"),
            ],
        },
    ]  # fmt: skip


def test_thinking_comes_first_and_as_it_was() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redacted_thinking", "data": "d"}]
    (_, message, _) = written(
        user("Rain?"), said("I look.", call("a"), thinking_blocks=blocks, reasoning_content="Hm."), told("a", "Yes.")
    )
    assert message["content"][:3] == [*blocks, text("I look.")]


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("", {}),
        (" ", {}),
        ("{}", {}),
        ('{"city": "Ålesund"}', {"city": "Ålesund"}),
        ('{"city": ', {"arguments": '{"city": '}),
        ("[1]", {"arguments": "[1]"}),
        ("null", {"arguments": "null"}),
    ],
)
def test_arguments_are_an_object(raw: str, shown: Any) -> None:
    (_, message, _) = written(user("Rain?"), said(None, call("a", raw)), told("a", "That was wrong."))
    assert message["content"][0]["input"] == shown


def test_ids_that_the_api_refuses_are_changed_alike_on_both_sides() -> None:
    (_, message, result) = written(
        user("Rain?"), said(None, call("functions.forecast:0")), told("functions.forecast:0", "Yes.")
    )
    assert message["content"][0]["id"] == result["content"][0]["tool_use_id"] == "functions_forecast_0"


def test_texts_without_a_letter_are_left_out() -> None:
    assert written(user("Hi"), said(" \n"), user(""), user("Well?")) == [
        {"role": "user", "content": [text("Hi"), text("Well?")]}
    ]


def test_a_turn_to_go_on_with_ends_without_white_space() -> None:
    assert written(user("Hi \n"), said("Thought: \n"))[-1] == {"role": "assistant", "content": [text("Thought:")]}


def test_the_old_form_of_calls() -> None:
    old = {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}}
    result = {"role": "function", "name": "now", "content": "Noon."}
    messages = written(user("When?"), old, result, old, result)
    ids = [block.get("id") or block.get("tool_use_id") for message in messages[1:] for block in message["content"]]
    assert ids == ["function_call_0", "function_call_0", "function_call_1", "function_call_1"]


def test_pictures() -> None:
    data, url = "data:image/png;base64,aGk=", "https://example.org/a.png"
    parts = [text("Look:"), {"type": "image_url", "image_url": {"url": data}}, {"type": "image_url", "image_url": url}]
    (message,) = written(user(parts))
    assert [block.get("source") for block in message["content"]] == [
        None,
        {"type": "base64", "media_type": "image/png", "data": "aGk="},
        {"type": "url", "url": url},
    ]


@pytest.mark.parametrize("messages", [[], [{"role": "system", "content": "Hi"}], [user(" ")], [user(None)]])
def test_somebody_must_have_said_something(messages: list[dict[str, Any]]) -> None:
    with pytest.raises(PromptError, match="this prompt has none"):
        as_anthropic(messages)


TURNS = st.lists(
    st.one_of(
        st.builds(user, st.sampled_from(["", "Hi", " a \n"])),
        st.builds(said, st.sampled_from([None, "", "I look."])),
        st.integers(0, 2).map(lambda n: said(None, *(call(f"c{i}") for i in range(n + 1)))),
        st.sampled_from(["c0", "c1"]).map(lambda x: told(x, "Yes.")),
        st.just({"role": "system", "content": "Be short."}),
    ),
    max_size=8,
)


@given(TURNS)
def test_roles_take_turns_and_nothing_is_lost(messages: list[dict[str, Any]]) -> None:
    copy = json.loads(json.dumps(messages))
    try:
        found = written(*messages)
    except PromptError:
        return
    assert messages == copy, "what was given is not changed"
    roles = [message["role"] for message in found]
    assert all(one != other for one, other in itertools.pairwise(roles))
    blocks = [block for message in found for block in message["content"]]
    calls = [x for message in messages for x in message.get("tool_calls", ())]
    assert sum(block["type"] == "tool_use" for block in blocks) == len(calls)
    assert sum(block["type"] == "tool_result" for block in blocks) == sum(x["role"] == "tool" for x in messages)
    assert all(block["text"].strip() for block in blocks if block["type"] == "text")


# --- tools ------------------------------------------------------------------------------------------------------------


def test_tools() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    function = {"name": "forecast", "description": "The weather.", "parameters": schema, "strict": True}
    own = {"type": "web_search_20250305", "name": "web_search"}
    tools = [{"type": "function", "function": function}, {"type": "function", "function": {"name": "now"}}]
    found = tools_of([*tools, own])
    assert found == [
        {"name": "forecast", "input_schema": schema, "description": "The weather.", "strict": True},
        {"name": "now", "input_schema": {"type": "object"}},
        own,
    ]
    TypeAdapter(list[ToolParam]).validate_python(found[:2])


@pytest.mark.parametrize(
    ("choice", "form"),
    [
        ("auto", {"type": "auto"}),
        ("none", {"type": "none"}),
        ("required", {"type": "any"}),
        ("x", {"type": "tool", "name": "x"}),
    ],
)
def test_choices(choice: str, form: dict[str, str]) -> None:
    assert choice_of(choice) == form


# --- answers ----------------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(
    ["type", "index", "delta", "content_block", "message", "content", "usage", "text", "thinking", "partial_json",
     "input", "stop_reason", "signature", "name", "id", "input_tokens"]
)  # fmt: skip
KINDS = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "text",
     "message_stop", "thinking", "redacted_thinking", "tool_use", "text_delta", "thinking_delta", "signature_delta",
     "input_json_delta", "end_turn"]
)  # fmt: skip
JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers(0, 2) | KINDS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(KEYS, JSON, max_size=5), max_size=6))
def test_any_json_is_read(events: list[dict[str, Any]]) -> None:
    reader = MessageReader()
    for event in events:
        for chunk in reader.chunks("", event):
            (choice,) = chunk["choices"]
            assert isinstance(choice["delta"], dict)
        assert isinstance(MessageReader().whole(event), dict)


def test_tokens_are_counted_as_openai_does() -> None:
    counted = {
        "input_tokens": 5,
        "output_tokens": 2,
        "cache_read_input_tokens": 10,
        "cache_creation_input_tokens": None,
    }
    assert usage_of(counted) == {
        "prompt_tokens": 15, "completion_tokens": 2, "total_tokens": 17, "prompt_tokens_details": {"cached_tokens": 10},
    }  # fmt: skip
    assert usage_of({})["total_tokens"] == 0
