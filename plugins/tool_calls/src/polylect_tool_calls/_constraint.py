"""The constraint of a tongue of messages: the tools themselves, in the form that a server keeps the model to.

Where a server makes the calls, no grammar reaches them: what can be asked of it is that arguments follow the schemas of
the tools, and that there is a call or none.

Sources: the OpenAI API guides "Structured Outputs" and "Function calling"; the Anthropic API reference, "Messages";
vLLM, "Tool Calling"; SGLang, "Tool Parser"; llama.cpp, ``docs/function-calling.md``; Ollama, "API".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from polylect import ConstraintError, Toolbox, ToolError, openai_tools, toolbox
from polylect.constraint import Constraint, Report, Request, check_server
from polylect.plugin import Tools

from ._lect import TARGET

CHOICES = ("auto", "required", "none")
NULL = "an argument that may be left out is always there, and null where it is left out"
ONE_CALL = "one call a turn: no server keeps several at a time to their schemas"
TEXT = "what the model says beside its calls is free"
OLD = "the older API has no strict mode: arguments are not held to their schemas"


class ToolsConstraint(Constraint):
    """Tools in strict mode, a choice of them, and how many calls a turn may have.

    Attributes:
        value: ``{"tools": […], "tool_choice": …, "parallel_tool_calls": …}`` in the form of OpenAI's chat completions.
    """

    def __init__(
        self,
        lect: str,
        told: Sequence[dict[str, Any]],
        names: Mapping[str, str],
        choice: str,
        *,
        several: bool,
        legacy: bool,
    ) -> None:
        self.lect, self.target, self.stops, self.tools = lect, TARGET, (), tuple(names)
        self.prefix, self.special = "", ()
        self._told, self._choice, self._several, self._legacy = list(told), names.get(choice, choice), several, legacy
        self._named = choice not in CHOICES
        self._fields: dict[str, Any] = self._functions() if legacy else self._openai()
        self.value = self._fields
        if legacy:
            reasons: tuple[str, ...] = (OLD, TEXT) if told else ()
            self.report = Report("superset" if told else "exact", reasons)
            return
        self.report = Report("subset", (NULL, *(() if several else (ONE_CALL,)), TEXT)) if told else Report("exact")

    def _functions(self) -> dict[str, Any]:
        """The fields as OpenAI's older API has them."""
        if not self._told:
            return {}
        return {"functions": self._told, "function_call": {"name": self._choice} if self._named else self._choice}

    def _openai(self, choice: Any = None) -> dict[str, Any]:
        """The fields as OpenAI's API has them."""
        if not self._told:
            return {}
        named = {"type": "function", "function": {"name": self._choice}}
        chosen = choice or (named if self._named else self._choice)
        return {"tools": self._told, "tool_choice": chosen, "parallel_tool_calls": self._several}

    def matches(self, text: str) -> bool:
        """Nothing is written here: the server makes the calls."""
        raise ConstraintError(f"{self.lect} speaks messages, which the server makes: there is no text to match.")

    def sample(self, seed: int = 0) -> str:
        """Nothing is written here: the server makes the calls."""
        raise ConstraintError(f"{self.lect} speaks messages, which the server makes: there is no text to sample.")

    def check(self) -> None:
        """The schemas were checked when they were made strict."""

    def request(self, server: str) -> Request:
        """The fields of a request to this server; see :meth:`polylect.constraint.Constraint.request`."""
        check_server(server, TARGET)
        if self._legacy:
            if server not in ("openai", "vllm"):
                raise ConstraintError(f"{server} has no functions, the older form of tools. Use the lect tool_calls.")
            return Request(dict(self._fields), (f"The server does not see to it: {OLD}.",) if self._told else ())
        if not self._told:
            return Request({}, ("There are no tools, so there is nothing to hold the model to.",))
        return _MAKERS[server](self)

    # --- servers --------------------------------------------------------------------------------------------------

    def for_openai(self) -> Request:
        """Chat completions: strict mode."""
        notes = [f"{TEXT[0].upper()}{TEXT[1:]}."]
        if self._several:
            notes.append("Strict mode may not hold where the model makes several calls at a time.")
        return Request(self._openai(), tuple(notes))

    def for_responses(self) -> Request:
        """OpenAI's newer API, where a tool is flat."""
        fields = self._openai()
        fields["tools"] = [{"type": "function", **tool["function"]} for tool in self._told]
        if self._named:
            fields["tool_choice"] = {"type": "function", "name": self._choice}
        return Request(fields, self.for_openai().notes)

    def for_vllm(self) -> Request:
        """The server vLLM."""
        return Request(
            self._openai(), (self._auto("vLLM"), "The server needs --tool-call-parser for tool_choice auto.")
        )

    def for_sglang(self) -> Request:
        """SGLang, which has strict tools by structural tags."""
        note = "The server needs --tool-call-parser, and --grammar-backend xgrammar for strict tools."
        return Request(self._openai(), (note,))

    def for_llama_cpp(self) -> Request:
        """llama.cpp, which takes a tool's name for auto: so only that tool is told, and a call is required."""
        fields = self._openai("required" if self._named else None)
        if self._named:
            fields["tools"] = [tool for tool in self._told if tool["function"]["name"] == self._choice]
        notes = [
            "The server needs --jinja, and a chat template that knows tools: without, it passes over them in silence.",
            "With tool_choice required the model may talk before its call, without end.",
            self._auto("llama.cpp"),
        ]
        return Request(fields, tuple(notes))

    def for_ollama(self) -> Request:
        """Ollama, which has tools and no more."""
        note = "Ollama enforces nothing of it: neither the schemas nor the choice of a tool."
        if self._choice == "none":
            return Request({}, ("No tools are told, so none can be called.",))
        named = [tool for tool in self._told if not self._named or tool["function"]["name"] == self._choice]
        return Request({"tools": named}, (note,))

    def for_anthropic(self) -> Request:
        """Anthropic's messages: strict tools."""
        tools = []
        for tool in self._told:
            function = tool["function"]
            made = {"name": function["name"], "input_schema": function["parameters"], "strict": True}
            tools.append({**made, **({"description": function["description"]} if "description" in function else {})})
        choice: dict[str, Any] = {"type": {"required": "any"}.get(self._choice, self._choice)}
        if self._named:
            choice = {"type": "tool", "name": self._choice}
        if choice["type"] != "none":
            choice["disable_parallel_tool_use"] = not self._several
        notes = (
            f"{TEXT[0].upper()}{TEXT[1:]}.",
            "The API takes no lengths, no bounds of numbers and few patterns in a strict schema, and says so.",
        )
        return Request({"tools": tools, "tool_choice": choice}, notes)

    def _auto(self, server: str) -> str:
        if self._choice == "auto":
            return f"With tool_choice auto {server} may leave arguments to the model; required or a name holds them."
        return f"{server} holds the arguments of required calls to the schemas of the tools."


