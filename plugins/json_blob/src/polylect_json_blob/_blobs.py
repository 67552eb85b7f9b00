"""What the tongues of JSON blobs share: how a blob is read, checked and written, and blobs in texts made harmless."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

from polylect import (
    Arguments,
    Reply,
    TextLect,
    Tool,
    Toolbox,
    ToolLike,
    describe_tools_with_schemas,
    read_input,
    toolbox,
)
from polylect.plugin import dumps, only_text

from ._faults import schema_fault

LABELS = r"(?i:Observation|Thought|Action)[ \t]{0,2}[:：]|Observation"
"""The labels that may stand around blobs, and the stop string, at the start of a line."""
CUE = '```json\n{"action": "Final Answer", "action_input": "'
"""How a final answer begins that is a blob."""
_KEYED = r"(?:[ \t\r\n]{0,16}\\*[\"'“]|[ \t]{0,4}\\*)(?i:action_input|action|thoughts?|reasoning)[\"'”]?[ \t]{0,4}:"
_START = r"(?:\A|(?<![ \t\r\n])[ \t\r]*+\n)[ \t\r\n]*+"
_OPEN = r"(?=[ \t]{0,2}(?i:json|javascript)?[ \t\r\n]*\Z)"
_NEXT = "\n"


def marks_of(labels: str) -> re.Pattern[str]:
    """Where a blob, a label or a think tag begins; and at the end, what would hold the blob behind the text."""
    return re.compile(rf"\{{\\*(?={_KEYED})|{_START}\\*(?={labels})|<\\*(?=/?think>)|(?:`{{2,4}}|~{{3}}|\[)\\*{_OPEN}")


class BlobLect(TextLect):
    """A tongue whose calls are blobs, ``{"action": tool, "action_input": arguments}``, fenced or bare.

    Several blobs, or a list of them, are several calls; the action ``Final Answer`` is the answer. Arguments are
    checked against the tool's JSON Schema with ``jsonschema``.
    """

    family = "json_blob"
    lead = "\n"
    stops = ("\nObservation",)
    answer_cue = CUE
    answer_names = frozenset({"final answer", "final_answer"})
    separators = ("\n", "")
    model_prefix = "\nThought: "
    features = frozenset(
        {
            "reasoning", "content", "calls", "several_calls", "answer", "json_answer", "text_input", "object_input",
            "content_with_answer", "content_with_calls",
        }
    )  # fmt: skip
    hint = (
        'Write one JSON object {"action": "the tool\'s name", "action_input": {…}}, '
        'or {"action": "Final Answer", "action_input": "the answer"}.'
    )
    marks: ClassVar[re.Pattern[str]] = marks_of(LABELS)
    """Where :meth:`escape` puts a backslash."""

    def read_json(self, name: str, value: Any, tool: Tool | None) -> tuple[dict[str, Any] | str | None, str | None]:
        """An object or a text; null is an object without keys.

        Where the tool is known, a text that is the JSON of an object with its keys is that object (models encode it
        twice), any other text for a tool of several arguments is the only one that it needs, and a tool without
        arguments takes none.
        """
        if isinstance(value, str) and tool is not None:
            if value.lstrip().startswith("{") or not tool.properties:
                arguments, _, error = read_input(name, value.strip(), tool)
                return (arguments, None) if isinstance(arguments, dict) else (value, error)
            if not tool.takes_text and len(tool.required) == 1:
                return {tool.required[0]: value}, None
        if isinstance(value, (dict, str)):
            return value, None
        if value is None:
            return {}, None
        kind = {list: "a list", bool: "true or false"}.get(type(value), "a number")
        return None, f"The action_input of {name!r} must be a JSON object or a text, not {kind}. Send the blob again."

    def no_arguments(self, name: str, tool: Tool | None) -> Arguments:
        """A blob without ``action_input``: no arguments, as long as the tool needs none."""
        if (tool is None or not tool.required) and name.casefold() not in self.answer_names:
            return {}, "complete", None
        return None, "invalid", f"The blob of {name!r} has no action_input. {self.hint}"

    def missing_name(self) -> str:
        """The correction for a blob without ``action``."""
        return f'The blob has no "action". {self.hint}'

    def broken_call(self, name: str) -> str:
        """The correction for a blob that is not JSON."""
        what = f"The blob of {name!r}" if name else "The blob"
        return f"{what} is not valid JSON: use double quotes, no comments, no trailing commas. {self.hint}"

    def validate(self, tool: Tool, arguments: Any) -> str | None:
        """The first faults by the tool's schema, each with its path."""
        return schema_fault(tool, arguments)

    def repair(self, raw: str) -> Any:
        """Mended by ``json-repair``; MISSING when nothing came of it."""
        from ._faults import repaired

        return repaired(raw)

    def escape(self, text: str) -> str:
        """A backslash into each place where a blob, a label or a think block would begin."""
        return self.marks.sub(r"\g<0>\\", text if text.__class__ is str else only_text(text))

    def unescape(self, text: str) -> str:
        """Takes off the backslashes that :meth:`escape` put in."""
        text = text if text.__class__ is str else only_text(text)
        if "\\" not in text:
            return text
        return self.marks.sub(lambda mark: mark[0].removesuffix("\\"), text)

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: prose, the thought behind its label, and a fenced blob for each call or for the answer."""
        out = self.said(reply)
        for text in blobs(reply):
            label = f"{_NEXT}Action:{_NEXT}" if out == reply.content or not out.endswith("```") else _NEXT
            if out == reply.content and out.endswith("\n"):  # a label would take the line break
                label = ""
            out += f"{label if out else ''}```json\n{text}\n```"
        return out

    def said(self, reply: Reply) -> str:
        """What a reply says before its calls and its answer."""
        if not reply.reasoning:
            return reply.content
        return f"{reply.content}{_NEXT if reply.content else ''}Thought: {reply.reasoning}"

    def format_tools(self, tools: Iterable[ToolLike]) -> str:
        """Each tool with the JSON Schema of its arguments."""
        return describe_tools_with_schemas(toolbox(tools) or {})


def blobs(reply: Reply) -> list[str]:
    """The blobs of a reply's calls, and of its answer, each as it is written, on one line."""
    said = [(call.name, call.arguments) for call in reply.calls]
    if reply.answer is not None:
        said.append(("Final Answer", reply.answer))
    return [dumps({"action": action, "action_input": value}) for action, value in said]
