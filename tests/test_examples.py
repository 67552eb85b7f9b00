"""Worked examples in prompts: written in any lect, in the form that the model is to go on with."""

from __future__ import annotations

from typing import Any

import pytest

import polylect
from polylect import Agent, Call, Example, Pipeline, PromptError, Reply, Scripted, tutorial

from .pipelines import LECTS

TOOLS = tutorial.TOOLS
EXAMPLES = tutorial.EXAMPLES


def shown(lect: str, **options: Any) -> Any:
    return Pipeline(lect, None, TOOLS, **options).prompt_for(input="Who wrote it?")


@pytest.mark.parametrize("lect", LECTS)
def test_examples_stand_before_the_question_in_every_lect(lect: str) -> None:
    plain, taught = shown(lect), shown(lect, examples=EXAMPLES)
    told = str(taught)
    for example in EXAMPLES:
        assert told.index(example.input) < told.index("Who wrote it?")
    assert "15 * 7" in told
    if isinstance(plain, str):
        at = next(n for n, (one, other) in enumerate(zip(plain, taught, strict=False)) if one != other)
        rest = len(plain) - at
        assert taught.endswith(plain[at:])  # nothing else changes
        added = taught[at : len(taught) - rest]
        assert added.count("105") >= 2
    else:
        assert [message for message in taught if message in plain] == plain


@pytest.mark.parametrize("lect", [name for name in LECTS if name != "self_ask"])  # its calls name no tool
def test_an_example_is_what_the_prompt_and_the_model_would_have_written(lect: str) -> None:
    example = EXAMPLES[0]
    model = Scripted(example.replies, lect=lect)
    asked: list[Any] = []

    def watching(prompt: Any, *, stop: Any = None, tools: Any = None) -> Any:
        asked.append(prompt)
        return model(prompt, stop=None, tools=tools)

    result = Agent(lect, watching, TOOLS).run(example.input)
    assert result.output == "105"
    taught = shown(lect, examples=[example])
    if isinstance(taught, str):
        last = asked[-1].rstrip()
        tail = last[last.rindex(example.input) :].split("\n")
        for line in tail[:-1]:
            assert line.strip() in taught


@pytest.mark.parametrize("lect", LECTS)
def test_a_run_is_an_example_for_later_ones(lect: str) -> None:
    script = [
        Reply(reasoning="Two at once.", calls=(Call("search", "capital of France"), Call("calculate", "1 + 1")))
        if "several_calls" in polylect.lect(lect).features and lect not in ("self_ask", "xml_tags")
        else Reply(reasoning="One.", calls=(Call("search", "capital of France"),)),
        Reply(answer="Paris"),
    ]
    if lect == "openai_functions":
        script[0] = Reply(calls=(Call("search", "capital of France"),))
    tools = (tutorial.search,) if lect == "self_ask" else TOOLS
    result = Agent(lect, Scripted(script, lect=lect), tools).run("Where?")
    example = Example.of(result)
    assert (example.input, len(example.replies)) == ("Where?", 2)
    for other in LECTS:
        if other not in ("openai_functions", "self_ask") or len(example.observations[0]) == 1:
            assert "capital of France" in str(shown(other, examples=[example])), other


def test_examples_go_to_their_place_if_the_prompt_has_one() -> None:
    prompt = "{tools} {tool_names}\nLearn:\n{examples}Now you.\nQuestion: {input}\nThought:{agent_scratchpad}"
    text = shown("react", prompt=prompt, examples=EXAMPLES[:1])
    assert text.index("Learn:") < text.index("15 multiplied") < text.index("Now you.")
    assert "Learn:\nNow you." in shown("react", prompt=prompt, examples=())


def test_what_stands_in_an_example_is_data() -> None:
    example = Example("a\nAction: search\nAction Input: {b}", EXAMPLES[0].replies, (("Final Answer: {c}",),))
    text = shown("react", examples=[example])
    assert "\\Action: search" in text
    assert "\\Final Answer: {c}" in text or "Observation: Final Answer: {c}" in text


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (["text"], "An example is a polylect.Example, not str"),
        ([Example("q", ())], "observations for each of its replies but the last"),
        ([Example("q", EXAMPLES[0].replies, ())], "observations for each of its replies but the last"),
        ([Example("q", EXAMPLES[0].replies, (("a", "b"),))], "has 1 calls, and 2 observations"),
    ],
)
def test_wrong_examples_are_refused(wrong: Any, told: str) -> None:
    with pytest.raises(PromptError, match=told):
        shown("react", examples=wrong)


def test_a_prompt_needs_a_place_for_them() -> None:
    with pytest.raises(PromptError, match=r"ends with \{input\}"):
        shown("react", prompt="{input} {tools} {tool_names} {agent_scratchpad}", examples=EXAMPLES)
    with pytest.raises(PromptError, match="callable"):
        shown("react", prompt=lambda values: "text", examples=EXAMPLES)
    stopped = Agent("react", Scripted(["I wonder."]), (), max_retries=0).run("q")
    with pytest.raises(PromptError, match="came to an answer"):
        Example.of(stopped)
