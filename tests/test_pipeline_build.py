"""What is missing is found when a pipeline is built, with a message that says what to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

import polylect
from polylect import (
    AgentAction,
    AgentFinish,
    LectError,
    ParseError,
    Prompt,
    PromptError,
    ToolError,
)

from .pipelines import build, fails, plain, search

ALL = "{tools} {tool_names} {input} {agent_scratchpad}"


def model(prompt: Any, *, stop: Any = None, tools: Any = None) -> str:
    return " x\nFinal Answer: 1"


# --- the prompt -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lect", "prompt", "message"),
    [
        (
            "react",
            "{tools} {tool_names} {input}",
            "The prompt has no {agent_scratchpad}. Its variables: {tools}, {tool_names}, {input}.",
        ),
        (
            "react",
            "{tools} {tool_names} {input} {agent_scratchpd}",
            "The prompt has no {agent_scratchpad}. Did you mean 'agent_scratchpd'? "
            "Its variables: {tools}, {tool_names}, {input}, {agent_scratchpd}.",
        ),
        (
            "react",
            "{tols} {input} {agent_scratchpad}",
            "The prompt has no {tools}, {tool_names}. Did you mean 'tols'? "
            "Its variables: {tols}, {input}, {agent_scratchpad}.",
        ),
        (
            "json_blob",
            "{tools} {agent_scratchpad}",
            "The prompt has no {tool_names}. Its variables: {tools}, {agent_scratchpad}.",
        ),
        ("xml_tags", "{agent_scratchpad}", "The prompt has no {tools}. Its variables: {agent_scratchpad}."),
        ("tool_calls", [("user", "{input}")], "The prompt has no {agent_scratchpad}. Its variables: {input}."),
        (
            "tool_calls",
            ALL,
            "tool_calls speaks messages, and this prompt is a text. Make it a list of messages.",
        ),
        (
            "tool_calls",
            [("user", "{input} {agent_scratchpad}")],
            "The scratchpad of tool_calls is messages, and {agent_scratchpad} stands inside a text. "
            "Make it an entry of its own: '{agent_scratchpad}'.",
        ),
        (
            "react",
            [("system", "{tools} {tool_names}"), ("user", "{input}"), "{agent_scratchpad}"],
            "The scratchpad of react is text, and the prompt has a placeholder for messages. "
            "Put {agent_scratchpad} into the text of a message.",
        ),
        (
            "react",
            Prompt(ALL).partial(agent_scratchpad="x"),
            "The prompt's {agent_scratchpad} has a fixed value; the steps need it open.",
        ),
        ("react", 3, "A prompt is a text or a list of messages, not int."),
        ("react", b"x", "A prompt is a text or a list of messages, not bytes."),
        (
            "react",
            lambda: "x",
            "A prompt stage is called with one argument, and '<lambda>' can't be: too many positional arguments.",
        ),
        (
            "react",
            '{"a": 1}',
            'This brace belongs to no variable. Write {{ where the text needs a brace.\n{"a": 1}\n^',
        ),
    ],
)
def test_a_prompt_that_is_missing_something(lect: str, prompt: Any, message: str) -> None:
    fails(PromptError, message, lambda: build(lect, prompt=prompt))


def test_variables_filled_in_by_hand_are_there() -> None:
    prompt = Prompt(ALL).partial(tools="my tools", tool_names="my names")
    assert build("react", prompt=prompt, tools=[search]).prompt_for(input="q") == "my tools my names q "


def test_xml_tags_needs_no_tool_names() -> None:
    assert build("xml_tags", prompt="{tools}{agent_scratchpad}").prompt_for() == "(there are no tools)"


# --- tools ----------------------------------------------------------------------------------------------------------


def test_two_tools_of_one_name() -> None:
    message = "Two tools are named 'search'. Give each tool a name of its own."
    for lect in ("react", "tool_calls"):
        fails(ToolError, message, partial(build, lect, model, [search, {"name": "search"}]))


def test_a_broken_tool() -> None:
    with pytest.raises(ToolError, match="must be a list of tools"):
        build("react", model, "search")
    with pytest.raises(ToolError, match="has no name"):
        build("react", model, [{"description": "nameless"}])


def test_tools_rendered_in_the_wrong_form() -> None:
    fails(
        PromptError,
        "In react tools are text for the prompt; render_tools made list.",
        lambda: build("react", model, [search], render_tools=lambda tools: []),
    )
    fails(
        PromptError,
        "In tool_calls tools are a list for the request; render_tools made str.",
        lambda: build("tool_calls", model, [search], render_tools=lambda tools: "search"),
    )
    fails(
        PromptError,
        "render_tools must be callable, and 'str' is not.",
        lambda: build("react", render_tools="text"),
    )


# --- stop strings ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lect", "stop", "message"),
    [
        ("react", 3, "stop is True, False, a string or a list of strings, not 3."),
        ("react", b"x", "stop is True, False, a string or a list of strings, not b'x'."),
        ("react", "", "A stop string is a text of at least one character, not ''."),
        ("react", ["###", ""], "A stop string is a text of at least one character, not ''."),
        ("react", [["\n"]], "A stop string is a text of at least one character, not ['\\n']."),
        ("react", [None], "A stop string is a text of at least one character, not None."),
        (
            "react",
            ["Action Input:"],
            "The stop string 'Action Input:' cuts this message of react short: 'Thought: I need the weather.\\n"
            "Action: search\\nAction Input: weather in Oslo'. Its own stop strings: '\\nObservation'.",
        ),
        (
            "xml_tags",
            "</tool>",
            "The stop string '</tool>' cuts this message of xml_tags short: "
            "'<tool>search</tool><tool_input>weather in Oslo</tool_input>'. Its own stop strings: '</tool_input>'.",
        ),
    ],
)
def test_broken_stop_strings(lect: str, stop: Any, message: str) -> None:
    fails(PromptError, message, lambda: build(lect, model, stop=stop))


def test_a_lect_whose_own_stop_strings_are_broken() -> None:
    broken = type(polylect.lect("react"))()
    broken.stops = ("Final",)
    with pytest.raises(PromptError, match="The stop string 'Final' cuts this message of react short"):
        build(broken)


def test_stop_strings_that_would_not_reach_the_model() -> None:
    with pytest.raises(PromptError, match="The model 'plain' takes no stop=, so your stop strings would not reach it"):
        build("react", plain, stop=["###"])
    assert build("react", plain).stop == ("\nObservation",), "the lect's own are a wish: what comes after is dropped"


# --- the scratchpad and the parser ----------------------------------------------------------------------------------


def test_a_scratchpad_that_fails_or_makes_nothing() -> None:
    def last(steps: Any) -> str:
        return str(steps[-1])

    fails(
        PromptError,
        "'last' can't format an empty scratchpad: IndexError: list index out of range",
        lambda: build("react", format_scratchpad=last),
    )
    fails(
        PromptError,
        "A scratchpad is text or a list of messages; '<lambda>' made NoneType.",
        lambda: build("react", format_scratchpad=lambda steps: None),
    )
    fails(
        PromptError,
        "The scratchpad of react is messages, and {agent_scratchpad} stands inside a text. "
        "Make it an entry of its own: '{agent_scratchpad}'.",
        lambda: build("react", format_scratchpad=lambda steps: []),
    )
    fails(
        PromptError,
        "format_scratchpad must be callable, and 'str' is not.",
        lambda: build("react", format_scratchpad=""),
    )


def test_a_parser_that_can_not_be_called() -> None:
    fails(PromptError, "A parse stage must be callable, and 'int' is not.", lambda: build("react", parse=3))
    fails(
        PromptError,
        "A parse stage is called with one argument, and '<lambda>' can't be: too many positional arguments.",
        lambda: build("react", parse=lambda: AgentFinish({})),
    )


@pytest.mark.parametrize("made", [None, [], "text", [AgentFinish({})], {"tool": "x"}])
def test_a_parser_that_makes_no_decision(made: Any) -> None:
    pipeline = build("react", model, parse=lambda text: made)
    with pytest.raises(PromptError, match="The parse stage gives a list of actions, at least one, or a finish, not"):
        pipeline.plan(input="q")


# --- names ----------------------------------------------------------------------------------------------------------


def test_unknown_names() -> None:
    fails(
        LectError,
        "There is no policy and no stage 'boths'. Did you mean 'both'?",
        lambda: build("react", boths=True),
    )
    fails(
        LectError,
        "There is no policy and no stage 'promt'. Did you mean 'prompt'?",
        lambda: build("react", promt=ALL),
    )
    fails(
        LectError,
        "both='neither' is no choice. It takes one of: action, final, error.",
        lambda: build("react", both="neither"),
    )
    fails(
        LectError,
        "There is no policy and no stage 'modle'. Did you mean 'model'?",
        lambda: build("react").replace(modle=1),
    )
    fails(
        LectError,
        "There is no policy and no stage 'base_url'. An option of the model is given where the model is made: "
        "polylect.model('openai:qwen', base_url=…).",
        lambda: build("react", "openai:qwen", base_url="http://127.0.0.1:8080/v1"),
    )
    with pytest.raises(LectError, match=r"There is no lect 'raect'\. Did you mean 'react'\?"):
        build("raect")
    fails(LectError, "A pipeline speaks a lect, by name or as it is, not int.", lambda: build(3))


def test_a_prefix_that_is_none() -> None:
    fails(PromptError, "prefix is a text, not int.", lambda: build("react", prefix=3))
    fails(
        PromptError,
        "tool_calls reads whole messages, which no prompt begins: it takes no prefix.",
        lambda: build("tool_calls", prefix="<think>"),
    )


def test_a_template_will_do_for_the_prompt_of_a_lect() -> None:
    kind: Any = type(polylect.lect("react"))
    lect = kind()
    lect.prompt = "{tools}: {input}{agent_scratchpad}"
    assert build(lect, tools=[search]).prompt_for(input="q") == "search(query: string) - Look something up.: q"
    lect.prompt = "{input}"
    fails(PromptError, "The prompt has no {agent_scratchpad}. Its variables: {input}.", lambda: build(lect))


def test_a_lect_without_a_formatter_of_tools() -> None:
    class Bare(polylect.Lect):
        name = "bare"

        def format_steps(self, steps: Sequence[polylect.AgentStep], **policies: Any) -> str:
            return ""

    assert build(Bare()).prompt_for(input="q")
    fails(
        PromptError,
        "bare has no format_tools, so a pipeline with tools needs render_tools.",
        lambda: build(Bare(), tools=[search]),
    )


# --- what only a turn shows ----------------------------------------------------------------------------------------


def test_a_prompt_stage_that_makes_nonsense() -> None:
    fails(
        PromptError,
        "A prompt takes a list of messages, not int.",
        lambda: build("react", prompt=lambda values: 3).prompt_for(),
    )
    fails(
        PromptError,
        "tool_calls speaks messages, and the prompt stage made a text.",
        lambda: build("tool_calls", prompt=lambda values: "x").prompt_for(),
    )


@pytest.mark.parametrize("output", [None, 3, b"bytes", [None], [3]])
def test_a_parser_of_ones_own_is_given_text_and_nothing_else(output: Any) -> None:
    pipeline = build("react", lambda prompt: output, parse=lambda text: text.undefined)
    with pytest.raises(ParseError) as caught:
        pipeline.plan(input="q")
    assert caught.value.reason == "not_text"


def test_one_action_is_a_list_of_one() -> None:
    pipeline = build("react", model, parse=lambda text: AgentAction("a", "b"))
    assert pipeline.plan(input="q") == [AgentAction("a", "b")]
