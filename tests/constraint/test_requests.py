"""The fields that carry a constraint to a server, in the types of the servers' SDKs, and what is refused."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from anthropic.types import MessageCreateParams
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params
from pydantic import TypeAdapter

import polylect
from polylect import ConstraintError
from polylect.constraint import SERVERS, TARGETS, Constraint
from polylect.constraint._build import Built
from polylect.constraint._printed import Printed
from polylect.constraint._tree import EMPTY, Tree

CHAT: TypeAdapter[Any] = TypeAdapter(completion_create_params.CompletionCreateParamsNonStreaming)
RESPONSES: TypeAdapter[Any] = TypeAdapter(response_create_params.ResponseCreateParamsNonStreaming)
MESSAGES: TypeAdapter[Any] = TypeAdapter(MessageCreateParams)
SEARCH: dict[str, Any] = {
    "name": "search",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
QUESTION = [{"role": "user", "content": "Where is Oslo?"}]


def made(target: str, lect: str = "react", **options: Any) -> Constraint:
    found: Constraint = polylect.lect(lect).constraint([SEARCH], target=target, **options)
    return found


def json_turn() -> Constraint:
    """A constraint that is a JSON Schema; which lects have one is no matter here."""
    lect = polylect.lect("react")
    assert isinstance(lect, polylect.TextLect)
    parts = {"name": {"const": "search"}, "arguments": {**SEARCH["parameters"], "additionalProperties": False}}
    schema = {"type": "object", "properties": parts, "required": [*parts], "additionalProperties": False}
    return Constraint(lect, "json_schema", Printed(schema, "exact"), Built(Tree({"s": EMPTY}, "s"), ()), ["search"])


@pytest.mark.parametrize("server", SERVERS)
def test_a_server_takes_its_own_targets_and_says_which_to_use(server: str) -> None:
    taken = SERVERS[server]
    for target in TARGETS:
        constraint = json_turn() if target == "json_schema" else made(target, max_chars=50)
        if target in taken:
            fields, notes = constraint.request(server)
            assert json.loads(json.dumps(fields)) == fields
            assert notes
            assert all(note.endswith(".") for note in notes)
        else:
            with pytest.raises(ConstraintError, match=f"^{server} takes no constraint .*target='{taken[0]}'"):
                constraint.request(server)


def test_there_is_no_such_server() -> None:
    with pytest.raises(ConstraintError, match=r"no server 'vlm'\. Did you mean 'vllm'"):
        made("gbnf").request("vlm")


@pytest.mark.parametrize(
    ("target", "key"),
    [("xgrammar", "grammar"), ("llguidance", "grammar"), ("structural_tag", "structural_tag"), ("regex", "regex")],
)
def test_vllm(target: str, key: str) -> None:
    constraint = made(target, max_chars=50)
    fields, notes = constraint.request("vllm")
    assert fields == {"structured_outputs": {key: constraint.text}, "stop": ["\nObservation"]}
    assert ("backend guidance" in " ".join(notes)) == (target == "llguidance")
    assert "extra_body" in " ".join(notes)


def test_vllm_takes_a_schema_as_it_is() -> None:
    constraint = json_turn()
    assert constraint.request("vllm").fields["structured_outputs"] == {"json": constraint.value}


def test_sglang() -> None:
    assert made("xgrammar").request("sglang").fields == {"ebnf": made("xgrammar").text, "stop": ["\nObservation"]}
    lark = made("llguidance").request("sglang")
    assert lark.fields["ebnf"].startswith("%llguidance {}\n")
    assert "--grammar-backend must be llguidance" in lark.notes[0]
    tags = made("structural_tag").request("sglang").fields["response_format"]
    assert set(tags) == {"type", "format"}
    schema = json_turn().request("sglang").fields["response_format"]["json_schema"]
    assert schema["schema"] == json_turn().value


def test_llama_cpp() -> None:
    assert made("gbnf").request("llama.cpp").fields == {"grammar": made("gbnf").text, "stop": ["\nObservation"]}
    assert made("llguidance").request("llama.cpp").fields["grammar"].startswith("%llguidance {}\n")
    assert json_turn().request("llama.cpp").fields["json_schema"] == json_turn().value


def test_ollama() -> None:
    constraint = json_turn()
    fields = constraint.request("ollama").fields
    assert fields.pop("options", {}) == ({"stop": list(constraint.stops)} if constraint.stops else {})
    assert fields == {"format": constraint.value}


@pytest.mark.parametrize("target", ["openai_custom_tool", "regex"])
def test_openai_takes_a_turn_as_the_input_of_a_custom_tool(target: str) -> None:
    constraint = made(target, max_chars=50)
    fields = constraint.request("openai").fields
    CHAT.validate_python({"model": "m", "messages": QUESTION, **fields})
    syntax = "regex" if target == "regex" else "lark"
    (tool,) = fields["tools"]
    assert tool["custom"]["format"]["grammar"] == {"syntax": syntax, "definition": constraint.text}
    assert fields["tool_choice"]["custom"]["name"] == tool["custom"]["name"] == "react_turn"
    fields = constraint.request("openai_responses").fields
    RESPONSES.validate_python({"model": "m", "input": "q", **fields})
    (tool,) = fields["tools"]
    assert tool["format"] == {"type": "grammar", "syntax": syntax, "definition": constraint.text}
    assert fields["parallel_tool_calls"] is False


def test_openai_and_anthropic_take_a_schema() -> None:
    constraint = json_turn()
    fields = constraint.request("openai").fields
    CHAT.validate_python({"model": "m", "messages": QUESTION, **fields})
    schema = fields["response_format"]["json_schema"]
    assert schema["schema"] == constraint.value
    notes = " ".join(constraint.request("openai").notes)
    assert schema["strict"] is ("strict mode" not in notes)
    fields = constraint.request("openai_responses").fields
    RESPONSES.validate_python({"model": "m", "input": "q", **fields})
    assert fields["text"]["format"]["schema"] == constraint.value
    fields = constraint.request("anthropic").fields
    MESSAGES.validate_python({"model": "m", "max_tokens": 9, "messages": QUESTION, **fields})
    assert fields["output_config"]["format"] == {"type": "json_schema", "schema": constraint.value}


def test_a_constraint_is_looked_at_before_it_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    constraint = made("gbnf")
    constraint.value = f"{constraint.text.rstrip()}\nlost ::= nowhere"
    with pytest.raises(ConstraintError, match="nowhere"):
        constraint.request("llama.cpp")


def notes_of(constraint: Constraint, server: str) -> str:
    return " ".join(constraint.request(server).notes)


def test_a_prefix_is_told_to_whom_it_concerns() -> None:
    held = made("openai_custom_tool", prefix="Thought:")
    for server in ("openai", "openai_responses"):
        assert "parse(input, prefix='Thought:')" in notes_of(held, server)
    for server, target in (("vllm", "xgrammar"), ("sglang", "xgrammar"), ("llama.cpp", "gbnf")):
        assert "the prompt must end with it" in notes_of(made(target, prefix="Thought:"), server)
        assert "prefix" not in notes_of(made(target), server)
    turn = held.sample(3)
    box = polylect.toolbox([SEARCH])
    assert polylect.lect("react").parse(turn, tools=box, prefix="Thought:").complete


@pytest.mark.parametrize("server", ["vllm", "sglang"])
def test_markers_that_are_tokens_are_not_hidden(server: str) -> None:
    known = made("llguidance", "hermes", special_tokens=["<tool_call>", "</tool_call>"])
    assert known.special == ("</tool_call>", "<tool_call>")
    assert known.request(server).fields["skip_special_tokens"] is False
    other = made("llguidance", "hermes").request(server)
    assert "skip_special_tokens" not in other.fields
    assert any("skip_special_tokens must be false" in note for note in other.notes)


def test_openai_takes_no_grammar_of_any_length() -> None:
    with pytest.raises(ConstraintError, match=r"no grammar of more than 100,000 .*target='openai_custom_tool'"):
        made("regex").request("openai")


def test_that_nobody_has_looked_at_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    held = made("llguidance")
    assert "Nobody" not in notes_of(held, "vllm")
    monkeypatch.setitem(sys.modules, "llguidance", None)
    assert "pip install llguidance" in notes_of(held, "vllm")


@pytest.mark.parametrize("lect", ["react", "hermes", "xml_tags", "pythonic"])
@pytest.mark.parametrize("prefix", ["", "Thought:", "<"])
def test_why_there_is_no_schema_comes_before_how_a_turn_begins(lect: str, prefix: str) -> None:
    with pytest.raises(ConstraintError, match=r"A JSON schema can't say this tongue: .*take a lect of JSON alone"):
        made("json_schema", lect, prefix=prefix)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"tool_choice": None}, "tool_choice is 'auto', .* not None"),
        ({"tool_choice": {"type": "function"}}, "or a tool's name, not {'type'"),
        ({"prefix": 5}, "prefix is text, not 5"),
        ({"target": None}, "no target None"),
        ({"target": []}, r"no target \[\]"),
        ({"special_tokens": "<x>"}, r"several texts, not one: \['<x>'\]"),
        ({"special_tokens": 5}, "several texts, not 5"),
    ],
)
def test_options_of_other_types_are_told(options: dict[str, Any], told: str) -> None:
    with pytest.raises(ConstraintError, match=told):
        polylect.lect("react").constraint([SEARCH], **options)
