"""The lect ``docstore``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from polylect import EXCEPTION_TOOL, AgentStep, Call, Policies, Prompt, Toolbox
from polylect.plugin import Tools, observation_text

from . import _prompt
from ._bracket import ReactBracket


class Docstore(ReactBracket):
    """``Thought 1: …``, ``Action 1: Search[x]``, ``Observation 1: …`` with numbers; ``Action 2: Finish[answer]``.

    Source: the prompts of Yao et al. 2022 for HotpotQA and FEVER, with the tools ``Search`` and ``Lookup`` over a store
    of documents; it may be given any others. It reads what ``react_bracket`` reads. :meth:`format_steps` counts the
    steps: the n-th action of a run, its thought and its observation have the number n. The model writes its own.
    """

    name = "docstore"
    title = "ReAct with numbers: Thought 1: / Action 1: Search[x] / Action 2: Finish[answer]"
    aliases = ("react_docstore",)
    finish = "Finish"
    answer_cue = "Action: Finish["
    examples = (
        "Thought 1: I need to find who wrote it.\nAction 1: Search[The Old Man and the Sea]",
        "Thought 2: Now the year of his birth.\nAction 2: Lookup[born]",
        "Thought 3: So it is 1899.\nAction 3: Finish[1899]",
        "Action 1: Search[Oslo [city]]\nAction 2: Search[Bergen]",
        'Thought 4: Both arguments.\nAction 4: forecast[{"city": "Oslo", "days": 3}]',
    )

    def __init__(self, labels: Mapping[str, str | None] | None = None) -> None:
        super().__init__(labels)
        words = "|".join(re.escape(self.words[label]) for label in ("thought", "action") if self.words[label])
        self._numbered = re.compile(rf"(?im)^[ \t*#]{{0,8}}(?:{words})[ \t]{{1,4}}[0-9]")

    @cached_property
    def prompt(self) -> Prompt:
        """The prompt, in this lect's words. The model begins with a label, so that it writes the number."""
        return _prompt.docstore(self.words)

    def format_steps(self, steps: Sequence[AgentStep], *, tools: Tools = None, **policies: object) -> str:
        """The scratchpad: each turn's text, its observations with their numbers."""
        super().format_steps([], tools=tools)  # checks them
        chosen = self.policies.replace(**policies) if policies else self.policies
        turns = self.written_turns(steps, chosen)
        out, number = [], 0
        for at, (turn, text) in enumerate(turns, 1):
            out.append(text)
            for step in turn:
                number += 1
                out.append(f"\n{self.words['observation']} {number}: ")
                out.append(self._guarded(observation_text(step.observation), chosen))
            cue = self.cue(turns[at][1] if at < len(turns) else None)
            out.append(cue if cue == "\n" else f"\n{self.words['thought']} {number + 1}: ")
        return "".join(out)

    def written_turns(
        self, steps: Sequence[AgentStep], policies: Policies, tools: Toolbox | None = None
    ) -> list[tuple[list[AgentStep], str]]:
        """The turns that steps came from, each with its text; actions without a log with their numbers."""
        found, number, word = [], 1, self.words["action"]
        for turn, text in super().written_turns(steps, policies, tools):
            actions = [step.action for step in turn]
            if not any(action.log or action.tool == EXCEPTION_TOOL for action in actions):
                calls = [Call(action.tool, action.tool_input) for action in actions]
                text = "\n".join(f"{word} {n}: {call.name}[{self.input(call)}]" for n, call in enumerate(calls, number))
            found.append((turn, text))
            number += len(turn)
        return found

    def cue(self, following: str | None) -> str:
        """A line break where the model goes on: it writes the label, and the number."""
        return "\n" if following is None else super().cue(following)

    def detect(self, text: str) -> float:
        """How sure it is that ``text`` is in this tongue: by its numbers."""
        score = super().detect(text)
        return score if self._numbered.search(text) is not None else 0.9 * score  # else it is react_bracket as well
