"""The lect ``openai_functions``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from polylect import AgentStep, Call, LectError, ParseError, Toolbox, ToolError, ToolLike
from polylect.plugin import Tools

from ._lect import ToolCalls
from ._shapes import from_json, legacy_call, open_message
from ._steps import as_functions, call_message


class OpenAIFunctions(ToolCalls):
    """Function calls as OpenAI's chat completions had them first: ``function_call``, and results of role ``function``.

    Source: the OpenAI API reference, "Chat completions", where ``functions`` and ``function_call`` are deprecated;
    servers and models of that time know nothing else. A message holds one call, and calls have no ids. Both forms are
    read; this one is written, and the tools are told for the key ``functions`` of a request.
    """

    name = "openai_functions"
    title = "Legacy function calls: OpenAI's function_call messages and their stream deltas"
    legacy = True
    features = ToolCalls.features - {"several_calls", "ids"}
    examples = (
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "forecast", "arguments": '{"city": "Oslo", "days": 3}'},
        },
        {"role": "assistant", "content": "It rains in Oslo,\nand in Bergen too."},
        {
            "role": "assistant",
            "content": "I look it up.",
            "reasoning_content": "A city in the north.",
            "function_call": {"name": "search", "arguments": '{"query": "\\u00c5lesund", "near": [62.5, 6.2]}'},
        },
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "note", "arguments": '{"__arg1": "umbrella"}'},
        },
        {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}},
    )

    def detect(self, text: str) -> float:
        """Nearly as sure as ``tool_calls``, which reads it too, where there is a ``function_call``; else 0."""
        if not super().detect(text):
            return 0.0
        try:
            return 0.9 if legacy_call(open_message(from_json(text)).fields) is not None else 0.0
        except ParseError:
            return 0.0

    def written_calls(self, calls: Sequence[Call], tools: Toolbox | None) -> dict[str, Any]:
        """The field of a message that holds its only call.

        Raises:
            LectError: there are several, or it can't be written.
        """
        if len(calls) > 1:
            raise LectError(f"{self.name} has no place for several calls: one a message.")
        (call,) = calls
        name = call.name if tools is None else tools.api_names.get(call.name, call.name)
        return {"function_call": call_message(name, "" if call.arguments is None else call.arguments, None)["function"]}

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: Any) -> list[dict[str, Any]]:
        """The scratchpad as messages: for each call the assistant's message, and its result as a function's.

        The calls of one turn, which a model may have made in the newer form, become messages one after another.
        Arguments and errors are those of :meth:`ToolCalls.format_steps`.
        """
        return list(as_functions(super().format_steps(steps, tools=tools, **policies)))

    def format_tools(self, tools: Iterable[ToolLike]) -> list[dict[str, Any]]:
        """The tools for the key ``functions`` of a request: name, description and parameters of each.

        Raises:
            ToolError: a tool is broken.
        """
        told = super().format_tools(tools)
        for tool in told:
            if "function" not in tool:
                raise ToolError(
                    f"The tool {tool['custom']['name']!r} takes free text, which the older API has no form for."
                )
        return [tool["function"] for tool in told]
