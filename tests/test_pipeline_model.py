"""Which models a pipeline takes, what it gives them, and what it says of the others."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

import polylect
from polylect import AgentFinish, ModelError, ParseError, PromptError

from .pipelines import build, fails, plain, search


class Async:
    async def __call__(self, prompt: Any) -> str:
        return ""


def test_a_model_that_is_not_callable() -> None:
    fails(PromptError, "A model must be callable, and 'int' is not.", lambda: build("react", 4))
    told = (
        "There is no model 'gpt-4'. Installed: anthropic, local, openai, scripted. "
        "What a server calls its model stands behind a colon: 'openai:gpt-4'."
    )
    fails(ModelError, told, lambda: build("react", "gpt-4"))


def test_a_model_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    pipeline = build("react", "openai:gpt-4o-mini")
    assert pipeline.bound_model.name == "openai:gpt-4o-mini"


def test_a_model_that_takes_no_prompt() -> None:
    told = "A model is called with one argument, and {!r} can't be: {}."
    fails(PromptError, told.format("<lambda>", "too many positional arguments"), lambda: build("react", lambda: ""))
    strict = partial(lambda prompt, temperature: "")
    fails(
        PromptError,
        told.format("<lambda>", "missing a required argument: 'temperature'"),
        lambda: build("react", strict),
    )


def test_a_model_that_can_not_bind_tools() -> None:
    message = (
        "The model 'plain' can't bind tools: it has no bind_tools() and takes no tools=. "
        "Give it one of them, or choose a lect of text, which tells the tools in the prompt."
    )
    fails(PromptError, message, lambda: build("tool_calls", plain, [search]))
    build("tool_calls", plain)  # without tools there is nothing to bind
    build("react", plain, [search])  # a lect of text needs no binding


class Binds:
    """A model in LangChain's manner: binding gives another model."""

    name = "binds"

    def __init__(self, tools: Any = None, fault: Exception | None = None) -> None:
        self.tools, self.fault = tools, fault

    def bind_tools(self, tools: Any) -> Any:
        if self.fault is not None:
            raise self.fault
        return Binds(tools)

    def __call__(self, prompt: Any, **rest: Any) -> Any:
        assert "tools" not in rest
        return {"role": "assistant", "content": ",".join(x["function"]["name"] for x in self.tools)}


def test_a_model_with_bind_tools() -> None:
    pipeline = build("tool_calls", Binds(), [search])
    decision = pipeline.plan(input="q")
    assert isinstance(decision, AgentFinish)
    assert decision.return_values == {"output": "search"}
    again = pipeline.replace(**pipeline.stages, tools=[search, polylect.Tool("other")]).plan(input="q")
    assert isinstance(again, AgentFinish)
    assert again.return_values == {"output": "search,other"}


def test_a_model_whose_bind_tools_fails() -> None:
    """LangChain's base class has a bind_tools() that only raises NotImplementedError."""
    message = "The model 'binds' can't bind tools: NotImplementedError: no."
    fails(PromptError, message[:-1], lambda: build("tool_calls", Binds(fault=NotImplementedError("no")), [search]))

    class Odd(Binds):
        def bind_tools(self, tools: Any) -> Any:
            return "bound"

    fails(
        PromptError,
        "A model with its tools bound must be callable, and 'str' is not.",
        lambda: build("tool_calls", Odd(), [search]),
    )


def test_a_model_is_given_only_the_keywords_that_it_takes() -> None:
    seen: list[dict[str, Any]] = []

    def everything(prompt: Any, **rest: Any) -> str:
        seen.append(rest)
        return "Final Answer: 1"

    def stops(prompt: Any, stop: Sequence[str]) -> str:
        seen.append({"stop": stop})
        return "Final Answer: 1"

    for one in (everything, stops):
        build("react", one, [search]).plan(input="q")
    assert seen == [{"stop": ["\nObservation"]}] * 2
    assert isinstance(build("react", plain, [search]).plan(input="q"), AgentFinish)
    build("tool_calls", everything, [search]).plan(input="q")
    assert list(seen[-1]) == ["tools"]


def test_no_model_is_said_when_one_is_needed() -> None:
    pipeline = build("react")
    assert pipeline.prompt_for(input="q")
    message = "This pipeline has no model. Give it one: pipeline.replace(model=…)."
    for turn in (pipeline.plan, pipeline.stream):
        fails(PromptError, message, partial(turn, input="q"))


@pytest.mark.filterwarnings("error")
def test_an_asynchronous_model_is_named_as_such() -> None:
    async def chunks(prompt: Any) -> Any:
        yield ""

    message = "This model is asynchronous: await it yourself, between request() and decide()."
    for one in (Async(), chunks):
        fails(PromptError, message, partial(build("react", one).plan, input="q"))


@pytest.mark.parametrize("output", [None, 3, b"bytes", {}, {"nothing": "known"}, object()])
@pytest.mark.parametrize("lect", ["react", "json_blob", "xml_tags", "tool_calls"])
def test_a_model_that_returns_nonsense(lect: str, output: Any) -> None:
    pipeline = build(lect, lambda prompt: output)
    with pytest.raises(ParseError) as caught:
        pipeline.plan(input="q")
    assert caught.value.correction
    with pytest.raises(ParseError):
        list(pipeline.stream(input="q"))
