"""LangChain's builders: the same names, arguments, required variables and early failures; and what they build runs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import polylect
from polylect import (
    Agent,
    AgentAction,
    AgentFinish,
    AgentStep,
    LectError,
    Pipeline,
    PolylectError,
    Prompt,
    PromptError,
    Scripted,
    Tool,
    ToolError,
)
from polylect.agent import (
    create_json_chat_agent,
    create_openai_functions_agent,
    create_openai_tools_agent,
    create_react_agent,
    create_self_ask_with_search_agent,
    create_structured_chat_agent,
    create_tool_calling_agent,
    create_xml_agent,
)

from .scenes import DRIVERS, answer, call, observations, run

BUILDERS: dict[str, tuple[Callable[..., Pipeline], str]] = {
    "react": (create_react_agent, "{tools} {tool_names} {input} {agent_scratchpad}"),
    "json_blob": (create_structured_chat_agent, "{tools} {tool_names} {input} {agent_scratchpad}"),
    "json_chat": (create_json_chat_agent, "{tools} {tool_names} {input} {agent_scratchpad}"),
    "xml_tags": (create_xml_agent, "{tools} {input} {agent_scratchpad}"),
    "self_ask": (create_self_ask_with_search_agent, "{input} {agent_scratchpad}"),
    "tool_calls": (create_tool_calling_agent, "{input} {agent_scratchpad}"),
    "openai_functions": (create_openai_functions_agent, "{input} {agent_scratchpad}"),
}
"""By lect: the builder, and the variables that its prompt must have, LangChain's words for a prompt's required ones."""
OPENAI_TOOLS = create_openai_tools_agent
MESSAGES = ("json_chat", "tool_calls", "openai_functions")
STOPS = {
    "react": "\nObservation",
    "json_blob": "\nObservation",
    "json_chat": "\nObservation",
    "xml_tags": "</tool_input>",
}
each = pytest.mark.parametrize("lect", BUILDERS)


def echo(text: str) -> str:
    """Say it again."""
    return f"<{text}>"


def prompt_of(lect: str, *without: str) -> Any:
    """A template with the required variables, but for some; of messages where the lect has such."""
    words = [word for word in BUILDERS[lect][1].split() if word.strip("{}") not in without]
    if lect not in MESSAGES:
        return " ".join(words)
    system = [word for word in words if word.startswith("{tool")]
    rest = [word for word in words if word not in system]
    entries = [word if word == "{agent_scratchpad}" else ("user", word) for word in rest]
    return [("system", " ".join(["Help.", *system])), *entries]


def model(*replies: Any, lect: str = "react") -> Scripted:
    return Scripted(replies, lect=lect)


def fails(kind: type[PolylectError], message: str, make: Callable[[], object]) -> None:
    with pytest.raises(kind) as caught:
        make()
    assert str(caught.value) == message


# --- what is built ----------------------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("own", [True, False], ids=["the lect's prompt", "a prompt of one's own"])
def test_42_what_a_builder_makes_runs(driver: str, lect: str, own: bool) -> None:
    build, _ = BUILDERS[lect]
    asked = model(call(lect), answer(lect), lect=lect)
    pipeline = build(asked, [echo], None if own else prompt_of(lect))
    assert isinstance(pipeline, Pipeline)
    assert pipeline.lect.name == lect
    result = run(driver, Agent(pipeline))
    assert (result.output, result.stop_reason, observations(result)) == ("42", "finished", ["<hi>"])


@each
def test_49_a_builder_is_the_pipeline_of_its_lect_and_nothing_more(lect: str) -> None:
    build, _ = BUILDERS[lect]
    mine, theirs = build(plain, [echo]), Pipeline(lect, plain, [echo])
    steps = [AgentStep(AgentAction("echo", "hi", "Follow up: hi" if lect == "self_ask" else ""), "<hi>")]
    assert mine.request(steps, input="q") == theirs.request(steps, input="q")
    assert mine.to_mermaid() == theirs.to_mermaid()


def plain(prompt: Any, *, stop: Any = None, tools: Any = None) -> str:
    return " x\nFinal Answer: 1"


@each
def test_35_a_prompt_is_a_template_a_list_or_a_prompt(lect: str) -> None:
    build, _ = BUILDERS[lect]
    made = [build(plain, [echo], form) for form in (prompt_of(lect), Prompt(prompt_of(lect)))]
    assert made[0].prompt_for(input="q") == made[1].prompt_for(input="q")


def test_the_arguments_have_the_names_and_the_order_of_langchain() -> None:
    found = {build: list(inspect.signature(build).parameters) for build, _ in BUILDERS.values()}
    assert found == {
        create_react_agent: ["llm", "tools", "prompt", "output_parser", "tools_renderer", "stop_sequence"],
        create_structured_chat_agent: ["llm", "tools", "prompt", "tools_renderer", "stop_sequence"],
        create_json_chat_agent: [
            "llm", "tools", "prompt", "stop_sequence", "tools_renderer", "template_tool_response",
        ],
        create_xml_agent: ["llm", "tools", "prompt", "tools_renderer", "stop_sequence"],
        create_self_ask_with_search_agent: ["llm", "tools", "prompt"],
        create_tool_calling_agent: ["llm", "tools", "prompt", "message_formatter"],
        create_openai_functions_agent: ["llm", "tools", "prompt"],
    }  # fmt: skip
    assert list(inspect.signature(OPENAI_TOOLS).parameters) == ["llm", "tools", "prompt", "strict"]
    keyword_only = {
        name for build in found for name, x in inspect.signature(build).parameters.items() if x.kind is x.KEYWORD_ONLY
    }
    assert keyword_only == {"stop_sequence", "message_formatter"}


def test_all_of_them_are_names_of_polylect() -> None:
    for build in (*(build for build, _ in BUILDERS.values()), OPENAI_TOOLS):
        assert getattr(polylect, build.__name__) is build
        assert build.__name__ in polylect.__all__
        assert build.__name__ in polylect.agent.__all__


# --- early failures ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lect", "variable"), [(lect, word.strip("{}")) for lect in BUILDERS for word in BUILDERS[lect][1].split()]
)
def test_35_a_required_variable_is_missed_when_the_pipeline_is_built(lect: str, variable: str) -> None:
    build, _ = BUILDERS[lect]
    if variable == "input":  # LangChain requires none of the caller's own
        build(plain, [echo], prompt_of(lect, variable))
        return
    with pytest.raises(PromptError, match=f"The prompt has no {{{variable}}}"):
        build(plain, [echo], prompt_of(lect, variable))


def test_35_the_message_names_all_that_is_missing() -> None:
    fails(
        PromptError,
        "The prompt has no {agent_scratchpad}, {tools}, {tool_names}. Its variables: {input}.",
        lambda: create_react_agent(plain, [echo], "{input}"),
    )


def test_35_variables_with_a_value_are_there() -> None:
    prompt = Prompt("{tools} {tool_names} {input} {agent_scratchpad}").partial(tools="mine", tool_names="my names")
    assert create_react_agent(plain, [echo], prompt).prompt_for(input="q") == "mine my names q "


class Binds:
    """A chat model that takes its tools by ``bind_tools``."""

    name = "binds"

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.bound: Any = None

    def bind_tools(self, tools: Any) -> Binds:
        if self.error is not None:
            raise self.error
        self.bound = tools
        return self

    def __call__(self, messages: Any) -> Any:
        return {"role": "assistant", "content": "42"}


@pytest.mark.parametrize("build", [create_tool_calling_agent, create_openai_tools_agent, create_openai_functions_agent])
def test_35_a_model_that_cannot_bind_tools(build: Callable[..., Pipeline]) -> None:
    def text_model(prompt: str) -> str:
        return ""

    with pytest.raises(PromptError, match="The model 'text_model' can't bind tools: it has no bind_tools"):
        build(text_model, [echo])
    with pytest.raises(PromptError, match="The model 'binds' can't bind tools: NotImplementedError"):
        build(Binds(NotImplementedError()), [echo])


@pytest.mark.parametrize("build", [create_tool_calling_agent, create_openai_tools_agent, create_openai_functions_agent])
def test_54_a_model_is_bound_to_its_tools_once(build: Callable[..., Pipeline]) -> None:
    model = Binds()
    assert Agent(build(model, [echo])).run("q").output == "42"
    assert len(model.bound) == 1


@pytest.mark.parametrize("tools", [[], [echo, {"name": "search"}]], ids=["none", "two"])
def test_60_self_ask_asks_exactly_one_tool(tools: Any) -> None:
    told = ", ".join(getattr(x, "__name__", "search") for x in tools) or "none"
    fails(
        ToolError,
        f"Self-ask asks exactly one tool, and these were given: {told}.",
        lambda: create_self_ask_with_search_agent(plain, tools),
    )


@pytest.mark.parametrize("name", ["Intermediate Answer", "search", "anything"])
def test_60_the_only_tool_of_self_ask_has_any_name(name: str) -> None:
    tool = Tool(name, "", {"type": "object", "properties": {"q": {"type": "string"}}}, lambda q: f"A:{q}")
    asked = model("Yes.\nFollow up: who?", "So the final answer is: Bob")
    prompt = "{chat_history}Q: {input}\nAre follow up questions needed here:{agent_scratchpad}"
    built = Agent(create_self_ask_with_search_agent(asked, [tool], prompt))
    result = built.run("q")
    assert (result.output, result.steps[0].action.tool, observations(result)) == ("Bob", name, ["A:who?"])
    assert asked.asked[0].stop == ("\nIntermediate answer",)
    assert str(asked.asked[1].prompt).startswith("Q: q\nAre follow up questions needed here:Yes.\nFollow up: who?\n")
    assert str(built.pipeline.prompt_for(input="q", chat_history="Before.\n")).startswith("Before.\nQ: q\n")


def test_60_a_json_chat_needs_a_place_for_the_result() -> None:
    with pytest.raises(LectError, match=r"tool_response is a text with \{observation\} in it, not 'Here it is\.'"):
        create_json_chat_agent(plain, [echo], template_tool_response="Here it is.")


# --- what can be chosen -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lect", STOPS)
def test_42_stop_sequence_is_true_for_the_lects_own_false_for_none_or_strings(lect: str) -> None:
    build, _ = BUILDERS[lect]
    assert build(plain, [echo]).stop == (STOPS[lect],)
    assert build(plain, [echo], stop_sequence=False).stop == ()
    assert build(plain, [echo], stop_sequence=["END", "STOP"]).stop == ("END", "STOP")


def test_42_a_stop_string_that_cuts_the_tongue_itself_is_refused() -> None:
    with pytest.raises(PromptError, match="cuts this message of react short"):
        create_react_agent(plain, [echo], stop_sequence=["Action Input"])


@pytest.mark.parametrize("lect", STOPS)
def test_47_a_renderer_tells_the_tools(lect: str) -> None:
    def names(tools: Sequence[Tool]) -> str:
        return "; ".join(tool.name.upper() for tool in tools)

    build, _ = BUILDERS[lect]
    assert "ECHO" in str(build(plain, [echo], tools_renderer=names).prompt_for(input="q"))


def test_47_structured_chat_tells_the_schemas() -> None:
    said = [
        str(build(plain, [echo]).prompt_for(input="q")) for build in (create_react_agent, create_structured_chat_agent)
    ]
    assert ["echo(text: string)" in text for text in said] == [True, False]
    assert ['arguments: {"text": {"type": "string"}}' in text for text in said] == [False, True]


def test_55_an_output_parser_of_ones_own() -> None:
    def done(text: str) -> AgentFinish:
        return AgentFinish({"output": text.partition("DONE:")[2].strip()})

    assert Agent(create_react_agent(model("Well. DONE: 42"), [echo], output_parser=done)).run("q").output == "42"


@pytest.mark.parametrize("name", ["react_json", "mrkl"])
def test_55_a_lect_as_the_output_parser_is_spoken_instead(name: str) -> None:
    lect = polylect.lect(name)
    asked = model(call(lect), answer(lect))
    pipeline = create_react_agent(asked, [echo], prompt_of("react"), lect)
    assert pipeline.lect is lect
    assert Agent(pipeline).run("q").output == "42"


def test_35_a_message_formatter_is_given_steps_that_unpack() -> None:
    def last_result(steps: Any) -> list[dict[str, Any]]:
        return [{"role": "user", "content": f"{action.tool} said {seen}"} for action, seen in steps][-1:]

    asked = model(call("tool_calls"), answer("tool_calls"))
    assert Agent(create_tool_calling_agent(asked, [echo], message_formatter=last_result)).run("q").output == "42"
    assert asked.asked[1].prompt[-1] == {"role": "user", "content": "echo said <hi>"}


def test_60_a_json_chat_brings_results_in_words_of_ones_own() -> None:
    asked = model(call("json_chat"), answer("json_chat"))
    built = create_json_chat_agent(asked, [echo], template_tool_response="It says: {observation}. Go on.")
    assert Agent(built).run("q").output == "42"
    assert asked.asked[1].prompt[-1] == {"role": "user", "content": "It says: <hi>. Go on."}


# --- strict tools -----------------------------------------------------------------------------------------------------


def forecast(city: str, days: int = 3, unit: str | None = None) -> str:
    """The weather to come."""
    return f"{city} {days} {unit}"


def told(strict: bool | None, *tools: Any) -> list[dict[str, Any]]:
    return OPENAI_TOOLS(plain, tools, strict=strict).request(input="q").tools or []


def test_45_strict_is_said_only_when_it_is_chosen() -> None:
    assert [told(choice, echo)[0]["function"].get("strict", "unsaid") for choice in (None, False, True)] == [
        "unsaid",
        False,
        True,
    ]
    assert told(None, echo) == create_tool_calling_agent(plain, [echo]).request(input="q").tools


def test_45_a_strict_tool_is_closed_and_needs_all_its_arguments() -> None:
    (tool,) = told(True, forecast)
    assert tool == polylect.openai_tools([forecast], strict=True)[0]
    parameters = tool["function"]["parameters"]
    assert (parameters["required"], parameters["additionalProperties"]) == (["city", "days", "unit"], False)


def test_45_null_in_a_strict_call_means_that_the_argument_is_left_out() -> None:
    asked = model(call("tool_calls", "forecast", {"city": "Oslo", "days": None, "unit": None}), answer("tool_calls"))
    assert observations(Agent(OPENAI_TOOLS(asked, [forecast], strict=True)).run("q")) == ["Oslo 3 None"]


def test_45_arguments_of_any_name_cannot_be_strict() -> None:
    anything = Tool("note", "", {"type": "object", "properties": {"a": {"type": "object"}}})
    with pytest.raises(ToolError, match="Strict mode has no words for the schema of tool 'note'"):
        told(True, anything)
    assert told(False, anything)


def test_45_strict_is_true_false_or_none() -> None:
    odd: Any = "yes"
    fails(PromptError, "strict is True, False or None, not 'yes'.", lambda: told(odd, echo))


def test_45_custom_tools_have_no_schema_to_be_strict_about() -> None:
    custom = {"type": "custom", "custom": {"name": "code", "description": "Run it."}}
    for choice in (True, False):
        assert told(choice, custom) == told(None, custom)