_MAKERS = {
    "anthropic": ToolsConstraint.for_anthropic,
    "llama.cpp": ToolsConstraint.for_llama_cpp,
    "ollama": ToolsConstraint.for_ollama,
    "openai": ToolsConstraint.for_openai,
    "openai_responses": ToolsConstraint.for_responses,
    "sglang": ToolsConstraint.for_sglang,
    "vllm": ToolsConstraint.for_vllm,
}


def tools_constraint(
    lect: str,
    tools: Tools,
    *,
    target: str,
    tool_choice: str,
    prefix: str,
    max_calls: int | None,
    max_chars: int | None,
    special_tokens: Iterable[str],
    legacy: bool = False,
) -> ToolsConstraint:
    """The constraint of a tongue of messages; arguments as for :meth:`polylect.Lect.constraint`.

    Raises:
        ConstraintError: it is asked for what a server has to see to; or strict mode has no words for a tool.
        ToolError: a tool is broken.
    """
    if target != TARGET:
        raise ConstraintError(
            f"{lect} speaks messages: the server itself makes the calls, and no grammar reaches them. Its constraint "
            f"is the tools' strict schemas: target={TARGET!r}. For a grammar, take the model's own tongue (hermes, …)."
        )
    if prefix:
        raise ConstraintError(f"{lect} reads messages, and no prompt begins one: it takes no prefix.")
    if max_chars is not None or tuple(special_tokens):
        raise ConstraintError(f"{lect} speaks messages, whose text the server makes: max_chars and tokens are its own.")
    if max_calls is not None and (max_calls.__class__ is not int or max_calls < 1):
        raise ConstraintError(f"max_calls is a number from 1 on, not {max_calls!r:.40}.")
    box = toolbox(tools) or Toolbox()
    if tool_choice not in (*CHOICES, *box):
        raise ConstraintError(f"tool_choice is {tool_choice!r:.80}, and there is no such tool.")
    if tool_choice == "required" and not box:
        raise ConstraintError("tool_choice is 'required', and there are no tools.")
    names = {name: box.api_name(name) for name in box}
    if legacy:
        return _legacy(lect, box, names, tool_choice)
    try:
        told = openai_tools(box, strict=True)
    except ToolError as error:
        raise ConstraintError(str(error)) from error
    for tool in told:
        if "function" not in tool:
            raise ConstraintError(
                f"The tool {tool['custom']['name']!r} takes free text: it has no schema to hold it to."
            )
    return ToolsConstraint(lect, told, names, tool_choice, several=(max_calls or 1) > 1, legacy=False)


def _legacy(lect: str, box: Toolbox, names: dict[str, str], choice: str) -> ToolsConstraint:
    if choice == "required":
        if len(box) > 1:
            raise ConstraintError("The older API has no tool_choice 'required'. Name the tool, or use tool_calls.")
        choice = next(iter(box))
    told = [tool["function"] for tool in openai_tools(box) if "function" in tool]
    if len(told) < len(box):
        raise ConstraintError("A tool that takes free text has no form in the older API.")
    return ToolsConstraint(lect, told, names, choice, several=False, legacy=True)


__all__ = ["ToolsConstraint", "tools_constraint"]
