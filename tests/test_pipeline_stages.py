"""Every stage of a pipeline can be another, and what stands on a pipeline finds its seams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

import polylect
from polylect import AgentAction, AgentFinish, AgentStep, Pipeline

from .pipelines import LECTS, TOOLS, Script, actions, finish, search, sent, turns


def test_another_scratchpad() -> None:
    seen: list[int] = []

    def last_only(steps: Sequence[AgentStep], /) -> str:
        seen.append(len(steps))
        return f" (you did {len(steps)} things, then saw {steps[-1].observation})" if steps else ""

    pipeline = Pipeline("react", format_scratchpad=last_only)
    step = AgentStep(AgentAction("search", "Oslo", "x"), "rain")
    assert sent(pipeline.prompt_for([step, step], input="q")).endswith("Thought: (you did 2 things, then saw rain)")
    assert seen == [0, 2]


def test_another_prompt_as_text() -> None:
    pipeline = Pipeline(
        "xml_tags", Script("<final_answer>3"), TOOLS, prompt="T: {tools}\nQ: {question}\n{agent_scratchpad}"
    )
    assert sent(pipeline.prompt_for(question="1 + 2")).startswith("T: search(query: string) - Look something up.\n")
    assert finish(pipeline.plan(question="1 + 2")).return_values == {"output": "3"}


def test_another_prompt_as_messages() -> None:
    template = [
        ("system", "Tools:\n{tools}\nNames: {tool_names}"),
        ("placeholder", "{chat_history}"),
        ("human", "{input}\n\n{agent_scratchpad}"),
    ]
    pipeline = Pipeline("json_blob", prompt=template)
    history = [("human", "Hello"), {"role": "ai", "content": "Hello to you."}]
    assert pipeline.prompt_for(input="q", chat_history=history) == [
        {"role": "system", "content": "Tools:\n(there are no tools)\nNames: none"},
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "Hello to you."},
        {"role": "user", "content": "q\n\n"},
    ]


def test_another_prompt_as_a_function() -> None:
    def ask(values: Mapping[str, Any], /) -> str:
        return f"{values['tool_names']}|{values['tools']}|{values['who']}|{values['agent_scratchpad']}"

    pipeline = Pipeline("react", tools=TOOLS[:1], prompt=ask)
    assert pipeline.prompt_for(who="Ada") == "search|search(query: string) - Look something up.|Ada|"


def test_another_model() -> None:
    one = Pipeline("react", lambda prompt: " a\nFinal Answer: 1")
    two = one.replace(model=lambda prompt: " b\nFinal Answer: 2")
    assert finish(one.plan(input="q")).return_values == {"output": "1"}
    assert finish(two.plan(input="q")).return_values == {"output": "2"}


def test_another_parser_the_custom_format_of_chapter_15_12() -> None:
    def parse(text: str) -> Any:
        if "DONE:" in text:
            return AgentFinish({"output": text.split("DONE:")[1].strip()}, text)
        return [AgentAction(word, "", text) for word in text.split()]

    pipeline = Pipeline("react", Script("search forecast", "thinking DONE: 42"), TOOLS, parse=parse)
    assert [x.tool for x in actions(pipeline.plan(input="q"))] == ["search", "forecast"]
    assert finish(pipeline.plan(input="q")).return_values == {"output": "42"}


def test_another_parser_may_ask_for_the_prefix_and_give_one_action() -> None:
    def parse(text: str, *, prefix: str) -> Any:
        return AgentAction("echo", prefix + text)

    pipeline = Pipeline("react", Script(" x"), parse=parse)
    assert actions(pipeline.plan(input="q"))[0].tool_input == "Thought: x"


def test_another_parser_of_messages_gets_the_message() -> None:
    seen: list[Any] = []

    def parse(message: Any) -> Any:
        seen.append(message)
        return AgentFinish({"output": message["content"]})

    message = {"role": "assistant", "content": "hi"}
    pipeline = Pipeline("tool_calls", Script(message, iter([{"content": "h"}, {"content": "i"}]), "hi"), parse=parse)
    for _ in range(3):
        assert finish(pipeline.plan(input="q")).return_values == {"output": "hi"}
    assert seen == [message] * 3


def test_other_tools_text() -> None:
    pipeline = Pipeline("react", tools=TOOLS, render_tools=lambda tools: "/".join(tool.name for tool in tools))
    assert "\nsearch/forecast\n" in sent(pipeline.prompt_for(input="q"))


def test_other_stops() -> None:
    model = Script(*[" x\nFinal Answer: 1"] * 4)
    for stop, wanted in (
        (True, ["\nObservation"]),
        (False, []),
        ("###", ["###"]),
        (["a\n", "b\n", "a\n"], ["a\n", "b\n"]),
    ):
        Pipeline("react", model, stop=stop).plan(input="q")
        assert list(model.asked[-1][1]) == wanted


def test_replacing_one_word_moves_to_another_lect() -> None:
    react = Pipeline("react", Script(*turns(polylect.lect("react"))), TOOLS)
    native = react.replace(lect="tool_calls", model=Script(*turns(polylect.lect("tool_calls"))))
    assert (react.lect.name, native.lect.name) == ("react", "tool_calls")
    assert actions(react.plan(input="q"))[0].tool == actions(native.plan(input="q"))[0].tool == "search"


def test_the_stages_replace_themselves() -> None:
    for name in LECTS:
        call, _ = turns(polylect.lect(name))
        pipeline = Pipeline(name, Script(call, call), TOOLS)
        assert list(pipeline.stages) == ["format_scratchpad", "prompt", "model", "parse"]
        same = pipeline.replace(**pipeline.stages)
        assert same.prompt_for(input="q") == pipeline.prompt_for(input="q")
        assert same.plan(input="q") == pipeline.plan(input="q")
        assert same.to_text() == pipeline.to_text()


def test_replacing_changes_nothing_behind_ones_back() -> None:
    pipeline = Pipeline("react", tools=TOOLS)
    pipeline.replace(tools=[search])
    assert list(pipeline.tools or ()) == ["search", "forecast"]
    stages: Any = pipeline.stages
    with pytest.raises(TypeError):
        stages["model"] = None


def test_the_halves_of_a_turn_run_apart() -> None:
    """What a loop without I/O needs: a request that can be written down, and a decision from whatever came back."""
    pipeline = Pipeline("react", tools=TOOLS)
    request = pipeline.request(input="q")
    assert polylect.Request.from_json(request.to_json()) == request
    decision = pipeline.decide(" look\nAction: search\nAction Input: Oslo", prefix=request.prefix)
    assert actions(decision)[0].tool_input == "Oslo"
