"""The tongue of ``polylect_done`` in one file, for ``polylect --plugin my_format.py``."""

from __future__ import annotations

import re

import polylect


class MyFormat(polylect.TextLect):
    """``CALL tool: input`` and ``DONE: answer``; inputs are texts."""

    name = "my_format"
    title = "CALL tool: input, DONE: answer"
    family = "own"
    grammar_file = r"""
start: content? (call | answer | observation)*
content: TEXT
call: CALL name COLON arguments?
name: NAME
arguments: TEXT
answer: DONE TEXT?
observation: OBSERVATION TEXT?

written: content? call* answer?

CALL: /\n[ \t\r\n]{0,8}CALL[ \t]{1,8}(?=[^:\n]{1,64}:)/
COLON: /:[ \t]{0,8}/
DONE: /[ \t\r\n]{1,8}DONE:[ \t]{0,8}/
OBSERVATION: /\n[ \t\r\n]{0,8}Observation(?:[ \t]{0,8}:[ \t]{0,8}|\Z)/
NAME: /[^:]+/
TEXT: /(?:(?!/ CALL /|/ DONE /|/ OBSERVATION /)[\s\S])+/
"""
    lead = "\n"
    stops = ("\nObservation",)
    policies = polylect.Policies(both="final")
    features = frozenset({"content", "calls", "several_calls", "answer", "text_input", "content_with_calls"})
    hint = "Write 'CALL tool: input' on a line of its own, or 'DONE: answer'."
    examples = ("I look it up.\nCALL search: Oslo\nCALL search: Bergen", "DONE: 42")
    marks = re.compile(r"(?m)(^[ \t\r]*(?=\\*(?:CALL[ \t]|Observation))|(?:^|(?<=\s))(?=\\*DONE:))(\\*)")

    def read_text(
        self, name: str, raw: str, tool: polylect.Tool | None, policies: polylect.Policies, open_end: bool
    ) -> polylect.Arguments:
        """The input, without the blanks around it."""
        return self.unescape(raw).strip(), "complete", None

    def no_arguments(self, name: str, tool: polylect.Tool | None) -> polylect.Arguments:
        """Nothing behind the colon is an empty input."""
        return "", "complete", None

    def write(self, reply: polylect.Reply, tools: polylect.Toolbox | None = None) -> str:
        """The turn, every call on a line of its own."""
        lines = [reply.content] if reply.content else []
        lines += [f"CALL {call.name}: {self.escape(str(call.arguments))}" for call in reply.calls]
        lines += [] if reply.answer is None else [f"DONE: {reply.answer}"]
        return "\n".join(lines)

    def escape(self, text: str) -> str:
        """A backslash before each word that would be a marker."""
        return self.marks.sub(r"\1\2\\", text)

    def unescape(self, text: str) -> str:
        """Takes off the backslashes that :meth:`escape` put in."""
        return self.marks.sub(lambda found: found[1] + found[2][1:], text)


polylect.register(MyFormat())
