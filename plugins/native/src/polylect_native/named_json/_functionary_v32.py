"""The lect ``functionary_v32``."""

from __future__ import annotations

import re
from collections.abc import Sequence

from polylect import AgentStep, Policies, Reply, Toolbox

from ._code import WithCode

_BEGUN = re.compile(r"(?:all|python)\n|[\w.\-:/]{1,128}\n[ \t\r\n]{0,4}\{")


class FunctionaryV32(WithCode):
    """``>>>name`` and a line break, then the arguments; ``>>>all`` is text for the user.

    Source: the chat template of Functionary v3.2.
    """

    name = "functionary_v32"
    title = "Functionary 3.2: >>>name and {…}"
    grammar_file = "functionary_v32.lark"
    lead = "\n"
    head = ">>>"
    sep = "\n"
    stops = ("<|eot_id|>",)
    observation_prefix = "<|eot_id|><|start_header_id|>tool<|end_header_id|>\n\n"
    again = "<|start_header_id|>tool<|end_header_id|>\n\n"
    between = "<|eot_id|>"
    model_prefix = "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
    special = ("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>")
    marks = r">>[\w.\-:/]{1,128}(?:\n|\Z)"
    first = ">"
    examples = (
        '>>>get_weather\n{"city": "Paris", "days": 3}',
        ">>>all\nOne moment.>>>now\n{}",
        '>>>a\n{"b": ">>>now\\n{}"}>>>now\n{}',
        ">>>all\nIt rains in Paris.",
    )
    sources = ("https://huggingface.co/meetkai/functionary-medium-v3.2", "https://github.com/MeetKai/functionary")
    quirks = (
        "The first >>> stands in the prompt, so that outputs begin with a name: all and text, or a tool and "
        "its object.",
        "Nothing closes a call but its JSON, and nothing an answer but >>> and a name at the end of its line.",
        ">>>python carries code, not JSON: it is read as a call of python with the argument code.",
        "Results carry no names: they stand in the order of the calls.",
    )

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """Text under the name all, then the calls."""
        said = f">>>all\n{reply.content}" if reply.content else ""
        return said + (self.write_calls(reply.calls, tools) if reply.calls else "")

    def written_turns(
        self, steps: Sequence[AgentStep], policies: Policies, tools: Toolbox | None = None
    ) -> list[tuple[list[AgentStep], str]]:
        """As any lect's, with the ``>>>`` that the prompt began."""
        turns = super().written_turns(steps, policies, tools)
        return [(turn, f">>>{text}" if _BEGUN.match(text) else text) for turn, text in turns]

    def cue(self, following: str | None) -> str:
        """The end of the result and the beginning of the turn that the model shall write."""
        return self.model_prefix + (">>>" if following is None else "")
