"""The lect ``xml_tags``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from polylect import Arguments, Call, LectError, Policies, Prompt, Reply, TextLect, Tool, Toolbox
from polylect.plugin import checked_words, only_text

from . import _prompt
from ._markup import escape, read_markup, unescape, write_markup

if TYPE_CHECKING:
    from polylect.constraint import Notation

WORDS = {
    "tool": "TOOL_WORD",
    "tool_input": "INPUT_WORD",
    "observation": "OBSERVATION_WORD",
    "final_answer": "FINAL_WORD",
}
LONGEST = 64
"""Characters in the name of one tag."""
_NAME = re.compile(r"[A-Za-z_][\w.-]{0,63}\Z")


class XmlTags(TextLect):
    """``<tool>``, ``<tool_input>``, ``<observation>``, ``<final_answer>``.

    Source: LangChain's XML agent, made for models that write XML well. ``tags`` gives other names:
    ``XmlTags(tags={"tool": "invoke"})``.

    Entities and CDATA are decoded, and text is escaped, with ``lxml``: no DTD, no entity of one's own, no network.
    Nested elements are arguments, typed by the tool's schema. The default stop string cuts before ``</tool_input>``;
    such a reply is whole.
    """

    name = "xml_tags"
    title = "XML tags: <tool>…</tool><tool_input>…</tool_input>, <final_answer>…</final_answer>"
    family = "xml_tags"
    aliases = ("xml",)
    grammar_file = "xml_tags.lark"
    plain_input = re.compile(r"[^&<]{0,4000}\Z")
    separators = ("\n", "")
    tolerant_names = True
    features = frozenset(
        {
            "reasoning", "content", "calls", "several_calls", "answer", "text_input", "object_input",
            "content_with_answer", "content_with_calls",
        }
    )  # fmt: skip
    examples = (
        "<tool>search</tool><tool_input>weather in Oslo</tool_input>",
        "I will look it up.\n<tool>search</tool>\n<tool_input>a &lt; b &amp;&amp; c</tool_input>",
        "<tool>forecast</tool><tool_input><city>Oslo</city><days>3</days></tool_input>",
        "<tool>search</tool><tool_input>Oslo</tool_input>\n<tool>search</tool><tool_input>Bergen</tool_input>",
        "<think>\n<tool>no</tool>\n</think>\n\n<final_answer>It rains.</final_answer>",
    )

    def __init__(self, tags: Mapping[str, str] | None = None) -> None:
        self.tags = {word: word for word in WORDS}
        given = checked_words(tags, "tag", WORDS, LONGEST)
        for word, tag in given.items():
            if tag is None or not _NAME.match(tag):
                raise LectError(f"{tag!r} is no XML name.")
            self.tags[word] = tag
        if len({tag.lower() for tag in self.tags.values()}) < len(WORDS):
            raise LectError("Two tags have one name.")
        super().__init__({WORDS[word]: f'"{tag}"i' for word, tag in given.items()})
        t = self.tags
        self.stops = (f"</{t['tool_input']}>",)
        self.completions = (*self.stops, f"</{t['final_answer']}>")
        self.answer_cue = f"<{t['final_answer']}>"
        self.observation_prefix, self.between = f"<{t['observation']}>", f"</{t['observation']}>"
        self.model_prefix = f"{self.between}\n"
        self.hint = (
            f"Write <{t['tool']}>name</{t['tool']}><{t['tool_input']}>input</{t['tool_input']}>, "
            f"or <{t['final_answer']}>answer</{t['final_answer']}>."
        )

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, with this lect's tags."""
        return _prompt.prompt(self.tags)

    def read_text(self, name: str, raw: str, tool: Tool | None, policies: Policies, open_end: bool) -> Arguments:
        """The input: text with its entities decoded, or nested elements as typed arguments."""
        text = self._without_partial_stop(raw) if open_end else raw
        return read_markup(name, text, tool, coerce=policies.types == "coerce", max_nesting=policies.max_nesting)

    def no_arguments(self, name: str, tool: Tool | None) -> Arguments:
        """A tool without an input: nothing, as long as it needs nothing."""
        if tool is None:
            return "", "complete", None
        if not tool.required:
            return {}, "complete", None
        return None, "invalid", f"The call of {name!r} has no <{self.tags['tool_input']}>. {self.hint}"

    def argument_notation(self) -> Notation:
        """Elements, with entities for markup."""
        from polylect.constraint import XmlText

        return XmlText()

    def missing_name(self) -> str:
        """The correction for an empty ``<tool>``."""
        return f"<{self.tags['tool']}> is empty. {self.hint}"

    def escape(self, text: str) -> str:
        """Markup characters as entities."""
        return escape(text if text.__class__ is str else only_text(text))

    def unescape(self, text: str) -> str:
        """Entities and CDATA as the text they stand for."""
        return unescape(text if text.__class__ is str else only_text(text))

    def write(self, reply: Reply, tools: Toolbox | None = None) -> str:
        """The turn: think block, prose, then the calls or the answer."""
        marked = bool(reply.calls) or reply.answer is not None
        out = [f"<think>\n{reply.reasoning}\n</think>"] if reply.reasoning else []
        out.append(reply.content)
        if marked and (reply.content.endswith("\n") if reply.content else reply.reasoning):
            out.append("\n")  # the line break before a tag is the tag's
        out.extend(self._call(call, tools) for call in reply.calls)
        if reply.answer is not None:
            out.append(f"<{self.tags['final_answer']}>{reply.answer}</{self.tags['final_answer']}>")
        return "".join(out)

    def _call(self, call: Call, tools: Toolbox | None) -> str:
        name, tool_input = self.tags["tool"], self.tags["tool_input"]
        arguments = call.arguments
        tool = None if tools is None else tools.get(call.name)
        body = write_markup(arguments, tool) if isinstance(arguments, dict) else escape(arguments or "")
        return f"<{name}>{escape(call.name)}</{name}><{tool_input}>{body}</{tool_input}>"

    def _without_partial_stop(self, text: str) -> str:
        """Text without a piece of the stop string at its end, which some servers leave there."""
        stop = self.stops[0]
        size = next((n for n in range(len(stop), 2, -1) if text.endswith(stop[:n])), 0)
        return text[: len(text) - size]

    @cached_property
    def _inputs(self) -> re.Pattern[str]:
        """The opening and closing tags of inputs, as the grammar has them."""
        markers = self.grammar.tables.markers
        return re.compile(f"(?P<open>{markers['INPUT']})|{markers['END_INPUT']}")

    def finished(self, log: str) -> str:
        """The action's text, its closing tag put back if a stop string cut it off."""
        tags = list(self._inputs.finditer(log))
        if not tags or tags[-1]["open"] is None:
            return log
        return self._without_partial_stop(log) + self.stops[0]
