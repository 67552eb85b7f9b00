"""Pipelines under the names that LangChain gave its agents, with the same arguments, variables and early failures.

Each is :class:`polylect.Pipeline` in one lect and nothing more: run it with :class:`polylect.Agent`. An argument that
is left out comes from the lect. Prompts are a :class:`polylect.Prompt`, a template text, or a list of messages; without
one, the lect's own is used.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from .._api_tools import openai_tools
from .._errors import PromptError, ToolError
from .._lect import Lect
from .._pipeline import Pipeline
from .._prompt import Message, MessageLike, Prompt
from .._registry import registry
from .._stages import Decision, FormatScratchpad, ParseStage, PromptStage
from .._tools import Tool, Tools, toolbox
from .._values import AgentAction

AnyModel: TypeAlias = "Callable[..., Any] | None"
AnyPrompt: TypeAlias = "Prompt | str | Sequence[MessageLike] | PromptStage | None"
StopSequence: TypeAlias = "bool | str | Iterable[str]"
Renderer: TypeAlias = "Callable[[Sequence[Tool]], str]"
OutputParser: TypeAlias = "ParseStage | Callable[..., Decision | AgentAction] | Lect"


def create_react_agent(
    llm: AnyModel,
    tools: Tools,
    prompt: AnyPrompt = None,
    output_parser: OutputParser | None = None,
    tools_renderer: Renderer | None = None,
    *,
    stop_sequence: StopSequence = True,
) -> Pipeline:
    """ReAct in text: ``Thought``, ``Action``, ``Action Input``, ``Observation``, ``Final Answer``.

    Args:
        llm: the model: any callable of a text.
        tools: the tools, told in the prompt.
        prompt: with ``{tools}``, ``{tool_names}`` and ``{agent_scratchpad}``.
        output_parser: a callable of the model's text; or a lect that is spoken instead (``react_json``, ``mrkl``).
        tools_renderer: a callable of the list of tools that makes their text.
        stop_sequence: True for the lect's own (``"\\nObservation"``), False for none, or strings of your own.

    Raises:
        PromptError: a variable is missing from the prompt, or a stop string cuts the tongue's own messages short.
        LectError, ToolError: the lect is not installed; a tool is broken.
    """
    if isinstance(output_parser, Lect):
        return Pipeline(output_parser, llm, tools, prompt=prompt, render_tools=tools_renderer, stop=stop_sequence)
    return Pipeline(
        "react", llm, tools, prompt=prompt, parse=output_parser, render_tools=tools_renderer, stop=stop_sequence
    )


def create_structured_chat_agent(
    llm: AnyModel,
    tools: Tools,
    prompt: AnyPrompt = None,
    tools_renderer: Renderer | None = None,
    *,
    stop_sequence: StopSequence = True,
) -> Pipeline:
    """Actions and answers as JSON: ``{"action": …, "action_input": …}``; the tools are told with their schemas.

    Arguments and errors as for :func:`create_react_agent`.
    """
    return Pipeline("json_blob", llm, tools, prompt=prompt, render_tools=tools_renderer, stop=stop_sequence)


def create_json_chat_agent(
    llm: AnyModel,
    tools: Tools,
    prompt: AnyPrompt = None,
    stop_sequence: StopSequence = True,
    tools_renderer: Renderer | None = None,
    template_tool_response: str | None = None,
) -> Pipeline:
    """As :func:`create_structured_chat_agent`, in chat messages: results come as the user's next message.

    Args:
        llm: the model: any callable of a list of messages.
        tools: the tools, told in the prompt.
        prompt: messages, with ``{tools}``, ``{tool_names}`` and a placeholder ``{agent_scratchpad}``.
        stop_sequence: as for :func:`create_react_agent`.
        tools_renderer: as for :func:`create_react_agent`.
        template_tool_response: the text of a message that brings a result, with ``{observation}`` in it.

    Raises:
        PromptError, ToolError: as for :func:`create_react_agent`.
        LectError: the template has no place for the observation, or the lect is not installed.
    """
    lect = registry.lect("json_chat")
    if template_tool_response is not None:
        kind: Any = type(lect)
        lect = kind(template_tool_response)
    return Pipeline(lect, llm, tools, prompt=prompt, render_tools=tools_renderer, stop=stop_sequence)


def create_xml_agent(
    llm: AnyModel,
    tools: Tools,
    prompt: AnyPrompt = None,
    tools_renderer: Renderer | None = None,
    *,
    stop_sequence: StopSequence = True,
) -> Pipeline:
    """Calls and answers as XML: ``<tool>``, ``<tool_input>``, ``<observation>``, ``<final_answer>``.

    Arguments and errors as for :func:`create_react_agent`, but the prompt needs no ``{tool_names}``, and the stop
    string is ``"</tool_input>"``.
    """
    return Pipeline("xml_tags", llm, tools, prompt=prompt, render_tools=tools_renderer, stop=stop_sequence)


def create_self_ask_with_search_agent(llm: AnyModel, tools: Tools, prompt: AnyPrompt = None) -> Pipeline:
    """Follow-up questions, one after another, each answered by the only tool, whatever its name.

    Args:
        llm: the model: any callable of a text.
        tools: exactly one, which takes a question.
        prompt: with ``{agent_scratchpad}``; it need not tell the tool, and ``{chat_history}`` may be left out of a run.

    Raises:
        ToolError: there is no tool, or more than one.
        PromptError, LectError: as for :func:`create_react_agent`.
    """
    known = toolbox(tools)
    if known is None or len(known) != 1:
        told = ", ".join(known or ()) or "none"
        raise ToolError(f"Self-ask asks exactly one tool, and these were given: {told}.")
    lect = registry.lect("self_ask")
    if isinstance(prompt, Prompt) or (prompt is not None and not callable(prompt)):
        given = prompt if isinstance(prompt, Prompt) else Prompt(prompt)
        if "chat_history" in given.variables and not given.may_lack("chat_history"):
            defaults = {**given.defaults, "chat_history": ""}
            given = Prompt(given.template, partials=given.partials, defaults=defaults, prefix=given.prefix)
        if "tools" not in (*given.variables, *given.partials):
            lect = copy.copy(lect)
            lect.prompt = given  # a pipeline asks for the variables that the lect's own prompt has
        prompt = given
    return Pipeline(lect, llm, known, prompt=prompt)


def create_tool_calling_agent(
    llm: AnyModel,
    tools: Tools,
    prompt: AnyPrompt = None,
    *,
    message_formatter: FormatScratchpad | None = None,
) -> Pipeline:
    """Native tool calls, in the messages of OpenAI's chat completions.

    Args:
        llm: the model: a callable of a list of messages, with ``bind_tools`` or a keyword ``tools``.
        tools: the tools, told in the request.
        prompt: messages, with a placeholder ``{agent_scratchpad}``.
        message_formatter: a callable of the list of steps that makes messages; each step unpacks as ``action,
            observation``.

    Raises:
        PromptError: the prompt has no placeholder for the steps, or the model can't bind tools.
        LectError, ToolError: the lect is not installed; a tool is broken.
    """
    return Pipeline("tool_calls", llm, tools, prompt=prompt, format_scratchpad=message_formatter)


def create_openai_tools_agent(
    llm: AnyModel, tools: Tools, prompt: AnyPrompt = None, strict: bool | None = None
) -> Pipeline:
    """As :func:`create_tool_calling_agent`, where the API may be told to keep to the tools' schemas.

    Args:
        llm: as for :func:`create_tool_calling_agent`.
        tools: as for :func:`create_tool_calling_agent`.
        prompt: as for :func:`create_tool_calling_agent`.
        strict: True for OpenAI's strict mode: all arguments are required then, and there are no others; False to
            decline it; None to say nothing.

    Raises:
        PromptError: as for :func:`create_tool_calling_agent`; or ``strict`` is none of these.
        ToolError: strict mode has no words for a tool's schema; or a tool is broken.
    """
    if strict is None:
        return Pipeline("tool_calls", llm, tools, prompt=prompt)
    if not isinstance(strict, bool):
        raise PromptError(f"strict is True, False or None, not {strict!r:.80}.")
    return Pipeline("tool_calls", llm, tools, prompt=prompt, render_tools=_strict if strict else _lenient)


def _strict(tools: Sequence[Tool]) -> list[Message]:
    return openai_tools(tools, strict=True)


def _lenient(tools: Sequence[Tool]) -> list[Message]:
    """Tools that decline strict mode, where a server would choose it; custom ones have no schema to be strict about."""
    told = openai_tools(tools)
    return [{**one, "function": {**one["function"], "strict": False}} if "function" in one else one for one in told]


def create_openai_functions_agent(llm: AnyModel, tools: Tools, prompt: AnyPrompt = None) -> Pipeline:
    """The calls of OpenAI's older API: ``function_call``, one a message, and results of role ``function``.

    Arguments and errors as for :func:`create_tool_calling_agent`. The tools of a request are for its key ``functions``.
    """
    return Pipeline("openai_functions", llm, tools, prompt=prompt)
