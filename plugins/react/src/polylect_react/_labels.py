"""What the label tongues share: their words, and labels inside text made harmless."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from polylect import LectError, TextLect

WORDS = {
    "thought": "THOUGHT_WORD",
    "action": "ACTION_WORD",
    "input": "INPUT_WORD",
    "observation": "OBSERVATION_WORD",
    "question": "QUESTION_WORD",
    "final": "FINAL_WORD",
}
LABELS = ("THOUGHT", "ACTION", "INPUT", "OBSERVATION", "QUESTION", "FINAL")
LINE = "\n[ \t\r\n]{0,8}"
"""How every label's pattern begins: at the start of a line. (Lark has put the characters in for the escapes.)"""
NEVER = r"/(?:\x00){64}/"
"""A word that no model writes, for labels that are switched off."""


class LabelLect(TextLect):
    """A tongue whose structure is labels at the starts of lines.

    ``labels`` gives other words, ``{"thought": "Gedanke", "action": "Aktion", …}``; the keys are those of
    :data:`WORDS`, and None switches a label off.

    Raises:
        LectError: there is no label of such a name, or a word is empty.
    """

    lead = "\n"
    tolerant_names = True
    separators = ("\n", "")
    policies = TextLect.policies

    def __init__(self, labels: Mapping[str, str | None] | None = None) -> None:
        replace = {}
        for label, word in (labels or {}).items():
            if label not in self.words:
                raise LectError(f"There is no label {label!r}; there are: {', '.join(self.words)}.")
            if word is not None and not word.strip():
                raise LectError(f"The word for the label {label!r} is empty.")
            replace[WORDS[label]] = NEVER if word is None else f"/(?i:{re.escape(word.strip()).replace('/', '[/]')})/"
        super().__init__(replace)
        self.words = {**self.words, **{k: v or "" for k, v in (labels or {}).items()}}
        self.observation_prefix = f"\n{self.words['observation']}: "
        self.model_prefix = f"\n{self.words['thought']}: "
        self.stops = (f"\n{self.words['observation']}",)

    words: Mapping[str, str] = {}

    @cached_property
    def _marks(self) -> re.Pattern[str]:
        """A label at the start of a line, or a think tag, up to where a backslash makes it harmless."""
        markers = self.grammar.tables.markers
        labels = "|".join(markers[name].removeprefix(LINE) for name in LABELS if name in markers)
        return re.compile(rf"((?:\A|\n)[ \t\r\n]{{0,8}})(\\*)(?={labels})|(<)(\\*)(?=/?think>)")

    def escape(self, text: str) -> str:
        """A backslash before each label that would stand at the start of a line, and inside think tags."""
        return self._marks.sub(r"\1\2\3\4\\", text)

    def unescape(self, text: str) -> str:
        """Takes off the backslashes that :meth:`escape` put in."""
        if "\\" not in text:
            return text
        return self._marks.sub(lambda m: (m[1] or m[3] or "") + (m[2] or m[4] or "")[1:], text)

    def without_partial_stop(self, text: str) -> str:
        """Text without a piece of the stop string at its end, which some servers leave there."""
        stop = self.stops[0]
        for size in range(len(stop), 4, -1):
            if text.endswith(stop[:size]):
                return text[:-size]
        return text
