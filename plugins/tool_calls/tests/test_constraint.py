"""The constraint of a tongue of messages: strict tools, in the types of the servers' SDKs."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic.types import MessageCreateParams
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params
from pydantic import TypeAdapter

import polylect
from polylect import ConstraintError
from polylect.constraint import SERVERS, TARGETS, Report, Request

CHAT: TypeAdapter[Any] = TypeAdapter(completion_create_params.CompletionCreateParamsNonStreaming)
RESPONSES: TypeAdapter[Any] = TypeAdapter(response_create_params.ResponseCreateParamsNonStreaming)
MESSAGES: TypeAdapter[Any] = TypeAdapter(MessageCreateParams)
QUESTION = [{"role": "user", "content": "Where is Oslo?"}]
SEARCH = polylect.Tool(
    "web search",
    "Search.",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}, "count": {"type": "integer"}},
        "required": ["query"],
    },
)
NOW = polylect.Tool("now", "The time.", {"type": "object", "properties": {}})
LECTS = ("tool_calls", "openai_functions")


def asked(server: str, *tools: polylect.Tool, lect: str = "tool_calls", **options: Any) -> Request:
    found: Request = (
        polylect.lect(lect).constraint(tools or [SEARCH, NOW], target="json_schema", **options).request(server)
    )
    return found


@pytest.mark.parametrize("lect", LECTS)
@pytest.mark.parametrize("target", sorted({*TARGETS} - {"json_schema"}))
def test_no_grammar_reaches_what_a_server_makes(lect: str, target: str) -> None:
    with pytest.raises(ConstraintError, match=r"the server itself makes the calls.*target='json_schema'"):
        polylect.lect(lect).constraint([SEARCH], target=target)


def test_tools_are_strict_and_under_the_names_of_the_api() -> None:
    fields = asked("openai").fields
    CHAT.validate_python({"model": "m", "messages": QUESTION, **fields})
    first, second = (tool["function"] for tool in fields["tools"])
    assert (first["name"], first["strict"], second["strict"]) == ("web_search", True, True)
    assert first["parameters"] == {
        "type": "object",
        "properties": {"query": {"type": "string"}, "count": {"type": ["integer", "null"]}},
        "required": ["query", "count"],
        "additionalProperties": False,
    }
    assert (fields["tool_choice"], fields["parallel_tool_calls"]) == ("auto", False)


def test_the_report_says_what_is_left_out() -> None:
    lect = polylect.lect("tool_calls")
    made = lect.constraint([SEARCH], max_calls=3)
    assert made.report.exactness == "subset"
    assert made.request("openai").fields["parallel_tool_calls"] is True
    assert not any("one call a turn" in reason for reason in made.report.reasons)
    assert any("several calls" in note for note in made.request("openai").notes)
    assert any("one call a turn" in reason for reason in lect.constraint([SEARCH]).report.reasons)
    assert lect.constraint([]).report == Report("exact")
    assert lect.constraint([]).request("vllm").fields == {}


@pytest.mark.parametrize(
    ("choice", "chat", "messages"),
    [
        ("auto", "auto", {"type": "auto", "disable_parallel_tool_use": True}),
        ("none", "none", {"type": "none"}),
        ("required", "required", {"type": "any", "disable_parallel_tool_use": True}),
        (
            "web search",
            {"type": "function", "function": {"name": "web_search"}},
            {"type": "tool", "name": "web_search", "disable_parallel_tool_use": True},
        ),
    ],
)
def test_the_choice_of_a_tool(choice: str, chat: Any, messages: Any) -> None:
    for server in ("openai", "vllm", "sglang"):
        fields = asked(server, tool_choice=choice).fields
        CHAT.validate_python({"model": "m", "messages": QUESTION, **fields})
        assert fields["tool_choice"] == chat
    fields = asked("anthropic", tool_choice=choice).fields
    MESSAGES.validate_python({"model": "m", "max_tokens": 9, "messages": QUESTION, **fields})
    assert fields["tool_choice"] == messages
    assert [tool["strict"] for tool in fields["tools"]] == [True, True]
    fields = asked("openai_responses", tool_choice=choice).fields
    RESPONSES.validate_python({"model": "m", "input": "q", **fields})
    assert fields["tools"][0]["name"] == "web_search"
    named = choice == "web search"
    assert len(asked("llama.cpp", tool_choice=choice).fields["tools"]) == (1 if named else 2)
    assert (asked("llama.cpp", tool_choice=choice).fields["tool_choice"] == "required") == (
        choice in ("required", "web search")
    )
    ollama = asked("ollama", tool_choice=choice)
    assert len(ollama.fields.get("tools", ())) == {"none": 0, "web search": 1}.get(choice, 2)


@pytest.mark.parametrize("server", SERVERS)
def test_every_server_is_told_of_what_it_does_not_see_to(server: str) -> None:
    assert all(note.endswith(".") for note in asked(server).notes)
    assert asked(server).notes


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"prefix": "Thought:"}, "it takes no prefix"),
        ({"max_chars": 5}, "max_chars"),
        ({"special_tokens": ("<x>",)}, "max_chars"),
        ({"max_calls": 0}, "max_calls is a number from 1 on"),
        ({"tool_choice": "sing"}, "no such tool"),
    ],
)
def test_what_can_not_be_asked_for(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConstraintError, match=told):
        polylect.lect("tool_calls").constraint([SEARCH], **options)


def test_a_schema_that_strict_mode_can_not_say_is_refused_with_its_place() -> None:
    anything = polylect.Tool("any", "", {"type": "object", "properties": {"what": {}}})
    with pytest.raises(ConstraintError, match=r"Strict mode.*'any'.*\$\.properties\.what"):
        asked("openai", anything)
    with pytest.raises(ConstraintError, match="there are no tools"):
        polylect.lect("tool_calls").constraint([], tool_choice="required")


def test_text_is_not_looked_at() -> None:
    made = polylect.lect("tool_calls").constraint([SEARCH])
    made.check()
    for call in (lambda: made.matches("x"), made.sample):
        with pytest.raises(ConstraintError, match="which the server makes"):
            call()


def test_the_older_api_enforces_nothing_and_says_so() -> None:
    lect = polylect.lect("openai_functions")
    made = lect.constraint([SEARCH, NOW], tool_choice="now", target="json_schema")
    assert made.report.exactness == "superset"
    fields, notes = made.request("openai")
    CHAT.validate_python({"model": "m", "messages": QUESTION, **fields})
    assert fields["function_call"] == {"name": "now"}
    assert "strict" not in fields["functions"][0]
    assert "no strict mode" in notes[0]
    assert lect.constraint([NOW], tool_choice="required").request("openai").fields["function_call"] == {"name": "now"}
    with pytest.raises(ConstraintError, match="no tool_choice 'required'"):
        lect.constraint([SEARCH, NOW], tool_choice="required")
    with pytest.raises(ConstraintError, match="sglang has no functions"):
        made.request("sglang")
