"""What the label tongues share: their words, and labels inside text made harmless."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from polylect import (
    Arguments,
    Call,
    LectError,
    Policies,
    Reply,
    TextLect,
    Tool,
    quote,
    read_input,
    without_partial_stop,
)
from polylect.plugin import checked_words, dumps, only_text

WORDS = {
    "thought": "THOUGHT_WORD",
    "action": "ACTION_WORD",
    "input": "INPUT_WORD",
    "observation": "OBSERVATION_WORD",
    "question": "QUESTION_WORD",
    "final": "FINAL_WORD",
    "human": "HUMAN_WORD",
}
LABELS = ("THOUGHT", "ACTION", "INPUT", "OBSERVATION", "QUESTION", "FINAL")
OPTIONAL = ("thought", "question", "human")
"""The labels that a tongue can do without."""
LINE = "\n[ \t\r\n]{0,8}"
"""How every label's pattern begins: at the start of a line. (Lark has put the characters in for the escapes.)"""
LONGEST = 64
"""Characters in one label: far more than any has."""
_ODD = re.compile(r"[\r\n]|</?think>", re.I)
START = r"(?:\A|(?<![ \t\r\n])[ \t\r]*+\n)[ \t\r\n]*+"
"""Where a label may begin, in a text of any kind: all blanks count, for a marker before the text takes some of them."""
NEVER = r"/(?:\x00){64}/"
"""A word that no model writes, for labels that are switched off."""

_QUOTED = "{`\"'"
"""First characters of inputs that may be more than plain text; the empty input counts as one of them."""


def _any_case(word: str) -> str:
    """A word as a lark terminal that takes it in any case."""
    escaped = re.escape(word).replace("/", r"\/")
    return f"/(?i:{escaped})/"


class LabelLect(TextLect):
    """A tongue whose structure is labels at the starts of lines.

    ``labels`` gives other words, ``{"thought": "Gedanke", "action": "Aktion", …}``; the keys are those of
    :data:`WORDS`, and None switches one of :data:`OPTIONAL` off.

    Raises:
        LectError: there is no label of such a name, a word is empty or taken, or the label is needed.
    """

    lead = "\n"
    tolerant_names = True
    separators = ("\n", "")
    features = frozenset(
        {
            "reasoning", "content", "calls", "several_calls", "answer", "text_input", "object_input",
            "content_with_answer", "content_with_calls",
        }
    )  # fmt: skip
    words: Mapping[str, str] = {}
    input_mark: str
    """What an action without an input lacks, for the correction."""

    def __init__(self, labels: Mapping[str, str | None] | None = None) -> None:
        replace = {}
        given = checked_words(labels, "label", self.words, LONGEST)
        for label, word in given.items():
            if word is None and label not in OPTIONAL:
                can = ", ".join(word for word in OPTIONAL if word in self.words)
                raise LectError(f"The label {label!r} can't be switched off; only these can: {can}.")
            if word is not None and not word.strip():
                raise LectError(f"The word for the label {label!r} is empty.")
            if word is not None and _ODD.search(word.strip()):
                raise LectError(f"The word for the label {label!r} has a line break or a think tag in it.")
            replace[WORDS[label]] = NEVER if word is None else _any_case(word.strip())
        self.words = {**self.words, **{k: (v or "").strip() for k, v in given.items()}}
        used = [word.casefold() for word in self.words.values() if word]
        if len(set(used)) < len(used):
            raise LectError("Two labels have one word.")
        super().__init__(replace)
        self.observation_prefix = f"\n{self.words['observation']}: "
        self.model_prefix = f"\n{self.words['thought']}: " if self.words["thought"] else "\n"
        self.stops = (f"\n{self.words['observation']}",)
        if "final" in self.words:
            self.answer_cue = f"{self.words['final']}:"

    @cached_property
    def _labels(self) -> str:
        """A pattern for every label without its line break."""
        markers = self.grammar.tables.markers
        labels = [markers[name].removeprefix(LINE) for name in LABELS if name in markers]
        return "|".join([*labels, f"(?i:{re.escape(self.words['observation'])})"])  # the stop string has no colon

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """A label at the start of a line, a stop string, or a think tag, up to where a backslash makes it harmless."""
        return re.compile(rf"{START}\\*(?={self._labels})|<\\*(?=/?think>)")

    @cached_property
    def _escapes(self) -> re.Pattern[str]:
        """A backslash that may be one of :meth:`escape`'s."""
        return re.compile(rf"\\(?={self._labels}|/?think>)")

    def escape(self, text: str) -> str:
        """A backslash before each label that would stand at the start of a line, and inside think tags."""
        text = text if text.__class__ is str else only_text(text)
        return text if self._marks.search(text) is None else self._marks.sub(r"\g<0>\\", text)

    def unescape(self, text: str) -> str:
        """Takes off the backslashes that :meth:`escape` put in."""
        text = text if text.__class__ is str else only_text(text)
        if "\\" not in text or self._escapes.search(text) is None:  # most backslashes are the text's own
            return text
        return self._marks.sub(lambda mark: mark[0].removesuffix("\\"), text)

    def cue(self, following: str | None) -> str:
        """The label of the next thought, unless the next turn brings a label of its own, or a think block.

        A question that the model said again is for that no label: behind an observation it would belong to it.
        """
        if following is None or self._marks.match(following.lstrip()) is None:
            return self.model_prefix
        question = self.grammar.tables.markers.get("QUESTION")
        again = question is not None and re.match(question, f"\n{following.lstrip()}")
        return self.model_prefix if again else "\n"

    def read_text(self, name: str, raw: str, tool: Tool | None, policies: Policies, open_end: bool) -> Arguments:
        """The input: text, or a JSON object for tools with several arguments or none."""
        text = raw.strip()
        plain = (tool is None and text[:1] not in _QUOTED) or policies.types == "as_written"
        if plain and "\\" not in text and not (open_end and "\n" in text):
            return text, "complete", None
        if open_end:
            text = without_partial_stop(raw, self.stops).strip()
        text = self.unescape(text)
        return (text, "complete", None) if plain else read_input(name, text, tool, policies.max_nesting)

    def no_arguments(self, name: str, tool: Tool | None) -> Arguments:
        """An action without an input is whole only for a tool that needs none."""
        if not name:
            return None, "invalid", self.missing_name()
        if tool is not None and not tool.required:
            return {}, "complete", None
        return None, "invalid", f"The action {name!r} has no {self.input_mark}. {self.hint}"

    def missing_name(self) -> str:
        """The correction for an empty ``Action:``."""
        return f"'{self.words['action']}:' names no tool. {self.hint}"

    def said(self, reply: Reply) -> list[str]:
        """The lines of a turn before its calls and its answer."""
        lines = [reply.content] if reply.content else []
        return [*lines, f"{self.words['thought']}: {reply.reasoning}"] if reply.reasoning else lines

    def input(self, call: Call) -> str:
        """The input of a call as it is written."""
        given = call.arguments
        return self.escape(dumps(given) if isinstance(given, dict) else quote(given or ""))
