"""The lect ``mistral_v11_args``."""

from __future__ import annotations

import re

from polylect import AgentStep, Call, Toolbox

from ._body import NamedJson

_ID = re.compile(r"[A-Za-z0-9]{9}")


class MistralV11Args(NamedJson):
    """``[TOOL_CALLS]name[ARGS]{…}``, once for each call; ``[CALL_ID]id`` before ``[ARGS]`` where a call has such an id.

    Source: mistral-common's tokenizers v11 and v13, and the chat templates of Mistral-Small-3.2 and Ministral 3.
    """

    name = "mistral_v11_args"
    title = "Mistral: [TOOL_CALLS]name[ARGS]{…}"
    grammar_file = "mistral_v11_args.lark"
    think = ("[THINK]", "[/THINK]")
    head = "[TOOL_CALLS]"
    sep = "[ARGS]"
    stops = ("</s>",)
    between = model_prefix = "[/TOOL_RESULTS]"
    special = (
        "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]", "[THINK]", "[/THINK]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]",
        "[TOOL_CONTENT]", "[INST]", "[/INST]", "<think>", "</think>", "</s>",
    )  # fmt: skip
    thinking = r"/(?:(?!/ END_THINK /|/ CALL /)[\s\S])+/"
    examples = (
        '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris", "days": 3}',
        "[THINK]I look it up.[/THINK]One moment.[TOOL_CALLS]now[ARGS]{}",
        '[TOOL_CALLS]a[CALL_ID]callaaaa1[ARGS]{"b": "[TOOL_CALLS]now[ARGS]{}"}'
        "[TOOL_CALLS]now[CALL_ID]callaaaa2[ARGS]{}",
        "It rains in Paris.",
    )
    sources = (
        "https://github.com/mistralai/mistral-common",
        "https://huggingface.co/mistralai/Mistral-Small-3.2-24B-Instruct-2506",
        "https://huggingface.co/mistralai/Ministral-3-14B-Reasoning-2512",
    )
    quirks = (
        "Mistral Small 3.2 has [CALL_ID] and an id of nine letters and digits before [ARGS]; it is written for calls "
        "with such an id, whose results then name it too. Later models have none: results stand in the order of calls.",
        "Some checkpoints leave [ARGS] out: the object begins right behind the name.",
        "Nothing closes a call but its JSON: brackets in strings must not be counted.",
        "Magistral of 2025-06 writes <think> and </think> as text; later models have the tokens [THINK] and [/THINK].",
        "[TOOL_CALLS] counts only where a name and [ARGS], [CALL_ID] or { follow; else it is text.",
    )

    def write_call(self, call: Call, tools: Toolbox | None) -> str:
        """The call, with its id if it is one of this tongue."""
        middle = f"[CALL_ID]{call.id}" if call.id is not None and _ID.fullmatch(call.id) else ""
        return f"{self.head}{call.name}{middle}{self.sep}{self.json(call)}"

    def opening(self, step: AgentStep, *, first: bool) -> str:
        """The result's marker, with the id of its call if that is one of this tongue."""
        given = step.action.id
        told = f"{given}[TOOL_CONTENT]" if given is not None and _ID.fullmatch(given) else ""
        return f"{'</s>' if first else ''}[TOOL_RESULTS]{told}"
