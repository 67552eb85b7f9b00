"""What was done so far, as a tongue of text writes it: the turns that steps came from, and the text of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ._checks import check_steps
from ._json import shown
from ._parser import with_hidden_calls
from ._policies import Policies
from ._reading import CallReader
from ._tools import Tool, Toolbox
from ._values import EXCEPTION_TOOL, AgentAction, AgentStep, Call, Reply

if TYPE_CHECKING:
    from ._text_lect import TextLect

Calls = tuple[Call, ...]


def turns_of(steps: Sequence[AgentStep]) -> list[list[AgentStep]]:
    """Steps by the turn that they came from: the actions of one turn are numbered from 0."""
    check_steps(steps)
    turns: list[list[AgentStep]] = []
    for step in steps:
        if turns and step.action.index > turns[-1][-1].action.index:
            turns[-1].append(step)
        else:
            turns.append([step])
    return turns


def observation_text(observation: Any) -> str:
    """An observation as a model reads it: text as it is, JSON, and what is no JSON as Python shows it."""
    return shown(observation)


MEMORY = 1_024
"""Turns that a lect remembers: an agent writes the same ones again in every prompt."""
LONGEST = 8_192
"""Characters of a turn that is remembered."""


def turn_text(
    lect: TextLect,
    actions: Sequence[AgentAction],
    policies: Policies,
    known: dict[str, Calls],
    tools: Toolbox | None = None,
) -> str:
    """The text of one turn: the logs, as far as the lect finds the calls of the actions in them; else the calls.

    ``known`` remembers which calls are in which text. ``tools`` are for tongues that type text by schemas.

    Raises:
        LectError: a call without such a log can't be written.
    """
    return _Turn(lect, policies, known, tools).text(actions)


class _Turn:
    """A turn that is put together from logs and from calls that have none."""

    def __init__(self, lect: TextLect, policies: Policies, known: dict[str, Calls], tools: Toolbox | None) -> None:
        self.lect, self.policies, self.tools = lect, policies, tools
        self._known = known

    def text(self, actions: Sequence[AgentAction]) -> str:
        if actions[0].index > 0 and all(action.tool != EXCEPTION_TOOL for action in actions):
            return self._written([_call(action) for action in actions])[0]  # the log of its beginning was trimmed
        logs = [self.lect.finished(action.log) for action in actions]
        whole = "".join(logs)
        if all(action.tool == EXCEPTION_TOOL for action in actions):
            return whole
        found = self._calls(whole)
        if len(found) == len(actions) and all(map(self._means, found, actions)):
            return whole
        pieces = self._pieces(actions, logs)
        if len(pieces) == 1:
            return pieces[0][0]
        wanted = tuple(call for _, calls in pieces for call in calls)
        for glue in ("", "\n"):
            text = glue.join(piece for piece, _ in pieces)
            if self._calls(text) == wanted:
                return text
        return self._written([_call(action) for action in actions if action.tool != EXCEPTION_TOOL])[0]

    def _pieces(self, actions: Sequence[AgentAction], logs: Sequence[str]) -> list[tuple[str, Calls]]:
        """Logs that hold the calls of their actions, and between them the other calls: texts with what is in them."""
        pieces: list[tuple[str, Calls]] = []
        alone: list[Call] = []
        spare: list[Call] = []  # calls in earlier logs that no action had yet
        for action, log in zip(actions, logs, strict=True):
            shared = next((call for call in spare if self._means(call, action)), None)
            if shared is not None and log in ("", logs[0]):
                spare.remove(shared)
                continue
            found = self._calls(log)
            own = next((call for call in found if self._means(call, action)), None)
            if own is None and action.tool != EXCEPTION_TOOL:
                alone.append(_call(action))
                continue
            if alone:
                pieces.append(self._written(alone))
                alone = []
            if log:
                pieces.append((log, found))
                spare += [call for call in found if call is not own]
        return [*pieces, self._written(alone)] if alone else pieces

    def _written(self, calls: list[Call]) -> tuple[str, Calls]:
        return self.lect.format(Reply(calls=tuple(calls)), tools=self.tools), tuple(calls)

    def _calls(self, text: str) -> Calls:
        """The calls that the lect reads in a text; no policy raises here."""
        found = self._known.get(text)
        if found is None:
            lect, sink = self.lect, CallReader(self.lect, self.tools, self.policies)
            sink.cut_observations = False
            found = with_hidden_calls(lect, lect.read_whole(text, sink), sink).calls
            if len(text) <= LONGEST:
                if len(self._known) >= MEMORY:  # the oldest goes
                    del self._known[next(iter(self._known))]
                self._known[text] = found
        return found

    def _means(self, call: Call, action: AgentAction) -> bool:
        """Whether a call is of the action's tool, in the model's spelling; any call may be one that must not run."""
        if action.tool in (call.name, EXCEPTION_TOOL):
            return True
        known = CallReader(self.lect, Toolbox([Tool(action.tool)]), self.policies)
        return known.name(call.name, call.start, call.end, []) == action.tool


def _call(action: AgentAction) -> Call:
    return Call(action.tool, action.tool_input, id=action.id)
