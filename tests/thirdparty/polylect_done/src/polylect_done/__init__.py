"""The lect ``done``: ``CALL tool: input`` and ``DONE: answer``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polylect

MARKS = re.compile(r"(?m)(^[ \t\r]*(?=\\*(?:CALL[ \t]|Observation))|(?:^|(?<=\s))(?=\\*DONE:))(\\*)")
"""Where a marker would begin: the words of a call and an observation at the start of a line, ``DONE:`` anywhere."""


class Done(polylect.TextLect):
    """A model writes ``CALL tool: input``, once or several times, and in the end ``DONE: answer``."""

    name = "done"
    title = "CALL tool: input, DONE: answer"
    family = "done"
    grammar_file = Path(__file__).with_name("done.lark")
    lead = "\n"
    stops = ("\nObservation",)
    policies = polylect.Policies(both="final")
    features = frozenset(
        {"content", "calls", "several_calls", "answer", "text_input", "object_input"}
        | {"content_with_calls", "content_with_answer"}
    )
    hint = "Write 'CALL tool: input' on a line of its own, or 'DONE: answer'."
    examples = (
        "I look it up.\nCALL search: weather in Oslo",
        "CALL search: Oslo\nCALL search: Bergen",
        'CALL forecast: {"city": "Oslo", "days": 3}',
        "thinking DONE: 42",
        "DONE: It rains in Oslo,\nand in Bergen too.",
    )

    def read_text(
        self, name: str, raw: str, tool: polylect.Tool | None, policies: polylect.Policies, open_end: bool
    ) -> polylect.Arguments:
        """The input: text, or a JSON object for tools with several arguments or none."""
        return polylect.read_input(name, self.unescape(raw).strip(), tool)

    def no_arguments(self, name: str, tool: polylect.Tool | None) -> polylect.Arguments:
        """Nothing behind the colon is an empty input."""
        return polylect.read_input(name, "", tool)

    def write(self, reply: polylect.Reply, tools: polylect.Toolbox | None = None) -> str:
        """The turn, every call on a line of its own."""
        lines = [reply.content] if reply.content else []
        for call in reply.calls:
            given = call.arguments
            text = json.dumps(given, ensure_ascii=False) if isinstance(given, dict) else polylect.quote(given or "")
            lines.append(f"CALL {call.name}: {self.escape(text)}")
        if reply.answer is not None:
            lines.append(f"DONE: {reply.answer}")
        return "\n".join(lines)

    def escape(self, text: str) -> str:
        """A backslash before each word that would be a marker."""
        return MARKS.sub(r"\1\2\\", text)

    def unescape(self, text: str) -> str:
        """Takes off the backslashes that :meth:`escape` put in."""
        return MARKS.sub(lambda found: found[1] + found[2][1:], text)


@polylect.hookimpl
def polylect_lects() -> list[polylect.LectSpec]:
    """The lects of this plugin."""
    return [polylect.LectSpec("done", Done.title, "done", Done)]
