"""What models on a server, and the local one, make of a constraint: the fields of their requests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import polylect
from polylect import ConstraintError, ModelError
from polylect.constraint import Constraint
from polylect.plugin import Asked
from polylect_local._model import Local

SEARCH = {
    "name": "search",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
NOTHING: frozenset[str] = frozenset()
STOP = ("\nObservation",)


def made(target: str, lect: str = "react") -> Constraint:
    found: Constraint = polylect.lect(lect).constraint([SEARCH], target=target)
    return found


def asked(constraint: Constraint, prompt: Any = "Hi") -> Asked:
    return Asked(prompt, STOP, constraint=constraint)


@pytest.mark.parametrize(
    ("server", "target", "fields"),
    [
        ("vllm", "xgrammar", lambda text: {"structured_outputs": {"grammar": text}}),
        ("sglang", "xgrammar", lambda text: {"ebnf": text}),
        ("llama.cpp", "gbnf", lambda text: {"grammar": text}),
    ],
)
@pytest.mark.parametrize("api", ["chat", "completions"])
def test_a_server_of_open_models(server: str, target: str, fields: Any, api: str) -> None:
    model = polylect.model("openai:any", base_url="http://127.0.0.1:9/v1", server=server, api=api)
    assert model.constraint_target == target
    constraint = made(target)
    sent = model.request(asked(constraint), NOTHING).fields
    (name,) = fields("")
    assert sent[name] == fields(constraint.text)[name]
    assert sent["stop"] == list(STOP)
    assert name not in model.request(Asked("Hi", STOP), NOTHING).fields


def test_another_language_of_the_same_server() -> None:
    options = {"base_url": "http://127.0.0.1:9/v1", "server": "vllm"}
    model = polylect.model("openai:any", **options, constraint_target="llguidance")
    assert polylect.Pipeline("react", model, [SEARCH], constrain=True).constraint().target == "llguidance"  # type: ignore[union-attr]
    with pytest.raises(ConstraintError, match="vllm takes no constraint for the target 'gbnf'"):
        polylect.model("openai:any", **options, constraint_target="gbnf")
    with pytest.raises(ModelError, match=r"server is one of llama\.cpp, openai, sglang, vllm, not 'vlm'"):
        polylect.model("openai:any", base_url="http://127.0.0.1:9/v1", server="vlm")


def test_openais_own_server_holds_calls_to_their_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model = polylect.model("openai:any", api_key="none")
    assert model.constraint_target == "json_schema"
    constraint = made("json_schema", "tool_calls")
    told = polylect.lect("tool_calls").format_tools([SEARCH])
    call = Asked([{"role": "user", "content": "Hi"}], (), told, "required", constraint=constraint)
    fields = model.request(call, NOTHING).fields
    assert [tool["function"]["strict"] for tool in fields["tools"]] == [True]
    with pytest.raises(ConstraintError):
        polylect.Pipeline("react", model, [SEARCH], constrain=True)


def test_anthropic_holds_calls_to_their_schemas_and_takes_no_grammar() -> None:
    model = polylect.model("anthropic:any", api_key="none", output_config={"effort": "low"})
    constraint = made("json_schema", "tool_calls")
    fields = model.request(asked(constraint), NOTHING).fields
    assert [tool["strict"] for tool in fields["tools"]] == [True]
    assert fields["output_config"] == {"effort": "low"}
    assert fields["stop_sequences"] == list(STOP)
    with pytest.raises(ConstraintError, match=r"anthropic takes no constraint .*'gbnf'\. It takes: json_s"):
        model.request(asked(made("gbnf")), NOTHING)


@pytest.fixture
def file(tmp_path: Path) -> str:
    """A file that looks like a model from outside."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF" + bytes(8))
    return str(path)


@pytest.mark.parametrize("prompt", ["Hi", [{"role": "user", "content": "Hi"}]])
def test_the_local_model_takes_a_grammar(file: str, prompt: Any) -> None:
    model = Local(file)
    constraint = made(model.constraint_target)
    body, forced = model.body(asked(constraint, prompt))
    assert (body["grammar"], body["stop"], forced) == (constraint.text, list(STOP), False)
    lark = Local(file, constraint_target="llguidance").body(asked(made("llguidance"), prompt))[0]
    assert lark["grammar"].startswith("%llguidance {}\n")
    with pytest.raises(ModelError, match="not for 'regex'"):
        Local(file, constraint_target="regex")
    with pytest.raises(ConstraintError, match=r"llama\.cpp takes no constraint for the target 'regex'"):
        model.body(asked(made("regex"), prompt))


def test_the_local_model_forces_a_call_that_is_due(file: str) -> None:
    from polylect_local._template import TEMPLATE

    model = Local(file, chat_template=TEMPLATE)
    constraint = polylect.lect("tool_calls").constraint([SEARCH], tool_choice="search")
    told = polylect.lect("tool_calls").format_tools([SEARCH])
    body, forced = model.body(Asked([{"role": "user", "content": "Hi"}], (), told, "search", constraint=constraint))
    assert forced
    (option,) = body["json_schema"]["anyOf"]
    assert option["properties"]["arguments"]["additionalProperties"] is False
